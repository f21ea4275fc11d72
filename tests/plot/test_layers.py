"""Does plot.layers show what each layer cuts?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.errors import InvalidInputError
from plregions.plot import layers
from plregions.plot import layers as draw
from plregions.plot.colours import pattern_colours
from plregions.plot.cuts import groups_after
from plregions.regions.polygons import shapely_polygons

BOX = plr.hypercube(2, -1, 1)


def panels_of(complex: plr.RegionComplex, n: int) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = FigureCanvasAgg(Figure()).figure
    axes = list(np.ravel(figure.subplots(1, n, squeeze=False)))
    panels = layers(complex, ax=axes)
    assert list(panels) == axes
    figure.canvas.draw()
    return panels


def misfits(complex: plr.RegionComplex, panels: Any) -> int:
    """The drawn regions that are not the unions of the regions that agree so far."""
    shapes, wrong = shapely_polygons(complex), 0
    for layer, panel in enumerate(panels):
        groups = groups_after(complex, layer)
        paths = panel.collections[0].get_paths()
        if len(paths) != groups.max() + 1:
            wrong += 1
            continue
        for k, path in enumerate(paths):
            (ring,) = path.to_polygons()
            union = shapely.union_all(shapes[groups == k])
            wrong += shapely.Polygon(ring).symmetric_difference(union).area > 1e-9
    return wrong


@pytest.fixture(scope="module")
def deep() -> plr.RegionComplex:
    return plr.enumerate_regions(plr.mlp([2, 6, 5, 4, 1], seed=2), BOX)


def test_each_panel_holds_the_regions_so_far(deep: plr.RegionComplex) -> None:
    panels = panels_of(deep, 3)
    assert misfits(deep, panels) == 0
    # Panels in another order are seen.
    assert misfits(deep, panels[::-1]) > 0


def _sizes(complex: plr.RegionComplex) -> list[int]:
    return [int(groups_after(complex, k).max()) + 1 for k in range(3)]


def test_titles_count_the_regions(deep: plr.RegionComplex) -> None:
    titles = [panel.get_title() for panel in panels_of(deep, 3)]
    assert titles == [f"layer {k + 1}: {n} regions" for k, n in enumerate(_sizes(deep))]
    assert _sizes(deep)[2] == len(deep)


def test_dark_lines_are_cuts_of_this_layer(deep: plr.RegionComplex) -> None:
    panels = panels_of(deep, 3)
    inner = len(deep.graph.edges)
    for layer, panel in enumerate(panels):
        _, old, new = panel.collections
        for lines, is_new in ((old, False), (new, True)):
            for segment in lines.get_segments():
                # On one side of the middle the patterns up to this layer differ, and they differ
                # up to the layer before exactly where the line is an old one.
                middle = segment.mean(axis=0)
                way = (segment[1] - segment[0])[::-1] * [-1, 1]
                length = np.linalg.norm(way)
                step = way / length * min(1e-7, 1e-3 * length)
                bits = [deep.network.pattern_at(middle + s * step).bits for s in (-1, 1)]
                stops = [deep.network.bit_slices[k].stop for k in (layer - 1, layer)]
                before = stops[0] if layer else 0
                assert (bits[0][: stops[1]] != bits[1][: stops[1]]).any()
                assert (bits[0][:before] == bits[1][:before]).all() == is_new
    assert len(old.get_segments()) + len(new.get_segments()) == inner


def test_colours_are_those_of_the_patterns_so_far(deep: plr.RegionComplex) -> None:
    panel = panels_of(deep, 3)[1]
    groups = groups_after(deep, 1)
    _, first = np.unique(groups, return_index=True)
    expected = pattern_colours(deep.patterns[first, :11])
    assert np.allclose(panel.collections[0].get_facecolor()[:, :3], expected)


def test_a_new_figure_has_a_panel_a_layer(deep: plr.RegionComplex) -> None:
    import matplotlib.pyplot as plt

    panels = draw(deep)
    assert plt.get_fignums() == [1]
    assert plt.figure(1).axes == list(panels)
    five = plr.enumerate_regions(plr.mlp([2, 3, 3, 3, 3, 3, 1]), BOX)
    panels = draw(five)
    assert len(panels) == 5
    assert plt.figure(2).axes == list(panels)


def test_no_layer_with_kinks_is_one_panel() -> None:
    one = plr.enumerate_regions(plr.mlp([2, 1]), BOX)
    (panel,) = panels_of(one, 1)
    assert panel.get_title() == "no layer: 1 region"


def test_regions_that_were_not_found_leave_gaps() -> None:
    part = plr.enumerate_regions(plr.mlp([2, 8, 8, 1], seed=1), BOX, max_regions=20)
    panels = panels_of(part, 2)
    assert panels[1].get_title() == "layer 2: 20 regions (incomplete)"
    drawn = sum(
        shapely.Polygon(ring).area
        for path in panels[0].collections[0].get_paths()
        for ring in path.to_polygons()
    )
    found = shapely.area(shapely_polygons(part)).sum()
    assert drawn == pytest.approx(found)


def test_wrong_axes_and_dimensions_are_refused(deep: plr.RegionComplex) -> None:
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    with pytest.raises(InvalidInputError, match="as many Axes as layers with kinks, 3; got 2"):
        draw(deep, ax=list(Figure().subplots(1, 2)))
    space = plr.enumerate_regions(plr.mlp([3, 4, 1]), plr.hypercube(3))
    with pytest.raises(InvalidInputError, match="plot.layers needs regions in two dimensions"):
        draw(space)
    assert plt.get_fignums() == []
