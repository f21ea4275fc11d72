"""Does the page work in a real browser? Load, point, move the slider, zoom; a silent console."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.headless_browser import opened

import plregions as plr
from plregions.plot import explore
from plregions.plot.cuts import groups_after
from plregions.regions.polygons import region_polygons

pytest.importorskip("plotly")


@pytest.fixture(scope="module")
def deep() -> plr.RegionComplex:
    return plr.enumerate_regions(plr.mlp([2, 8, 7, 6, 3], seed=3), plr.hypercube(2, -1, 1))


@pytest.fixture(scope="module")
def browsed(
    deep: plr.RegionComplex, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Any, list[str], list[str]]]:
    path = tmp_path_factory.mktemp("page") / "page.html"
    explore(deep, data=[[0.0, 0.0]], labels=["a"]).save(path)
    with opened(path.as_uri()) as page:
        yield page


def place(page: Any, point: Any) -> tuple[float, float]:
    """The pixel of a point of the square, when the picture is not zoomed."""
    box = page.locator(".nsewdrag").bounding_box()
    u, v = (np.asarray(point) + 1) / 2
    return box["x"] + u * box["width"], box["y"] + (1 - v) * box["height"]


def move_slider(page: Any, step: int) -> str:
    page.evaluate(
        "v => { const s = document.getElementById('step'); s.value = v;"
        " s.dispatchEvent(new Event('input')); }",
        step,
    )
    page.wait_for_selector(f"body[data-step='{step}']")
    return str(page.inner_text("#shown"))


def pixels(page: Any) -> str:
    """The regions as they are drawn."""
    return str(page.evaluate("() => document.getElementById('cells').toDataURL()"))


def large(complex: plr.RegionComplex, n: int) -> list[int]:
    """The n regions with the largest areas."""
    return np.argsort(region_polygons(complex).areas)[::-1][:n].tolist()


def told(page: Any, complex: plr.RegionComplex, region: int) -> bool:
    """Whether the page tells about the region under the pointer what the complex says."""
    text = page.inner_text("#facts")
    pattern = str(complex[region].pattern)
    neighbours = " ".join(str(other.index) for other in complex[region].neighbours)
    area = region_polygons(complex).areas[region]
    weight, bias = complex[region].affine_map()
    return (
        f"region {region}" in text.splitlines()[0]
        and all(f"{part} (layer" in text for part in (pattern[:8], pattern[8:15], pattern[15:]))
        and f"\n{neighbours}\n" in text
        and f"\n{area:.6g}\n" in text
        and text.count("output ") == 3
        and f"{abs(weight[0, 0]):.6g} x[0]" in text
        and f" {abs(bias[2]):.6g}" in text
    )


def test_the_region_under_the_pointer_is_told(
    browsed: tuple[Any, list[str], list[str]], deep: plr.RegionComplex
) -> None:
    page, said, asked = browsed
    move_slider(page, 3)
    chosen = large(deep, 25)
    for region in chosen:
        page.mouse.move(*place(page, region_polygons(deep).centroids[region]))
        assert told(page, deep, region)
    # What is told of one region is wrong for another.
    assert not told(page, deep, chosen[0])
    page.mouse.move(2, 2)
    assert page.inner_text("#facts h2") == "Point at a region."
    assert said == []
    assert len(asked) == 1  # the page itself


def test_the_slider_cuts_layer_by_layer(
    browsed: tuple[Any, list[str], list[str]], deep: plr.RegionComplex
) -> None:
    page, said, _ = browsed
    seen = set()
    region = large(deep, 1)[0]
    centre = region_polygons(deep).centroids[region]
    for step in (3, 2, 1, 0):
        groups = groups_after(deep, step - 1)
        n = groups.max() + 1
        words = f"up to layer {step}" if step else "no layer"
        assert move_slider(page, step) == f"{words}: {n} region{'' if n == 1 else 's'}"
        page.mouse.move(2, 2)
        seen.add(pixels(page))
        page.mouse.move(*place(page, centre))
        head = page.inner_text("#facts h2")
        assert head.split(",")[0] == f"region {groups[region]}"
        area = region_polygons(deep).areas[groups == groups[region]].sum()
        assert f"\n{area:.6g}\n" in page.inner_text("#facts")
    assert len(seen) == 4
    assert move_slider(page, 3).startswith("up to layer 3")
    page.mouse.move(2, 2)
    assert pixels(page) in seen  # the way back
    assert said == []


def test_colours_change_and_are_explained(browsed: tuple[Any, list[str], list[str]]) -> None:
    page, said, _ = browsed
    move_slider(page, 3)
    names = page.locator("#colour option").all_inner_texts()
    assert names[:3] == ["pattern", "class", "linear"]
    seen, keys = set(), {}
    for name in names:
        page.select_option("#colour", name)
        seen.add(pixels(page))
        keys[name] = page.inner_text("#key")
    assert len(seen) == len(names)
    assert keys["pattern"] == keys["linear"] == ""
    assert "output" in keys["class"]
    assert "layer 3" in keys["layer"]
    page.select_option("#colour", "pattern")
    move_slider(page, 2)
    assert page.locator("#colour").is_disabled()
    move_slider(page, 3)
    assert said == []


def test_zoom_moves_the_regions_with_the_axes(
    browsed: tuple[Any, list[str], list[str]], deep: plr.RegionComplex
) -> None:
    page, said, _ = browsed
    move_slider(page, 3)
    region = large(deep, 1)[0]
    centre = region_polygons(deep).centroids[region]
    x, y = place(page, centre)
    page.mouse.move(x, y)
    before = pixels(page)
    page.mouse.wheel(0, -300)
    page.wait_for_function(
        "() => { const r = document.getElementById('plot').layout.xaxis.range;"
        " return r[1] - r[0] < 1.9; }"
    )
    page.mouse.move(x + 1, y)  # a zoom keeps what is under the pointer
    assert told(page, deep, region)
    assert pixels(page) != before
    page.mouse.move(2, 2)
    page.locator("[data-title='Reset axes']").click()
    page.mouse.move(*place(page, centre))
    assert told(page, deep, region)
    page.mouse.dblclick(*place(page, centre))  # nothing to reset: all stays
    page.wait_for_timeout(400)
    assert page.evaluate("() => document.getElementById('plot').layout.xaxis.range") == [-1, 1]
    page.mouse.move(2, 2)
    page.mouse.move(*place(page, centre))
    assert told(page, deep, region)
    assert said == []


def test_a_click_keeps_a_region(
    browsed: tuple[Any, list[str], list[str]], deep: plr.RegionComplex
) -> None:
    page, said, _ = browsed
    move_slider(page, 3)
    one, other = large(deep, 2)
    centres = region_polygons(deep).centroids
    page.mouse.click(*place(page, centres[one]))
    page.mouse.move(*place(page, centres[other]))
    assert page.inner_text("#facts h2") == f"region {one} (kept)"
    page.mouse.click(*place(page, centres[other]))
    assert page.inner_text("#facts h2") == f"region {other}"
    assert said == []


def test_a_broken_page_is_seen(
    browsed: tuple[Any, list[str], list[str]], deep: plr.RegionComplex, tmp_path: Path
) -> None:
    path = tmp_path / "broken.html"
    html = explore(deep).html
    path.write_text(html.replace("function tell() {", "function tell() { throw Error('x');"))
    page = browsed[0].context.browser.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function("() => document.getElementById('shown').textContent !== ''")
    page.wait_for_timeout(200)
    assert said == ["x"]
    page.close()


def test_a_network_without_kinks_is_one_region(
    browsed: tuple[Any, list[str], list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "one.html"
    net = plr.Network([([[0, -2]], [0])])
    explore(plr.enumerate_regions(net, plr.hypercube(2, -1, 1))).save(path)
    page = browsed[0].context.browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready=true]", timeout=60_000)
    assert page.inner_text("#shown") == "no layer: 1 region"
    page.mouse.move(*place(page, [0.3, 0.3]))
    text = page.inner_text("#facts")
    assert "\narea\n4\n" in text
    assert "0 neighbours\nnone" in text
    assert text.endswith("output 0 = -2 x[1]")
    assert said == []
    page.close()
