"""What shapes do linear regions have in the plane? Unions of cells along their shared sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plregions.regions.polygons import Polygons, next_in_ring, region_polygons

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["linear_polygons"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class _Rings(NamedTuple):
    """Closed rings of sides; side k starts in the corner ``corners[k]`` and belongs to a ring."""

    corners: IntArray
    offsets: IntArray
    labels: IntArray


def linear_polygons(complex: RegionComplex) -> NDArray[np.object_]:
    """Return each linear region of a two-dimensional complex as a shapely polygon with its holes.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain of dimension 2. In an incomplete complex the linear regions are those
        of the cells that were found.

    Returns
    -------
    ndarray of shapely.Polygon, shape (n_linear,)
        In the order of ``complex.linear``, in the domain's coordinates. The shell is
        counter-clockwise, holes are clockwise. All corners of cells on the boundary are kept, so
        that neighbours share their corners bit by bit and leave no gap.

    Raises
    ------
    InvalidInputError
        The domain has another dimension or is not bounded.

    Algorithm
    ---------
    No union of floats: the sides of a linear region's boundary are those sides of its cells beyond
    which another linear region, or none, lies. They are chained around the corners they share:
    from the end of a side turn through the region's own cells to the next boundary side. A walk
    that passes a corner twice is cut there, so that each ring is simple. Linear in the number of
    facets.

    Exactness
    ---------
    Which sides and corners form which ring is proved, as far as they go: a linear region is one
    polygon whose rings meet in corners only, since its interior is connected. Corners are rounded
    to float64; a region thinner than that may give a polygon that shapely calls invalid.

    Examples
    --------
    >>> import plregions as plr
    >>> diamond = plr.Network([
    ...     ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 0, 0]),
    ...     ([[-1, -1, -1, -1]], ["1/2"]),
    ...     ([[1]], [0]),
    ... ])
    >>> shapes = linear_polygons(plr.enumerate_regions(diamond, plr.hypercube(2, -1, 1)))
    >>> [(shape.area, len(shape.interiors)) for shape in shapes]
    [(3.5, 1), (0.125, 0), (0.125, 0), (0.125, 0), (0.125, 0)]
    """
    import shapely

    cells = region_polygons(complex, verb="linear_polygons")
    if not len(cells):
        return np.zeros(0, dtype=np.object_)
    rings = _boundary_rings(cells, complex.graph.neighbours, complex.linear.labels)
    counts = np.diff(rings.offsets)
    owner = np.repeat(np.arange(len(counts)), counts)
    points = cells.vertices[rings.corners]
    # A shell is the one ring of its region that holds the others.
    order = np.lexsort((-_signed_areas(points, rings.offsets), rings.labels))
    lines = shapely.linearrings(points, indices=owner)
    shapes: NDArray[np.object_] = np.atleast_1d(
        shapely.polygons(lines[order], indices=rings.labels[order])
    )
    return shapes


def _boundary_rings(cells: Polygons, neighbours: IntArray, labels: IntArray) -> _Rings:
    """Chain the boundary sides of all linear regions to simple rings, regions on their left."""
    owner, following = cells.owners, next_in_ring(cells.offsets)
    beyond = neighbours[cells.facets]
    is_inner = (beyond >= 0) & (labels[beyond] == labels[owner])
    inner = np.flatnonzero(is_inner)
    here, there = owner[inner], beyond[inner]
    # The two sides of a facet stand next to each other in the order of pairs of cells.
    order = inner[np.lexsort((here, np.maximum(here, there), np.minimum(here, there)))]
    twin = np.full(len(owner), -1)
    twin[order[0::2]], twin[order[1::2]] = order[1::2], order[0::2]
    sides = np.flatnonzero(~is_inner)
    after = following[sides]
    turning = np.flatnonzero(is_inner[after])
    while len(turning):
        after[turning] = following[twin[after[turning]]]
        turning = turning[is_inner[after[turning]]]
    number = np.full(len(owner), -1)
    number[sides] = np.arange(len(sides))
    corners = cells.corners[sides]
    rings = [
        ring
        for walk in _walks(number[after].tolist())
        for ring in _simple_rings(walk, corners[walk].tolist())
    ]
    offsets = np.cumsum([0, *map(len, rings)])
    entries = np.concatenate(rings)
    return _Rings(corners[entries], offsets, labels[owner[sides[entries[offsets[:-1]]]]])


def _walks(after: list[int]) -> Iterator[list[int]]:
    """Yield the cycles of a permutation."""
    is_seen = [False] * len(after)
    for start in range(len(after)):
        walk = []
        side = start
        while not is_seen[side]:
            is_seen[side] = True
            walk.append(side)
            side = after[side]
        if walk:
            yield walk


def _simple_rings(walk: list[int], corners: list[int]) -> Iterator[list[int]]:
    """Cut a closed walk of sides into rings that pass each corner once."""
    if len(set(corners)) == len(corners):
        yield walk
        return
    place: dict[int, int] = {}
    path: list[tuple[int, int]] = []
    for side, corner in zip(walk, corners, strict=True):
        if corner in place:
            ring = path[place[corner] :]
            del path[place[corner] :]
            for _, passed in ring:
                del place[passed]
            yield [s for s, _ in ring]
        place[corner] = len(path)
        path.append((side, corner))
    yield [s for s, _ in path]


def _signed_areas(points: FloatArray, offsets: IntArray) -> FloatArray:
    """Return twice the signed area of each ring; there is one ring or more."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    p = points - points[offsets[:-1]][owner]
    q = p[next_in_ring(offsets)]
    areas: FloatArray = np.add.reduceat(p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0], offsets[:-1])
    return areas
