"""The regions of a two-dimensional domain as polygons: corners, areas, centroids."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box
from plregions.errors import InvalidInputError, PLRegionsError
from plregions.feasibility.prepare import IntRow
from plregions.kernels.rows import EPS
from plregions.regions.facet_rows import ExactFacets, FacetRows, facet_rows

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["Polygons", "next_in_ring", "polygons", "region_polygons", "shapely_polygons"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A corner is taken from floats when it is proved to this precision, in coordinates in which the
# domain fills the box |u| <= 1, and to this part of the shortest side that ends there.
PRECISION = 2.0**-32
PART_OF_A_SIDE = 2.0**-10


@dataclass(frozen=True, eq=False)
class Polygons:
    """The polygons of all regions of a two-dimensional complex, which share their corners.

    Attributes
    ----------
    vertices : ndarray of float64, shape (n_vertices, 2)
        In the domain's coordinates. Regions that meet in a point have the same row here.
    offsets : ndarray of int64, shape (n + 1,)
        The corners of region r are ``corners[offsets[r]:offsets[r + 1]]``.
    corners : ndarray of int64
        Rows of `vertices`, counter-clockwise; each region starts at its lowest corner by x, then y.
    facets : ndarray of int64
        The facet of the region graph that lies between each corner and the next.
    """

    vertices: FloatArray
    offsets: IntArray
    corners: IntArray
    facets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> FloatArray:
        place = range(len(self))[index]
        part: FloatArray = self.vertices[
            self.corners[self.offsets[place] : self.offsets[place + 1]]
        ]
        return part

    @cached_property
    def owners(self) -> IntArray:
        """The region of each entry of `corners`."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def _fans(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Twice the signed areas of the triangles from first corners, and their sides' vectors."""
        here = self.vertices[self.corners]
        base = here[self.offsets[:-1]][self.owners]
        there = here[next_in_ring(self.offsets)]
        p, q = here - base, there - base
        return p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0], p, q

    @cached_property
    def areas(self) -> FloatArray:
        """Areas, shape (n,); of a region thinner than float64 resolves: about 0."""
        twice = self._fans[0]
        return np.add.reduceat(twice, self.offsets[:-1]) / 2 if len(self) else np.zeros(0)

    @cached_property
    def centroids(self) -> FloatArray:
        """Centres of mass, shape (n, 2); the mean of the corners where there is hardly any area."""
        if not len(self):
            return np.zeros((0, 2))
        twice, p, q = self._fans
        starts = self.offsets[:-1]
        base = self.vertices[self.corners[starts]]
        mean = np.add.reduceat(p, starts, axis=0) / np.diff(self.offsets)[:, None]
        reach = np.maximum.reduceat(np.abs(p).max(axis=1), starts)
        area = np.add.reduceat(twice, starts)
        is_flat = ~(area > 1e-9 * reach**2)
        moment = np.add.reduceat(twice[:, None] * (p + q), starts, axis=0) / 3.0
        centre = moment / np.where(is_flat, 1.0, area)[:, None]
        return base + np.where(is_flat[:, None], mean, centre)

    @cached_property
    def facet_middles(self) -> FloatArray:
        """The middle of each facet of the region graph, shape (n_facets, 2)."""
        here, there = self.corners, self.corners[next_in_ring(self.offsets)]
        middles = np.empty((len(here), 2))
        middles[self.facets] = self.vertices[here] / 2 + self.vertices[there] / 2
        return middles


def polygons(complex: RegionComplex) -> list[FloatArray]:
    """Return each region of a two-dimensional complex as a polygon.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2: a box, a polytope or a slice.

    Returns
    -------
    list of ndarray of float64, shape (k, 2)
        The k corners of each region in the domain's coordinates (for a slice: its own),
        counter-clockwise from the lowest by x, then y. One corner for each facet, in order.

    Raises
    ------
    InvalidInputError
        The domain has another dimension.

    Algorithm
    ---------
    See `region_polygons`, whose columns these are.

    Exactness
    ---------
    Which facets meet in a corner is proved; the corner is rounded to float64. Two corners of a
    region that is thinner than float64 resolves may coincide.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1.0, 1.0]], [0.0]), ([[1.0]], [0.0])])
    >>> polygons(plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1])))[1]
    array([[-1.,  1.],
           [ 1., -1.],
           [ 1.,  1.]])
    """
    found = region_polygons(complex, verb="polygons")
    return np.split(found.vertices[found.corners], found.offsets[1:-1]) if len(found) else []


def shapely_polygons(complex: RegionComplex) -> NDArray[np.object_]:
    """Return each region of a two-dimensional complex as a shapely polygon.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2.

    Returns
    -------
    ndarray of shapely.Polygon, shape (n,)
        Counter-clockwise. Regions that meet share their corners bit by bit, so unions close.

    Raises
    ------
    InvalidInputError
        The domain has another dimension.

    Exactness
    ---------
    As `polygons`. A region thinner than float64 resolves gives a polygon that shapely calls
    invalid.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1.0, 1.0]], [0.0]), ([[1.0]], [0.0])])
    >>> shapely_polygons(plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1])))[0]
    <POLYGON ((-1 -1, 1 -1, -1 1, -1 -1))>
    """
    import shapely

    found = region_polygons(complex, verb="shapely_polygons")
    rings = shapely.linearrings(found.vertices[found.corners], indices=found.owners)
    shapes: NDArray[np.object_] = np.atleast_1d(shapely.polygons(rings))
    return shapes


