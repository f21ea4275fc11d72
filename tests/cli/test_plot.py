"""Pictures from the command line: whole files, of the right kind, or one line and no file."""

from __future__ import annotations

import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions import cli
from plregions.cli import plot

pytest.importorskip("matplotlib")

Run = Callable[..., tuple[int, str, str]]
HEADS = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line beside two networks; return code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    plr.mlp([2, 6, 6, 2]).save("plane.npz")
    plr.mlp([4, 6, 1]).save("space.npz")
    plr.mlp([1, 6, 1]).save("line.npz")

    def run(*words: str) -> tuple[int, str, str]:
        return (cli.main(list(words)), *capsys.readouterr())

    return run


def cells_of(path: str) -> int:
    """The number of cells in an SVG: the paths of the collection of polygons."""
    root = ElementTree.parse(path).getroot()
    groups = [g for g in root.iter(f"{SVG}g") if g.get("id", "").startswith("PolyCollection")]
    assert len(groups) == 1
    return len(list(groups[0].iter(f"{SVG}path")))


def axis_texts(path: str) -> str:
    """The comments of an SVG, in which matplotlib keeps texts that it has drawn as paths."""
    return Path(path).read_text("utf-8")


@pytest.mark.parametrize("suffix", HEADS)
def test_files_of_each_kind(run: Run, suffix: str) -> None:
    n = int(plr.count_regions(plr.load("plane.npz"), plr.hypercube(2, -1, 1)))
    name = f"regions.{suffix}"
    code, out, err = run("plot", "plane.npz", "--box", "-1", "1", "-o", name)
    assert (code, err) == (0, "")
    assert out.startswith(f"picture of {n} activation regions in Box([-1, 1]^2), complete (")
    assert out.endswith(f" s), written to {name}\n")
    content = Path(name).read_bytes()
    assert content.startswith(HEADS[suffix])
    assert sorted(os.listdir()) == ["line.npz", "plane.npz", name, "space.npz"]
    # The same question, the same file.
    assert run("plot", "plane.npz", "--box", "-1", "1", "-o", name)[0] == 0
    assert Path(name).read_bytes() == content


@pytest.mark.parametrize("color", ["pattern", "linear", "class", "output", "volume", "layer"])
def test_every_region_is_drawn(run: Run, color: str) -> None:
    n = int(plr.count_regions(plr.load("plane.npz"), plr.hypercube(2, -1, 1)))
    words = ["plot", "plane.npz", "--box", "-1", "1", "-o", "r.svg", "--color", color, "--json"]
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer.pop("seconds") >= 0
    assert answer == {
        "regions": n,
        "kind": "activation",
        "color": color,
        "layers": False,
        "output": "r.svg",
        "complete": True,
        "stopped_by": None,
        "network": "plane.npz",
        "fingerprint": plr.load("plane.npz").fingerprint,
        "domain": "Box([-1, 1]^2)",
    }
    # Of classes the pieces are drawn: one region and more.
    assert cells_of("r.svg") >= n if color in ("class", "output") else cells_of("r.svg") == n


def test_colours_differ(run: Run) -> None:
    contents = set()
    for color in ("pattern", "output", "volume"):
        assert run("plot", "plane.npz", "--box", "-1", "1", "-o", "r.png", "--color", color)[0] == 0
        contents.add(Path("r.png").read_bytes())
    assert len(contents) == 3


def test_one_panel_a_layer(run: Run) -> None:
    n = int(plr.count_regions(plr.load("plane.npz"), plr.hypercube(2, -1, 1)))
    words = ["plot", "plane.npz", "--box", "-1", "1", "-o", "r.svg", "--layers"]
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith(f"picture of {n} activation regions")
    assert "layer 1: " in axis_texts("r.svg")
    assert f"<!-- layer 2: {n} regions -->" in axis_texts("r.svg")
    assert json.loads(run(*words, "--json")[1])["layers"] is True


