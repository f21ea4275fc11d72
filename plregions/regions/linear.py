"""Linear regions and distinct affine maps: which activation regions carry the same map?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.lp import maximise
from plregions.network import Network
from plregions.network.residues import map_residues, primes_for
from plregions.regions.graph import RegionGraph

__all__ = ["LinearRegions", "Row", "linear_regions", "map_labels", "numbered", "union_is_convex"]

Row = tuple[Fraction, ...]

N_PRIMES = 4


@dataclass(frozen=True, eq=False)
class LinearRegions:
    """The linear regions of a complex: facet-connected unions of cells with one affine map.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        The linear region of each activation region; numbered in the order of first members.
    map_labels : ndarray of int64, shape (n,)
        The affine map of each activation region, numbered likewise: equal numbers, equal maps.

    Exactness
    ---------
    Maps are compared exactly; two linear regions may carry the same map.

    Examples
    --------
    >>> import plregions as plr
    >>> hat = plr.Network([([[1], [1], [1]], ["-1/4", "-1/2", "-3/4"]), ([[1, -2, 1]], [0])])
    >>> linear = plr.enumerate_regions(hat, plr.Box([0], [1])).linear
    >>> linear.n_regions, linear.n_maps, linear.labels.tolist(), linear.map_labels.tolist()
    (4, 3, [0, 1, 2, 3], [0, 1, 2, 0])
    """

    labels: NDArray[np.int64]
    map_labels: NDArray[np.int64]

    @property
    def n_regions(self) -> int:
        """Number of linear regions."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def n_maps(self) -> int:
        """Number of distinct affine maps."""
        return int(self.map_labels.max(initial=-1)) + 1

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.labels, kind="stable").astype(np.int64)
        return order, np.searchsorted(self.labels[order], np.arange(self.n_regions + 1))

    def members(self, index: int) -> NDArray[np.int64]:
        """Return the activation regions of linear region `index`, ascending."""
        order, starts = self._order
        place = range(self.n_regions)[index]
        return order[starts[place] : starts[place + 1]]


def linear_regions(maps: NDArray[np.int64], graph: RegionGraph) -> LinearRegions:
    """Join the activation regions that share a facet and carry the same affine map.

    Parameters
    ----------
    maps : ndarray of int64, shape (n,)
        The affine map of each activation region, as `map_labels` numbers them.
    graph : RegionGraph
        Of the same regions.

    Returns
    -------
    LinearRegions

    Algorithm
    ---------
    The connected components of the region graph without the edges across which the map
    changes: linear in regions and edges.

    Exactness
    ---------
    Exact.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(maps)
    edges = graph.edges
    same = edges[maps[edges[:, 0]] == maps[edges[:, 1]]]
    joined = csr_array((np.ones(len(same), dtype=np.int8), (same[:, 0], same[:, 1])), shape=(n, n))
    _, components = connected_components(joined, directed=False)
    labels = numbered(components)
    labels.setflags(write=False)
    return LinearRegions(labels, maps)


def map_labels(network: Network, patterns: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number the affine maps of activation patterns: equal numbers iff equal maps.

    Parameters
    ----------
    network : Network
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of int64, shape (n,)
        Numbered in the order of first occurrence.

    Algorithm
    ---------
    All maps are computed modulo some primes, in batches of matrix products; maps with different
    residues are different. Maps with equal residues are compared in rationals. Cost of a few
    forward passes with d + 1 columns a pattern, and one rational map for each pattern that is
    not alone with its residues.

    Exactness
    ---------
    Exact: residues only separate.
    """
    primes = islice(primes_for(network), N_PRIMES)
    residues = [map_residues(network, patterns, prime) for prime in primes]
    _, first_class = np.unique(np.concatenate(residues, axis=1), axis=0, return_inverse=True)
    first_class = first_class.ravel()
    counts = np.bincount(first_class, minlength=1)
    labels = first_class.astype(np.int64)
    exact: dict[tuple[int, Any], int] = {}
    for i in np.flatnonzero(counts[first_class] > 1):
        weight, bias = network.affine_map(patterns[i], exact=True)
        key = (int(first_class[i]), (*weight.ravel(), *bias))
        labels[i] = len(counts) + exact.setdefault(key, len(exact))
    labels = numbered(labels)
    labels.setflags(write=False)
    return labels


def numbered(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Number classes in the order of their first members.

    Parameters
    ----------
    labels : ndarray, shape (n,)
        Equal for members of one class.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.ravel()]


def union_is_convex(
    cells: list[list[Row]], walls: list[Row], points: list[tuple[Fraction, ...]]
) -> bool:
    """Tell whether a facet-connected union of cells is convex.

    Parameters
    ----------
    cells : list of list of rows
        The constraint rows (a, c), a.x + c >= 0, of each cell.
    walls : list of rows
        The rows of all facets on the boundary of the union, positive on their own cell's side.
    points : list of points
        A point inside each cell.

    Returns
    -------
    bool

    Algorithm
    ---------
    The union is convex iff no cell has a point on the wrong side of a boundary facet's hyperplane:
    first the cells' own points are tried, then one exact linear program for each pair.

    Exactness
    ---------
    Exact.
    """
    for wall in walls:
        for point in points:
            if sum((a * v for a, v in zip(wall, point, strict=False)), wall[-1]) < 0:
                return False
    for wall in set(walls):
        goal = tuple(-v for v in wall)
        for rows in cells:
            if maximise(goal, rows, stop_above=0).status == "above":
                return False
    return True
