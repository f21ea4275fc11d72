"""Errors of one hidden layer by counting cells: gaps, transversals, and the bound itself."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from plregions.analysis.depth_two_error import (
    affine_gap,
    depth_two_error_bound,
    has_transversal,
    most_met,
)
from plregions.analysis.distances import distance
from plregions.analysis.integrals import moments
from plregions.constructions import (
    copier_centres,
    corner_hats,
    corner_hats_shallow,
    corner_hinge,
    l2_hierarchy,
)
from plregions.domain import Box, Polytope, Slice, hypercube
from plregions.errors import InvalidInputError
from plregions.exact.cone import extreme_rays
from plregions.exact.integers import primitive_row
from plregions.network import Network, add, mlp

MODULE = "plregions.analysis.depth_two_error"
HALF = Fraction(1, 2)


def quarters(d: int) -> list[Box]:
    """The cubes of side 1/2 in the corners of [0, 1]^d."""
    return [Box(low, [v + HALF for v in low]) for low in product((0, HALF), repeat=d)]


def gap_by_covariances(f: Network, box: Box) -> Fraction:
    """vol (Var f - sum Cov(f, x_i)^2 / Var x_i), from the variances of f and f + x_i."""
    d = f.input_dim
    found = moments(f, box)
    gap = Fraction(found.variance[0])
    for i in range(d):
        x = Network([([[int(i == k) for k in range(d)]], [0])])
        own = Fraction(moments(x, box).variance[0])
        both = Fraction(moments(add(f, x), box).variance[0])
        covariance = (both - own - Fraction(found.variance[0])) / 2
        gap -= covariance**2 / own
    return gap * Fraction(found.volume)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_gaps_of_the_hat(d: int) -> None:
    assert affine_gap(l2_hierarchy(2, 0), hypercube(2, -1, 1)) == Fraction(4, 12)
    roof = Network([([[1, *[0] * (d - 1)]] * 3, [1, 0, -1]), ([[1, -2, 1]], [0])])
    assert affine_gap(roof, hypercube(d, -1, 1)) == Fraction(2**d, 12)


def test_gaps_of_corner_hats() -> None:
    assert affine_gap(corner_hats(2), quarters(2)[0]) == Fraction(1, 288)
    found = depth_two_error_bound(corner_hats(2), quarters(2), 1)
    assert found.gaps == (Fraction(1, 288),) * 4
    assert (found.most_met, found.bound) == (3, Fraction(1, 288))
    assert depth_two_error_bound(corner_hats(2), quarters(2), 0).bound == Fraction(4, 288)
    assert depth_two_error_bound(corner_hats(2), quarters(2), 2).bound == 0


@pytest.mark.parametrize("seed", range(3))
def test_gaps_are_those_of_covariances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = [
        (rng.integers(-2, 3, (3, 2)), rng.integers(-1, 2, 3)),
        (rng.integers(1, 4, (1, 3)), [0]),
    ]
    net = Network(weights)
    box = Box([-1, 0], [1, "3/2"])
    assert affine_gap(net, box) == gap_by_covariances(net, box)


def test_gaps_of_other_domains() -> None:
    affine = Network([([[2, -3]], [1])])
    triangle = Polytope([[-1, 0], [0, -1], [1, 1]], [0, 0, 1])
    assert affine_gap(affine, triangle) == 0
    f = corner_hinge(2)
    assert 0 < affine_gap(f, triangle) <= Fraction(moments(f, triangle).integrals[1][0])
    line = Slice([0, 0], [[1, 1]], Box([-1], [1]))
    bent = Network([([[1, 1], [-1, -1]], None), ([[1, 1]], [0])])  # 2 |t| on the slice
    assert affine_gap(bent, line) == 4 * Fraction(1, 6)
    two = Network([([[1]], [0]), ([[1], [2]], [0, 0])])
    one = Network([([[1]], [0]), ([[1]], [0])])
    assert affine_gap(two, Box([-1], [1])) == 5 * affine_gap(one, Box([-1], [1]))
    with pytest.raises(InvalidInputError, match="affine_gap needs a bounded domain"):
        affine_gap(affine, Polytope([[1, 0]], [0]))


@pytest.mark.parametrize("k", [0, 1, 2])
def test_no_network_is_better_than_the_bound(k: int) -> None:
    f = corner_hats(2)
    bound = depth_two_error_bound(f, quarters(2), k).bound
    errors = []
    for seed in range(6):
        net = mlp([2, k, 1], seed) if k else Network([([[0, 0]], [Fraction(seed, 60)])])
        errors.append(Fraction(distance(net, f, hypercube(2)).l2_squared))
    assert bound <= min(errors)


def test_a_bound_that_counts_too_few_met_cells_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    # Four neurons hold the hats exactly: a count of no met cells would forbid it.
    f, shallow = corner_hats(2), corner_hats_shallow(2)
    assert distance(f, shallow, hypercube(2)).l2_squared == 0
    assert depth_two_error_bound(f, quarters(2), 4).bound == 0
    monkeypatch.setattr(f"{MODULE}.most_met", lambda boxes: 0)
    assert depth_two_error_bound(f, quarters(2), 4).bound > 0


def copies(d: int, r: Fraction) -> list[Box]:
    return [Box([q - r for q in c], [q + r for q in c]) for c in copier_centres(d)]


def parts_meet(boxes: Sequence[Box]) -> bool:
    """Whether d + 1 boxes can be parted so that the open hulls of both parts meet."""
    dim = boxes[0].dim
    assert len(boxes) == dim + 1
    corners = [
        [primitive_row([*c, 1]) for c in product(*zip(*box.bounding_box(), strict=True))]
        for box in boxes
    ]
    for bits in range(1, 2**dim):
        rows = [
            tuple(v if bits >> i & 1 else -v for v in point)
            for i, points in enumerate(corners)
            for point in points
        ]
        if not extreme_rays(rows):
            return True
    return False


@pytest.mark.parametrize(
    ("d", "r", "most"),
    [
        (2, Fraction(24, 100), 2),
        (2, Fraction(26, 100), 3),
        (2, Fraction(1, 4), 2),  # the open squares are only touched
        (3, Fraction(1, 1000), 3),
        (3, Fraction(1, 500), 4),
    ],
)
def test_planes_through_copies(d: int, r: Fraction, most: int) -> None:
    boxes = copies(d, r)
    assert most_met(boxes) == most
    families = [c for c in combinations(boxes, d + 1)]
    found = [has_transversal(c) for c in families]
    assert found == [parts_meet(c) for c in families]
    if (d, most) == (3, 4):
        assert sum(found) == 3
    if (d, most) == (2, 3):
        assert all(found)


@pytest.mark.parametrize("d", [2, 3])
def test_random_boxes_are_parted_alike(d: int) -> None:
    rng = np.random.default_rng(d)
    seen = []
    for _ in range(15):
        lows = rng.choice(9, size=(d + 1, d), replace=True) * 2
        boxes = [Box(low, low + 1 + rng.integers(0, 2, d) * 0.5) for low in np.unique(lows, axis=0)]
        if len(boxes) == d + 1:
            seen.append(has_transversal(boxes))
            assert seen[-1] == parts_meet(boxes)
    assert len(set(seen)) == 2


def test_most_met_of_few_and_of_rows() -> None:
    assert most_met([Box([0], [1])]) == 1
    assert most_met([Box([0], [1]), Box([2], [3])]) == 1
    row = [Box([2 * i, 0], [2 * i + 1, 1]) for i in range(5)]
    assert most_met(row) == 5
    assert most_met(quarters(2)) == 3
    assert most_met(quarters(3)) == 7


def test_too_many_boxes_are_refused() -> None:
    row = [Box([2 * i, 0], [2 * i + 1, 1]) for i in range(40)]
    with pytest.raises(InvalidInputError, match="most_met needs at most 5000 sets"):
        most_met(row)
    assert depth_two_error_bound(corner_hats(2), row, 3, met=2).most_met == 2


def test_a_planted_transversal_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}.has_transversal", lambda cells: True)
    assert most_met(copies(2, Fraction(1, 8))) == 4


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([], "one or more boxes"),
        ([Box([0], [1])], "of one dimension"),
        ([Box([0, 0], [2, 2]), Box([1, 1], [3, 3])], "disjoint interiors"),
    ],
)
def test_wrong_use(cells: list[Box], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        depth_two_error_bound(corner_hats(2), cells, 1)
