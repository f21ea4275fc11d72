from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest

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
