"""GraphML files hold the whole region graph, and networkx reads it back."""

from __future__ import annotations

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

from plregions.errors import InvalidInputError
from plregions.writers import write_graphml

Compare = Callable[[nx.Graph, nx.Graph], None]
Make = Callable[[int], nx.Graph]

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(st.characters(exclude_categories=()), max_size=8),
)


def in_xml(text: str) -> bool:
    """The production Char of XML 1.0, without the carriage return, which readers change."""
    return all(
        code in (0x9, 0xA)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or 0x10000 <= code <= 0x10FFFF
        for code in map(ord, text)
    )


def round_trip(graph: nx.Graph, folder: Path) -> nx.Graph:
    path = folder / "regions.graphml"
    write_graphml(graph, path)
    return nx.read_graphml(path, node_type=int)


@pytest.mark.parametrize("n", [0, 1, 2, 10_000])
def test_round_trip(n: int, tmp_path: Path, make_graph: Make, assert_same: Compare) -> None:
    graph = make_graph(n)
    assert_same(round_trip(graph, tmp_path), graph)
    assert os.listdir(tmp_path) == ["regions.graphml"]


def test_scalars_keep_value_and_type(
    tmp_path: Path, make_graph: Make, assert_same: Compare
) -> None:
    graph = make_graph(2)
    graph.nodes[0].update(
        yes=True, no=False, one=1, real=1.0, least=5e-324, minus=-0.0, large=2**63 - 1, empty=""
    )
    graph.nodes[1].update(yes=False, real=2, one="1")  # mixed types under one name
    graph.edges[0, 1].update(text="  <a> & \"b\" 'c' ]]> \t\n é \U0001f600 ", yes=True)
    graph.graph["complete"] = False
    assert_same(round_trip(graph, tmp_path), graph)


def test_text_ids(tmp_path: Path, assert_same: Compare) -> None:
    graph = nx.Graph([("01 \n", "1<0")], format="plregions-region-graph", version=1)
    write_graphml(graph, tmp_path / "g.graphml")
    assert_same(nx.read_graphml(tmp_path / "g.graphml"), graph)


@given(value=SCALARS, name=st.text(st.characters(exclude_categories=()), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_nothing_is_lost(value: Any, name: str) -> None:
    """Whatever the scalar: it comes back as it was, or it is refused."""
    graph = nx.Graph(format="plregions-region-graph", version=1)
    graph.add_node(0, **{"x": 0})
    graph.nodes[0][name] = value
    writable = in_xml(name)
    if type(value) is str:
        writable &= in_xml(value)
    elif type(value) is float:
        writable &= math.isfinite(value)
    elif type(value) is int:
        writable &= -(2**63) <= value < 2**63
    with TemporaryDirectory() as folder:
        if not writable:
            with pytest.raises(InvalidInputError, match="node 0"):
                round_trip(graph, Path(folder))
            assert os.listdir(folder) == []
        else:
            found = round_trip(graph, Path(folder)).nodes[0]
            assert repr(sorted(found.items())) == repr(sorted(graph.nodes[0].items()))


@pytest.mark.parametrize("text", ["a\x00b", "a\rb", "\x1b[0m", "\ufffe", "\ud800"])
def test_control_characters_are_refused(text: str, tmp_path: Path, make_graph: Make) -> None:
    graph = make_graph(1)
    graph.graph["domain"] = text
    with pytest.raises(InvalidInputError, match="'domain' of the graph"):
        write_graphml(graph, tmp_path / "g.graphml")
    graph.graph["domain"] = "d"
    graph.nodes[0][text] = 1
    with pytest.raises(InvalidInputError, match="of node 0"):
        write_graphml(graph, tmp_path / "g.graphml")
    assert os.listdir(tmp_path) == []


def test_the_oracle_sees_a_planted_fault(
    tmp_path: Path, make_graph: Make, assert_same: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = nx.write_graphml_xml

    def bools_as_numbers(graph: nx.Graph, file: Any) -> None:
        graph.graph["complete"] = int(graph.graph["complete"])
        honest(graph, file)

    monkeypatch.setattr(nx, "write_graphml_xml", bools_as_numbers)
    with pytest.raises(AssertionError):
        assert_same(round_trip(make_graph(2), tmp_path), make_graph(2))


def test_failure_leaves_the_old_file(
    tmp_path: Path, make_graph: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(graph: nx.Graph, file: Any) -> None:
        file.write(b"<graphml>")
        raise OSError("disk full")

    path = tmp_path / "g.graphml"
    path.write_text("old")
    monkeypatch.setattr(nx, "write_graphml_xml", half)
    with pytest.raises(OSError, match="disk full"):
        write_graphml(make_graph(1), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["g.graphml"]
