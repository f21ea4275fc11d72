"""The exact rung: sides of cells, points on them, and proofs that a side is empty."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.lp_vertices import has_interior
from oracles.random_cases import case

from plregions.exact.lp import check_interior
from plregions.feasibility import exact_rung
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import ExactRung, is_strict, multipliers_of, strict_point
from plregions.feasibility.prepare import prepare

SEEDS = [s for s in range(120) if case(s).domain.dim <= 2 and case(s).net.n_neurons <= 5]


def open_cells(
    seed: int,
) -> Iterator[tuple[ExactRung, list[int], NDArray[np.uint8], list[int], tuple[Fraction, ...]]]:
    """Every node of the binary tree that has an interior.

    With it go the rest of the layer's units, the bits before them, the cell's constraints and a
    point of it.
    """
    _, net, domain = case(seed)
    prepared = prepare(net, domain)
    rows = ExactRows(prepared)
    rung = ExactRung(rows, prepared.wall_rows)
    units = [int(u) for u in np.flatnonzero(prepared.units.bit >= 0)]
    walls = [-1 - i for i in range(len(prepared.wall_rows))]
    for k, unit in enumerate(units):
        layer_of = prepared.units.layer_of
        layer = [u for u in units[k:] if layer_of[u] == layer_of[unit]]
        for prefix in product((0, 1), repeat=k):
            bits = np.array([*prefix, *[0] * (len(units) - k)], dtype=np.uint8)
            own = [rows.row(u, bits) for u in units[:k]]
            if any(not any(row) and bit for row, bit in zip(own, prefix, strict=True)):
                continue
            labels = walls + [u for u, row in zip(units[:k], own, strict=True) if any(row)]
            inside = check_interior([rung.constraint(label, bits) for label in labels]).point
            if inside is not None:
                yield rung, layer, bits, labels, inside


@pytest.mark.parametrize("seed", SEEDS)
def test_sides_of_every_cell(seed: int) -> None:
    """The sides of a layer's units that vertices show, and points on them, asked for at once."""
    for rung, units, bits, labels, inside in open_cells(seed):
        cell = [rung.constraint(label, bits) for label in labels]
        found = rung.sides(units, bits, labels, [[]] * len(units), inside)
        for unit, sides in zip(units, found, strict=True):
            row = rung._rows.row(unit, bits)
            negative = tuple(-v for v in row)
            assert (sides.one is not None) == has_interior([*cell, row], len(inside))
            on_zero = not any(row) or has_interior([*cell, negative], len(inside))
            assert (sides.zero is not None) == on_zero
            if sides.one is not None:
                assert is_strict([*cell, row], sides.one)
            if sides.zero is not None:
                assert is_strict([*cell, negative] if any(row) else cell, sides.zero)


def missing_sides(seed: int, choice: int) -> list[tuple[bool, bool]]:
    """Which sides are missing where bases are proposed, in turn or none (``choice`` 0)."""
    missing = []
    for rung, units, bits, labels, inside in open_cells(seed):
        d = len(inside)
        all_bases = [list(basis) for basis in permutations(range(len(labels)), d)]
        # Three units at a time are handed the same basis.
        bases = [all_bases[choice * (1 + k // 3) % len(all_bases)] for k in range(len(units))]
        if not choice:
            bases = [[]] * len(units)
        for sides in rung.sides(units, bits, labels, bases, inside):
            missing.append((sides.zero is None, sides.one is None))
    return missing


@pytest.mark.parametrize("choice", [1, 2, 5, 11, 17])
def test_whatever_basis_is_proposed(choice: int) -> None:
    """Bases save work and change nothing, whichever units share them."""
    for seed in SEEDS:
        assert missing_sides(seed, choice) == missing_sides(seed, 0)


def test_a_basis_that_is_believed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multipliers of the wrong sign count as well."""
    right = [missing_sides(seed, 0) for seed in SEEDS]

    def careless(goals: Any, tight: Any) -> Any:
        found = multipliers_of(goals, tight)
        return [y or (Fraction(1),) * len(tight) for y in found]

    monkeypatch.setattr(exact_rung, "multipliers_of", careless)
    assert [missing_sides(seed, 1) for seed in SEEDS] != right


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
    (y,) = multipliers_of([goal], rows)
    assert (y is not None) is expected
    if y is not None:
        assert all(v >= 0 for v in y)
        pairs = list(zip(y, rows, strict=True))
        total = [g + sum(v * row[k] for v, row in pairs) for k, g in enumerate(goal)]
        assert total[:-1] == [0, 0]
        assert total[-1] <= 0


def test_multipliers_of_several_goals() -> None:
    """One solve: what is found for a goal does not depend on the others."""
    tight = [UNIT_SQUARE[1], UNIT_SQUARE[3]]
    goals = [(1, 1, -2), (1, 1, -1), (-1, 0, 0), (2, 0, -3)]
    alone = [multipliers_of([goal], tight)[0] for goal in goals]
    assert multipliers_of(goals, tight) == alone
    assert [y is not None for y in alone] == [True, False, False, True]


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
