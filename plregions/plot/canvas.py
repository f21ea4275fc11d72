"""Where is the picture drawn? Axes with or without pyplot, their limits and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Domain, Slice
from plregions.errors import MissingExtraError
from plregions.regions.polygons import Polygons, next_in_ring

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = [
    "add_cells",
    "add_lines",
    "add_polygons",
    "axis_names",
    "check_matplotlib",
    "frame",
    "line_width",
    "new_axes",
    "noun",
    "sides",
]

FloatArray = NDArray[np.float64]

# Axes are drawn to scale when neither side of the domain is longer than the other by more.
LARGEST_RATIO = 4.0


def check_matplotlib(verb: str) -> None:
    """Raise MissingExtraError when matplotlib is not there, in the name of `verb`."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError.of(verb, "the matplotlib library", "plot") from error


def new_axes(projection: str | None = None) -> Axes:
    """Return the axes of a new pyplot figure; of a 3-D one with projection "3d"."""
    import matplotlib.pyplot as plt

    layout = "compressed" if projection is None else "constrained"
    _, ax = plt.subplots(figsize=(6.4, 5.6), layout=layout, subplot_kw={"projection": projection})
    return ax


def noun(complex: RegionComplex) -> str:
    """Return what is shown, and that some are missing where that is so."""
    word = "activation region" if len(complex) == 1 else "activation regions"
    return f"{len(complex)} {word}{'' if complex.is_complete else ' (incomplete)'}"


def add_cells(ax: Axes, cells: Polygons, *, alpha: float | None = None, **look: Any) -> Any:
    """Add all polygons as one PolyCollection with thin white edges, and return it."""
    parts = list(np.split(cells.vertices[cells.corners], cells.offsets[1:-1])) if len(cells) else []
    return add_polygons(
        ax, parts, edgecolors="white", width=line_width(len(cells)), alpha=alpha, **look
    )


def add_polygons(
    ax: Axes, polygons: Sequence[FloatArray], *, edgecolors: str, width: float, **look: Any
) -> Any:
    """Add polygons as one PolyCollection below all else, and return it."""
    from matplotlib.collections import PolyCollection

    collection = PolyCollection(polygons, edgecolors=edgecolors, linewidths=width, zorder=1, **look)
    ax.add_collection(collection, autolim=False)
    return collection


def add_lines(ax: Axes, segments: FloatArray, *, color: str, width: float) -> Any:
    """Add segments, shape (n, 2, 2), as one LineCollection above the cells, and return it."""
    from matplotlib.collections import LineCollection

    collection = LineCollection(
        list(segments), colors=color, linewidths=width, capstyle="round", zorder=2
    )
    ax.add_collection(collection, autolim=False)
    return collection


def sides(cells: Polygons) -> FloatArray:
    """Return the side from each entry of ``cells.corners`` to the next, shape (n_corners, 2, 2)."""
    ends = cells.corners[next_in_ring(cells.offsets)]
    return np.stack([cells.vertices[cells.corners], cells.vertices[ends]], axis=1)


def line_width(n: int) -> float:
    """Return a width, in points, at which the edges of n cells leave room for the cells."""
    return float(np.clip(10.0 / np.sqrt(max(n, 1)), 0.1, 0.8))


def frame(ax: Axes, domain: Domain) -> None:
    """Set limits, labels and scale of the axes to those of the domain."""
    lower, upper = (np.array([float(v) for v in side]) for side in domain.bounding_box())
    ax.set_xlim(lower[0], upper[0])
    ax.set_ylim(lower[1], upper[1])
    width, height = upper - lower
    if max(width, height) <= LARGEST_RATIO * min(width, height):
        ax.set_aspect("equal")
    names = axis_names(domain)
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])


def axis_names(domain: Domain) -> list[str]:
    """Return the names of the coordinates: x of inputs, s of a slice not along inputs."""
    if not isinstance(domain, Slice):
        return [f"x[{k}]" for k in range(domain.dim)]
    varying = [np.flatnonzero(row) for row in domain.directions]
    if all(
        len(inputs) == 1 and row[inputs[0]] == 1 and domain.origin[inputs[0]] == 0
        for inputs, row in zip(varying, domain.directions, strict=True)
    ):
        return [f"x[{inputs[0]}]" for inputs in varying]
    return [f"s[{k}]" for k in range(domain.dim)]
