"""Interval bounds of one layer against its values at all corners of the box."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from oracles.plain_network import plain_layers, pre_activations
from oracles.small_networks import networks, rational

from plregions.analysis.intervals import post_activation, pre_activation
from plregions.network import Network

ends = st.tuples(rational, rational).map(sorted).map(tuple)


@given(net=networks(), data=st.data())
def test_ends_are_attained_at_corners(net: Network, data: Any) -> None:
    layer = net.layers[0]
    box = data.draw(st.lists(ends, min_size=layer.n_in, max_size=layer.n_in))
    layers = plain_layers(Network([layer]))
    z = [pre_activations(layers, corner)[0][0] for corner in product(*box)]
    expected = [(min(column), max(column)) for column in zip(*z, strict=True)]
    assert pre_activation(layer, box) == expected


@given(pair=ends, slopes=st.tuples(rational, rational))
def test_outputs_of_one_unit(pair: tuple[Fraction, Fraction], slopes: Any) -> None:
    layer = Network([([[1]], [0], slopes)]).layers[0]
    found = post_activation(layer, [pair])[0]
    grid = [pair[0] + (pair[1] - pair[0]) * Fraction(k, 40) for k in range(41)]
    grid += [Fraction(0)] if pair[0] < 0 < pair[1] else []
    values = [v * slopes[v > 0] for v in grid]
    assert found == (min(values), max(values))
