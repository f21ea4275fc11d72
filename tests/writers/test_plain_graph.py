"""Plain scalars only: numpy's are converted, everything else is refused by name."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from plregions.errors import InvalidInputError
from plregions.writers import write_graphml, write_json
from plregions.writers.plain_graph import plain_graph

FREE: dict[str, tuple[str, ...]] = {"graph": (), "node": (), "edge": ()}


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float16(0.1), float(np.float16(0.1))),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.float64(0.1), 0.1),
        (np.bool_(False), False),
        (np.str_("a"), "a"),
        (-0.0, -0.0),
        (True, True),
        (10**30, 10**30),
    ],
)
def test_numpy_scalars_become_pythons(value: Any, expected: Any) -> None:
    graph = nx.Graph(a=value)
    graph.add_node(0, b=value)
    graph.add_edge(0, 1, c=value)
    plain = plain_graph(graph, verb="write_x", reserved=FREE)
    for found in (plain.graph["a"], plain.nodes[0]["b"], plain.edges[0, 1]["c"]):
        assert type(found) is type(expected)
        assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    "value",
    [
        None,
        (1, 2),
        [1],
        {"a": 1},
        {1},
        b"bytes",
        1j,
        Fraction(1, 2),
        Decimal("0.5"),
        Level.LOW,
        np.array(1.0),
        np.array([1, 2]),
        np.datetime64("2020-01-01"),
        np.complex128(1j),
        np.longdouble(1) if np.longdouble is not np.float64 else None,
        math.nan,
        math.inf,
        np.float32("-inf"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("write", [write_graphml, write_json])
def test_the_rest_is_refused_by_name(
    tmp_path: Path, write: Callable[[nx.Graph, Path], None], value: Any
) -> None:
    graph = nx.Graph()
    graph.add_node(0)
    graph.add_edge(1, 2, weight=value)
    with pytest.raises(InvalidInputError) as caught:
        write(graph, tmp_path / "out")
    message = str(caught.value)
    assert write.__name__ in message
    assert "'weight' of edge 1 - 2" in message
    assert type(value).__name__ in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_graphml, write_json])
@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.DiGraph(), "DiGraph"),
        (nx.MultiGraph(), "MultiGraph"),
        (nx.Graph(format="other"), "'other'"),
        (nx.Graph(version=2), "2"),
        (nx.Graph([(1, "1")]), "int, str"),
        (nx.Graph([((1, 0), (0, 0))]), "tuple"),
        (nx.Graph([(0.5, 1.5)]), "float"),
    ],
)
def test_graphs_that_would_lose_something(
    tmp_path: Path, write: Callable[[nx.Graph, Path], None], graph: nx.Graph, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        write(graph, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("write", "scope", "name"),
    [
        (write_graphml, "graph", "id"),
        (write_graphml, "graph", "node_default"),
        (write_graphml, "edge", "key"),
        (write_json, "node", "id"),
        (write_json, "edge", "source"),
        (write_json, "node", 7),
        (write_graphml, "node", 7),
    ],
)
def test_names_that_the_format_would_lose(
    tmp_path: Path, write: Callable[[nx.Graph, Path], None], scope: str, name: Any
) -> None:
    graph = nx.Graph([(0, 1)])
    where = {"graph": graph.graph, "node": graph.nodes[0], "edge": graph.edges[0, 1]}
    where[scope][name] = "x"
    with pytest.raises(InvalidInputError, match=f"{name!r} of"):
        write(graph, tmp_path / "out")


def test_the_source_is_left_alone(make_graph: Callable[[int], nx.Graph]) -> None:
    class Complex:
        def to_networkx(self) -> nx.Graph:
            return graph

    graph = make_graph(3)
    graph.graph["n_regions"] = np.int64(3)
    plain = plain_graph(Complex(), verb="write_x", reserved=FREE)
    assert plain is not graph
    assert type(graph.graph["n_regions"]) is np.int64
    assert type(plain.graph["n_regions"]) is int
    plain.nodes[0]["pattern"] = "changed"
    assert graph.nodes[0]["pattern"] != "changed"
