"""The region graph: the facets of all regions, and which two regions share each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import PLRegionsError
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.facets import FacetFinder
from plregions.feasibility.prepare import Prepared

if TYPE_CHECKING:
    import networkx as nx
    import scipy.sparse

__all__ = ["RegionGraph", "find_positions", "region_graph"]

REGIONS_A_BATCH = 2048


@dataclass(frozen=True, eq=False)
class RegionGraph:
    """Facets of all regions as columns (CSR), and the region beyond each facet.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n + 1,)
        The facets of region r are ``offsets[r]`` to ``offsets[r + 1]``.
    labels : ndarray of int32, shape (n_facets,)
        The neuron (number of its bit) on whose zero set the facet lies, the first one if several
        flip; ``-1 - i`` for a facet on row i of the domain.
    neighbours : ndarray of int64, shape (n_facets,)
        The region beyond; -1 on the domain's boundary, or when the complex is not complete and
        the region beyond is not in it.
    several : dict of int to tuple of int
        For the facets across which not exactly the labelled neuron flips: all that flip.
    """

    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    neighbours: NDArray[np.int64]
    several: dict[int, tuple[int, ...]]

    @cached_property
    def n_facets(self) -> NDArray[np.int64]:
        """Number of facets of each region, shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def edge_facets(self) -> NDArray[np.int64]:
        """One facet for each edge: that of its lower-numbered region, shape (n_edges,)."""
        owner = np.repeat(np.arange(len(self.offsets) - 1), self.n_facets)
        return np.flatnonzero(self.neighbours > owner)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Pairs of regions that share a facet, lower number first, shape (n_edges, 2)."""
        owner = np.repeat(np.arange(len(self.offsets) - 1), self.n_facets)
        facets = self.edge_facets
        return np.stack([owner[facets], self.neighbours[facets]], axis=1)

    def flips(self, facet: int) -> tuple[int, ...]:
        """Return the neurons that flip across a facet; none on the domain's boundary."""
        found = self.several.get(facet)
        if found is not None:
            return found
        label = int(self.labels[facet])
        return (label,) if label >= 0 else ()

    def to_scipy_sparse(self) -> scipy.sparse.csr_array:
        """Return the adjacency matrix, symmetric, entries 1 (int8), shape (n, n)."""
        from scipy.sparse import csr_array

        n = len(self.offsets) - 1
        edges = self.edges
        rows = np.concatenate([edges[:, 0], edges[:, 1]])
        columns = np.concatenate([edges[:, 1], edges[:, 0]])
        return csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n, n))

    def to_networkx(
        self,
        patterns: list[str],
        points: NDArray[np.float64],
        attributes: dict[str, Any],
        map_labels: NDArray[np.int64] | None = None,
    ) -> nx.Graph:
        """Return the graph with plain scalars as attributes."""
        import networkx as nx

        graph = nx.Graph(**attributes)
        names = [f"x{k}" for k in range(points.shape[1])]
        counts = self.n_facets.tolist()
        graph.add_nodes_from(
            (i, {"pattern": pattern, "n_facets": count, **dict(zip(names, point, strict=True))})
            for i, (pattern, count, point) in enumerate(
                zip(patterns, counts, points.tolist(), strict=True)
            )
        )
        facets = self.edge_facets
        # Most edges flip one neuron: share the strings of these.
        single = [str(b) for b in range(int(self.labels.max(initial=-1)) + 1)]
        several = {f: " ".join(map(str, flips)) for f, flips in self.several.items()}
        names_of = [single[b] for b in self.labels[facets].tolist()]
        if several:
            names_of = [
                several.get(f, name) for f, name in zip(facets.tolist(), names_of, strict=True)
            ]
        edges = self.edges
        graph.add_edges_from(
            (a, b, {"neurons": name}) for (a, b), name in zip(edges.tolist(), names_of, strict=True)
        )
        if map_labels is not None:
            same = (map_labels[edges[:, 0]] == map_labels[edges[:, 1]]).tolist()
            for (a, b), value in zip(edges.tolist(), same, strict=True):
                graph.edges[a, b]["same_map"] = value
        return graph


