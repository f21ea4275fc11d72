"""Where are the corners of all regions, exactly, and which facets meet in each of them?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.exact.cone import IntVector, extreme_rays
from plregions.exact.integers import primitive_row
from plregions.feasibility.prepare import Prepared
from plregions.regions.facet_rows import ExactFacets, facet_rows
from plregions.regions.graph import RegionGraph
from plregions.regions.simple_cells import shared_vertices, simple_cells

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["Vertices", "cone_rows", "find_vertices"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Vertices:
    """The vertices of all regions of a complex, shared between the regions that meet in them.

    Attributes
    ----------
    homogeneous : tuple of tuples of int, length dim + 1
        Each distinct vertex once, in the domain's coordinates: numerators and, last, their
        positive common denominator, without common factor.
    offsets : ndarray of int64, shape (n + 1,)
        The entries of region r are ``offsets[r]`` to ``offsets[r + 1]``.
    ids : ndarray of int64, shape (n_entries,)
        The vertex (a position in `homogeneous`) of each entry, ascending in each region.
    tight : tuple of int, length n_entries
        Which facets of the region meet there: bit i for facet ``graph.offsets[r] + i``.
    is_bounded : ndarray of bool, shape (n,)
        An unbounded region has its vertices here as well, but is more than their hull.

    Exactness
    ---------
    Exact. Numbers are given in the order of first occurrence, region by region.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[1]], [0])])
    >>> vertices = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1])).vertices
    >>> vertices.homogeneous
    ((-1, 1, 1), (1, -1, 1), (-1, -1, 1), (1, 1, 1))
    >>> [vertices.of(r).tolist() for r in range(2)]
    [[0, 1, 2], [0, 1, 3]]
    """

    homogeneous: tuple[IntVector, ...]
    offsets: IntArray
    ids: IntArray
    tight: tuple[int, ...]
    is_bounded: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.homogeneous)

    @cached_property
    def points(self) -> tuple[tuple[Fraction, ...], ...]:
        """Each distinct vertex as a rational point."""
        return tuple(tuple([Fraction(v, h[-1]) for v in h[:-1]]) for h in self.homogeneous)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """Each distinct vertex rounded to float64, shape (n_vertices, dim)."""
        width = len(self.homogeneous[0]) - 1 if self.homogeneous else 0
        numbers = [[v / h[-1] for v in h[:-1]] for h in self.homogeneous]
        array = np.array(numbers, dtype=np.float64).reshape(len(numbers), width)
        array.setflags(write=False)
        return array

    def of(self, region: int) -> IntArray:
        """Return the vertices of a region, ascending."""
        return self.ids[self.offsets[region] : self.offsets[region + 1]]

    def tight_of(self, region: int) -> tuple[int, ...]:
        """Return for each vertex of a region the bit set of its facets that meet there."""
        return self.tight[int(self.offsets[region]) : int(self.offsets[region + 1])]

    def to_scipy_sparse(self) -> scipy.sparse.csr_array:
        """Return which region has which vertices, shape (n, n_vertices), entries 1 (int8)."""
        from scipy.sparse import csr_array

        shape = len(self.offsets) - 1, len(self)
        return csr_array((np.ones(len(self.ids), dtype=np.int8), self.ids, self.offsets), shape)


def find_vertices(prepared: Prepared, patterns: NDArray[np.bool_], graph: RegionGraph) -> Vertices:
    """Find the vertices of all regions, exactly.

    Parameters
    ----------
    prepared : Prepared
    patterns : ndarray of bool, shape (n, N)
    graph : RegionGraph
        Of the same regions; need not be complete.

    Returns
    -------
    Vertices

    Raises
    ------
    InvalidInputError
        A region has too many vertices for exact arithmetic.

    Algorithm
    ---------
    Floats prove which dim facets meet in which vertices of simple regions that are not very thin,
    and neighbours tell which of these are one point: one exact solution of dim equations a point.
    For the other regions the double description method in integers on the rows of their facets.
    Equal vertices are recognised by their coprime homogeneous coordinates.

    Exactness
    ---------
    Exact.
    """
    work = _Numbers(prepared, ExactFacets(prepared, patterns, graph))
    n, dim = len(patterns), prepared.domain.dim
    is_bounded = np.ones(n, dtype=np.bool_)
    owners, ids, tight = _of_simple_cells(prepared, patterns, graph, work)
    is_known = np.zeros(n, dtype=np.bool_)
    is_known[owners] = True
    parts = [(owners, ids)]
    for region in np.flatnonzero(~is_known).tolist():
        rays = extreme_rays(cone_rows(work.exact, graph, region, dim))
        is_bounded[region] = rays is not None and all(ray[-1] for ray, _ in rays)
        every = (1 << int(graph.n_facets[region])) - 1
        found = [(work.number(ray), mask & every) for ray, mask in rays or [] if ray[-1]]
        numbers = np.array([number for number, _ in found], dtype=np.int64)
        parts.append((np.full(len(found), region), numbers))
        tight += [mask for _, mask in found]
    owners, ids = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    # Numbers in the order of regions, and ascending in each of them.
    order = np.argsort(owners, kind="stable")
    distinct, first, inverse = np.unique(ids[order], return_index=True, return_inverse=True)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(distinct))
    ids[order] = rank[inverse.ravel()]
    order = np.lexsort((ids, owners))
    offsets = np.searchsorted(owners[order], np.arange(n + 1)).astype(np.int64)
    columns = offsets, ids[order], is_bounded
    for column in columns:
        column.setflags(write=False)
    masks = tuple([tight[i] for i in order.tolist()])
    points = work.vectors(distinct[np.argsort(first)].tolist())
    return Vertices(points, columns[0], columns[1], masks, is_bounded)


def _of_simple_cells(
    prepared: Prepared, patterns: NDArray[np.bool_], graph: RegionGraph, work: _Numbers
) -> tuple[IntArray, IntArray, list[int]]:
    """Return the region, the vertex and the bits of each entry that floats settle."""
    none = np.zeros(0, dtype=np.int64)
    if not prepared.domain.is_bounded:
        return none, none, []
    dim = prepared.domain.dim
    floats = facet_rows(prepared, patterns, graph)
    offsets, _, tight, _ = simple_cells(graph.offsets, floats, dim)
    owners = np.repeat(np.arange(len(patterns)), np.diff(offsets))
    if not len(owners):
        return none, none, []
    facets, names = shared_vertices(graph, owners, tight, dim)
    # One entry for each name, region by region: rows of one region are quickest together.
    _, first = np.unique(names, return_index=True)
    number = np.zeros(len(first), dtype=np.int64)
    for entry in np.sort(first).tolist():
        number[names[entry]] = work.number(work.meet(int(owners[entry]), facets[entry].tolist()))
    return owners, number[names], tight.tolist()


def cone_rows(exact: ExactFacets, graph: RegionGraph, region: int, dim: int) -> list[IntVector]:
    """Return a region's facets as rows of homogeneous local coordinates, then the row t >= 0."""
    facets = range(int(graph.offsets[region]), int(graph.offsets[region + 1]))
    rows = [exact.row(region, facet)[: dim + 1] for facet in facets]
    return [*rows, (0,) * dim + (1,)]


