"""Are the polygons the regions? Corners, order, areas, gaps; against polygons cut in rationals."""

from __future__ import annotations

import csv
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import rational_polygons

import plregions as plr
from plregions.errors import InvalidInputError, PLRegionsError
from plregions.regions import polygons as module
from plregions.regions.facet_rows import ExactFacets, facet_rows
from plregions.regions.graph import RegionGraph
from plregions.regions.polygons import (
    Polygons,
    polygons,
    region_polygons,
    shapely_polygons,
)

SQUARE = plr.hypercube(2, -1, 1)
OUT = [[1.0]]

small = st.integers(-2, 2)
number = small | st.fractions(-2, 2, max_denominator=3)


@st.composite
def plane_layers(draw: st.DrawFn) -> list[tuple[Any, Any]]:
    """Hidden layers of small rationals, which make coincidences common, and an output."""
    sizes = [2, *draw(st.lists(st.integers(1, 4), min_size=1, max_size=2)), 1]
    layers = []
    for n_in, n_out in pairwise(sizes):
        row = st.lists(number, min_size=n_in, max_size=n_in)
        weight = draw(st.lists(row, min_size=n_out, max_size=n_out))
        layers.append((weight, draw(st.lists(number, min_size=n_out, max_size=n_out))))
    return layers


