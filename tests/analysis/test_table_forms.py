"""All forms of a table hold the same cells."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest

import plregions as plr
from plregions.analysis.columns import cell_text
from plregions.analysis.table_forms import Shown, Table


class Small(Table):
    """Two columns of a text, a third elsewhere."""

    _n_in_text: ClassVar[int | None] = 2

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self.rows = rows

    def _caption(self) -> str:
        return "small < large"

    def _shown(self) -> Shown:
        return ["name", "share", "big"], self.rows

    def to_dict(self) -> dict[str, Any]:
        return {"rows": self._records()}


SMALL = Small(("a|b", Fraction(1, 3), 2**70), ("<c>", None, 1))
NETS = [plr.mlp("1-3-1", seed) for seed in range(2)]
PROFILE = plr.depth_profile([*NETS, plr.Network([([[1]], [0])])], plr.Box([0], [1]))
TABLES: list[Table] = [
    SMALL,
    plr.bounds_table("2-4-1"),
    PROFILE,
    plr.summarise(PROFILE, ["activation"]),
    plr.radial_table(NETS, plr.euclidean_norm(), n_points=64),
]


def test_forms_of_a_small_table() -> None:
    assert str(SMALL) == "small < large\nname  share\na|b     1/3\n<c>       -"
    assert SMALL.to_markdown().splitlines()[2:] == [
        "| a\\|b | 1/3 | 1180591620717411303424 |",
        "| <c> | - | 1 |",
    ]
    assert json.loads(SMALL.to_json())["rows"] == [
        {"name": "a|b", "share": "1/3", "big": 2**70},
        {"name": "<c>", "share": None, "big": 1},
    ]
    assert str(Small()) == "small < large\nname  share"
    assert json.loads(Small().to_json()) == {"rows": []}


def cells_of_html(table: Table) -> list[list[str]]:
    page = ElementTree.fromstring(table._repr_html_())
    return [[cell.text or "" for cell in row] for row in page.iter("tr")]


def cells_of_markdown(table: Table) -> list[list[str]]:
    head, _, *lines = table.to_markdown().replace("\\|", "\0").splitlines()
    rows = [line.removeprefix("|").removesuffix("|").split("|") for line in (head, *lines)]
    return [[cell.strip().replace("\0", "|") for cell in row] for row in rows]


def disagreements(table: Table) -> list[str]:
    """The forms that do not hold what HTML shows."""
    shown = cells_of_html(table)
    wrong = [] if cells_of_markdown(table) == shown else ["Markdown"]
    lines = [" ".join(line.split()) for line in str(table).splitlines()[-len(shown) :]]
    rows = [" ".join(" ".join(row).split()) for row in shown]
    # The text may leave out the last columns.
    if not all(line and row.startswith(line) for line, row in zip(lines, rows, strict=True)):
        wrong.append("text")
    if json.loads(table.to_json()) != json.loads(json.dumps(table.to_dict())):
        wrong.append("JSON")
    return wrong


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_forms_agree(table: Table) -> None:
    assert disagreements(table) == []


def test_oracle_catches_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    for form in ("__str__", "to_markdown", "to_json"):
        with monkeypatch.context() as patch:
            inner = getattr(Table, form)
            patch.setattr(Table, form, lambda self, inner=inner: inner(self).replace("3", "4"))
            assert len(disagreements(SMALL)) == 1, form


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_frames_hold_the_cells(table: Table) -> None:
    pytest.importorskip("pandas")
    heads, *rows = cells_of_html(table)
    frame = table.to_frame()
    assert len(frame) == len(rows)
    common = [head for head in heads if head in frame and head != "widths"]
    assert len(common) >= 3
    for head in common:
        found = [cell_text(value) for value in frame[head].tolist()]
        assert found == [row[heads.index(head)] for row in rows], head
