"""Rows that carry no facet: a multiple of another row is not one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracles.plain_kernels import plain_kernel

import plregions as plr
from plregions.feasibility.prepare import prepare
from plregions.kernels import redundancy, spans
from plregions.kernels.redundancy import REDUNDANT, UNKNOWN, UNSURE
from plregions.kernels.simplex import crash, set_row

# Neuron 0 is on, neuron 1 is off, and the deeper neurons 2 and 3 hear neuron 0 alone, then both.
ON_ONE = plr.Network([([[1, 0], [0, 1]], [0, 0]), ([[2, 5]], [0], "relu")])
ON_BOTH = plr.Network([([[1, 0], [0, 1]], [0, 0]), ([[2, 3]], [0], "relu")])


def verdict(net: plr.Network, slope: list[float], rows: Any, minimise: Any) -> int:
    """What is said of the last row, that of unit 2, of a cell with the rows of units 0, 1, 2."""
    p = prepare(net, plr.hypercube(2, -1, 1))
    C = np.column_stack([np.array(rows, dtype=float), np.zeros(3)])
    C /= 2 * np.abs(C).sum(axis=1, keepdims=True)
    S, E, Z = np.abs(C).sum(axis=1), np.zeros(3), np.full(3, 2)
    T, nb, col = np.zeros((6, 4), order="F"), np.full(2, -1), np.full(4, -1)
    inside = np.array([0.25, -0.25 if slope[1] == 0.0 else 0.25])
    assert plain_kernel(crash)(T, C[:2], nb, col, 2, 2, inside)
    plain_kernel(set_row)(T, C, nb, col, 2, 2)
    state = np.full(3, UNKNOWN)
    found, _, _ = minimise(
        p.units, np.array(slope), np.zeros(3, dtype=np.int64), np.arange(3), T, C, E, S, Z, nb,
        col, 2, 3, 2, redundancy.SHALLOW, state, np.zeros(3), np.zeros(2, dtype=np.uint8),
    )  # fmt: skip
    return int(found)


def test_a_multiple_of_one_row_is_not_redundant() -> None:
    """2 x is 0 where x is: if both were dropped, the facet would be lost."""
    minimise = plain_kernel(redundancy.minimise_row)
    cell = [[1, 0], [0, -1], [2, 0]]
    assert verdict(ON_ONE, [1.0, 0.0, 1.0], cell, minimise) == UNSURE


def test_a_sum_of_two_rows_is_redundant() -> None:
    minimise = plain_kernel(redundancy.minimise_row)
    cell = [[1, 0], [0, 1], [2, 3]]
    assert verdict(ON_BOTH, [1.0, 1.0, 1.0], cell, minimise) == REDUNDANT


def test_multiples_that_count_as_sums_are_caught() -> None:
    """Planted fault: rows without a part in a combination are counted with the others."""
    mark = plain_kernel(spans.mark_unneeded)

    def careless(*arguments: Any) -> int:
        mark(*arguments)
        return 2

    minimise = plain_kernel(redundancy.minimise_row, mark_unneeded=careless)
    cell = [[1, 0], [0, -1], [2, 0]]
    assert verdict(ON_ONE, [1.0, 0.0, 1.0], cell, minimise) == REDUNDANT
