"""Who sees what: progress on a terminal, on stdout the answer alone, and --help at once."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from cli.endings import Run, is_one_line

from plregions import cli
from plregions.cli import progress

HEAVY = {"numpy", "scipy", "numba", "networkx", "cvxpy", "shapely", "onnx", "flint"}
HEAVY |= {"matplotlib", "pandas", "torch"}
# Nothing here takes seconds; a process that waits for ever is stopped, so that the tests go on.
HANGS = 60


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make stderr a terminal, at a time when progress is due."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    seconds = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(seconds))
    return terminal


def shown(text: str) -> str:
    """What a terminal's line holds after `text`."""
    line = ""
    for part in text.split("\r"):
        line = part + line[len(part) :]
    return line.rstrip()


def test_no_progress_off_a_terminal(engine: Any, run: Run) -> None:
    assert run("count", "net.onnx", "--box", "-1", "1")[2] == ""
    assert engine.limits["progress"] is None


def test_progress_on_a_terminal(engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    code, out, _ = run("count", "net.onnx", "--box", "-1", "1", "--json")
    assert code == 0
    assert json.loads(out)["regions"] == 71
    text = terminal.getvalue()
    assert "1,200 regions so far, 600/s, 25% of the tree, at most about 10^236" in text
    assert shown(text) == ""
    assert "\n" not in text


def test_progress_is_cleared_before_an_error(
    engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = open_terminal(monkeypatch)
    engine.error = KeyboardInterrupt()
    assert run("count", "net.onnx", "--box", "-1", "1")[0] == 3
    text = terminal.getvalue()
    assert "regions so far" in text
    before, _, message = text.partition("plregions: ")
    assert shown(before) == ""
    assert "interrupted" in message


def test_progress_is_throttled_and_fits(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress.os, "get_terminal_size", lambda fd: os.terminal_size((30, 24)))
    terminal = Terminal()
    monkeypatch.setattr(terminal, "fileno", lambda: 2)
    meter = progress.Meter(terminal)
    for _ in range(1000):  # ten seconds
        now[0] += 0.01
        meter(engine.progress)
    lines = terminal.getvalue().split("\r")[1:]
    assert 40 <= len(lines) <= 50
    assert max(map(len, lines)) <= 29
    meter.clear()
    assert shown(terminal.getvalue()) == ""


def python(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, text=True, timeout=HANGS, stderr=subprocess.PIPE, **options)


def test_module_runs_and_names_its_version() -> None:
    done = python("-m", "plregions", "--version", stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[0] == "plregions"


@pytest.mark.parametrize("words", [[], ["count"], ["graph"], ["plot"], ["info"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    program = (
        "import json, sys\nfrom plregions.cli import main\n"
        f"code = main({[*words, '--help']!r})\n"
        "print(json.dumps([*sys.modules]), file=sys.stderr)\nsys.exit(code)"
    )
    done = python("-c", program, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert "exit codes:" in done.stdout
    assert "0.05 is 1/20" in done.stdout
    loaded = json.loads(done.stderr)
    assert not HEAVY & {name.split(".")[0] for name in loaded}
    ours = {name for name in loaded if name.startswith("plregions.")}
    assert {name for name in ours if not name.startswith("plregions.cli")} == {"plregions.errors"}


def test_reader_that_has_seen_enough() -> None:
    read, write = os.pipe()
    os.close(read)
    done = python("-m", "plregions", "--help", stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_stdout_that_takes_nothing() -> None:
    with open("/dev/full", "w") as full:
        done = python("-m", "plregions", "--version", stdout=full)
    assert done.returncode == 2
    assert is_one_line(done.stderr)
    assert "standard output" in done.stderr


def test_narrow_encodings(engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    code, *_ = run("graph", "net.onnx", "--box", "-1", "1", "-o", "r\u00e9gions.json")
    assert code == 0
    assert b"r\\xe9gions.json" in stdout.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_closed_streams(
    engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    monkeypatch.setattr(sys, stream, None)
    assert cli.main(["count", "net.onnx", "--box", "-1", "1"]) == 0
    assert cli.main(["count", "no.onnx", "--box", "-1", "1"]) == 2
