"""Geometry columns: against exact values, linear programs, known shapes and closed forms."""

from __future__ import annotations

import csv
from fractions import Fraction
from math import factorial, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracles.random_cases import case
from scipy.optimize import linprog

import plregions as plr
from plregions.regions import geometry
from plregions.regions.float_cells import float_cells
from plregions.regions.geometry import QUANTITIES, measure
from plregions.regions.star_volume import star_volume

SEEDS = range(48)
# One neuron that is always on: the domain is one region.
ON = 10**6


def one_region(domain: Any) -> plr.RegionComplex:
    return plr.enumerate_regions(plr.Network([(np.eye(1, domain.dim), [ON]), ([[1]], [0])]), domain)


def size_of(domain: Any) -> float:
    """The scale against which coordinates of a domain are right."""
    lower, upper = domain.bounding_box()
    return float(max(b - a for a, b in zip(lower, upper, strict=True)))


@pytest.mark.parametrize("seed", SEEDS)
def test_floats_agree_with_exact_columns(seed: int) -> None:
    regions = plr.enumerate_regions(*case(seed)[1:])
    names = ["is_bounded", "n_vertices", "volume", "centroid", "bounding_box"]
    floats, exact = measure(regions, names), measure(regions, names, exact=True)
    assert list(floats) == list(exact) and floats["is_bounded"].all()
    assert floats["n_vertices"].tolist() == [len(region.vertices()) for region in regions]
    scale = size_of(regions.prepared.domain)
    for name in floats:
        wanted = np.array([float(v) for v in exact[name]])
        close = 1e-11 * scale ** (regions.domain.dim if name == "volume" else 1)
        assert np.abs(floats[name] - wanted).max() <= close, name


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_balls_are_those_of_a_linear_program(seed: int) -> None:
    regions = plr.enumerate_regions(*case(seed)[1:])
    d, found = regions.domain.dim, measure(regions, ["inradius", "chebyshev_centre"])
    scale = size_of(regions.prepared.domain)
    for region in regions:
        A, b = region.A, region.b
        length = np.linalg.norm(A, axis=1)
        A, b, length = A[length > 0], b[length > 0], length[length > 0]
        best = linprog(
            [0] * d + [-1],
            A_ub=np.column_stack([A, length]),
            b_ub=b,
            bounds=[(None, None)] * (d + 1),
        )
        radius = found["inradius"][region.index]
        assert abs(radius + best.fun) <= 1e-9 * scale
        centre = np.array([found[f"chebyshev_centre_{k}"][region.index] for k in range(d)])
        assert ((b - A @ centre) / length).min() >= radius - 1e-12 * scale


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_norms_are_those_of_the_maps(seed: int) -> None:
    _, net, domain = case(seed)
    rng = np.random.default_rng(seed)
    wide = plr.Network([*net.layers, (rng.normal(size=(2, net.output_dim)), [0, 0])])
    for network in (net, wide):
        regions = plr.enumerate_regions(network, domain)
        found = measure(regions, ["lipschitz", "operator_norm_1", "operator_norm_inf"])
        for region in regions:
            weight = region.affine_map()[0]
            for name, order in (
                ("lipschitz", 2),
                ("operator_norm_1", 1),
                ("operator_norm_inf", np.inf),
            ):
                assert np.isclose(found[name][region.index], np.linalg.norm(weight, order))


def test_widths_of_known_shapes() -> None:
    cube = one_region(plr.Box([0, 0, 0], [3, 1, 2]))
    assert measure(cube, "width")["width"].tolist() == [1.0]
    # A regular tetrahedron in the unit cube: two opposite edges are nearer than facet and corner.
    tetrahedron = plr.Polytope([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], [2, 0, 0, 0])
    found = measure(one_region(tetrahedron), ["width", "inradius", "volume"])
    assert np.isclose(found["width"][0], 1.0) and np.isclose(found["inradius"][0], 1 / sqrt(12))
    assert np.isclose(found["volume"][0], 1 / 3)
    # A right triangle: its width is its least height.
    triangle = plr.Polytope([[-1, 0], [0, -1], [4, 3]], [0, 0, 12])
    found = measure(one_region(triangle), ["width", "inradius"])
    assert np.isclose(found["width"][0], 12 / 5) and np.isclose(found["inradius"][0], 1)
    assert measure(one_region(plr.Box([2], [7])), "width")["width"].tolist() == [5.0]


