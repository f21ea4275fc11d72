"""Does plot.cells3d draw the facets of the regions in space?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.errors import InvalidInputError
from plregions.plot import cells3d
from plregions.plot import solids as module
from plregions.plot.colours import pattern_colours
from plregions.plot.solid_axes import DIMMEST
from plregions.plot.solids import facet_rings
from plregions.regions.geometry import measure

CUBE = plr.hypercube(3, -1, 1)


@pytest.fixture(scope="module")
def solids() -> plr.RegionComplex:
    return plr.enumerate_regions(plr.mlp([3, 5, 4, 2], seed=1), CUBE)


def space() -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    return FigureCanvasAgg(Figure()).figure.add_subplot(projection="3d")


def facets_drawn(complex: plr.RegionComplex, **options: Any) -> list[Any]:
    (collection,) = cells3d(complex, space(), **options).collections
    sizes = [len(ring) for ring in facet_rings(complex)]
    return [np.asarray(f)[:n] for f, n in zip(collection._faces, sizes, strict=True)]


def volumes_of(complex: plr.RegionComplex, facets: list[Any], points: Any) -> Any:
    """The volumes of cones from an inner point over the drawn facets, summed for each region."""
    owners = np.repeat(np.arange(len(complex)), np.diff(complex.graph.offsets))
    volumes = np.zeros(len(complex))
    for facet, owner in zip(facets, owners, strict=True):
        spokes = facet - points[owner]
        cross = np.cross(spokes[1:-1] - spokes[0], spokes[2:] - spokes[0]).sum(axis=0)
        volumes[owner] += abs(cross @ spokes[0]) / 6
    return volumes


@pytest.mark.parametrize("gap", [0.0, 0.25])
def test_drawn_facets_enclose_the_volumes(solids: plr.RegionComplex, gap: float) -> None:
    columns = measure(solids, ["volume", "centroid"])
    centres = np.stack([columns[f"centroid_{k}"] for k in range(3)], axis=1)
    found = volumes_of(solids, facets_drawn(solids, gap=gap), centres)
    assert np.allclose(found, columns["volume"] * (1 - gap) ** 3, rtol=1e-9, atol=0)


def test_corners_out_of_order_are_seen(
    solids: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = [ring if len(ring) < 4 else np.sort(ring) for ring in facet_rings(solids)]
    monkeypatch.setattr(module, "facet_rings", lambda complex: mixed)
    columns = measure(solids, ["volume", "centroid"])
    centres = np.stack([columns[f"centroid_{k}"] for k in range(3)], axis=1)
    found = volumes_of(solids, facets_drawn(solids, gap=0.0), centres)
    assert not np.allclose(found, columns["volume"], rtol=1e-3)


def test_rings_of_degenerate_regions() -> None:
    # Six planes through the axes' corner cut pyramids whose tips have many facets.
    planes = [[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]]
    net = plr.Network([(planes, [0] * 6), ([[1] * 6], [0])])
    complex = plr.enumerate_regions(net, CUBE)
    assert len(complex) == 24
    columns = measure(complex, ["volume", "centroid"])
    centres = np.stack([columns[f"centroid_{k}"] for k in range(3)], axis=1)
    found = volumes_of(complex, facets_drawn(complex, gap=0.0), centres)
    assert np.allclose(found, columns["volume"])
    assert found.sum() == pytest.approx(8.0)


def test_each_facet_has_its_regions_colour(solids: plr.RegionComplex) -> None:
    ax = cells3d(solids, space(), alpha=0.5)
    faces = ax.collections[0]._facecolor3d
    owners = np.repeat(np.arange(len(solids)), np.diff(solids.graph.offsets))
    plain = pattern_colours(solids.patterns)[owners]
    assert np.allclose(faces[:, 3], 0.5)
    # Shaded: the same share of red, green and blue, not darker than the dimmest.
    share = faces[:, :3] / plain
    assert np.allclose(share, share[:, :1])
    assert share.min() >= DIMMEST - 1e-12
    assert share.max() <= 1.0 + 1e-12


@pytest.mark.parametrize("color", ["pattern", "linear", "class", "output", "volume", "layer"])
def test_colours(solids: plr.RegionComplex, color: str) -> None:
    ax = cells3d(solids, space(), color, output=1 if color == "output" else None)
    ax.figure.canvas.draw()
    assert len(ax.figure.axes) == (2 if color in ("output", "volume") else 1)
    assert (ax.get_legend() is not None) == (color in ("class", "layer"))
    if color == "volume":
        owners = np.repeat(np.arange(len(solids)), np.diff(solids.graph.offsets))
        volumes = measure(solids, "volume")["volume"][owners]
        assert np.array_equal(ax.collections[0].get_array(), volumes)
        assert ax.figure.axes[1].get_ylabel() == "volume"


def test_axes_and_title(solids: plr.RegionComplex) -> None:
    import matplotlib.pyplot as plt

    ax = cells3d(solids)
    assert plt.get_fignums() == [1]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("x[0]", "x[1]", "x[2]")
    assert ax.get_xlim() == ax.get_ylim() == ax.get_zlim() == (-1, 1)
    assert ax.get_title() == f"{len(solids)} activation regions"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gap": 1.0}, "gap from 0 to below 1; got 1.0"),
        ({"gap": -0.1}, "gap from 0"),
        ({"alpha": 2}, "alpha from 0 to 1; got 2"),
        ({"color": "red"}, "got 'red'"),
        ({"color": "output", "output": 2}, "output from 0 to 1; got 2"),
    ],
)
def test_wrong_options_are_refused(
    solids: plr.RegionComplex, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        cells3d(solids, space(), **options)


def test_other_dimensions_and_axes_are_refused(solids: plr.RegionComplex) -> None:
    from matplotlib.figure import Figure

    with pytest.raises(InvalidInputError, match="plot.cells3d needs Axes in space"):
        cells3d(solids, Figure().subplots())
    plane = plr.enumerate_regions(plr.mlp([2, 4, 1]), plr.hypercube(2))
    with pytest.raises(InvalidInputError, match="needs regions in three dimensions; .* 2"):
        cells3d(plane, space())
    everywhere = plr.enumerate_regions(plr.mlp([3, 4, 1]), plr.WholeSpace(3))
    with pytest.raises(InvalidInputError, match="plot.cells3d needs a bounded domain"):
        cells3d(everywhere, space())
