"""Exact corners in the plane: on which side of a row two other rows meet, and points inside."""

from __future__ import annotations

from collections.abc import Sequence

from plregions.errors import PLRegionsError
from plregions.feasibility import exact_rung
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import IntRow

__all__ = ["Corner", "corner", "inner_point", "polygon_of_rows", "sign_at"]

# Homogeneous integer coordinates of a point: (p, q, w) with w > 0 stands for (p / w, q / w).
Corner = tuple[int, int, int]


def corner(row: IntRow, other: IntRow) -> Corner:
    """Return the point where two rows a x + b y + c that are not parallel are both 0."""
    a, b, c = row
    d, e, f = other
    w = a * e - b * d
    if w == 0:
        raise PLRegionsError(
            "a corner needs two rows that are not parallel; got two that are. This is a fault of "
            "plregions: please report it with the network."
        )
    p, q = b * f - c * e, c * d - a * f
    return (p, q, w) if w > 0 else (-p, -q, -w)


def sign_at(row: IntRow, point: Corner) -> int:
    """Return the sign of a row at a point: that of a determinant of three rows."""
    value = row[0] * point[0] + row[1] * point[1] + row[2] * point[2]
    return (value > 0) - (value < 0)


def polygon_of_rows(rows: Sequence[IntRow]) -> list[int]:
    """Return those rows that carry the sides of the polygon where all are >= 0, in order.

    Parameters
    ----------
    rows : sequence of (int, int, int)
        The polygon has an interior and lies inside the box of half-width 1 around 0.

    Returns
    -------
    list of int
        Positions in ``rows``, counter-clockwise. Rows that only touch the polygon are left out,
        and so are all but the first of several on one line.

    Algorithm
    ---------
    Cuts a box of half-width 2 by one row after the other, exactly: O(m) signs a row.
    """
    outer: list[IntRow] = [(1, 0, 2), (0, 1, 2), (-1, 0, 2), (0, -1, 2)]
    lines = [*outer, *rows]
    sides = [0, 1, 2, 3]
    for i, row in enumerate(rows):
        k = len(sides)
        # Corner v is the start of side v.
        signs = [
            sign_at(row, corner(lines[sides[v - 1]], lines[sides[v]])) for v in range(k)
        ]  # fmt: skip
        if min(signs) >= 0:
            continue
        inside = [v for v in range(k) if signs[v] > 0]
        start = next(v for v in inside if signs[v - 1] <= 0)
        kept = [(start - 1) % k, *((start + j) % k for j in range(len(inside)))]
        sides = [*(sides[v] for v in kept), len(outer) + i]
    if min(sides) < len(outer):
        raise PLRegionsError(
            "a domain needs to lie inside its bounding box; got one that does not. This is a "
            "fault of plregions: please report it with the domain."
        )
    return [side - len(outer) for side in sides]


def inner_point(rows: Sequence[IntRow]) -> Point:
    """Return a point strictly inside the polygon with these sides, given in order."""
    return exact_rung.inner_point(rows, [corner(rows[v - 1], rows[v]) for v in range(len(rows))])
