"""Exact corners in space: on which side of a row three other rows meet, and points inside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from plregions.errors import PLRegionsError
from plregions.feasibility.exact_rung import inner_point
from plregions.feasibility.prepare import IntRow

__all__ = [
    "BOX_CORNERS",
    "BOX_EDGES",
    "Corner",
    "Edge",
    "corner",
    "inner_point",
    "sign_at",
    "solid_of_rows",
]

# Homogeneous integer coordinates of a point: (p, q, r, w) with w > 0 stands for (p, q, r) / w.
Corner = tuple[int, int, int, int]

# Two corners, then the rows of the two facets that meet there.
Edge = tuple[int, int, int, int]

# The rows x >= , x <= , y >= , y <= , z >= , z <= of a box that meet in its corners, and its edges:
# corners that have two of them in common.
BOX_CORNERS = list(product((0, 1), (2, 3), (4, 5)))
BOX_EDGES: list[Edge] = [
    (v, w, facets[0], facets[1])
    for v, w in combinations(range(8), 2)
    if len(facets := sorted({*BOX_CORNERS[v]} & {*BOX_CORNERS[w]})) == 2
]


def corner(row: IntRow, second: IntRow, third: IntRow) -> Corner:
    """Return the point where three rows a x + b y + c z + d of independent normals are all 0."""
    a, b, c, d = row
    a1, b1, c1, d1 = second
    a2, b2, c2, d2 = third
    ab, ac, ad = a1 * b2 - b1 * a2, a1 * c2 - c1 * a2, a1 * d2 - d1 * a2
    bc, bd, cd = b1 * c2 - c1 * b2, b1 * d2 - d1 * b2, c1 * d2 - d1 * c2
    w = a * bc - b * ac + c * ab
    if w == 0:
        raise PLRegionsError(
            "a corner needs three rows of independent normals; got three that have none in "
            "common. This is a fault of plregions: please report it with the network."
        )
    p = c * bd - b * cd - d * bc
    q = a * cd - c * ad + d * ac
    r = b * ad - a * bd - d * ab
    return (p, q, r, w) if w > 0 else (-p, -q, -r, -w)


def sign_at(row: IntRow, point: Corner) -> int:
    """Return the sign of a row at a point: that of a determinant of four rows."""
    value = row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3] * point[3]
    return (value > 0) - (value < 0)


def solid_of_rows(rows: Sequence[IntRow]) -> tuple[list[tuple[int, int, int]], list[Edge]]:
    """Return corners and edges of the polyhedron where all rows are >= 0.

    Parameters
    ----------
    rows : sequence of (int, int, int, int)
        The polyhedron has an interior and lies inside the box of half-width 1 around 0.

    Returns
    -------
    corners : list of (int, int, int)
        Three rows of independent normals that meet there.
    edges : list of (int, int, int, int)
        Two corners, and the rows of the two facets. Rows that only touch the polyhedron are left
        out, and so are all but the first of several on one plane.

    Algorithm
    ---------
    Cuts a box of half-width 2 by one row after the other, exactly: O(m) signs a row.
    """
    outer: list[IntRow] = [
        tuple(s * int(i == k) if i < 3 else 2 for i in range(4)) for k in range(3) for s in (1, -1)
    ]
    planes = [*outer, *rows]
    made, edges = [*BOX_CORNERS], [*BOX_EDGES]
    points = [corner(*(planes[i] for i in three)) for three in made]
    for new in range(len(outer), len(planes)):
        in_use = {v for edge in edges for v in edge[:2]}
        signs = {v: sign_at(planes[new], points[v]) for v in in_use}
        if min(signs.values()) >= 0:
            continue
        edges = _cut(edges, signs, new, made)
        points += [corner(*(planes[i] for i in three)) for three in made[len(points) :]]
    if any(min(edge[2:]) < len(outer) for edge in edges):
        raise PLRegionsError(
            "a domain needs to lie inside its bounding box; got one that does not. This is a "
            "fault of plregions: please report it with the domain."
        )
    left = sorted({v for edge in edges for v in edge[:2]})
    place = {v: i for i, v in enumerate(left)}
    n = len(outer)
    return (
        [(i - n, j - n, k - n) for i, j, k in (made[v] for v in left)],
        [(place[v], place[w], f - n, g - n) for v, w, f, g in edges],
    )


def _cut(
    edges: list[Edge], signs: dict[int, int], new: int, made: list[tuple[int, int, int]]
) -> list[Edge]:
    """Return the edges of the part where row ``new`` is >= 0; appends new corners to ``made``."""
    sides: dict[int, set[int]] = {}
    for v, w, f, g in edges:
        for facet in (f, g):
            sides.setdefault(facet, set()).update((signs[v], signs[w]))
    kept: list[Edge] = []
    ends: dict[int, list[int]] = {}
    for v, w, f, g in edges:
        if signs[v] < signs[w]:
            v, w = w, v
        if signs[v] > 0 > signs[w]:
            made.append((f, g, new))
            kept.append((v, len(made) - 1, f, g))
            for facet in (f, g):
                ends.setdefault(facet, []).append(len(made) - 1)
        elif signs[v] > 0:
            kept.append((v, w, f, g))
            for facet in (f, g):
                if signs[w] == 0 and -1 in sides[facet]:
                    ends.setdefault(facet, []).append(w)
        elif signs[v] == signs[w] == 0:
            kept.append((v, w, f if 1 in sides[f] else g, new))
    return kept + [(v, w, facet, new) for facet, (v, w) in ends.items()]
