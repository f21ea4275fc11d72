"""Regions that never end: facets without artificial walls, boundedness, vertices and rays."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.plain_regions import plain_facets, plain_regions
from oracles.unbounded_cases import REACH, in_a_large_box, unbounded_case

import plregions as plr
from plregions.errors import PLRegionsError
from plregions.exact.lp import maximise
from plregions.feasibility import facets as facet_finding
from plregions.regions import graph as graph_module
from plregions.regions.extremes import rays_of, vertices_of

SEEDS = [s for s in range(90) if unbounded_case(s)[1].dim <= 3][:48]

Point = tuple[Fraction, ...]


def is_far(point: Point) -> bool:
    """Whether a vertex lies on the oracle's box, and so is none of the region."""
    return max(map(abs, point)) == REACH


@pytest.mark.parametrize("seed", SEEDS)
def test_facets_and_neighbours(seed: int) -> None:
    """Against the listing of vertices in a box that holds everything."""
    net, domain = unbounded_case(seed)
    regions = plr.enumerate_regions(net, domain)
    expected = plain_facets(*in_a_large_box(net, domain))
    boxed = plr.enumerate_regions(*in_a_large_box(net, domain))
    names = regions.pattern_strings()
    n_rows = len(domain.exact_rows())
    for region in regions:
        beyond = sorted(f.beyond for f in expected[names[region.index]] if not f.on_boundary)
        assert sorted(str(r.pattern) for r in region.neighbours) == beyond
        part = slice(*regions.graph.offsets[region.index : region.index + 2])
        labels = regions.graph.labels[part].tolist()
        twin = slice(*boxed.graph.offsets[region.index : region.index + 2])
        real = [v for v in boxed.graph.labels[twin].tolist() if v >= -n_rows]
        assert sorted(labels) == sorted(real)
        assert region.n_facets == len(labels)
    graph = regions.to_networkx()
    assert graph.number_of_nodes() == len(regions)
    assert graph.number_of_edges() == regions.n_edges == boxed.n_edges


