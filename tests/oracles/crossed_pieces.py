"""Which pieces of a boundary does a segment cross, and where? From their corners.

In Fractions and any dimension, and for the plane in whole numbers, quick enough for thousands.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np
from flint import fmpz_mat
from oracles.lp_vertices import solve_square
from oracles.plain_regions import rank

Point = Sequence[Fraction]
Crossing = tuple[Fraction, tuple[int, ...], tuple[int, ...]]


def inner_point(rng: np.random.Generator, domain: Any) -> list[Fraction]:
    """A random point inside a bounded domain, with a denominator that nothing else has."""
    low, high = domain.bounding_box()
    while True:
        shares = [Fraction(int(rng.integers(1, 999_983)), 999_983) for _ in low]
        x = [a + (b - a) * s for a, b, s in zip(low, high, shares, strict=True)]
        if domain.contains(x):
            return x


def crossings(boundary: Any, p: Point, q: Point) -> list[Crossing]:
    """The ways t at which p + t (q - p) crosses a piece, with the labels before and after."""
    found = []
    for piece in np.flatnonzero(boundary.is_crossing).tolist():
        t = _way(boundary.points(piece), p, q)
        if t is not None:
            first, second = boundary.sides[piece]
            part = int(boundary.neighbours[piece, 0])
            inside = boundary.parts.centre(boundary.parts.corners[part])
            normal, constant = _plane(boundary.points(piece))
            is_inside = _value(normal, constant, p) * _value(normal, constant, inside) > 0
            found.append((t, first, second) if is_inside else (t, second, first))
    return sorted(found)


class PlanePieces:
    """The crossed pieces of a boundary in the plane, in homogeneous whole numbers."""

    def __init__(self, boundary: Any) -> None:
        self._pieces = np.flatnonzero(boundary.is_crossing).tolist()
        self._sides = boundary.sides
        ends = [[_homogeneous([x])[0] for x in boundary.points(piece)] for piece in self._pieces]
        self._ends = fmpz_mat([end for pair in ends for end in pair])
        self._lines = [_cross(a, b) for a, b in ends]

    def crossings(self, p: Point, q: Point) -> list[Crossing]:
        """As `crossings`; a segment that only touches a piece, or ends on it, is an error."""
        start, end = _homogeneous([p, q])
        beside = (self._ends * fmpz_mat([[v] for v in _cross(start, end)])).entries()
        found = []
        for k, (one, other) in enumerate(zip(beside[::2], beside[1::2], strict=True)):
            if (one > 0) == (other > 0) and one != 0 != other:
                continue
            at_p, at_q = (sum(map(int.__mul__, self._lines[k], x)) for x in (start, end))
            if at_p * at_q > 0:
                continue
            if 0 in (one, other, at_p, at_q):
                raise ValueError(f"a segment from {p} to {q} touches piece {self._pieces[k]}")
            # The first side is on the left.
            first, second = self._sides[self._pieces[k]]
            before, after = (first, second) if at_p > 0 else (second, first)
            found.append((Fraction(at_p, at_p - at_q), before, after))
        return sorted(found)


def _homogeneous(points: Sequence[Point]) -> list[list[int]]:
    """Points of the plane as (x, y, 1) times one positive whole number for all of them."""
    common = lcm(*(v.denominator for x in points for v in x))
    return [[int(x[0] * common), int(x[1] * common), common] for x in points]


def _cross(p: Sequence[int], q: Sequence[int]) -> list[int]:
    """The line through two points: positive to the left of the way from p to q."""
    return [p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3] for k in range(3)]


def _way(corners: list[Any], p: Point, q: Point) -> Fraction | None:
    normal, constant = _plane(corners)
    at_p, at_q = _value(normal, constant, p), _value(normal, constant, q)
    if not at_p * at_q < 0:
        return None
    t = at_p / (at_p - at_q)
    x = [a + t * (b - a) for a, b in zip(p, q, strict=True)]
    return t if _is_between(corners, x) else None


def _plane(corners: list[Any]) -> tuple[list[Fraction], Fraction]:
    """The hyperplane through some points, by elimination."""
    d = len(corners[0])
    rows = [[b - a for a, b in zip(corners[0], other, strict=True)] for other in corners[1:]]
    chosen: list[list[Fraction]] = []
    for row in rows:
        if len(chosen) < d - 1 and rank([*chosen, row]) > len(chosen):
            chosen.append(row)
    for k in range(d):
        unit = [Fraction(i == k) for i in range(d)]
        solution = solve_square([*chosen, unit], [Fraction(0)] * (d - 1) + [Fraction(1)])
        if solution is not None:
            return list(solution), -sum(
                (a * v for a, v in zip(solution, corners[0], strict=True)), Fraction(0)
            )
    raise AssertionError("a piece has fewer dimensions than it should have")


def _is_between(corners: list[Any], x: Point) -> bool:
    """Whether a point of the plane of some corners lies in their hull: Caratheodory's theorem."""
    if any(not min(c) <= v <= max(c) for v, c in zip(x, zip(*corners, strict=True), strict=True)):
        return False
    d = len(x)
    columns = [[*corner, Fraction(1)] for corner in corners]
    for chosen in combinations(columns, d):
        # Weights of sum 1 with which the chosen corners give x, if these are independent.
        for left_out in range(d):
            rows = [[c[k] for c in chosen] for k in range(d + 1) if k != left_out]
            weights = solve_square(rows, [v for k, v in enumerate([*x, 1]) if k != left_out])
            if weights is not None:
                point = [
                    sum(w * c[k] for w, c in zip(weights, chosen, strict=True)) for k in range(d)
                ]
                if min(weights) >= 0 and point == list(x):
                    return True
                break
    return False


def _value(normal: Sequence[Fraction], constant: Fraction, x: Point) -> Fraction:
    return sum((a * v for a, v in zip(normal, x, strict=True)), constant)