def region_graph(
    prepared: Prepared,
    packed: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    points: NDArray[np.float64],
    exact: dict[int, Point],
    is_complete: bool,
) -> RegionGraph:
    """Find the facets of all regions and match them.

    Facets are proved by a point beyond one row and inside all others, or disproved by multipliers;
    what floats leave open is decided exactly. The region beyond is looked up by its pattern. In a
    complete complex every facet inside the domain must lead to a region that leads back.

    Cost: about two pivots for each row of each region, one sort of the patterns.
    """
    n = len(packed)
    finder = FacetFinder(prepared)
    offsets = np.zeros(n + 1, dtype=np.int64)
    labels: list[NDArray[np.int32]] = []
    keys: list[NDArray[np.uint8]] = []
    several: dict[int, tuple[int, ...]] = {}
    total = 0
    for start in range(0, n, REGIONS_A_BATCH):
        stop = min(start + REGIONS_A_BATCH, n)
        near = {r - start: exact[r] for r in exact if start <= r < stop} if exact else {}
        part_offsets, part_labels, special = finder.batch(
            packed[start:stop], kept[start:stop], points[start:stop], near
        )
        owner = np.repeat(np.arange(start, stop), np.diff(part_offsets))
        beyond = packed[owner]
        inner = np.flatnonzero(part_labels >= 0)
        bit = part_labels[inner]
        beyond[inner, bit >> 3] ^= (128 >> (bit & 7)).astype(np.uint8)
        for facet, bits in special:
            beyond[facet] = np.packbits(bits)
            own = np.unpackbits(packed[owner[facet]], count=prepared.n_bits)
            flips = np.flatnonzero(own != bits)
            if len(flips) > 1:
                several[total + facet] = tuple(int(b) for b in flips)
        offsets[start + 1 : stop + 1] = total + part_offsets[1:]
        labels.append(part_labels)
        keys.append(beyond)
        total += len(part_labels)
    label = np.concatenate(labels) if labels else np.zeros(0, dtype=np.int32)
    key = np.concatenate(keys) if keys else packed[:0]
    neighbours = find_positions(packed, key)
    neighbours[label < 0] = -1
    graph = RegionGraph(offsets, label, neighbours, several)
    if is_complete:
        _check_symmetry(graph)
    for array in (graph.offsets, graph.labels, graph.neighbours):
        array.setflags(write=False)
    return graph


def find_positions(packed: NDArray[np.uint8], keys: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the position of each key among the packed patterns, or -1.

    Both are (n, n_bytes) uint8. Cost of one sort and one binary search for each key.
    """
    n, width = packed.shape
    if width == 0:
        return np.zeros(len(keys), dtype=np.int64)
    if n == 0:
        return np.full(len(keys), -1, dtype=np.int64)
    have, want = _sortable(packed), _sortable(keys)
    order = np.argsort(have, kind="stable")
    place = np.minimum(np.searchsorted(have[order], want), n - 1)
    found: NDArray[np.int64] = order[place].astype(np.int64)
    found[(packed[found] != keys).any(axis=1)] = -1
    return found


def _sortable(packed: NDArray[np.uint8]) -> NDArray[Any]:
    """Return one sortable value for each pattern."""
    width = packed.shape[1]
    if width <= 8:
        wide = np.zeros((len(packed), 8), dtype=np.uint8)
        wide[:, :width] = packed
        return wide.view(">u8").ravel().astype(np.uint64)
    return np.ascontiguousarray(packed).view(f"S{width}").ravel()


def _check_symmetry(graph: RegionGraph) -> None:
    """Check that each inner facet leads to a region and is seen from both sides."""
    owner = np.repeat(np.arange(len(graph.offsets) - 1), graph.n_facets)
    inner = graph.labels >= 0
    pairs = np.stack([owner[inner], graph.neighbours[inner]], axis=1)
    there = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    back = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))][:, ::-1]
    if (pairs < 0).any() or not np.array_equal(there, back):
        raise PLRegionsError(
            "region graph needs every facet to be seen from both sides; got one that is not. "
            "This is a fault of plregions: please report it with the network."
        )
