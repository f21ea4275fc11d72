"""Where are the corners of all regions, exactly, and which facets meet in each of them?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.cone import IntVector, extreme_rays
from plregions.exact.integers import primitive_row
from plregions.feasibility.prepare import Prepared
from plregions.regions.facet_rows import ExactFacets
from plregions.regions.graph import RegionGraph

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
    ((-1, -1, 1), (1, -1, 1), (-1, 1, 1), (1, 1, 1))
    >>> [vertices.of(r).tolist() for r in range(2)]
    [[0, 1, 2], [1, 2, 3]]
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
    The double description method on the rows of each region's facets, which are irredundant, in
    integers; equal vertices are recognised by their coprime homogeneous coordinates. In three
    dimensions about a quarter of a millisecond a region.

    Exactness
    ---------
    Exact.
    """
    to_domain = _Numbers(prepared)
    offsets = np.zeros(len(patterns) + 1, dtype=np.int64)
    is_bounded = np.ones(len(patterns), dtype=np.bool_)
    ids: list[int] = []
    tight: list[int] = []
    exact = ExactFacets(prepared, patterns, graph)
    for region in range(len(patterns)):
        rows = cone_rows(exact, graph, region, prepared.domain.dim)
        rays = extreme_rays(rows)
        is_bounded[region] = rays is not None and all(ray[-1] for ray, _ in rays)
        every = (1 << (len(rows) - 1)) - 1
        found = sorted((to_domain.number(ray), mask & every) for ray, mask in rays or [] if ray[-1])
        ids += [number for number, _ in found]
        tight += [mask for _, mask in found]
        offsets[region + 1] = len(ids)
    columns = offsets, np.array(ids, dtype=np.int64), is_bounded
    for column in columns:
        column.setflags(write=False)
    return Vertices(to_domain.vectors(), columns[0], columns[1], tuple(tight), is_bounded)


def cone_rows(exact: ExactFacets, graph: RegionGraph, region: int, dim: int) -> list[IntVector]:
    """Return a region's facets as rows of homogeneous local coordinates, then the row t >= 0."""
    facets = range(int(graph.offsets[region]), int(graph.offsets[region + 1]))
    rows = [exact.row(region, facet)[: dim + 1] for facet in facets]
    return [*rows, (0,) * dim + (1,)]


class _Numbers:
    """Gives each distinct vertex a number and brings it into the domain's coordinates."""

    def __init__(self, prepared: Prepared) -> None:
        matrix: Any = prepared.frame.matrix()
        width = prepared.domain.dim + 1
        self._matrix = [[int(matrix[i, j]) for j in range(width)] for i in range(width)]
        self._known: dict[IntVector, int] = {}

    def number(self, ray: IntVector) -> int:
        return self._known.setdefault(ray, len(self._known))

    def vectors(self) -> tuple[IntVector, ...]:
        return tuple(
            tuple(primitive_row([sum(map(mul, row, ray)) for row in self._matrix]))
            for ray in self._known
        )
