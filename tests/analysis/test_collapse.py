"""Collapsing keeps the function on the domain and takes out what does nothing there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_network import plain_value
from oracles.small_networks import networks, points

from plregions.analysis.collapse import collapsed
from plregions.analysis.constant_signs import neuron_signs
from plregions.analysis.same_function import agreement
from plregions.domain import Box, Polytope, WholeSpace, hypercube
from plregions.enumeration import count_regions
from plregions.errors import InvalidInputError
from plregions.network import Network, mlp, pad_depth


@settings(deadline=None, max_examples=150)
@given(networks(), st.data())
def test_same_function_everywhere(net: Network, data: st.DataObject) -> None:
    small = collapsed(net)
    x = data.draw(points(net.input_dim))
    assert plain_value(small, x) == plain_value(net, x)
    assert small.n_neurons <= net.n_neurons and small.depth <= net.depth
    assert collapsed(small) == small


@settings(deadline=None, max_examples=40)
@given(networks(), st.booleans())
def test_same_function_on_the_domain(net: Network, is_box: bool) -> None:
    d = net.input_dim
    domain: Any = hypercube(d, -1, 1)
    if not is_box:
        domain = Polytope([*np.eye(d), [-1] * d], [*[1] * d, "1/2"])
    small = collapsed(net, domain)
    assert agreement(net, small, domain).holds
    # In hidden layers only neurons that take both signs are left.
    states = neuron_signs(small, domain).states
    hidden = sum(int(layer.has_bit.sum()) for layer in small.layers[:-1])
    assert set(states[:hidden]) <= {"both signs"}


def test_known_cases() -> None:
    # relu(x) - relu(-x) + 0 relu(y) is x.
    net = Network([([[1, 0], [-1, 0], [0, 1]], [0, 0, 0]), ([[1, -1, 0]], [0])])
    assert collapsed(net) == Network([([[1, 0]], [0])])
    # Duplicates and opposite rows: 3 relu(x) + 2 relu(-x) is 5 relu(x) - 2 x.
    net = Network([([[1], [2], [-1]], [0, 0, 0]), ([[1, 1, 2]], [0])])
    small = collapsed(net)
    assert (small.n_neurons, small.widths) == (1, (2,))
    assert collapsed(pad_depth(mlp([2, 3, 1]), 3)) == collapsed(mlp([2, 3, 1]))
    constant = Network([([[0]], [2]), ([[1], [-1]], [0, 0]), ([[3, 5]], [1])])
    assert collapsed(constant) == Network([([[0]], [7])])
    # Leaky and absolute-value neurons with one line.
    net = Network([([[1], [-3]], [1, -3], [(0.5, 1), (-1, 1)]), ([[1, 1]], [0])])
    small = collapsed(net)
    assert small.n_neurons == 1
    assert all(plain_value(small, [v]) == plain_value(net, [v]) for v in (-5, -1, 0, 2))


def test_a_layer_that_is_stable_on_a_box_merges() -> None:
    net = mlp([2, 6, 6, 1])
    far = Box([0.5, 0.25], [0.5 + 2.0**-20, 0.25 + 2.0**-20])
    assert int(count_regions(net, far)) == 1
    small = collapsed(net, far)
    assert (small.depth, small.n_neurons) == (1, 0)
    assert agreement(net, small, far).holds
    assert not agreement(net, small, hypercube(2, -1, 1)).holds


def test_counts_do_not_grow() -> None:
    net, box = mlp([2, 8, 8, 1]), hypercube(2, -1, 1)
    small = collapsed(net, box)
    assert small.n_neurons < net.n_neurons
    assert int(count_regions(small, box)) <= int(count_regions(net, box))
    assert int(count_regions(small, box, kind="linear")) == int(
        count_regions(net, box, kind="linear")
    )


def test_no_more_units_carry_than_there_are_inputs() -> None:
    rows = [[1, k] for k in range(5)] + [[1, -1]]
    net = Network([(rows, [3] * 5 + [0]), ([[1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1]], [0, 1])])
    small = collapsed(net, hypercube(2))
    assert (small.widths, small.n_neurons) == ((3,), 1)
    assert agreement(net, small).holds


def test_an_unbounded_domain_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="bounded domain"):
        collapsed(mlp([2, 3, 1]), WholeSpace(2))  # type: ignore[arg-type]


def test_oracle_sees_the_wrong_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    net, box = Network([([[1]], [5]), ([[1]], [0])]), hypercube(1)
    assert agreement(net, collapsed(net, box), box).holds
    from plregions.analysis import collapse

    right = collapse._with_settled_slopes
    swap = {"dead": "always on", "always on": "dead", "both signs": "both signs"}
    monkeypatch.setattr(
        collapse,
        "_with_settled_slopes",
        lambda layers, neurons, states: right(layers, neurons, tuple(swap[s] for s in states)),
    )
    assert not agreement(net, collapsed(net, box), box).holds
