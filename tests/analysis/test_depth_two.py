"""Depth 2: its neurons, its smallest width against brute force, and its obstructions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from oracles.depth_two_germs import has_depth_two_germ

from plregions.analysis.depth_two import DepthTwo, is_depth_two
from plregions.analysis.flag_derivatives import is_hard_beside
from plregions.analysis.kinks import Hyperplane, Jump, unit_row
from plregions.analysis.same_function import agreement
from plregions.constructions import (
    bent,
    corner_hats,
    corner_hinge,
    fold2d,
    hat2d,
    max_tree,
    mean_tent,
    parity_xor_tree,
)
from plregions.domain import Box, Slice, hypercube
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.exact.integers import primitive_row
from plregions.network import Network

MODULE = "plregions.analysis.depth_two"


def kinks_of(net: Network, box: Box) -> dict[Hyperplane, Jump]:
    """The jumps of a network with one hidden layer, read off its weights."""
    first, last = net.layers
    found: dict[Hyperplane, list[Fraction]] = {}
    for k, (normal, bias) in enumerate(
        zip(fractions_of(first.weight), fractions_of(first.bias), strict=True)
    ):
        ends = [[a * v for v in pair] for a, *pair in zip(normal, *box.bounding_box(), strict=True)]
        if bias + sum(map(min, ends)) < 0 < bias + sum(map(max, ends)):
            row = unit_row(primitive_row([*normal, bias]))
            lead = abs(next(a for a in normal if a))
            jump = found.setdefault(row, [Fraction(0)] * net.output_dim)
            for i, out in enumerate(fractions_of(last.weight)):
                jump[i] += lead * out[k]
    return {row: tuple(jump) for row, jump in found.items() if any(jump)}


def wrong_answer(net: Network, box: Box, found: DepthTwo) -> bool:
    if not found.holds or found.jumps is None or found.network is None:
        return True
    jumps = dict(zip(found.hyperplanes, found.jumps, strict=True))
    return jumps != kinks_of(net, box) or not agreement(found.network, net, box).holds


def random_shallow(seed: int, d: int, is_integer: bool, outputs: int = 1) -> Network:
    rng = np.random.default_rng(seed)
    width = int(rng.integers(1, 6))
    if is_integer:
        draw = [rng.integers(-2, 3, shape) for shape in ((width, d), width, (outputs, width))]
    else:
        draw = [rng.normal(size=shape) for shape in ((width, d), width, (outputs, width))]
    return Network([(draw[0], draw[1]), (draw[2], [0.5] * outputs)])


@pytest.mark.parametrize("is_integer", [True, False])
@pytest.mark.parametrize(("d", "outputs"), [(2, 1), (3, 1), (2, 2)])
def test_random_networks_of_depth_two(d: int, outputs: int, is_integer: bool) -> None:
    box = hypercube(d, -2, 2)
    for seed in range(50):
        net = random_shallow(seed, d, is_integer, outputs)
        found = is_depth_two(net, box)
        assert not wrong_answer(net, box, found), seed
        assert found.obstruction is None
        assert len(found.hyperplanes) <= (found.least_neurons or 0)


def test_planted_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    box = hypercube(2, -2, 2)
    nets = [random_shallow(seed, 2, True) for seed in range(12)]
    monkeypatch.setattr(f"{MODULE}._turned", lambda rows, deltas, weight: frozenset())
    assert any(
        wrong_answer(net, box, is_depth_two(net, box)) or _too_narrow(net, box) for net in nets
    )
    monkeypatch.undo()
    monkeypatch.setattr(f"{MODULE}._affine_rest", lambda jumps, deltas: [[Fraction(0)] * 3])
    assert any(wrong_answer(net, box, is_depth_two(net, box)) for net in nets)


def _too_narrow(net: Network, box: Box) -> bool:
    found = is_depth_two(net, box)
    return found.least_neurons != smallest_by_brute_force(found)


def smallest_by_brute_force(found: DepthTwo) -> int:
    """Try all choices of relu(t) or relu(-t) for each hyperplane; single outputs only."""
    assert found.jumps is not None and found.weight is not None
    for choice in product((0, 1), repeat=len(found.hyperplanes)):
        rest = list(found.weight[0])
        for is_turned, row, (delta,) in zip(choice, found.hyperplanes, found.jumps, strict=True):
            if is_turned:
                rest = [v + delta * a for v, a in zip(rest, row, strict=False)]
        if not any(rest):
            return len(found.hyperplanes)
    return len(found.hyperplanes) + 1


def test_the_smallest_width_is_that_of_brute_force() -> None:
    widths = []
    for seed in range(60):
        found = is_depth_two(random_shallow(seed, 2, True), hypercube(2, -3, 3))
        assert found.smallest_width == smallest_by_brute_force(found)
        assert found.network is not None
        neurons = found.network.widths[0] if found.network.widths else 0
        assert neurons == found.smallest_width
        widths.append(found.smallest_width - len(found.hyperplanes))
    assert {0, 1} == set(widths)


@pytest.mark.parametrize(
    ("weights", "outputs", "kinks", "width"),
    [
        ([[1], [-1]], [1, -1], 0, 1),  # x
        ([[1], [-1]], [1, 1], 1, 2),  # |x|
        ([[1]], [5], 1, 1),
        ([[-1]], [5], 1, 1),
        ([[1], [-1]], [0, 0], 0, 0),  # 0
        ([[1], [-1]], [3, 2], 1, 2),  # 5 relu(x) - 2 x
    ],
)
def test_small_ones(weights: list[list[int]], outputs: list[int], kinks: int, width: int) -> None:
    found = is_depth_two(Network([(weights, None), ([outputs], [7])]), Box([-1], [1]))
    assert (len(found.hyperplanes), found.smallest_width) == (kinks, width)


def slabs(k: int, slope: int) -> Network:
    """k parallel kinks and a slope that no choice of sides takes away."""
    rows = [[1]] * (k + 1)
    return Network(
        [(rows, [1, *(Fraction(-i, k + 1) for i in range(1, k + 1))]), ([[slope, *[3] * k]], [0])]
    )


def test_many_hyperplanes_leave_two_values() -> None:
    decided = is_depth_two(slabs(20, 1), Box([0], [1]))
    assert (decided.least_neurons, decided.most_neurons) == (21, 21)
    open_ = is_depth_two(slabs(21, 1), Box([0], [1]))
    assert (open_.least_neurons, open_.most_neurons, open_.smallest_width) == (21, 22, None)
    assert repr(open_) == "DepthTwo(True, 21 kink hyperplanes, smallest width 21 to 22)"
    plain = is_depth_two(slabs(21, 0), Box([0], [1]))
    assert plain.smallest_width == 21
    turned = is_depth_two(slabs(20, -30), Box([0], [1]))  # ten of them on the other side
    assert turned.smallest_width == 20


def test_several_outputs_share_neurons() -> None:
    pair = Network(
        [([[1, 0], [-1, 0], [0, 1], [0, -1]], None), ([[1, -1, 0, 0], [0, 0, 1, -1]], [0, 0])]
    )
    found = is_depth_two(pair, hypercube(2, -1, 1))  # the identity of the plane
    assert (found.hyperplanes, found.least_neurons, found.most_neurons) == ((), 1, 2)
    assert found.network is not None and found.network.widths == (2,)
    assert agreement(found.network, pair, hypercube(2, -1, 1)).holds


@pytest.mark.parametrize("d", [2, 3, 4])
def test_corner_hats_are_shallow(d: int) -> None:
    found = is_depth_two(corner_hats(d), hypercube(d))
    assert found.holds
    assert len(found.hyperplanes) == found.smallest_width == 2**d
    assert found.network is not None and found.network.widths == (2**d,)
    if d < 4:
        assert agreement(found.network, corner_hats(d), hypercube(d)).holds


@pytest.mark.parametrize(
    ("net", "box", "kinks"),
    [
        (mean_tent(2, 3), hypercube(2), 7),
        (parity_xor_tree(2), hypercube(4), 4),
        (fold2d(1), hypercube(2, -1, 1), 8),
    ],
)
def test_deep_networks_that_are_shallow(net: Network, box: Box, kinks: int) -> None:
    found = is_depth_two(net, box)
    assert found.holds
    assert len(found.hyperplanes) == kinks
    assert found.network is not None
    assert agreement(found.network, net, box).holds


@pytest.mark.parametrize(
    ("net", "box"),
    [
        (bent(), hypercube(2, -1, 1)),
        (hat2d(), hypercube(2, -3, 3)),
        (max_tree(3), hypercube(3, -1, 1)),
        (corner_hinge(3), hypercube(3)),
    ],
)
def test_obstructions_have_no_germ(net: Network, box: Box) -> None:
    found = is_depth_two(net, box)
    assert not found
    assert (found.network, found.jumps, found.smallest_width) == (None, None, None)
    ridge = found.obstruction
    assert ridge is not None
    assert not has_depth_two_germ(net, ridge.point)
    assert is_hard_beside(net, ridge.flat, ridge.point, ridge.hyperplane)
    pairs: Sequence[tuple[Jump, ...]] = [jumps for _, jumps in ridge.around]
    assert any(len(jumps) == 1 or jumps[0] != jumps[1] for jumps in pairs)


def test_domains() -> None:
    corner = Slice([0, 0], [[1, 0]], Box([-1], [1]))
    found = is_depth_two(bent(), corner)
    assert found.holds and found.hyperplanes == ((1, 0),)
    assert is_depth_two(bent(), Box([0, -1], [1, 1])).holds
    with pytest.raises(InvalidInputError, match="bounded"):
        is_depth_two(bent(), 3)  # type: ignore[arg-type]
