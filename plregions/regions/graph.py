"""The region graph: the facets of all regions, and which two regions share each of them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import PLRegionsError
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.facets import FacetFinder
from plregions.feasibility.prepare import Prepared
from plregions.regions.shared_facets import facets_of_rows, match_single_flips

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
        return self._edge_columns()[0]

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Pairs of regions that share a facet, lower number first, shape (n_edges, 2)."""
        return np.stack(self._edge_columns()[1:], axis=1)

    def _edge_columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return one facet for each edge, the region it belongs to, and the one beyond."""
        owner = np.repeat(np.arange(len(self.offsets) - 1), self.n_facets)
        facets = np.flatnonzero(self.neighbours > owner)
        return facets, owner[facets], self.neighbours[facets]

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

        facets, one, other = self._edge_columns()
        with collector_paused():
            nodes: list[dict[str, Any]] = [
                {"pattern": pattern, "n_facets": count}
                for pattern, count in zip(patterns, self.n_facets.tolist(), strict=True)
            ]
            for k, coordinates in enumerate(points.T.tolist()):
                name = f"x{k}"
                for node, value in zip(nodes, coordinates, strict=True):
                    node[name] = value
            links: list[dict[str, Any]] = [{"neurons": name} for name in self._edge_names(facets)]
            if map_labels is not None:
                same = map_labels[one] == map_labels[other]
                for link, value in zip(links, same.tolist(), strict=True):
                    link["same_map"] = value
            adjacent: list[dict[int, dict[str, Any]]] = [{} for _ in nodes]
        # The collector looks at rows of neighbours, not at dicts of plain scalars. It goes on
        # before there are any: filling the rows makes nothing new that it would look at.
        #
        # One object for each number, wherever it is a key: more of them would take memory.
        numbers = np.arange(len(nodes)).astype(object)
        for a, b, link in zip(numbers[one].tolist(), numbers[other].tolist(), links, strict=True):
            adjacent[a][b] = link
            adjacent[b][a] = link
        # What add_nodes_from and add_edges_from would make, in a third of their time.
        graph = nx.Graph(**attributes)
        graph._node.update(zip(numbers.tolist(), nodes, strict=True))
        graph._adj.update(zip(numbers.tolist(), adjacent, strict=True))
        return graph

    def _edge_names(self, facets: NDArray[np.int64]) -> list[str]:
        """Return the neurons that flip across each of some facets between regions, as text."""
        # Across most facets one neuron flips: share the strings of these.
        single = [str(b) for b in range(int(self.labels.max(initial=-1)) + 1)]
        names = [single[b] for b in self.labels[facets].tolist()]
        if self.several:
            texts = {f: " ".join(map(str, flips)) for f, flips in self.several.items()}
            names = [texts.get(f, name) for f, name in zip(facets.tolist(), names, strict=True)]
        return names


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking through many new objects, all in use."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def region_graph(
    prepared: Prepared,
    packed: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    points: NDArray[np.float64],
    exact: dict[int, Point],
    is_complete: bool,
    rows_are_facets: bool = False,
) -> RegionGraph:
    """Find the facets of all regions and match them.

    With ``rows_are_facets`` the kept rows are known to be the facets; else facets are proved by a
    point beyond one row and inside all others, or disproved by multipliers; what floats leave open
    is decided exactly. The region beyond is looked up by its pattern. In a complete complex every
    facet inside the domain must lead to a region that leads back.

    Cost: one sort of the patterns, and about two pivots for each row of each region; with
    ``rows_are_facets``, a table of the patterns' hashes.
    """
    if rows_are_facets and is_complete:
        graph = _graph_of_rows(prepared, packed, kept, points, exact)
    else:
        graph = _graph_of_regions(prepared, packed, kept, points, exact)
        if is_complete:
            _check_symmetry(graph)
    for array in (graph.offsets, graph.labels, graph.neighbours):
        array.setflags(write=False)
    return graph


def _graph_of_rows(
    prepared: Prepared,
    packed: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    points: NDArray[np.float64],
    exact: dict[int, Point],
) -> RegionGraph:
    """Match the facets of a complete complex all of whose kept rows are facets.

    Where no region differs in the facet's neuron alone, several neurons flip: the regions that
    have such facets are looked at one by one. Facets that are matched are seen from both sides.
    """
    offsets, labels = facets_of_rows(kept, prepared.n_bits, prepared.n_walls)
    neighbours = match_single_flips(packed, offsets, labels)
    several: dict[int, tuple[int, ...]] = {}
    is_open = (neighbours < 0) & (labels >= 0)
    if is_open.any():
        owner = np.repeat(np.arange(len(packed)), np.diff(offsets))
        chosen = np.unique(owner[is_open])
        near = {i: exact[r] for i, r in enumerate(chosen.tolist()) if r in exact}
        part = _graph_of_regions(
            prepared, packed[chosen], kept[chosen], points[chosen], near, packed
        )
        places = np.flatnonzero(np.isin(owner, chosen))
        if not np.array_equal(labels[places], part.labels):
            raise PLRegionsError(
                "region graph needs rows that are the facets; got others. This is a fault of "
                "plregions: please report it with the network."
            )
        neighbours[places] = part.neighbours
        several = {int(places[facet]): flips for facet, flips in part.several.items()}
    graph = RegionGraph(offsets, labels, neighbours, several)
    if is_open.any():
        _check_symmetry(graph)
    return graph


def _graph_of_regions(
    prepared: Prepared,
    packed: NDArray[np.uint8],
    kept: NDArray[np.uint8],
    points: NDArray[np.float64],
    exact: dict[int, Point],
    among: NDArray[np.uint8] | None = None,
) -> RegionGraph:
    """Find facets and flips region by region; neighbours are numbered as in ``among``."""
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
        beyond[inner] ^= finder.masks[part_labels[inner]]
        for facet in inner[np.isin(part_labels[inner], list(finder.several))].tolist():
            several[total + facet] = finder.several[int(part_labels[facet])]
        for facet, bits in special:
            beyond[facet] = np.packbits(bits)
            own = np.unpackbits(packed[owner[facet]], count=prepared.n_bits)
            flips = np.flatnonzero(own != bits)
            several.pop(total + facet, None)
            if len(flips) > 1:
                several[total + facet] = tuple(int(b) for b in flips)
        offsets[start + 1 : stop + 1] = total + part_offsets[1:]
        labels.append(part_labels)
        keys.append(beyond)
        total += len(part_labels)
    label = np.concatenate(labels) if labels else np.zeros(0, dtype=np.int32)
    key = np.concatenate(keys) if keys else packed[:0]
    neighbours = find_positions(packed if among is None else among, key)
    neighbours[label < 0] = -1
    return RegionGraph(offsets, label, neighbours, several)


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
    n = len(graph.offsets) - 1
    inner = graph.labels >= 0
    owner, beyond = np.repeat(np.arange(n), graph.n_facets)[inner], graph.neighbours[inner]
    there, back = np.sort(owner * n + beyond), np.sort(beyond * n + owner)
    if (beyond < 0).any() or not np.array_equal(there, back):
        raise PLRegionsError(
            "region graph needs every facet to be seen from both sides; got one that is not. "
            "This is a fault of plregions: please report it with the network."
        )