def corners_of(ring: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The corners of a ring, without points in the middle of a side, lowest first."""
    kept = []
    for k, (x, y) in enumerate(ring):
        (a, b), (p, q) = ring[k - 1], ring[(k + 1) % len(ring)]
        if (x - a) * (q - y) - (y - b) * (p - x) != 0:
            kept.append((x, y))
    start = kept.index(min(kept))
    return kept[start:] + kept[:start]


def faults(complex: plr.RegionComplex, parts: list[NDArray[np.float64]], area: float) -> list[str]:
    """What is wrong with polygons that should fill a domain of this area."""
    found = []
    total = 0.0
    for index, part in enumerate(parts):
        p, q = part - part[0], np.roll(part, -1, axis=0) - part[0]
        doubled = float((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum())
        total += doubled / 2
        ring = [[Fraction(float(v)) for v in corner] for corner in part]
        size = max(1.0, float(np.abs(part).max()))
        if doubled < -1e-16 * size * size:
            found.append(f"region {index} runs clockwise")
        if tuple(part[0]) != min(map(tuple, part.tolist())):
            found.append(f"region {index} does not start at its lowest corner")
        x, y = complex.exact_point(index)
        for (a, b), (c, d) in pairwise([*ring, ring[0]]):
            # Twice the area of the triangle from a side to the point, up to rounded corners.
            if (c - a) * (y - b) - (d - b) * (x - a) < -Fraction(size * size) / 2**50:
                found.append(f"region {index} does not hold its interior point")
                break
    if len(parts) != len(complex):
        found.append(f"{len(parts)} polygons of {len(complex)} regions")
    if not abs(total - area) <= 1e-12 * area:
        found.append(f"areas sum to {total!r}, not {area!r}")
    return found


def distance(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """How far two rings of as many corners are apart, wherever they start.

    Two corners with one x may be rounded apart, and a ring then starts at the other.
    """
    turned = [np.roll(two, k, axis=0) for k in range(len(two))]
    return min(float(np.abs(one - ring).max()) for ring in turned)


@settings(max_examples=60)
@given(plane_layers())
def test_polygons_are_those_cut_in_rationals(layers: list[tuple[Any, Any]]) -> None:
    complex = plr.enumerate_regions(plr.Network(layers), SQUARE)
    arrays = [(np.array(w, dtype=object), np.array(b, dtype=object)) for w, b in layers]
    cut = rational_polygons.polygons(arrays, [-1, -1], [1, 1])
    found = dict(zip(complex.pattern_strings(), polygons(complex), strict=True))
    assert found.keys() == cut.keys()
    for pattern, ring in cut.items():
        wanted = corners_of(ring)
        assert len(found[pattern]) == len(wanted)
        assert distance(found[pattern], np.array(wanted, dtype=np.float64)) < 1e-14
    assert faults(complex, list(found.values()), 4.0) == []


@settings(max_examples=25)
@given(plane_layers())
def test_integers_alone_give_the_same_polygons(layers: list[tuple[Any, Any]]) -> None:
    complex = plr.enumerate_regions(plr.Network(layers), SQUARE)
    with pytest.MonkeyPatch.context() as patch:
        by_floats = polygons(complex)
        patch.setattr(module, "PRECISION", 0.0)
        exact_corners = polygons(complex)
        patch.setattr(module, "_meet", _unproved(module._meet))
        exact_order = polygons(complex)
    for one, two, three in zip(by_floats, exact_corners, exact_order, strict=True):
        assert len(one) == len(two)
        assert distance(one, two) < 1e-14
        assert np.array_equal(two, three)


def _unproved(meet: Any) -> Any:
    def unproved(*arguments: Any) -> Any:
        point, error = meet(*arguments)
        return point, np.full_like(error, np.nan)

    return unproved


def test_regions_that_meet_share_corners_bit_by_bit() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 24, 24, 1]), SQUARE)
    found = region_polygons(complex)
    assert len(np.unique(found.vertices, axis=0)) == len(found.vertices)
    # Euler: regions, sides and corners of a disc.
    sides = complex.n_edges + int((complex.graph.neighbours < 0).sum())
    assert len(found.vertices) - sides + len(complex) == 1
    shapes = shapely_polygons(complex)
    assert shapely.is_valid(shapes).all()
    assert shapely.is_ccw(shapely.get_exterior_ring(shapes)).all()
    assert shapely.equals(shapely.union_all(shapes), shapely.box(-1, -1, 1, 1))
    assert np.abs(shapely.area(shapes) - found.areas).max() < 1e-15
    centres = shapely.get_coordinates(shapely.centroid(shapes))
    assert np.abs(centres - found.centroids).max() < 1e-9
    assert len(found) == len(complex)
    for part, shape in zip(found, shapes, strict=True):
        assert np.array_equal(part, shapely.get_coordinates(shape)[:-1])


def test_facets_lie_between_their_corners() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 8, 8, 1]), SQUARE)
    found = region_polygons(complex)
    assert np.array_equal(np.sort(found.facets), np.arange(len(found.facets)))
    graph = complex.graph
    for index in range(len(complex)):
        part = slice(int(found.offsets[index]), int(found.offsets[index + 1]))
        rows = {label: row for row, label in complex.rows_of(index)}
        for facet, start, end in zip(
            found.facets[part], found[index], np.roll(found[index], -1, axis=0), strict=True
        ):
            label = int(graph.labels[facet])
            name = f"neuron {label}" if label >= 0 else complex.domain.row_label(-1 - label)
            a, b, c = map(float, rows[name])
            for x, y in (start, end):
                assert abs(a * x + b * y + c) < 1e-12 * (abs(a) + abs(b))
            assert np.allclose(found.facet_middles[facet], (start + end) / 2, atol=1e-15)


# Pairs of parallel lines this far apart, and a line across: strips of any thinness.
@pytest.mark.parametrize("width", [1e-6, 1e-12, 1e-15, 1e-18, 1e-30, 1e-200])
def test_slivers_are_not_lost(width: float) -> None:
    weight, bias = [[1.0, 2.0], [1.0, 2.0], [3.0, -1.0]], [0.0, width, 0.1]
    complex = plr.enumerate_regions(plr.Network([(weight, bias), ([[1, 1, 1]], [0])]), SQUARE)
    assert len(complex) == 6
    found = polygons(complex)
    assert faults(complex, found, 4.0) == []
    thin = sorted(region_polygons(complex).areas)[:2]
    assert sum(thin) == pytest.approx(width, rel=1e-3, abs=1e-16)  # the strip has length 1 in y


def test_needles_have_the_right_tip() -> None:
    # Two lines that meet at (0.3, 0.1) at an angle of about 1e-9: floats alone miss the tip.
    tip = (Fraction(3, 10), Fraction(1, 10))
    slopes = [Fraction(1, 7), Fraction(1, 7) + Fraction(1, 10**9)]
    rows = [([s, Fraction(-1)], tip[1] - s * tip[0]) for s in slopes]
    net = plr.Network([([a for a, _ in rows], [c for _, c in rows]), ([[1, 1]], [0])])
    complex = plr.enumerate_regions(net, SQUARE)
    found = region_polygons(complex)
    assert len(complex) == 4
    assert faults(complex, list(found), 4.0) == []
    assert (np.abs(found.vertices - np.array([0.3, 0.1])).max(axis=1) == 0).sum() == 1


def test_polytopes_slices_and_rational_weights() -> None:
    net = plr.mlp([3, 12, 12, 2], seed=3)
    triangle = plr.Polytope([[-1, 0], [0, -1], [3, 5]], [0, 0, "1/3"])
    plane = plr.Slice(["1/3", 0, "1/7"], [[1, 2, 3], ["1/9", -1, 0]], triangle)
    complex = plr.enumerate_regions(net, plane)
    area = 1 / 2 * (1 / 9) * (1 / 15)
    assert faults(complex, polygons(complex), area) == []
    lower, upper = np.zeros(2), np.array([1 / 9, 1 / 15])
    vertices = region_polygons(complex).vertices
    assert ((lower <= vertices) & (vertices <= upper)).all()


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_scale_of_the_domain_does_not_matter(scale: float) -> None:
    weight, bias = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]), np.array([0.25, 0.1, -0.3])
    net = plr.Network([(weight / scale, bias), ([[1, 1, 1]], [0])])
    box = plr.hypercube(2, -scale, scale)
    found = region_polygons(plr.enumerate_regions(net, box))
    plain = plr.Network([(weight, bias), ([[1, 1, 1]], [0])])
    wanted = region_polygons(plr.enumerate_regions(plain, SQUARE))
    for one, two in zip(found, wanted, strict=True):
        assert distance(one / scale, two) < 1e-14


def test_far_from_the_origin_only_coordinates_are_rounded() -> None:
    net = plr.Network([([[1.0, 1.0], [1.0, -1.0]], [-2e8, 0.0]), ([[1, 1]], [0])])
    complex = plr.enumerate_regions(net, plr.Box([1e8 - 1, 1e8 - 1], [1e8 + 1, 1e8 + 1]))
    areas = region_polygons(complex).areas
    assert areas.tolist() == [1.0] * 4


def test_incomplete_and_empty_complexes() -> None:
    net = plr.mlp([2, 16, 16, 1])
    whole = plr.enumerate_regions(net, SQUARE)
    part = plr.enumerate_regions(net, SQUARE, max_regions=40)
    assert not part.is_complete
    known = dict(zip(whole.pattern_strings(), polygons(whole), strict=True))
    for pattern, found in zip(part.pattern_strings(), polygons(part), strict=True):
        assert np.abs(found - known[pattern]).max() < 1e-9
    none = plr.RegionComplex(
        net,
        SQUARE,
        whole.packed_patterns[:0],
        whole.packed_rows[:0],
        whole.local_points[:0],
        {},
        part.outcome,
    )
    assert polygons(none) == []
    assert len(shapely_polygons(none)) == 0
    assert region_polygons(none).areas.shape == (0,)
    assert region_polygons(none).centroids.shape == (0, 2)


def test_one_region_is_the_box() -> None:
    complex = plr.enumerate_regions(plr.Network([([[1.0, 1.0]], [9.0]), (OUT, [0.0])]), SQUARE)
    assert polygons(complex)[0].tolist() == [[-1, -1], [1, -1], [1, 1], [-1, 1]]


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("verb", [polygons, shapely_polygons, region_polygons])
def test_other_dimensions_are_refused(dim: int, verb: Any) -> None:
    complex = plr.enumerate_regions(plr.mlp([dim, 4, 1]), plr.hypercube(dim, -1, 1))
    with pytest.raises(InvalidInputError, match=rf"two dimensions; got .* {dim}\..* Slice"):
        verb(complex)


def test_shared_cases_fill_the_square(shared: Path) -> None:
    n = 0
    with (shared / "cases" / "counts.csv").open(encoding="utf-8", newline="") as file:
        for case in csv.DictReader(file):
            path = shared / "cases" / f"{case['net']}.npz"
            if case["domain"] != "[-1,1]^d" or int(case["activation_regions"]) > 1300:
                continue
            if not path.exists() or plr.load(path).input_dim != 2:
                continue
            complex = plr.enumerate_regions(plr.load(path), SQUARE)
            assert faults(complex, polygons(complex), 4.0) == [], case["net"]
            n += 1
    assert n > 50


# From the README of real_nets: counts and the smallest area, found by another enumerator.
REAL = {
    "marabou/fc1.onnx": (1, 71, 2.5e-6),
    "vnncomp2022/tllBench_n=2_N=M=8*.onnx": (2, 433, 1.7e-8),
}


@pytest.mark.parametrize("name", REAL)
def test_real_networks(shared: Path, name: str) -> None:
    pytest.importorskip("onnx")
    paths = sorted((shared / "real_nets").glob(name))
    if not paths:
        pytest.skip(f"../shared/real_nets has no {name}")
    reach, n_regions, smallest = REAL[name]
    complex = plr.enumerate_regions(plr.load(paths[0]), plr.hypercube(2, -reach, reach))
    found = region_polygons(complex)
    assert len(found) == n_regions
    assert faults(complex, list(found), 4.0 * reach**2) == []
    assert found.areas.min() == pytest.approx(smallest, rel=0.03)


@settings(max_examples=40)
@given(plane_layers())
def test_errors_of_float_rows_are_bounded(layers: list[tuple[Any, Any]]) -> None:
    complex = plr.enumerate_regions(plr.Network(layers), SQUARE)
    assert worst_row_error(complex) <= 1


def worst_row_error(complex: plr.RegionComplex, claimed: float = 1.0) -> float:
    """The largest error of a facet's float row, as a part of its bound times `claimed`.

    The exact row is known up to a factor: it is scaled to agree with the float row at one entry.
    """
    prepared, patterns, graph = complex.prepared, complex.patterns, complex.graph
    floats = facet_rows(prepared, patterns, graph)
    exact = ExactFacets(prepared, patterns, graph)
    worst = Fraction(0)
    owner = np.repeat(np.arange(len(complex)), graph.n_facets)
    for facet in range(len(owner)):
        row = [Fraction(v) for v in exact.row(int(owner[facet]), facet)]
        near = [Fraction(float(v)) for v in floats.rows[facet]]
        pivot = max(range(3), key=lambda k: abs(near[k]))
        assert row[pivot] * near[pivot] > 0
        # The pivot is a third of the row or more, so its own error counts up to three times.
        scale = near[pivot] / row[pivot]
        error = sum((abs(a * scale - b) for a, b in zip(row, near, strict=True)), Fraction(0))
        allowed = Fraction(float(floats.error[facet])) * Fraction(claimed) * 4
        worst = max(worst, error / allowed)
    return float(worst)


def test_row_oracle_catches_a_careless_bound() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 8, 8, 1]), SQUARE)
    assert 0 < worst_row_error(complex) <= 1
    assert worst_row_error(complex, claimed=1e-6) > 1


PLANTED = {
    "clockwise": lambda parts: [parts[0][::-1], *parts[1:]],
    "lowest": lambda parts: [np.roll(parts[0], 1, axis=0), *parts[1:]],
    "interior point": lambda parts: [parts[1], parts[0], *parts[2:]],
    "areas": lambda parts: (
        [parts[0] + np.array([[0, 0]] * 2 + [[1e-10, 0]] * (len(parts[0]) - 2))] + parts[1:]
    ),
    "polygons of": lambda parts: parts[:-1],
}


@pytest.mark.parametrize("fault", PLANTED)
def test_faults_are_seen(fault: str) -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 12, 1]), SQUARE)
    assert faults(complex, polygons(complex), 4.0) == []
    seen = faults(complex, PLANTED[fault](polygons(complex)), 4.0)
    assert any(fault in text for text in seen)


def test_a_lost_sliver_and_a_wrong_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    net = plr.Network([([[1.0, 2.0], [1.0, 2.0]], [0.0, 1e-9]), ([[1, 1]], [0])])
    complex = plr.enumerate_regions(net, SQUARE)
    parts = polygons(complex)
    thin = int(np.argmin(region_polygons(complex).areas))
    assert any("areas" in text for text in faults(complex, parts[:thin] + parts[thin + 1 :], 4.0))

    def by_label(owner: NDArray[np.int64], rows: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.arange(len(owner))

    # The order is proved afterwards, so that a wrong one is put right in integers.
    monkeypatch.setattr(module, "_order_by_angle", by_label)
    for one, other in zip(polygons(complex), parts, strict=True):
        assert np.abs(one - other).max() < 1e-15


def test_ends_of_facets_that_differ_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 12, 1]), SQUARE)

    def moved(*arguments: Any) -> Any:
        point, error = meet(*arguments)
        point[3] += 1e-6
        return point, error

    meet = module._meet
    monkeypatch.setattr(module, "_meet", moved)
    with pytest.raises(PLRegionsError, match="both sides of a facet"):
        polygons(complex)


def test_columns_cannot_be_changed() -> None:
    found = region_polygons(plr.enumerate_regions(plr.mlp([2, 4, 1]), SQUARE))
    assert isinstance(found, Polygons)
    for column in (found.vertices, found.offsets, found.corners, found.facets):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_too_few_facets_are_seen() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 4, 1]), SQUARE)
    graph = complex.graph
    broken = RegionGraph(
        np.array([0, 2, 2 + int(graph.offsets[-1])]), graph.labels, graph.neighbours, {}
    )
    complex.__dict__["graph"] = broken
    with pytest.raises(PLRegionsError, match="three facets"):
        polygons(complex)
