"""Rung 3: the sides of a cell on which a neuron is positive or not, decided in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
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
        self, unit: int, bits: Any, labels: Sequence[int], basis: Sequence[int], point: Point
    ) -> Sides:
        """Decide which sides of the unit's zero set the open cell has points on.

        ``labels`` are the cell's constraints, ``basis`` positions in it proposed as the optimal
        basis (may be empty), ``point`` a point of the open cell.
        """
        row = self._rows.row(unit, bits)
        if not any(row[:-1]):
            return Sides(None, point) if row[-1] > 0 else Sides(point, None)
        numerators, denominator = over_common_denominator(point)
        value = value_at(row, numerators, denominator)
        if value == 0:
            rows = [self.constraint(label, bits) for label in labels]
            return Sides(
                _step(rows, point, row, Fraction(-1)), _step(rows, point, row, Fraction(1))
            )
        goal = tuple(-v for v in row) if value > 0 else row
        other, used = self._other_side(goal, bits, labels, basis, point)
        return Sides(other, point, used) if value > 0 else Sides(point, other, used)

    def _other_side(
        self,
        goal: IntRow,
        bits: Any,
        labels: Sequence[int],
        basis: Sequence[int],
        point: Point,
    ) -> tuple[Point | None, tuple[int, ...]]:
        """Return a point of the open cell where ``goal`` > 0, or the constraints against it."""
        if basis:
            tight = [self.constraint(labels[i], bits) for i in basis]
            key = (goal, frozenset(tight))
            used = self._memo.get(key)
            if used is not None:
                self.n_memo += 1
            else:
                y = multipliers_of(goal, tight)
                if y is not None:
                    self.n_basis += 1
                    used = frozenset(row for row, v in zip(tight, y, strict=True) if v)
                    if len(self._memo) >= MEMO_SIZE:
                        self._memo.clear()
                    self._memo[key] = used
            if used is not None:
                places = (i for i, row in zip(basis, tight, strict=True) if row in used)
                return None, tuple(labels[i] for i in places)
        self.n_lp += 1
        rows = [self.constraint(label, bits) for label in labels]
        result = maximise(goal, rows, basis=list(basis) if basis else None, stop_above=0)
        if result.status == "optimal":
            pairs = zip(labels, result.multipliers or (), strict=True)
            return None, tuple(label for label, y in pairs if y)
        return strict_point([*rows, goal], point_above(result), point, goal), ()


def point_above(result: LPResult) -> Point:
    """Return the feasible point with a positive objective that a program stopped at."""
    if result.status != "above" or result.point is None:
        raise PLRegionsError(
            f"a cell with a point in it needs a feasible program; got {result!r}. This is a "
            "fault of plregions: please report it with the network."
        )
    return result.point


def multipliers_of(goal: IntRow, tight: Sequence[IntRow]) -> list[fmpq] | None:
    """Return non-negative y with ``goal`` + sum y_j tight_j a constant <= 0, if there is one.

    Solves the square system of linear parts by python-flint; a singular basis proves nothing.
    """
    d = len(goal) - 1
    if len(tight) != d:
        return None
    transposed = fmpz_mat(d, d, [row[k] for k in range(d) for row in tight])
    try:
        y = transposed.solve(fmpz_mat(d, 1, [-v for v in goal[:-1]]))
    except ZeroDivisionError:
        return None
    constant: Any = goal[-1]
    for j in range(d):
        if y[j, 0] < 0:
            return None
        constant = constant + y[j, 0] * tight[j][-1]
    return y.entries() if constant <= 0 else None


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
