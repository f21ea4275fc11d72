"""The region complex: all regions that were found, as columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import Prepared, prepare
from plregions.network import ActivationPattern, Network, as_bits, pre_activation_rows
from plregions.network.pattern import PatternLike
from plregions.proof import Proof
from plregions.regions.archive import Columns, read_archive, write_archive
from plregions.regions.boundedness import bounded_flags
from plregions.regions.graph import RegionGraph, find_positions, region_graph
from plregions.regions.linear import (
    LinearRegions,
    linear_regions,
    map_labels,
    union_is_convex,
)
from plregions.regions.outcome import Outcome
from plregions.regions.region import Region
from plregions.regions.table import complex_html, region_frame
from plregions.regions.vertices import Vertices, find_vertices

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import scipy.sparse

__all__ = ["RegionComplex", "check_complex"]

REGIONS_A_BLOCK = 256


@dataclass(frozen=True, eq=False, repr=False)
class RegionComplex(Sequence[Region]):
    """The activation regions of a network in a domain, in lexicographic order of patterns.

    A sequence of `Region`; made by `enumerate_regions`. It holds columns and answers what the
    columns answer. Arrays are read-only.

    Attributes
    ----------
    network : Network
    domain : Box, Polytope, WholeSpace or Slice
    packed_patterns : ndarray of uint8, shape (n, ceil(N / 8))
        The patterns, eight neurons a byte, the first in the highest bit.
    packed_rows : ndarray of uint8, shape (n, ceil((N + w) / 8))
        The rows that may carry facets of the region: a bit for each neuron, then one for each of
        the domain's w rows; all others are redundant. Over an unbounded domain there are more
        bits, for artificial walls that mean nothing outside.
    local_points : ndarray of float64, shape (n, dim), over an unbounded domain often (n, dim + 1)
        The points of `interior_points` in the local coordinates in which they are exact.
    exact_points : dict of int to tuple of Fraction
        Rational local points of the regions in which no float64 point was found.
    outcome : Outcome
        Whether the enumeration is complete.
    statistics : dict of str to int
        How the decisions were taken.
    rows_are_facets : bool
        Whether every row of `packed_rows` is known to carry a facet.
    proof : Proof or None
        The search tree as a log, where it was asked for.

    Exactness
    ---------
    Patterns, facets and neighbours are proved. Each region's signs are proved at `exact_point`;
    `interior_points` are these points rounded to float64.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.mlp([2, 4, 1])
    >>> regions = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    >>> regions
    RegionComplex(8 activation regions of Network(2-4-1, 4 neurons), complete)
    >>> regions.region_at([0.5, 0.5]).pattern
    ActivationPattern('1111')
    """

    network: Network
    domain: Domain
    packed_patterns: NDArray[np.uint8]
    packed_rows: NDArray[np.uint8]
    local_points: NDArray[np.float64]
    exact_points: dict[int, Point]
    outcome: Outcome
    statistics: dict[str, int] = field(default_factory=dict)
    rows_are_facets: bool = False
    proof: Proof | None = None

    def __post_init__(self) -> None:
        for array in (self.packed_patterns, self.packed_rows, self.local_points):
            array.setflags(write=False)

    @cached_property
    def prepared(self) -> Prepared:
        """The network and domain in local coordinates."""
        return prepare(self.network, self.domain)

    @property
    def n_regions(self) -> int:
        """Number of activation regions found."""
        return len(self.packed_patterns)

    @property
    def n_bits(self) -> int:
        """Length of a pattern: the number of neurons with a kink."""
        return self.network.n_neurons

    @property
    def is_complete(self) -> bool:
        """Whether all regions of the domain are here, proved."""
        return self.outcome.is_complete

    @cached_property
    def patterns(self) -> NDArray[np.bool_]:
        """The patterns unpacked, shape (n, N)."""
        bits = np.unpackbits(self.packed_patterns, axis=1, count=self.n_bits)
        array = bits.view(np.bool_).reshape(self.n_regions, self.n_bits)
        array.setflags(write=False)
        return array

    @cached_property
    def interior_points(self) -> NDArray[np.float64]:
        """One point inside each region, shape (n, dim), in the domain's coordinates, rounded."""
        points = self.prepared.frame.points(self.local_points)
        points.setflags(write=False)
        return points

    @cached_property
    def graph(self) -> RegionGraph:
        """Facets and neighbours of all regions, found on first use."""
        return region_graph(
            self.prepared,
            self.packed_patterns,
            self.packed_rows,
            self.local_points,
            self.exact_points,
            self.is_complete,
            self.rows_are_facets,
        )

    @cached_property
    def vertices(self) -> Vertices:
        """The exact vertices of all regions, found on first use."""
        return find_vertices(self.prepared, self.patterns, self.graph)

    @cached_property
    def linear(self) -> LinearRegions:
        """Linear regions and distinct affine maps, found on first use."""
        return linear_regions(self.map_labels, self.graph)

    @cached_property
    def map_labels(self) -> NDArray[np.int64]:
        """The affine map of each activation region: equal numbers, equal maps; shape (n,)."""
        return map_labels(self.prepared.network, self.patterns)

    @property
    def n_maps(self) -> int:
        """Number of distinct affine maps."""
        return int(self.map_labels.max(initial=-1)) + 1

    def is_convex(self, linear_region: int) -> bool:
        """Tell whether a linear region of this complex is convex, exactly.

        Parameters
        ----------
        linear_region : int
            Its number in `linear`.

        Returns
        -------
        bool

        Raises
        ------
        InvalidInputError
            The complex is not complete.
        """
        if not self.is_complete:
            raise InvalidInputError(
                f"is_convex needs a complete complex; got {self.outcome}. Enumerate with a "
                "larger budget."
            )
        members = self.linear.members(linear_region).tolist()
        inside = set(members)
        graph = self.graph
        walls: list[tuple[Fraction, ...]] = []
        cells = []
        for index in members:
            rows = {label: row for row, label in self.rows_of(index)}
            cells.append(list(rows.values()))
            for facet in range(graph.offsets[index], graph.offsets[index + 1]):
                label = int(graph.labels[facet])
                if label >= 0 and int(graph.neighbours[facet]) not in inside:
                    walls.append(rows[f"neuron {label}"])
        points = [self.exact_point(index) for index in members]
        return union_is_convex(cells, walls, points)

    @property
    def n_edges(self) -> int:
        """Number of pairs of regions that share a facet."""
        return len(self.graph.edge_facets)

    @cached_property
    def _bounded_flags(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return bounded_flags(self.prepared, self.packed_patterns, self.packed_rows)

    @property
    def n_bounded(self) -> int:
        """Number of regions that end in every direction: one linear program a region."""
        return int(self._bounded_flags[0].sum())

    @property
    def n_relatively_bounded(self) -> int:
        """Number of regions that never end only in the directions of lines that all regions hold.

        The recession cone of such a region is the lineality space, the directions in which every
        region of the complex contains lines. For one hidden layer that is the null space of its
        weights; where it is {0}, this is `n_bounded`.
        """
        return int(self._bounded_flags[1].sum())

    def exact_point(self, index: int) -> tuple[Fraction, ...]:
        """Return the rational point of region `index` at which its signs are proved."""
        local = self.exact_points.get(index)
        if local is None:
            local = tuple(Fraction(float(v)) for v in self.local_points[index])
        return self.prepared.frame.to_global(local)

    def rows_of(self, index: int) -> list[tuple[tuple[Fraction, ...], str]]:
        """Return the labelled constraint rows of region `index`; see `Region.rows`."""
        domain, network = self.prepared.domain, self.prepared.network
        walls = domain.exact_rows()
        bits = np.unpackbits(self.packed_patterns[index], count=self.n_bits).astype(np.bool_)
        kept = np.unpackbits(self.packed_rows[index], count=self.n_bits + len(walls))
        rows = [
            (tuple(row), domain.row_label(i))
            for i, row in enumerate(walls)
            if kept[self.n_bits + i]
        ]
        neurons = network.neurons
        kept_bits = np.flatnonzero(kept[: self.n_bits])
        for layer in sorted({int(neurons[b][0]) for b in kept_bits}):
            chosen = [int(b) for b in kept_bits if neurons[b][0] == layer]
            units = [int(neurons[b][1]) for b in chosen]
            for b, row in zip(
                chosen, pre_activation_rows(network, bits, layer, units), strict=True
            ):
                signed = tuple(row) if bits[b] else tuple(-v for v in row)
                rows.append((signed, f"neuron {b}"))
        return rows

    def find(self, pattern: PatternLike) -> Region | None:
        """Return the region of a pattern, or None when it is not in the complex.

        Parameters
        ----------
        pattern : ActivationPattern, str, or sequence of 0 and 1

        Returns
        -------
        Region or None
        """
        key = np.packbits(as_bits(pattern, self.n_bits))[None, :]
        place = int(find_positions(self.packed_patterns, key)[0]) if self.n_regions else -1
        return None if place < 0 else Region(self, place)

    def region_at(self, x: Any) -> Region:
        """Return the region that a point lies in, decided exactly.

        Parameters
        ----------
        x : sequence of numbers, shape (dim,)
            In the domain's coordinates (for a slice: the slice's own).

        Returns
        -------
        Region

        Raises
        ------
        AmbiguousPointError
            The point lies on the zero set of a neuron.
        InvalidInputError
            The point lies outside the domain, or its region is not in an incomplete complex.
        """
        try:
            point = [fraction(v) for v in x]
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"region_at needs a point of finite numbers; {error}") from None
        if len(point) != self.domain.dim or not self.prepared.domain.contains(point):
            raise InvalidInputError(
                f"region_at needs a point of {self.domain!r}; got {list(x)}. Give its "
                f"{self.domain.dim} coordinates, inside the domain."
            )
        region = self.find(self.prepared.network.pattern_at(point))
        if region is None:
            raise InvalidInputError(
                f"region_at needs the region of the point to be in the complex; got "
                f"{self.outcome}, and it is missing. Enumerate with a larger budget."
            )
        return region

    def to_networkx(self, *, same_map: bool = False) -> nx.Graph:
        """Return the region graph as a networkx.Graph whose attributes are plain scalars.

        Parameters
        ----------
        same_map : bool
            Mark the edges across which the affine map does not change (``same_map``, bool). It
            takes the affine maps of all regions.

        Returns
        -------
        networkx.Graph

        Notes
        -----
        Nodes are 0 .. n - 1 with ``pattern`` (str), ``n_facets`` (int) and the interior point
        ``x0``, ``x1``, ... (float); edges have ``neurons``: the bits that flip, as a string such
        as ``"3"`` or ``"3 7"``. The graph's attributes tell the format, kind, completeness and
        the network's fingerprint.
        """
        attributes = {
            "format": "plregions-region-graph",
            "version": 1,
            "kind": "activation",
            "complete": self.is_complete,
            "n_regions": self.n_regions,
            "network": self.network.fingerprint,
            "domain": repr(self.domain),
        }
        maps = self.map_labels if same_map else None
        return self.graph.to_networkx(
            self.pattern_strings(), self.interior_points, attributes, maps
        )

    def to_scipy_sparse(self) -> scipy.sparse.csr_array:
        """Return the adjacency matrix of the region graph, shape (n, n), entries 1 (int8)."""
        return self.graph.to_scipy_sparse()

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas table with one row a region (needs ``pip install plregions[tables]``).

        Its columns are ``pattern``, ``n_facets``, ``n_neighbours``, the interior point ``x0``,
        ``x1``, ..., and the labels ``linear`` (of the linear region) and ``map`` (of the affine
        map). ``frame.attrs`` tells the kind, completeness, the network's fingerprint and the
        domain. In an incomplete complex neighbours and labels are those among the regions found.
        """
        return region_frame(self)

    def pattern_strings(self) -> list[str]:
        """Return all patterns as strings of 0 and 1."""
        if self.n_bits == 0:
            return [""] * self.n_regions
        texts: list[str] = []
        # In blocks: large arrays that live for a moment take longer to get than to fill.
        for start in range(0, self.n_regions, REGIONS_A_BLOCK):
            block = self.packed_patterns[start : start + REGIONS_A_BLOCK]
            bits = np.unpackbits(block, axis=1, count=self.n_bits)
            digits = np.add(bits, np.uint8(ord("0")), order="C")
            texts += [row.decode() for row in digits.view(f"S{self.n_bits}").ravel().tolist()]
        return texts

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the complex to a .npz archive of plain arrays, with graph and proof if made.

        Parameters
        ----------
        path : str or path-like
            Ends in .npz.

        Raises
        ------
        InvalidInputError
            Another suffix.
        OSError
            The file cannot be written.
        """
        if not os.fspath(path).lower().endswith(".npz"):
            raise InvalidInputError(
                f"RegionComplex.save needs a path that ends in .npz; got {os.fspath(path)!r}. "
                "Use plregions.export for other formats."
            )
        write_archive(
            Columns(
                self.network,
                self.domain,
                self.packed_patterns,
                self.packed_rows,
                self.local_points,
                self.exact_points,
                self.outcome,
                self.statistics,
                self.__dict__.get("graph"),
                self.proof,
            ),
            path,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RegionComplex:
        """Read a complex that `save` wrote.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        RegionComplex
            Equal to the saved one. What the file claims is not proved again.

        Raises
        ------
        FormatError
            The file is damaged or something else.
        OSError
            The file cannot be opened.
        """
        c = read_archive(path)
        found = cls(
            c.network,
            c.domain,
            c.packed_patterns,
            c.packed_rows,
            c.local_points,
            c.exact_points,
            c.outcome,
            c.statistics,
            proof=c.proof,
        )
        if c.graph is not None:
            found.__dict__["graph"] = c.graph
        return found

    def __len__(self) -> int:
        return self.n_regions

    @overload
    def __getitem__(self, index: int) -> Region: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Region]: ...
    def __getitem__(self, index: int | slice) -> Region | Sequence[Region]:
        places = range(self.n_regions)[index]
        if isinstance(places, range):
            return [Region(self, i) for i in places]
        return Region(self, places)

    def __iter__(self) -> Iterator[Region]:
        return (Region(self, i) for i in range(self.n_regions))

    def __contains__(self, item: object) -> bool:
        if isinstance(item, Region):
            return item.complex == self and item.index < self.n_regions
        return isinstance(item, ActivationPattern) and self.find(item) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RegionComplex):
            return NotImplemented
        return (
            self.network == other.network
            and self.domain == other.domain
            and self.outcome == other.outcome
            and np.array_equal(self.packed_patterns, other.packed_patterns)
        )

    def __hash__(self) -> int:
        return hash((self.network, self.domain, self.outcome, self.n_regions))

    def __repr__(self) -> str:
        noun = "activation region" if self.n_regions == 1 else "activation regions"
        state = "complete" if self.is_complete else f"incomplete: {self.outcome}"
        return f"RegionComplex({self.n_regions} {noun} of {self.network!r}, {state})"

    def _repr_html_(self) -> str:
        return complex_html(self)


def check_complex(verb: str, complex: Any) -> None:
    """Refuse what is no RegionComplex."""
    if not isinstance(complex, RegionComplex):
        raise InvalidInputError(
            f"{verb} needs a RegionComplex; got {type(complex).__name__}. Use enumerate_regions."
        )
