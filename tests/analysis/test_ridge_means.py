"""Means over directions against quadrature, and sampled networks against what was promised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from plregions.analysis.radial_functions import RadialFunction, euclidean_norm, shifted_norm
from plregions.analysis.ridge_means import RidgeProfile, ridge_moments, ridge_profile
from plregions.constructions import sphere_directions
from plregions.errors import InvalidInputError


def mean_over_directions(d: int, function: Any, kinks: list[float]) -> float:
    """The mean of function(s), s the first coordinate of a random unit vector: s = sin(angle)."""
    top = quad(lambda a: math.cos(a) ** (d - 2), -math.pi / 2, math.pi / 2)[0]
    places = sorted({sign * math.asin(min(k, 1.0)) for k in kinks for sign in (-1, 1)})
    ends = [-math.pi / 2, *places, math.pi / 2]
    parts = [
        quad(lambda a: function(math.sin(a)) * math.cos(a) ** (d - 2), low, high)[0]
        for low, high in zip(ends, ends[1:], strict=False)
        if low < high
    ]
    return math.fsum(parts) / top


def moments_agree(d: int, r: float, t: float) -> bool:
    found = [part.item() for part in ridge_moments(d, [r], [t])]
    expected = [
        mean_over_directions(d, lambda s, p=p: max(0.0, r * abs(s) - t) ** p, [t / r])
        for p in (1, 2)
    ]
    return found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("d", [2, 3, 4, 7, 20])
def test_moments(d: int) -> None:
    for r in (0.1, 1.0, 2.5):
        for t in (0.0, 0.05, 0.7, 3.0):
            assert moments_agree(d, r, t)


def test_moments_check_catches_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moments_agree(4, 1.0, 0.5)
    monkeypatch.setattr(math, "lgamma", lambda x: math.log(math.gamma(x)) * 1.01)
    assert not moments_agree(4, 1.0, 0.5)


@pytest.mark.parametrize("rho", [euclidean_norm(), shifted_norm(1)], ids=repr)
@pytest.mark.parametrize("d", [2, 5, 12])
def test_bias_is_that_of_the_mean(d: int, rho: RadialFunction) -> None:
    profile = ridge_profile(d, rho, 0.1, reach=2)
    assert profile.bias <= 0.1 / math.sqrt(2) + 1e-9
    for r in (0.25, 1.0, 1.5, 2.0):
        mean = profile.constant + mean_over_directions(
            d,
            lambda s, r=r: float(profile.weights @ np.maximum(r * abs(s) - profile.knots, 0)),
            [t / r for t in profile.knots],
        )
        assert abs(mean - float(rho(r))) <= profile.bias + 1e-6


RADII = (0.5, 1.0, 1.5, 2.0)


def mean_squared_errors(profile: RidgeProfile, rho: RadialFunction, k: int) -> list[float]:
    """For each of the radii, over 16 sampled networks at 40 points each."""
    means = []
    for seed in range(16):
        net = profile.sample(k, seed)
        points = sphere_directions(profile.dim, 40, 1000 + seed)
        means.append([np.mean((net(r * points) - float(rho(r))) ** 2) for r in RADII])
    return np.mean(means, axis=0).tolist()


@pytest.mark.parametrize(("d", "accuracy"), [(2, 0.1), (3, 0.2), (8, 0.2)])
def test_sampled_networks_are_as_accurate_as_promised(d: int, accuracy: float) -> None:
    rho = shifted_norm(1)
    profile = ridge_profile(d, rho, accuracy, reach=2)
    k = profile.width(accuracy) // 2
    assert max(mean_squared_errors(profile, rho, k)) < 1.4 * accuracy**2
    # With a tenth of the pairs they are not.
    assert max(mean_squared_errors(profile, rho, k // 10)) > accuracy**2


def test_norm_needs_one_knot() -> None:
    """The mean of abs(<w, x>) is a multiple of the norm: pi / 2 in the plane, 2 in space."""
    for d, factor in ((2, math.pi / 2), (3, 2.0)):
        profile = ridge_profile(d, euclidean_norm(), 1e-3)
        assert profile.knots[0] == 0
        assert profile.size == pytest.approx(factor, rel=2e-3)


def test_weights_grow_with_dimension_and_accuracy() -> None:
    """The weights of the kink: moderate for one of both, large for both."""
    sizes = {
        (d, e): ridge_profile(d, shifted_norm(1), e, reach=2).size
        for d in (2, 16)
        for e in (0.2, 0.02)
    }
    assert sizes[16, 0.2] < 4 * sizes[2, 0.2]
    assert sizes[2, 0.02] < 4 * sizes[2, 0.2]
    assert sizes[16, 0.02] > 100 * sizes[2, 0.2]


@pytest.mark.parametrize(
    ("parameters", "options", "message"),
    [
        ((1, euclidean_norm(), 0.1), {}, "d from 2 to 10000; got 1."),
        ((2.0, euclidean_norm(), 0.1), {}, "d from 2 to 10000; got 2.0"),
        ((2, abs, 0.1), {}, "a RadialFunction"),
        ((2, euclidean_norm(), 0.0), {}, "accuracy above 0"),
        ((2, euclidean_norm(), math.nan), {}, "accuracy above 0"),
        ((2, euclidean_norm(), 0.1), {"reach": -1}, "reach above 0"),
        ((2, euclidean_norm(), 0.1), {"n_knots": 0}, "n_knots from 1 to 10000; got 0"),
        ((9, shifted_norm(1), 1e-4), {"reach": 2, "n_knots": 3}, "Take more"),
    ],
)
def test_wrong_parameters(
    parameters: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ridge_profile(*parameters, **options)


def test_width_needs_an_accuracy_above_the_bias() -> None:
    profile = ridge_profile(3, shifted_norm(1), 0.1, reach=2)
    with pytest.raises(InvalidInputError, match="above the bias"):
        profile.width(profile.bias)
    assert repr(profile).startswith("RidgeProfile(dim=3, ")
