"""Exact rows under a prefix, against rows made from the definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from oracles.forced_rows import forced_rows, same_direction
from oracles.random_cases import case

import plregions as plr
from plregions.feasibility.exact_rows import ExactRows, over_common_denominator, value_at
from plregions.feasibility.prepare import prepare
from plregions.network import restrict


@pytest.mark.parametrize("seed", range(40))
def test_rows(seed: int) -> None:
    """Prefixes in an order that no walk takes: what is kept for one must not serve another."""
    _, net, domain = case(seed)
    prepared = prepare(net, domain)
    exact = ExactRows(prepared)
    inner_net, _ = restrict(net, domain)
    units = np.flatnonzero(prepared.units.bit >= 0)
    rng = np.random.default_rng(seed)
    for _ in range(8):
        bits = rng.integers(0, 2, net.n_neurons).astype(np.uint8)
        expected = forced_rows(inner_net, bits.tolist())
        for k in rng.permutation(len(units)):
            row = exact.row(int(units[k]), bits)
            assert all(type(v) is int for v in row)
            assert math.gcd(*row) in (0, 1)
            assert same_direction(prepared.frame.global_row(row), expected[k])
            assert exact.bit_of(int(units[k]), bits) == bool(bits[k])


def test_value_at_a_rational_point() -> None:
    numerators, denominator = over_common_denominator((Fraction(1, 3), Fraction(-1, 2)))
    assert (numerators, denominator) == ([2, -3], 6)
    assert value_at((3, 2, 0), numerators, denominator) == 0
    assert value_at((3, 2, 1), numerators, denominator) > 0
    assert value_at((0, 0, -5), numerators, denominator) < 0


def test_a_row_for_another_prefix_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the layer kept for one prefix is used for all."""
    real = ExactRows._layer

    def careless(self: ExactRows, layer: int, bits: np.ndarray) -> object:
        return self._kept.get(layer) or real(self, layer, bits)

    monkeypatch.setattr(ExactRows, "_layer", careless)
    with pytest.raises(AssertionError):
        for seed in range(40):
            test_rows(seed)


def test_constant_units_have_constant_rows() -> None:
    prepared = prepare(plr.Network([([[0], [0]], [0, -4]), ([[1, 1]], [0])]), plr.hypercube(1))
    exact = ExactRows(prepared)
    assert exact.row(0, [0, 0]) == (0, 0) and exact.row(1, [0, 0]) == (0, -1)
