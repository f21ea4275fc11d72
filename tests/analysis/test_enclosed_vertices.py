"""Bounds of outputs at vertices against exact outputs, also where rounding matters most."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.plain_network import plain_layers, pre_activations
from oracles.random_cases import case

import plregions as plr
from plregions.analysis import enclosed_vertices as module
from plregions.analysis.enclosed_vertices import enclosed_at, float_bounds


def check(net: plr.Network, domain: Any) -> float:
    """All exact outputs lie within their bounds; returns the largest distance of two bounds."""
    regions = plr.enumerate_regions(net, domain)
    low, high = enclosed_at(regions.prepared.network, regions.vertices)
    layers = plain_layers(net)
    for x, floor, ceiling in zip(regions.vertices.points, low, high, strict=True):
        values = pre_activations(layers, domain.embed_exact(x))[1]
        for a, v, b in zip(floor.tolist(), values, ceiling.tolist(), strict=True):
            assert a <= v <= b
    return float((high - low).max())


@pytest.mark.parametrize("seed", range(20))
def test_exact_outputs_lie_between(seed: int) -> None:
    _, net, domain = case(seed)
    assert check(net, domain) < 1e-6


def cancelling() -> plr.Network:
    """x / 3 times 2^40, minus the same: outputs near 0 from large terms."""
    big = 2**40
    return plr.Network([([["1/3"], ["-1/3"]], [0, "1/7"]), ([[big, -big], [big, big]], [0, "1/3"])])


def test_the_check_notices_bounds_without_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = plr.Box(["-1/3"], ["1/7"])
    assert check(cancelling(), domain) < 1e-2
    honest = module.forward_enclosed

    def careless(*given: Any) -> Any:
        values, bounds = honest(*given)
        return values, 0 * bounds

    monkeypatch.setattr(module, "forward_enclosed", careless)
    monkeypatch.setattr(np, "nextafter", lambda a, b: a)
    with pytest.raises(AssertionError):
        check(cancelling(), domain)


def test_beyond_float64_nothing_is_proved() -> None:
    net = plr.Network([([[2**2000]], [0]), ([[1]], [0])])
    regions = plr.enumerate_regions(net, plr.Box([-1], [1]))
    low, high = enclosed_at(net, regions.vertices)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


def test_bounds_of_one_number() -> None:
    for number in (Fraction(1, 3), Fraction(0), Fraction(-1, 10**400), Fraction(10**400)):
        low, high = float_bounds(number)
        assert low < number < high
