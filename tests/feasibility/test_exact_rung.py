"""The exact rung: sides of cells, points on them, and proofs that a side is empty."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.lp_vertices import has_interior
from oracles.random_cases import case

from plregions.exact.lp import check_interior
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import ExactRung, is_strict, multipliers_of, strict_point
from plregions.feasibility.prepare import prepare

SEEDS = [s for s in range(40) if case(s).domain.dim <= 2 and case(s).net.n_neurons <= 5]


@pytest.mark.parametrize("seed", SEEDS)
def test_sides_of_every_cell(seed: int) -> None:
    """At every node of the binary tree: the sides that vertices show, and points on them."""
    _, net, domain = case(seed)
    prepared = prepare(net, domain)
    rows = ExactRows(prepared)
    rung = ExactRung(rows, prepared.wall_rows)
    units = [int(u) for u in np.flatnonzero(prepared.units.bit >= 0)]
    walls = [-1 - i for i in range(len(prepared.wall_rows))]
    for k, unit in enumerate(units):
        for prefix in product((0, 1), repeat=k):
            bits = np.array([*prefix, *[0] * (len(units) - k)], dtype=np.uint8)
            own = [rows.row(u, bits) for u in units[:k]]
            if any(not any(row) and bit for row, bit in zip(own, prefix, strict=True)):
                continue
            labels = walls + [u for u, row in zip(units[:k], own, strict=True) if any(row)]
            cell = [rung.constraint(label, bits) for label in labels]
            inside = check_interior(cell).point
            if inside is None:
                continue
            row = rows.row(unit, bits)
            sides = rung.sides(unit, bits, labels, [], inside)
            negative = tuple(-v for v in row)
            assert (sides.one is not None) == has_interior([*cell, row], prepared.dim)
            on_zero = not any(row) or has_interior([*cell, negative], prepared.dim)
            assert (sides.zero is not None) == on_zero
            if sides.one is not None:
                assert is_strict([*cell, row], sides.one)
            if sides.zero is not None:
                assert is_strict([*cell, negative] if any(row) else cell, sides.zero)


UNIT_SQUARE = [(1, 0, 0), (-1, 0, 1), (0, 1, 0), (0, -1, 1)]


@pytest.mark.parametrize(
    ("goal", "basis", "expected"),
    [
        ((1, 1, -2), [1, 3], True),  # touches the corner (1, 1)
        ((1, 1, -3), [1, 3], True),
        ((1, 1, -1), [1, 3], False),  # has points: the constant is positive
        ((-1, -1, 0), [0, 2], True),  # touches the corner (0, 0)
        ((-1, -1, 0), [1, 3], False),  # the wrong basis: negative weights
        ((1, 1, -2), [0, 1], False),  # singular
        ((1, 1, -2), [1], False),  # too few rows
        ((1, 0, -1), [1, 3], True),  # a weight that is 0
    ],
)
def test_multipliers_of(goal: Any, basis: list[int], expected: bool) -> None:
    rows = [UNIT_SQUARE[i] for i in basis]
    y = multipliers_of(goal, rows)
    assert (y is not None) is expected
    if y is not None:
        assert all(v >= 0 for v in y)
        pairs = list(zip(y, rows, strict=True))
        total = [g + sum(v * row[k] for v, row in pairs) for k, g in enumerate(goal)]
        assert total[:-1] == [0, 0]
        assert total[-1] <= 0


def test_strict_points_are_short_where_floats_suffice() -> None:
    inside, closed = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1), Fraction(1))
    goal = (1, 1, -1)
    point = strict_point([*UNIT_SQUARE, goal], closed, inside, goal)
    assert is_strict([*UNIT_SQUARE, goal], point)
    assert all(Fraction(float(v)) == v for v in point)


def test_strict_points_in_a_sliver() -> None:
    n = 10**40
    goal = (3 * n, 0, -n)  # x > 1/3
    sliver = [*UNIT_SQUARE, (-3 * n, 0, n + 1), goal]  # x < 1/3 + 1e-40 / 3
    inside = (Fraction(1, 3) - Fraction(1, n), Fraction(1, 2))
    closed = (Fraction(1, 3) + Fraction(1, 3 * n), Fraction(1))
    point = strict_point(sliver, closed, inside, goal)
    assert is_strict(sliver, point)
    assert Fraction(float(point[0])) != point[0]
