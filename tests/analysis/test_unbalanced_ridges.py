"""Hard flats against closed forms, against evaluation at every ridge, and under refinement."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from oracles.depth_two_germs import has_depth_two_germ

from plregions.analysis.common_hyperplanes import holds_flat
from plregions.analysis.unbalanced_ridges import Flat, flat_through, hard_flats
from plregions.constructions import (
    bent,
    corner_hats,
    corner_hinge,
    corner_hinge_shallow,
    fold2d,
    hat2d,
    max_tree,
    median3,
    parity_xor_tree,
    safran_g,
    safran_hard_points,
    sum_tent,
    zonotope_norm,
)
from plregions.domain import Box, Polytope, Slice, WholeSpace, hypercube
from plregions.enumeration import enumerate_regions
from plregions.errors import InvalidInputError
from plregions.network import Network, add, compose, side_by_side
from plregions.regions.faces import faces

MODULE = "plregions.analysis.unbalanced_ridges"


def random_net(
    rng: np.random.Generator, widths: Sequence[int], is_integer: bool, span: int = 3
) -> Network:
    """A ReLU network with integer weights, or with float64 ones."""
    layers = []
    for n_in, n_out in zip(widths, widths[1:], strict=False):
        if is_integer:
            weight = rng.integers(-span, span + 1, (n_out, n_in)).astype(np.float64)
            layers.append((weight, rng.integers(-2, 3, n_out).astype(np.float64)))
        else:
            layers.append((rng.normal(size=(n_out, n_in)), rng.normal(size=n_out) / 2))
    return Network(layers)


def disagreements(net: Network, domain: Box) -> list[int]:
    """Inner ridges that are on a hard flat and have a germ of depth 2, or neither.

    Every ridge of the complex is looked at, also those without a facet with a jump.
    """
    flats = hard_flats(net, domain).flats
    lattice = faces(enumerate_regions(net, domain))
    wrong = []
    for i in np.flatnonzero(lattice.ridges.is_inner).tolist():
        x = lattice.point_in(lattice.dim - 2, i)
        corners = [lattice.vertices.homogeneous[v] for v in lattice.corners_of(lattice.dim - 2, i)]
        is_listed = flat_through(corners) in flats
        if not has_depth_two_germ(net, x) and not is_listed:
            wrong.append(i)
    for ridge in hard_flats(net, domain).ridges:
        if has_depth_two_germ(net, ridge.point):
            wrong.append(-1)
    return wrong


@pytest.mark.parametrize("is_integer", [True, False])
@pytest.mark.parametrize("widths", [[2, 3, 2, 1], [2, 3, 2, 2, 1], [3, 3, 2, 1], [2, 3, 2, 2]])
def test_every_ridge_is_judged_as_evaluation_does(widths: list[int], is_integer: bool) -> None:
    for seed in range(4):
        net = random_net(np.random.default_rng(seed), widths, is_integer)
        assert disagreements(net, hypercube(widths[0], -3, 3)) == []


@pytest.mark.parametrize(
    "fault",
    [
        lambda around: True,
        lambda around: False,
        lambda around: len({h for h, _, _ in around}) * 2 == len(around),  # jumps not compared
        lambda around: len({jump for _, jump, _ in around}) == 1,  # hyperplanes not compared
    ],
)
def test_a_wrong_balance_test_is_seen(fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    nets = [random_net(np.random.default_rng(seed), [2, 3, 2, 1], True) for seed in range(8)]
    # Three lines through the origin, each with two facets there, of different jumps.
    lines = Network([([[1, 0], [0, 1], [1, -1]], [0, 0, 0]), ([[3, 3, 3]], [0])])
    nets.append(add(bent(), lines))
    monkeypatch.setattr(f"{MODULE}._is_balanced", fault)
    assert any(disagreements(net, hypercube(2, -3, 3)) for net in nets)


def test_ridges_in_the_boundary_do_not_count() -> None:
    half = Box([0, -1], [1, 1])
    assert len(hard_flats(bent(), half)) == 0
    assert len(hard_flats(bent(), Box([Fraction(-1, 100), -1], [1, 1]))) == 1
    assert len(hard_flats(bent(), Polytope([[1, 1], [-1, 0], [0, -1]], [0, 1, 1]))) == 0


def test_boundary_ridges_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}.wall_signs", lambda _, points: np.ones((len(points), 4)))
    assert len(hard_flats(bent(), Box([0, -1], [1, 1]))) > 0


def test_flats_of_the_maximum() -> None:
    found = hard_flats(max_tree(4), hypercube(4, -1, 1))
    expected = set()
    for i, j, k in [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]:
        first, second = [Fraction(0)] * 5, [Fraction(0)] * 5
        first[i] = second[j] = Fraction(1)
        first[k] = second[k] = Fraction(-1)
        expected.add((tuple(first), tuple(second)))
    assert set(found.flats) == expected
    assert len(found.ridges) == len(found) == 4 < found.n_ridges


@pytest.mark.parametrize("d", [3, 4])
def test_the_hard_points_of_safran_lie_on_hard_flats(d: int) -> None:
    if d == 4:  # the germ alone: the flats of g_4 are counted elsewhere
        points = safran_hard_points(4)
        assert not any(has_depth_two_germ(safran_g(4), q) for q in points)
        return
    flats = hard_flats(safran_g(3), hypercube(3, -1, 1)).flats
    for q in safran_hard_points(3):
        assert any(_contains(flat, q) for flat in flats)


def _contains(flat: Flat, point: Sequence[Fraction]) -> bool:
    return all(sum(a * v for a, v in zip(row, (*point, 1), strict=True)) == 0 for row in flat)


@pytest.mark.parametrize(
    ("net", "domain"),
    [
        (corner_hats(2), hypercube(2)),
        (corner_hats(3), hypercube(3)),
        (sum_tent(2, 2), hypercube(2)),
        (zonotope_norm(3, 4), hypercube(3, -1, 1)),
        (fold2d(1), hypercube(2, -1, 1)),
        (parity_xor_tree(2), hypercube(4)),
    ],
)
def test_functions_of_depth_two_have_none(net: Network, domain: Box) -> None:
    assert len(hard_flats(net, domain)) == 0


def test_the_flats_belong_to_the_function() -> None:
    for d in (2, 3):
        deep = hard_flats(corner_hinge(d, is_for_cube=True), hypercube(d))
        assert deep.flats == hard_flats(corner_hinge(d), hypercube(d)).flats
        assert deep.flats == hard_flats(corner_hinge_shallow(d), hypercube(d)).flats


@pytest.mark.parametrize("name", ["hat", "hinge", "maximum"])
def test_neurons_without_weight_change_nothing(name: str) -> None:
    net, domain = {
        "hat": (hat2d(), hypercube(2, -3, 3)),
        "hinge": (corner_hinge(2), hypercube(2)),
        "maximum": (max_tree(3), hypercube(3, -1, 1)),
    }[name]
    rng = np.random.default_rng(3)
    first, second, *others = net.layers
    d = net.input_dim
    weight = np.concatenate([first.weight, rng.integers(-3, 4, (3, d))])
    bias = np.concatenate([first.bias, rng.integers(-1, 2, 3)])
    slopes = np.concatenate([first.slopes, [[0, 1]] * 3])
    wider = np.concatenate([second.weight, np.zeros((second.n_out, 3))], axis=1)
    refined = Network([(weight, bias, slopes), (wider, second.bias, second.slopes), *others])
    assert len(enumerate_regions(refined, domain)) > len(enumerate_regions(net, domain))
    assert hard_flats(refined, domain).flats == hard_flats(net, domain).flats


def test_several_outputs_have_the_flats_of_each() -> None:
    f, g = bent(), max_tree(2)
    shifted = compose(bent(), Network([([[1, 0], [0, 1]], ["-1/2", "1/3"])]))
    domain = hypercube(2, -1, 1)
    both = hard_flats(side_by_side(f, shifted), domain).flats
    assert set(both) == {*hard_flats(f, domain).flats, *hard_flats(shifted, domain).flats}
    assert hard_flats(side_by_side(f, g), domain).flats == hard_flats(f, domain).flats


def test_slices_and_small_dimensions() -> None:
    plane = Slice([0, 0, 0], [[1, 0, 0], [0, 1, 0]], hypercube(2, -1, 1))
    found = hard_flats(max_tree(3), plane)  # max(x, y, 0)
    assert (found.dim, found.flats) == (2, (((1, 0, 0), (0, 1, 0)),))
    assert len(hard_flats(Network([([[1]], [0]), ([[1]], [0])]), Box([-1], [1]))) == 0
    assert len(hard_flats(Network([([[1, 1]], [0])]), hypercube(2))) == 0
    with pytest.raises(InvalidInputError, match="bounded"):
        hard_flats(bent(), WholeSpace(2))


def test_around_an_unbalanced_ridge() -> None:
    (ridge,) = hard_flats(bent(), hypercube(2, -1, 1)).ridges
    assert ridge.point == (0, 0)
    assert ridge.around == (
        ((0, 1, 0), ((-1,),)),
        ((1, -1, 0), ((1,),)),
        ((1, 0, 0), ((1,),)),
    )
    assert all(holds_flat(row, ridge.flat) for row, _ in ridge.around)
    assert len(hard_flats(median3(), hypercube(3, -1, 1))) == 1


@pytest.mark.parametrize("widths", [[2, 4, 3, 1], [3, 4, 2, 1]])
def test_clustered_regions_keep_their_order(widths: list[int]) -> None:
    net = random_net(np.random.default_rng(5), widths, True)
    found = hard_flats(net, hypercube(widths[0], -3, 3))
    assert list(found.flats) == sorted(found.flats)
    assert found.flats == hard_flats(net, hypercube(widths[0], -3, 3), workers=2).flats
