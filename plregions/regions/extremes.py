"""The corners of a polyhedron, its volume, and the directions in which it never ends, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plregions.errors import InvalidInputError
from plregions.exact.cone import IntVector, extreme_rays
from plregions.exact.integers import primitive_row
from plregions.exact.linear import nullspace
from plregions.regions.simplices import polytope_volume

__all__ = ["rays_of", "vertices_of", "volume_of"]

Point = tuple[Fraction, ...]


def vertices_of(rows: Sequence[Sequence[Fraction]], dim: int) -> list[Point]:
    """Return the vertices of {x : a.x + c >= 0 for all rows (a, c)}, in lexicographic order.

    Parameters
    ----------
    rows : sequence of sequences of int or Fraction, length dim + 1
    dim : int

    Returns
    -------
    list of tuple of Fraction
        Empty for a polyhedron that contains a line.

    Raises
    ------
    InvalidInputError
        There are too many of them for exact arithmetic: many rows in many dimensions.

    Algorithm
    ---------
    The double description method; see `extreme_rays`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> vertices_of([(1, 0), (-2, 1)], 1)
    [(Fraction(0, 1),), (Fraction(1, 2),)]
    """
    rays = extreme_rays([*_integers(rows), (0,) * dim + (1,)]) or []
    return sorted(tuple([Fraction(v, ray[-1]) for v in ray[:-1]]) for ray, _ in rays if ray[-1])


def rays_of(rows: Sequence[Sequence[Fraction]], dim: int) -> list[IntVector]:
    """Return directions that generate the recession cone {v : a.v >= 0 for all rows (a, c)}.

    Parameters
    ----------
    rows : sequence of sequences of int or Fraction, length dim + 1
    dim : int

    Returns
    -------
    list of tuple of int
        The extreme rays with coprime entries, in lexicographic order; empty iff the polyhedron is
        bounded. Where it contains lines, a basis of their directions, each followed by its
        negative, comes first, and then the rays orthogonal to all lines.

    Raises
    ------
    InvalidInputError
        There are too many of them for exact arithmetic: many rows in many dimensions.

    Algorithm
    ---------
    The double description method on the normals; lines are cut away by two rows each.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> rays_of([(1, 0, 0), (0, 1, 0)], 2)
    [(0, 1), (1, 0)]
    >>> rays_of([(1, 1, 0)], 2)
    [(1, -1), (-1, 1), (1, 1)]
    """
    normals = _integers([row[:-1] for row in rows])
    lines = [tuple(map(int, line)) for line in nullspace(normals, dim)]
    both = [ray for line in lines for ray in (line, tuple(-v for v in line))]
    found = extreme_rays([*normals, *both]) or []
    return [*both, *sorted(ray for ray, _ in found)]


def volume_of(rows: Sequence[Sequence[Fraction]], dim: int) -> Fraction:
    """Return the volume of the bounded polyhedron {x : a.x + c >= 0 for all rows (a, c)}.

    Parameters
    ----------
    rows : sequence of sequences of int or Fraction, length dim + 1
    dim : int

    Returns
    -------
    Fraction

    Raises
    ------
    InvalidInputError
        The polyhedron is not bounded, or there are too many vertices for exact arithmetic.

    Algorithm
    ---------
    Vertices by double description, then a pulled triangulation; see `simplices`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> volume_of([(1, 0, 0), (0, 1, 0), (-1, -1, 3)], 2)
    Fraction(9, 2)
    """
    found = extreme_rays([*_integers(rows), (0,) * dim + (1,)])
    if found is None or not all(ray[-1] for ray, _ in found):
        raise InvalidInputError(
            "volume needs a bounded region; got one that never ends. Enumerate the regions of a "
            "box: Box(lower, upper)."
        )
    return polytope_volume([ray for ray, _ in found], [tight for _, tight in found], dim)


def _integers(rows: Sequence[Sequence[Fraction]]) -> list[IntVector]:
    """Return the rows that are not zero as primitive integer rows, without copies."""
    return list(dict.fromkeys(tuple(primitive_row(row)) for row in rows if any(row)))
