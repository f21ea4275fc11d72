"""JSON files hold the whole region graph; read_json takes them and refuses anything else."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plregions.errors import FormatError, InvalidInputError
from plregions.writers import read_json, write_json

Compare = Callable[[nx.Graph, nx.Graph], None]
Make = Callable[[int], nx.Graph]

SCALARS = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=8),
)


def round_trip(graph: nx.Graph, folder: Path) -> nx.Graph:
    path = folder / "regions.json"
    write_json(graph, path)
    return read_json(path)


@pytest.mark.parametrize("n", [0, 1, 2, 10_000])
def test_round_trip(n: int, tmp_path: Path, make_graph: Make, assert_same: Compare) -> None:
    graph = make_graph(n)
    assert_same(round_trip(graph, tmp_path), graph)
    assert os.listdir(tmp_path) == ["regions.json"]


def test_networkx_reads_it_alone(tmp_path: Path, make_graph: Make, assert_same: Compare) -> None:
    write_json(make_graph(20), tmp_path / "g.json")
    data = json.loads((tmp_path / "g.json").read_text())
    assert_same(nx.node_link_graph(data, edges="edges"), make_graph(20))


def test_the_documented_layout(tmp_path: Path) -> None:
    graph = nx.Graph(complete=True)
    graph.add_node(0, pattern="0")
    graph.add_edge(0, 1, neurons="0")
    write_json(graph, tmp_path / "g.json")
    assert json.loads((tmp_path / "g.json").read_text()) == {
        "directed": False,
        "multigraph": False,
        "graph": {"format": "plregions-region-graph", "version": 1, "complete": True},
        "nodes": [{"pattern": "0", "id": 0}, {"id": 1}],
        "edges": [{"neurons": "0", "source": 0, "target": 1}],
    }


@given(value=SCALARS, name=st.text(st.characters(exclude_categories=()), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_nothing_is_lost(value: Any, name: str) -> None:
    graph = nx.Graph()
    graph.add_node(0)
    graph.nodes[0][name] = value
    with TemporaryDirectory() as folder:
        if name in ("id", "self") or (type(value) is float and not math.isfinite(value)):
            with pytest.raises(InvalidInputError, match="node 0"):
                round_trip(graph, Path(folder))
            assert os.listdir(folder) == []
        else:
            found = round_trip(graph, Path(folder)).nodes[0]
            assert repr(dict(found)) == repr(dict(graph.nodes[0]))


def test_the_oracle_sees_a_planted_fault(
    tmp_path: Path, make_graph: Make, assert_same: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = nx.node_link_data

    def one_edge_less(graph: nx.Graph, **options: Any) -> dict[str, Any]:
        data: dict[str, Any] = honest(graph, **options)
        data["edges"].pop()
        return data

    monkeypatch.setattr(nx, "node_link_data", one_edge_less)
    with pytest.raises(AssertionError):
        assert_same(round_trip(make_graph(5), tmp_path), make_graph(5))


def test_old_files_with_links(tmp_path: Path, make_graph: Make, assert_same: Compare) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps(nx.node_link_data(make_graph(12), edges="links")))
    assert_same(read_json(path), make_graph(12))


def document(**changes: Any) -> dict[str, Any]:
    data = {
        "directed": False,
        "multigraph": False,
        "graph": {"format": "plregions-region-graph", "version": 1},
        "nodes": [{"id": 0}, {"id": 1}],
        "edges": [{"source": 0, "target": 1}],
    }
    return {name: value for name, value in (data | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "JSON"),
        ('{"graph": {', "JSON"),
        (b"\xff\xfe\x00", "JSON"),
        ("[" * 100_000, "JSON"),
        ("[]", "list"),
        ("{}", "'graph'"),
        (document(graph={}), "None"),
        (document(graph={"format": "other", "version": 1}), "'other'"),
        (document(graph={"format": "plregions-region-graph"}), "version 1"),
        (document(graph={"format": "plregions-region-graph", "version": 2}), "got 2"),
        (document(graph={"format": "plregions-region-graph", "version": True}), "got True"),
        (document(directed=True), "undirected"),
        (document(multigraph=True), "parallel"),
        (document(edges=None), "'links'"),
        (document(links=[]), "'links'"),
        (document(nodes=None), "lists"),
        (document(nodes={}), "lists"),
        (document(nodes=[{}]), "ids"),
        (document(nodes=[{"id": 0}, {"id": 0}]), "differ"),
        (document(nodes=[{"id": [0, 1]}]), "ids"),
        (document(edges=[{"source": 0, "target": 2}]), "'target': 2"),
        (document(edges=[{"source": 0, "target": [1]}]), "nodes of the file"),
        (document(edges=[{"source": 0}]), "nodes of the file"),
        (document(edges=[{"source": 0, "target": 1}, {"source": 1, "target": 0}]), "once"),
        ('{"graph": NaN}', "finite numbers; got 'NaN'"),
        ('{"graph": 1e999}', "finite numbers; got '1e999'"),
    ],
    ids=str,
)
def test_other_files_are_refused(content: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(FormatError, match=message) as caught:
        read_json(path)
    assert caught.value.path == str(path)
    assert str(path) in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "no.json")
