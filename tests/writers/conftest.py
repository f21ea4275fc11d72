from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

import plregions as plr

Compare = Callable[[nx.Graph, nx.Graph], None]


def _rows(graph: nx.Graph) -> list[object]:
    """The whole graph as text: repr tells True from 1, 1 from 1.0 and 0.0 from -0.0."""
    attributes = {
        name: value
        for name, value in graph.graph.items()
        # networkx's GraphML reader leaves these two behind, empty
        if not (name in ("node_default", "edge_default") and value == {})
    }
    nodes = sorted(repr((node, sorted(data.items()))) for node, data in graph.nodes(data=True))
    edges = sorted(
        repr((sorted((u, v)), sorted(data.items()))) for u, v, data in graph.edges(data=True)
    )
    return [type(graph).__name__, repr(sorted(attributes.items())), nodes, edges]


@pytest.fixture
def assert_same() -> Compare:
    """The oracle of the round trips: same nodes, edges and attributes, of the same types."""

    def compare(found: nx.Graph, expected: nx.Graph) -> None:
        assert _rows(found) == _rows(expected)

    return compare


def region_graph(n: int) -> nx.Graph:
    """A graph as RegionComplex.to_networkx() documents it: a path and some chords."""
    graph = nx.Graph(
        format="plregions-region-graph",
        version=1,
        kind="activation",
        complete=True,
        n_regions=n,
        network="ab12",
        domain="Box([-1, 1]^2)",
    )
    for i in range(n):
        graph.add_node(i, pattern=f"{i:014b}", n_facets=3 + i % 5, x0=i / 7, x1=-i / 3)
    for i in range(1, n):
        graph.add_edge(i - 1, i, neurons="3" if i % 2 else "3 7")
        if i % 10 == 0:
            graph.add_edge(i - 10, i, neurons="0 13")
    return graph


@pytest.fixture
def make_graph() -> Callable[[int], nx.Graph]:
    return region_graph


def some_regions(name: str) -> plr.RegionComplex:
    """Regions of all sorts to write, by name."""
    square = plr.hypercube(2, -1, 1)
    small = plr.mlp([2, 6, 4, 2])
    if name == "nothing":  # what an interrupt before the first region leaves
        found = plr.enumerate_regions(small, square)
        columns: list[Any] = [found.packed_patterns[:0], found.packed_rows[:0]]
        columns += [found.local_points[:0], {}, plr.Outcome("INTERRUPTED", None, "")]
        return plr.RegionComplex(small, square, *columns)
    if name == "one":
        return plr.enumerate_regions(plr.Network([([[0, 0]], [1]), ([[1]], [0])]), square)
    if name == "diamond":  # relu(1/2 - |x| - |y|): 5 linear regions, the first with a hole
        first = ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4)
        net = plr.Network([first, ([[-1] * 4], ["1/2"]), ([[1]], [0])])
        return plr.enumerate_regions(net, square)
    if name == "thin":  # lines closer than float64 tells apart
        net = plr.Network(
            [([[1, 3], [1, 3]], ["1/7", f"{10**30 + 7}/{7 * 10**30}"]), ([[1, 1]], [0])]
        )
        return plr.enumerate_regions(net, square)
    if name == "space":
        return plr.enumerate_regions(small, plr.WholeSpace(2))
    if name == "solid":
        return plr.enumerate_regions(plr.mlp([3, 6, 4, 2]), plr.hypercube(3, -1, 1))
    if name == "part":
        return plr.enumerate_regions(small, square, max_regions=7)
    assert name == "plane"
    return plr.enumerate_regions(small, square)


@pytest.fixture
def make_regions() -> Callable[[str], plr.RegionComplex]:
    return some_regions
