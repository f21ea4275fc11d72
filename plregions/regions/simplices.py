"""Into which simplices does a region fall, and what is its volume, exactly?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import TYPE_CHECKING

from flint import fmpq, fmpz_mat

from plregions.errors import InvalidInputError
from plregions.exact.cone import IntVector

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex
    from plregions.regions.region import Region
    from plregions.regions.vertices import Vertices

__all__ = [
    "Point",
    "checked_vertices",
    "exact_moments",
    "exact_volume",
    "facets_of",
    "polytope_volume",
    "pull",
    "simplices",
]

Point = tuple[Fraction, ...]


def simplices(region: Region) -> list[tuple[Point, ...]]:
    """Return a triangulation of a bounded region: simplices that fill it and overlap nowhere.

    Parameters
    ----------
    region : Region

    Returns
    -------
    list of tuples of dim + 1 points
        Rational points in the domain's coordinates; all are vertices of the region.

    Raises
    ------
    InvalidInputError
        The region is not bounded.

    Algorithm
    ---------
    The first vertex is pulled: it is joined to the triangulations of the facets that do not hold
    it, which are made in the same way. First is the vertex with the least number in the complex,
    so regions that share a face triangulate it alike, and all simplices together are face to face.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[1]], [0])])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> [[[int(v) for v in point] for point in simplex] for simplex in simplices(regions[1])]
    [[[-1, 1], [1, -1], [1, 1]]]
    """
    if not hasattr(region, "complex") or not hasattr(region, "index"):
        raise InvalidInputError(
            f"simplices needs a Region; got {type(region).__name__}. Take one of a RegionComplex."
        )
    vertices = checked_vertices("simplices", region.complex, region.index)
    points, ids = vertices.points, vertices.of(region.index).tolist()
    return [
        tuple(points[ids[i]] for i in simplex)
        for simplex in pull(vertices.tight_of(region.index), region.complex.domain.dim)
    ]


def exact_volume(complex: RegionComplex, index: int) -> Fraction:
    """Return the volume of a bounded region from the vertices of the whole complex, exactly.

    Parameters
    ----------
    complex : RegionComplex
    index : int

    Returns
    -------
    Fraction

    Raises
    ------
    InvalidInputError
        The region is not bounded.

    Algorithm
    ---------
    The sum of abs(det) / dim! over the simplices of `simplices`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[1]], [0])])
    >>> exact_volume(plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1])), 0)
    Fraction(2, 1)
    """
    vertices = checked_vertices("volume", complex, index)
    corners = [vertices.homogeneous[i] for i in vertices.of(index).tolist()]
    return polytope_volume(corners, vertices.tight_of(index), complex.domain.dim)


def polytope_volume(corners: Sequence[IntVector], tight: Sequence[int], dim: int) -> Fraction:
    """Return the volume of a polytope, exactly.

    Parameters
    ----------
    corners : sequence of tuples of int, length dim + 1
        Homogeneous.
    tight : sequence of int
        For each corner the bit set of the facets, or rows, that meet there.
    dim : int

    Returns
    -------
    Fraction

    Examples
    --------
    >>> polytope_volume([(0, 1), (7, 2)], [1, 2], 1)
    Fraction(7, 2)
    """
    total = fmpq(0)
    for simplex in pull(tight, dim):
        total += _content([corners[i] for i in simplex])
    return Fraction(int(total.p), int(total.q) * factorial(dim))


def exact_moments(
    corners: Sequence[IntVector], tight: Sequence[int], dim: int
) -> tuple[Fraction, list[Fraction]]:
    """Return the volume and the centroid of a polytope, exactly.

    Parameters
    ----------
    corners : sequence of tuples of int, length dim + 1
        Homogeneous.
    tight : sequence of int
        For each corner the bit set of the facets that meet there.
    dim : int

    Returns
    -------
    volume : Fraction
    centroid : list of Fraction
    """
    whole, moments = fmpq(0), [fmpq(0)] * dim
    for simplex in pull(tight, dim):
        part = [corners[i] for i in simplex]
        size = _content(part)
        whole += size
        for k in range(dim):
            moments[k] += size * sum((fmpq(p[k], p[-1]) for p in part), fmpq(0))
    means = [moment / whole / (dim + 1) for moment in moments]
    volume = Fraction(int(whole.p), int(whole.q) * factorial(dim))
    return volume, [Fraction(int(mean.p), int(mean.q)) for mean in means]


def checked_vertices(verb: str, complex: RegionComplex, index: int) -> Vertices:
    """Return the vertices of a complex in which the region is bounded."""
    vertices = complex.vertices
    if not vertices.is_bounded[index]:
        raise InvalidInputError(
            f"{verb} needs a bounded region; got region {index}, which never ends. Enumerate the "
            "regions of a box: Box(lower, upper)."
        )
    return vertices


def _content(corners: Sequence[IntVector]) -> fmpq:
    """Return dim! times the volume of a simplex of homogeneous corners."""
    size = abs(fmpz_mat([list(corner) for corner in corners]).det())
    return fmpq(size, prod(corner[-1] for corner in corners))


def pull(tight: Sequence[int], dim: int) -> Iterator[tuple[int, ...]]:
    """Yield a triangulation of a polytope, given which facets meet in each vertex.

    Parameters
    ----------
    tight : sequence of int
        For each vertex the bit set of its facets.
    dim : int

    Yields
    ------
    tuple of int, length dim + 1
        Positions of vertices, ascending.

    Algorithm
    ---------
    See `simplices`. A face is known by its vertices; its facets are the largest parts that a
    facet of the polytope cuts out of it.

    Exactness
    ---------
    Combinatorial.

    Examples
    --------
    >>> square = [0b0011, 0b0110, 0b1100, 0b1001]
    >>> list(pull(square, 2))
    [(0, 1, 2), (0, 2, 3)]
    """
    return _pull(list(range(len(tight))), tight, dim)


def _pull(face: list[int], tight: Sequence[int], dim: int) -> Iterator[tuple[int, ...]]:
    if len(face) == dim + 1:
        yield tuple(face)
        return
    apex = face[0]
    for part in facets_of(face, tight):
        if part[0] != apex:
            for simplex in _pull(part, tight, dim - 1):
                yield (apex, *simplex)


def facets_of(face: Sequence[int], tight: Sequence[int] | Mapping[int, int]) -> list[list[int]]:
    """Return the facets of a face, each as the ascending list of its vertices.

    The closure of a part is the set of all facets of the polytope that hold it. The parts that a
    further facet cuts out are faces, and those with the least closures are facets of the face.
    """
    here = -1
    union = 0
    for v in face:
        here &= tight[v]
        union |= tight[v]
    parts: dict[int, list[int]] = {}
    left = union & ~here
    while left:
        bit = left & -left
        part = [v for v in face if tight[v] & bit]
        closure = -1
        for v in part:
            closure &= tight[v]
        parts[closure] = part
        left ^= bit
    return [
        part
        for closure, part in parts.items()
        if not any(other != closure and other & closure == other for other in parts)
    ]
