"""Upper bounds: published values, each other, brute sums, and networks that never exceed them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_cases import degenerate

import plregions as plr
from plregions.analysis import upper_bounds
from plregions.analysis.general_position import binomials
from plregions.analysis.upper_bounds import (
    hinz_bound,
    layer_sizes,
    montufar_2017_bound,
    naive_bound,
    network_bound,
    serra_bound,
    trivial_bound,
)
from plregions.errors import InvalidInputError

# Input dimension, hidden widths, then 2^N, naive, Montufar 2017, Serra.
PUBLISHED = [
    (2, (4, 4), 256, 121, 121, 121),
    (2, (6, 6), 4096, 484, 484, 484),
    (2, (6, 6, 6), 262144, 10648, 10648, 10648),
    (3, (9, 9, 9), 2**27, 2197000, 2197000, 2197000),
    (1, (3, 3, 3), 512, 64, 64, 64),
    (4, (2, 4), 64, 64, 44, 22),
    (2, (1, 5), 64, 32, 12, 7),
    (2, (2, 2, 2), 64, 64, 64, 30),
    (3, (4, 2, 4), 1024, 900, 660, 302),
]
SIZES = st.tuples(st.integers(1, 5), st.lists(st.integers(1, 6), max_size=4))


def brute_sum(n_0: int, hidden: Sequence[int]) -> int:
    """Serra's sum as it is written, over all admissible (j_1, ..., j_L)."""
    total = 0
    for js in product(*(range(n + 1) for n in hidden)):
        left = n_0
        for n, j in zip(hidden, js, strict=True):
            if j > min(left, n):
                break
            left = min(left, n - j)
        else:
            total += prod(comb(n, j) for n, j in zip(hidden, js, strict=True))
    return total


@pytest.mark.parametrize("row", PUBLISHED)
def test_published_values(row: tuple[int, tuple[int, ...], int, int, int, int]) -> None:
    n_0, hidden, trivial, naive, montufar, serra = row
    assert trivial_bound(n_0, hidden) == trivial
    assert naive_bound(n_0, hidden) == naive
    assert montufar_2017_bound(n_0, hidden) == montufar
    assert serra_bound(n_0, hidden) == hinz_bound(n_0, hidden) == serra


def test_more_values_of_serra() -> None:
    assert [serra_bound(2, h) for h in ((3, 3), (2, 2), (8, 3))] == [40, 11, 259]


@given(SIZES)
def test_order_and_brute_sum(sizes: tuple[int, list[int]]) -> None:
    n_0, hidden = sizes
    serra = serra_bound(n_0, hidden)
    assert serra == hinz_bound(n_0, hidden) == brute_sum(n_0, hidden)
    assert 1 <= serra <= montufar_2017_bound(n_0, hidden) <= naive_bound(n_0, hidden)
    assert naive_bound(n_0, hidden) <= trivial_bound(n_0, hidden)
    net = plr.mlp([n_0, *hidden, 1])
    assert network_bound(net) <= serra
    # Weights of full rank: only where a layer is wider than the one before is nothing gained.
    assert montufar_2017_bound(n_0, hidden) == plr.enumeration.upper_bound.upper_bound(net)


def test_brute_sum_sees_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(n: int) -> list[int]:
        return list(binomials(n))[:-1]

    monkeypatch.setattr(upper_bounds, "binomials", short)
    assert serra_bound(4, [2, 4]) != brute_sum(4, [2, 4])
    assert hinz_bound(4, [2, 4]) != brute_sum(4, [2, 4])


def integer_network(rng: np.random.Generator, n_0: int, hidden: Sequence[int]) -> plr.Network:
    layers = []
    for n_in, n_out in zip((n_0, *hidden), hidden, strict=False):
        layers.append((rng.integers(-3, 4, (n_out, n_in)), rng.integers(-3, 4, n_out), "relu"))
    return plr.Network(layers)


