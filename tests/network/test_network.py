"""A network is exactly what was given: canonical, checked, equal by value."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.call_counts import n_calls
from oracles.small_networks import networks

from plregions.errors import InvalidNetworkError
from plregions.network import Layer, Network, mlp

TENT: list[Any] = [([[1], [1]], [0, -0.5]), ([[2, -4]], [0])]


def test_facts() -> None:
    net = mlp([3, 4, 5, 2])
    assert (net.input_dim, net.output_dim, net.widths, net.depth) == (3, 2, (4, 5), 3)
    assert net.n_neurons == 9
    assert net.neurons.tolist() == [[0, u] for u in range(4)] + [[1, u] for u in range(5)]
    assert net.bit_slices == (slice(0, 4), slice(4, 9), slice(9, 9))
    assert [layer.slopes_name for layer in net.layers] == ["relu", "relu", "identity"]
    assert repr(net) == "Network(3-4-5-2, 9 neurons)"


def test_neurons_are_units_with_two_slopes_in_any_layer() -> None:
    net = Network(
        [
            ([[1], [1], [1]], None, [(0, 1), (2, 2), ("1/3", 1)]),
            ([[1, 1, 1], [1, 1, 1]], [0, 0], (-1, 1)),
        ]
    )
    assert net.neurons.tolist() == [[0, 0], [0, 2], [1, 0], [1, 1]]
    assert net.n_neurons == 4
    assert Network([([[1, 2]], [0])]).n_neurons == 0
    assert Network([([[1, 2]], [0])]).neurons.shape == (0, 2)


def test_slopes_forms() -> None:
    for slopes in ["relu", (0, 1), [0.0, 1.0], np.array([[0, 1], [0, 1]]), [("0", "1")] * 2]:
        assert Layer([[1], [2]], None, slopes) == Layer([[1], [2]])
    assert Network([([[1]], [0], None)]).layers[0].slopes_name == "identity"
    assert Layer([[1], [2]], None, [(0, 1), (1, 1)]).slopes_name is None


def test_layers_are_kept_as_given() -> None:
    last = Layer([[1, 1]], [0], "relu")
    assert Network([TENT[0], last]).layers[1] is last
    assert Network([TENT[0], last]).n_neurons == 3


WEIGHT = [[0.5, -2.0], [0.25, 3.0]]
BIAS = [1.0, -0.0]


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        np.float32,
        np.float16,
        lambda v: np.array(v, dtype=np.longdouble),
        lambda v: np.vectorize(Fraction, otypes=[object])(np.array(v)),
        lambda v: np.vectorize(str)(np.array(v)),
        lambda v: np.array(v).tolist(),
        lambda v: np.array(v, order="F")[...],
    ],
)
def test_equal_in_value_is_equal(make: Any) -> None:
    net = Network([(WEIGHT, BIAS), ([[1, 1]], None)])
    twin = Network([(make(WEIGHT), make(BIAS)), (np.array([[1, 1]], dtype=np.int8), [0])])
    assert twin == net
    assert hash(twin) == hash(net)
    assert twin.fingerprint == net.fingerprint
    assert [hash(a) for a in twin.layers] == [hash(a) for a in net.layers]
    assert twin.layers[0].weight.dtype == np.float64


def test_float32_keeps_its_own_value() -> None:
    net = Network([(np.array([[0.1]], dtype=np.float32), [0])])
    assert net.layers[0].weight[0, 0] == Fraction(np.float32(0.1).item())
    assert net != Network([([[0.1]], [0])])


def test_different_networks_differ() -> None:
    base = [([[1, 2], [3, 4]], [5, 6]), ([[7, 8]], [9])]
    variants = [
        base,
        [([[1, 2], [3, 4]], [5, 6 + 2.0**-50]), ([[7, 8]], [9])],
        [([[1, 2], [3, 4]], [5, 6], (0.5, 1)), ([[7, 8]], [9])],
        [([[1, 2], [3, 4]], [5, 6], "identity"), ([[7, 8]], [9])],
        [([[1, 2], [3, 4]], [5, Fraction(19, 3)]), ([[7, 8]], [9])],
        [([[1, 2], [3, 4]], [5, 6])],
        [([[1, 2, 3, 4]], [5])],
        [([[1], [2], [3], [4]], [5, 0, 0, 0])],
    ]
    nets = [Network(v) for v in variants]
    assert len({net.fingerprint for net in nets}) == len(set(nets)) == len(nets)
    assert nets[0] != "Network"
    assert nets[0].layers[0] != "Layer"


def test_fingerprint_is_stable() -> None:
    # A changed fingerprint would break every archive that names it.
    assert Network(TENT).fingerprint == (
        "e7a260e4900b66283c8392973e2e4b25977630ff3b81aaccf664398af4f9a913"
    )
    assert Network([([["1/3"]], [2])]).fingerprint == (
        "77d7c46a5adfc0b47367fc59a9e606c30d5bd6fdbee68bd63b55b069eedd904e"
    )


@given(networks(), st.integers(2, 5), st.data())
def test_fingerprint_sees_one_changed_entry(net: Network, extra: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, net.depth - 1))
    layer = net.layers[index]
    bias = [Fraction(v) for v in layer.bias]
    bias[0] += Fraction(1, extra)
    changed = list(net.layers)
    changed[index] = Layer(layer.weight, bias, layer.slopes)
    assert Network(changed).fingerprint != net.fingerprint


def test_nothing_can_be_changed() -> None:
    weight = np.array([[1.0]])
    net = Network([(weight, [0.0])])
    weight[0, 0] = 2
    assert net.layers[0].weight[0, 0] == 1
    layer = net.layers[0]
    for array in (layer.weight, layer.bias, layer.slopes, layer.has_bit, net.neurons):
        assert not array.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        net.layers = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        layer.bias = weight  # type: ignore[misc]


@given(networks())
def test_copies_are_equal_and_frozen(net: Network) -> None:
    net.exact([0] * net.input_dim)  # copies must not depend on what has been cached
    for twin in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net), Network(net.layers)):
        assert twin == net
        assert not any(layer.weight.flags.writeable for layer in twin.layers)
    assert pickle.loads(pickle.dumps(net.layers[0])) == net.layers[0]


NAN = [[1.0, 2.0, 3.0], [4.0, 5.0, math.nan]]


@pytest.mark.parametrize(
    ("layers", "text"),
    [
        ([], "at least one layer; got none"),
        (None, "sequence of layers; got an object of type NoneType"),
        (3, "sequence of layers; got an object of type int"),
        ([(NAN, [0, 0])], r"finite weights; got NaN in layer 0, weight\[1, 2\]\. "),
        ([TENT[0], ([[1, math.inf]], [0])], r"got inf in layer 1, weight\[0, 1\]"),
        ([([[1]], [-math.inf])], r"finite biases; got -inf in layer 0, bias\[0\]"),
        ([([[1]], [0], (0, math.nan))], r"finite slopes; got NaN in layer 0, slopes\[1\]"),
        ([([[1j]], [0])], r"real weights; got 1j in layer 0, weight\[0, 0\]"),
        ([(np.array([[1j]]), [0])], "real weights; got complex numbers in layer 0, weight"),
        ([([1, 2], [0])], r"two axes for layer 0, weight; got shape \(2,\)"),
        ([([[[1]]], [0])], r"two axes for layer 0, weight; got shape \(1, 1, 1\)"),
        ([([[1, 2], [3]], [0, 0])], "rows of different lengths"),
        ([([["x"]], [0])], r"got 'x' in layer 0, weight\[0, 0\]"),
        ([([[None]], [0])], r"got None in layer 0, weight\[0, 0\]"),
        ([(np.zeros((0, 2)), [])], r"layer 0, weight of shape \(0, 2\)"),
        ([(np.zeros((2, 0)), [0, 0])], r"layer 0, weight of shape \(2, 0\)"),
        ([([[1], [1]], [0])], "one bias for each of the 2 units; got 1 in layer 0, bias"),
        ([([[1], [1]], [[0], [0]])], r"one axis for layer 0, bias; got shape \(2, 1\)"),
        ([TENT[0], ([[1, 1, 1]], [0])], r"got 2 units in layer 0 .* \(1, 3\) in layer 1"),
        ([([[1]], [0], "gelu")], "got 'gelu' in layer 0, slopes"),
        ([([[1], [1]], [0, 0], (1, 2, 3))], r"shape \(2,\) or \(2, 2\).* got shape \(3,\)"),
        ([([[1]], [0], [(0, 1), (0, 1)])], r"got shape \(2, 2\) in layer 0, slopes"),
        ([([[1]], [0], [[0, 1], [0]])], "rows of different lengths"),
        ([([[1]],)], "got 1 entries in layer 0"),
        ([([[1]], [0], "relu", 4)], "got 4 entries in layer 0"),
        ([np.ones((2, 2))], "got ndarray in layer 0"),
        ([{"weight": 1}], "got dict in layer 0"),
    ],
)
def test_refusals_name_the_layer_and_the_fact(layers: Any, text: str) -> None:
    with pytest.raises(InvalidNetworkError, match=f"^Network needs .*{text}"):
        Network(layers)


def test_layer_alone_says_what_is_wrong() -> None:
    with pytest.raises(
        InvalidNetworkError, match=r"^Layer needs finite weights; got NaN in weight"
    ):
        Layer([[math.nan]])


def made(width: int, kind: Any) -> int:
    """How many calls it takes to make a network of two hidden layers."""
    layers = [(layer.weight, layer.bias) for layer in mlp([2, width, width, 1]).layers]
    converted = [(w.astype(kind), b.astype(kind)) for w, b in layers]
    return n_calls(lambda: Network(converted))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_large_arrays_are_taken_whole(kind: Any) -> None:
    """A network of any width takes the same calls: no entry is looked at alone."""
    assert made(256, kind) == made(2, kind) < 200


def test_the_count_of_calls_sees_a_look_at_every_entry() -> None:
    weight = np.full((9, 9), Fraction(1, 3))
    few, many = (n_calls(lambda n=n: Network([(weight[:n, :n], weight[:n, 0])])) for n in (3, 9))
    assert many > few
