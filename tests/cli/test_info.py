"""``plregions info`` from files: in words, as JSON, and by its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.endings import Run

import plregions as plr
from plregions import cli
from plregions.analysis.inspect import describe


def valley() -> plr.Network:
    """|x| + |1 - x| - 1 of the first of two inputs: never negative, which no bound shows."""
    first = ([[1, 0], [-1, 0], [-1, 0], [1, 0]], [0, 0, 1, -1])
    return plr.Network([first, ([[1, 1, 1, 1]], [-1]), ([[1]], [0])])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line beside a network; return code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    valley().save("net.json")

    def run(*words: str) -> tuple[int, str, str]:
        return (cli.main(list(words)), *capsys.readouterr())

    return run


def test_without_a_box(run: Run) -> None:
    code, out, err = run("info", "net.json")
    assert (code, err) == (0, "")
    assert out == f"net.json: {describe(valley())}\n"
    assert "proved" not in out
    code, out, err = run("info", "net.json", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["complete"], answer["network"], answer["domain"]) == (True, "net.json", None)
    assert answer["sizes"] == [2, 4, 1, 1]
    assert answer["fingerprint"] == valley().fingerprint
    assert "signs" not in answer


def test_with_a_box(run: Run) -> None:
    code, out, err = run("info", "net.json", "--box", "-2", "2")
    assert (code, err) == (0, "")
    assert "on Box([-2, 2]^2), proved exactly:" in out
    assert "1 neuron always on (>= 0 everywhere): 1:0" in out
    assert "1 by the cells of the layers before" in out
    code, out, _ = run("info", "net.json", "--box", "-2", "2", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["domain"] == "Box([-2, 2]^2)"
    assert answer["signs"]["always_on"] == [[1, 0]]
    assert (answer["complete"], answer["signs"]["unknown"]) == (True, [])


def test_with_a_slice(run: Run) -> None:
    words = ["info", "net.json", "--inputs", "1", "--at", "1/2", "0", "--box", "-1", "1"]
    code, out, _ = run(*words)
    assert code == 0
    assert "on Box([-1, 1]) of input 1 (the others at 0.5), proved exactly:" in out
    signs = json.loads(run(*words, "--json")[1])["signs"]
    # x[0] is 1/2: 1/2, -1/2, 1/2, -1/2, then 0
    assert signs["always_on"] == [[0, 0], [0, 2]]
    assert signs["dead"] == [[0, 1], [0, 3], [1, 0]]


def test_what_is_not_settled_is_incomplete(run: Run) -> None:
    words = ["info", "net.json", "--box", "-2", "2", "--time-limit", "1e-6"]
    code, out, err = run(*words)
    assert (code, err) == (3, "")
    assert "not settled, the time limit came first: 1 neuron unknown: 1:0" in out
    code, out, _ = run(*words, "--json")
    answer = json.loads(out)
    assert (code, answer["complete"]) == (3, False)
    assert answer["signs"]["stopped_by"] == "time_limit"
    assert answer["signs"]["unknown"] == [[1, 0]]


def test_interrupt(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("plregions.analysis.constant_signs.iter_regions", interrupted)
    code, out, err = run("info", "net.json", "--box", "-2", "2")
    assert (code, err) == (3, "")
    assert "not settled, interrupted: 1 neuron unknown" in out


@pytest.mark.parametrize("words", [["no.json"], ["net.json", "--box", "0", "1", "--inputs", "7"]])
def test_errors_are_one_line(run: Run, words: list[str]) -> None:
    code, out, err = run("info", *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
