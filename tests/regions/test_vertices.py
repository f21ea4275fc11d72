"""Vertices of all regions: against every choice of rows, shared, with the facets that meet."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles import lp_vertices
from oracles.random_cases import case
from oracles.unbounded_cases import unbounded_case

import plregions as plr
from plregions.regions import RegionComplex
from plregions.regions import vertices as module
from plregions.regions.vertices import Vertices

SEEDS = [s for s in range(60) if case(s).domain.dim < 4]


def faults(regions: RegionComplex, vertices: Vertices) -> list[str]:
    """What is wrong with the vertices of a complex, seen by an oracle that tries all choices."""
    found = []
    d, graph = regions.domain.dim, regions.graph
    for r, region in enumerate(regions):
        rows = {label: row for row, label in region.rows()}
        points = [vertices.points[i] for i in vertices.of(r)]
        if sorted(points) != sorted(lp_vertices.vertices(list(rows.values()), d)):
            found.append(f"points of {r}")
        facets = []
        for facet in range(graph.offsets[r], graph.offsets[r + 1]):
            b = int(graph.labels[facet])
            name = f"neuron {b}" if b >= 0 else regions.prepared.domain.row_label(-1 - b)
            facets.append(rows[name])
        for point, tight in zip(points, vertices.tight_of(r), strict=True):
            zero = [not lp_vertices.value(row, point) for row in facets]
            if [bool(tight >> i & 1) for i in range(len(facets))] != zero or tight >> len(facets):
                found.append(f"facets of {r}")
    if len(set(vertices.points)) != len(vertices):
        found.append("shared")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_vertices_of_small_cases(seed: int) -> None:
    regions = plr.enumerate_regions(*case(seed)[1:])
    assert faults(regions, regions.vertices) == []
    assert regions.vertices.is_bounded.all()


@pytest.mark.parametrize("seed", [2, 4, 5, 6, 7, 8, 9, 10, 12, 13])
def test_vertices_over_unbounded_domains(seed: int) -> None:
    regions = plr.enumerate_regions(*unbounded_case(seed))
    assert faults(regions, regions.vertices) == []
    assert regions.vertices.is_bounded.tolist() == [r.is_bounded for r in regions]


def test_oracle_sees_planted_faults() -> None:
    regions = plr.enumerate_regions(plr.mlp("2-4-1", seed=1), plr.hypercube(2, -1, 1))
    good = regions.vertices
    assert faults(regions, good) == []
    first, *others = good.homogeneous
    moved = dataclasses.replace(good, homogeneous=((first[0] + 1, *first[1:]), *others))
    assert faults(regions, moved) != []
    twice = dataclasses.replace(good, homogeneous=(*good.homogeneous, first))
    assert faults(regions, twice) == ["shared"]
    looser = dataclasses.replace(good, tight=(good.tight[0] ^ 1, *good.tight[1:]))
    assert "facets of 0" in faults(regions, looser)


def test_columns_of_a_thin_region_are_exact() -> None:
    """A sliver of width 2**-200 has its four corners, which floats cannot tell apart."""
    thin = Fraction(1, 2**200)
    net = plr.Network([([[1, 0], [1, 0]], [0, -thin]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    region = regions.find("10")
    assert region is not None
    x = {regions.vertices.points[i][0] for i in regions.vertices.of(region.index)}
    assert x == {0, thin}
    assert len(regions.vertices) == 8 and len(np.unique(regions.vertices.floats, axis=0)) == 8


def test_incidence_matrix() -> None:
    regions = plr.enumerate_regions(plr.mlp("3-4-1", seed=2), plr.hypercube(3, -1, 1))
    matrix = regions.vertices.to_scipy_sparse()
    assert matrix.shape == (len(regions), len(regions.vertices))
    assert [sorted(matrix[[r]].indices) for r in range(len(regions))] == [
        regions.vertices.of(r).tolist() for r in range(len(regions))
    ]
    for region in regions:
        own = [regions.vertices.points[i] for i in regions.vertices.of(region.index)]
        assert region.vertices() == sorted(own)


def columns(vertices: Vertices) -> list[object]:
    ends = zip(vertices.offsets[:-1], vertices.offsets[1:], strict=True)
    return [
        sorted((vertices.points[vertices.ids[i]], vertices.tight[i]) for i in range(a, b))
        for a, b in ends
    ]


@pytest.mark.parametrize("net", ["3-9-9-1", "2-16-16-1", "4-6-5-1", "1-9-9-1"])
def test_floats_propose_what_integers_find(net: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most regions are settled by floats; the double description of all gives the same."""
    network = plr.mlp(net, seed=3)
    regions = plr.enumerate_regions(network, plr.hypercube(network.input_dim, -1, 1))
    quick = regions.vertices
    none = np.zeros(0, dtype=np.int64)
    monkeypatch.setattr(module, "_of_simple_cells", lambda *arguments: (none, none, []))
    slow = module.find_vertices(regions.prepared, regions.patterns, regions.graph)
    assert columns(quick) == columns(slow) and len(quick) == len(slow)
    assert all(np.diff(quick.of(r)).min() > 0 for r in range(len(regions)))
    first = dict.fromkeys(quick.ids.tolist())
    assert set(first) == set(range(len(quick)))


def test_oracle_sees_points_that_are_wrongly_one(monkeypatch: pytest.MonkeyPatch) -> None:
    regions = plr.enumerate_regions(plr.mlp("2-4-1", seed=1), plr.hypercube(2, -1, 1))
    share = module.shared_vertices

    def wrong(*arguments: Any) -> Any:
        facets, names = share(*arguments)
        names[names == names.max()] = 0
        return facets, names

    monkeypatch.setattr(module, "shared_vertices", wrong)
    found = module.find_vertices(regions.prepared, regions.patterns, regions.graph)
    assert any(fault.startswith("points") for fault in faults(regions, found))
