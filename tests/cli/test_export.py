"""plregions export, and plregions graph in GEXF: files, words, JSON, and what is refused."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import shapely
from cli.endings import Run

import plregions as plr
from plregions import cli

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in a folder with the diamond network, net.json."""
    monkeypatch.chdir(tmp_path)
    first = ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4)
    plr.Network([first, ([[-1] * 4], ["1/2"]), ([[1]], [0])]).save("net.json")

    def ask(*words: str) -> tuple[int, str, str]:
        code = cli.main(list(words))
        return (code, *capsys.readouterr())

    return ask


def without_time(text: str) -> str:
    head, _, tail = text.partition(" (")
    return head + tail[tail.index(")") + 1 :]


def test_a_table(ask: Run) -> None:
    code, out, err = ask("export", "net.json", "--box", "-1", "1", "-o", "r.parquet")
    assert (code, err) == (0, "")
    sentence = "8 activation regions in Box([-1, 1]^2), complete, written to r.parquet\n"
    assert without_time(out) == sentence
    frame = pd.read_parquet("r.parquet")
    assert (len(frame), frame["volume"].sum()) == (8, 4)


def test_polygons_of_linear_regions_as_json(ask: Run) -> None:
    words = ["--box", "-1", "1", "--kind", "linear", "-o", "r.wkb", "--json"]
    code, out, err = ask("export", "net.json", *words)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    facts = (answer["regions"], answer["kind"], answer["output"], answer["complete"])
    assert facts == (5, "linear", "r.wkb", True)
    shapes = shapely.from_wkb(Path("r.wkb").read_bytes()).geoms
    assert [(s.area, len(s.interiors)) for s in shapes] == [(3.5, 1)] + [(0.125, 0)] * 4


def test_the_graph_in_gexf_by_both_commands(ask: Run) -> None:
    for command in ("graph", "export"):
        code, out, _ = ask(command, "net.json", "--box", "-1", "1", "-o", f"{command}.gexf")
        assert (code, out.endswith(f"written to {command}.gexf\n")) == (0, True)
    assert Path("graph.gexf").read_bytes() == Path("export.gexf").read_bytes()
    graph = nx.read_gexf("graph.gexf", node_type=int)
    assert len(graph) == 8
    assert graph.nodes[0]["pattern"] == "01010"


def test_everywhere(ask: Run) -> None:
    code, out, _ = ask("export", "net.json", "--whole-space", "-o", "r.csv")
    assert (code, "in R^2, complete" in out) == (0, True)
    assert pd.read_csv("r.csv")["is_bounded"].sum() == 4


def test_part_of_the_regions(ask: Run) -> None:
    limits = ["--box", "-1", "1", "--max-regions", "3"]
    code, out, err = ask("export", "net.json", *limits, "-o", "r.csv")
    assert (code, err) == (3, "")
    assert "3 activation regions" in out
    assert "incomplete: stopped at --max-regions" in out
    assert pd.read_csv("r.csv")["is_complete"].tolist() == [False] * 3
    code, out, _ = ask("export", "net.json", *limits, "-o", "l.csv", "--kind", "linear")
    assert (code, "among the activation regions found" in out) == (3, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--box", "-1", "1", "-o", "r.shp"], "ends in .csv, .geojson, .gexf, .graphml, .json,"),
        (["--box", "-1", "1", "-o", "r.npz", "--kind", "linear"], "for linear regions; got 'npz'"),
        (["--whole-space", "-o", "r.wkb"], "export to wkb needs a bounded domain"),
        (["--inputs", "0", "--box", "0", "1", "-o", "r.geojson"], "got a domain of dimension 1"),
        (["--box", "-1", "1", "-o", "no/r.csv"], "no/r.csv: No such file or directory"),
        (["--box", "-1", "1", "-o", "net.json"], "a file other than NET"),
        (["--box", "-1", "1"], "-o/--output"),
    ],
)
def test_refused_before_any_work(
    ask: Run, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("work has begun")

    monkeypatch.setattr("plregions.enumeration.enumerate_regions", never)
    code, out, err = ask("export", "net.json", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert os.listdir() == ["net.json"]


def test_a_missing_library_is_named_before_any_work(
    ask: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, out, err = ask("export", "net.json", "--box", "-1", "1", "-o", "r.parquet")
    assert (code, out) == (2, "")
    assert "export to parquet needs the pyarrow library" in err
    assert "pip install plregions[tables]" in err
