"""One neuron a layer is the same function with the same patterns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.plain_network import OnWallError, pattern, plain_layers, plain_value
from oracles.small_networks import networks, points

from plregions.domain import hypercube
from plregions.enumeration import enumerate_regions
from plregions.network import Network, mlp, one_by_one


@given(networks(), st.data())
def test_function_patterns_and_widths(net: Network, data: st.DataObject) -> None:
    deep = one_by_one(net)
    x = data.draw(points(net.input_dim))
    ours, theirs = plain_layers(deep), plain_layers(net)
    assert plain_value(deep, x) == plain_value(net, x)
    try:
        assert pattern(ours, x) == pattern(theirs, x)
    except OnWallError:
        with pytest.raises(OnWallError):
            pattern(theirs, x)
    assert deep.depth == sum(net.widths) + 1
    assert all(layer.has_bit.sum() <= 1 for layer in deep.layers[:-1])
    sizes = [net.input_dim, *net.widths, net.output_dim]
    assert all(
        w <= max(a + b for a, b in zip(sizes, sizes[2:] or [0], strict=False)) + 1
        for w in deep.widths
    )


def test_same_regions() -> None:
    net, box = mlp([2, 5, 4, 2]), hypercube(2, -1, 1)
    regions, deep = enumerate_regions(net, box), enumerate_regions(one_by_one(net), box)
    assert deep.pattern_strings() == regions.pattern_strings()
    assert max(one_by_one(mlp([3, 7, 1])).widths) == 3 + 1 + 1


def test_oracle_sees_a_lost_carrier(monkeypatch: pytest.MonkeyPatch) -> None:
    net = mlp([2, 3, 1])
    x = [1, -2]
    right = plain_value(net, x)
    monkeypatch.setattr(
        "plregions.network.deepen._plus",
        lambda sums, weights, unit: weights.astype(object)[:, None] * unit,
    )
    assert plain_value(one_by_one(net), x) != right
