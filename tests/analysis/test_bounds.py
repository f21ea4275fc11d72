"""The table of bounds: the published table, what does not apply, and its forms."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

import plregions as plr
from plregions.analysis import bounds
from plregions.analysis.bounds import BoundsTable, bounds_table
from plregions.errors import InvalidInputError, MissingExtraError

NAMES = ("trivial", "naive", "montufar_2017", "serra_2018", "hinz_2019")
LOWER = ("montufar_2014", "serra_2018_folds")
PUBLISHED: dict[str, tuple[int | None, ...]] = {
    "2-4-4-1": (256, 121, 121, 121, 121, 44, None),
    "2-6-6-1": (4096, 484, 484, 484, 484, 198, 352),
    "2-6-6-6-1": (262144, 10648, 10648, 10648, 10648, 1782, 5632),
    "3-9-9-9-1": (2**27, 2197000, 2197000, 2197000, 2197000, 94770, 532480),
    "1-3-3-3-1": (512, 64, 64, 64, 64, 36, 64),
    "4-2-4-1": (64, 64, 44, 22, 22, None, None),
    "2-1-5-1": (64, 32, 12, 7, 7, None, None),
    "2-2-2-2-1": (64, 64, 64, 30, 30, 4, None),
    "3-4-2-4-1": (1024, 900, 660, 302, 302, None, None),
}


def values(table: BoundsTable) -> tuple[Any, ...]:
    return tuple(table[name].value for name in (*NAMES, *LOWER))


@pytest.mark.parametrize("widths", PUBLISHED)
def test_published_table(widths: str) -> None:
    table = bounds_table(widths)
    assert values(table) == PUBLISHED[widths]
    assert table.lower <= table.upper == PUBLISHED[widths][3]
    assert table == bounds_table([int(n) for n in widths.split("-")])


def test_published_table_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "serra_bound", bounds.montufar_2017_bound)
    assert values(bounds_table("4-2-4-1")) != PUBLISHED["4-2-4-1"]


def test_output_dimension_plays_no_part() -> None:
    assert bounds_table("2-6-6-9").bounds == bounds_table("2-6-6-1").bounds


def test_what_does_not_apply_says_why() -> None:
    table = bounds_table("4-3-5-1")
    for name, words in (
        ("zaslavsky", "one hidden layer"),
        ("serra_2018_one_input", "one input"),
        ("montufar_2014", "less than the input dimension"),
        ("serra_2018_folds", "less than 3 input dimensions"),
        ("arora_2016", "the first width is odd"),
        ("hanin_rolnick", "constant t"),
    ):
        assert table[name].value is None
        assert table[name].remark.startswith("says nothing: ")
        assert words in table[name].remark
    assert "differ" in bounds_table("2-4-2-3-1")["arora_2016"].remark
    assert "are 1" in bounds_table("2-4-1-1")["serra_2018_zonotope"].remark
    assert "less than 3" in bounds_table("1-2-1")["serra_2018_one_input"].remark


def test_no_hidden_layer() -> None:
    table = bounds_table("3-2")
    assert (table.upper, table.lower) == (1, 1)
    assert table["montufar_2014"].remark == "says nothing: there is no hidden layer"


def test_maxima() -> None:
    assert bounds_table("2-7-1")["zaslavsky"].value == 29
    assert bounds_table("1-3-4-1")["serra_2018_one_input"].value == 20
    for widths in ("2-7-1", "1-3-4-1"):
        table = bounds_table(widths)
        assert table.lower == table.upper


def test_means() -> None:
    table = bounds_table("1-10-1", t="1/2", interval=(-1, 2))
    assert table["hanin_rolnick"].value == 5
    assert table["gaussian_layer"].value == pytest.approx(7.02416, abs=1e-5)
    assert bounds_table("1-2-2-1", interval=(0, 1))["gaussian_layer"].value is None
    # A mean is neither an upper nor a lower bound.
    assert bounds_table("1-10-1", t="1/100", interval=(-1, 2)).upper == 11


def test_networks() -> None:
    table = bounds_table(plr.mlp("2-6-6-1"))
    assert values(table) == PUBLISHED["2-6-6-1"]
    assert table["rank"].value == 484
    narrow = plr.Network([([[1, 1], [2, 2]], [0, 1]), ([[1, 1]], [0])])
    assert bounds_table(narrow).upper == bounds_table(narrow)["rank"].value == 3
    for other in (
        plr.Network([([[1, 0], [0, 1]], None, (-1, 1)), ([[1, 1]], [0])]),
        plr.Network([([[1, 0], [0, 1]], None), ([[1, 1]], [0], "relu")]),
        plr.Network([([[1, 0], [0, 1]], None, [(0, 1), (1, 1)]), ([[1, 1]], [0])]),
    ):
        table = bounds_table(other)
        assert table["serra_2018"].value is None
        assert "are ReLU" in table["serra_2018"].remark
        assert table["trivial"].value == 2**other.n_neurons
        assert int(plr.count_regions(other, plr.WholeSpace(2))) <= table.upper


def test_forms() -> None:
    table = bounds_table("2-6-6-1", t="1/3")
    text, page = str(table), table.to_markdown()
    assert text.startswith("numbers of regions of 2-6-6-1 networks\nbound ")
    assert len(text.splitlines()) == len(page.splitlines()) == len(table.bounds) + 2
    assert (
        "| serra_2018_folds | lower | 352 | folds with one piece more | Serra et al. 2018" in page
    )
    answer = json.loads(table.to_json())
    assert answer == json.loads(json.dumps(table.to_dict()))
    by_name = {bound["name"]: bound["value"] for bound in answer["bounds"]}
    assert (answer["upper"], answer["lower"], answer["hidden"]) == (484, 352, [6, 6])
    assert (by_name["trivial"], by_name["zaslavsky"], by_name["hanin_rolnick"]) == (4096, None, "8")
    table = bounds_table("1-1-1", t="1/3")
    assert table["hanin_rolnick"].value == Fraction(1, 3)
    assert '"1/3"' in table.to_json()


def test_html() -> None:
    page = bounds_table("2-6-6-1")._repr_html_()
    assert ElementTree.fromstring(page).findtext("p") == "numbers of regions of 2-6-6-1 networks"
    assert "<td>352</td>" in page


def test_frame() -> None:
    pytest.importorskip("pandas")
    table = bounds_table("10-200-200-1")
    frame = table.to_frame().set_index("name")
    assert frame.loc["trivial", "value"] == 2**400
    assert list(frame.columns) == ["kind", "value", "remark", "source"]


def test_frame_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="BoundsTable.to_frame needs the pandas library"):
        bounds_table("2-3-1").to_frame()


def test_integers_of_any_length_are_exact_in_json() -> None:
    text = bounds_table("1-20000-1").to_json()
    digits = text.split('"value": ')[1].split(",")[0]
    assert len(digits) == 6021
    assert int(digits[-9:]) == pow(2, 20000, 10**9)
    assert "3.980e+6020" in str(bounds_table("1-20000-1"))


@pytest.mark.parametrize(
    "widths", ["2", "2-0-1", "2-x-1", "", "2--3", "2-1.5-1", [2], [2, 0, 1], [2, 1.0, 1], 7, None]
)
def test_wrong_widths(widths: Any) -> None:
    with pytest.raises(InvalidInputError, match="bounds_table needs input dimension"):
        bounds_table(widths)


def test_wrong_questions() -> None:
    with pytest.raises(InvalidInputError, match="seconds"):
        bounds_table("3-999999999999-1")
    with pytest.raises(InvalidInputError, match="name of a bound"):
        bounds_table("2-3-1")["nobody"]
    for interval in (3, (1, 0), ("a", "b")):
        with pytest.raises(InvalidInputError):
            bounds_table("1-3-1", interval=interval)  # type: ignore[arg-type]
