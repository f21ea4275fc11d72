"""Where is which output the largest? Regions cut where two outputs tie, for pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plregions.regions.polygons import Polygons

__all__ = ["ClassPieces", "class_pieces"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Of the largest value: what rounding may add to a value at a corner. It only decides whether a
# region is looked at more closely.
ROUNDING = 1e-12
# Of a region's area: smaller pieces cannot be seen.
LEAST_SHARE = 1e-9


@dataclass(frozen=True, eq=False)
class ClassPieces:
    """Polygons with one largest output each, which together fill the regions.

    Attributes
    ----------
    polygons : list of ndarray of float64, shape (k, 2)
    classes : ndarray of int64, shape (n_pieces,)
        The largest output on each of them.
    owners : ndarray of int64, shape (n_pieces,)
        The region that each of them is a part of, ascending.
    """

    polygons: list[FloatArray]
    classes: IntArray
    owners: IntArray


def class_pieces(cells: Polygons, values: FloatArray) -> ClassPieces:
    """Cut regions where the largest output changes.

    Parameters
    ----------
    cells : Polygons
    values : ndarray of float64, shape (n_vertices, m)
        The m outputs at each of ``cells.vertices``.

    Returns
    -------
    ClassPieces

    Algorithm
    ---------
    Outputs are affine on a region: one that is largest at all corners is largest everywhere.
    Other regions are cut, for each output, by its differences from all others.

    Exactness
    ---------
    float64, for pictures; pieces of less than 1e-9 of their region are left out. Where two outputs
    are equal on a whole region, it belongs to the lower one.
    """
    at_corners = values[cells.corners]
    best = at_corners.max(axis=1)
    slack = ROUNDING * np.abs(at_corners).max(axis=1)
    is_best = at_corners >= (best - slack)[:, None]
    starts = cells.offsets[:-1]
    if not len(cells):
        empty = np.zeros(0, dtype=np.int64)
        return ClassPieces([], empty, empty)
    everywhere: NDArray[np.bool_] = np.logical_and.reduceat(is_best, starts, axis=0)
    first = everywhere.argmax(axis=1)
    polygons, classes, owners = [], [], []
    for region, is_constant in enumerate(np.any(everywhere, axis=1)):
        corners = cells.corners[cells.offsets[region] : cells.offsets[region + 1]]
        points = cells.vertices[corners]
        found = [(int(first[region]), points)] if is_constant else _cut(points, values[corners])
        for k, piece in found:
            polygons.append(piece)
            classes.append(k)
            owners.append(region)
    return ClassPieces(polygons, np.array(classes), np.array(owners))


def _cut(points: FloatArray, values: FloatArray) -> list[tuple[int, FloatArray]]:
    """Return the parts of one polygon in which each output is the largest."""
    found = []
    least = LEAST_SHARE * _area(points)
    for k in range(values.shape[1]):
        own = values[:, k : k + 1]
        if (values[:, :k] >= own).all(axis=0).any() or (values[:, k + 1 :] > own).all(axis=0).any():
            continue  # another one is larger everywhere, or a lower one no smaller
        piece, leads = points, own - np.delete(values, k, axis=1)
        for j in range(leads.shape[1]):
            piece, leads = _clip(piece, leads, j)
        if len(piece) >= 3 and _area(piece) > least:
            found.append((k, piece))
    return found or [(int(values.mean(axis=0).argmax()), points)]


def _clip(points: FloatArray, leads: FloatArray, j: int) -> tuple[FloatArray, FloatArray]:
    """Keep the part of a convex polygon on which affine function j is not negative."""
    rows: list[tuple[FloatArray, FloatArray]] = []
    for here in range(len(points)):
        before = here - 1
        a, b = leads[before, j], leads[here, j]
        if (a < 0) != (b < 0):
            t = a / (a - b)
            rows.append(
                (
                    points[before] + t * (points[here] - points[before]),
                    leads[before] + t * (leads[here] - leads[before]),
                )
            )
        if b >= 0:
            rows.append((points[here], leads[here]))
    if not rows:
        return points[:0], leads[:0]
    return np.array([p for p, _ in rows]), np.array([v for _, v in rows])


def _area(points: FloatArray) -> float:
    x, y = (points - points[0]).T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
