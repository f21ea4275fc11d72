"""What `perturbation_allowance` grants: enough for real rounding, little besides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plregions.readers.dense_steps import Activation, Dense
from plregions.readers.forward_check import FloatType, sample_points
from plregions.readers.perturbation import perturbation_allowance


def he_steps(sizes: list[int], kind: str, slope: float = 0.0) -> list[Dense | Activation]:
    rng = np.random.default_rng(sum(sizes))
    steps: list[Dense | Activation] = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
        weight = rng.standard_normal((n_out, n_in)) * np.sqrt(2 / n_in)
        bias = rng.standard_normal(n_out).astype(kind).astype("f8")
        steps += [Dense("", weight.astype(kind).astype("f8"), bias), Activation(slope, 1)]
    return steps


def evaluated(steps: list[Any], points: np.ndarray, kind: str) -> np.ndarray:
    """A forward pass in which every operation rounds to the float type."""
    values = points.astype(kind)
    for step in steps:
        if isinstance(step, Activation):
            values = np.where(values > 0, values, np.dtype(kind).type(step.negative) * values)
        else:
            values = values @ step.weight.astype(kind).T + step.bias.astype(kind)
    return values.astype("f8")


@pytest.mark.parametrize("kind", ["f2", "f4"])
@pytest.mark.parametrize("slope", [0.0, 0.25])
@pytest.mark.parametrize("sizes", [[2, 400], [1] * 9, [20, 20, 20, 3], [32] * 16])
def test_covers_rounding_and_stays_small(kind: str, slope: float, sizes: list[int]) -> None:
    steps = he_steps(sizes, kind, slope)
    points = sample_points(sizes[0], kind)
    allowed = perturbation_allowance(steps, points, FloatType.of(kind))
    compared = ~np.isnan(allowed)
    assert compared.mean() > 0.5
    exact = evaluated(steps, points, "f8")
    error = np.abs(evaluated(steps, points, kind) - exact)
    assert (error <= allowed)[compared].all()
    eps = FloatType.of(kind).eps
    size = np.abs(exact).max(axis=1, keepdims=True) + 1
    assert (allowed < 400 * len(sizes) * eps * size)[compared].all()
    # Planted: a bound that is a hundred times smaller does not cover the rounding.
    assert (error > allowed / 100)[compared].any()


def test_small_products_added_to_a_large_bias() -> None:
    """One after another: each of them rounds as the bias does."""
    rng = np.random.default_rng(4)
    weight, bias = rng.standard_normal((500, 300)) * 1e-4, rng.uniform(1, 2, 500)
    points = rng.standard_normal((20, 300)).astype("f4").astype("f8")
    weight, bias = (v.astype("f4").astype("f8") for v in (weight, bias))
    total = np.tile(bias.astype("f4"), (20, 1))
    for k in range(300):
        total += points[:, k : k + 1].astype("f4") * weight[:, k].astype("f4")
    allowed = perturbation_allowance([Dense("", weight, bias)], points, FloatType.of("f4"))
    error = np.abs(total - (points @ weight.T + bias))
    assert (error <= allowed).all() and (error > allowed / 20).any()


def test_out_of_range_is_not_compared() -> None:
    steps = [Dense("", np.array([[3e38, 1.0]]), None)]
    points = np.array([[1e-3, 0.0], [1.0, 0.0], [np.inf, 0.0]])
    allowed = perturbation_allowance(steps, points, FloatType.of("f4"))
    assert np.isnan(allowed[:, 0]).tolist() == [False, True, True]
