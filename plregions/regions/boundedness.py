"""Does a region end in every direction, or in every direction that the network looks at?

The recession cone of a closed region {x : A x <= b} holds the directions v with A v <= 0 in which
the region never ends. A region is bounded iff that cone is {0}. It is relatively bounded iff that
cone is no more than the lineality space: the directions in which all regions have lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plregions.exact.linear import nullspace, rank
from plregions.exact.lp import maximise
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.prepare import IntRow, Prepared

__all__ = ["Recession", "bounded_flags", "normals_of", "recession_of"]


@dataclass(frozen=True)
class Recession:
    """The recession cone of a closed region in d dimensions, as far as it tells boundedness.

    Attributes
    ----------
    lineality_dim : int
        Dimension of the largest linear space in it: of the lines in the region.
    is_linear : bool
        Whether the cone is that space.

    Examples
    --------
    >>> recession_of([(1, 0), (-1, 0)], 2)
    Recession(lineality_dim=1, is_linear=True)
    >>> recession_of([(1, 0), (0, 1)], 2).is_linear
    False
    """

    lineality_dim: int
    is_linear: bool

    @property
    def is_bounded(self) -> bool:
        """Whether the cone is {0}."""
        return self.is_linear and self.lineality_dim == 0


def recession_of(normals: Sequence[Sequence[int]], dim: int) -> Recession:
    """Return the recession cone {v : a.v >= 0 for all normals a}.

    Parameters
    ----------
    normals : sequence of sequences of int, length dim
    dim : int

    Returns
    -------
    Recession

    Algorithm
    ---------
    One linear program: on a cone that is linear, the sum of the normals is 0 everywhere. One rank.

    Exactness
    ---------
    Exact.
    """
    if not normals:
        return Recession(dim, True)
    rows = [(*normal, 0) for normal in normals]
    goal = tuple(map(sum, zip(*rows, strict=True)))
    is_linear = maximise(goal, rows, stop_above=0).status == "optimal"
    return Recession(dim - rank(normals), is_linear)


def normals_of(
    prepared: Prepared, packed: NDArray[np.uint8], kept: NDArray[np.uint8]
) -> Iterator[list[IntRow]]:
    """Yield each region's inward normals in local coordinates, without copies.

    Parameters
    ----------
    prepared : Prepared
        Of an unbounded domain: coordinates of directions differ by one factor only.
    packed, kept : ndarray of uint8
        Patterns and rows that may carry facets, as in a `RegionComplex`.

    Yields
    ------
    list of tuple of int, length d
    """
    exact = ExactRows(prepared)
    d, n_bits = prepared.domain.dim, prepared.n_bits
    unit_of_bit = np.flatnonzero(prepared.units.bit >= 0)
    count = n_bits + prepared.n_walls
    for pattern, chosen in zip(packed, kept, strict=True):
        bits = np.unpackbits(pattern, count=n_bits)
        found: dict[IntRow, None] = {}
        for b in np.flatnonzero(np.unpackbits(chosen, count=count)):
            if b >= n_bits:
                normal = prepared.wall_rows[b - n_bits][:d]
            else:
                normal = exact.row(int(unit_of_bit[b]), bits)[:d]
                if not bits[b]:
                    normal = tuple(-v for v in normal)
            if any(normal):
                found[normal] = None
        yield list(found)


def bounded_flags(
    prepared: Prepared, packed: NDArray[np.uint8], kept: NDArray[np.uint8]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which regions are bounded, and which relatively to the lines that all regions share.

    Parameters
    ----------
    prepared, packed, kept
        As for `normals_of`; any domain.

    Returns
    -------
    is_bounded, is_relatively_bounded : ndarray of bool, shape (n,)

    Algorithm
    ---------
    One exact linear program a region. The lines that all regions share are the null space of all
    normals; it is found once, and for the regions so far.

    Exactness
    ---------
    Exact.
    """
    n, d = len(packed), prepared.domain.dim
    if prepared.domain.is_bounded:
        return np.ones(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
    cones = [recession_of(normals, d) for normals in normals_of(prepared, packed, kept)]
    shared = _lineality_dim(normals_of(prepared, packed, kept), d)
    bounded = np.array([cone.is_bounded for cone in cones], dtype=np.bool_)
    relatively = np.array(
        [cone.is_linear and cone.lineality_dim == shared for cone in cones], dtype=np.bool_
    )
    return bounded, relatively


def _lineality_dim(regions: Iterable[list[IntRow]], d: int) -> int:
    """Return the dimension of the space on which all normals vanish."""
    lines = nullspace([], d)
    normals_so_far: list[IntRow] = []
    for normals in regions:
        if not lines:
            return 0
        cutting = [
            normal
            for normal in normals
            if any(sum(a * v for a, v in zip(normal, line, strict=True)) for line in lines)
        ]
        if cutting:
            normals_so_far += cutting
            lines = nullspace(normals_so_far)
    return len(lines)
