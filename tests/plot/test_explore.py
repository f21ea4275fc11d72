"""Does the page carry what the complex holds, and nothing that it would have to fetch?"""

from __future__ import annotations

import json
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.errors import InvalidInputError, MissingExtraError
from plregions.plot import Page, explore
from plregions.plot.cuts import groups_after
from plregions.regions.polygons import polygons, region_polygons

pytest.importorskip("plotly")


def content_of(page: Page) -> dict[str, Any]:
    """What the page's script reads."""
    start = page.html.index('<script id="data" type="application/json">')
    text = page.html[page.html.index(">", start) + 1 :]
    content: dict[str, Any] = json.loads(text[: text.index("</script>")])
    return content


@pytest.fixture(scope="module")
def content(complex: plr.RegionComplex) -> dict[str, Any]:
    return content_of(explore(complex))


def test_polygons_areas_and_patterns(complex: plr.RegionComplex, content: dict[str, Any]) -> None:
    x, y = np.array(content["x"]), np.array(content["y"])
    corners, offsets = np.array(content["corners"]), content["offsets"]
    for r, cell in enumerate(polygons(complex)):
        part = corners[offsets[r] : offsets[r + 1]]
        assert np.array_equal(np.stack([x[part], y[part]], axis=1), cell)
    assert content["areas"] == region_polygons(complex).areas.tolist()
    assert sum(content["areas"]) == pytest.approx(4.0)
    assert content["patterns"] == complex.pattern_strings()
    assert content["stops"] == [0, 8, 16]


def lost_neighbours(complex: plr.RegionComplex, content: dict[str, Any]) -> int:
    beyond, offsets = content["beyond"], content["offsets"]
    wrong = 0
    for r, region in enumerate(complex):
        found = sorted(b for b in beyond[offsets[r] : offsets[r + 1]] if b >= 0)
        wrong += found != [other.index for other in region.neighbours]
    return wrong


def test_neighbours(complex: plr.RegionComplex, content: dict[str, Any]) -> None:
    assert lost_neighbours(complex, content) == 0
    shifted = content | {"beyond": content["beyond"][1:] + content["beyond"][:1]}
    assert lost_neighbours(complex, shifted) > 10


def test_affine_maps_are_exact_to_their_digits(
    complex: plr.RegionComplex, content: dict[str, Any]
) -> None:
    for region, rows in zip(complex, content["affine"], strict=True):
        weight, bias = region.affine_map(exact=True)
        exact = np.column_stack([weight, bias]).astype(float)
        assert np.allclose(rows, exact, rtol=1e-5, atol=1e-12)
    assert content["linear"] == complex.linear.labels.tolist()
    assert content["maps"] == complex.linear.map_labels.tolist()


def test_steps_are_those_of_the_layers(complex: plr.RegionComplex, content: dict[str, Any]) -> None:
    assert content["layers"] == ["layer 1", "layer 2"]
    assert content["groups"] == [groups_after(complex, k).tolist() for k in (-1, 0, 1)]
    # A side is cut at the step from which on its two regions are in different groups.
    groups = np.array(content["groups"])
    owners = np.repeat(np.arange(len(complex)), np.diff(content["offsets"]))
    for owner, other, cut in zip(owners, content["beyond"], content["cuts"], strict=True):
        differ = [] if other < 0 else np.flatnonzero(groups[:, owner] != groups[:, other])
        assert cut == (0 if other < 0 else differ[0])


def test_colours_fit_the_polygons(complex: plr.RegionComplex, content: dict[str, Any]) -> None:
    names = ["pattern", "class", "linear", "output 0", "output 1", "area", "layer"]
    assert sorted(content["colourings"]) == sorted(names)
    for name, colouring in content["colourings"].items():
        n = len(colouring["shape"]["offsets"]) - 1 if name == "class" else len(complex)
        assert len(colouring["steps"]) == (3 if name == "pattern" else 1)
        for step in colouring["steps"]:
            assert len(step) == n
            assert max(step) < len(colouring["palette"]) < 200
    assert [n for n, _ in content["colourings"]["layer"]["names"]] == ["layer 1", "layer 2"]
    assert len(content["colourings"]["area"]["names"]) == 5


