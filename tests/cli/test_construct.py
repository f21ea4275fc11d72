"""``plregions construct``: networks of the literature from words, in files that keep rationals."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli.endings import Run

import plregions as plr
from plregions import cli
from plregions import constructions as made
from plregions.cli import construct

ROWS = [(1, 1, Fraction(-9, 10)), (-1, 1, Fraction(-1, 20)), (3, 1, Fraction(-17, 10))]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in an empty folder; return code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        return (cli.main(list(words)), *capsys.readouterr())

    return run


ASKED = [
    ("corner_hinge 3", made.corner_hinge(3)),
    ("corner_hinge 3 is_for_cube=true", made.corner_hinge(3, is_for_cube=True)),
    ("corner_hinge d=3 is_for_cube=false", made.corner_hinge(3)),
    ("safran_g 4 1,2,3,4", made.safran_g(4, [1, 2, 3, 4])),
    ("copier 2 1/16", made.copier(2, Fraction(1, 16))),
    ("copier 2 r=0.0625", made.copier(2, Fraction(1, 16))),
    ("xor2", made.xor2()),
    (
        "graphic_arrangement 0-1,1-2,2-3,0-3",
        made.graphic_arrangement([(0, 1), (1, 2), (2, 3), (0, 3)]),
    ),
    ("graphic_arrangement 0-1", made.graphic_arrangement([(0, 1)])),
    ("boolean_product 3,", made.boolean_product([3])),
    ("hanin_max -1,0,1/3;1,0,0;", made.hanin_max([(-1, 0, Fraction(1, 3)), (1, 0, 0)])),
    (
        "montufar_fold 2 2 2 1,1,-9/10;-1,1,-1/20;3,1,-17/10 1,3,-5",
        made.montufar_fold(2, 2, 2, ROWS, (1, 3, -5)),
    ),
    ("radial_annulus 2 2 -1/2 3", made.radial_annulus(2, 2, Fraction(-1, 2), 3)),
    (
        "radial_deep 2 0,1/3,1 1/2,1 0,1,2",
        made.radial_deep(2, [0, "1/3", 1], ["1/2", 1], [0, 1, 2]),
    ),
    ("ridge_sum 1,0;-1/2,3; 0 -1", made.ridge_sum([[1, 0], ["-1/2", 3]], 0, -1)),
]


@pytest.mark.parametrize(("words", "net"), ASKED, ids=[words for words, _ in ASKED])
def test_network(run: Run, words: str, net: plr.Network) -> None:
    code, out, err = run("construct", *words.split(), "-o", "net.json")
    assert (code, err) == (0, "")
    assert out == f"{words}: {net!r}, depth {net.depth}, written to net.json\n"
    assert plr.load("net.json") == net


def test_json(run: Run) -> None:
    code, out, err = run("construct", "corner_hinge", "3", "-o", "net.json", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "construction": "corner_hinge",
        "parameters": ["3"],
        "input_dim": 3,
        "widths": [9, 2, 1],
        "output_dim": 1,
        "depth": 4,
        "neurons": 12,
        "fingerprint": made.corner_hinge(3).fingerprint,
        "output": "net.json",
    }


def test_file_answers_the_other_questions(run: Run) -> None:
    words = "montufar_fold 2 2 2 1,1,-9/10;-1,1,-1/20;3,1,-17/10 1,3,-5"
    assert run("construct", *words.split(), "-o", "net.json")[0] == 0
    for kind, n in (("activation", 112), ("linear", 105), ("maps", 93)):
        answer = run("count", "net.json", "--box", "0", "1", "--kind", kind, "--json")[1]
        assert json.loads(answer)["regions"] == n


def test_rationals_are_strings_in_the_file(run: Run) -> None:
    assert run("construct", "safran_g", "3", "-o", "net.json")[0] == 0
    text = Path("net.json").read_text(encoding="ascii")
    assert '"1/48"' in text
    assert plr.load("net.json").exact(made.safran_hard_points(3)[0]) == (0,)


def test_rationals_in_the_file_catch_a_planted_fault(run: Run) -> None:
    """The float64 beside 1/48 is another number, and another network."""
    assert run("construct", "safran_g", "3", "-o", "net.json")[0] == 0
    text = Path("net.json").read_text(encoding="ascii").replace('"1/48"', f'"{1 / 48}"')
    Path("net.json").write_text(text, encoding="ascii")
    with pytest.raises(plr.FormatError, match="fingerprint"):
        plr.load("net.json")


def test_npz(run: Run) -> None:
    assert run("construct", "l1_norm", "2", "-o", "net.npz")[0] == 0
    assert plr.load("net.npz") == made.l1_norm(2)
    code, out, err = run("construct", "corner_hinge", "3", "-o", "other.npz")
    assert (code, out) == (2, "")
    assert "got rationals" in err
    assert not Path("other.npz").exists()


def test_list(run: Run) -> None:
    code, out, err = run("construct", "--list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    heads, says = lines[::2], lines[1::2]
    assert "corner_hinge d [is_for_cube=true]" in heads
    assert "montufar_fold d p n_folds [final] [read_out]" in heads
    assert "xor2" in heads
    names = [head.split()[0] for head in heads]
    points = {"copier_centres", "plane_directions", "safran_hard_points", "sphere_directions"}
    assert set(made.__all__) - set(names) == {"narrow", *points}
    assert all(line.startswith("    Return ") and line.endswith(".") for line in says)
    assert json.loads(run("construct", "--list", "--json")[1])["constructions"] == [
        {"name": head.split()[0], "parameters": head.split()[1:], "says": line.strip()}
        for head, line in zip(heads, says, strict=True)
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("construct -o n.json", "construct needs NAME; got none. construct --list shows them."),
        ("construct xor2", "construct needs --output, the file to write; got none."),
        ("construct xor2 -o n.txt", "ends in .json, .npz; got 'n.txt'"),
        ("construct xor2 -o folder/n.json", "folder"),
        ("construct corner_hing 3 -o n.json", "got 'corner_hing'. Did you mean corner_hinge or"),
        ("construct zzz -o n.json", "got 'zzz'. See construct --list."),
        ("construct narrow net.json -o n.json", "construct needs a known NAME; got 'narrow'."),
        ("construct __all__ -o n.json", "got '__all__'"),
        (
            "construct corner_hinge -o n.json",
            "construct corner_hinge needs d [is_for_cube=true]; got none",
        ),
        ("construct corner_hinge 3 4 -o n.json", "got 3 4 (too many positional arguments)"),
        ("construct corner_hinge 3 e=4 -o n.json", "unexpected keyword argument 'e'"),
        ("construct corner_hinge d=3 d=4 -o n.json", "needs each parameter once; got d twice."),
        ("construct xor2 1 -o n.json", "construct xor2 needs no parameters; got 1"),
        ("construct corner_hinge x -o n.json", "or lists of them; got 'x'"),
        ("construct corner_hinge 1e999 -o n.json", "got '1e999'"),
        ("construct corner_hinge 0-1,2 -o n.json", "got '0-1'"),
        ("construct corner_hinge 1/2 -o n.json", "d from 2 to 1000; got 1/2"),
        ("construct corner_hinge 1 -o n.json", "d from 2 to 1000; got 1"),
        ("construct corner_hinge -3 -o n.json", "d from 2 to 1000; got -3"),
        ("construct --list xor2", "--list needs nothing else"),
        ("construct --list -o n.json", "--list needs nothing else"),
    ],
)
def test_wrong_use(run: Run, words: str, message: str) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert not Path("n.json").exists()


def test_words_catch_a_planted_fault(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(construct, "number", lambda text: Fraction(float(text)))
    assert run("construct", "copier", "2", "0.1", "-o", "net.json")[0] == 0
    assert plr.load("net.json") != made.copier(2, Fraction(1, 10))
