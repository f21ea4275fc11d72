"""The picture of an output as a surface over the plane: flat pieces that meet at kinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plregions.plot.canvas import axis_names, check_matplotlib, line_width, noun
from plregions.plot.outputs import outputs_at
from plregions.plot.shades import COLOURS, check_colour, region_shades
from plregions.plot.solid_axes import add_facets, axes_in_space, span
from plregions.regions.polygons import region_polygons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = ["surface"]

SURFACE_COLOURS = tuple(color for color in COLOURS if color != "class")


def surface(
    complex: RegionComplex,
    ax: Axes | None = None,
    color: str = "pattern",
    *,
    output: int = 0,
    legend: bool = True,
) -> Axes:
    """Draw an output over the regions of a two-dimensional domain and return the 3-D Axes.

    One flat polygon a region, at the heights of the output. Nothing is shown and nothing is saved,
    as with `regions`.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2: a box, a polytope or a slice.
    ax : matplotlib.axes.Axes, optional
        Axes with projection "3d"; pyplot is then left alone. Without it a new pyplot figure is
        made.
    color : {"pattern", "linear", "output", "volume", "layer"}
        As in `regions`; "output" is the output that gives the heights.
    output : int
        Which output.
    legend : bool
        Whether to add a colour bar, or the names of layers.

    Returns
    -------
    mpl_toolkits.mplot3d.axes3d.Axes3D
        With one Poly3DCollection, whose members are the regions in order.

    Raises
    ------
    InvalidInputError
        A domain of another dimension, Axes in the plane, an unknown colour or output.
    MissingExtraError
        matplotlib is not installed.

    Exactness
    ---------
    The output is affine on each polygon; heights are float64 values at its corners, which
    neighbours share, so that the surface has no gaps.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> complex = plr.enumerate_regions(plr.mlp([2, 8, 1]), plr.hypercube(2, -1, 1))
    >>> ax = plot.surface(complex, ax=Figure().add_subplot(projection="3d"))
    >>> ax.get_title(), ax.get_zlabel()
    ('25 activation regions', 'output 0')
    """
    verb = "plot.surface"
    check_colour(verb, complex, color, None, SURFACE_COLOURS)
    check_colour(verb, complex, "output", output, SURFACE_COLOURS)
    check_matplotlib(verb)
    cells = region_polygons(complex, verb=verb)
    axes = axes_in_space(verb, ax)

    heights = outputs_at(verb, complex, cells.vertices)[:, output]
    lifted = np.column_stack([cells.vertices, heights])
    polygons = list(np.split(lifted[cells.corners], cells.offsets[1:-1])) if len(cells) else []
    shades = region_shades(
        verb,
        complex,
        color,
        sizes=cells.areas,
        centroids=cells.centroids,
        output=output if color == "output" else None,
    )
    collection = add_facets(
        axes, polygons, shades.look, alpha=1.0, width=0.6 * line_width(len(cells))
    )
    lower, upper = (np.array([float(v) for v in side]) for side in complex.domain.bounding_box())
    low, high = float(heights.min(initial=0.0)), float(heights.max(initial=0.0))
    if len(heights):
        low, high = float(heights.min()), float(heights.max())
    room = 0.05 * (high - low) or max(abs(high), 1.0) / 2  # of a constant: some room around it
    span(axes, np.append(lower, low - room), np.append(upper, high + room), n_to_scale=2)
    names = axis_names(complex.domain)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_zlabel(f"output {output}")
    if legend:
        shades.explain(axes, collection)
    axes.set_title(noun(complex), fontsize="medium")
    result: Axes = axes
    return result
