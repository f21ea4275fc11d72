"""Which numbers, domains and outputs do the options mean, and what is wrong use?"""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.endings import Run, is_one_line

from plregions.cli import options
from plregions.domain import Box, Slice, WholeSpace
from plregions.errors import FormatError

# Numbers and domains.


@pytest.mark.parametrize(
    ("low", "high", "lower", "upper"),
    [
        ("-1", "1", Fraction(-1), Fraction(1)),
        ("-1e-3", "1e-3", Fraction(-1, 1000), Fraction(1, 1000)),
        ("-.5", ".5", Fraction(-1, 2), Fraction(1, 2)),
        ("-1/3", "+1/3", Fraction(-1, 3), Fraction(1, 3)),
        ("-5.", "-2E0", Fraction(-5), Fraction(-2)),
        ("-0.05", "0.05", Fraction(-1, 20), Fraction(1, 20)),
        ("1e8", "100000001", Fraction(10**8), Fraction(10**8 + 1)),
    ],
)
def test_numbers_are_exact(
    engine: Any, run: Run, low: str, high: str, lower: Fraction, upper: Fraction
) -> None:
    assert run("count", "net.onnx", "--box", low, high)[0] == 0
    assert engine.domain == Box([lower, lower], [upper, upper])
    # the same before NET, and in a file
    assert run("count", "--json", "--box", low, high, "net.onnx")[0] == 0
    assert engine.domain == Box([lower, lower], [upper, upper])
    Path("box.txt").write_text(f"{low} {high}\n" * 2)
    assert run("count", "net.onnx", "--box-file", "box.txt")[0] == 0
    assert engine.domain == Box([lower, lower], [upper, upper])


def test_negative_numbers_catch_a_planted_fault(
    engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "shield_numbers", list)
    assert run("count", "net.onnx", "--box", "-1e-3", "1e-3")[0] == 2


@pytest.mark.parametrize(
    "text", ["one", "nan", "inf", "-inf", "-Infinity", "1/0", "-1/0", "1e999", "1e-9999999999", ""]
)
def test_what_is_no_number(engine: Any, run: Run, text: str) -> None:
    for words in (["--box", text, "1"], ["--inputs", "0", "--box", "0", "1", "--at", text]):
        code, out, err = run("count", "net.onnx", *words)
        assert (code, out) == (2, "")
        assert is_one_line(err)
        assert text in err
    assert engine.n_calls == 0


def test_box_file(engine: Any, run: Run) -> None:
    Path("box.txt").write_text("\ufeff# my box\n\n -1\t1 # first\n   # nothing\n0 1/3\n", "utf-8")
    code, out, _ = run("count", "net.onnx", "--box-file", "box.txt")
    assert code == 0
    assert engine.domain == Box([-1, 0], [1, Fraction(1, 3)])
    assert "Box([-1, 1] x [0, 1/3])" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("-1 1\n0\n", "line 2"),
        ("-1 1\n\n# c\n0 1 2\n", "line 4"),
        ("-1 one\n0 1\n", "line 1"),
        ("-1,1\n0,1\n", "line 1"),
        ("-1 1\n2 1\n", "line 2"),
        ("-1 1\n1 1.0\n", "line 2"),
        ("-1 1\n", "each of the 2 varying inputs; got 1"),
        ("-1 1\n" * 3, "each of the 2 varying inputs; got 3"),
        ("", "got 0"),
        (b"\xff\xfe\x00\x01", "text file"),
        (None, "No such file"),
    ],
)
def test_bad_box_files(engine: Any, run: Run, content: str | bytes | None, message: str) -> None:
    if content is not None:
        Path("box.txt").write_bytes(content.encode() if isinstance(content, str) else content)
    code, out, err = run("count", "net.onnx", "--box-file", "box.txt")
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert message in err
    assert "box.txt" in err
    assert engine.n_calls == 0


def test_slices(engine: Any, run: Run) -> None:
    engine.input_dim = 4
    code, out, _ = run("count", "net.onnx", "--inputs", "2", "0", "--box", "-1", "1")
    assert code == 0
    box = Box([-1, -1], [1, 1])
    assert engine.domain == Slice([0, 0, 0, 0], [[0, 0, 1, 0], [1, 0, 0, 0]], box)
    assert "Box([-1, 1]^2) of inputs 2 0 (the others at 0)" in out

    Path("box.txt").write_text("-1 0\n5 7\n")
    words = ["--inputs", "3", "1", "--box-file", "box.txt", "--at", "-.5", "8", "1/3", "9"]
    code, out, _ = run("count", "net.onnx", *words)
    assert code == 0
    # the values of --at for inputs that vary do not shift the box
    origin = [Fraction(-1, 2), 0, Fraction(1, 3), 0]
    directions = [[0, 0, 0, 1], [0, 1, 0, 0]]
    assert engine.domain == Slice(origin, directions, Box([-1, 5], [0, 7]))
    assert engine.domain.embed_exact((Fraction(-1), Fraction(6))) == (
        Fraction(-1, 2),
        Fraction(6),
        Fraction(1, 3),
        Fraction(-1),
    )
    assert "Box([-1, 0] x [5, 7]) of inputs 3 1 (the others at -0.5 1/3)" in out


