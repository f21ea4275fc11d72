"""What does the command line answer: in words, as JSON, as a file and by its exit code?"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cli.endings import Run, is_one_line

from plregions.writers import read_json


def test_count_in_words(engine: Any, run: Run) -> None:
    assert run("count", "net.onnx", "--box", "-1", "1") == (
        0,
        "71 activation regions in Box([-1, 1]^2), complete (0.12 s)\n",
        "",
    )
    engine.n_regions, engine.input_dim = 1, 1
    assert run("count", "net.onnx", "--box", "0", "1e-3")[1] == (
        "1 activation region in Box([0, 0.001]), complete (0.12 s)\n"
    )


def test_count_as_json(engine: Any, run: Run) -> None:
    code, out, err = run("count", "net.onnx", "--box", "-1", "1", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "regions": 71,
        "kind": "activation",
        "seconds": 0.125,
        "complete": True,
        "stopped_by": None,
        "network": "net.onnx",
        "fingerprint": "ab12",
        "domain": "Box([-1, 1]^2)",
    }


@pytest.mark.parametrize(
    ("name", "which", "words", "stopped_by"),
    [
        ("BUDGET_EXHAUSTED", "max_regions", "stopped at --max-regions", "max_regions"),
        ("BUDGET_EXHAUSTED", "time_limit", "stopped at --time-limit", "time_limit"),
        ("INTERRUPTED", None, "interrupted", "interrupt"),
    ],
)
def test_incomplete_answers(
    engine: Any, run: Run, name: str, which: str | None, words: str, stopped_by: str
) -> None:
    engine.outcome.name, engine.outcome.which = name, which
    limits = ["--max-regions", "71", "--time-limit", "2.5"]
    code, out, err = run("count", "net.onnx", "--box", "-1", "1", *limits)
    assert (code, err) == (3, "")
    assert out == f"71 activation regions in Box([-1, 1]^2), incomplete: {words} (0.12 s)\n"
    assert (engine.limits["max_regions"], engine.limits["time_limit"]) == (71, 2.5)
    assert type(engine.limits["time_limit"]) is float

    code, out, err = run("count", "net.onnx", "--box", "-1", "1", "--json")
    assert (code, err) == (3, "")
    answer = json.loads(out)
    assert (answer["complete"], answer["stopped_by"]) == (False, stopped_by)

    code, out, err = run("graph", "net.onnx", "--box", "-1", "1", "-o", "g.json")
    assert (code, err) == (3, "")
    assert f"incomplete: {words}" in out
    assert "partial graph written to g.json" in out
    assert read_json("g.json").graph["complete"] is False


@pytest.mark.parametrize(
    ("kind", "noun"),
    [
        ("activation", "activation region"),
        ("linear", "linear region"),
        ("maps", "distinct affine map"),
    ],
)
def test_kinds_of_counts(
    engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str, noun: str
) -> None:
    words = ["count", "net.onnx", "--box", "-1", "1", "--kind", kind]
    assert run(*words)[1].startswith(f"71 {noun}s in Box([-1, 1]^2), complete")
    assert engine.limits["kind"] == kind
    answer = json.loads(run(*words, "--json")[1])
    assert (answer["regions"], answer["kind"]) == (71, kind)
    engine.n_regions = 1
    assert run(*words)[1].startswith(f"1 {noun} in Box(")
    engine.outcome.name, engine.outcome.which = "BUDGET_EXHAUSTED", "max_regions"
    code, out, _ = run(*words)
    assert code == 3
    # Linear regions among those found may still grow together: the number bounds nothing.
    assert ("among the activation regions found" in out) == (kind != "activation")


def test_graph_files(engine: Any, run: Run) -> None:
    expected = engine.complex().to_networkx()
    for name in ("g.graphml", "g.json", "g.npz", "G.JSON"):
        code, out, err = run("graph", "net.onnx", "--box", "-1", "1", "-o", name)
        assert (code, err) == (0, "")
        assert is_one_line(out)
        assert out.startswith(
            "graph of 71 activation regions and 70 edges in Box([-1, 1]^2), complete ("
        )
        assert out.endswith(f" s), written to {name}\n")
    for found in (nx.read_graphml("g.graphml", node_type=int), read_json("g.json")):
        assert dict(found.nodes(data=True)) == dict(expected.nodes(data=True))
        assert nx.utils.edges_equal(found.edges(data=True), expected.edges(data=True))
    with np.load("g.npz") as archive:
        assert archive["n"] == 71
    assert sorted(os.listdir()) == ["G.JSON", "g.graphml", "g.json", "g.npz", "net.onnx"]


def test_graph_as_json(engine: Any, run: Run) -> None:
    code, out, err = run("graph", "net.onnx", "--box", "-1", "1", "-o", "g.json", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer.pop("seconds") >= 0
    assert answer == {
        "regions": 71,
        "kind": "activation",
        "edges": 70,
        "output": "g.json",
        "complete": True,
        "stopped_by": None,
        "network": "net.onnx",
        "fingerprint": "ab12",
        "domain": "Box([-1, 1]^2)",
    }


def test_interrupt_without_a_result(engine: Any, run: Run) -> None:
    engine.error = KeyboardInterrupt()
    Path("g.json").write_text("old")
    code, out, err = run("graph", "net.onnx", "--box", "-1", "1", "-o", "g.json")
    assert (code, out) == (3, "")
    assert is_one_line(err)
    assert "interrupted" in err
    assert Path("g.json").read_text() == "old"
    assert sorted(os.listdir()) == ["g.json", "net.onnx"]
