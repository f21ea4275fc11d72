"""The corners of a polyhedron and the directions in which it never ends, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from plregions.errors import InvalidInputError
from plregions.exact.integers import primitive_row
from plregions.exact.linear import nullspace, solve

__all__ = ["rays_of", "vertices_of"]

Row = tuple[int, ...]
Point = tuple[Fraction, ...]

# A million small systems of equations take about a minute.
MOST_SYSTEMS = 1_000_000


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
        There are too many choices of dim rows.

    Algorithm
    ---------
    Every choice of dim rows is solved: C(m, dim) systems of dim equations.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> vertices_of([(1, 0), (-2, 1)], 1)
    [(Fraction(0, 1),), (Fraction(1, 2),)]
    """
    distinct = _distinct(rows)
    found = set()
    for chosen in _choices("vertices", distinct, dim):
        x = solve([row[:-1] for row in chosen], [-row[-1] for row in chosen])
        if x is not None and all(_value(row[:-1], x) + row[-1] >= 0 for row in distinct):
            found.add(tuple(x))
    return sorted(found)


def rays_of(rows: Sequence[Sequence[Fraction]], dim: int) -> list[Row]:
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
        There are too many choices of dim - 1 rows.

    Algorithm
    ---------
    Every choice of rows that leaves one direction is solved: at most C(m, dim - 1) systems.

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
    normals = [row[:-1] for row in _distinct([(*row[:-1], Fraction(0)) for row in rows])]
    lines = [tuple(map(int, line)) for line in nullspace(normals, dim)]
    found = set()
    for chosen in _choices("rays", normals, dim - len(lines) - 1):
        directions = nullspace([*chosen, *lines], dim)
        if len(directions) != 1:
            continue
        for sign in (1, -1):
            ray = tuple(sign * int(v) for v in directions[0])
            if all(_value(normal, ray) >= 0 for normal in normals):
                found.add(ray)
    both = [ray for line in lines for ray in (line, tuple(-v for v in line))]
    return [*both, *sorted(found)]


def _distinct(rows: Sequence[Sequence[Fraction]]) -> list[Row]:
    """Return the rows that are not constant as primitive integer rows, without copies."""
    return list(dict.fromkeys(tuple(primitive_row(row)) for row in rows if any(row[:-1])))


def _choices(verb: str, rows: list[Row], size: int) -> Iterator[tuple[Row, ...]]:
    if size < 0:
        return iter(())
    n = math.comb(len(rows), size)
    if n > MOST_SYSTEMS:
        raise InvalidInputError(
            f"{verb} need at most {MOST_SYSTEMS} choices of {size} rows; got {n}, of "
            f"{len(rows)} rows. Take a slice of fewer dimensions."
        )
    return combinations(rows, size)


def _value(normal: Sequence[int], x: Sequence[Fraction | int]) -> Fraction | int:
    return sum(a * v for a, v in zip(normal, x, strict=True))
