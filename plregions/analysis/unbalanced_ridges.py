"""Which ridges are unbalanced, and on which flats of codimension 2 do they lie?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz_mat

from plregions.analysis.kinks import (
    GradientJumps,
    Hyperplane,
    Jump,
    gradient_jumps,
    unit_row,
)
from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.exact.cone import IntVector
from plregions.network import Network
from plregions.regions.simplices import facets_of
from plregions.regions.vertex_signs import wall_signs

__all__ = ["Flat", "HardFlats", "UnbalancedRidge", "flat_through", "hard_flats", "hard_flats_of"]

#: Two equations (n, c), n.x + c = 0, in reduced echelon form: equal flats, equal numbers.
Flat = tuple[Hyperplane, Hyperplane]

Key = tuple[int, ...]


@dataclass(frozen=True)
class UnbalancedRidge:
    """A ridge at which the network's function has no germ of depth 2, with what shows it.

    Attributes
    ----------
    flat : Flat
        Its affine span.
    point : tuple of Fraction
        In the relative interior of the ridge, inside the open domain.
    around : tuple of (Hyperplane, tuple of Jump)
        For each hyperplane with a jump at the ridge the jumps of the one or two facets there. Some
        hyperplane has one facet, or two with different jumps.

    Examples
    --------
    >>> from plregions import constructions, hypercube
    >>> flats = hard_flats(constructions.bent(), hypercube(2, -1, 1))
    >>> [tuple(map(int, ridge.point)) for ridge in flats.ridges]
    [(0, 0)]
    """

    flat: Flat
    point: tuple[Fraction, ...]
    around: tuple[tuple[Hyperplane, tuple[Jump, ...]], ...]

    @property
    def hyperplane(self) -> Hyperplane:
        """The first hyperplane whose jumps on the two sides of the ridge differ."""
        return max(self.around, key=lambda entry: len(entry[1]) == 1 or len({*entry[1]}) == 2)[0]


@dataclass(frozen=True)
class HardFlats:
    """The affine spans of all unbalanced ridges that meet an open domain.

    Attributes
    ----------
    dim : int
        Of the domain.
    flats : tuple of Flat
        Each once, in ascending order: subspaces of dimension dim - 2; points for dim = 2, none
        for dim = 1.
    ridges : tuple of UnbalancedRidge
        One on each flat.
    n_ridges : int
        Unbalanced ridges in all.

    Examples
    --------
    The germ relu(x - relu(y)) has one hard point:

    >>> bent = Network([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0]), ([[1]], [0])])
    >>> found = hard_flats(bent, Box([-1, -1], [1, 1]))
    >>> found
    HardFlats(1 flat in dimension 2, 1 unbalanced ridge)
    >>> [[str(v) for v in row] for row in found.flats[0]]
    [['1', '0', '0'], ['0', '1', '0']]
    """

    dim: int
    flats: tuple[Flat, ...]
    ridges: tuple[UnbalancedRidge, ...]
    n_ridges: int

    def __len__(self) -> int:
        return len(self.flats)

    def __repr__(self) -> str:
        flats = "flat" if len(self.flats) == 1 else "flats"
        ridges = "ridge" if self.n_ridges == 1 else "ridges"
        return (
            f"HardFlats({len(self.flats)} {flats} in dimension {self.dim}, "
            f"{self.n_ridges} unbalanced {ridges})"
        )


def hard_flats(
    f: Network,
    domain: Box | Polytope | WholeSpace | Slice,
    *,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> HardFlats:
    """Find the hard flats of a network's function in the interior of a domain.

    A ridge (a face of codimension 2) is balanced if each hyperplane through it holds no facet
    there across which the gradient jumps, or two of them with one jump. On an open convex set a
    function has a representation of depth 2 iff all ridges that meet the set are balanced; and
    every network of depth 3 has each hard flat in one of its first-layer hyperplanes.

    Parameters
    ----------
    f : Network
        With several outputs, a jump is a vector, and the flats are those of all outputs together.
    domain : Box, Polytope or Slice
        Bounded; its interior is meant. Ridges in the boundary do not count.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    HardFlats
        Of a slice in its own coordinates. The flats do not depend on the network that holds the
        function.

    Raises
    ------
    InvalidInputError
        An unbounded domain.
    BudgetExhaustedError
        A budget ran out.

    Algorithm
    ---------
    The facets with a jump are taken apart into ridges, which are known by their vertices; at each
    of them the jumps are compared hyperplane by hyperplane. Linear in the number of pairs of such
    facets and their ridges.

    Exactness
    ---------
    Exact.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, proof of Theorem 4.1: first layers merge
    away from their hyperplanes. Balance of ridges: made for this project.

    Examples
    --------
    >>> from plregions.constructions import max_tree, corner_hats
    >>> hard_flats(max_tree(4), Box([-1] * 4, [1] * 4))
    HardFlats(4 flats in dimension 4, 10 unbalanced ridges)
    >>> len(hard_flats(corner_hats(3), Box([0] * 3, [1] * 3)))
    0
    """
    return hard_flats_of(
        gradient_jumps(
            f,
            domain,
            workers=workers,
            max_regions=max_regions,
            time_limit=time_limit,
            verb="hard_flats",
        )
    )


def hard_flats_of(jumps: GradientJumps) -> HardFlats:
    """Do the work of `hard_flats`, given the gradient jumps.

    Parameters
    ----------
    jumps : GradientJumps

    Returns
    -------
    HardFlats

    Exactness
    ---------
    Exact.
    """
    dim, vertices = jumps.complex.domain.dim, jumps.complex.vertices
    on_walls = wall_signs(jumps.complex.prepared.domain, vertices.homogeneous) == 0
    ridges: list[UnbalancedRidge] = []
    known: set[Flat] = set()
    n_ridges = 0
    for corners, around in _kinks_around(jumps).items():
        if _is_balanced(around) or on_walls[list(corners)].all(axis=0).any():
            continue
        n_ridges += 1
        flat = flat_through([vertices.homogeneous[v] for v in corners])
        if flat not in known:
            known.add(flat)
            points = [vertices.points[v] for v in corners]
            middle = tuple(sum(column) / len(points) for column in zip(*points, strict=True))
            kinks = [
                (jumps.hyperplanes[h], tuple([jumps.jumps[k] for k in places]))
                for h, places in sorted(_by_hyperplane(around).items())
            ]
            ridges.append(UnbalancedRidge(flat, middle, tuple(kinks)))
    ridges.sort(key=lambda ridge: ridge.flat)
    return HardFlats(dim, tuple([ridge.flat for ridge in ridges]), tuple(ridges), n_ridges)


def flat_through(points: Sequence[IntVector]) -> Flat:
    """Return the flat of codimension 2 through points in homogeneous coordinates.

    Parameters
    ----------
    points : sequence of tuples of int, length d + 1
        That span it; the last coordinate is the denominator.

    Returns
    -------
    Flat

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> [[str(v) for v in row] for row in flat_through([(1, 3, 2)])]
    [['1', '0', '-1/2'], ['0', '1', '-3/2']]
    """
    basis: Any
    basis, nullity = fmpz_mat([list(point) for point in points]).nullspace()
    n = basis.nrows()
    columns = [[basis[i, j] for i in range(n)] for j in range(int(nullity))]
    reduced, _, _ = fmpz_mat(columns).rref()
    first, second = ([int(reduced[i, j]) for j in range(n)] for i in range(2))
    return unit_row(first), unit_row(second)


#: At a ridge: for each facet with a jump its hyperplane, the number of its jump, its place.
_Around = list[tuple[int, int, int]]


def _kinks_around(jumps: GradientJumps) -> dict[Key, _Around]:
    """Return the facets with a jump around each ridge that such a facet has."""
    found: dict[Key, _Around] = {}
    k = jumps.complex.domain.dim - 1
    if k < 1:
        return found
    numbers: dict[Jump, int] = {}
    for place, (h, jump) in enumerate(zip(jumps.hyperplane_of.tolist(), jumps.jumps, strict=True)):
        entry = h, numbers.setdefault(jump, len(numbers)), place
        corners, meeting = jumps.corners_of(place)
        if len(corners) == k + 1:
            parts = [corners[:i] + corners[i + 1 :] for i in range(k + 1)]
        else:
            parts = facets_of(corners, meeting)
        for part in parts:
            found.setdefault(tuple(part), []).append(entry)
    return found


def _is_balanced(around: _Around) -> bool:
    """Tell whether each hyperplane with a jump at a ridge has two facets there, of one jump."""
    of_hyperplane: dict[int, list[int]] = {}
    for h, jump, _ in around:
        of_hyperplane.setdefault(h, []).append(jump)
    return all(len(pair) == 2 and pair[0] == pair[1] for pair in of_hyperplane.values())


def _by_hyperplane(around: _Around) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for h, _, place in around:
        found.setdefault(h, []).append(place)
    return found
