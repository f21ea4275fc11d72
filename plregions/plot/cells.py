"""The picture of a network's regions in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidInputError
from plregions.plot.canvas import add_cells, check_matplotlib, frame, new_axes, noun, points_of
from plregions.plot.colours import hashed_colour, map_colours, pattern_colours
from plregions.regions.polygons import Polygons, region_polygons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = ["regions"]

COLOURS = ("pattern", "linear", "output", "area")
# With color="area": the share of the picture that need not be told apart.
UNSEEN_SHARE = 0.002


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
    color : {"pattern", "linear", "output", "area"}
        What the colour tells. "pattern": the activation pattern; regions that differ in one
        neuron always differ in hue. "linear": the affine map, regions with the same map look the
        same. "output": the network's output at the region's centroid. "area": the area, on a
        logarithmic scale. The colours of patterns and maps come from hashes: they are the same
        in every run.
    data : array_like, shape (n, 2), optional
        Points to draw on top, in the domain's coordinates (for a slice: its own).
    labels : array_like, shape (n,), optional
        The class of each of these points, told by its colour.
    output : int, optional
        With color="output", which output. Without it: the only one, or of several the class, that
        is, the largest one.
    legend : bool
        Whether to add a colour bar, or the names of classes.

    Returns
    -------
    matplotlib.axes.Axes
        With one PolyCollection, whose members are the regions in order.

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
    Neighbours and the equality of maps are proved; coordinates, outputs and areas are float64.
    The class of a region is that of its centroid.

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
    verb = "plot.regions"
    if color not in COLOURS:
        raise InvalidInputError(
            f"{verb} needs color to be one of {', '.join(map(repr, COLOURS))}; got {color!r}."
        )
    if output is not None:
        _check_output(verb, complex, color, output)
    points = None if data is None else points_of(verb, data)
    classes = _classes_of_points(verb, points, labels)
    check_matplotlib(verb)
    cells = region_polygons(complex, verb=verb)

    ax = new_axes() if ax is None else ax
    title = noun(complex)
    if color == "pattern":
        add_cells(ax, cells, facecolors=pattern_colours(complex.patterns))
    elif color == "linear":
        maps = complex.linear.map_labels
        network = complex.prepared.network
        add_cells(ax, cells, facecolors=map_colours(network, complex.patterns, maps))
        n_linear, n_maps = complex.linear.n_regions, complex.linear.n_maps
        title += f", {n_linear} linear, {n_maps} {'map' if n_maps == 1 else 'maps'}"
    elif color == "area":
        _by_area(ax, cells, legend)
    else:
        _by_output(ax, complex, cells, output, legend)
    if points is not None:
        _add_points(ax, points, classes, legend)
    frame(ax, complex)
    ax.set_title(title, fontsize="medium")
    return ax


def _check_output(verb: str, complex: RegionComplex, color: str, output: int) -> None:
    n = complex.network.output_dim
    if color != "output":
        raise InvalidInputError(
            f"{verb} needs color='output' to show output {output!r}; got color={color!r}."
        )
    if isinstance(output, bool) or not isinstance(output, int) or not 0 <= output < n:
        raise InvalidInputError(f"{verb} needs output from 0 to {n - 1}; got {output!r}.")


def _classes_of_points(
    verb: str, points: NDArray[np.float64] | None, labels: ArrayLike | None
) -> NDArray[Any] | None:
    if labels is None:
        return None
    classes = np.asarray(labels)
    shape = None if points is None else (len(points),)
    if classes.shape != shape:
        raise InvalidInputError(
            f"{verb} needs a label for each data point; got labels of shape {classes.shape} and "
            f"{'no data' if points is None else f'{len(points)} points'}."
        )
    return classes


def _by_area(ax: Axes, cells: Polygons, legend: bool) -> None:
    from matplotlib.colors import LogNorm

    areas = cells.areas
    collection = add_cells(ax, cells, array=areas, cmap="viridis")
    if not (areas > 0).any():
        return
    # The many small regions that fill little of the picture share the lowest colour.
    ascending = np.sort(areas)
    filled = np.cumsum(ascending) / ascending.sum()
    least = ascending[np.searchsorted(filled, UNSEEN_SHARE)]
    collection.set_norm(LogNorm(vmin=least, vmax=areas.max(), clip=True))
    if legend and ax.figure is not None:
        extend = "min" if areas.min() < least else "neither"
        ax.figure.colorbar(collection, ax=ax, label="area", extend=extend)


def _by_output(
    ax: Axes, complex: RegionComplex, cells: Polygons, output: int | None, legend: bool
) -> None:
    from matplotlib.colors import CenteredNorm
    from matplotlib.patches import Patch

    inputs = complex.domain.embed(cells.centroids)
    values = complex.network(inputs).reshape(len(inputs), -1)
    if output is None and values.shape[1] > 1:
        classes = values.argmax(axis=1)
        present = np.unique(classes)
        palette = np.array([class_colour(int(k)) for k in range(values.shape[1])])
        add_cells(ax, cells, facecolors=palette[classes])
        if legend:
            handles = [Patch(color=palette[k], label=f"output {k}") for k in present]
            ax.add_artist(ax.legend(handles=handles, loc="upper right", title="largest"))
        return
    shown = values[:, output or 0]
    has_both_signs = bool((shown < 0).any() and (shown > 0).any())
    collection = add_cells(ax, cells, array=shown, cmap="RdBu_r" if has_both_signs else "viridis")
    if has_both_signs:
        collection.set_norm(CenteredNorm(halfrange=float(np.abs(shown).max())))
    if legend and ax.figure is not None:
        ax.figure.colorbar(collection, ax=ax, label=f"output {output or 0} at the centroid")


def class_colour(k: int) -> NDArray[np.float64]:
    """Return the colour of class k: pale ones that black points and white edges stand out from."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    if k >= 10:
        return hashed_colour(f"class {k}")
    full = np.array(to_rgb(colormaps["tab10"](k)))
    pale: NDArray[np.float64] = 0.55 * full + 0.45
    return pale


def _add_points(
    ax: Axes, points: NDArray[np.float64], classes: NDArray[Any] | None, legend: bool
) -> None:
    from matplotlib import colormaps

    size = float(np.clip(4000.0 / max(len(points), 1), 4.0, 24.0))
    look: dict[str, Any] = {"s": size, "linewidths": 0.6, "edgecolors": "white", "zorder": 3}
    if classes is None:
        ax.scatter(points[:, 0], points[:, 1], color="black", **look)
        return
    for k, name in enumerate(np.unique(classes)):
        chosen = points[classes == name]
        colour = "black" if k == 0 else colormaps["tab10"]((k + 2) % 10)
        ax.scatter(chosen[:, 0], chosen[:, 1], color=colour, label=str(name), **look)
    if legend:
        ax.legend(loc="lower right")
