"""Does plot.regions draw the regions, in the Axes that it was given, and nothing else?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.errors import InvalidInputError, MissingExtraError
from plregions.plot import graph, regions
from plregions.plot.canvas import line_width
from plregions.plot.colours import map_colours, pattern_colours
from plregions.plot.cuts import last_cuts
from plregions.regions.polygons import polygons, region_polygons

COLOURS = ["pattern", "linear", "class", "output", "volume", "layer"]


def axes() -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    return FigureCanvasAgg(Figure()).figure.subplots()


def drawn_faces(ax: Any) -> Any:
    """The face colours of the one PolyCollection, as it is drawn."""
    ax.figure.canvas.draw()
    (cells,) = cells_of(ax)
    return cells.get_facecolor()


def cells_of(ax: Any) -> list[Any]:
    from matplotlib.collections import PolyCollection

    return [part for part in ax.collections if isinstance(part, PolyCollection)]


@pytest.mark.parametrize("draw", [regions, graph])
def test_given_axes_come_back_and_pyplot_is_left_alone(
    complex: plr.RegionComplex, draw: Any
) -> None:
    import matplotlib.pyplot as plt

    _, mine = plt.subplots()
    current, ax = plt.gcf(), axes()
    assert draw(complex, ax=ax) is ax
    assert draw(complex, mine) is mine
    assert plt.get_fignums() == [1]
    assert plt.gcf() is current


@pytest.mark.parametrize("color", COLOURS)
def test_no_figure_is_opened_for_given_axes(complex: plr.RegionComplex, color: str) -> None:
    import matplotlib.pyplot as plt

    ax = axes()
    assert regions(complex, ax, color, data=[[0, 0], [0.5, 0.5]], labels=["a", "b"]) is ax
    assert plt.get_fignums() == []


@pytest.mark.parametrize("draw", [regions, graph])
def test_without_axes_there_is_one_new_figure(complex: plr.RegionComplex, draw: Any) -> None:
    import matplotlib.pyplot as plt

    plt.figure()
    ax = draw(complex)
    assert plt.get_fignums() == [1, 2]
    assert ax.figure is plt.figure(2)


@pytest.mark.parametrize("color", ["pattern", "linear", "output", "volume", "layer"])
def test_one_collection_holds_the_polygons_in_order(complex: plr.RegionComplex, color: str) -> None:
    ax = regions(complex, axes(), color, output=1 if color == "output" else None)
    (cells,) = cells_of(ax)
    for path, part in zip(cells.get_paths(), polygons(complex), strict=True):
        assert np.array_equal(path.vertices[:-1], part)
    assert drawn_faces(ax).shape == (len(complex), 4)


def test_colours_of_patterns_and_maps(complex: plr.RegionComplex) -> None:
    faces = drawn_faces(regions(complex, axes()))
    assert np.allclose(faces[:, :3], pattern_colours(complex.patterns))
    labels = complex.linear.map_labels
    faces = drawn_faces(regions(complex, axes(), "linear"))
    assert np.allclose(faces[:, :3], map_colours(complex.network, complex.patterns, labels))


def test_one_linear_region_has_one_colour() -> None:
    # relu(x) - relu(-x) = x: two activation regions, one map.
    net = plr.Network([([[1, 0], [-1, 0]], [0, 0]), ([[1, -1]], [0])])
    ax = regions(plr.enumerate_regions(net, plr.hypercube(2, -1, 1)), axes(), "linear")
    faces = drawn_faces(ax)
    assert len(faces) == 2
    assert np.array_equal(faces[0], faces[1])
    assert ax.get_title() == "2 activation regions, 1 linear, 1 map"


def test_output_is_that_of_the_centroid(complex: plr.RegionComplex) -> None:
    values = complex.network(region_polygons(complex).centroids)
    for k in range(2):
        (cells,) = cells_of(regions(complex, axes(), "output", output=k))
        assert np.array_equal(cells.get_array(), values[:, k])


def test_one_of_several_outputs_means_the_class(complex: plr.RegionComplex) -> None:
    one, other = (drawn_faces(regions(complex, axes(), c)) for c in ("output", "class"))
    assert np.array_equal(one, other)


def test_layers_have_names_and_colours(complex: plr.RegionComplex) -> None:
    ax = regions(complex, axes(), "layer")
    faces, cuts = drawn_faces(ax), last_cuts(complex)
    assert set(cuts.tolist()) == {0, 1}
    for one, other in [(0, 0), (1, 1), (0, 1)]:
        a, b = faces[cuts == one], faces[cuts == other]
        assert (np.abs(a[:, None] - b[None]).max() < 1e-9) == (one == other)
    assert [text.get_text() for text in ax.artists[0].get_texts()] == ["layer 1", "layer 2"]


def test_dark_lines_run_between_linear_regions() -> None:
    # relu(x) - relu(-x) = x, and a kink along y: two linear regions of four activation regions.
    net = plr.Network([([[1, 0], [-1, 0], [0, 1]], [0, 0, 0]), ([[1, -1, 1]], [0])])
    ax = regions(plr.enumerate_regions(net, plr.hypercube(2, -1, 1)), axes(), "linear")
    (lines,) = [part for part in ax.collections if type(part).__name__ == "LineCollection"]
    inner = {tuple(sorted(map(tuple, s.tolist()))) for s in lines.get_segments()}
    inner -= {
        s
        for s in inner
        if any(abs(s[0][k]) == 1 == abs(s[1][k]) and s[0][k] == s[1][k] for k in (0, 1))
    }
    assert inner == {((-1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (1.0, 0.0))}


def test_signs_of_one_output_are_told_apart() -> None:
    net = plr.Network([([[1, 0]], [0]), ([[1]], ["-1/4"])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    (cells,) = cells_of(regions(complex, axes(), "output"))
    assert cells.get_array().tolist() == [-0.25, 0.25]
    assert cells.norm(0.0) == 0.5


def test_areas_are_shown_on_a_logarithmic_scale(complex: plr.RegionComplex) -> None:
    ax = regions(complex, axes(), "volume")
    (cells,) = cells_of(ax)
    areas = region_polygons(complex).areas
    assert np.array_equal(cells.get_array(), areas)
    assert cells.norm.vmax == areas.max()
    # What has the lowest colour fills little of the square.
    assert areas[areas < cells.norm.vmin].sum() < 0.01
    assert len(ax.figure.axes) == 2


def test_regions_without_area_are_drawn() -> None:
    weight = [[1.0, 2.0], [1.0, 2.0]]
    net = plr.Network([(weight, [0.0, 1e-30]), ([[1, 1]], [0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    assert len(complex) == 3
    for color in COLOURS:
        assert len(drawn_faces(regions(complex, axes(), color))) == 3
    graph(complex, axes()).figure.canvas.draw()


def test_legend_can_be_left_out(complex: plr.RegionComplex) -> None:
    for color in COLOURS:
        ax = regions(complex, axes(), color, [[0, 0]], labels=["a"], legend=False)
        assert ax.get_legend() is None
        assert ax.figure.axes == [ax]
        assert not ax.artists


def test_data_are_drawn_on_top(complex: plr.RegionComplex) -> None:
    points = np.array([[0.0, 0.5], [-0.25, 0.0], [0.1, 0.2]])
    ax = regions(complex, axes(), data=points)
    cells, dots = ax.collections
    assert np.array_equal(dots.get_offsets(), points)
    assert dots.get_zorder() > cells.get_zorder()
    ax = regions(complex, axes(), data=points.tolist(), labels=[1, 0, 1])
    _, zeros, ones = ax.collections
    assert np.array_equal(zeros.get_offsets(), points[[1]])
    assert np.array_equal(ones.get_offsets(), points[[0, 2]])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1"]


def test_axes_tell_the_coordinates() -> None:
    net = plr.mlp([3, 6, 1])
    box = plr.Box([0, -1], [2, 1])
    plane = plr.Slice([0, 0, 0], [[1, 0, 0], [0, 1, 1]], box)
    ax = regions(plr.enumerate_regions(net, plane), axes())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("s[0]", "s[1]")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 2), (-1, 1))
    assert ax.get_aspect() == 1.0
    along = plr.Slice([0, 7, 0], [[0, 0, 1], [1, 0, 0]], box)
    ax = regions(plr.enumerate_regions(net, along), axes())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x[2]", "x[0]")
    long = plr.Box([0, 0], [1, 100])
    ax = regions(plr.enumerate_regions(plr.mlp([2, 6, 1]), long), axes(), data=[[500, 500]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x[0]", "x[1]")
    assert (ax.get_xlim(), ax.get_ylim(), ax.get_aspect()) == ((0, 1), (0, 100), "auto")


def test_title_says_when_regions_are_missing() -> None:
    net = plr.mlp([2, 16, 1])
    part = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), max_regions=5)
    ax = regions(part, axes())
    assert ax.get_title() == "5 activation regions (incomplete)"
    one = plr.enumerate_regions(plr.mlp([2, 1]), plr.hypercube(2, -1, 1))
    for color in COLOURS:
        ax = regions(one, axes(), color)
        assert ax.get_title().startswith("1 activation region")
        assert len(drawn_faces(ax)) == 1


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files_are_written(complex: plr.RegionComplex, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"picture.{suffix}"
    graph(complex, axes()).figure.savefig(path)
    regions(complex, axes(), "volume").figure.savefig(path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"color": "colour"},
            "one of 'pattern', 'linear', 'class', 'output', 'volume', 'layer'; got 'colour'",
        ),
        ({"color": "output", "output": 2}, "output from 0 to 1; got 2"),
        ({"color": "output", "output": -1}, "output from 0 to 1; got -1"),
        ({"color": "output", "output": True}, "output from 0 to 1; got True"),
        ({"output": 0}, "color='output' to show output 0"),
        ({"data": [1.0, 2.0]}, r"shape \(n, 2\), in the domain's coordinates; got \(2,\)"),
        ({"data": np.zeros((4, 3))}, r"got \(4, 3\)"),
        ({"data": [["a", "b"]]}, "data of numbers"),
        ({"data": [[0.0, np.nan]]}, "finite numbers"),
        ({"labels": [1]}, r"labels of shape \(1,\) and no data"),
        ({"data": [[0, 0]], "labels": [1, 2]}, r"labels of shape \(2,\) and 1 points"),
    ],
)
def test_wrong_options_are_refused(
    complex: plr.RegionComplex, options: dict[str, Any], message: str
) -> None:
    ax = axes()
    with pytest.raises(InvalidInputError, match=message):
        regions(complex, ax, **options)
    assert not ax.collections


@pytest.mark.parametrize("draw", [regions, graph])
@pytest.mark.parametrize("dim", [1, 3])
def test_other_dimensions_are_refused(draw: Any, dim: int) -> None:
    import matplotlib.pyplot as plt

    complex = plr.enumerate_regions(plr.mlp([dim, 4, 1]), plr.hypercube(dim, -1, 1))
    with pytest.raises(InvalidInputError, match=r"plot\.\w+ needs regions in two .*Slice"):
        draw(complex)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("draw", [regions, graph])
def test_missing_matplotlib_is_named(
    complex: plr.RegionComplex, draw: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install plregions\[plot\]") as caught:
        draw(complex)
    assert caught.value.extra == "plot"


def test_import_alone_loads_neither_matplotlib_nor_shapely() -> None:
    program = (
        "import sys, plregions.plot, plregions.regions.polygons\n"
        "sys.exit(len({'matplotlib', 'shapely'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_picture_does_not_choose_a_backend() -> None:
    program = (
        "import sys\nimport plregions as plr\nfrom plregions import plot\n"
        "from matplotlib.figure import Figure\n"
        "complex = plr.enumerate_regions(plr.mlp([2, 4, 1]), plr.hypercube(2, -1, 1))\n"
        "plot.regions(complex, ax=Figure().subplots())\n"
        "plot.graph(complex, ax=Figure().subplots())\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_edges_get_thinner_where_there_are_many_cells() -> None:
    widths = [line_width(n) for n in (0, 1, 100, 1000, 5775, 10**6)]
    assert widths == sorted(widths, reverse=True)
    assert min(widths) > 0


def test_the_lattice_network_of_vnncomp(shared: Path) -> None:
    folder = shared / "real_nets" / "vnncomp2022"
    net = plr.load(folder / "tllBench_n=2_N=M=8_m=1_instance_0_0.onnx")
    complex = plr.enumerate_regions(net, plr.hypercube(2, -2, 2))
    ax = regions(complex, axes(), "linear")
    (cells,) = cells_of(ax)
    assert len(cells.get_paths()) == 433
    assert ax.get_title() == "433 activation regions, 5 linear, 5 maps"
    assert len(np.unique(drawn_faces(ax), axis=0)) == 5
    shapes = [shapely.Polygon(path.vertices) for path in cells.get_paths()]
    assert sum(shape.area for shape in shapes) == pytest.approx(16.0)
