"""What do pictures in space share? Three-dimensional Axes, collections of polygons in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.plot.canvas import LARGEST_RATIO, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["add_facets", "axes_in_space", "span"]

FloatArray = NDArray[np.float64]

# Where light comes from, of length 1; how bright a facet is that it does not reach.
LIGHT = np.array([2.0, -3.0, 6.0]) / 7.0
DIMMEST = 0.7


def axes_in_space(verb: str, ax: Axes | None) -> Any:
    """Return the given 3-D Axes, or new ones; InvalidInputError for Axes in the plane."""
    if ax is None:
        return new_axes("3d")
    if getattr(ax, "name", None) != "3d":
        raise InvalidInputError(
            f"{verb} needs Axes in space; got {type(ax).__name__}. Make them with "
            "plt.subplots(subplot_kw={'projection': '3d'})."
        )
    return ax


def add_facets(
    ax: Any, polygons: Sequence[FloatArray], look: dict[str, Any], *, alpha: float, width: float
) -> Any:
    """Add polygons in space as one collection, and return it.

    Facets that have colours of their own are darker where they turn away from the light; colours
    of values stay what the colour bar says.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if "facecolors" in look:
        brightness = DIMMEST + (1.0 - DIMMEST) * _towards_light(polygons)
        look = look | {"facecolors": look["facecolors"] * brightness[:, None]}
    collection = Poly3DCollection(polygons, linewidths=width, edgecolors="0.3", alpha=alpha, **look)
    ax.add_collection3d(collection, autolim=False)
    return collection


def _towards_light(polygons: Sequence[FloatArray]) -> FloatArray:
    """Return how much each flat polygon faces the light, from either side: 0 to 1."""
    normals = np.zeros((len(polygons), 3))
    for k, polygon in enumerate(polygons):
        spokes = polygon[1:] - polygon[0]
        normals[k] = np.cross(spokes[:-1], spokes[1:]).sum(axis=0)
    length = np.linalg.norm(normals, axis=1)
    return np.abs(normals @ LIGHT) / np.where(length > 0, length, 1.0)


def span(ax: Any, lower: FloatArray, upper: FloatArray, *, n_to_scale: int) -> None:
    """Set the limits; the first `n_to_scale` sides are drawn to scale unless one is very long."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(lower[0], upper[0])
    ax.set_ylim(lower[1], upper[1])
    ax.set_zlim(lower[2], upper[2])
    sizes = (upper - lower)[:n_to_scale]
    shown = np.ones(3)
    if sizes.max() <= LARGEST_RATIO * sizes.min():
        shown[:n_to_scale] = sizes / sizes.max()
    if n_to_scale == 2:
        shown[2] = 0.75
    ax.set_box_aspect(shown, zoom=0.9)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.tick_params(labelsize="small")