@pytest.mark.parametrize("seed", [s for s in SEEDS if case(s).domain.dim == 3][:6])
def test_no_direction_is_narrower_than_the_width(seed: int) -> None:
    regions = plr.enumerate_regions(*case(seed)[1:])
    widths = measure(regions, "width")["width"]
    directions = np.random.default_rng(seed).normal(size=(20000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for region in regions:
        points = regions.vertices.floats[regions.vertices.of(region.index)]
        spread = np.ptp(directions @ points.T, axis=1).min()
        assert widths[region.index] <= spread * (1 + 1e-9)
        assert spread <= 1.2 * widths[region.index] + 0.02 * np.ptp(points, axis=0).max()


def test_unbounded_regions() -> None:
    # Lines x = 0 and x = 1: half-planes and a strip of width 1, all with lines.
    strip = plr.Network([([[1, 0], [1, 0]], [0, -1]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(strip, plr.WholeSpace(2))
    names = ["is_bounded", "volume", "inradius", "bounding_box", "centroid", "width"]
    found = measure(regions, names)
    assert not found["is_bounded"].any() and np.isinf(found["volume"]).all()
    assert sorted(found["inradius"]) == [0.5, np.inf, np.inf]
    assert sorted(zip(found["lower_0"], found["upper_0"], strict=True)) == [
        (-np.inf, 0.0), (0.0, 1.0), (1.0, np.inf)
    ]  # fmt: skip
    assert np.isneginf(found["lower_1"]).all() and np.isposinf(found["upper_1"]).all()
    assert np.isnan(found["centroid_0"]).all() and np.isnan(found["width"]).all()
    # A triangle in the plane, and what lies around it.
    net = plr.Network([([[1, 0], [0, 1], [-3, -4]], [0, 0, 12]), ([[1, 1, 1]], [0])])
    regions = plr.enumerate_regions(net, plr.WholeSpace(2))
    found = measure(regions, [*names, "n_vertices", "chebyshev_centre"])
    inside = regions.find("111")
    assert inside is not None and found["is_bounded"].sum() == 1
    row = {name: column[inside.index] for name, column in found.items()}
    assert np.isclose(row["volume"], 6) and np.isclose(row["inradius"], 1)
    assert np.isclose([row["centroid_0"], row["centroid_1"]], [4 / 3, 1]).all()
    assert np.isclose([row["chebyshev_centre_0"], row["chebyshev_centre_1"]], 1).all()
    assert (row["n_vertices"], row["lower_0"], row["upper_1"]) == (3, 0, 3)
    with pytest.raises(plr.InvalidInputError, match="needs a bounded region"):
        measure(regions, "volume", exact=True)


@pytest.mark.parametrize("d", [9, 10, 12])
def test_estimates_in_many_dimensions(d: int) -> None:
    """Known volumes lie within six standard errors; none is 0."""
    net = plr.Network([([[3, *[0] * (d - 1)], [1] * d], [-1, -1]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(net, plr.hypercube(d))
    found = measure(regions, ["volume", "inradius"])
    assert list(found) == ["volume", "volume_error", "inradius"]
    # sum x <= 1 has volume 1 / d!, of it (2/3)**d / d! beyond x_0 = 1/3.
    corner, beyond = 1 / factorial(d), (2 / 3) ** d / factorial(d)
    wanted = {
        "00": corner - beyond,
        "10": beyond,
        "01": 1 / 3 - corner + beyond,
        "11": 2 / 3 - beyond,
    }
    for pattern, volume in wanted.items():
        region = regions.find(pattern)
        assert region is not None
        value, error = found["volume"][region.index], found["volume_error"][region.index]
        assert value > 0 and 0 < error and abs(value - volume) < 6 * error
        assert error < value
    for name in ("centroid", "bounding_box", "n_vertices"):
        with pytest.raises(plr.InvalidInputError, match="dimensions for"):
            measure(regions, name)


def test_many_dimensions_without_bounds() -> None:
    """A simplex of volume 1 / 9! among unbounded regions; no estimate of a cell without inside."""
    d = 9
    rows = np.concatenate([np.eye(d), -np.ones((1, d))])
    net = plr.Network([(rows, [0] * d + [1]), (np.ones((1, d + 1)), [0])])
    regions = plr.enumerate_regions(net, plr.WholeSpace(d))
    found = measure(regions, ["is_bounded", "volume"])
    assert found["is_bounded"].sum() == 1 and len(regions) == 2 ** (d + 1) - 1
    volume, error = (found[name][found["is_bounded"]][0] for name in ("volume", "volume_error"))
    assert abs(volume - 1 / factorial(d)) < 6 * error < volume
    assert np.isinf(found["volume"][~found["is_bounded"]]).all()
    flat = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert str(star_volume(flat, np.zeros(1))) == "(nan, inf)"


def test_cells_with_many_facets() -> None:
    """A polygon of 80 sides: more facets than bits."""
    t = [Fraction(k, 40) for k in range(-40, 41)]
    normals = [(2 * v, 1 - v * v, 1 + v * v) for v in t] + [
        (-2 * v, v * v - 1, 1 + v * v) for v in t
    ]
    rows = sorted({(a / c, b / c) for a, b, c in normals})
    regions = one_region(plr.Polytope([list(row) for row in rows], [1] * len(rows)))
    assert regions.graph.n_facets[0] == len(rows) > 62
    found = measure(regions, ["volume", "centroid", "inradius", "n_vertices"])
    exact = measure(regions, "volume", exact=True)["volume"][0]
    assert abs(found["volume"][0] - float(exact)) < 1e-13 and np.isclose(found["inradius"][0], 1)
    assert 3.14159 < exact < 3.2 and found["n_vertices"][0] == len(rows)
    assert abs(found["centroid_0"][0]) + abs(found["centroid_1"][0]) < 1e-13


def test_far_and_thin_regions_lose_nothing() -> None:
    far = plr.enumerate_regions(
        plr.Network([([[1, 1]], [-(2 * 10**8 + 1)]), ([[1]], [0])]),
        plr.Box([10**8, 10**8], [10**8 + 1, 10**8 + 1]),
    )
    assert measure(far, "volume")["volume"].tolist() == [0.5, 0.5]
    thin = Fraction(1, 2**100)
    net = plr.Network([([[1, 0], [1, 0]], [0, -thin]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    region = regions.find("10")
    assert region is not None
    found = measure(regions, ["volume", "width", "inradius"])
    assert found["volume"][region.index] == 2 * float(thin)
    assert found["width"][region.index] == float(thin)


def test_pandas_takes_the_columns() -> None:
    regions = plr.enumerate_regions(plr.mlp("3-5-1", seed=1), plr.hypercube(3, -1, 1))
    frame = pd.DataFrame(measure(regions, QUANTITIES))
    assert len(frame) == len(regions) and not frame.isna().any().any()
    assert abs(frame["volume"].sum() - 8) < 1e-12
    assert (frame["width"] >= 2 * frame["inradius"]).all()


def test_refusals() -> None:
    regions = plr.enumerate_regions(plr.mlp("2-3-1"), plr.hypercube(2))
    with pytest.raises(plr.InvalidInputError, match="needs quantities among is_bounded, .*'area'"):
        measure(regions, "area")
    with pytest.raises(plr.InvalidInputError, match="exact quantities.*Leave out exact=True"):
        measure(regions, ["volume", "inradius"], exact=True)


def worst_sum(shared: Path, most: int) -> dict[str, float]:
    """The relative error of the sum of the volumes of each case in a box."""
    found = {}
    with (shared / "cases" / "counts.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["domain"] == "[-1,1]^d"]
    for row in rows:
        if int(row["activation_regions"]) <= most:
            net = plr.load(shared / "cases" / f"{row['net']}.npz")
            regions = plr.enumerate_regions(net, plr.hypercube(net.input_dim, -1, 1))
            volume = measure(regions, "volume")["volume"]
            found[row["net"]] = abs(volume.sum() / 2**net.input_dim - 1)
            assert (volume > 0).all()
    return found


@pytest.mark.parametrize("net", ["5-7-1", "6-6-1", "7-3-1"])
def test_volumes_in_more_dimensions_sum_to_the_box(net: str) -> None:
    network = plr.mlp(net, seed=1)
    regions = plr.enumerate_regions(network, plr.hypercube(network.input_dim, -1, 1))
    found = measure(regions, ["volume", "n_vertices"])
    assert abs(found["volume"].sum() / 2**network.input_dim - 1) < 1e-12
    assert found["n_vertices"].min() > network.input_dim


@pytest.mark.slow
def test_volumes_of_shared_cases_sum_to_the_box(shared: Path) -> None:
    found = worst_sum(shared, 20000)
    assert len(found) > 60 and max(found.values()) < 1e-11


def test_oracles_see_planted_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    regions = plr.enumerate_regions(plr.mlp("2-4-1", seed=1), plr.hypercube(2, -1, 1))
    assert abs(measure(regions, "volume")["volume"].sum() - 4) < 1e-12
    kernel = geometry.volumes

    def halved(*arguments: Any) -> None:
        kernel(*arguments)
        arguments[-1][0] /= 2

    monkeypatch.setattr(geometry, "volumes", halved)
    assert abs(measure(regions, "volume")["volume"].sum() - 4) > 1e-3


def test_most_cells_need_no_integers() -> None:
    regions = plr.enumerate_regions(plr.mlp("3-12-12-1", seed=5), plr.hypercube(3, -1, 1))
    cells = float_cells(regions)
    assert len(cells.exact) < len(regions) / 50
    # And the points are the exact ones, region by region.
    for region in regions[:50]:
        part = cells.points[cells.offsets[region.index] : cells.offsets[region.index + 1]]
        exact = regions.vertices.floats[regions.vertices.of(region.index)]
        order = np.lexsort((part + cells.origin).round(9).T), np.lexsort(exact.round(9).T)
        assert np.abs(part[order[0]] + cells.origin - exact[order[1]]).max() < 1e-10
