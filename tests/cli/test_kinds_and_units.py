"""--kind and --units with the real engine, on networks whose counts are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import plregions as plr
from plregions import cli

Capture = pytest.CaptureFixture[str]
KINDS = ("activation", "linear", "maps")


def counts_of(capsys: Capture, *words: object) -> tuple[int, ...]:
    found = []
    for kind in KINDS:
        assert cli.main(["count", *map(str, words), "--kind", kind, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["kind"], answer["complete"]) == (kind, True)
        found.append(answer["regions"])
    return tuple(found)


def test_hat(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "hat.json"
    bias = ["-1/4", "-1/2", "-3/4"]
    plr.Network([([[1], [1], [1]], bias), ([[1, -2, 1]], [0])]).save(path)
    assert counts_of(capsys, path, "--box", 0, 1) == (4, 4, 3)


def test_lattice(shared: Path, capsys: Capture) -> None:
    pytest.importorskip("onnx")
    (path,) = (shared / "real_nets").glob("vnncomp2022/tllBench_n=2_N=M=8*.onnx")
    assert counts_of(capsys, path, "--box", -2, 2) == (433, 5, 5)


def test_ladder(shared: Path, capsys: Capture) -> None:
    folder = shared / "real_nets" / "marabou"
    path = folder / "twin_ladder-5_inp-2_layers-5_width-1_margin.nnet"
    words = [path, "--units", "raw", "--inputs", 0, 1, "--box", -10, 10]
    assert counts_of(capsys, *words) == (16, 1, 1)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """y = 5 relu((x - 1) / 4) + 2 in physical units, relu(x) in raw ones."""
    lines = ["// small", "2,1,1,1,", "1,1,1,", "0,", "-3,", "5,", "1,2,", "4,5,"]
    path = tmp_path / "small.nnet"
    path.write_text("\n".join([*lines, "1,", "0,", "1,", "0,"]) + "\n")
    return path


def test_units_move_the_kink(small: Path, capsys: Capture) -> None:
    for units, box, n in [
        ("raw", (-1, 1), 2),
        ("physical", (-1, 1), 1),
        ("raw", (0, 2), 1),
        ("physical", (0, 2), 2),
    ]:
        words = ["count", small, "--units", units, "--box", *box, "--json"]
        assert cli.main(list(map(str, words))) == 0
        assert json.loads(capsys.readouterr().out)["regions"] == n


def test_units_have_no_default(small: Path, capsys: Capture) -> None:
    assert cli.main(["count", str(small), "--box", "0", "1"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "--units raw" in captured.err and "--units physical" in captured.err
    assert cli.main(["info", str(small), "--units", "raw"]) == 0
