"""Where is the picture drawn? Axes with or without pyplot, their limits and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Slice
from plregions.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex
    from plregions.regions.polygons import Polygons

__all__ = ["add_cells", "check_matplotlib", "frame", "new_axes", "noun", "points_of"]

# Axes are drawn to scale when neither side of the domain is longer than the other by more.
LARGEST_RATIO = 4.0


def check_matplotlib(verb: str) -> None:
    """Raise MissingExtraError when matplotlib is not there, in the name of `verb`."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"{verb} needs the matplotlib library; it is not installed. "
            "Do `pip install plregions[plot]`.",
            extra="plot",
        ) from error


def new_axes() -> Axes:
    """Return the axes of a new pyplot figure."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(6.4, 5.6), layout="compressed")
    return ax


def noun(complex: RegionComplex) -> str:
    """Return what is shown, and that some are missing where that is so."""
    word = "activation region" if len(complex) == 1 else "activation regions"
    return f"{len(complex)} {word}{'' if complex.is_complete else ' (incomplete)'}"


def add_cells(ax: Axes, cells: Polygons, *, alpha: float | None = None, **look: Any) -> Any:
    """Add all polygons as one PolyCollection with thin white edges, and return it."""
    from matplotlib.collections import PolyCollection

    collection = PolyCollection(
        list(np.split(cells.vertices[cells.corners], cells.offsets[1:-1])) if len(cells) else [],
        edgecolors="white",
        linewidths=line_width(len(cells)),
        alpha=alpha,
        zorder=1,
        **look,
    )
    ax.add_collection(collection, autolim=False)
    return collection


def line_width(n: int) -> float:
    """Return a width, in points, at which the edges of n cells leave room for the cells."""
    return float(np.clip(10.0 / np.sqrt(max(n, 1)), 0.1, 0.8))


def frame(ax: Axes, complex: RegionComplex) -> None:
    """Set limits, labels and scale of the axes to those of the domain."""
    lower, upper = (np.array([float(v) for v in side]) for side in complex.domain.bounding_box())
    ax.set_xlim(lower[0], upper[0])
    ax.set_ylim(lower[1], upper[1])
    width, height = upper - lower
    if max(width, height) <= LARGEST_RATIO * min(width, height):
        ax.set_aspect("equal")
    symbol = "s" if isinstance(complex.domain, Slice) else "x"
    ax.set_xlabel(f"{symbol}[0]")
    ax.set_ylabel(f"{symbol}[1]")


def points_of(verb: str, data: Any) -> NDArray[np.float64]:
    """Return data points as float64, shape (n, 2)."""
    try:
        points = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{verb} needs data of numbers, shape (n, 2); {error}.") from error
    if points.ndim != 2 or points.shape[1] != 2:
        raise InvalidInputError(
            f"{verb} needs data of shape (n, 2), in the domain's coordinates; got {points.shape}."
        )
    return points
