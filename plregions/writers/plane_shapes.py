"""Which valid polygons stand for regions in the plane?"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.polygon import orient

from plregions.errors import InvalidInputError
from plregions.regions import RegionComplex
from plregions.regions.linear_polygons import linear_polygons
from plregions.regions.polygons import shapely_polygons
from plregions.writers.region_rows import Kind, require_complex

__all__ = ["plane_shapes", "require_plane"]


def plane_shapes(
    complex: RegionComplex, kind: Kind, verb: str
) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
    """Return valid shapes of all regions, shells counter-clockwise, holes clockwise.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain of dimension 2.
    kind : {"activation", "linear"}
    verb : str
        Who asks, for messages.

    Returns
    -------
    shapes : ndarray of shapely geometries, shape (n,)
        Polygons. Where rounding the corners to float64 makes a polygon cross itself: what of it
        has an area, a Polygon (perhaps empty) or a MultiPolygon.
    is_rounded : ndarray of bool, shape (n,)
        Where that happened.

    Raises
    ------
    InvalidInputError
        No complex, another kind or another domain.
    """
    require_complex(complex, kind, verb)
    require_plane(complex.domain.dim, complex.domain.is_bounded, verb)
    shapes = shapely_polygons(complex) if kind == "activation" else linear_polygons(complex)
    is_rounded: NDArray[np.bool_] = ~shapely.is_valid(shapes)
    for place in np.flatnonzero(is_rounded).tolist():
        shapes[place] = _valid(shapes[place])
    return shapes, is_rounded


def _valid(shape: Any) -> Any:
    """Return what has an area, as valid polygons."""
    parts = shapely.get_parts(shapely.make_valid(shape))
    parts = shapely.get_parts(parts)  # a collection may hold a MultiPolygon
    polygons = [orient(part) for part in parts if part.geom_type == "Polygon" and part.area > 0]
    if len(polygons) > 1:
        return shapely.MultiPolygon(polygons)
    return polygons[0] if polygons else shapely.Polygon()


def require_plane(dim: int, is_bounded: bool, verb: str) -> None:
    """Refuse domains whose regions are no polygons.

    Parameters
    ----------
    dim : int
        The domain's dimension.
    is_bounded : bool
        Whether it is bounded.
    verb : str
        Who asks, for messages.

    Raises
    ------
    InvalidInputError
        The domain has another dimension than 2, or is not bounded.
    """
    if dim != 2:
        raise InvalidInputError(
            f"{verb} needs regions in two dimensions; got a domain of dimension {dim}. Of more "
            "inputs take a plane: a Slice of dimension 2."
        )
    if not is_bounded:
        raise InvalidInputError(
            f"{verb} needs a bounded domain; got one that never ends. Enumerate the regions of a "
            "box: Box(lower, upper)."
        )
