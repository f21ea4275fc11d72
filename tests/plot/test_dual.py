"""Does plot.graph draw the region graph?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.plot import graph
from plregions.regions.polygons import Polygons, region_polygons, shapely_polygons


def drawn(complex: plr.RegionComplex) -> tuple[Any, Any, Any]:
    from matplotlib.figure import Figure

    cells, lines, dots = graph(complex, ax=Figure().subplots()).collections
    return cells, lines, dots


def strays(complex: plr.RegionComplex) -> list[int]:
    """The edges whose line is not inside the two regions that it joins, from node to node."""
    _, lines, dots = drawn(complex)
    shapes, nodes = shapely_polygons(complex), np.asarray(dots.get_offsets())
    found = []
    for k, (route, (a, b)) in enumerate(
        zip(lines.get_segments(), complex.graph.edges.tolist(), strict=True)
    ):
        both = shapely.union(shapes[a], shapes[b]).buffer(1e-9)
        ends_fit = np.array_equal(route[0], nodes[a]) and np.array_equal(route[-1], nodes[b])
        if not ends_fit or not both.covers(shapely.LineString(route)):
            found.append(k)
    return found


def test_nodes_are_in_their_regions(complex: plr.RegionComplex) -> None:
    cells, _, dots = drawn(complex)
    assert len(cells.get_paths()) == len(complex)
    points = shapely.points(np.asarray(dots.get_offsets()))
    assert shapely.contains_properly(shapely_polygons(complex), points).all()


def test_edges_stay_in_the_regions_that_they_join(complex: plr.RegionComplex) -> None:
    assert strays(complex) == []


def test_edges_through_a_wrong_point_are_seen(
    complex: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = region_polygons(complex).facet_middles
    monkeypatch.setattr(Polygons, "facet_middles", np.roll(right, 3, axis=0))
    assert len(strays(complex)) > len(complex) / 4


def test_layers_and_title(complex: plr.RegionComplex) -> None:
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.figure import Figure

    ax = graph(complex, Figure().subplots())
    cells, lines, dots = ax.collections
    assert isinstance(cells, PolyCollection)
    assert isinstance(lines, LineCollection)
    assert cells.get_zorder() < lines.get_zorder() < dots.get_zorder()
    text = f"{len(complex)} activation regions, {complex.n_edges} edges"
    assert ax.get_title() == text


def test_one_region_has_no_edges() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 1]), plr.hypercube(2, -1, 1))
    _, lines, dots = drawn(complex)
    assert lines.get_segments() == []
    assert len(dots.get_offsets()) == 1
