"""Composition, padding, sums and differences are the functions that they say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.plain_network import plain_value
from oracles.small_networks import networks, points, rational, reshaped, small

from plregions.domain import hypercube
from plregions.enumeration import count_regions
from plregions.errors import InvalidInputError
from plregions.network import (
    Network,
    add,
    compose,
    mlp,
    pad_depth,
    side_by_side,
    subtract,
)


@given(networks(), networks(), st.data())
def test_sums_and_differences(f: Network, g: Network, data: st.DataObject) -> None:
    g = reshaped(g, f.input_dim, f.output_dim)
    x = data.draw(points(f.input_dim))
    at_f, at_g = plain_value(f, x), plain_value(g, x)
    assert plain_value(side_by_side(f, g), x) == at_f + at_g
    assert plain_value(add(f, g), x) == [a + b for a, b in zip(at_f, at_g, strict=True)]
    difference = subtract(f, g)
    assert plain_value(difference, x) == [a - b for a, b in zip(at_f, at_g, strict=True)]
    assert difference.n_neurons == f.n_neurons + g.n_neurons
    assert difference.depth <= max(f.depth, g.depth) + 1


@given(networks(small), networks(rational), st.data())
def test_composition(inner: Network, outer: Network, data: st.DataObject) -> None:
    outer = reshaped(outer, inner.output_dim, 1)
    both = compose(outer, inner)
    x = data.draw(points(inner.input_dim))
    assert plain_value(both, x) == plain_value(outer, plain_value(inner, x))
    assert both.n_neurons == inner.n_neurons + outer.n_neurons
    assert both.depth in (inner.depth + outer.depth, inner.depth + outer.depth - 1)


def test_composition_merges_layers_without_kinks_only() -> None:
    tent = Network([([[1], [1]], [0, -0.5]), ([[2, -4]], [0])])
    assert compose(tent, tent).depth == 3
    bent = Network([([[1]], [0], (0.5, 1))])
    assert compose(tent, bent).depth == 3
    assert plain_value(compose(tent, bent), ["-1/3"]) == plain_value(tent, [Fraction(-1, 6)])
    scaled = Network([([[1]], [0], (3, 3))])
    assert compose(tent, scaled).depth == 2
    assert plain_value(compose(tent, scaled), ["1/4"]) == plain_value(tent, ["3/4"])


@given(networks(), st.integers(0, 3), st.sampled_from(["carry", "relu"]), st.data())
def test_padding(net: Network, n_layers: int, units: Any, data: st.DataObject) -> None:
    after = data.draw(st.none() | st.integers(-1, net.depth - 1))
    deep = pad_depth(net, n_layers, after=after, units=units)
    x = data.draw(points(net.input_dim))
    assert plain_value(deep, x) == plain_value(net, x)
    at_end = units == "relu" and deep.depth == net.depth + n_layers + 1
    assert deep.depth == net.depth + n_layers or (at_end and after in (None, net.depth - 1))
    if units == "carry":
        assert deep.n_neurons == net.n_neurons


def test_carried_values_change_no_count() -> None:
    net = mlp([2, 4, 4, 1])
    box = hypercube(2, -1, 1)
    count = int(count_regions(net, box))
    for after in (None, -1, 0, 1, 2):
        assert int(count_regions(pad_depth(net, 2, after=after), box)) == count
    assert int(count_regions(pad_depth(net, 2, after=1, units="relu"), box)) == count
    # The pair relu(x), relu(-x) in front also cuts along the axes.
    assert int(count_regions(pad_depth(net, 1, after=-1, units="relu"), box)) > count


def test_a_difference_with_itself_has_the_regions_of_the_network() -> None:
    net = mlp([2, 5, 1])
    box = hypercube(2, -1, 1)
    zero = subtract(net, pad_depth(net, 3))
    assert int(count_regions(zero, box)) == int(count_regions(net, box))
    assert int(count_regions(zero, box, kind="linear")) == 1


def test_the_oracle_sees_a_wrong_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    f, g = mlp([2, 3, 1]), mlp([2, 2, 2, 1], seed=1)
    x = [Fraction(1, 3), Fraction(1)]
    right = [a - b for a, b in zip(plain_value(f, x), plain_value(g, x), strict=True)]
    assert plain_value(subtract(f, g), x) == right
    assert plain_value(add(f, g), x) != right


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: compose(mlp([3, 1]), mlp([2, 2])), "compose needs as many inputs"),
        (lambda: subtract(mlp([3, 1]), mlp([2, 1])), "subtract needs networks with equal numbers"),
        (lambda: add(mlp([2, 1]), mlp([2, 2])), "add needs networks with equal numbers of outputs"),
        (lambda: side_by_side(mlp([3, 1]), mlp([2, 1])), "side_by_side needs networks with equal"),
        (lambda: pad_depth(mlp([2, 1]), -1), "pad_depth needs n_layers from 0 to 10000; got -1"),
        (lambda: pad_depth(mlp([2, 1]), 1, after=1), "pad_depth needs a layer from -1 to 0"),
        (lambda: pad_depth(mlp([2, 1]), 1, units="x"), "pad_depth needs units"),  # type: ignore[arg-type]
    ],
)
def test_wrong_use(call: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        call()
