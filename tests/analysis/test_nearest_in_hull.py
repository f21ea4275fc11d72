"""Nearest points of hulls against all affine hulls of few points, in Fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lp_vertices import solve_square

from plregions.analysis.nearest_in_hull import nearest_in_hull
from plregions.errors import InvalidInputError

Point = tuple[Fraction, ...]
whole = st.integers(-3, 3)
sets = st.integers(1, 3).flatmap(
    lambda d: st.tuples(
        st.tuples(*[st.fractions(-3, 3, max_denominator=4)] * d),
        st.lists(st.tuples(*[whole] * d), min_size=1, max_size=6),
    )
)


def distance(p: Point, q: Point) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(p, q, strict=True)), Fraction(0))


def by_trial(x: Point, points: list[Point]) -> Fraction:
    """The least distance to the nearest points of all simplices that lie inside them."""
    best = min(distance(x, p) for p in points)
    for size in range(2, len(x) + 2):
        for chosen in combinations(points, size):
            seen = [[a - b for a, b in zip(p, x, strict=True)] for p in chosen]
            gram = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in seen] for p in seen]
            matrix = [[*row, 1] for row in gram] + [[1] * size + [0]]
            weights = solve_square(matrix, [0] * size + [1])
            if weights is not None and min(weights[:-1]) >= 0:
                y = [
                    sum(w * p[k] for w, p in zip(weights, chosen, strict=False))
                    for k in range(len(x))
                ]
                best = min(best, distance(x, tuple(y)))
    return best


def check(x: Point, given_points: list[tuple[int, ...]]) -> None:
    points = [tuple(map(Fraction, p)) for p in given_points]
    found = nearest_in_hull(x, points)
    assert distance(x, found) == by_trial(x, points)
    # No point of the hull lies beyond the plane through it: it is nearest, and the only one.
    step = [a - b for a, b in zip(found, x, strict=True)]
    for p in points:
        assert sum(s * (a - b) for s, a, b in zip(step, p, found, strict=True)) >= 0


@given(sets)
def test_the_nearest_of_all_simplices(case: tuple[Point, list[tuple[int, ...]]]) -> None:
    check(*case)


def test_the_check_notices_a_point_that_is_not_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    square, x = [(0, 0), (2, 0), (0, 2), (2, 2)], (Fraction(3), Fraction(1))
    check(x, square)
    monkeypatch.setitem(globals(), "nearest_in_hull", lambda _, points: points[1])
    with pytest.raises(AssertionError):
        check(x, square)


def test_inside_is_itself() -> None:
    x = (Fraction(1, 3), Fraction(1, 3))
    hull = [tuple(map(Fraction, p)) for p in [(0, 0), (1, 0), (0, 1), (1, 1)]]
    assert nearest_in_hull(x, hull) == x


def test_no_points() -> None:
    with pytest.raises(InvalidInputError, match="one point or more"):
        nearest_in_hull((Fraction(0),), [])
