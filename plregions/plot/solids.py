"""The picture of regions in space: polyhedra, pulled apart so that one sees between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError, PLRegionsError
from plregions.plot.canvas import axis_names, check_matplotlib, line_width, noun
from plregions.plot.shades import COLOURS, check_colour, region_shades
from plregions.plot.solid_axes import add_facets, axes_in_space, span
from plregions.regions.geometry import measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = ["cells3d", "facet_rings"]


def cells3d(
    complex: RegionComplex,
    ax: Axes | None = None,
    color: str = "pattern",
    *,
    gap: float = 0.12,
    alpha: float = 0.6,
    output: int | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the activation regions of a three-dimensional domain and return the 3-D Axes.

    Nothing is shown and nothing is saved, as with `regions`.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain of dimension 3. Some hundred regions are a picture; of thousands
        one sees the outer ones.
    ax : matplotlib.axes.Axes, optional
        Axes with projection "3d"; pyplot is then left alone. Without it a new pyplot figure is
        made.
    color : {"pattern", "linear", "class", "output", "volume", "layer"}
        As in `regions`; "class" is the largest output at the centroid.
    gap : float
        From 0 to below 1: how much each region shrinks towards its centroid.
    alpha : float
        From 0 (transparent) to 1 (opaque).
    output : int, optional
        With color="output", which output. Without it: the only one; of several, as "class".
    legend : bool
        Whether to add a colour bar, or the names of classes and layers.

    Returns
    -------
    mpl_toolkits.mplot3d.axes3d.Axes3D
        With one Poly3DCollection, whose members are the facets of the regions, in the order of
        the region graph.

    Raises
    ------
    InvalidInputError
        A domain of another dimension or an unbounded one, Axes in the plane, an unknown colour
        or output, a gap or transparency that there is not.
    MissingExtraError
        matplotlib is not installed.

    Algorithm
    ---------
    The corners of each facet are put in order by the facets that they share; see `facet_rings`.

    Exactness
    ---------
    Which corners form which facet, and their order, is exact; coordinates are float64.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> complex = plr.enumerate_regions(plr.mlp([3, 4, 1]), plr.hypercube(3, -1, 1))
    >>> ax = plot.cells3d(complex, ax=Figure().add_subplot(projection="3d"))
    >>> ax.get_title(), ax.get_zlabel()
    ('10 activation regions', 'x[2]')
    """
    verb = "plot.cells3d"
    check_colour(verb, complex, color, output, COLOURS)
    if color == "output" and output is None and complex.network.output_dim > 1:
        color = "class"
    if not 0.0 <= gap < 1.0:
        raise InvalidInputError(f"{verb} needs gap from 0 to below 1; got {gap!r}.")
    if not 0.0 <= alpha <= 1.0:
        raise InvalidInputError(f"{verb} needs alpha from 0 to 1; got {alpha!r}.")
    check_matplotlib(verb)
    if complex.domain.dim != 3:
        raise InvalidInputError(
            f"{verb} needs regions in three dimensions; got a domain of dimension "
            f"{complex.domain.dim}. Of two inputs plot.regions draws them; of more take a Slice."
        )
    if not complex.domain.is_bounded:
        raise InvalidInputError(
            f"{verb} needs a bounded domain; got {complex.domain!r}. Enumerate the regions of a "
            "box: Box(lower, upper)."
        )
    axes = axes_in_space(verb, ax)

    columns = measure(complex, ["volume", "centroid"])
    centroids = np.column_stack([columns[f"centroid_{k}"] for k in range(3)])
    points, offsets = complex.vertices.floats, complex.graph.offsets
    rings = facet_rings(complex)
    owners = np.repeat(np.arange(len(complex)), np.diff(offsets))
    polygons = [
        centroids[owner] + (1.0 - gap) * (points[ring] - centroids[owner])
        for owner, ring in zip(owners.tolist(), rings, strict=True)
    ]
    shades = region_shades(
        verb,
        complex,
        color,
        sizes=columns["volume"],
        centroids=centroids,
        output=output,
        size_name="volume",
    )
    look = {
        key: value[owners] if key in ("facecolors", "array") else value
        for key, value in shades.look.items()
    }
    width = line_width(len(complex)) / 2
    collection = add_facets(axes, polygons, look, alpha=alpha, width=width)
    lower, upper = (np.array([float(v) for v in side]) for side in complex.domain.bounding_box())
    span(axes, lower, upper, n_to_scale=3)
    for name, label in zip(axis_names(complex.domain), ("x", "y", "z"), strict=True):
        getattr(axes, f"set_{label}label")(name)
    if legend:
        shades.explain(axes, collection)
    axes.set_title(noun(complex), fontsize="medium")
    result: Axes = axes
    return result


def facet_rings(complex: RegionComplex) -> list[NDArray[np.int64]]:
    """Return the corners of every facet of a bounded complex in space, in order around it.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain of dimension 3.

    Returns
    -------
    list of ndarray of int64, shape (k,)
        For each facet of ``complex.graph``, rows of ``complex.vertices.floats``.

    Algorithm
    ---------
    Two facets of a polyhedron meet in an edge, a corner or not at all: so two corners of a facet
    follow each other where another facet holds both.

    Exactness
    ---------
    Exact: no coordinates are used.

    Examples
    --------
    >>> import plregions as plr
    >>> cube = plr.enumerate_regions(plr.mlp([3, 1]), plr.hypercube(3))
    >>> [len(ring) for ring in facet_rings(cube)]
    [4, 4, 4, 4, 4, 4]
    """
    vertices, offsets = complex.vertices, complex.graph.offsets
    rings = []
    for region in range(len(complex)):
        corners, tight = vertices.of(region).tolist(), vertices.tight_of(region)
        for bit in range(int(offsets[region + 1] - offsets[region])):
            around = [i for i, mask in enumerate(tight) if mask >> bit & 1]
            others = {i: tight[i] & ~(1 << bit) for i in around}
            order = [around[0]]
            left = set(around[1:])
            while left:
                following = [i for i in left if others[i] & others[order[-1]]]
                if not following:
                    raise PLRegionsError(
                        "facet_rings needs corners that follow each other around a facet; got "
                        "others. This is a fault of plregions: please report it with the network."
                    )
                order.append(min(following))
                left.remove(order[-1])
            rings.append(np.array([corners[i] for i in order], dtype=np.int64))
    return rings
