"""Which rows are integers up to a power of two, and which neurons repeat earlier ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.feasibility.network_columns import NetworkColumns
from plregions.feasibility.prepare import prepare
from plregions.kernels.integers import ROUNDED

CUBE = plr.hypercube(3, -1, 1)


def repeated(net: plr.Network, factor: Any) -> plr.Network:
    """The second half of each hidden layer is the first half times a factor."""
    layers = []
    for layer in net.layers[:-1]:
        weight, bias = np.array(layer.weight), np.array(layer.bias)
        half = len(bias) // 2
        weight[half:], bias[half:] = factor * weight[:half], factor * bias[:half]
        layers.append((weight, bias))
    return plr.Network([*layers, (net.layers[-1].weight, net.layers[-1].bias)])


@pytest.mark.parametrize("factor", [1.0, -1.0, 4.0, -0.25])
def test_repeated_neurons_are_twins(factor: float) -> None:
    twin = prepare(repeated(plr.mlp([3, 6, 4, 1]), factor), CUBE).multiples.twin
    sign = 1 if factor > 0 else -1
    assert twin.tolist() == [0, 0, 0, sign, 2 * sign, 3 * sign, 0, 0, 7 * sign, 8 * sign, 0]


@pytest.mark.parametrize("kind", [float, Fraction])
def test_multiples_of_integer_rows_are_twins(kind: Any) -> None:
    rows = [[1, 2, 0], [3, 6, 0], [-2, -4, 0], [1, 2, 1], [0, 0, 0], [0, 0, 0], [2, 1, 0]]
    table = [[kind(v) for v in row] for row in rows]
    net = plr.Network([([row[:2] for row in table], [row[2] for row in table]), ([[1] * 7], [0])])
    twin = prepare(net, plr.hypercube(2, -1, 1)).multiples.twin
    assert twin.tolist() == [0, 1, -1, 0, 0, 0, 0, 0]


def test_rounded_multiples_are_not_twins() -> None:
    net = repeated(plr.mlp([3, 8, 1]), 3.7)
    assert not prepare(net, CUBE).multiples.twin.any()


def test_units_without_a_kink_are_not_twins() -> None:
    slopes = [[0, 1], [1, 1], [0, 1]]
    net = plr.Network([([[1], [1], [1]], [0, 0, 0], slopes), ([[1, 1, 1]], [0])])
    assert prepare(net, plr.Box([-1], [1])).multiples.twin.tolist() == [0, 0, 1, 0]


def test_rows_that_were_rounded_have_no_grain() -> None:
    third = Fraction(1, 3)
    net = plr.Network([([[third], [Fraction(1, 2)], [1]], [0, third, 3]), ([[1, 1, 1]], [0])])
    grains = prepare(net, plr.Box([-1], [1])).grains
    assert (grains.unit[:3] == ROUNDED).tolist() == [True, True, False]
    walls = prepare(net, plr.Box([third], [1])).grains.wall
    assert ROUNDED in walls


def test_rounding_to_few_digits_is_seen() -> None:
    """In layer 0, behind it, and in walls; and fine digits of a bias beside a weight of 1."""
    half = Fraction(1, 2) + Fraction(1, 2**70)
    net = plr.Network(
        [([[half], [1]], [0, half]), ([[half, 1], [1, 1], [1, 1]], [0, half, 0.1], "relu")]
    )
    grains = prepare(net, plr.Box([-1], [half])).grains
    assert grains.unit.tolist() == [ROUNDED] * 5
    assert (grains.wall == ROUNDED).tolist() == [False, True]


def test_slopes_that_are_no_floats_have_no_grain() -> None:
    slopes = [[Fraction(1, 3), 1], [Fraction(1, 4), 1]]
    net = plr.Network([([[1], [1]], [0, 1], slopes), ([[1, 1]], [0])])
    slope = prepare(net, plr.Box([-1], [1])).grains.slope
    assert slope[0] == ROUNDED
    assert slope[1] == 2


def decisions(net: plr.Network, domain: Any) -> tuple[list[str], dict[str, int]]:
    regions = plr.enumerate_regions(net, domain, strategy="tree")
    return regions.pattern_strings(), regions.statistics


@pytest.mark.parametrize("factor", [1.0, -1.0, 2.0, -2.0])
def test_twins_change_no_region(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    net = repeated(plr.mlp([3, 6, 6, 1]), factor)
    found, statistics = decisions(net, CUBE)
    assert statistics["twins"] > 0
    assert statistics["exact"] == 0
    real = prepare(net, CUBE).multiples
    none = real._replace(first=np.full_like(real.first, -1))
    monkeypatch.setattr(NetworkColumns, "multiples", property(lambda _: none))
    assert decisions(net, CUBE)[0] == found

    wrong_side = real._replace(is_opposite=1 - real.is_opposite)
    monkeypatch.setattr(NetworkColumns, "multiples", property(lambda _: wrong_side))
    assert decisions(net, CUBE)[0] != found


def test_an_opposite_twin_that_dies_has_bit_0() -> None:
    """Neurons 2 and 3 are h and -h with h = relu(x) - relu(2 x) / 2, which is 0 everywhere."""
    net = plr.Network([([[1], [2]], [0, 0]), ([[2, -1], [-2, 1]], [0, 0], "relu"), ([[1, 1]], [0])])
    found, statistics = decisions(net, plr.Box([-1], [1]))
    assert found == ["0000", "1100"]
    assert statistics["exact"] == 0


@pytest.mark.parametrize("seed", range(12))
def test_integer_networks_are_decided_in_the_kernel(seed: int) -> None:
    """The same regions as all patterns tested one by one in rationals, none of it by the tree."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    layers = [
        (rng.integers(-2, 3, (n_out, n_in)).tolist(), rng.integers(-2, 3, n_out).tolist())
        for n_in, n_out in ((d, 5), (5, 4), (4, 1))
    ]
    net = plr.Network(layers)
    found, statistics = decisions(net, plr.hypercube(d, -2, 2))
    brute = plr.enumerate_regions(net, plr.hypercube(d, -2, 2), strategy="brute_force")
    assert found == brute.pattern_strings()
    assert statistics["exact"] == 0