def region_polygons(complex: RegionComplex, *, verb: str = "region_polygons") -> Polygons:
    """Find the corners of all regions of a two-dimensional complex.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2. Need not be complete.
    verb : str
        Who asks, for messages.

    Returns
    -------
    Polygons

    Raises
    ------
    InvalidInputError
        The domain has another dimension.

    Algorithm
    ---------
    The facets of a region, in the order of their normals' angles, meet in its corners. The two
    ends of a facet are the same points seen from both sides, so corners that are equal are found
    without comparing coordinates. Floats with error bounds do all regions at once; an order that
    they do not prove, and a corner that they do not place well enough, are found in integers.
    One forward pass with three columns a region, and one sort of the facets.

    Exactness
    ---------
    The order of the corners and which of them are equal is proved. Coordinates are proved to
    2**-32 of the domain's size (they are right to about 1e-13) and to a thousandth of the shortest
    side, or to the rounding of float64 in the domain's coordinates where that is coarser. Corners
    on the sides of a box lie there exactly.
    """
    if complex.domain.dim != 2:
        raise InvalidInputError(
            f"{verb} needs regions in two dimensions; got a domain of dimension "
            f"{complex.domain.dim}. Of more inputs take a plane: a Slice of dimension 2."
        )
    if not complex.domain.is_bounded:
        raise InvalidInputError(
            f"{verb} needs a bounded domain; got {complex.domain!r}. Enumerate the regions of a "
            "box: Box(lower, upper)."
        )
    work = _Corners(complex)
    work.place()
    return work.result()


class _Corners:
    """Work in progress: entry i is the corner between facet i and the next one of its region."""

    def __init__(self, complex: RegionComplex) -> None:
        self._prepared = complex.prepared
        self._offsets = complex.graph.offsets
        self._labels = complex.graph.labels
        counts = complex.graph.n_facets
        if (counts < 3).any():
            raise PLRegionsError(
                "polygons need three facets or more of every region; got fewer. "
                "This is a fault of plregions: please report it with the network."
            )
        self._owner = np.repeat(np.arange(len(counts)), counts)
        self._next = next_in_ring(self._offsets)
        self._previous = np.empty_like(self._next)
        self._previous[self._next] = np.arange(len(self._next))
        self._exact = ExactFacets(complex.prepared, complex.patterns, complex.graph)
        floats = facet_rows(complex.prepared, complex.patterns, complex.graph)
        self._facet = _order_by_angle(self._owner, floats.rows)
        point, error = _meet(floats, self._facet, self._facet[self._next])
        # Unproved turns: the order of these regions' facets is not known yet.
        for region in np.unique(self._owner[np.isnan(error)]):
            place = slice(int(self._offsets[region]), int(self._offsets[region + 1]))
            self._facet[place] = self._exact_order(int(region), self._facet[place])
            error[place] = np.inf
        self._weld(complex.graph.neighbours, point, error)

    def _exact_order(self, region: int, facets: IntArray) -> list[int]:
        rows = {int(f): self._exact.row(region, int(f)) for f in facets}

        def compare(one: int, other: int) -> int:
            return _compare_angles(rows[one], rows[other])

        return sorted(rows, key=cmp_to_key(compare))

    def _weld(self, neighbours: IntArray, point: FloatArray, error: FloatArray) -> None:
        """Find which entries are one vertex, and keep the most precise place of each vertex."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        n = len(self._facet)
        inner = np.flatnonzero(neighbours[self._facet] >= 0)
        there = neighbours[self._facet[inner]]
        here = self._owner[inner]
        # The two sides of a facet stand next to each other in the order of pairs of regions.
        order = np.lexsort((here, np.maximum(here, there), np.minimum(here, there)))
        one, other = inner[order[0::2]], inner[order[1::2]]
        ends = np.concatenate([one, self._previous[one]])
        starts = np.concatenate([self._previous[other], other])
        joined = csr_array((np.ones(len(ends), dtype=np.int8), (ends, starts)), shape=(n, n))
        n_vertices, vertex = connected_components(joined, directed=False)
        self._vertex = vertex.astype(np.int64)
        by_error = np.lexsort((error, self._vertex))
        best = by_error[np.searchsorted(self._vertex[by_error], np.arange(n_vertices))]
        gap = np.abs(point - point[best][self._vertex]).max(axis=1, initial=0.0)
        is_known = np.isfinite(error)
        if (gap[is_known] > 2.0 * error[is_known] + 4 * EPS).any():
            raise PLRegionsError(
                "polygons need both sides of a facet to end in the same points; got ends that "
                "differ. This is a fault of plregions: please report it with the network."
            )
        self._best, self._local, self._error = best, point[best], error[best]
        self._known: dict[int, tuple[Fraction, ...]] = {}

    def place(self) -> None:
        """Find in integers those vertices that floats do not place well enough."""
        while True:
            wanted = np.minimum(PRECISION, PART_OF_A_SIDE * self._shortest_sides())
            poor = np.flatnonzero(self._error > wanted)
            if not len(poor):
                return
            for vertex in poor.tolist():
                entry = int(self._best[vertex])
                region = int(self._owner[entry])
                one = self._exact.row(region, int(self._facet[entry]))
                other = self._exact.row(region, int(self._facet[self._next[entry]]))
                at = _exact_meet(one, other)
                self._known[vertex] = self._prepared.frame.to_global(at)
                self._local[vertex] = [float(v) for v in at]
                self._error[vertex] = 0.0

    def _shortest_sides(self) -> FloatArray:
        """Return the length of the shortest side that ends in each vertex."""
        here, there = self._vertex, self._vertex[self._next]
        side = np.abs(self._local[here] - self._local[there]).max(axis=1, initial=0.0)
        shortest = np.full(len(self._best), np.inf)
        np.minimum.at(shortest, here, side)
        np.minimum.at(shortest, there, side)
        return shortest

    def result(self) -> Polygons:
        vertices = self._global()
        corner = self._vertex
        at = vertices[corner]
        lowest = np.lexsort((at[:, 1], at[:, 0], self._owner))[self._offsets[:-1]]
        # Turn each ring so that it starts with its lowest corner.
        first, count = self._offsets[:-1][self._owner], np.diff(self._offsets)[self._owner]
        within = np.arange(len(corner)) - first
        turned = first + (within + (lowest - self._offsets[:-1])[self._owner]) % count
        columns = vertices, self._offsets, corner[turned], self._facet[self._next[turned]]
        for column in columns:
            column.setflags(write=False)
        return Polygons(*columns)

    def _global(self) -> FloatArray:
        """Return the vertices in the domain's coordinates, none outside its bounding box."""
        vertices = self._prepared.frame.points(self._local)
        for vertex, point in self._known.items():
            vertices[vertex] = [float(v) for v in point]
        domain = self._prepared.domain
        lower, upper = (np.array([float(v) for v in side]) for side in domain.bounding_box())
        if isinstance(domain, Box):
            for facet in (self._facet, self._facet[self._next]):
                on_wall = np.flatnonzero(self._labels[facet] < 0)
                k, is_upper = np.divmod(-1 - self._labels[facet[on_wall]], 2)
                vertices[self._vertex[on_wall], k] = np.where(is_upper, upper[k], lower[k])
        np.clip(vertices, lower, upper, out=vertices)
        return vertices


