"""Values and patterns at points, against a forward pass in plain Fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.plain_network import OnWallError, pattern, plain_layers, plain_value
from oracles.small_networks import networks, points

from plregions.errors import AmbiguousPointError, InvalidInputError
from plregions.exact.arrays import exact_array
from plregions.network import Layer, Network, evaluate, mlp
from plregions.network.evaluate import proven_bits


def answer(net: Network, x: Any) -> str | list[tuple[int, int]]:
    """The pattern as text, or the neurons on whose walls the point lies."""
    try:
        return str(net.pattern_at(x))
    except AmbiguousPointError as error:
        return list(error.neurons)


def expected(net: Network, x: Any) -> str | list[tuple[int, int]]:
    try:
        return pattern(plain_layers(net), x)
    except OnWallError as wall:
        return list(wall.args[0])


@given(networks(), st.data())
def test_exact_value(net: Network, data: st.DataObject) -> None:
    x = data.draw(points(net.input_dim))
    assert net.exact(x) == tuple(plain_value(net, x))
    assert {type(v) for v in net.exact(x)} == {Fraction}


@given(networks(), st.data())
def test_pattern(net: Network, data: st.DataObject) -> None:
    x = data.draw(points(net.input_dim))
    assert answer(net, x) == expected(net, x)


@given(networks(), st.data())
def test_proven_bits_are_right(net: Network, data: st.DataObject) -> None:
    x = data.draw(points(net.input_dim))
    bits = proven_bits(net.layers, exact_array(x, 1))
    if bits is not None:
        assert "".join(str(int(b)) for b in bits) == expected(net, x)


@given(networks(), st.data())
def test_float_value_is_close(net: Network, data: st.DataObject) -> None:
    x = [float(v) for v in data.draw(points(net.input_dim))]
    assert net(x) == pytest.approx([float(v) for v in net.exact(x)], rel=1e-9, abs=1e-9)


def test_zero_slope_of_a_rounded_rational_is_not_dead() -> None:
    # 10**-400 rounds to 0 in float64; the neuron behind it still has a sign.
    tiny = Fraction(1, 10**400)
    layers: list[Any] = [
        [([[tiny]], [0]), ([[1]], [0]), ([[1]], [0])],
        [([[1]], [0], (0, tiny)), ([[1]], [0]), ([[1]], [0])],
        [([[1]], [-1]), ([[1]], [tiny]), ([[1]], [0])],
    ]
    for entries in layers:
        net = Network(entries)
        assert answer(net, [0.5]) == expected(net, [0.5]) != "00"


@pytest.mark.parametrize("power", [-1074, -600, -538, -537, -300, 300, 511, 512, 600, 1000])
@pytest.mark.parametrize("sign", [1, -1])
def test_scales_at_the_ends_of_float64(power: int, sign: int) -> None:
    # The second bias is just off the value that the first layer makes, or on it.
    scale = 2.0**power
    for shift in (-1, 0, 1):
        bias = -sign * Fraction(2) ** (2 * power) * (1 + shift * Fraction(1, 2**60))
        net = Network([([[scale]], [0]), ([[sign * scale]], [bias]), ([[1]], [0])])
        assert answer(net, [1]) == expected(net, [1])


def test_cancellation_that_floats_get_wrong() -> None:
    row = [1.0, 2.0**53, 1.0, -(2.0**53)]
    net = Network([([row], [-1.5]), ([[1]], [0])])
    assert str(net.pattern_at([1, 1, 1, 1])) == "1"
    net = Network([([[2.0**53, 1.0, 1.0]], [-(2.0**53) - 2.0]), ([[1]], [0])])
    assert answer(net, [1, 1, 1]) == [(0, 0)]


def test_error_bound_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Both weights round upwards, so the float value is positive, in any order of summation.
    ulp = Fraction(1, 2**53)
    weight = [1 + ulp + ulp / 128, -(1 + ulp - ulp / 128)]
    net = Network([([weight], [-ulp / 4]), ([[1]], [0])])
    assert answer(net, [1, 1]) == expected(net, [1, 1]) == "0"
    # Planted fault: trust every float sign that is not 0; the oracle must see it.
    monkeypatch.setattr(evaluate, "_ROUNDOFF", 0.0)
    monkeypatch.setattr(evaluate, "_UNDERFLOW", 0.0)
    assert answer(net, [1, 1]) == "1"


def test_oracle_catches_a_zero_taken_for_a_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Network([([[1], [-1]], [-2, -2]), ([[1, 1]], [0]), ([[1]], [0])])
    assert answer(net, [0]) == expected(net, [0]) == "000"
    monkeypatch.setattr(evaluate, "proven_bits", lambda layers, point: None)
    assert answer(net, [0]) == expected(net, [0])
    monkeypatch.setattr(
        evaluate, "rows_of_layer", lambda layers, bits, k, units: [[Fraction(1)]] * len(units)
    )
    assert answer(net, [0]) != expected(net, [0])


def test_identically_zero_neurons() -> None:
    relu: Any = [
        # zero row and zero bias; duplicates of it; a dead layer before it; cancelling paths
        ([[0, 0], [0, 0], [1, 0], [-1, 0]], [0, 0, -9, -9]),
        ([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, -1]], [0, 0, 0]),
        ([[1, 1, 1]], [0]),
    ]
    net = Network(relu)
    assert answer(net, [0, 0]) == answer(net, [Fraction(1, 3), 5]) == "0" * 7
    cancelling = Network([([[1], [1]], [5, 5]), ([[1, -1], [1, -1]], [0, 1]), ([[1, 1]], [0])])
    assert answer(cancelling, [0]) == expected(cancelling, [0]) == "1101"


def test_walls_are_those_of_the_first_layer_that_has_one() -> None:
    net = Network([([[1], [1], [2]], [0, 1, 0]), ([[0, 1, 0]], [-1]), ([[1]], [0])])
    with pytest.raises(
        AmbiguousPointError, match=r"layer 0, unit 0\), \(layer 0, unit 2"
    ) as caught:
        net.pattern_at([0])
    assert caught.value.neurons == ((0, 0), (0, 2))
    with pytest.raises(AmbiguousPointError, match=r"got one where .* and 3 more is 0"):
        Network([([[1]] * 8, None), ([[1] * 8], [0])]).pattern_at([0.0])


def test_units_without_a_bit_cut_nothing() -> None:
    net = Network([([[1], [1]], [0, 0], [(2, 2), (0, 0)]), ([[1, 1]], [1]), ([[1]], [0])])
    assert answer(net, [0]) == "1"
    net = Network([([[1]], [0], (3, 3)), ([[1]], [0], "identity")])
    assert str(net.pattern_at([0])) == ""
    assert net.exact([2]) == (6,)


def test_general_slopes_by_hand() -> None:
    net = Network([([[1], [-1]], [0, 0], [(-1, 1), ("1/3", 2)]), ([[1, 1]], [0], (5, 7))])
    assert net.exact([3]) == (7 * (3 - Fraction(1)),)
    assert net.exact([-3]) == (7 * (3 + 6),)
    assert net([[3.0], [-3.0]]).tolist() == [[14.0], [63.0]]


def test_shapes_of_float_values() -> None:
    net = mlp([3, 5, 2])
    rows = np.random.default_rng(1).normal(size=(7, 3))
    many = net(rows)
    assert many.shape == (7, 2)
    assert many.dtype == np.float64
    assert net(rows[0]).shape == (2,)
    assert net(rows[0]) == pytest.approx(many[0], rel=1e-12)
    assert net(np.zeros((0, 3))).shape == (0, 2)
    assert net([1, Fraction(1, 2), 0]).tolist() == pytest.approx(net([1, 0.5, 0]).tolist())
    (w0, b0), (w1, b1) = ((layer.weight, layer.bias) for layer in net.layers)
    assert many == pytest.approx(np.maximum(rows @ w0.T + b0, 0) @ w1.T + b1, rel=1e-12)


def test_inputs_are_not_changed() -> None:
    x = np.array([[1.0, -1.0]])
    Network([([[1, 0], [0, 1]], None, "identity")])(x)
    mlp([2, 3, 1])(x)
    assert x.tolist() == [[1.0, -1.0]]


@pytest.mark.parametrize(
    ("x", "text"),
    [
        ([1, 2], r"shape \(3,\) or points of shape \(n, 3\); got shape \(2,\)"),
        ([[1, 2]], r"got shape \(1, 2\)"),
        (1.0, r"got shape \(\)"),
        (np.zeros((1, 1, 3)), r"got shape \(1, 1, 3\)"),
        ([1, 2, math.nan], "NaN"),
        ([1, 2, -math.inf], "inf"),
        ([1, 2, 1j], "real coordinates; got 1j"),
        (np.array([1, 2, 1j]), "complex"),
        ([1, 2, None], "None"),
        ([[1, 2, 3], [1]], "rows of different lengths"),
    ],
)
def test_float_value_refuses(x: Any, text: str) -> None:
    with pytest.raises(InvalidInputError, match=text):
        mlp([3, 2, 1])(x)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        ([1, 2], "dimension 3; got one of dimension 2"),
        ([[1, 2, 3]], "one axis for the point"),
        ([1, 2, math.nan], r"got NaN in the point\[2\]"),
        ([1, 2, None], r"got None in the point\[2\]"),
    ],
)
def test_exact_point_refuses(x: Any, text: str) -> None:
    for question in (mlp([3, 2, 1]).exact, mlp([3, 2, 1]).pattern_at):
        with pytest.raises(InvalidInputError, match=f"^Network needs .*{text}"):
            question(x)


def test_weights_too_large_for_floats_still_have_patterns() -> None:
    net = Network([([[Fraction(10) ** 400]], [-1]), ([[1]], [0])])
    assert str(net.pattern_at([1])) == "1"
    assert net.exact([1]) == (10**400 - 1,)
    assert str(mlp([1, 1, 1]).pattern_at([10**400])) in "01"
    with pytest.raises(OverflowError, match="larger"):
        net([1.0])


@given(networks(), st.data())
def test_permuting_and_rescaling_neurons_keeps_the_function(
    net: Network, data: st.DataObject
) -> None:
    x = data.draw(points(net.input_dim))
    layers = [list(map(exact_objects, (a.weight, a.bias, a.slopes))) for a in net.layers]
    for k in range(net.depth - 1):
        n = net.layers[k].n_out
        order = data.draw(st.permutations(range(n)))
        factors = data.draw(
            st.lists(st.fractions(Fraction(1, 3), 3, max_denominator=3), min_size=n, max_size=n)
        )
        scale = np.array(factors, dtype=object)
        layers[k] = [
            (layers[k][0] * scale[:, None])[order],
            (layers[k][1] * scale)[order],
            layers[k][2][order],
        ]
        layers[k + 1][0] = (layers[k + 1][0] / scale)[:, order]
    twin = Network([Layer(*layer) for layer in layers])
    assert twin.exact(x) == net.exact(x)
    layers[-1][1] = layers[-1][1] + 1
    layers[-1][2] = np.array([[1, 1]] * net.output_dim)
    assert Network([Layer(*layer) for layer in layers]).exact(x) != Network(
        [*net.layers[:-1], Layer(net.layers[-1].weight, net.layers[-1].bias, "identity")]
    ).exact(x)


def exact_objects(array: Any) -> Any:
    return np.vectorize(Fraction, otypes=[object])(array)


CASES = [
    "dead_layer1_b0",
    "zerorow1_zero",
    "zerobias_3-16-16-1",
    "dup_neg",
    "scale_b_1e-09",
    "resonance4",
    "geo_deg_corner_2-4-1",
    "tent3",
]


@pytest.mark.parametrize("name", CASES)
def test_shared_cases_on_and_off_walls(name: str, shared: Path) -> None:
    with np.load(shared / "cases" / f"{name}.npz") as arrays:
        n_layers = len(arrays.files) // 2
        net = Network([(arrays[f"W{k}"], arrays[f"b{k}"]) for k in range(n_layers)])
    rng = np.random.default_rng(0)
    d = net.input_dim
    for x in [np.zeros(d), np.ones(d), *rng.integers(-2, 3, (4, d)) / 2, *rng.normal(size=(2, d))]:
        assert answer(net, x) == expected(net, x)
