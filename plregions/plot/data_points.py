"""Which data points are drawn on top, and how are their classes told apart?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["add_points", "classes_of_points", "point_groups", "points_of"]


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
    if not np.isfinite(points).all():
        raise InvalidInputError(f"{verb} needs data of finite numbers; got NaN or infinity.")
    return points


def classes_of_points(
    verb: str, points: NDArray[np.float64] | None, labels: ArrayLike | None
) -> NDArray[Any] | None:
    """Return the labels, one for each point."""
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


def point_groups(
    points: NDArray[np.float64], classes: NDArray[Any] | None
) -> Iterator[tuple[str | None, Any, NDArray[np.float64]]]:
    """Yield the name, colour and points of each class; one group without name or classes."""
    from matplotlib import colormaps

    if classes is None:
        yield None, "black", points
        return
    for k, name in enumerate(np.unique(classes)):
        colour = "black" if k == 0 else colormaps["tab10"]((k + 2) % 10)
        yield str(name), colour, points[classes == name]


def add_points(
    ax: Axes, points: NDArray[np.float64], classes: NDArray[Any] | None, legend: bool
) -> None:
    """Draw the points above all else, and name their classes."""
    size = float(np.clip(4000.0 / max(len(points), 1), 4.0, 24.0))
    for name, colour, chosen in point_groups(points, classes):
        ax.scatter(
            chosen[:, 0],
            chosen[:, 1],
            color=colour,
            label=name,
            s=size,
            linewidths=0.6,
            edgecolors="white",
            zorder=4,
        )
    if legend and classes is not None:
        ax.legend(loc="lower right", fontsize="small")
