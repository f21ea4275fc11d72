"""The picture of a decision boundary: segments in the plane, polygons in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.analysis.boundary import Boundary, decision_boundary
from plregions.analysis.class_parts import AnyDomain
from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.network import Network
from plregions.plot.canvas import axis_names, check_matplotlib, frame, new_axes
from plregions.plot.colours import hashed_colour
from plregions.plot.solid_axes import add_facets, axes_in_space, span
from plregions.regions.complex import RegionComplex

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["boundary"]

FloatArray = NDArray[np.float64]

MOST_ROWS = 15  # of the legend


def boundary(
    pieces: Boundary | RegionComplex | Network | ArrayLike | Sequence[ArrayLike],
    domain: AnyDomain | None = None,
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
    pieces : Boundary, Network, RegionComplex, or arrays
        What `plregions.analysis.boundary.decision_boundary` or `level_set` found; a network or
        complex of which the former is drawn; or segments in the plane, array_like of shape
        (n, 2, 2), or a sequence of polygons in space, each of shape (k, 3), in the domain's
        coordinates.
    domain : Domain, optional
        Of dimension 2 or 3. Needed for a network. Of arrays it gives the limits and names of the
        axes.
    ax : matplotlib.axes.Axes, optional
        Where to draw (of polygons: with projection "3d"); pyplot is then left alone. Without it a
        new pyplot figure is made.
    classes : array_like of int, shape (n, 2), optional
        Of arrays: the two classes that tie on each piece. Each pair has a colour of its own.
    legend : bool
        Whether to name the pairs of classes, or the level.

    Returns
    -------
    matplotlib.axes.Axes
        With a LineCollection or Poly3DCollection for each pair of classes, the pieces in order;
        in the plane below them one more, the white rim of all.

    Raises
    ------
    InvalidInputError
        Pieces of another shape, classes that do not fit them, a domain of another dimension; of a
        network what `decision_boundary` does not take.
    MissingExtraError
        matplotlib is not installed.

    Exactness
    ---------
    Which pieces there are, and the classes that tie on them, is exact for a `Boundary`; coordinates
    are float64.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions import plot
    >>> net = plr.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> ax = plot.boundary(net, plr.Box([-1, -1], [1, 1]), ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0 | 1']
    """
    verb = "plot.boundary"
    check_matplotlib(verb)
    shown: Domain | None = domain
    if isinstance(pieces, Boundary):
        if domain is not None or classes is not None:
            raise InvalidInputError(
                f"{verb} needs no domain and no classes beside a Boundary, which has its own; got "
                f"{'a domain' if domain is not None else 'classes'}."
            )
        shown = pieces.complex.domain
    elif isinstance(pieces, RegionComplex):
        shown = pieces.domain
    if shown is not None and shown.dim not in (2, 3):
        raise InvalidInputError(
            f"{verb} needs a domain of dimension 2 or 3; got {shown!r}. Take a Slice of dimension "
            "2 or 3."
        )
    if isinstance(pieces, Network | RegionComplex):
        pieces = decision_boundary(pieces, domain)
    name = "boundary"
    if isinstance(pieces, Boundary):
        if pieces.parts.scores.output is None:
            classes = pieces.classes
        else:
            name = f"output {pieces.parts.scores.output} = {pieces.parts.scores.level}"
        pieces = pieces.segments if pieces.dim == 2 else list(pieces.polygons)
    polygons, dim = _checked_pieces(verb, pieces)
    if dim is None:
        dim = 2 if shown is None else shown.dim
    pairs = _checked_classes(verb, classes, len(polygons))
    if shown is not None and shown.dim != dim:
        raise InvalidInputError(
            f"{verb} needs pieces and a domain of one dimension; got pieces in dimension {dim} "
            f"and {shown!r}."
        )
    axes: Any = axes_in_space(verb, ax) if dim == 3 else new_axes() if ax is None else ax
    is_empty = not axes.has_data() and not axes.collections
    if dim == 2:  # a white rim keeps the lines apart from dark cells
        _add_segments(axes, polygons, "_rim", colors="white", linewidths=3.5)
    drawn = []
    for k, (pair, chosen) in enumerate(_by_pair(polygons, pairs, name)):
        colour = _colour(k, dim, pair)
        if dim == 2:
            drawn.append(_add_segments(axes, chosen, pair, colors=colour, linewidths=2.0))
        else:
            rgb = np.tile(colour, (len(chosen), 1))
            drawn.append(add_facets(axes, chosen, {"facecolors": rgb}, alpha=0.75, width=0.3))
            drawn[-1].set_label(pair)
    _set_limits(axes, polygons, shown, dim, is_empty)
    if legend and len(polygons) and (pairs is not None or name != "boundary"):
        # A legend that is there already stays, and its names are not repeated.
        if axes.get_legend() is not None:
            axes.add_artist(axes.get_legend())
        title = None if pairs is None else "tie"
        n_columns = 1 + (len(drawn) - 1) // MOST_ROWS
        axes.legend(handles=drawn, loc="upper left", title=title, fontsize="small", ncols=n_columns)
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
    polygons: list[FloatArray], pairs: NDArray[np.int64] | None, name: str
) -> list[tuple[str, list[FloatArray]]]:
    if pairs is None:
        return [(name, polygons)]
    found = []
    for low, high in np.unique(pairs, axis=0).tolist():
        chosen = np.flatnonzero((pairs == (low, high)).all(axis=1)).tolist()
        found.append((f"{low} | {high}", [polygons[i] for i in chosen]))
    return found


def _add_segments(axes: Any, segments: list[FloatArray], name: str, **look: Any) -> Any:
    from matplotlib.collections import LineCollection

    lines = LineCollection(segments, capstyle="round", zorder=3, label=name, **look)
    return axes.add_collection(lines, autolim=True)


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


def _colour(k: int, dim: int, name: str) -> FloatArray:
    """Return the colour of pair k: lines are dark, facets light enough to be shaded."""
    from matplotlib.colors import to_rgb

    if k > 7:
        return 0.75 * hashed_colour(name)
    if dim == 3:
        return np.array(to_rgb(f"C{k}"))
    return np.array(to_rgb("black" if k == 0 else f"C{k + 2}"))
