"""Which pieces of a boundary does a segment cross, and where? In Fractions, from their corners."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
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
