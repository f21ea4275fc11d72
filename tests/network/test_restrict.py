"""A network on a slice is the same function with the same patterns."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.plain_network import OnWallError, pattern, plain_layers, pre_activations
from oracles.small_networks import networks, points

from plregions.domain import Box, Polytope, Slice, hypercube
from plregions.errors import InvalidDomainError
from plregions.network import Network, mlp, restrict


def embed(origin: Any, directions: Any, s: Any) -> list[Fraction]:
    """The point origin + s @ directions, by definition."""
    return [
        Fraction(o)
        + sum(Fraction(t) * Fraction(row[k]) for t, row in zip(s, directions, strict=True))
        for k, o in enumerate(origin)
    ]


def staircase(dimension: int, k: int, entries: list[Any]) -> list[list[Any]]:
    """k independent directions: ones on a diagonal, anything to the right of it."""
    return [
        [0] * i + [1] + entries[i * dimension : i * dimension + dimension - i - 1] for i in range(k)
    ]


@given(networks(), st.data())
def test_same_function_and_same_patterns(net: Network, data: st.DataObject) -> None:
    d = net.input_dim
    k = data.draw(st.integers(1, d))
    origin = data.draw(points(d))
    directions = staircase(d, k, data.draw(points(d * k)))
    on_slice, domain = restrict(net, Slice(origin, directions, hypercube(k)))
    assert domain == hypercube(k)
    assert on_slice.input_dim == k
    assert on_slice.neurons.tolist() == net.neurons.tolist()
    assert on_slice.layers[1:] == net.layers[1:]
    s = data.draw(points(k))
    x = embed(origin, directions, s)
    ours, theirs = plain_layers(on_slice), plain_layers(net)
    assert pre_activations(ours, s) == pre_activations(theirs, x)
    try:
        bits = pattern(theirs, x)
    except OnWallError:
        assume(False)
    assert pattern(ours, s) == bits


def test_oracle_catches_a_lost_origin() -> None:
    net = mlp([3, 4, 1])
    origin, directions = [1, 2, 3], [[1, 0, 0], [0, 1, 1]]
    right, _ = restrict(net, Slice(origin, directions, hypercube(2)))
    wrong, _ = restrict(net, Slice([0, 0, 0], directions, hypercube(2)))
    x = embed(origin, directions, [1, 1])
    assert right.exact([1, 1]) == net.exact(x) != wrong.exact([1, 1])


def test_exact_where_float64_is_not_enough() -> None:
    net = Network([([[0.1, 0.1]], [0.1]), ([[1]], [0])])
    on_slice, _ = restrict(net, Slice([0.1, 0.3], [[0.7, 0.1]], hypercube(1)))
    tenth = Fraction(0.1)
    assert on_slice.layers[0].weight[0, 0] == tenth * (Fraction(0.7) + tenth)
    assert on_slice.layers[0].bias[0] == tenth * (tenth + Fraction(0.3)) + tenth


def test_slice_through_a_wall_gives_a_dead_neuron() -> None:
    net = Network([([[1, 0], [1, 1]], [0, 0]), ([[1, 1]], [0])])
    on_slice, _ = restrict(net, Slice([0, 0], [[0, 1]], Box([-1], [1])))
    assert str(on_slice.pattern_at([0.5])) == "01"


def test_other_domains_pass_through() -> None:
    net = mlp([2, 3, 1])
    for domain in (hypercube(2), Polytope([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, 1, 1, 1])):
        same, base = restrict(net, domain)
        assert same is net
        assert base is domain


@pytest.mark.parametrize("domain", [hypercube(2), Slice([0, 0], [[1, 0]], hypercube(1))])
def test_wrong_dimension_names_both(domain: Any) -> None:
    with pytest.raises(InvalidDomainError, match=r"dimension 3, .* got one in dimension 2"):
        restrict(mlp([3, 2, 1]), domain)
