"""GEXF files hold the whole region graph, and networkx reads it back."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plregions.errors import InvalidInputError
from plregions.writers import gexf, write_gexf
from plregions.writers.graphml import xml_problem

Compare = Callable[[nx.Graph, nx.Graph], None]
Make = Callable[[int], nx.Graph]

NAMES = ["id", "label", "start", "end", "pid", "parents", "spells", "slices", "viz", "key", "self"]


def round_trip(graph: nx.Graph, folder: Path) -> nx.Graph:
    """Read the file back; what the reader adds is taken off, and the description put in its place.

    The reader adds a label to nodes, an id to edges, and its own attributes of the graph.
    """
    path = folder / "regions.gexf"
    write_gexf(graph, path)
    found = nx.read_gexf(path, node_type=int)
    for node, data in found.nodes(data=True):
        assert data.pop("label") == str(node)
    ids = [data.pop("id") for _, _, data in found.edges(data=True)]
    assert len(set(ids)) == len(ids)
    (text,) = [e.text for e in ElementTree.parse(path).iter() if e.tag.endswith("}description")]
    found.graph.clear()
    found.graph.update(json.loads(text or ""))
    return found


@pytest.mark.parametrize("n", [0, 1, 2, 5_000])
def test_round_trip(n: int, tmp_path: Path, make_graph: Make, assert_same: Compare) -> None:
    assert_same(round_trip(make_graph(n), tmp_path), make_graph(n))
    assert os.listdir(tmp_path) == ["regions.gexf"]


def test_scalars_keep_value_and_type(
    tmp_path: Path, make_graph: Make, assert_same: Compare
) -> None:
    graph = make_graph(2)
    graph.nodes[0].update(yes=True, one=1, least=5e-324, minus=-0.0, large=2**63 - 1, empty="")
    graph.nodes[1].update(yes=False, one=-(2**63), least=1e300, minus=0.1)
    graph.edges[0, 1].update(text="  <a> & \"b\" 'c' ]]> \t\n é \U0001f600 ", yes=True)
    graph.graph["note"] = "<a> ]]> \n é"
    assert_same(round_trip(graph, tmp_path), graph)


SCALARS = st.one_of(st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=8))


@given(value=SCALARS, name=st.one_of(st.text(min_size=1, max_size=4), st.sampled_from(NAMES)))
@settings(max_examples=100, deadline=None)
def test_nothing_is_lost(value: Any, name: str) -> None:
    """Whatever the scalar: it comes back as it was, or it is refused."""
    graph = nx.Graph(format="plregions-region-graph", version=1)
    graph.add_node(0)
    graph.nodes[0][name] = value
    writable = name not in NAMES and xml_problem(name) is None and xml_problem(value) is None
    if type(value) is float:
        writable &= math.isfinite(value)
    with TemporaryDirectory() as folder:
        if not writable:
            with pytest.raises(InvalidInputError, match="node 0"):
                round_trip(graph, Path(folder))
            assert os.listdir(folder) == []
        else:
            found = round_trip(graph, Path(folder)).nodes[0]
            assert repr(dict(found)) == repr(dict(graph.nodes[0]))


@pytest.mark.parametrize("name", ["weight", "type", "label", "id", "networkx_key", "start"])
def test_names_of_the_format_are_refused_on_edges(
    name: str, tmp_path: Path, make_graph: Make
) -> None:
    graph = make_graph(2)
    graph.edges[0, 1][name] = 1
    with pytest.raises(InvalidInputError, match=f"'{name}' of edge 0 - 1"):
        write_gexf(graph, tmp_path / "g.gexf")


def test_mixed_types_are_refused(tmp_path: Path, make_graph: Make) -> None:
    graph = make_graph(2)
    graph.nodes[0]["a"], graph.nodes[1]["a"] = 1, 1.5
    with pytest.raises(InvalidInputError, match="one type for all values of 'a'; got int and fl"):
        write_gexf(graph, tmp_path / "g.gexf")
    assert os.listdir(tmp_path) == []


def test_equal_graphs_give_equal_files(
    tmp_path: Path, make_graph: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gexf(make_graph(9), tmp_path / "a.gexf")
    monkeypatch.setattr("time.strftime", lambda *_: "2001-01-01")
    write_gexf(make_graph(9), tmp_path / "b.gexf")
    assert (tmp_path / "a.gexf").read_bytes() == (tmp_path / "b.gexf").read_bytes()


def test_the_oracle_sees_a_planted_fault(
    tmp_path: Path, make_graph: Make, assert_same: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful(gexf.GEXFWriter):  # type: ignore[misc]
        def add_edges(self, graph: nx.Graph, element: Any) -> None:
            graph = graph.copy()
            graph.edges[0, 1]["neurons"] = "4"
            super().add_edges(graph, element)

    monkeypatch.setattr(gexf, "GEXFWriter", Forgetful)
    with pytest.raises(AssertionError):
        assert_same(round_trip(make_graph(3), tmp_path), make_graph(3))


def test_failure_leaves_the_old_file(
    tmp_path: Path, make_graph: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(self: Any, file: Any) -> None:
        file.write(b"<gexf>")
        raise OSError("disk full")

    path = tmp_path / "g.gexf"
    path.write_text("old")
    monkeypatch.setattr(gexf.GEXFWriter, "write", half)
    with pytest.raises(OSError, match="disk full"):
        write_gexf(make_graph(1), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["g.gexf"]
