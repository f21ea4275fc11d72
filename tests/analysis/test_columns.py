"""Tables of exact numbers: nothing rounded in JSON, texts that say what they are."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from plregions.analysis.columns import (
    cell_text,
    frame,
    json_text,
    json_value,
    markdown,
    plain_table,
)


def test_json_is_exact() -> None:
    value = {"a": [1, 2**80, True, None, "x\n", 0.5], "b": {"c": json_value(Fraction(26, 180))}}
    assert json.loads(json_text(value)) == {"a": value["a"], "b": {"c": "13/90"}}
    assert json_value(Fraction(4, 2)) == "2"
    huge = 7**9000
    assert json_text([huge, -huge])[1:5] == json_text(huge)[:4]
    with pytest.raises(ValueError, match="JSON"):
        json_text([float("nan")])


def test_cells() -> None:
    assert cell_text(-(10**45)) == "-1.000e+45"
    assert cell_text(2**20000) == "3.980e+6020"
    assert cell_text(Fraction(10**50 + 1, 3)) == "3.33333e+49"
    assert cell_text(True) == "yes"
    assert cell_text(1) == "1"


def test_tables() -> None:
    assert markdown(["a|b"], [["c|d"]]) == "| a\\|b |\n| --- |\n| c\\|d |"
    assert plain_table(["a", "b"], []) == "a  b"
    assert plain_table(["n", "t"], [[None, "x"], [12, None]]) == " n  t\n -  x\n12  -"


def test_frame_keeps_what_floats_cannot_hold() -> None:
    pytest.importorskip("pandas")
    columns = {"n": [1, 2], "big": [2**70, 1], "q": [Fraction(1, 3), 2], "s": [None, 0.5]}
    table = frame("test", columns)
    assert [str(dtype) for dtype in table.dtypes] == ["int64", "object", "object", "object"]
    assert table["big"][0] == 2**70
    assert table["q"][0] == Fraction(1, 3)
    assert frame("test", {"a": [True], "b": [0.5]}).dtypes.tolist() == [bool, float]
    assert len(frame("test", {"a": []})) == 0