def next_in_ring(offsets: IntArray) -> IntArray:
    """Return for each entry the next one of its region, cyclically."""
    following = np.arange(1, int(offsets[-1]) + 1)
    following[offsets[1:] - 1] = offsets[:-1]
    return following


def _order_by_angle(owner: IntArray, rows: FloatArray) -> IntArray:
    """Return the facets of each region in the order of the angles of their normals."""
    return np.lexsort((np.arctan2(rows[:, 1], rows[:, 0]), owner)).astype(np.int64)


def _meet(floats: FacetRows, one: IntArray, other: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return where the lines of two facets meet, with an error bound for both coordinates.

    The bound is NaN where the turn from one to the other is not proved to be a left turn of less
    than half a circle.
    """
    r, s = floats.rows[one], floats.rows[other]
    rows_error = floats.error[one] + floats.error[other] + floats.error[one] * floats.error[other]

    def minor(i: int, j: int) -> tuple[FloatArray, FloatArray]:
        p, q = r[:, i] * s[:, j], r[:, j] * s[:, i]
        return p - q, rows_error + 3.0 * EPS * (np.abs(p) + np.abs(q))

    turn, turn_error = minor(0, 1)
    is_proved = turn > turn_error
    divisor = np.where(is_proved, turn, 1.0)
    point = np.zeros((len(one), 2))
    error = np.zeros(len(one))
    with np.errstate(invalid="ignore"):
        for k, (value, bound) in enumerate((minor(1, 2), minor(2, 0))):
            point[:, k] = value / divisor
            size = np.abs(point[:, k])
            spread = (bound + size * turn_error) / (divisor - turn_error) * (1.0 + 8.0 * EPS)
            error = np.maximum(error, spread + 2.0 * EPS * size)
    return point, np.where(is_proved, error, np.nan)


def _exact_meet(one: IntRow, other: IntRow) -> tuple[Fraction, Fraction]:
    """Return where two lines meet."""
    (a, b, c), (p, q, r) = one, other
    turn = a * q - b * p
    return Fraction(b * r - c * q, turn), Fraction(c * p - a * r, turn)


def _compare_angles(one: IntRow, other: IntRow) -> int:
    """Compare the angles of two normals in [0, 2 pi): -1, 0 or 1."""
    (a, b), (p, q) = one[:2], other[:2]
    halves = (b < 0 or (b == 0 and a < 0)), (q < 0 or (q == 0 and p < 0))
    if halves[0] != halves[1]:
        return 1 if halves[0] else -1
    turn = a * q - b * p
    return int(turn < 0) - int(turn > 0)
