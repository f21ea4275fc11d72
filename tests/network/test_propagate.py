"""Affine maps under a pattern, against exact differences of a plain forward pass."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.plain_network import OnWallError, affine_map, pattern, plain_layers, pre_activations
from oracles.small_networks import networks, points

from plregions.errors import InvalidInputError
from plregions.network import ActivationPattern, Network, mlp, pre_activation_rows
from plregions.network import propagate as module


@given(networks(), st.data())
def test_affine_map(net: Network, data: st.DataObject) -> None:
    x = data.draw(points(net.input_dim))
    layers = plain_layers(net)
    try:
        bits = pattern(layers, x)
    except OnWallError:
        assume(False)
    # Kinks of the last layer count as well, so the output is affine around x.
    weight, bias = net.affine_map(bits, exact=True)
    assert (weight.tolist(), bias.tolist()) == affine_map(layers, x)
    assert {type(v) for v in [*weight.flat, *bias]} == {Fraction}
    assert weight.shape == (net.output_dim, net.input_dim)
    rounded_weight, rounded_bias = net.affine_map(ActivationPattern(bits))
    assert rounded_weight.dtype == rounded_bias.dtype == np.float64
    assert rounded_weight == pytest.approx(weight.astype(float), rel=1e-9, abs=1e-9)
    assert rounded_bias == pytest.approx(bias.astype(float), rel=1e-9, abs=1e-9)


@given(networks(), st.data())
def test_rows_are_the_pre_activations(net: Network, data: st.DataObject) -> None:
    x = [Fraction(v) for v in data.draw(points(net.input_dim))]
    all_z, _ = pre_activations(plain_layers(net), x)
    # On a wall both slopes give 0, so the bits at x itself describe the values at x.
    bits = [
        int(z > 0)
        for layer, values in zip(net.layers, all_z, strict=True)
        for z, has_bit in zip(values, layer.has_bit, strict=True)
        if has_bit
    ]
    for k, values in enumerate(all_z):
        prefix = bits[: net.bit_slices[k].start]
        rows = pre_activation_rows(net, prefix, k)
        assert [
            sum(a * v for a, v in zip(r, [*x, Fraction(1)], strict=True)) for r in rows
        ] == values
        assert pre_activation_rows(net, bits, k) == rows
        units = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=4))
        assert pre_activation_rows(net, prefix, k, units) == [rows[u] for u in units]


@given(networks(), st.data())
def test_any_pattern_composes_by_definition(net: Network, data: st.DataObject) -> None:
    n = net.n_neurons
    bits = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    left = list(bits)
    d = net.input_dim
    value = [[Fraction(int(i == j)) for j in range(d + 1)] for i in range(d)]
    for weight, bias, slopes in plain_layers(net):
        z = [
            [sum(w * v[j] for w, v in zip(row, value, strict=True)) for j in range(d + 1)]
            for row in weight
        ]
        for row, b in zip(z, bias, strict=True):
            row[-1] += b
        acting = [pair[left.pop(0) if pair[0] != pair[1] else 0] for pair in slopes]
        value = [[slope * v for v in row] for slope, row in zip(acting, z, strict=True)]
    got_weight, got_bias = net.affine_map(bits, exact=True)
    assert [[*row, c] for row, c in zip(got_weight.tolist(), got_bias, strict=True)] == value


def test_oracle_catches_swapped_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    net = mlp([2, 4, 3, 1])
    layers = plain_layers(net)
    x = [Fraction(1, 3), Fraction(-1, 5)]
    bits = pattern(layers, x)
    assert net.affine_map(bits, exact=True)[0].tolist() == affine_map(layers, x)[0]
    right = module._factors
    monkeypatch.setattr(module, "_factors", lambda layer, chosen: right(layer, ~chosen))
    assert net.affine_map(bits, exact=True)[0].tolist() != affine_map(layers, x)[0]


def test_dead_network_is_constant() -> None:
    net = Network([([[1, 0], [0, 1]], [-9, -9]), ([[1, 1]], [3])])
    weight, bias = net.affine_map("00")
    assert (weight.tolist(), bias.tolist()) == ([[0.0, 0.0]], [3.0])


def test_tent_by_hand() -> None:
    net = Network([([[1], [1]], [0, -0.5]), ([[2, -4]], [0])])
    maps = [net.affine_map(bits) for bits in ("00", "10", "11")]
    assert [(w.item(), b.item()) for w, b in maps] == [(0, 0), (2, 0), (-2, 2)]


@pytest.mark.parametrize("bits", ["", "0", "000", [0, 2], "ab"])
def test_affine_map_refuses(bits: Any) -> None:
    net = mlp([2, 2, 1])
    for exact in (False, True):
        with pytest.raises(InvalidInputError, match="needs .*; got"):
            net.affine_map(bits, exact=exact)


@pytest.mark.parametrize(("bits", "layer"), [("0", 1), ("00000", 1), ("00", -1), ("00", 3)])
def test_rows_refuse(bits: str, layer: int) -> None:
    with pytest.raises(InvalidInputError, match="^pre_activation_rows needs"):
        pre_activation_rows(mlp([2, 2, 2, 1]), bits, layer)