def test_neighbours_keep_different_colours(
    complex: plr.RegionComplex, content: dict[str, Any]
) -> None:
    colour = np.array(content["colourings"]["pattern"]["steps"][-1])
    edges = complex.graph.edges
    assert (colour[edges[:, 0]] != colour[edges[:, 1]]).all()


def test_one_output_has_no_class_and_first_colours_fit() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 6, 1]), plr.hypercube(2, -1, 1))
    found = content_of(explore(complex, "class"))
    assert "class" not in found["colourings"]
    assert found["colour"] == "output"
    two = plr.enumerate_regions(plr.mlp([2, 6, 2]), plr.hypercube(2, -1, 1))
    assert content_of(explore(two, "output"))["colour"] == "class"
    assert content_of(explore(two, "volume"))["colour"] == "area"


def test_many_outputs_are_cut_short() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 3, 13]), plr.hypercube(2, -1, 1))
    found = content_of(explore(complex))
    assert found["more_outputs"] == 3
    assert {len(rows) for rows in found["affine"]} == {10}


def test_points_come_with_names(complex: plr.RegionComplex) -> None:
    page = explore(complex, data=[[0, 0], [0.5, 0.25], [1, 1]], labels=["</script>", "a", "a"])
    one, other = content_of(page)["points"]
    assert (one[0], one[2:]) == ("</script>", [[0], [0]])
    assert (other[0], other[2:]) == ("a", [[0.5, 1], [0.25, 1]])
    assert content_of(explore(complex, data=[[0, 0]]))["points"][0][0] is None


def test_the_page_is_one_file_that_fetches_nothing(
    complex: plr.RegionComplex, tmp_path: Path
) -> None:
    page = explore(complex)
    head = page.html[: page.html.index("<script>")]
    tail = page.html[page.html.index('<script id="data"') :]
    assert "%" + "DATA%" not in page.html
    for part in (head, tail):
        assert "http" not in part
        assert "src=" not in part
    page.save(tmp_path / "page.HTML")
    assert (tmp_path / "page.HTML").read_text("utf-8") == page.html
    assert page == explore(complex)
    with pytest.raises(InvalidInputError, match=r"Page.save needs a path that ends in .html"):
        page.save(tmp_path / "page.png")
    assert repr(page).startswith("Page(")
    assert len(repr(page)) < 40


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    page = Page('<p title="a">&lt;</p>')
    frame = page._repr_html_()
    assert unescape(frame.split('srcdoc="')[1].split('"')[0]) == page.html


def test_wrong_use_is_refused(complex: plr.RegionComplex) -> None:
    solid = plr.enumerate_regions(plr.mlp([3, 4, 1]), plr.hypercube(3))
    with pytest.raises(InvalidInputError, match="plot.explore needs regions in two dimensions"):
        explore(solid)
    with pytest.raises(InvalidInputError, match="got 'red'"):
        explore(complex, "red")
    with pytest.raises(InvalidInputError, match="labels of shape"):
        explore(complex, data=[[0, 0]], labels=[1, 2])
    everywhere = plr.enumerate_regions(plr.mlp([2, 4, 1]), plr.WholeSpace(2))
    with pytest.raises(InvalidInputError, match="bounded domain"):
        explore(everywhere)


def test_missing_plotly_is_named(
    complex: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(MissingExtraError, match=r"plotly.*pip install plregions\[plot\]") as caught:
        explore(complex)
    assert caught.value.extra == "plot"


def test_import_alone_does_not_load_plotly() -> None:
    program = "import sys, plregions.plot\nsys.exit('plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
