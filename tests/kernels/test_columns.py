"""What the walks keep of each layer's weights, against numpy and exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from oracles.plain_kernels import plain_kernel

import plregions as plr
from plregions.feasibility import layer_tables as module
from plregions.feasibility.layer_tables import LayerTables, layer_tables
from plregions.feasibility.prepare import prepare
from plregions.kernels.columns import read_layers
from plregions.kernels.layout import Units, layer_weight


def units_of(widths: tuple[int, ...], seed: int) -> Units:
    """The columns of a network in which some layers have weights of 0."""
    rng = np.random.default_rng(seed)
    layers: list[Any] = []
    for n_in, n_out in pairwise(widths):
        weight = rng.normal(size=(n_out, n_in))
        weight[rng.random(weight.shape) < 0.05 * (len(layers) % 2)] = 0.0
        layers.append((weight, rng.normal(size=n_out)))
    units: Units = prepare(plr.Network(layers), plr.hypercube(widths[0], -1, 1)).units
    return units


def check(units: Units, tables: LayerTables) -> None:
    """Compare the columns with the rows, and the squares of all norms with exact ones."""
    for layer in range(1, len(units.layer_first) - 1):
        rows = layer_weight(units, layer)
        at, first = int(units.weight_first[layer]), int(units.layer_first[layer])
        columns = tables.weight[at : at + rows.size].reshape(rows.shape[::-1])
        np.testing.assert_array_equal(columns, rows.T)
        assert tables.dense[layer] == (rows != 0.0).all()
        for row, norm in zip(rows.tolist(), tables.norm[first:].tolist(), strict=False):
            square = sum((Fraction(v) ** 2 for v in row), Fraction(0))
            assert square <= Fraction(norm) ** 2 <= square * (1 + Fraction(1, 10**12)) + 2**-900


SHAPES = [(2, 1, 1), (2, 7, 8, 9, 1), (2, 16, 17, 1), (2, 65, 40, 1)]


@pytest.mark.parametrize("widths", SHAPES)
def test_tables_are_those_of_the_rows(widths: tuple[int, ...]) -> None:
    units = units_of(widths, len(widths))
    check(units, layer_tables(units))


def test_norms_without_their_rounding_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the norms are rounded to the nearest number, which may lie below."""
    units = units_of((2, 65, 40, 1), 3)
    monkeypatch.setattr(module, "read_layers", plain_kernel(read_layers, EPS=0.0, LEAST=0.0))
    tables = layer_tables(units)
    with pytest.raises(AssertionError):
        check(units, tables)


def test_entries_out_of_place_are_caught() -> None:
    """Planted fault: the last columns of a layer, those beyond whole cache lines, are swapped."""
    units = units_of((2, 7, 10, 1), 4)
    tables = layer_tables(units)
    at = int(units.weight_first[1])
    columns = tables.weight[at : at + 70].reshape(7, 10)
    columns[[5, 6]] = columns[[6, 5]]
    with pytest.raises(AssertionError):
        check(units, tables)
