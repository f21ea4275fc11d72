"""Means over random networks against samples with a fixed seed."""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest

import plregions as plr
from plregions.analysis.expected_counts import (
    expected_pieces_of_gaussian_layer,
    hanin_rolnick_bound,
)
from plregions.errors import InvalidInputError

N = 20_000


def sample(n: int, low: float, high: float, w: float, b: float) -> tuple[float, float]:
    """Mean number of pieces of N Gaussian layers, and six standard errors of it."""
    rng = np.random.default_rng(7)
    breaks = -rng.normal(0, b, (N, n)) / rng.normal(0, w, (N, n))
    pieces = 1 + ((breaks > low) & (breaks < high)).sum(axis=1)
    return float(pieces.mean()), 6 * float(pieces.std()) / sqrt(N)


@pytest.mark.parametrize(
    ("n", "low", "high", "w", "b"),
    [(10, -1, 2, 1, 1), (10, 0.5, 3, 2, 0.5), (3, -4, -1, 1, 3), (25, -1, 1, 0.1, 1)],
)
def test_mean_of_samples(n: int, low: float, high: float, w: float, b: float) -> None:
    mean, margin = sample(n, low, high, w, b)
    expected = expected_pieces_of_gaussian_layer(n, low, high, weight_std=w, bias_std=b)
    assert abs(mean - expected) < margin
    # Samples with another scale are told from it.
    wrong = expected_pieces_of_gaussian_layer(n, low, high, weight_std=3 * w, bias_std=b)
    assert abs(mean - wrong) > margin


def test_mean_of_counts() -> None:
    """The same with networks: counted, not computed from breaks."""
    rng = np.random.default_rng(3)
    counts = []
    for _ in range(200):
        net = plr.Network([(rng.normal(size=(10, 1)), rng.normal(size=10)), ([[1.0] * 10], [0.0])])
        counts.append(int(plr.count_regions(net, plr.Box([-1], [2]))))
    expected = expected_pieces_of_gaussian_layer(10, -1, 2)
    assert abs(np.mean(counts) - expected) < 6 * np.std(counts) / sqrt(len(counts))


def test_values() -> None:
    assert round(expected_pieces_of_gaussian_layer(10, -1, 2), 5) == 7.02416
    assert expected_pieces_of_gaussian_layer(10, -inf, inf) == 11
    assert expected_pieces_of_gaussian_layer(0, 0, 1) == 1
    assert expected_pieces_of_gaussian_layer(4, 0, 1e308, weight_std=1e300) == pytest.approx(3)
    assert expected_pieces_of_gaussian_layer(4, -1, 1) == pytest.approx(3)


def test_hanin_rolnick() -> None:
    assert hanin_rolnick_bound(2, 96, 1) == 4608
    assert hanin_rolnick_bound(3, 5, "1/2") == Fraction(125, 48)
    assert hanin_rolnick_bound(5, 3, 100) == 8


def test_wrong_numbers() -> None:
    for low, high in ((1, 1), (2, 1), (float("nan"), 1), (0, float("nan"))):
        with pytest.raises(InvalidInputError, match="low < high"):
            expected_pieces_of_gaussian_layer(3, low, high)
    for std in (0, -1, inf, float("nan")):
        with pytest.raises(InvalidInputError, match="deviations"):
            expected_pieces_of_gaussian_layer(3, 0, 1, weight_std=std)
        with pytest.raises(InvalidInputError, match="deviations"):
            expected_pieces_of_gaussian_layer(3, 0, 1, bias_std=std)
    with pytest.raises(InvalidInputError, match="numbers"):
        expected_pieces_of_gaussian_layer(3, "a", 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="whole number"):
        expected_pieces_of_gaussian_layer(-1, 0, 1)
    for t in (0, -1, "x", None, inf):
        with pytest.raises(InvalidInputError, match="positive number t"):
            hanin_rolnick_bound(2, 4, t)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        hanin_rolnick_bound(0, 4, 1)
