"""Gradient jumps: their hyperplanes and sizes, against evaluation on both sides of each facet."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.analysis.kinks import GradientJumps, gradient_jumps
from plregions.constructions import bent, median3, tent_power
from plregions.domain import Box, Polytope, Slice, WholeSpace, hypercube
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.network import Network, mlp


def wrong_jumps(found: GradientJumps, net: Network) -> list[int]:
    """Facets whose jump does not fit the values of the network beside them."""
    graph, vertices = found.complex.graph, found.complex.vertices
    wrong = []
    for place, h in enumerate(found.hyperplane_of.tolist()):
        row = found.hyperplanes[h]
        corners, _ = found.corners_of(place)
        points = [vertices.points[v] for v in corners]
        middle = [sum(column) / len(points) for column in zip(*points, strict=True)]
        on_it = all(
            sum(a * v for a, v in zip(row, (*point, 1), strict=True)) == 0 for point in points
        )
        step = Fraction(1, 2**200)
        ahead = [v + step * a for v, a in zip(middle, row, strict=False)]
        behind = [v - step * a for v, a in zip(middle, row, strict=False)]
        square = sum(a * a for a in row[:-1])
        bend = [
            (p + q - 2 * v) / (step * square)
            for p, q, v in zip(net.exact(ahead), net.exact(behind), net.exact(middle), strict=True)
        ]
        is_canonical = next(a for a in row[:-1] if a) == 1
        if not on_it or not is_canonical or tuple(bend) != found.jumps[place]:
            wrong.append(place)
    assert len(set(found.facets.tolist())) == len(found.facets) <= len(graph.edge_facets)
    return wrong


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("widths", [[1, 4, 3, 1], [2, 4, 3, 2], [3, 4, 2, 1]])
def test_jumps_are_second_differences(widths: list[int], seed: int) -> None:
    net = mlp(widths, seed)
    found = gradient_jumps(net, hypercube(widths[0], -2, 2))
    assert len(found.jumps) > 0
    assert wrong_jumps(found, net) == []
    assert list(found.hyperplanes) == sorted(set(found.hyperplanes))


def test_a_planted_sign_is_seen() -> None:
    net = mlp([2, 4, 3, 1], 1)
    found = gradient_jumps(net, hypercube(2, -2, 2))
    turned = tuple(tuple(-v for v in jump) for jump in found.jumps)
    planted = GradientJumps(
        found.complex, found.hyperplanes, found.facets, found.hyperplane_of, turned
    )
    assert len(wrong_jumps(planted, net)) == len(found.jumps)


def test_cancelled_kinks_are_none() -> None:
    net = Network([([[1, 0], [-1, 0], [0, 1]], [0, 0, 0]), ([[1, -1, 0]], [0])])
    found = gradient_jumps(net, hypercube(2, -1, 1))
    assert (found.hyperplanes, len(found.facets), found.jumps) == ((), 0, ())
    assert found.complex.n_regions == 4


@given(st.integers(1, 4))
def test_tents_have_a_kink_at_each_multiple(m: int) -> None:
    found = gradient_jumps(tent_power(m), Box([0], [1]))
    at = sorted(-row[1] for row in found.hyperplanes)
    assert at == [Fraction(k, 2**m) for k in range(1, 2**m)]
    by_place = [found.jumps[found.hyperplane_of.tolist().index(h)][0] for h in range(len(at))]
    assert {abs(v) for v in by_place} == {2 ** (m + 1)}


def test_slices_polytopes_and_vectors() -> None:
    line = Slice([0, Fraction(1, 2)], [[1, 0]], Box([-1], [1]))
    found = gradient_jumps(bent(), line)
    assert [-row[1] for row in found.hyperplanes] == [Fraction(1, 2)]
    triangle = Polytope([[-1, 0], [0, -1], [1, 1]], [0, 0, 1])
    assert gradient_jumps(bent(), triangle).hyperplanes == ((1, -1, 0),)
    both = Network([([[1], [1]], [0, -1]), ([[1, 0], [0, 3]], [0, 0])])
    assert gradient_jumps(both, Box([-1], [2])).jumps == ((1, 0), (0, 3))


def test_maps_of_one_gradient_do_not_meet_in_a_facet() -> None:
    found = gradient_jumps(median3(), hypercube(3, -1, 1))
    assert found.complex.n_maps == 3
    assert all(any(jump) for jump in found.jumps)


def test_wrong_use() -> None:
    with pytest.raises(InvalidInputError, match="needs a bounded domain"):
        gradient_jumps(bent(), WholeSpace(2))
    with pytest.raises(InvalidInputError, match="needs a bounded domain"):
        gradient_jumps(bent(), Polytope(np.eye(2), [0, 0]))
    with pytest.raises(BudgetExhaustedError, match="needs all regions") as caught:
        gradient_jumps(bent(), hypercube(2, -1, 1), max_regions=2)
    assert len(caught.value.partial) == 2
