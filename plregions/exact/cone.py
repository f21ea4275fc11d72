"""Which rays span a cone? The corners of a polyhedron, in homogeneous coordinates.

A polyhedron {x : a.x + c >= 0} is the slice t = 1 of the cone {(x, t) : a.x + c t >= 0, t >= 0}.
The cone's extreme rays with t > 0 are its vertices, those with t = 0 its rays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from operator import mul
from typing import Any

from flint import fmpz_mat

from plregions.errors import InvalidInputError

__all__ = ["IntVector", "cut_cone", "extreme_rays"]

IntVector = tuple[int, ...]

# Pairs of rays that one row may separate: about a second of work.
MOST_PAIRS = 2**20


def extreme_rays(rows: Sequence[IntVector]) -> list[tuple[IntVector, int]] | None:
    """Return the extreme rays of a cone {v : r.v >= 0 for all rows r} and the rows tight on each.

    Parameters
    ----------
    rows : sequence of tuples of int, length n
        At least one.

    Returns
    -------
    list of (ray, tight), or None
        Each ray has coprime integer entries; bit i of the integer `tight` is set iff ``rows[i]`` is
        0 on it. None for a cone that contains a line: the rows have rank less than n.

    Raises
    ------
    InvalidInputError
        There are no rows, or millions of pairs of rays would have to be tried: the cone has too
        many rays.

    Algorithm
    ---------
    The double description method: the cone of n independent rows is simplicial, its rays are the
    columns of an inverse; each other row cuts off rays and puts a new one on each edge that it
    meets. Two rays span an edge iff no third is tight on all rows on which both are; where one of
    them is tight on n - 1 rows only, counting the common rows decides. Linear in rows, rays and
    new edges where the cone is simple.

    Exactness
    ---------
    Exact: integers without fractions.

    Examples
    --------
    >>> extreme_rays([(1, 0, 0), (0, 1, 0), (-1, -1, 1)])
    [((1, 0, 1), 6), ((0, 1, 1), 5), ((0, 0, 1), 3)]
    >>> extreme_rays([(1, 0)]) is None
    True

    References
    ----------
    Motzkin, Raiffa, Thompson and Thrall 1953; Fukuda and Prodon 1996, proposition 7.
    """
    if not rows:
        raise InvalidInputError("extreme_rays needs one row or more; got none.")
    n = len(rows[0])
    basis = _independent(rows)
    if len(basis) < n:
        return None
    rays = _simplicial([rows[i] for i in basis], basis)
    chosen = set(basis)
    for i, row in enumerate(rows):
        if i not in chosen:
            rays = cut_cone(rays, row, 1 << i)
    return rays


def _independent(rows: Sequence[IntVector]) -> list[int]:
    """Return the first rows that are linearly independent."""
    columns = fmpz_mat([list(column) for column in zip(*rows, strict=True)])
    reduced, _, rank = columns.rref()
    found, j = [], 0
    for i in range(int(rank)):
        while not reduced[i, j]:
            j += 1
        found.append(j)
    return found


def _simplicial(rows: list[IntVector], names: list[int]) -> list[tuple[IntVector, int]]:
    """Return the rays of the cone of n independent rows: the columns of their inverse."""
    inverse: Any = fmpz_mat([list(row) for row in rows]).inv()
    scaled, denominator = inverse.numer_denom()
    sign = 1 if denominator > 0 else -1
    every = sum(1 << name for name in names)
    found = []
    for j, name in enumerate(names):
        ray = [sign * int(scaled[i, j]) for i in range(len(rows))]
        found.append((_primitive(ray), every & ~(1 << name)))
    return found


def cut_cone(
    rays: Sequence[tuple[IntVector, int]], row: IntVector, bit: int
) -> list[tuple[IntVector, int]]:
    """Return the extreme rays of a cone cut by one more row, and the rows tight on each.

    Parameters
    ----------
    rays : sequence of (ray, tight)
        The extreme rays of a cone without lines, with the bit set of all its rows that are 0 there.
    row : tuple of int, length n
    bit : int
        The bit that stands for the row.

    Returns
    -------
    list of (ray, tight)
        Empty, or the rays of a face, where the row is positive nowhere on the cone.

    Raises
    ------
    InvalidInputError
        Millions of pairs of rays would have to be tried.

    Exactness
    ---------
    Exact.

    Examples
    --------
    The interval from 0 to 1, without what lies beyond 1/2:

    >>> cut_cone([((0, 1), 0b01), ((1, 1), 0b10)], (-2, 1), 0b100)
    [((0, 1), 1), ((1, 2), 4)]
    """
    n = len(row)
    above: list[tuple[IntVector, int, int]] = []
    below: list[tuple[IntVector, int, int]] = []
    kept: list[tuple[IntVector, int]] = []
    for ray, tight in rays:
        value = sum(map(mul, row, ray))
        if value > 0:
            above.append((ray, tight, value))
            kept.append((ray, tight))
        elif value < 0:
            below.append((ray, tight, value))
        else:
            kept.append((ray, tight | bit))
    if len(below) * len(above) > MOST_PAIRS:
        raise InvalidInputError(
            f"extreme_rays need at most {MOST_PAIRS} pairs of rays on two sides of a row; got "
            f"{len(below)} * {len(above)}, in dimension {n}. Take a slice of fewer dimensions."
        )
    for low, low_tight, low_value in below:
        for high, high_tight, high_value in above:
            common = low_tight & high_tight
            if common.bit_count() < n - 2:
                continue
            is_simple = low_tight.bit_count() == n - 1 or high_tight.bit_count() == n - 1
            if is_simple or _spans_edge(common, rays):
                meet = [high_value * a - low_value * b for a, b in zip(low, high, strict=True)]
                kept.append((_primitive(meet), common | bit))
    return kept


def _spans_edge(common: int, rays: Sequence[tuple[IntVector, int]]) -> bool:
    """Tell whether no ray but two is tight on all common rows."""
    count = 0
    for _, tight in rays:
        if tight & common == common:
            count += 1
            if count > 2:
                return False
    return True


def _primitive(vector: list[int]) -> IntVector:
    divisor = gcd(*vector)
    return tuple([v // divisor for v in vector]) if divisor > 1 else tuple(vector)
