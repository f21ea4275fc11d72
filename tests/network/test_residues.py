"""Maps modulo primes decide exactly which maps are 0, and floats enclose outputs."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_network import plain_value
from oracles.small_networks import networks

from plregions.network import Network, mlp, subtract
from plregions.network import residues as module
from plregions.network.enclose import forward_enclosed
from plregions.network.residues import (
    is_zero_map,
    largest_numerator,
    map_residues,
    primes_for,
)


def all_patterns(n: int) -> Any:
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


@settings(max_examples=60, deadline=None)
@given(networks())
def test_zero_maps(net: Network) -> None:
    patterns = all_patterns(net.n_neurons)
    maps = [net.affine_map(p, exact=True) for p in patterns]
    expected = [not any(w.ravel()) and not any(b) for w, b in maps]
    assert is_zero_map(net, patterns).tolist() == expected
    bound = largest_numerator(net)
    common = 1
    for layer in net.layers:
        common *= int(layer.integer_form.matrix[layer.n_out, layer.n_in])
        common *= layer.integer_form.slopes[-1][0]
    for w, b in maps:
        for v in (*w.ravel(), *b):
            assert (v * common).denominator == 1 and abs(v * common) <= bound
    prime = next(primes_for(net))
    residues = map_residues(net, patterns, prime)
    for (w, b), row in zip(maps, residues, strict=True):
        entries = [v for pair in zip(w, b, strict=True) for v in (*pair[0], pair[1])]
        wanted = [v.numerator * pow(v.denominator, -1, prime) % prime for v in entries]
        assert row.tolist() == wanted


def hidden_behind_primes(count: int) -> Network:
    """A map that is a multiple of the first primes, and not 0."""
    product = 1
    for prime in islice(primes_for(mlp([1, 1])), count):
        product *= prime
    return Network([([[product]], [0])])


@pytest.mark.parametrize("count", [1, 4, 9])
def test_a_multiple_of_many_primes_is_not_zero(count: int) -> None:
    empty = np.zeros((1, 0), dtype=bool)
    assert is_zero_map(hidden_behind_primes(count), empty).tolist() == [False]
    assert is_zero_map(Network([([[0]], [0])]), empty).tolist() == [True]


def test_the_multiple_sees_a_bound_that_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "largest_numerator", lambda _: 2**20)
    assert is_zero_map(hidden_behind_primes(4), np.zeros((1, 0), bool)).tolist() == [True]


def test_weights_of_all_sizes() -> None:
    net = Network([([[1e-300], [3e200]], [0, 0]), ([[1e300, 1e-200]], [0])])
    assert is_zero_map(subtract(net, net), all_patterns(4)).tolist() == [
        a % 4 == a // 4 for a in range(16)
    ]


@settings(max_examples=60, deadline=None)
@given(networks(), st.integers(0, 2**32 - 1))
def test_enclosures_hold(net: Network, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(5, net.input_dim)) * 10
    values, bounds = forward_enclosed(net.layers, points)
    for x, value, bound in zip(points, values, bounds, strict=True):
        exact = plain_value(net, x)
        for a, b, e in zip(exact, value.tolist(), bound.tolist(), strict=True):
            assert abs(a - Fraction(b)) <= Fraction(e)
            assert e <= 1e-9 * (1 + abs(b)) + 1e-9


def test_an_enclosure_without_rounding_errors_would_fail() -> None:
    net = mlp([3, 8, 8, 1])
    points = np.random.default_rng(0).normal(size=(20, 3))
    values, _ = forward_enclosed(net.layers, points)
    exact = [net.exact(x)[0] for x in points]
    assert any(a != Fraction(float(b)) for a, b in zip(exact, values[:, 0], strict=True))
