"""Does plot.surface lift the regions to the output?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.errors import InvalidInputError
from plregions.plot import surface
from plregions.regions.polygons import polygons


def space() -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    return FigureCanvasAgg(Figure()).figure.add_subplot(projection="3d")


def drawn(complex: plr.RegionComplex, ax: Any) -> list[Any]:
    """The polygons of the one collection: corners in space, without matplotlib's padding."""
    (collection,) = ax.collections
    cells = polygons(complex)
    assert len(collection._faces) == len(cells)
    return [np.asarray(f)[: len(c)] for f, c in zip(collection._faces, cells, strict=True)]


def worst(complex: plr.RegionComplex, output: int) -> float:
    """The largest gap of heights to the exact output, at corners and in the middle."""
    gaps = []
    faces = drawn(complex, surface(complex, space(), output=output))
    for face, cell in zip(faces, polygons(complex), strict=True):
        assert np.array_equal(face[:, :2], cell)
        for x, y, z in [*face, face.mean(axis=0)]:
            gaps.append(abs(z - float(complex.network.exact([x, y])[output])))
    return max(gaps)


@pytest.mark.parametrize("output", [0, 1])
def test_heights_are_the_output(complex: plr.RegionComplex, output: int) -> None:
    assert worst(complex, output) < 1e-12


def test_heights_of_another_network_are_seen(
    complex: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plr.Network, "__call__", lambda self, x: np.tanh(x) @ np.ones((2, 2)))
    assert worst(complex, 0) > 0.01


def test_axes_fit_the_surface(complex: plr.RegionComplex) -> None:
    ax = surface(complex, space(), output=1)
    heights = np.concatenate([face[:, 2] for face in drawn(complex, ax)])
    low, high = ax.get_zlim()
    assert low < heights.min()
    assert high > heights.max()
    assert ax.get_zlabel() == "output 1"
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-1, 1))


def test_a_constant_has_room() -> None:
    net = plr.Network([([[1, 0]], [0]), ([[0]], [3])])
    low, high = surface(plr.enumerate_regions(net, plr.hypercube(2, -1, 1)), space()).get_zlim()
    assert low < 3 < high


@pytest.mark.parametrize("color", ["pattern", "linear", "output", "volume", "layer"])
def test_colours(complex: plr.RegionComplex, color: str) -> None:
    ax = surface(complex, space(), color)
    ax.figure.canvas.draw()
    assert len(np.unique(ax.collections[0].get_facecolor(), axis=0)) > 1
    assert len(ax.figure.axes) == (2 if color in ("output", "volume") else 1)
    assert len(surface(complex, space(), color, legend=False).figure.axes) == 1


def test_a_new_figure_is_one_in_space(complex: plr.RegionComplex) -> None:
    import matplotlib.pyplot as plt

    ax = surface(complex)
    assert ax.name == "3d"
    assert plt.get_fignums() == [1]


def test_wrong_use_is_refused(complex: plr.RegionComplex) -> None:
    from matplotlib.figure import Figure

    with pytest.raises(InvalidInputError, match="plot.surface needs Axes in space; got Axes"):
        surface(complex, Figure().subplots())
    with pytest.raises(InvalidInputError, match="output from 0 to 1; got 2"):
        surface(complex, space(), output=2)
    with pytest.raises(InvalidInputError, match="'layer'; got 'class'"):
        surface(complex, space(), "class")
    solid = plr.enumerate_regions(plr.mlp([3, 4, 1]), plr.hypercube(3))
    with pytest.raises(InvalidInputError, match="plot.surface needs regions in two dimensions"):
        surface(solid, space())
