"""The picture of a decision boundary: segments in the plane, polygons in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.plot.canvas import axis_names, check_matplotlib, frame, new_axes
from plregions.plot.solid_axes import add_facets, axes_in_space, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["boundary"]

FloatArray = NDArray[np.float64]


def boundary(
    pieces: ArrayLike | Sequence[ArrayLike],
    domain: Domain | None = None,
    ax: Axes | None = None,
    *,
    classes: ArrayLike | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the pieces of a decision boundary or level set, and return the Axes.

    Draw it over a picture of `regions` or `cells3d` by giving the Axes of that. Nothing is shown
    and nothing is saved, as with `regions`.

    Parameters
    ----------
    pieces : array_like, shape (n, 2, 2), or sequence of array_like, shape (k, 3)
        Segments in the plane, or polygons in space; in the domain's coordinates.
    domain : Domain, optional
        Of dimension 2 or 3: gives the limits and names of the axes.
    ax : matplotlib.axes.Axes, optional
        Where to draw (of polygons: with projection "3d"); pyplot is then left alone. Without it a
        new pyplot figure is made.
    classes : array_like of int, shape (n, 2), optional
        The two classes that tie on each piece: each pair has a colour of its own.
    legend : bool
        Whether to name the pairs of classes.

    Returns
    -------
    matplotlib.axes.Axes
        With a LineCollection or Poly3DCollection for each pair of classes, the pieces in order;
        in the plane below them one more, the white rim of all.

    Raises
    ------
    InvalidInputError
        Pieces of another shape, classes that do not fit them, a domain of another dimension.
    MissingExtraError
        matplotlib is not installed.

    Exactness
    ---------
    Coordinates are float64.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> ax = Figure().subplots()
    >>> ax = plot.boundary([[[0, 0], [1, 1]]], plr.hypercube(2), ax, classes=[[0, 1]])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0 | 1']
    """
    verb = "plot.boundary"
    polygons, dim = _checked_pieces(verb, pieces)
    if dim is None:
        dim = 2 if domain is None else domain.dim
    pairs = _checked_classes(verb, classes, len(polygons))
    if domain is not None and domain.dim != dim:
        raise InvalidInputError(
            f"{verb} needs pieces and a domain of one dimension; got pieces in dimension {dim} "
            f"and {domain!r}."
        )
    check_matplotlib(verb)
    axes: Any = axes_in_space(verb, ax) if dim == 3 else new_axes() if ax is None else ax
    is_empty = not axes.has_data() and not axes.collections
    if dim == 2:  # a white rim keeps the lines apart from dark cells
        _add_segments(axes, polygons, "_rim", colors="white", linewidths=3.5)
    for k, (pair, chosen) in enumerate(_by_pair(polygons, pairs)):
        colour = "black" if k == 0 else f"C{(k + 2) % 10}"
        if dim == 2:
            _add_segments(axes, chosen, pair, colors=colour, linewidths=2.0)
        else:
            rgb = np.tile(_rgb(colour), (len(chosen), 1))
            collection = add_facets(axes, chosen, {"facecolors": rgb}, alpha=0.75, width=0.3)
            collection.set_label(pair)
    _set_limits(axes, polygons, domain, dim, is_empty)
    if legend and pairs is not None and len(polygons):
        # A legend that is there already stays.
        if axes.get_legend() is not None:
            axes.add_artist(axes.get_legend())
        axes.legend(loc="upper left", title="tie", fontsize="small")
    result: Axes = axes
    return result


def _checked_pieces(verb: str, pieces: Any) -> tuple[list[FloatArray], int | None]:
    """Return the pieces, and the dimension of their points (None where there are none)."""
    try:
        found = [np.asarray(piece, dtype=np.float64) for piece in pieces]
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{verb} needs pieces of numbers; {error}.") from error
    shapes = sorted({piece.shape for piece in found})
    is_plane = all(shape == (2, 2) for shape in shapes)
    is_space = all(len(s) == 2 and s[0] >= 3 and s[1] == 3 for s in shapes)
    if not is_plane and not is_space:
        raise InvalidInputError(
            f"{verb} needs segments of shape (2, 2) or polygons of shape (k, 3), k >= 3; got "
            f"pieces of shape {', '.join(map(str, shapes))}."
        )
    if not all(np.isfinite(piece).all() for piece in found):
        raise InvalidInputError(f"{verb} needs finite points; got NaN or infinity.")
    return found, None if not found else 2 if is_plane else 3


def _checked_classes(verb: str, classes: Any, n: int) -> NDArray[np.int64] | None:
    if classes is None:
        return None
    pairs = np.asarray(classes)
    if pairs.size == 0 and n == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if pairs.shape != (n, 2) or not np.issubdtype(pairs.dtype, np.integer):
        raise InvalidInputError(
            f"{verb} needs two classes for each of the {n} pieces, whole numbers of shape "
            f"({n}, 2); got {pairs.dtype} of shape {pairs.shape}."
        )
    return np.sort(pairs, axis=1).astype(np.int64)


def _by_pair(
    polygons: list[FloatArray], pairs: NDArray[np.int64] | None
) -> list[tuple[str, list[FloatArray]]]:
    if pairs is None:
        return [("boundary", polygons)]
    found = []
    for low, high in np.unique(pairs, axis=0).tolist():
        chosen = np.flatnonzero((pairs == (low, high)).all(axis=1)).tolist()
        found.append((f"{low} | {high}", [polygons[i] for i in chosen]))
    return found


def _add_segments(axes: Any, segments: list[FloatArray], name: str, **look: Any) -> None:
    from matplotlib.collections import LineCollection

    lines = LineCollection(segments, capstyle="round", zorder=3, label=name, **look)
    axes.add_collection(lines, autolim=True)


def _set_limits(
    axes: Any, polygons: list[FloatArray], domain: Domain | None, dim: int, is_empty: bool
) -> None:
    """Show the domain; without one all pieces, unless there is a picture already."""
    if domain is not None and domain.is_bounded and dim == 2:
        frame(axes, domain)
    elif domain is not None and domain.is_bounded:
        lower, upper = (np.array([float(v) for v in side]) for side in domain.bounding_box())
        span(axes, lower, upper, n_to_scale=3)
        for name, label in zip(axis_names(domain), ("x", "y", "z"), strict=True):
            getattr(axes, f"set_{label}label")(name)
    elif is_empty and polygons and dim == 2:
        axes.autoscale_view()
        axes.set_aspect("equal", adjustable="datalim")
    elif is_empty and polygons:
        points = np.concatenate(polygons)
        lower, upper = points.min(axis=0), points.max(axis=0)
        room = 0.05 * float((upper - lower).max())
        span(axes, lower - room, upper + room, n_to_scale=3)


def _rgb(colour: str) -> FloatArray:
    from matplotlib.colors import to_rgb

    return np.array(to_rgb(colour))
