"""The picture of a partition as it is cut, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.plot.canvas import (
    add_lines,
    check_matplotlib,
    frame,
    line_width,
    sides,
)
from plregions.plot.colours import pattern_colours
from plregions.plot.cuts import cutting_layers, facet_layers, groups_after
from plregions.plot.outlines import outlines, walls_between
from plregions.plot.shades import layer_name
from plregions.regions.polygons import Polygons, region_polygons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = ["grid_of", "layers"]

MOST_COLUMNS = 4


def layers(complex: RegionComplex, ax: Sequence[Axes] | None = None) -> NDArray[np.object_]:
    """Draw how the layers cut a two-dimensional domain, one panel a layer, and return the Axes.

    Panel k shows the regions of the network that ends after its k-th layer with kinks: the sides
    that this layer cuts are dark, those of the layers before are white. A region's colour is that
    of its pattern so far, which later cuts change. Nothing is shown and nothing is saved, as with
    `regions`.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2: a box, a polytope or a slice.
    ax : sequence of matplotlib.axes.Axes, optional
        One for each layer that has neurons with a kink (one in all where there is none); pyplot
        is then left alone. Without it a new pyplot figure is made.

    Returns
    -------
    ndarray of matplotlib.axes.Axes, shape (n_layers,)
        Each with a PathCollection, whose members are the regions so far, and two LineCollections:
        the sides of earlier layers, and those of this one.

    Raises
    ------
    InvalidInputError
        The domain has another dimension, or there are not as many Axes as layers.
    MissingExtraError
        matplotlib is not installed.

    Algorithm
    ---------
    The regions after a layer are the unions of those whose patterns agree so far.

    Exactness
    ---------
    Which regions are joined is exact; coordinates are float64. In an incomplete complex a region
    so far is the union of those of its parts that were found.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> complex = plr.enumerate_regions(plr.mlp([2, 4, 4, 1]), plr.hypercube(2, -1, 1))
    >>> panels = plot.layers(complex, ax=Figure().subplots(1, 2))
    >>> [panel.get_title() for panel in panels]
    ['layer 1: 8 regions', 'layer 2: 19 regions']
    """
    verb = "plot.layers"
    check_matplotlib(verb)
    cells = region_polygons(complex, verb=verb)
    shown = cutting_layers(complex) or [-1]
    panels = _new_panels(len(shown)) if ax is None else _checked(verb, ax, len(shown))
    of_facets = facet_layers(complex)
    for panel, layer in zip(panels, shown, strict=True):
        _draw_panel(panel, complex, cells, layer, of_facets)
    return panels


def _draw_panel(
    panel: Axes,
    complex: RegionComplex,
    cells: Polygons,
    layer: int,
    of_facets: NDArray[np.int64],
) -> None:
    from matplotlib.collections import PathCollection

    groups = groups_after(complex, layer)
    n = int(groups.max(initial=-1)) + 1
    first = np.searchsorted(groups, np.arange(n))
    stop = complex.network.bit_slices[layer].stop if layer >= 0 else 0
    colours = pattern_colours(complex.patterns[first, :stop])
    paths = [_path(rings) for rings in outlines(cells, complex.graph.neighbours, groups)]
    # An edge of the face's colour closes the seam that two anti-aliased sides leave.
    fill = PathCollection(paths, facecolors=colours, edgecolors="face", linewidths=0.3, zorder=1)
    panel.add_collection(fill, autolim=False)
    walls = walls_between(cells, complex.graph.neighbours, groups)
    inner = walls & (complex.graph.neighbours[cells.facets] > cells.owners)
    width = line_width(n)
    new = of_facets[cells.facets] == layer
    segments = sides(cells)
    add_lines(panel, segments[inner & ~new], color="white", width=width)
    add_lines(panel, segments[inner & new], color="0.15", width=1.4 * width)
    frame(panel, complex.domain)
    missing = "" if complex.is_complete else " (incomplete)"
    word = "region" if n == 1 else "regions"
    panel.set_title(f"{layer_name(layer)}: {n} {word}{missing}", fontsize="medium")


def _path(rings: list[NDArray[np.float64]]) -> Any:
    from matplotlib.path import Path

    return Path.make_compound_path(*[Path(np.vstack([r, r[:1]]), closed=True) for r in rings])


def grid_of(n: int) -> tuple[int, int, tuple[float, float]]:
    """Return rows, columns and the size in inches of a figure with n panels."""
    rows = -(-n // MOST_COLUMNS)
    columns = -(-n // rows)
    return rows, columns, (3.4 * columns, 3.5 * rows)


def _new_panels(n: int) -> NDArray[np.object_]:
    import matplotlib.pyplot as plt

    rows, columns, size = grid_of(n)
    _, grid = plt.subplots(rows, columns, figsize=size, layout="compressed", squeeze=False)
    panels: NDArray[np.object_] = grid.ravel()
    for panel in panels[n:]:
        panel.remove()
    return panels[:n]


def _checked(verb: str, ax: Sequence[Axes], n: int) -> NDArray[np.object_]:
    panels = np.array(ax, dtype=np.object_).ravel()
    if len(panels) != n:
        raise InvalidInputError(
            f"{verb} needs as many Axes as layers with kinks, {n}; got {len(panels)}. "
            f"Make them with plt.subplots(1, {n})."
        )
    return panels
