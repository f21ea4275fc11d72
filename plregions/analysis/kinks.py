"""Across which facets does the gradient jump, by how much, and on which hyperplanes do they lie?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.enumeration import enumerate_regions
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.exact.arrays import integers_of
from plregions.exact.integers import primitive_row
from plregions.network import Network, restrict
from plregions.regions import RegionComplex

__all__ = ["GradientJumps", "Hyperplane", "Jump", "gradient_jumps", "unit_row"]

IntRow = tuple[int, ...]
#: (n, c) for n.x + c = 0, the first nonzero entry of n is 1.
Hyperplane = tuple[Fraction, ...]
#: One number for each output.
Jump = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class GradientJumps:
    """The facets of a complex across which the gradient of the network's function jumps.

    With the facet's hyperplane written n.x + c = 0, the first nonzero entry of n equal to 1, the
    jump delta is one number for each output: the gradient of output i on the side n.x + c > 0
    minus that on the other side is delta_i n.

    Attributes
    ----------
    complex : RegionComplex
        Complete, over a bounded domain; of a slice in its own coordinates.
    hyperplanes : tuple of Hyperplane
        Each one that holds a facet with a jump: the kink hyperplanes, in ascending order.
    facets : ndarray of int64, shape (k,)
        The facets with a jump, as ``complex.graph`` numbers them: one for each pair of regions.
    hyperplane_of : ndarray of int64, shape (k,)
        The hyperplane of each.
    jumps : tuple of Jump, length k
        None of them is all zero.

    Exactness
    ---------
    Exact. Facets in the boundary of the domain are none of these.

    Examples
    --------
    >>> bent = Network([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0]), ([[1]], [0])])
    >>> jumps = gradient_jumps(bent, Box([-1, -1], [1, 1]))
    >>> [[str(v) for v in row] for row in jumps.hyperplanes]
    [['0', '1', '0'], ['1', '-1', '0'], ['1', '0', '0']]
    >>> [(int(h), *map(str, jump)) for h, jump in zip(jumps.hyperplane_of, jumps.jumps)]
    [(2, '1'), (0, '-1'), (1, '1')]
    """

    complex: RegionComplex
    hyperplanes: tuple[Hyperplane, ...]
    facets: NDArray[np.int64]
    hyperplane_of: NDArray[np.int64]
    jumps: tuple[Jump, ...]

    @property
    def network(self) -> Network:
        """The network in the coordinates of `hyperplanes`."""
        return self.complex.prepared.network

    def corners_of(self, place: int) -> tuple[list[int], dict[int, int]]:
        """Return the vertices of facet ``facets[place]``, ascending, and what meets in each.

        Returns
        -------
        list of int
            As ``complex.vertices`` numbers them.
        dict of int to int
            For each of these vertices the bit set of one region's facets that meet there.
        """
        graph, vertices = self.complex.graph, self.complex.vertices
        facet = int(self.facets[place])
        cell = int(np.searchsorted(graph.offsets, facet, side="right")) - 1
        bit = 1 << (facet - int(graph.offsets[cell]))
        pairs = zip(vertices.of(cell).tolist(), vertices.tight_of(cell), strict=True)
        meeting = {v: tight for v, tight in pairs if tight & bit}
        return list(meeting), meeting


def gradient_jumps(
    f: Network,
    domain: Box | Polytope | WholeSpace | Slice,
    *,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
    verb: str = "gradient_jumps",
) -> GradientJumps:
    """Find the gradient jumps of a network's function, exactly.

    Parameters
    ----------
    f : Network
    domain : Box, Polytope or Slice
        Bounded. What is found are facets that meet the open domain.
    workers, max_regions, time_limit
        As for `enumerate_regions`.
    verb : str
        Who asks, for error messages.

    Returns
    -------
    GradientJumps

    Raises
    ------
    InvalidInputError
        An unbounded domain.
    BudgetExhaustedError
        A budget ran out; `partial` holds the regions that were found.

    Algorithm
    ---------
    The regions and their graph. f is continuous, so that the difference of the maps of two
    neighbours vanishes on their facet: each output's difference is its jump times (n, c). Where
    the maps are equal there is no jump. One rational map for each region.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> hat = Network([([[1], [1], [1]], [1, 0, -1]), ([[1, -2, 1]], [0])])
    >>> jumps = gradient_jumps(hat, Box([-2], [2]))
    >>> [(str(-row[1]), str(jumps.jumps[i][0])) for i, row in enumerate(jumps.hyperplanes)]
    [('1', '1'), ('0', '-2'), ('-1', '1')]
    """
    if not isinstance(domain, Box | Polytope | WholeSpace | Slice) or not domain.is_bounded:
        raise InvalidInputError(
            f"{verb} needs a bounded domain; got {domain!r:.80}. Use Box(lower, upper)."
        )
    local, base = restrict(f, domain)
    found = enumerate_regions(
        local, base, workers=workers, max_regions=max_regions, time_limit=time_limit
    )
    if not found.is_complete:
        raise BudgetExhaustedError(
            f"{verb} needs all regions; got {found.outcome}. Give a larger budget, or a "
            "smaller domain.",
            partial=found,
        )
    edges, facets = found.graph.edges, found.graph.edge_facets
    kinked = np.flatnonzero(found.map_labels[edges[:, 0]] != found.map_labels[edges[:, 1]])
    maps = _Maps(found)
    rows, jumps = [], []
    for a, b in edges[kinked].tolist():
        row, jump = maps.jump(a, b)
        rows.append(row)
        jumps.append(jump)
    hyperplanes = sorted({row: unit_row(row) for row in rows}.items(), key=lambda item: item[1])
    numbers = {row: i for i, (row, _) in enumerate(hyperplanes)}
    return GradientJumps(
        found,
        tuple([row for _, row in hyperplanes]),
        facets[kinked],
        np.array([numbers[row] for row in rows], dtype=np.int64),
        tuple(jumps),
    )


def unit_row(row: Sequence[int]) -> Hyperplane:
    """Return the multiple of a row (n, c), n not zero, whose first nonzero entry is 1."""
    lead = next(v for v in row if v)
    return tuple([Fraction(v, lead) for v in row])


class _Maps:
    """The affine maps of the regions over a common denominator, made when they are needed."""

    def __init__(self, complex: RegionComplex) -> None:
        self._complex = complex
        self._maps: dict[int, tuple[list[IntRow], int]] = {}
        self._points: dict[int, IntRow] = {}

    def jump(self, a: int, b: int) -> tuple[IntRow, Jump]:
        """Return the hyperplane between two regions with different maps, in coprime integers
        of which the first nonzero one is positive, and the jump across it.
        """
        (first, first_scale), (second, second_scale) = self._map(a), self._map(b)
        rows = [
            [second_scale * v - first_scale * w for v, w in zip(p, q, strict=True)]
            for p, q in zip(first, second, strict=True)
        ]
        row = primitive_row(next(row for row in rows if any(row)))
        place = next(k for k, v in enumerate(row) if v)
        if row[place] < 0:
            row = [-v for v in row]
        # Region a lies on one side of the facet's hyperplane.
        side = 1 if sum(map(mul, row, self._point(a))) > 0 else -1
        scale = first_scale * second_scale
        return tuple(row), tuple([Fraction(side * other[place], scale) for other in rows])

    def _map(self, region: int) -> tuple[list[IntRow], int]:
        found = self._maps.get(region)
        if found is None:
            network = self._complex.prepared.network
            weight, bias = network.affine_map(self._complex.patterns[region], exact=True)
            numerators, scale = integers_of(np.concatenate([weight, bias[:, None]], axis=1))
            width = weight.shape[1] + 1
            found = list(_cut(numerators, width)), scale
            self._maps[region] = found
        return found

    def _point(self, region: int) -> IntRow:
        found = self._points.get(region)
        if found is None:
            point = self._complex.exact_point(region)
            found = tuple(primitive_row([*point, 1]))
            self._points[region] = found
        return found


def _cut(numbers: Sequence[int], width: int) -> Iterator[IntRow]:
    return (tuple(numbers[i : i + width]) for i in range(0, len(numbers), width))
