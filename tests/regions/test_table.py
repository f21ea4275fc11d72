"""Regions as tables: the pandas frame against the columns, HTML read back."""

from __future__ import annotations

import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import plregions as plr
from plregions.regions.table import count_html


def hat() -> plr.RegionComplex:
    net = plr.Network([([[1], [1], [1]], ["-1/4", "-1/2", "-3/4"]), ([[1, -2, 1]], [0])])
    return plr.enumerate_regions(net, plr.Box([0], [1]))


def square(**limits: Any) -> plr.RegionComplex:
    return plr.enumerate_regions(plr.mlp([2, 8, 8, 1]), plr.hypercube(2, -1, 1), **limits)


def texts_of(html: str, tag: str) -> list[str]:
    """The texts of all elements of one kind; the HTML must be XML."""
    return ["".join(item.itertext()) for item in ElementTree.fromstring(html).iter(tag)]


def check_frame(regions: plr.RegionComplex) -> Any:
    frame = regions.to_frame()
    assert list(frame.columns) == [
        *["pattern", "n_facets", "n_neighbours", "x0", "x1", "linear", "map"]
    ]
    assert frame.index.name == "region"
    assert frame.index.tolist() == list(range(len(regions)))
    for region, row in zip(regions, frame.itertuples(), strict=True):
        assert row.pattern == str(region.pattern)
        assert row.n_facets == region.n_facets
        assert row.n_neighbours == len(region.neighbours)
        assert [row.x0, row.x1] == region.interior_point.tolist()
        assert regions.network.pattern_at([row.x0, row.x1]) == region.pattern
        assert row.linear == regions.linear.labels[region.index]
        assert row.map == regions.linear.map_labels[region.index]
    return frame


@pytest.mark.parametrize("limits", [{}, {"max_regions": 7}])
def test_frame_holds_the_columns(limits: dict[str, int]) -> None:
    pytest.importorskip("pandas")
    regions = square(**limits)
    assert check_frame(regions).attrs == {
        "kind": "activation",
        "complete": not limits,
        "network": regions.network.fingerprint,
        "domain": "Box([-1, -1], [1, 1])",
    }


def test_rows_in_another_order_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    strings = plr.RegionComplex.pattern_strings
    monkeypatch.setattr(plr.RegionComplex, "pattern_strings", lambda self: strings(self)[::-1])
    with pytest.raises(AssertionError):
        check_frame(square())


def test_frame_of_linear_regions_that_share_a_map() -> None:
    pytest.importorskip("pandas")
    frame = hat().to_frame()
    assert frame["pattern"].tolist() == ["000", "100", "110", "111"]
    assert frame["n_neighbours"].tolist() == [1, 2, 2, 1]
    assert frame["n_facets"].tolist() == [2, 2, 2, 2]
    assert frame["linear"].tolist() == [0, 1, 2, 3]
    assert frame["map"].tolist() == [0, 1, 2, 0]


def test_frame_and_complex_do_not_share_memory() -> None:
    pytest.importorskip("pandas")
    regions = square()
    frame = regions.to_frame()
    frame.loc[0, "x0"] = 5.0
    frame.loc[0, "linear"] = 5
    assert regions.interior_points[0, 0] != 5.0
    assert regions.linear.labels[0] == 0


def test_frame_of_one_region_without_neurons() -> None:
    pytest.importorskip("pandas")
    net = plr.Network([([[1, 2]], [0])])
    frame = plr.enumerate_regions(net, plr.hypercube(2)).to_frame()
    assert frame["pattern"].tolist() == [""]
    assert frame["n_neighbours"].tolist() == [0]


def test_missing_pandas_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(plr.MissingExtraError, match=r"pip install plregions\[tables\]") as caught:
        hat().to_frame()
    assert caught.value.extra == "tables"


def test_complex_in_html() -> None:
    regions = square()
    html = regions._repr_html_()
    assert "graph" not in vars(regions)  # nothing long is begun for a look
    caption, note = texts_of(html, "p")
    assert caption.startswith(f"{len(regions)} activation regions of Network(2-8-8-1, 16 neurons)")
    assert "in Box([-1, -1], [1, 1]), complete. Every region" in caption
    assert note == f"{len(regions) - 10} more regions"
    assert texts_of(html, "th") == ["region", "pattern", "interior point"]
    cells = np.array(texts_of(html, "td")).reshape(10, 3)
    assert cells[:, 0].tolist() == [str(i) for i in range(10)]
    assert cells[:, 1].tolist() == regions.pattern_strings()[:10]

    n_facets = [region.n_facets for region in regions[:10]]
    html = regions._repr_html_()
    assert texts_of(html, "th")[-1] == "facets"
    assert texts_of(html, "td")[3::4] == [str(n) for n in n_facets]


def test_html_says_that_regions_are_missing() -> None:
    caption = texts_of(square(max_regions=7)._repr_html_(), "p")[0]
    assert caption.startswith("7 activation regions")
    assert "incomplete (BUDGET_EXHAUSTED(max_regions))" in caption
    assert "others are missing" in caption


def test_text_is_escaped() -> None:
    net = plr.Network([([[1]], [0]), ([[1]], [0])])
    regions = plr.enumerate_regions(net, plr.Box(["-1/3"], [1]))
    for html in (regions._repr_html_(), regions[0]._repr_html_()):
        assert "Box(['-1/3'], [1])" in texts_of(html, "p")[0]
        assert "Box(['" not in html
    assert "x[0] &gt;= -1/3" in regions[0]._repr_html_()


def test_region_in_html() -> None:
    html = hat()[2]._repr_html_()
    assert "Activation region 2 of Network(1-3-1, 3 neurons)" in texts_of(html, "p")[0]
    rows = dict(zip(*[iter(texts_of(html, "td"))] * 2, strict=True))
    assert rows["pattern"] == "110"
    labels = hat()[2].labels
    assert rows["constraint rows"] == f"{len(labels)}: {', '.join(labels)}"
    assert rows["output 0"] == "-1 x[0] + 0.75"  # x - 1/4 - 2 (x - 1/2)


def test_wide_regions_stay_small() -> None:
    net = plr.mlp([30, 60, 20])
    regions = plr.enumerate_regions(net, plr.hypercube(30, -1, 1), max_regions=20)
    for html in (regions._repr_html_(), regions[0]._repr_html_()):
        assert len(html) < 3000
        assert "..." in html


def test_counts_in_html() -> None:
    count = plr.count_regions(plr.mlp([2, 4, 1]), plr.hypercube(2, -1, 1))
    caption, note = texts_of(count_html(count), "p")
    assert caption == "8 activation regions, complete"
    assert note == count.outcome.help
    cells = texts_of(count_html(count), "td")
    assert cells[:6] == ["number", "8", "kind", "activation", "outcome", "COMPLETE"]
