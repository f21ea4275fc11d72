"""The picture of the region graph: which regions share a facet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plregions.plot.canvas import add_cells, check_matplotlib, frame, new_axes, noun
from plregions.plot.colours import pattern_colours
from plregions.regions.polygons import region_polygons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = ["graph"]


def graph(complex: RegionComplex, ax: Axes | None = None) -> Axes:
    """Draw the region graph over the regions of a two-dimensional domain and return the Axes.

    A node for each region, at its centroid; an edge for each pair of regions that share a facet,
    through the middle of that facet, so that edges never cross. Nothing is shown and nothing is
    saved, as with `regions`.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2: a box, a polytope or a slice.
    ax : matplotlib.axes.Axes, optional
        Where to draw; pyplot is then left alone. Without it a new pyplot figure is made, which
        stays open until ``plt.close(ax.figure)``.

    Returns
    -------
    matplotlib.axes.Axes
        With three collections: the regions (PolyCollection), the edges (LineCollection) and the
        nodes (PathCollection).

    Raises
    ------
    InvalidInputError
        The domain has another dimension.
    MissingExtraError
        matplotlib is not installed.

    Exactness
    ---------
    Edges are proved; coordinates are float64.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> complex = plr.enumerate_regions(plr.mlp([2, 8, 1]), plr.hypercube(2, -1, 1))
    >>> ax = plot.graph(complex, ax=Figure().subplots())
    >>> ax.get_title()
    '25 activation regions, 41 edges'
    """
    check_matplotlib("plot.graph")
    cells = region_polygons(complex, verb="plot.graph")
    from matplotlib.collections import LineCollection

    ax = new_axes() if ax is None else ax
    add_cells(ax, cells, facecolors=pattern_colours(complex.patterns), alpha=0.45)
    points, edges = cells.centroids, complex.graph.edges
    middles = cells.facet_middles[complex.graph.edge_facets]
    routes = np.stack([points[edges[:, 0]], middles, points[edges[:, 1]]], axis=1)
    width = float(np.clip(14.0 / np.sqrt(max(len(points), 1)), 0.15, 1.0))
    lines = LineCollection(list(routes), colors="0.25", linewidths=width, zorder=2)
    ax.add_collection(lines, autolim=False)
    size = float(np.clip(2500.0 / max(len(points), 1), 0.4, 24.0))
    ax.scatter(points[:, 0], points[:, 1], s=size, color="black", linewidths=0, zorder=3)
    frame(ax, complex.domain)
    n = len(edges)
    title = f"{noun(complex)}, {n} {'edge' if n == 1 else 'edges'}"
    ax.set_title(title, fontsize="medium")
    return ax
