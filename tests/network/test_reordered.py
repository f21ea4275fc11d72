"""Permuted and scaled networks are recognised, others are not."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.small_networks import networks, small

from plregions.errors import InvalidInputError
from plregions.network import (
    Layer,
    Network,
    equivalence,
    is_equivalent,
    mlp,
)


def shuffled(net: Network, orders: Any, scales: Any) -> Network:
    """The network with unit i of each hidden layer replaced by scale i times unit order i."""
    layers = []
    before, factors = list(range(net.input_dim)), [Fraction(1)] * net.input_dim
    for k, layer in enumerate(net.layers):
        last = k == net.depth - 1
        order = list(range(layer.n_out)) if last else orders[k]
        sizes = [Fraction(1)] * layer.n_out if last else scales[k]
        weight = [
            [s * Fraction(layer.weight[i, j]) / t for j, t in zip(before, factors, strict=True)]
            for i, s in zip(order, sizes, strict=True)
        ]
        bias = [s * Fraction(layer.bias[i]) for i, s in zip(order, sizes, strict=True)]
        layers.append(Layer(weight, bias, [layer.slopes[i] for i in order]))
        before, factors = order, sizes
    return Network(layers)


def by_force(f: Network, g: Network) -> bool:
    """All permutations of one hidden layer, the scales read off the first entry that is not 0."""
    for order in permutations(range(f.layers[0].n_out)):
        scales = []
        for i, j in enumerate(order):
            ours = [*f.layers[0].weight[j], f.layers[0].bias[j]]
            theirs = [*g.layers[0].weight[i], g.layers[0].bias[i]]
            ratio = next(
                (Fraction(b) / Fraction(a) for a, b in zip(ours, theirs, strict=True) if a), 1
            )
            scales.append(Fraction(ratio))
        if min(scales) > 0 and shuffled(f, [order], [scales]) == g:
            return True
    return False


@settings(deadline=None)
@given(networks(), st.data())
def test_shuffled_networks_are_equivalent(net: Network, data: st.DataObject) -> None:
    orders = [data.draw(st.permutations(range(w))) for w in net.widths]
    size = st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5)])
    scales = [data.draw(st.lists(size, min_size=w, max_size=w)) for w in net.widths]
    other = shuffled(net, orders, scales)
    answer = equivalence(net, other)
    assert answer.holds and answer.verify(net, other)
    assert equivalence(other, net).verify(other, net)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_one_hidden_layer_by_force(data: st.DataObject) -> None:
    entries = st.lists(st.integers(-1, 1).filter(bool), min_size=9, max_size=9)
    f, g = (
        Network([([e[:2], e[2:4]], e[4:6]), ([e[6:8]], e[8:])])
        for e in (data.draw(entries), data.draw(entries))
    )
    assert is_equivalent(f, g) is by_force(f, g)
    order = data.draw(st.permutations(range(2)))
    assert by_force(f, shuffled(f, [order], [[Fraction(2), Fraction(1)]]))


@given(networks(small), networks(small))
def test_answers_verify(f: Network, g: Network) -> None:
    answer = equivalence(f, g)
    assert answer.verify(f, g) is answer.holds


def test_repeated_neurons_need_a_look_ahead() -> None:
    # Equal first layers; only the second tells which copy is which.
    first = ([[1], [1], [2]], [0, 0, 0])
    f = Network([first, ([[1, 2, 3], [0, 0, 1]], [0, 1]), ([[1, 1]], [0])])
    g = Network([first, ([[2, 0, 0], [6, 1, 1]], [1, 0]), ([[1, 1]], [0])])
    answer = equivalence(f, g)
    assert answer.holds and answer.verify(f, g)
    assert answer.permutations == ((2, 0, 1), (1, 0))
    assert not is_equivalent(f, Network([first, ([[2, 0, 0], [5, 1, 1]], [1, 0]), ([[1, 1]], [0])]))


def test_units_that_are_always_zero_are_left_out() -> None:
    f = Network([([[1], [0]], [1, 0]), ([[1, 7]], [0])])
    g = Network([([[0], [3]], [0, 3]), ([[-2, "1/3"]], [0])])
    answer = equivalence(f, g)
    assert answer.permutations == ((-1, 0),)
    assert answer.verify(f, g)
    chain = Network([([[0]], [0]), ([[5]], [0]), ([[7]], [1])])
    answer = equivalence(chain, Network([([[0]], [0]), ([[-2]], [0]), ([[3]], [1])]))
    assert answer.permutations == ((-1,), (-1,))
    assert answer.verify(chain, chain)


def test_what_is_not_equivalent() -> None:
    net = mlp([2, 4, 1])
    assert not is_equivalent(net, mlp([2, 5, 1]))
    assert not is_equivalent(net, mlp([2, 4, 4, 1]))
    negated = Network([(-net.layers[0].weight, -net.layers[0].bias), net.layers[1]])
    assert not is_equivalent(net, negated)
    leaky = Network([Layer(net.layers[0].weight, net.layers[0].bias, (0.5, 1)), net.layers[1]])
    assert not is_equivalent(net, leaky)


def test_too_many_copies_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plregions.network.reordered.MOST_TRIALS", 500)
    ones = Network([([[1]] * 12, [0] * 12), ([list(range(12))], [0]), ([[1]], [0])])
    twos = Network([([[1]] * 12, [0] * 12), ([[*range(11), 12]], [0]), ([[1]], [0])])
    with pytest.raises(InvalidInputError, match="neurons that are not repeated"):
        equivalence(ones, twos)
    with pytest.raises(InvalidInputError, match="needs a Network; got int"):
        equivalence(ones, 3)  # type: ignore[arg-type]


def test_verify_sees_planted_faults() -> None:
    f = mlp([2, 3, 3, 1])
    g = shuffled(f, [[1, 2, 0], [0, 2, 1]], [[Fraction(2)] * 3, [Fraction(1, 3)] * 3])
    answer = equivalence(f, g)
    assert answer.permutations == ((1, 2, 0), (0, 2, 1))
    assert answer.verify(f, g)
    assert not answer.verify(f, mlp([1, 3, 3, 1]))
    assert not answer.verify(f, mlp([2, 3, 3, 2]))
    for change in (
        {"permutations": ((1, 0, 2), (0, 2, 1))},
        {"scales": ((Fraction(2),) * 3, (Fraction(1, 2),) * 3)},
        {"scales": ((Fraction(-2),) * 3, (Fraction(1, 3),) * 3)},
        {"permutations": None},
    ):
        assert not dataclasses.replace(answer, **change).verify(f, g)  # type: ignore[arg-type]
