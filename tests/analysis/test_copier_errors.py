"""Errors on copies of the cube: the formula, concrete networks, and their exact errors."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from plregions.analysis.copier_errors import (
    hierarchy_error,
    l2_hierarchy_lower_bound,
    l2_hierarchy_width,
    missed_copies,
)
from plregions.analysis.distances import distance
from plregions.constructions import copier_centres, l2_hierarchy
from plregions.domain import Box
from plregions.errors import InvalidInputError
from plregions.network import Network

MODULE = "plregions.analysis.copier_errors"


def test_the_formula() -> None:
    assert l2_hierarchy_lower_bound(10, 1, 51) == Fraction(257, 6144)
    assert float(l2_hierarchy_lower_bound(10, 1, 51)) == pytest.approx(0.0418294, abs=1e-7)
    assert (
        l2_hierarchy_lower_bound(10, 1, 51) >= Fraction(1, 24) > l2_hierarchy_lower_bound(10, 1, 52)
    )
    assert l2_hierarchy_width(10, 1) == Fraction(512, 10)
    assert l2_hierarchy_width(10, 2) == Fraction(256, 10)
    for j in (1, 2, 3):
        assert l2_hierarchy_lower_bound(10, j, int(l2_hierarchy_width(10, j))) >= Fraction(1, 24)
    assert l2_hierarchy_lower_bound(2, 2, 5) == 0  # not the square of a negative number
    assert l2_hierarchy_lower_bound(3, 2, 1) == Fraction(1, 12) * Fraction(25, 64)
    with pytest.raises(InvalidInputError, match="whole number j"):
        l2_hierarchy_lower_bound(3, 0, 1)
    with pytest.raises(InvalidInputError, match="whole number width"):
        l2_hierarchy_lower_bound(3, 1, -1)
    with pytest.raises(InvalidInputError, match="whole number d"):
        l2_hierarchy_width(1, 1)


def met_by_corners(net: Network, d: int, r: Fraction) -> tuple[int, ...]:
    """Copies on whose corners no neuron of the first layer has two signs."""
    first = net.layers[0]
    missed = []
    for s, centre in enumerate(copier_centres(d)):
        corners = [
            [q + e * r for q, e in zip(centre, signs, strict=True)]
            for signs in product((-1, 1), repeat=d)
        ]
        crossed = False
        for row, b in zip(first.weight.tolist(), first.bias.tolist(), strict=True):
            values = [
                sum(Fraction(a) * x for a, x in zip(row, corner, strict=True)) + Fraction(b)
                for corner in corners
            ]
            crossed |= min(values) < 0 < max(values)
        if not crossed:
            missed.append(s)
    return tuple(missed)


@pytest.mark.parametrize(
    ("d", "r"), [(2, Fraction(1, 8)), (2, Fraction(1, 5)), (3, Fraction(1, 1000))]
)
def test_missed_copies_are_those_without_two_signs(d: int, r: Fraction) -> None:
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        net = Network([(rng.normal(size=(2, d)), rng.normal(size=2) / 4), ([[1, -1]], [0])])
        found = missed_copies(net, d, r)
        assert found == met_by_corners(net, d, r)
        seen.add(len(found))
    assert len(seen) > (1 if d == 2 else 0)


def test_a_plane_through_corners_touches_only() -> None:
    # x = 3/8 is a side of the right squares, x = 3/8 + 1/1000 meets them.
    side = Network([([[1, 0]], ["-3/8"]), ([[1]], [0])])
    inside = Network([([[1, 0]], ["-376/1000"]), ([[1]], [0])])
    assert missed_copies(side, 2) == (0, 1, 2, 3)
    assert missed_copies(inside, 2) == (0, 1)


def test_default_sides_are_those_of_the_hierarchy() -> None:
    for d in (2, 3):
        h = l2_hierarchy(d, 1)
        hat = l2_hierarchy(d, 0)
        side = {2: Fraction(1, 8), 3: Fraction(1, 1000)}[d]
        for centre in copier_centres(d):
            small = Box([q - side for q in centre], [q + side for q in centre])
            for u in ([Fraction(1, 3)] * d, [Fraction(-5, 7)] * d):
                x = [q + side * v for q, v in zip(centre, u, strict=True)]
                assert small.contains(x)
                assert h.exact(x) == hat.exact(u)


@pytest.mark.parametrize("d", [2, 3])
def test_affine_networks_have_the_whole_gap(d: int) -> None:
    half = Network([([[0] * d], [Fraction(1, 2)])])
    found = hierarchy_error(half, d, 1)
    assert found.error == found.certified == Fraction(1, 12)
    assert found.missed == tuple(range(2**d))
    assert found.n_copies == 2**d
    worse = hierarchy_error(Network([([[1] * d], [0])]), d, 1)
    assert worse.error > worse.certified == Fraction(1, 12)


def plain_error(net: Network, j: int) -> Fraction:
    """The mean squared distance from h_j itself over the copies in the plane."""
    boxes = [([Fraction(0)] * 2, Fraction(1))]
    for _ in range(j):
        boxes = [
            ([a + size * q for a, q in zip(middle, centre, strict=True)], size / 8)
            for middle, size in boxes
            for centre in copier_centres(2)
        ]
    total = Fraction(0)
    for middle, size in boxes:
        box = Box([v - size for v in middle], [v + size for v in middle])
        total += Fraction(distance(net, l2_hierarchy(2, j), box).l2_squared) / (2 * size) ** 2
    return total / len(boxes)


@pytest.mark.parametrize("seed", range(4))
def test_errors_of_concrete_networks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    net = Network(
        [(rng.integers(-3, 4, (2, 2)), rng.integers(-1, 2, 2)), (rng.integers(-2, 3, (1, 2)), [0])]
    )
    found = hierarchy_error(net, 2, 1)
    assert found.error == plain_error(net, 1)
    assert found.certified == Fraction(len(found.missed), 48) <= found.error
    assert found.lower_bound == 0  # two neurons may meet all four


@pytest.mark.parametrize(("d", "width"), [(2, 6), (3, 2)])
def test_trained_networks_stay_away(d: int, width: int) -> None:
    rng = np.random.default_rng(d)
    side = {2: 1 / 8, 3: 1 / 1000}[d]
    weight, bias = rng.normal(size=(width, d)), rng.normal(size=width) / 2
    spots = [[float(v) for v in centre] for centre in copier_centres(d)]
    x = np.concatenate([spot + side * rng.uniform(-1, 1, (100, d)) for spot in spots])
    features = np.c_[np.maximum(x @ weight.T + bias, 0), np.ones(len(x))]
    last, *_ = np.linalg.lstsq(features, l2_hierarchy(d, 1)(x)[:, 0], rcond=None)
    found = hierarchy_error(Network([(weight, bias), (last[None, :-1], last[-1:])]), d, 1)
    assert Fraction(0) < found.certified <= found.error < Fraction(1, 11)
    assert found.lower_bound <= found.certified == Fraction(len(found.missed), 12 * 2**d)


def test_two_levels() -> None:
    rng = np.random.default_rng(2)
    net = Network(
        [(rng.integers(-3, 4, (1, 2)), [1]), (rng.integers(-2, 3, (2, 1)), [0, 1]), ([[1, 2]], [0])]
    )
    found = hierarchy_error(net, 2, 2)
    assert found.n_copies == 16
    assert found.error == plain_error(net, 2)
    assert 0 < found.certified <= found.error


def test_a_network_that_fits_two_copies() -> None:
    # 8 relu-hats of width 1/8 around x = 1/2: right on two squares, 0 on the others.
    hat = Network([([[8, 0]] * 3, [-3, -4, -5]), ([[1, -2, 1]], [0])])
    found = hierarchy_error(hat, 2, 1)
    assert found.missed == (0, 1)
    assert found.error == Fraction(1, 2) * Fraction(1, 3)  # the mean of (1 - |u|)^2
    assert found.certified == Fraction(1, 24)


def test_a_planted_gap_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}._GAP", Fraction(1, 11))
    half = Network([([[0, 0]], [Fraction(1, 2)])])
    found = hierarchy_error(half, 2, 1)
    assert found.certified > found.error


def test_a_planted_miss_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    # A network that is right on all copies, were all of them taken for missed.
    hats = Network([([[8, 0]] * 6, [-3, -4, -5, 5, 4, 3]), ([[1, -2, 1] * 2], [0])])
    assert hierarchy_error(hats, 2, 1).error == hierarchy_error(hats, 2, 1).certified == 0
    monkeypatch.setattr(f"{MODULE}._is_missed", lambda net, centre, side: True)
    found = hierarchy_error(hats, 2, 1)
    assert found.missed == (0, 1, 2, 3)
    assert (found.error, found.certified) != (0, 0)


@pytest.mark.parametrize(
    ("net", "d", "j", "message"),
    [
        (Network([([[1, 0]], [0]), ([[1]], [0]), ([[1]], [0])]), 2, 1, "depth at most j . 1 = 2"),
        (Network([([[1, 0, 0]], [0])]), 2, 1, "with 2 inputs; got 3"),
        (Network([([[1, 0]], [0])]), 4, 1, "copier_centres"),
        (Network([([[1, 0], [0, 1]], [0, 0])]), 2, 1, "one output"),
        (Network([([[1, 0]], [0])]), 2, 0, "whole number j"),
    ],
)
def test_wrong_use(net: Network, d: int, j: int, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        hierarchy_error(net, d, j)
    with pytest.raises(InvalidInputError):
        missed_copies(Network([([[1, 0]], [0])]), 2, 1)
