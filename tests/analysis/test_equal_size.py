"""Families of one size: the rules for widths, by search over all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plregions as plr
from plregions.analysis.equal_size import (
    Member,
    as_members,
    equal_size_widths,
    n_parameters,
    random_family,
    seed_list,
    widths_of_neurons,
    widths_of_parameters,
)
from plregions.errors import InvalidInputError


@given(st.integers(2, 8), st.integers(0, 60))
def test_neurons(depth: int, more: int) -> None:
    widths = widths_of_neurons(depth, depth - 1 + more)
    assert (len(widths), sum(widths)) == (depth - 1, depth - 1 + more)
    assert max(widths) - min(widths) <= 1
    assert list(widths) == sorted(widths, reverse=True)


def nearest_by_search(n_in: int, n_out: int, depth: int, wanted: int) -> int:
    """The smallest of the nearest widths, from the parameters of networks."""

    def distance(width: int) -> tuple[int, int]:
        net = plr.mlp([n_in, *[width] * (depth - 1), n_out])
        n = sum(layer.weight.size + layer.bias.size for layer in net.layers)
        assert n == n_parameters([n_in, *net.widths, n_out])
        return abs(n - wanted), width

    return min(map(distance, range(1, 40)))[1]


@pytest.mark.parametrize("n_in", [1, 3])
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_parameters(n_in: int, depth: int) -> None:
    for wanted in (1, 7, 20, 33, 64, 65, 97):
        widths = widths_of_parameters(n_in, 2, depth, wanted)
        assert widths == (nearest_by_search(n_in, 2, depth, wanted),) * (depth - 1)


def test_search_sees_a_fault() -> None:
    """The width just below the wanted number of parameters is not always the nearest."""
    wanted = 100
    below = max(w for w in range(1, 40) if n_parameters([2, w, w, 1]) <= wanted)
    assert below != nearest_by_search(2, 1, 3, wanted) == 8
    assert widths_of_parameters(2, 1, 3, wanted) == (8, 8)


def test_equal_distances_take_the_smaller_width() -> None:
    low, high = n_parameters([1, 3, 1]), n_parameters([1, 4, 1])
    assert (high - low) % 3 == 0
    assert widths_of_parameters(1, 1, 2, low + 1) == (3,)
    assert widths_of_parameters(1, 1, 2, high - 1) == (4,)
    low, high = n_parameters([2, 3, 2]), n_parameters([2, 4, 2])
    assert high - low == 5
    low, high = n_parameters([3, 1, 2]), n_parameters([3, 2, 2])
    assert high - low == 6
    assert widths_of_parameters(3, 2, 2, low + 3) == (1,)


def test_large_sizes_are_quick() -> None:
    (width, *_) = widths_of_parameters(784, 10, 100, 10**12)
    assert abs(n_parameters([784, *[width] * 99, 10]) - 10**12) < 10**12 // 1000


def test_families() -> None:
    members = random_family(2, 1, [2, 3], seeds=[5, 9], neurons=7)
    assert [m.network.widths for m in members] == [(7,), (7,), (4, 3), (4, 3)]
    assert [m.seed for m in members] == [5, 9, 5, 9]
    assert {m.family for m in members} == {"random"}
    assert members[3].network == plr.mlp("2-4-3-1", 9)
    assert members == random_family(2, 1, (2, 3), seeds=np.array([5, 9]), neurons=7)
    by_parameters = random_family(2, 1, range(2, 5), seeds=1, parameters=100)
    assert [m.network.depth for m in by_parameters] == [2, 3, 4]


def test_wrong_sizes() -> None:
    wrong: list[dict[str, Any]] = [
        {},
        {"neurons": 4, "parameters": 9},
        {"neurons": 1},
        {"neurons": 4.0},
        {"parameters": 0},
    ]
    for sizes in wrong:
        with pytest.raises(InvalidInputError):
            equal_size_widths(2, 1, [2, 3], **sizes)
    for depths in ([], [1], "23", 3, [2.0]):
        with pytest.raises(InvalidInputError, match="depth"):
            equal_size_widths(2, 1, depths, neurons=9)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="seed"):
        random_family(2, 1, [2], seeds=[], neurons=3)
    for seeds in (0, -1, "1", [-1], [0.5]):
        with pytest.raises(InvalidInputError, match="seed"):
            seed_list("f", seeds)


def test_members() -> None:
    net = plr.mlp("2-3-1")
    assert as_members("f", iter([net, Member(net, "a")])) == [Member(net), Member(net, "a")]
    for wrong in (net, Member(net), [], [net, 3], None):
        with pytest.raises(InvalidInputError, match="f needs"):
            as_members("f", wrong)
