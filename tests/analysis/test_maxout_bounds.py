"""Maxout bounds: published values, limits, and layers of maxout units written with ReLU."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import plregions as plr
from plregions.analysis import maxout_bounds
from plregions.analysis.general_position import zaslavsky
from plregions.analysis.maxout_bounds import maxout_bound, maxout_layer_regions
from plregions.errors import InvalidInputError


def test_published_values() -> None:
    assert maxout_bound(2, [3], 3) == 46
    assert maxout_layer_regions(2, 3, 3) == 19


def test_limits() -> None:
    for m in (1, 3, 5):
        for k in (1, 2, 4):
            assert maxout_layer_regions(m + 1, m, k) == k**m
            assert maxout_layer_regions(1, m, k) == 1 + m * (k - 1)
            assert maxout_layer_regions(2, m, 2) == zaslavsky(m, 2) == maxout_bound(2, [m], 2)
            for d in (1, 2, 3):
                # The closed form is about the input's own dimension; the product's is min(d, m).
                assert maxout_layer_regions(d, m, k) <= maxout_bound(d, [m], k)
    assert maxout_bound(2, [3, 1], 3) == 46 * zaslavsky(3, 1)


def layer_of_maxima(seed: int) -> plr.Network:
    """A sum of three maxima of three affine functions of the plane: each is relu and carrying."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(-9, 10, (3, 3, 2)).tolist()
    bias = rng.integers(-4, 5, (3, 3)).tolist()
    first, first_bias, second, read = [], [], [], []
    for unit in range(3):
        (a, b, c), (p, q, r) = weight[unit], bias[unit]
        first += [[x - y for x, y in zip(a, b, strict=True)]]  # relu(a - b) + (b - c), then + c
        first += [[x - y for x, y in zip(b, c, strict=True)], c]
        first_bias += [p - q, q - r, r]
        row = [0] * 9
        row[3 * unit : 3 * unit + 3] = [1, 1, 0]
        carry = [0] * 9
        carry[3 * unit + 2] = 1
        second += [row, carry]
        read += [unit + 1, unit + 1]
    slopes = [(0, 1), (1, 1), (1, 1)] * 3
    again = [(0, 1), (1, 1)] * 3
    return plr.Network([(first, first_bias, slopes), (second, None, again), ([read], [0])])


def most_linear_regions(seeds: Iterable[int]) -> int:
    """The most linear regions of such sums; their kinks are those of the maxima."""
    plane = plr.WholeSpace(2)
    return max(int(plr.count_regions(layer_of_maxima(s), plane, kind="linear")) for s in seeds)


def test_layers_reach_the_closed_form_and_do_not_exceed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    most = most_linear_regions([982, *range(30)])  # seed 982 was found by a search
    assert most == maxout_layer_regions(2, 3, 3)
    monkeypatch.setattr(maxout_bounds, "comb", lambda m, j: 1)
    assert most > maxout_layer_regions(2, 3, 3)  # the networks see a wrong formula


@pytest.mark.parametrize("wrong", [0, 2.0, None])
def test_wrong_numbers(wrong: object) -> None:
    with pytest.raises(InvalidInputError):
        maxout_bound(2, [3], wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        maxout_layer_regions(2, wrong, 3)  # type: ignore[arg-type]
