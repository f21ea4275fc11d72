"""The picture of a network's regions in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from plregions.plot.canvas import (
    add_cells,
    add_lines,
    add_polygons,
    check_matplotlib,
    frame,
    line_width,
    new_axes,
    noun,
    sides,
)
from plregions.plot.classes import class_pieces
from plregions.plot.data_points import add_points, classes_of_points, points_of
from plregions.plot.outlines import walls_between
from plregions.plot.outputs import outputs_at
from plregions.plot.shades import COLOURS, Shades, check_colour, class_shades, region_shades
from plregions.regions.polygons import Polygons, region_polygons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = ["regions"]

VERB = "plot.regions"


def regions(
    complex: RegionComplex,
    ax: Axes | None = None,
    color: str = "pattern",
    data: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    output: int | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the activation regions of a two-dimensional domain and return the Axes.

    Nothing is shown and nothing is saved: a notebook shows the figure at the end of its cell,
    elsewhere do ``ax.figure.savefig("regions.png")``.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2: a box, a polytope or a slice.
    ax : matplotlib.axes.Axes, optional
        Where to draw; pyplot is then left alone. Without it a new pyplot figure is made, which
        stays open until ``plt.close(ax.figure)``.
    color : {"pattern", "linear", "class", "output", "volume", "layer"}
        What the colour tells. "pattern": the activation pattern; regions that differ in one
        neuron always differ in hue. "linear": the affine map, regions with the same map look the
        same, and dark lines run between linear regions. "class": the largest output; regions in
        which it changes are cut there. "output": an output at the region's centroid. "volume": the
        area, on a logarithmic scale. "layer": the layer that cut the region last. The colours of
        patterns and maps come from hashes: they are the same in every run.
    data : array_like, shape (n, 2), optional
        Points to draw on top, in the domain's coordinates (for a slice: its own).
    labels : array_like, shape (n,), optional
        The class of each of these points, told by its colour.
    output : int, optional
        With color="output", which output. Without it: the only one; of several, as "class".
    legend : bool
        Whether to add a colour bar, or the names of classes and layers.

    Returns
    -------
    matplotlib.axes.Axes
        With one PolyCollection, whose members are the regions in order; with "class" the pieces
        of regions. Lines between linear regions, and the regions' sides over pieces, are a
        LineCollection.

    Raises
    ------
    InvalidInputError
        A domain of another dimension, an unknown `color`, an output that there is not, data of
        another shape.
    MissingExtraError
        matplotlib is not installed.

    Algorithm
    ---------
    See `plregions.regions.polygons.region_polygons`.

    Exactness
    ---------
    Neighbours, layers and the equality of maps are proved; coordinates, outputs, areas and the
    places where outputs tie are float64.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> complex = plr.enumerate_regions(plr.mlp([2, 8, 1]), plr.hypercube(2, -1, 1))
    >>> ax = plot.regions(complex, ax=Figure().subplots())
    >>> ax.get_title(), len(ax.collections[0].get_paths())
    ('25 activation regions', 25)
    """
    check_colour(VERB, complex, color, output, COLOURS)
    if color == "output" and output is None and complex.network.output_dim > 1:
        color = "class"
    points = None if data is None else points_of(VERB, data)
    classes = classes_of_points(VERB, points, labels)
    check_matplotlib(VERB)
    cells = region_polygons(complex, verb=VERB)

    ax = new_axes() if ax is None else ax
    title = noun(complex)
    if color == "class":
        shades, collection = _draw_classes(ax, complex, cells)
    else:
        shades = region_shades(
            VERB, complex, color, sizes=cells.areas, centroids=cells.centroids, output=output
        )
        collection = add_cells(ax, cells, **shades.look)
    if color == "linear":
        walls = walls_between(cells, complex.graph.neighbours, complex.linear.labels)
        width = 1.4 * line_width(complex.linear.n_regions)
        add_lines(ax, sides(cells)[walls], color="0.25", width=width)
        n_linear, n_maps = complex.linear.n_regions, complex.linear.n_maps
        title += f", {n_linear} linear, {n_maps} {'map' if n_maps == 1 else 'maps'}"
    if legend:
        shades.explain(ax, collection)
    if points is not None:
        add_points(ax, points, classes, legend)
    frame(ax, complex.domain)
    ax.set_title(title, fontsize="medium")
    return ax


def _draw_classes(ax: Axes, complex: RegionComplex, cells: Polygons) -> tuple[Shades, Any]:
    values = outputs_at(VERB, complex, cells.vertices)
    pieces = class_pieces(cells, values)
    shades = class_shades(pieces.classes, values.shape[1])
    collection = add_polygons(ax, pieces.polygons, edgecolors="face", width=0.3, **shades.look)
    inner = complex.graph.neighbours[cells.facets] > cells.owners
    add_lines(ax, sides(cells)[inner], color="white", width=line_width(len(cells)))
    return shades, collection