class _Numbers:
    """Gives each distinct vertex a number and brings it into the domain's coordinates."""

    def __init__(self, prepared: Prepared, exact: ExactFacets) -> None:
        matrix: Any = prepared.frame.matrix()
        width = prepared.domain.dim + 1
        self._matrix = [[int(matrix[i, j]) for j in range(width)] for i in range(width)]
        self._known: dict[IntVector, int] = {}
        self._width = width
        self.exact = exact

    def number(self, ray: IntVector) -> int:
        """Return the number of a vertex in homogeneous local coordinates, coprime integers."""
        return self._known.setdefault(ray, len(self._known))

    def meet(self, region: int, facets: list[int]) -> IntVector:
        """Return where dim facets of a region meet that are known to meet in one point."""
        rows = [self.exact.row(region, facet) for facet in facets]
        left = fmpz_mat([list(row[: self._width - 1]) for row in rows])
        solution: Any = left.solve(fmpz_mat([[-row[self._width - 1]] for row in rows]))
        numerators, denominator = solution.numer_denom()
        ray = [*map(int, numerators.entries()), int(denominator)]
        divisor = gcd(*ray) if ray[-1] > 0 else -gcd(*ray)
        return tuple([v // divisor for v in ray])

    def vectors(self, numbers: list[int]) -> tuple[IntVector, ...]:
        """Return vertices in the domain's coordinates."""
        rays = list(self._known)
        return tuple(
            tuple(primitive_row([sum(map(mul, row, rays[k])) for row in self._matrix]))
            for k in numbers
        )
