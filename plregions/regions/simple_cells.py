"""Which regions are simple, and which dim facets meet in each vertex? Proved by floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.kernels.vertices import MOST_ROWS, cell_vertices
from plregions.regions.facet_rows import FacetRows
from plregions.regions.graph import RegionGraph

__all__ = ["shared_vertices", "simple_cells"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Vertices of one cell in the kernel; beyond it arithmetic is exact, and may end with an error.
MOST_VERTICES = 4096


def simple_cells(
    row_offsets: IntArray, floats: FacetRows, dim: int
) -> tuple[IntArray, FloatArray, IntArray, NDArray[np.bool_]]:
    """Return the vertices of those regions that floats settle, and which these are.

    Parameters
    ----------
    row_offsets : ndarray of int64, shape (n + 1,)
        The facets of region r are rows ``row_offsets[r]`` to ``row_offsets[r + 1]``.
    floats : FacetRows
    dim : int

    Returns
    -------
    offsets : ndarray of int64, shape (n + 1,)
        The vertices of region r are entries ``offsets[r]`` to ``offsets[r + 1]``.
    points : ndarray of float64, shape (n_entries, dim)
        In local coordinates.
    tight : ndarray of int64, shape (n_entries,)
        The bits of the dim facets that meet there.
    is_known : ndarray of bool, shape (n,)
        False for regions that are not simple, too thin, or have very many facets: these have no
        entries.

    Exactness
    ---------
    Which facets meet in which vertex is proved.
    """
    n = len(row_offsets) - 1
    offsets = np.zeros(n + 1, dtype=np.int64)
    is_known = np.zeros(n, dtype=np.bool_)
    scratch = (
        np.zeros((MOST_ROWS, dim + 1)), np.zeros(MOST_ROWS), np.zeros((dim, 2 * dim + 1)),
        np.zeros((dim, dim + 1)), np.zeros((MOST_VERTICES, dim)), np.zeros(MOST_VERTICES),
        np.zeros(MOST_VERTICES, dtype=np.int64), np.zeros(MOST_VERTICES),
    )  # fmt: skip
    points = np.zeros((max(MOST_VERTICES, 2 * len(floats.rows)), dim))
    tight = np.zeros(len(points), dtype=np.int64)
    start = 0
    while True:
        start = cell_vertices(
            row_offsets, floats.rows, floats.error, start, dim, *scratch,
            offsets, points, tight, is_known,
        )  # fmt: skip
        if start == n:
            return offsets, points[: offsets[-1]], tight[: offsets[-1]], is_known
        points = np.concatenate([points, np.zeros_like(points)])
        tight = np.concatenate([tight, np.zeros_like(tight)])


def shared_vertices(
    graph: RegionGraph, owners: IntArray, tight: IntArray, dim: int
) -> tuple[IntArray, IntArray]:
    """Tell which vertices of simple regions are one point, seen from neighbours.

    Parameters
    ----------
    graph : RegionGraph
    owners, tight : ndarray of int64, shape (n_entries,)
        The region and the bits of the dim facets of each vertex.
    dim : int

    Returns
    -------
    facets : ndarray of int64, shape (n_entries, dim)
        The facets of the graph that meet in each vertex, ascending.
    names : ndarray of int64, shape (n_entries,)
        Equal for entries that were found to be one point: numbers from 0 in some order. Different
        names may belong to one point, too.

    Algorithm
    ---------
    A facet that two regions share is one polytope, and on it the pre-activations of both agree.
    So dim - 1 further neurons or rows of the domain that vanish in a vertex of it, for one region
    as for the other, single out one point. One sort of dim entries a vertex.

    Exactness
    ---------
    Entries of one name are one point, proved.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(owners)
    facets = np.zeros((n, dim), dtype=np.int64)
    left = tight.copy()
    for k in range(dim):
        low = left & -left
        # The exponent of a power of two below 2**62 is exact in float64.
        facets[:, k] = graph.offsets[owners] + np.frexp(low.astype(np.float64))[1] - 1
        left ^= low
    labels = graph.labels[facets].astype(np.int64)
    keys, entries = [], []
    for k in range(dim):
        beyond = graph.neighbours[facets[:, k]]
        inner = np.flatnonzero(beyond >= 0)
        here, there = owners[inner], beyond[inner]
        others = np.sort(np.delete(labels[inner], k, axis=1), axis=1)
        pair = np.stack([np.minimum(here, there), np.maximum(here, there)], axis=1)
        keys.append(np.concatenate([pair, others], axis=1))
        entries.append(inner)
    key, entry = np.concatenate(keys), np.concatenate(entries)
    order = np.lexsort(key.T)
    same = np.flatnonzero((key[order[1:]] == key[order[:-1]]).all(axis=1))
    one, other = entry[order[same]], entry[order[same + 1]]
    joined = csr_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(n, n))
    _, names = connected_components(joined, directed=False)
    return facets, names.astype(np.int64)