def test_whole_space(engine: Any, run: Run) -> None:
    code, out, _ = run("count", "net.onnx", "--whole-space")
    assert (code, engine.domain) == (0, WholeSpace(2))
    assert "71 activation regions in R^2, complete" in out
    assert run("count", "net.onnx", "--whole-space", "--inputs", "1", "0")[0] == 0
    assert engine.domain == WholeSpace(2)
    engine.input_dim = 4
    words = ["--inputs", "3", "1", "--whole-space", "--at", "-.5", "8", "1/3", "9"]
    code, out, _ = run("count", "net.onnx", *words)
    units = [[0, 0, 0, 1], [0, 1, 0, 0]]
    assert engine.domain == Slice([Fraction(-1, 2), 0, Fraction(1, 3), 0], units, WholeSpace(2))
    assert "R^2 of inputs 3 1 (the others at -0.5 1/3)" in out


def test_all_inputs_are_a_plain_box(engine: Any, run: Run) -> None:
    Path("box.txt").write_text("-1 0\n5 7\n")
    code, out, _ = run("count", "net.onnx", "--inputs", "1", "0", "--box-file", "box.txt")
    assert code == 0
    assert engine.domain == Box([5, -1], [7, 0])
    assert "Box([5, 7] x [-1, 0])," in out


def test_long_domains_stay_short(engine: Any, run: Run) -> None:
    engine.input_dim = 784
    Path("box.txt").write_text("".join(f"0 {i + 1}\n" for i in range(784)))
    _, out, _ = run("count", "net.onnx", "--box-file", "box.txt")
    assert "Box([0, 1] x [0, 2] x ... x [0, 784])" in out
    words = ["--inputs", "0", "--at", *["1"] * 784]
    _, out, _ = run("count", "net.onnx", *words, "--box", "0", "1")
    assert "Box([0, 1]) of input 0 (the others at --at)" in out


