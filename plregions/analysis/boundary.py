"""Where does the decision of a classifier change? The pieces of its boundary, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.analysis.class_parts import (
    AnyDomain,
    ClassParts,
    Scores,
    class_parts,
    classes_of,
    complete_regions,
)
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.network import Network
from plregions.regions import RegionComplex
from plregions.regions.linear import numbered
from plregions.regions.simplices import facets_of

__all__ = ["Boundary", "decision_boundary", "level_set"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Point = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Boundary:
    """The pieces of a decision boundary, or of a level set: polytopes of dimension dim - 1.

    The domain falls into parts on which one set of classes has the largest score (for a level set
    class 0 is above, class 1 below). A piece is a facet of two parts on which a class ties that
    does not tie on both of them. In the coordinates of the domain; for a slice its own.

    Attributes
    ----------
    parts : ClassParts
    corners : tuple of tuples of int
        The corners of each piece, positions in ``parts.points``. In two dimensions the side
        ``sides[p][0]`` lies left of the way from the first to the second; in three dimensions they
        go around the polygon, counter-clockwise seen from that side. Otherwise ascending.
    neighbours : ndarray of int64, shape (n, 2)
        The parts on both sides.
    tied : tuple of tuples of int
        All classes with the largest score on the piece, ascending.

    Exactness
    ---------
    Exact; `floats`, `segments` and `polygons` are rounded.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> boundary = decision_boundary(net, plr.Box([-1, -1], [1, 1]))
    >>> boundary
    Boundary(3 pieces, 1 of 4 regions cut, 3 crossings, 1 tied part)
    >>> boundary.sides
    (((0,), (0, 1)), ((0, 1), (1,)), ((0,), (1,)))
    >>> boundary.segments[2].tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """

    parts: ClassParts
    corners: tuple[tuple[int, ...], ...]
    neighbours: IntArray
    tied: tuple[tuple[int, ...], ...]

    @property
    def complex(self) -> RegionComplex:
        """The regions."""
        return self.parts.scores.regions

    @property
    def dim(self) -> int:
        """Dimension of the domain."""
        return self.complex.domain.dim

    def __len__(self) -> int:
        return len(self.corners)

    @cached_property
    def regions(self) -> IntArray:
        """The regions on both sides of each piece, shape (n, 2); equal if it cuts a region."""
        return self.parts.regions[self.neighbours]

    @cached_property
    def sides(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """The classes that are largest on each side: one, or several that are equal there."""
        labels = self.parts.labels
        return tuple(
            (classes_of(labels[a]), classes_of(labels[b])) for a, b in self.neighbours.tolist()
        )

    @cached_property
    def classes(self) -> IntArray:
        """Two classes that tie on each piece and not on both sides, shape (n, 2).

        The first is largest on the first side, the second, where the sides differ, on the other.
        """
        pairs = []
        for (first, second), tied in zip(self.sides, self.tied, strict=True):
            a = next((k for k in first if k not in second), first[0])
            b = next((k for k in second if k not in first), None)
            if b is None:
                b = next((k for k in tied if k not in first), None)
            if b is None:
                b = next(k for k in tied if k != a)
            pairs.append((a, b))
        return np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)

    @cached_property
    def is_crossing(self) -> NDArray[np.bool_]:
        """Whether the two sides of each piece differ, shape (n,).

        Otherwise another class only touches from below, as 0 touches |x|.
        """
        return np.array([a != b for a, b in self.sides], dtype=np.bool_)

    def points(self, piece: int) -> list[Point]:
        """Return the corners of a piece, exactly, in the order of `corners`."""
        return [self.parts.point(index) for index in self.corners[piece]]

    def centre(self, piece: int) -> Point:
        """Return a rational point in the relative interior of a piece."""
        return self.parts.centre(self.corners[piece])

    @cached_property
    def segments(self) -> FloatArray:
        """The pieces in two dimensions, shape (n, 2, 2): two points each, rounded."""
        self._check_dim("segments", 2)
        ids = np.array(self.corners, dtype=np.int64).reshape(len(self), 2)
        return self.parts.floats[ids]

    @cached_property
    def polygons(self) -> tuple[FloatArray, ...]:
        """The pieces in three dimensions: points around each polygon, shape (k, 3), rounded."""
        self._check_dim("polygons", 3)
        return tuple(self.parts.floats[list(corners)] for corners in self.corners)

    @cached_property
    def components(self) -> IntArray:
        """The connected component of each piece, shape (n,), numbered by first pieces.

        Closed pieces are joined where they meet, be it in one point.
        """
        return _components([list(corners) for corners in self.corners], len(self.parts.points))

    @property
    def n_components(self) -> int:
        """Number of connected components of the union of all pieces."""
        return int(self.components.max(initial=-1)) + 1

    @cached_property
    def tied_parts(self) -> IntArray:
        """The parts of full dimension on which several classes are equal and largest."""
        several = [p for p, label in enumerate(self.parts.labels) if label & (label - 1)]
        return np.array(several, dtype=np.int64)

    def _check_dim(self, name: str, dim: int) -> None:
        if self.dim != dim:
            raise InvalidInputError(
                f"{name} needs a domain of dimension {dim}; got dimension {self.dim}. Use "
                "points(piece), or a slice."
            )

    def __repr__(self) -> str:
        carriers = len(np.unique(self.regions[self.regions[:, 0] == self.regions[:, 1]]))
        return (
            f"Boundary({_number(len(self), 'piece')}, {carriers} of "
            f"{_number(self.complex.n_regions, 'region')} cut, "
            f"{_number(int(self.is_crossing.sum()), 'crossing')}, "
            f"{_number(len(self.tied_parts), 'tied part')})"
        )


def decision_boundary(
    network: Network | RegionComplex,
    domain: AnyDomain | None = None,
    *,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Boundary:
    """Find where the largest output changes, exactly.

    Parameters
    ----------
    network : Network or RegionComplex
        With two outputs or more. A complex must be complete.
    domain : Box, Polytope or Slice, for a network
        Bounded.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    Boundary

    Raises
    ------
    InvalidInputError
        One output (use `level_set`), an unbounded domain, an incomplete complex, a region with
        too many vertices for exact arithmetic.
    BudgetExhaustedError
        A budget ran out: without all regions the boundary has holes.

    Algorithm
    ---------
    Each region is cut into the parts where one output is largest. Parts meet face to face, so a
    piece is a facet of two of them, known by its vertices: one that lies in the common facet of two
    regions is found once. Ties are decided at the vertices: a class ties on a facet iff it does at
    all of its vertices. A tie in fewer than dim - 1 dimensions, such as touching in a vertex, is
    no piece; one on a region of full dimension is a part with several classes.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1], [-1, -1]], [0, 0]), ([[1, -1], [0, 0]], [0, 1])])
    >>> decision_boundary(net, plr.Box([-1, -1], [1, 1])).points(0)
    [(Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 1), Fraction(0, 1))]
    """
    regions = complete_regions(
        "decision_boundary", network, domain, workers, max_regions, time_limit
    )
    if regions.network.output_dim < 2:
        raise InvalidInputError(
            "decision_boundary needs a network with 2 or more outputs; got 1. Use "
            "level_set(network, domain, level)."
        )
    return _boundary(class_parts(Scores(regions)))


def level_set(
    network: Network | RegionComplex,
    domain: AnyDomain | None = None,
    level: Any = 0,
    *,
    output: int = 0,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Boundary:
    """Find where one output equals a level, exactly.

    Parameters
    ----------
    network : Network or RegionComplex
        A complex must be complete.
    domain : Box, Polytope or Slice, for a network
        Bounded.
    level : float, int, Fraction or str, default 0
    output : int, default 0
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    Boundary
        Class 0 is above, class 1 below. Whole regions on which the output is the level are
        parts of both; see ``tied_parts``.

    Raises
    ------
    InvalidInputError
        As for `decision_boundary`; no such output; a level that is no number.
    BudgetExhaustedError
        A budget ran out.

    Algorithm
    ---------
    As for `decision_boundary`, with the output and the level as scores.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> size = plr.constructions.l1_norm(2)
    >>> diamond = level_set(size, plr.Box([-1, -1], [1, 1]), "1/2")
    >>> len(diamond), diamond.n_components
    (4, 1)
    """
    if isinstance(network, RegionComplex) and isinstance(domain, Real | str):
        raise InvalidInputError(
            f"level_set needs no domain beside regions; got {domain!r}. Name the level: "
            f"level_set(regions, level={domain!r})."
        )
    regions = complete_regions("level_set", network, domain, workers, max_regions, time_limit)
    m = regions.network.output_dim
    if not isinstance(output, int | np.integer) or not 0 <= output < m:
        raise InvalidInputError(f"level_set needs an output from 0 to {m - 1}; got {output!r}.")
    try:
        value = fraction(level)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"level_set needs a number as level; {error}") from None
    return _boundary(class_parts(Scores(regions, int(output), value)))


def _boundary(parts: ClassParts) -> Boundary:
    """Collect the facets of parts on which a class ties that does not tie on both sides."""
    corners: list[tuple[int, ...]] = []
    pairs: list[tuple[int, int]] = []
    tied: list[tuple[int, ...]] = []
    labels, dim = parts.labels, parts.scores.regions.domain.dim
    for facet, around in parts.facets.items():
        if len(around) < 2:
            continue
        common = parts.tied(facet)
        a, b = sorted(around, key=lambda part: (classes_of(labels[part]), part))
        if common == labels[a] == labels[b]:
            continue
        corners.append(_ordered(parts, facet, a, dim))
        pairs.append((a, b))
        tied.append(classes_of(common))
    neighbours = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
    neighbours.setflags(write=False)
    return Boundary(parts, tuple(corners), neighbours, tuple(tied))


def _ordered(parts: ClassParts, facet: Sequence[int], side: int, dim: int) -> tuple[int, ...]:
    """Return the corners of a piece around it, with the part `side` on the left, or in front."""
    ring = list(facet)
    if dim == 3:
        ring = _around(parts, facet, side)
    if dim not in (2, 3):
        return tuple(ring)
    inside = next(index for index in parts.corners[side] if index not in set(facet))
    rows = [list(parts.points[index]) for index in (*ring[:dim], inside)]
    turn = fmpz_mat(rows).det()
    # The determinant of homogeneous (p, q, r) is positive iff r lies left of p -> q; in three
    # dimensions that of (p, q, r, s) is negative iff p, q, r turn left seen from s.
    if (turn > 0) == (dim == 3):
        ring = ring[::-1] if dim == 2 else [ring[0], *ring[:0:-1]]
    return tuple(ring)


def _around(parts: ClassParts, facet: Sequence[int], side: int) -> list[int]:
    """Return the corners of a polygon along its edges."""
    meeting = dict(zip(parts.corners[side], parts.tight[side], strict=True))
    beside: dict[int, list[int]] = {index: [] for index in facet}
    for p, q in facets_of(facet, meeting):
        beside[p].append(q)
        beside[q].append(p)
    ring = [facet[0]]
    at = min(beside[facet[0]])
    while at != facet[0]:
        ring.append(at)
        at = next(index for index in beside[at] if index != ring[-2])
    return ring


def _components(members: list[list[int]], n_points: int) -> IntArray:
    """Number the components of sets that are joined where they share a point."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(members)
    if not n:
        return np.zeros(0, dtype=np.int64)
    offsets = np.cumsum([0, *map(len, members)])
    columns = np.concatenate([np.array(m, dtype=np.int64) for m in members])
    ones = np.ones(len(columns), dtype=np.int8)
    holds = csr_array((ones, columns, offsets), shape=(n, n_points))
    joined = (holds.astype(np.int64) @ holds.T.astype(np.int64)) > 0
    _, labels = connected_components(joined, directed=False)
    return numbered(labels)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
