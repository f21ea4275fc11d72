"""Ranges and images of outputs: closed forms, and the corners of plain regions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.crossed_pieces import inner_point
from oracles.plain_network import plain_layers, pre_activations
from oracles.plain_regions import plain_regions
from oracles.random_cases import case
from oracles.small_networks import networks

import plregions as plr
from plregions.analysis import output_ranges as module
from plregions.analysis.boundary import decision_boundary
from plregions.analysis.class_volumes import argmax_partition
from plregions.analysis.image_polytopes import output_images
from plregions.analysis.output_ranges import output_range
from plregions.errors import BudgetExhaustedError, InvalidDomainError, InvalidInputError

F = Fraction
SQUARE = plr.Box([-1, -1], [1, 1])


def check_range(net: Any, domain: Any) -> None:
    """The bounds are the extremes over all corners of plain regions, and attained."""
    layers = plain_layers(net)
    corners = {x for cell in plain_regions(net, domain).values() for x in cell.corners}
    columns = list(zip(*(pre_activations(layers, x)[1] for x in corners), strict=True))
    found = output_range(net, domain)
    assert found.lower == tuple(map(min, columns))
    assert found.upper == tuple(map(max, columns))
    for k in range(net.output_dim):
        for bound, at in ((found.lower, found.lower_at), (found.upper, found.upper_at)):
            assert pre_activations(layers, at[k])[1][k] == bound[k]
            assert domain.contains(at[k])


@settings(max_examples=30)
@given(net=networks())
def test_ranges_over_a_cube(net: plr.Network) -> None:
    check_range(net, plr.hypercube(net.input_dim, -1, 1))


def test_ranges_notice_a_network_that_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    net = plr.mlp([2, 4, 2])
    check_range(net, SQUARE)
    monkeypatch.setattr(module, "restrict", lambda net, domain: (net, plr.hypercube(2)))
    with pytest.raises(AssertionError):
        check_range(net, SQUARE)


@pytest.mark.parametrize("seed", range(16))
def test_programs_and_vertices_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, net, domain = case(seed)
    by_vertices = output_range(net, domain)
    monkeypatch.setattr(module, "MOST_DIMENSIONS", 0)
    by_programs = output_range(net, domain)
    assert by_vertices.lower == by_programs.lower
    assert by_vertices.upper == by_programs.upper
    for found in (by_vertices, by_programs):
        for k in range(net.output_dim):
            assert net.exact(found.lower_at[k])[k] == found.lower[k]
            assert net.exact(found.upper_at[k])[k] == found.upper[k]
    rng = np.random.default_rng(seed)
    for _ in range(20):
        values = net.exact(domain.embed_exact(inner_point(rng, domain)))
        for low, v, high in zip(by_vertices.lower, values, by_vertices.upper, strict=True):
            assert low <= v <= high


def test_closed_forms() -> None:
    tent = output_range(plr.constructions.tent_power(3), plr.hypercube(1))
    assert (tent.lower, tent.upper, tent.n_regions) == ((0,), (1,), 8)
    norm = output_range(plr.constructions.l1_norm(3), plr.Box([-1] * 3, ["1/2"] * 3))
    assert (norm.lower, norm.upper, norm.upper_at) == ((0,), (3,), ((-1, -1, -1),))
    largest = output_range(plr.constructions.max_tree(3), plr.Box([-1, -2, 0], [3, 1, 2]))
    assert (largest.lower, largest.upper) == ((0,), (3,))


def test_forms_of_outputs() -> None:
    net = plr.Network([(np.eye(2), None)])
    one = output_range(net, SQUARE, [1, -1])
    assert (one.lower, one.upper) == ((-2,), (2,))
    two = output_range(net, SQUARE, [[1, 1], ["1/3", 0]])
    assert (two.lower, two.upper) == ((-2, F(-1, 3)), (2, F(1, 3)))
    with pytest.raises(InvalidInputError, match="forms with 2 coefficients"):
        output_range(net, SQUARE, [1, 2, 3])
    with pytest.raises(InvalidInputError):
        output_range(net, SQUARE, [[1, float("nan")]])
    with pytest.raises(InvalidInputError):
        output_range(net, SQUARE, [[1, 2], [3]])


def test_unbounded_domains() -> None:
    norm = output_range(plr.constructions.l1_norm(2), plr.WholeSpace(2))
    assert (norm.lower, norm.upper, norm.lower_ray) == ((0,), (math.inf,), (None,))
    (ray,), (foot,) = norm.upper_ray, norm.upper_at
    assert ray is not None
    heights = [
        plr.constructions.l1_norm(2).exact([a + k * b for a, b in zip(foot, ray, strict=True)])[0]
        for k in range(3)
    ]
    assert heights[0] < heights[1] < heights[2]
    line = plr.Slice([1, 0], [[0, 1]], plr.WholeSpace(1))
    on_line = output_range(plr.constructions.l1_norm(2), line)
    assert (on_line.lower, on_line.lower_at, on_line.upper) == ((1,), ((1, 0),), (math.inf,))
    assert on_line.upper_ray[0] is not None
    assert on_line.upper_ray[0][0] == 0
    assert repr(norm) == "OutputRange([0, inf]; 4 regions)"
    half = output_range(plr.Network([([[-1]], [0])]), plr.Polytope([[-1]], [0]))
    assert (half.lower, half.upper) == ((-math.inf,), (0,))


def test_bad_questions() -> None:
    net = plr.mlp([2, 4, 1])
    with pytest.raises(InvalidInputError, match="output_range needs a network and a domain"):
        output_range(net, "box")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="output_images needs a network and a domain"):
        output_images(net)
    with pytest.raises(InvalidDomainError, match="dimension 2"):
        output_range(net, plr.hypercube(3))


def test_budgets() -> None:
    net = plr.mlp([2, 8, 8, 1])
    with pytest.raises(BudgetExhaustedError, match="max_regions"):
        output_range(net, SQUARE, max_regions=3)
    with pytest.raises(BudgetExhaustedError, match="time_limit"):
        output_range(net, plr.WholeSpace(2), time_limit=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_images_are_the_values_at_the_vertices(seed: int) -> None:
    _, net, domain = case(seed)
    images, layers = output_images(net, domain), plain_layers(net)
    regions = images.regions
    for region in range(regions.n_regions):
        points = [regions.vertices.points[i] for i in regions.vertices.of(region).tolist()]
        for x, y in zip(points, images.of(region), strict=True):
            assert list(y) == pre_activations(layers, domain.embed_exact(x))[1]
    assert images.floats.shape == (len(regions.vertices), net.output_dim)
    found = output_range(net, domain)
    assert [float(v) for v in found.upper] == images.floats.max(axis=0).tolist()


def test_images_need_a_bounded_domain() -> None:
    net = plr.mlp([2, 4, 1])
    with pytest.raises(InvalidInputError, match="bounded domain"):
        output_images(net, plr.WholeSpace(2))
    with pytest.raises(InvalidInputError, match="bounded domain"):
        output_images(plr.enumerate_regions(net, plr.WholeSpace(2)))
    assert repr(output_images(net, SQUARE)) == "OutputImages(8 regions, 15 vertices)"


def test_an_aircraft_collision_network_near_the_origin(shared: Path) -> None:
    pytest.importorskip("onnx")
    net = plr.load(shared / "real_nets" / "marabou" / "ACASXU_experimental_v2a_1_1.onnx")
    domain = plr.Box([-0.01] * 5, [0.01] * 5)
    found = output_range(net, domain)
    assert found.n_regions == 163
    points = np.random.default_rng(0).uniform(-0.01, 0.01, (20_000, 5))
    values = net(points)
    slack = 1e-12
    assert (values >= np.array(found.lower, dtype=float) - slack).all()
    assert (values <= np.array(found.upper, dtype=float) + slack).all()
    boundary = decision_boundary(net, domain)
    partition = argmax_partition(boundary, exact=True)
    assert partition.labels == ((1,), (4,))
    assert sum(partition.volumes, F(0)) == (2 * F(0.01)) ** 5
    # Each sample's region is cut by at most one piece; the label there is that of its side.
    parts, labels = partition.parts, values.argmax(axis=1)
    for k in range(0, 20_000, 200):
        region = boundary.complex.region_at(points[k]).index
        there = {parts.labels[p] for p in np.flatnonzero(parts.regions == region).tolist()}
        assert 1 << int(labels[k]) in there
        assert partition.parts.scores.at([F(v) for v in points[k]]) == (int(labels[k]),)