def test_an_artificial_wall_taken_for_a_facet_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of_them(label: np.ndarray, _: int) -> np.ndarray:
        return np.ones(len(label), dtype=bool)

    handed_over = graph_module.facets_of_rows

    def all_rows(packed_rows: np.ndarray, n_bits: int, _: int) -> Any:
        return handed_over(packed_rows, n_bits, 8 * packed_rows.shape[1] - n_bits)

    monkeypatch.setattr(facet_finding, "_is_real", all_of_them)
    monkeypatch.setattr(graph_module, "facets_of_rows", all_rows)
    for seed in [s for s in SEEDS if unbounded_case(s)[0].n_neurons][:8]:
        with pytest.raises((AssertionError, PLRegionsError)):
            test_facets_and_neighbours(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_boundedness_vertices_and_rays(seed: int) -> None:
    """The oracle's corners that lie on its box are no vertices; without them a region is bounded.

    Where there are vertices, those and the rays generate all corners, and the rays are necessary.
    """
    net, domain = unbounded_case(seed)
    regions = plr.enumerate_regions(net, domain)
    cells = plain_regions(*in_a_large_box(net, domain))
    n_bounded = 0
    for region in regions:
        corners = cells[str(region.pattern)].corners
        near = sorted({corner for corner in corners if not is_far(corner)})
        assert region.vertices() == near
        rays = region.rays()
        assert region.is_bounded == (len(near) == len(set(corners))) == (not rays)
        n_bounded += region.is_bounded
        rows = [row for row, _ in region.rows()]
        for ray in rays:
            assert all(sum(a * v for a, v in zip(row, ray, strict=False)) >= 0 for row in rows)
        if near:
            for corner in set(corners) - set(near):
                assert is_generated(corner, near, rays)
            for k, ray in enumerate(rays):
                others = rays[:k] + rays[k + 1 :]
                assert not is_generated(tuple(map(Fraction, ray)), [], others)
    assert regions.n_bounded == n_bounded


def is_generated(x: Point, points: list[Point], rays: list[tuple[int, ...]]) -> bool:
    """Whether x is a convex mean of points (if any) plus multiples >= 0 of rays."""
    columns = [(*p, 1) for p in points] + [(*r, 0) for r in rays]
    target = (*x, 1 if points else 0)
    n = len(columns)
    rows: list[tuple[Fraction, ...]] = []
    for k in range(len(target)):
        row = [Fraction(c[k]) for c in columns] + [-Fraction(target[k])]
        rows += [tuple(row), tuple(-v for v in row)]
    rows += [tuple(Fraction(i == k) for i in range(n)) + (Fraction(0),) for k in range(n)]
    if not n:
        return not any(target)
    return maximise([0] * (n + 1), rows).status != "infeasible"


def test_generation_catches_a_missing_ray() -> None:
    rows = [(1, 0, 0), (0, 1, 0), (1, 1, -1)]
    near, rays = vertices_of(rows, 2), rays_of(rows, 2)
    assert (near, rays) == ([(0, 1), (1, 0)], [(0, 1), (1, 0)])
    far = (Fraction(5), Fraction(7))
    assert is_generated(far, near, rays)
    assert not any(is_generated(far, near, [ray]) for ray in rays)


def test_relatively_bounded_means_the_lines_of_all_regions() -> None:
    """A strip counts only where every region holds its line."""
    strip = plr.Network([([[1, 0], [1, 0]], [0, -1]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(strip, plr.WholeSpace(2))
    assert (len(regions), regions.n_bounded, regions.n_relatively_bounded) == (3, 0, 1)
    # A second layer that cuts the strip's line in one region alone: x_1 is carried on.
    first = ([[1, 0], [1, 0], [0, 1]], [0, -1, 0], [[0, 1], [0, 1], [1, 1]])
    deep = plr.Network([first, ([[-8, 0, 1]], [0]), ([[1]], [0])])
    regions = plr.enumerate_regions(deep, plr.WholeSpace(2))
    assert (len(regions), regions.n_bounded, regions.n_relatively_bounded) == (6, 0, 0)
    # In a half-space the lines of the network end.
    half = plr.Polytope([[0, -1]], [0])
    regions = plr.enumerate_regions(strip, half)
    assert (len(regions), regions.n_bounded, regions.n_relatively_bounded) == (3, 0, 0)


def test_many_rows_are_refused() -> None:
    rows = [
        (Fraction(k), *[Fraction(k**j) for j in range(2, 9)], Fraction(1)) for k in range(1, 60)
    ]
    with pytest.raises(plr.InvalidInputError, match="extreme_rays need at most 1048576 pairs"):
        vertices_of(rows, 8)


def test_bounded_domains_are_bounded() -> None:
    regions = plr.enumerate_regions(plr.mlp("2-4-1"), plr.hypercube(2, -1, 1))
    assert all(region.is_bounded and region.rays() == [] for region in regions)
    assert regions.n_bounded == regions.n_relatively_bounded == len(regions)
    corners = {v for region in regions for v in region.vertices()}
    assert {(x, y) for x in (-1, 1) for y in (-1, 1)} <= corners


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_archive_patterns_and_tables(tmp_path: Path, seed: int) -> None:
    net, domain = unbounded_case(seed)
    regions = plr.enumerate_regions(net, domain)
    _ = regions.graph
    regions.save(tmp_path / "a.npz")
    again = plr.RegionComplex.load(tmp_path / "a.npz")
    assert again == regions and again.domain == domain
    assert [r.exact_point for r in again] == [r.exact_point for r in regions]
    assert [r.rows() for r in again] == [r.rows() for r in regions]
    assert np.array_equal(again.graph.labels, regions.graph.labels)
    for region in regions:
        check = plr.check_pattern(net, region.pattern, domain)
        assert check.is_region and check.point is not None
        assert regions.region_at(check.point) == region
        x = region.exact_point
        weight, bias = region.affine_map(exact=True)
        assert tuple(weight @ np.array(x, dtype=object) + bias) == net.exact(domain.embed_exact(x))
        assert str(region.index) in region._repr_html_()
    patterns = set(regions.pattern_strings())
    rng = np.random.default_rng(seed)
    for _ in range(10):
        pattern = "".join(map(str, rng.integers(0, 2, net.n_neurons)))
        for solver in ("plregions", "scipy"):
            check = plr.check_pattern(net, pattern, domain, solver=solver)
            assert check.is_region == (pattern in patterns)
            if check.multipliers and "identically 0" not in check.reason:
                terms = [[w * v for v in check.rows[n]] for n, w in check.multipliers.items()]
                total = [sum(column) for column in zip(*terms, strict=True)]
                assert not any(total[:-1]) and total[-1] <= 0


def test_linear_regions_and_convexity() -> None:
    """|x| + |y| on the plane, written with a line that changes nothing."""
    rows = ([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1]], [0, 0, 0, 0, -1])
    net = plr.Network([rows, ([[1, 1, 1, 1, 0]], [0])])
    regions = plr.enumerate_regions(net, plr.WholeSpace(2))
    assert (len(regions), regions.linear.n_regions, regions.n_maps) == (7, 4, 4)
    assert all(regions.is_convex(k) for k in range(4))


def test_pictures_and_signs_need_a_box() -> None:
    regions = plr.enumerate_regions(plr.mlp("2-4-1"), plr.WholeSpace(2))
    pytest.importorskip("matplotlib")
    for draw in (plr.plot.regions, plr.plot.graph):
        with pytest.raises(plr.InvalidInputError, match=r"bounded domain; got WholeSpace\(2\)"):
            draw(regions)
    with pytest.raises(plr.InvalidInputError, match="needs a bounded domain"):
        plr.describe(plr.mlp("2-4-1"), plr.WholeSpace(2))