# Wrong use.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "COMMAND"),
        (["draw"], "draw"),
        (["count"], "NET"),
        (["count", "net.onnx"], "Give --box LO HI, --box-file F or --whole-space"),
        (["plot", "net.onnx", "-o", "a.png", "--whole-space"], "--whole-space"),
        (["info", "net.onnx", "--whole-space"], "--whole-space"),
        (["count", "net.onnx", "--box", "0", "1", "--whole-space"], "not allowed with"),
        (["count", "net.onnx", "--box", "1"], "--box"),
        (["count", "net.onnx", "--box", "0", "1", "--box-file", "f"], "--box-file"),
        (["count", "net.onnx", "--box", "1", "-1"], "Swap them"),
        (["count", "net.onnx", "--box", "1", "1.0"], "leave it out of --inputs"),
        (["count", "net.onnx", "--box", "0", "1", "--inputs", "7"], "has 2 inputs"),
        (["count", "net.onnx", "--box", "0", "1", "--inputs", "0", "0"], "each input once"),
        (["count", "net.onnx", "--box", "0", "1", "--inputs", "-1"], "got '-1'"),
        (["count", "net.onnx", "--box", "0", "1", "--inputs", "x1"], "got 'x1'"),
        (["count", "--box", "0", "1", "--inputs", "0", "net.onnx"], "NET before the options"),
        (["count", "net.onnx", "--box", "0", "1", "--at", "0", "0"], "--at needs --inputs"),
        (["count", "net.onnx", "--box", "0", "1", "--inputs", "0", "--at", "0"], "2 inputs"),
        (["count", "net.onnx", "--box", "0", "1", "--max-regions", "0"], "--max-regions"),
        (["count", "net.onnx", "--box", "0", "1", "--max-regions", "1e3"], "--max-regions"),
        (["count", "net.onnx", "--box", "0", "1", "--time-limit", "0"], "--time-limit"),
        (["count", "net.onnx", "--box", "0", "1", "--time-limit", "-1"], "--time-limit"),
        (["count", "net.onnx", "--box", "0", "1", "--max", "3"], "--max"),
        (["count", "net.onnx", "--box", "0", "1", "-o", "x.json"], "-o"),
        (["count", "no.onnx", "--box", "0", "1"], "no.onnx: No such file"),
        (["count", ".", "--box", "0", "1"], ".: Is a directory"),
        (["graph", "net.onnx", "--box", "0", "1"], "-o"),
        (["plot", "net.onnx", "--box", "0", "1"], "-o"),
        (["plot", "net.onnx", "-o", "x.png"], "Give --box LO HI or --box-file F"),
        (["plot", "net.onnx", "--box", "0", "1", "-o", "x.png", "--color", "red"], "'red'"),
        (["count", "net.onnx", "--box", "0", "1", "--color", "volume"], "--color"),
        (["count", "net.onnx", "--box", "0", "1", "--kind", "affine"], "'affine'"),
        (["graph", "net.onnx", "--box", "0", "1", "-o", "x.json", "--kind", "maps"], "--kind"),
        (["info", "net.onnx", "--inputs", "0"], "--inputs needs a domain"),
        (["info", "net.onnx", "--at", "0", "0"], "--at needs a domain"),
        (["info", "net.onnx", "--time-limit", "3"], "--time-limit needs a domain"),
        (["info", "net.onnx", "--max-regions", "3"], "--max-regions"),
        (["info", "net.onnx", "--box", "1", "0"], "Swap them"),
        (["count", "net.onnx", "--box", "0", "1", "--units", "raw"], "needs a .nnet file"),
        (["count", "net.onnx", "--box", "0", "1", "--units", "metric"], "'metric'"),
        (["count", "net.nnet", "--box", "0", "1"], "--units raw"),
        (["info", "net.NNET"], "--units raw"),
    ],
)
def test_wrong_use_is_one_line(engine: Any, run: Run, words: list[str], message: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert err.startswith("plregions")
    assert message in err
    assert engine.n_calls == 0


def test_errors_of_the_package_are_one_line(engine: Any, run: Run) -> None:
    engine.error = FormatError("load needs\na network;\n  got net.onnx.")
    assert run("count", "net.onnx", "--box", "0", "1") == (
        2,
        "",
        "plregions: load needs a network; got net.onnx.\n",
    )


def test_other_errors_are_not_hidden(engine: Any, run: Run) -> None:
    engine.error = ZeroDivisionError("a fault of ours")
    with pytest.raises(ZeroDivisionError):
        run("count", "net.onnx", "--box", "0", "1")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("regions.gml", ".graphml, .gexf, .json, .npz"),
        ("regions", ".graphml, .gexf, .json, .npz"),
        ("regions.png", ".graphml, .gexf, .json, .npz"),
        ("folder.json", "folder.json: Is a directory"),
        ("missing/regions.json", "missing/regions.json: No such file"),
        ("net.onnx/regions.json", "net.onnx/regions.json"),
        ("net.json", "other than NET"),
    ],
)
def test_output_is_checked_before_the_work(
    engine: Any, run: Run, output: str, message: str
) -> None:
    Path("folder.json").mkdir()
    Path("net.json").symlink_to("net.onnx")
    before = sorted(os.listdir())
    code, out, err = run("graph", "net.onnx", "--box", "0", "1", "-o", output)
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert message in err
    assert engine.n_calls == 0
    assert sorted(os.listdir()) == before
    assert Path("net.onnx").read_bytes() == b"network"


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("regions.jpg", ".png, .svg, .pdf"),
        ("regions.json", ".png, .svg, .pdf"),
        ("missing/regions.png", "missing/regions.png: No such file"),
        ("net.svg", "other than NET"),
    ],
)
def test_pictures_are_checked_before_the_work(
    engine: Any, run: Run, output: str, message: str
) -> None:
    Path("net.svg").symlink_to("net.onnx")
    code, out, err = run("plot", "net.onnx", "--box", "0", "1", "-o", output)
    assert (code, out) == (2, "")
    assert is_one_line(err)
    assert message in err
    assert engine.n_calls == 0
    assert sorted(os.listdir()) == ["net.onnx", "net.svg"]


def test_a_late_check_would_be_noticed(
    engine: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault of the test above: without the check, the engine runs for nothing."""
    monkeypatch.setattr("plregions.writers.writable.check_writable", lambda path: None)
    code, _, err = run("graph", "net.onnx", "--box", "0", "1", "-o", "missing/regions.json")
    assert (code, engine.n_calls) == (2, 1)
    assert "missing/regions.json: No such file" in err
