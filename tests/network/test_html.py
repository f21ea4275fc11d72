"""Tables in HTML: well-formed, with every text as it was given, and nothing to fetch."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plregions as plr
from plregions.network import html as module
from plregions.network.html import html_table

NASTY = """<script>alert("1 & 2")</script> ' &amp; ]]> <td>"""
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")))


class Tags(HTMLParser):
    """What a browser sees."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


def cells_of(text: str) -> list[list[str]]:
    """The rows of the table in a text that must be XML, and harmless as HTML."""
    root = ElementTree.fromstring(text)
    seen = Tags(text)
    assert seen.tags <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert seen.attributes == []
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def test_texts_come_back() -> None:
    text = html_table(NASTY, [NASTY, "n"], [[NASTY, 1], [None, 0.5]], NASTY)
    assert cells_of(text) == [[NASTY, "n"], [NASTY, "1"], ["None", "0.5"]]
    paragraphs = [p.text for p in ElementTree.fromstring(text).iter("p")]
    assert paragraphs == [NASTY, NASTY]


@given(st.lists(st.lists(texts, min_size=2, max_size=2)))
def test_any_texts_come_back(rows: list[list[str]]) -> None:
    assert cells_of(html_table("", [], rows)) == rows


def test_a_missing_escape_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "escape", lambda text: text)
    with pytest.raises((AssertionError, ElementTree.ParseError)):
        assert cells_of(html_table("", [], [[NASTY]])) == [[NASTY]]


def test_networks() -> None:
    net = plr.Network([([[1, 2]] * 3, [0] * 3), ([[1, 1, 1]], [0], (-1, 1))])
    assert cells_of(net._repr_html_()) == [
        ["layer", "inputs", "units", "neurons", "slopes"],
        ["0", "2", "3", "3", "relu"],
        ["1", "3", "1", "1", "others"],
    ]
    assert repr(net) in net._repr_html_()
