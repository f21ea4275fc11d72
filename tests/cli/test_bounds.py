"""``plregions bounds``: a table, or one JSON object with exact integers."""

from __future__ import annotations

import json

import pytest

from plregions import cli
from plregions.analysis.bounds import bounds_table


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    return (cli.main(["bounds", *words]), *capsys.readouterr())


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "2-6-6-1") == (0, f"{bounds_table('2-6-6-1')}\n", "")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "3-9-9-9-1", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    answer = json.loads(out)
    assert (answer["input_dim"], answer["hidden"], answer["output_dim"]) == (3, [9, 9, 9], 1)
    assert (answer["upper"], answer["lower"]) == (2197000, 532480)
    values = {bound["name"]: bound["value"] for bound in answer["bounds"]}
    assert values["trivial"] == 2**27


def test_long_integers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "2-20000-1", "--json")
    assert code == 0
    assert len(out) > 6021
    assert run(capsys, "2-20000-1")[0] == 0


@pytest.mark.parametrize("widths", ["2", "2-x-1", "-3-2", "2-0-1", "3-999999999999-1"])
def test_wrong_widths_are_one_line(capsys: pytest.CaptureFixture[str], widths: str) -> None:
    code, out, err = run(capsys, widths)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "bounds_table needs" in err


@pytest.mark.parametrize("words", [[], ["2-3-1", "2"], ["2-3-1", "--box", "0", "1"]])
def test_wrong_words(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
