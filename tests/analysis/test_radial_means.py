"""Estimates of the mean squared error against integrals that are known."""

from __future__ import annotations

import math
from typing import Any

import pytest

from plregions.analysis.radial_functions import RadialFunction, euclidean_norm, shifted_norm
from plregions.analysis.radial_means import Ball, MeanSquare, radial_mse
from plregions.constructions import l1_norm, radial_deep
from plregions.domain import Polytope, hypercube
from plregions.errors import InvalidInputError
from plregions.network import Network, mlp

# The mean of abs(x) ||x|| over the unit square: x integrated first, then y.
PRODUCT = ((7 * math.sqrt(2) + 3 * math.asinh(1)) / 8 - 1 / 4) / 3


def zero(d: int) -> Network:
    return Network([([[0] * d], [0])])


# Network, rho, domain, the mean of the squared difference.
KNOWN: list[tuple[Network, RadialFunction, Any, float]] = [
    (l1_norm(2), euclidean_norm(), Ball(2), 1 - 3 / math.pi),
    (l1_norm(2), euclidean_norm(), Ball(2, 3), 9 - 27 / math.pi),
    (l1_norm(2), euclidean_norm(), hypercube(2, -1, 1), 4 / 3 + 1 / 2 - 4 * PRODUCT),
    (zero(1), shifted_norm(1), Ball(1, 2), 1 / 6),
    (zero(1), euclidean_norm(), hypercube(1, 1, 3), 13 / 3),
    *((zero(d), euclidean_norm(), Ball(d, 2), 4 * d / (d + 2)) for d in (2, 3, 5, 9)),
    *((zero(d), euclidean_norm(), hypercube(d, -2, 1), float(d)) for d in (2, 3, 6)),
    # The square of r - 1 over the shell from 1 to 2: 3 / 8 times the integral of (r - 1)^2 r^2.
    (zero(3), shifted_norm(1), Ball(3, 2), 3 / 8 * (32 / 5 - 8 + 8 / 3 - 1 / 5 + 1 / 2 - 1 / 3)),
    (l1_norm(1), euclidean_norm(), Ball(1), 0.0),
]


def agrees(found: MeanSquare, value: float) -> bool:
    return abs(found.value - value) <= 6 * found.error + 1e-12


@pytest.mark.parametrize(("net", "rho", "domain", "value"), KNOWN)
def test_known_means(net: Network, rho: RadialFunction, domain: Any, value: float) -> None:
    found = radial_mse(net, rho, domain, n_points=2**13)
    assert agrees(found, value)
    assert found.error <= 0.01 * value + 1e-12
    assert found.method == ("cubature" if net.input_dim < 3 else "quasi-Monte Carlo")
    assert found.n_points == (None if net.input_dim < 3 else 2**13)
    assert found.root == pytest.approx(math.sqrt(value), rel=0.01, abs=1e-6)


@pytest.mark.parametrize("domain", [Ball(2), Ball(4), hypercube(2), hypercube(4)])
def test_planted_fault_is_caught(domain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    d = domain.dim
    value = d / (d + 2) if isinstance(domain, Ball) else d / 3
    assert agrees(radial_mse(zero(d), euclidean_norm(), domain), value)
    values = RadialFunction.values
    monkeypatch.setattr(RadialFunction, "values", lambda self, radii: 1.01 * values(self, radii))
    assert not agrees(radial_mse(zero(d), euclidean_norm(), domain), value)


def test_seeds_and_points() -> None:
    net = radial_deep(3, lambda r: r, 3, 3)
    few, more = (radial_mse(net, euclidean_norm(), Ball(3), n_points=n) for n in (2**9, 2**15))
    assert more.error < few.error
    assert radial_mse(net, euclidean_norm(), Ball(3), n_points=2**9) == few
    assert radial_mse(net, euclidean_norm(), Ball(3), n_points=2**9, seed=1).value != few.value
    assert radial_mse(net, euclidean_norm(), Ball(3), n_points=1000).n_points == 16 * 32


def test_better_networks_have_smaller_means() -> None:
    for domain in (Ball(2), hypercube(3, -1, 1)):
        nets = [radial_deep(domain.dim, lambda r: r, n, n) for n in (1, 2, 4)]
        values = [radial_mse(net, euclidean_norm(), domain, n_points=2**12).value for net in nets]
        assert values[0] > 2 * values[1] > 8 * values[2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((mlp("2-3-2"), euclidean_norm(), Ball(2)), "one output"),
        ((l1_norm(2), abs, Ball(2)), "a RadialFunction"),
        ((l1_norm(2), euclidean_norm(), Ball(3)), "in 2 dimensions"),
        ((l1_norm(2), euclidean_norm(), Polytope([[1, 0]], [1])), "needs a Box or Ball"),
    ],
)
def test_wrong_parameters(parameters: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        radial_mse(*parameters)


@pytest.mark.parametrize("n_points", [31, 0, 1e6, True, None])
def test_wrong_numbers_of_points(n_points: Any) -> None:
    with pytest.raises(InvalidInputError, match="n_points of at least 32"):
        radial_mse(l1_norm(3), euclidean_norm(), Ball(3), n_points=n_points)


@pytest.mark.parametrize(
    "parameters", [(0,), (2.0,), (True,), (2, 0), (2, -1), (2, "x"), (2, None)]
)
def test_wrong_balls(parameters: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInputError, match="Ball needs"):
        Ball(*parameters)
