"""Between which floats do the outputs lie at the vertices of a complex? Proved bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from plregions.network import Network
from plregions.network.enclose import forward_enclosed
from plregions.regions.vertices import Vertices

__all__ = ["enclosed_at", "float_bounds"]

FloatArray = NDArray[np.float64]

HALF_ULP = 2.0**-53
SUBNORMAL = 2.0**-1074


def enclosed_at(network: Network, vertices: Vertices) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the outputs at all vertices.

    Parameters
    ----------
    network : Network
        In the coordinates of the vertices; m outputs.
    vertices : Vertices

    Returns
    -------
    low, high : ndarray of float64, shape (n_vertices, m)
        low <= exact value <= high; infinite where floats prove nothing.

    Algorithm
    ---------
    One forward pass in float64 with error bounds, that of the rounded coordinates included.

    Exactness
    ---------
    The bounds are proved.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([["1/3"]], [0]), ([[1]], [0])])
    >>> low, high = enclosed_at(net, plr.enumerate_regions(net, plr.Box([-1], [1])).vertices)
    >>> bool(low.max() <= 1 / 3 <= high.max()), bool((high - low).max() < 1e-14)
    (True, True)
    """
    shape = len(vertices), network.output_dim
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    try:
        points = vertices.floats
        # Each coordinate was rounded once.
        errors = np.abs(points) * HALF_ULP + SUBNORMAL
        values, bounds = forward_enclosed(network.layers, points, errors)
    except OverflowError:
        return low, high
    is_finite = np.isfinite(values) & np.isfinite(bounds)
    with np.errstate(all="ignore"):
        np.copyto(low, np.nextafter(values - bounds, -np.inf), where=is_finite)
        np.copyto(high, np.nextafter(values + bounds, np.inf), where=is_finite)
    return low, high


def float_bounds(number: Fraction) -> tuple[float, float]:
    """Return floats around a rational number, infinite where float64 ends.

    Examples
    --------
    >>> float_bounds(Fraction(1, 2)), float_bounds(Fraction(10) ** 400)
    ((0.49999999999999994, 0.5000000000000001), (-inf, inf))
    """
    try:
        rounded = float(number)
    except OverflowError:
        return -math.inf, math.inf
    return math.nextafter(rounded, -math.inf), math.nextafter(rounded, math.inf)
