"""Rung 3: the sides of a cell on which a neuron is positive or not, decided in exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq, fmpz_mat

from plregions.errors import PLRegionsError
from plregions.exact.lp import LPResult, maximise
from plregions.feasibility.exact_rows import ExactRows, over_common_denominator, value_at
from plregions.feasibility.prepare import IntRow

__all__ = [
    "ExactRung",
    "Point",
    "Sides",
    "inner_point",
    "is_strict",
    "on_a_grid",
    "point_above",
    "strict_point",
]

Point = tuple[Fraction, ...]

MEMO_SIZE = 50_000


@dataclass(frozen=True)
class Sides:
    """Which sides of an open cell a neuron takes: a point on each side that it takes.

    ``zero`` is a point where the pre-activation is < 0 (or anywhere, when it is identically 0);
    ``one`` is a point where it is > 0. Where a side is missing, ``rows`` are the labels of those
    constraints that exclude it together: none for a constant pre-activation.
    """

    zero: Point | None
    one: Point | None
    rows: tuple[int, ...] = ()


class ExactRung:
    """Exact decisions for the cells of one network, with a bounded memory of settled ones."""

    def __init__(self, rows: ExactRows, wall_rows: Sequence[IntRow]) -> None:
        self._rows = rows
        self._walls = tuple(wall_rows)
        self._memo: dict[tuple[IntRow, frozenset[IntRow]], frozenset[IntRow]] = {}
        self.n_memo = 0
        self.n_basis = 0
        self.n_lp = 0

    def constraint(self, label: int, bits: Any) -> IntRow:
        """Return the exact row, positive inside the cell, of a unit or (label < 0) a wall."""
        if label < 0:
            return self._walls[-1 - label]
        row = self._rows.row(label, bits)
        return row if self._rows.bit_of(label, bits) else tuple(-v for v in row)

    def sides(
        self,
        units: Sequence[int],
        bits: Any,
        labels: Sequence[int],
        bases: Sequence[Sequence[int]],
        point: Point,
    ) -> list[Sides]:
        """Decide for units of one layer which sides of their zero sets an open cell has points on.

        ``labels`` are the cell's constraints, ``bases`` positions in it that are proposed as the
        optimal basis of each unit (may be empty), ``point`` a point of the open cell. Units with
        one basis are settled by one solve.
        """
        rows = cache(lambda i: self.constraint(labels[i], bits))
        numerators, denominator = over_common_denominator(point)
        found: dict[int, Sides] = {}
        goals: dict[int, IntRow] = {}
        signs: dict[int, bool] = {}
        for k, unit in enumerate(units):
            row = self._rows.row(unit, bits)
            value = value_at(row, numerators, denominator)
            if not any(row[:-1]):
                found[k] = Sides(None, point) if row[-1] > 0 else Sides(point, None)
            elif value == 0:
                cell = [rows(i) for i in range(len(labels))]
                found[k] = Sides(
                    _step(cell, point, row, Fraction(-1)), _step(cell, point, row, Fraction(1))
                )
            else:
                signs[k] = value > 0
                goals[k] = tuple(-v for v in row) if signs[k] else row
        excluded = self._excluded(goals, bases, rows)
        for k, goal in goals.items():
            other, used = None, excluded.get(k)
            if used is None:
                other, used = self._other_side(goal, len(labels), bases[k], rows, point)
            names = tuple(labels[i] for i in used)
            found[k] = Sides(other, point, names) if signs[k] else Sides(point, other, names)
        return [found[k] for k in range(len(units))]

    def _excluded(
        self,
        goals: Mapping[int, IntRow],
        bases: Sequence[Sequence[int]],
        rows: Callable[[int], IntRow],
    ) -> dict[int, list[int]]:
        """Return positions of constraints that exclude a goal > 0, of those whose basis does."""
        used: dict[int, frozenset[IntRow]] = {}
        together: dict[tuple[int, ...], list[int]] = {}
        ordered = {k: tuple(sorted(bases[k])) for k in goals}
        for k, basis in ordered.items():
            goal = goals[k]
            known = self._memo.get((goal, frozenset(map(rows, basis))))
            if known is not None:
                self.n_memo += 1
                used[k] = known
            elif basis:
                together.setdefault(basis, []).append(k)
        for basis, several in together.items():
            tight = [rows(i) for i in basis]
            solved = multipliers_of([goals[k] for k in several], tight)
            for k, y in zip(several, solved, strict=True):
                if y is not None:
                    self.n_basis += 1
                    used[k] = frozenset(row for row, v in zip(tight, y, strict=True) if v)
                    if len(self._memo) >= MEMO_SIZE:
                        self._memo.clear()
                    self._memo[goals[k], frozenset(tight)] = used[k]
        return {k: [i for i in ordered[k] if rows(i) in used[k]] for k in used}

    def _other_side(
        self,
        goal: IntRow,
        n_rows: int,
        basis: Sequence[int],
        rows: Callable[[int], IntRow],
        point: Point,
    ) -> tuple[Point | None, list[int]]:
        """Return a point of the open cell where ``goal`` > 0, or the constraints against it."""
        self.n_lp += 1
        cell = [rows(i) for i in range(n_rows)]
        result = maximise(goal, cell, basis=basis or None, stop_above=0)
        if result.status == "optimal":
            return None, [i for i, y in enumerate(result.multipliers or ()) if y]
        return strict_point([*cell, goal], point_above(result), point, goal), []


def point_above(result: LPResult) -> Point:
    """Return the feasible point with a positive objective that a program stopped at."""
    if result.status != "above" or result.point is None:
        raise PLRegionsError(
            f"a cell with a point in it needs a feasible program; got {result!r}. This is a "
            "fault of plregions: please report it with the network."
        )
    return result.point


def multipliers_of(
    goals: Sequence[IntRow], tight: Sequence[IntRow]
) -> list[tuple[fmpq, ...] | None]:
    """Return for each goal non-negative y with goal + sum y_j tight_j a constant <= 0, if any.

    Solves the square system of linear parts once, by python-flint; a singular basis proves nothing.
    """
    d, n = len(goals[0]) - 1, len(goals)
    if len(tight) != d:
        return [None] * n
    transposed = fmpz_mat(d, d, [row[k] for k in range(d) for row in tight])
    right = fmpz_mat(d, n, [-goal[k] for k in range(d) for goal in goals])
    try:
        columns: list[tuple[fmpq, ...]] = [*zip(*transposed.solve(right).tolist(), strict=True)]
    except ZeroDivisionError:
        return [None] * n
    found: list[tuple[fmpq, ...] | None] = []
    for goal, y in zip(goals, columns, strict=True):
        is_proof = all(v >= 0 for v in y)
        if is_proof:
            constant = sum((v * row[-1] for v, row in zip(y, tight, strict=True)), fmpq(goal[-1]))
            is_proof = constant <= 0
        found.append(y if is_proof else None)
    return found


def strict_point(rows: Sequence[IntRow], closed: Point, inside: Point, goal: IntRow) -> Point:
    """Return a point with all rows strictly positive, with short coordinates if possible.

    All rows but ``goal`` are positive at ``inside`` and non-negative at ``closed``, where
    ``goal`` is positive. Points between the two near ``closed`` are strict; one of them is
    rounded to float64, or to a finer binary grid where float64 is too coarse.
    """
    n1, d1 = over_common_denominator(closed)
    n2, d2 = over_common_denominator(inside)
    at_closed = Fraction(value_at(goal, n1, d1), d1)
    at_inside = Fraction(value_at(goal, n2, d2), d2)
    limit = Fraction(1) if at_inside > 0 else at_closed / (at_closed - at_inside)
    for share in (Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)):
        exact = _between(closed, inside, limit * share)
        floats = tuple(Fraction(float(v)) for v in exact)
        if is_strict(rows, floats):
            return floats
    return on_a_grid(rows, _between(closed, inside, limit / 2))


def inner_point(rows: Sequence[IntRow], corners: Sequence[IntRow]) -> Point:
    """Return a point strictly inside the bounded cell with these rows and corners.

    It is the mean of the corners, rounded to float64 or to a finer binary grid where it stays
    inside. Corners are homogeneous, with a positive last coordinate.
    """
    d = len(rows[0]) - 1
    mean = tuple(
        sum((Fraction(corner[k], corner[d]) for corner in corners), Fraction(0)) / len(corners)
        for k in range(d)
    )
    if not is_strict(rows, mean):
        raise PLRegionsError(
            "a cell needs to be a convex polyhedron; got rows and corners that make none. This is "
            "a fault of plregions: please report it with the network."
        )
    floats = tuple(Fraction(float(v)) for v in mean)
    return floats if is_strict(rows, floats) else on_a_grid(rows, mean)


def on_a_grid(rows: Sequence[IntRow], point: Point) -> Point:
    """Round a point where all rows are positive to a binary grid that is fine enough for them."""
    digits = 64
    while True:
        grid = 1 << digits
        rounded = tuple(Fraction(round(v * grid), grid) for v in point)
        if is_strict(rows, rounded):
            return rounded
        digits *= 2


def is_strict(rows: Sequence[IntRow], point: Point) -> bool:
    """Tell whether every row is > 0 at a rational point, exactly."""
    numerators, denominator = over_common_denominator(point)
    return all(value_at(row, numerators, denominator) > 0 for row in rows)


def _between(closed: Point, inside: Point, t: Fraction) -> Point:
    return tuple(a + t * (b - a) for a, b in zip(closed, inside, strict=True))


def _step(rows: Sequence[IntRow], point: Point, direction: IntRow, sign: Fraction) -> Point:
    """Move from a strict point along +-direction, strictly; to a float64 point if it can be."""
    scale = Fraction(1, max(abs(v) for v in direction[:-1]))
    strict = [*rows, tuple(int(sign) * v for v in direction)]
    t = Fraction(1, 2)
    while True:
        moved = tuple(p + sign * t * scale * a for p, a in zip(point, direction[:-1], strict=True))
        if is_strict(strict, moved):
            floats = tuple(Fraction(float(v)) for v in moved)
            return floats if is_strict(strict, floats) else moved
        t /= 4
