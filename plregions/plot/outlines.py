"""What is the outline of a union of regions? Rings through corners that the regions share."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from plregions.regions.polygons import Polygons, next_in_ring

__all__ = ["outlines", "walls_between"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def walls_between(cells: Polygons, neighbours: IntArray, groups: IntArray) -> NDArray[np.bool_]:
    """Tell which sides of the polygons bound the union of their group.

    Parameters
    ----------
    cells : Polygons
    neighbours : ndarray of int64, shape (n_facets,)
        Of the same region graph.
    groups : ndarray of int64, shape (n,)
        The group of each region.

    Returns
    -------
    ndarray of bool, shape (n_corners,)
        For the side from each entry of ``cells.corners`` to the next one.
    """
    beyond = neighbours[cells.facets]
    result: NDArray[np.bool_] = (beyond < 0) | (groups[beyond] != groups[cells.owners])
    return result


def outlines(cells: Polygons, neighbours: IntArray, groups: IntArray) -> list[list[FloatArray]]:
    """Return the rings around each group of regions.

    Parameters
    ----------
    cells : Polygons
    neighbours : ndarray of int64, shape (n_facets,)
        Of the same region graph.
    groups : ndarray of int64, shape (n,)
        The group of each region, from 0.

    Returns
    -------
    list of list of ndarray of float64, shape (k, 2)
        For each group its rings: outer ones counter-clockwise, holes clockwise.

    Algorithm
    ---------
    The sides between regions of one group are left out; the others follow each other from corner
    to corner. Corners are numbers, so nothing is compared. Linear in the number of sides.

    Exactness
    ---------
    Which sides form which ring is exact; corners are those of `Polygons`.
    """
    walls = np.flatnonzero(walls_between(cells, neighbours, groups))
    ends = cells.corners[next_in_ring(cells.offsets)[walls]].tolist()
    starts, owners = cells.corners[walls].tolist(), groups[cells.owners[walls]].tolist()
    following: list[dict[int, list[int]]] = [
        defaultdict(list) for _ in range(int(groups.max(initial=-1)) + 1)
    ]
    for start, end, group in zip(starts, ends, owners, strict=True):
        following[group][start].append(end)
    found: list[list[FloatArray]] = []
    for steps in following:
        rings = []
        for start in list(steps):
            while steps[start]:
                ring, here = [start], steps[start].pop()
                while here != start:
                    ring.append(here)
                    here = steps[here].pop()
                rings.append(cells.vertices[ring])
        found.append(rings)
    return found