@pytest.mark.parametrize("hidden", [(2, 2), (2, 3), (3, 3), (1, 3), (2, 2, 2)])
def test_integer_networks_never_exceed_serra(hidden: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    largest = 0
    for _ in range(60):
        net = integer_network(rng, 2, hidden)
        count = int(plr.count_regions(net, plr.WholeSpace(2)))
        assert count <= network_bound(net) <= serra_bound(2, hidden)
        largest = max(largest, count)
    assert 2 * largest > serra_bound(2, hidden)  # the bound is not far away


def violations(bound: Callable[[plr.Network], int]) -> int:
    """How many of some degenerate networks with all kinds of slopes have more regions?"""
    found = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        dim = int(rng.integers(1, 4))
        net = plr.Network(degenerate(rng, dim, [[3, 3], [2, 4], [4, 2, 2]][seed % 3]))
        if seed % 2:  # absolute values
            layers = [(a.weight, a.bias, (-1, 1)) for a in plr.mlp([dim, 2, 3], seed).layers]
            net = plr.Network(layers)
        found += int(plr.count_regions(net, plr.WholeSpace(dim))) > bound(net)
    return found


def test_network_bound_holds_for_all_slopes() -> None:
    assert violations(network_bound) == 0


def test_the_networks_see_a_bound_that_turns_carried_units_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without(layer: plr.Layer) -> upper_bounds.LayerSizes:
        return layer_sizes(layer)._replace(n_carried=0)

    monkeypatch.setattr(upper_bounds, "layer_sizes", without)
    assert violations(network_bound) > 0


def test_ranks_count() -> None:
    one = [[1, 1], [2, 2], [-1, -1]]  # rank 1
    net = plr.Network([(one, [0, 1, 2]), ([[1, 2, 3]] * 3, [0, 1, 2]), ([[1, 1, 1]], [0])])
    assert [layer_sizes(layer).rank for layer in net.layers] == [1, 1, 1]
    assert network_bound(net) == 4 * 4 < serra_bound(2, [3, 3]) == 40
    assert int(plr.count_regions(net, plr.WholeSpace(2))) <= 16


def test_a_slice_has_fewer_dimensions() -> None:
    net = plr.mlp("3-5-5-1")
    assert network_bound(net, 1) == serra_bound(1, [5, 5]) == 36
    assert network_bound(net) == serra_bound(3, [5, 5])
    for wrong in (0, 4, 1.5):
        with pytest.raises(InvalidInputError, match="input"):
            network_bound(net, wrong)  # type: ignore[arg-type]


def tent(m: int) -> plr.Network:
    """m hidden layers of 2: 2^m pieces on [0, 1]."""
    inner = ([[2, -4], [2, -4]], [0, "-1/2"])
    return plr.Network([([[1], [1]], [0, "-1/2"]), *[inner] * (m - 1), ([[2, -4]], [0])])


def l1_norm(d: int) -> plr.Network:
    rows = [[s * int(i == k) for i in range(d)] for k in range(d) for s in (1, -1)]
    return plr.Network([(rows, [0] * 2 * d), ([[1] * 2 * d], [0])])


def largest_of_three() -> plr.Network:
    first = ([[1, -1, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], None)
    second = ([[1, 1, -1, -1, 1], [0, 0, 0, 1, -1], [0, 0, 0, -1, 1]], None)
    return plr.Network([first, second, ([[1, 1, -1]], None)])


@pytest.mark.parametrize(
    ("net", "count"), [(tent(4), 2 * 2**3 + 2), (l1_norm(3), 8), (largest_of_three(), 13)]
)
def test_bounds_in_order_above_known_networks(net: plr.Network, count: int) -> None:
    act = int(plr.count_regions(net, plr.WholeSpace(net.input_dim)))
    assert act == count
    sizes = (net.input_dim, net.widths)
    assert act <= network_bound(net) <= serra_bound(*sizes) <= montufar_2017_bound(*sizes)
    assert montufar_2017_bound(*sizes) <= naive_bound(*sizes) <= trivial_bound(*sizes)


@pytest.mark.parametrize(
    "bound", [trivial_bound, naive_bound, montufar_2017_bound, serra_bound, hinz_bound]
)
def test_wrong_sizes(bound: Callable[..., int]) -> None:
    for n_0, hidden in (
        (0, [2]), (2, [0]), (2, [1.0]), (2, "22"), (2, 3), (True, [2]), (2, [Fraction(2)]),
    ):  # fmt: skip
        with pytest.raises(InvalidInputError):
            bound(n_0, hidden)
    assert bound(np.int64(2), np.array([3])) > 0
    assert bound(3, []) == 1
    with pytest.raises(InvalidInputError, match="seconds"):
        bound(10**6, [10**7] * 2)