def test_a_page_to_explore(run: Run) -> None:
    pytest.importorskip("plotly")
    words = ["plot", "space.npz", "--inputs", "3", "1", "--box", "-1", "1", "--color", "volume"]
    code, out, err = run(*words, "-o", "r.html")
    assert (code, err) == (0, "")
    assert out.endswith(" s), written to r.html\n")
    plane = plr.Slice([0] * 4, [[0, 0, 0, 1], [0, 1, 0, 0]], plr.hypercube(2, -1, 1))
    regions = plr.enumerate_regions(plr.load("space.npz"), plane)
    assert Path("r.html").read_text("utf-8") == plr.plot.explore(regions, "volume").html
    assert '"names":["x[3]","x[1]"]' in Path("r.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "r.html", "--layers"], "--layers needs a picture; got 'r.html'"),
        (["-o", "r.png", "--layers", "--color", "volume"], "--layers needs --color pattern"),
        (["-o", "r.htm"], "ends in .png, .svg, .pdf, .html; got 'r.htm'"),
    ],
)
def test_what_does_not_go_together(run: Run, words: list[str], message: str) -> None:
    code, out, err = run("plot", "plane.npz", "--box", "-1", "1", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_missing_plotly_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setattr("plregions.readers.load", lambda path: 1 / 0)  # not even read
    code, out, err = run("plot", "plane.npz", "--box", "-1", "1", "-o", "r.html")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "plotly" in err


def test_two_inputs_of_four(run: Run) -> None:
    words = ["--inputs", "3", "1", "--box", "-1", "1", "-o", "r.svg"]
    code, out, _ = run("plot", "space.npz", *words)
    assert code == 0
    assert "of inputs 3 1 (the others at 0)" in out
    assert "<!-- x[3] -->" in axis_texts("r.svg")
    assert "<!-- x[1] -->" in axis_texts("r.svg")


@pytest.mark.parametrize(
    ("words", "n"),
    [
        (["space.npz"], 4),
        (["line.npz"], 1),
        (["space.npz", "--inputs", "2"], 1),
        (["space.npz", "--inputs", "0", "1", "2"], 3),
    ],
)
def test_other_numbers_of_inputs(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: list[str], n: int
) -> None:
    def begun(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("the work was begun")

    monkeypatch.setattr("plregions.enumeration.enumerate_regions", begun)
    code, out, err = run("plot", *words, "--box", "-1", "1", "-o", "r.png")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert f"plot needs 2 inputs that vary; got {n}" in err
    assert "--inputs I J" in err
    assert not Path("r.png").exists()


def test_part_of_a_picture(run: Run) -> None:
    words = ["plot", "plane.npz", "--box", "-1", "1", "-o", "r.svg", "--max-regions", "5"]
    code, out, err = run(*words)
    assert (code, err) == (3, "")
    assert "5 activation regions in Box([-1, 1]^2), incomplete: stopped at --max-regions (" in out
    assert out.endswith("partial picture written to r.svg\n")
    assert cells_of("r.svg") == 5
    assert "incomplete" in axis_texts("r.svg")


def test_missing_matplotlib_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("plregions.readers.load", lambda path: 1 / 0)  # not even read
    code, out, err = run("plot", "plane.npz", "--box", "-1", "1", "-o", "r.png")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "pip install plregions[plot]" in err


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), ZeroDivisionError()])
def test_a_picture_is_whole_or_not_there(
    run: Run, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fails(figure: Any, file: Any, suffix: str) -> None:
        file.write(b"a part")
        raise fault

    monkeypatch.setattr(plot, "_save", fails)
    Path("r.png").write_bytes(b"old")
    words = ["plot", "plane.npz", "--box", "-1", "1", "-o", "r.png"]
    if isinstance(fault, OSError):
        code, _, err = run(*words)
        assert (code, err) == (2, "plregions: r.png: No space left on device\n")
    else:
        with pytest.raises(ZeroDivisionError):
            run(*words)
    assert Path("r.png").read_bytes() == b"old"
    assert sorted(os.listdir()) == ["line.npz", "plane.npz", "r.png", "space.npz"]


def test_pyplot_is_left_alone(run: Run) -> None:
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    assert run("plot", "plane.npz", "--box", "-1", "1", "-o", "r.png")[0] == 0
    assert plt.get_fignums() == before


def test_pixels_are_not_all_one_colour(run: Run) -> None:
    from matplotlib.image import imread

    assert run("plot", "plane.npz", "--box", "-1", "1", "-o", "r.png")[0] == 0
    pixels = imread("r.png")
    middle = pixels[300:600:20, 300:600:20, :3].reshape(-1, 3)
    assert len(np.unique(middle, axis=0)) > 3
