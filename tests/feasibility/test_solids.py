"""Exact polyhedra: corners and edges against listing vertices, and points inside."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from oracles.lp_vertices import has_interior, value, vertices
from oracles.plain_regions import rank

from plregions.errors import PLRegionsError
from plregions.feasibility import solids
from plregions.feasibility.solids import corner, inner_point, sign_at, solid_of_rows

CUBE = [tuple(s * (i == k) if i < 3 else 1 for i in range(4)) for k in range(3) for s in (1, -1)]


def random_solid(seed: int) -> list[tuple[int, ...]]:
    """A cube cut by small integer rows, many through its corners; some rows only touch."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[int, ...]] = [*CUBE]
    for _ in range(int(rng.integers(8))):
        row = tuple(int(v) for v in rng.integers(-2, 3, 4))
        if any(row[:3]) and has_interior([*rows, row], 3):
            rows.append(row)
    return [rows[i] for i in rng.permutation(len(rows))]


def exact(point: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(v, point[3]) for v in point[:3])


def faults(seed: int) -> list[str]:
    """What is wrong with the polyhedron of a seed."""
    rows = random_solid(seed)
    corners, edges = solid_of_rows(rows)
    points = [exact(corner(*(rows[i] for i in three))) for three in corners]
    found = []
    if sorted(points) != sorted(vertices(rows, 3)):
        found.append("corners")
    right = set()
    for p, q in combinations(points, 2):
        common = [row for row in rows if value(row, p) == 0 == value(row, q)]
        if rank([[Fraction(v) for v in row[:3]] for row in common]) == 2:
            right.add(frozenset((p, q)))
    if {frozenset((points[v], points[w])) for v, w, _, _ in edges} != right:
        found.append("edges")
    facets = {f for edge in edges for f in edge[2:]}
    if len(points) - len(edges) + len(facets) != 2 or len(edges) != len(right):
        found.append("Euler")
    if any(value(rows[f], points[v]) for edge in edges for v in edge[:2] for f in edge[2:]):
        found.append("facets")
    if any(edge[2] == edge[3] for edge in edges):
        found.append("two facets")
    return found


def test_corners_edges_and_facets() -> None:
    assert all(faults(seed) == [] for seed in range(60))


def test_a_zero_taken_for_a_side_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solids, "sign_at", lambda row, point: sign_at(row, point) or -1)
    wrong = 0
    for seed in range(60):
        try:
            wrong += faults(seed) != []
        except (PLRegionsError, ValueError):
            wrong += 1
    assert wrong > 10


def test_signs_do_not_depend_on_the_orientation() -> None:
    rows = [(1, 0, 0, -1), (0, 2, 0, 1), (3, 5, 1, -7)]
    point = corner(*rows)
    assert point == corner(rows[1], rows[0], rows[2]) == (2, -1, 13, 2)
    assert sign_at((0, 0, -1, 6), point) == -1
    assert sign_at((1, 2, 0, 0), point) == 0


def test_points_inside() -> None:
    for seed in range(20):
        rows = random_solid(seed)
        corners, edges = solid_of_rows(rows)
        facets = [rows[f] for f in {f for edge in edges for f in edge[2:]}]
        point = inner_point(facets, [corner(*(rows[i] for i in three)) for three in corners])
        assert all(value(row, point) > 0 for row in rows)


def test_thin_solids_get_a_short_rational_point() -> None:
    n = 10**40
    rows: list[tuple[int, ...]] = [(3 * n, 0, 0, -n), (-3 * n, 0, 0, n + 1), *CUBE[2:]]
    corners, edges = solid_of_rows(rows)
    assert len(edges) == 12
    point = inner_point(rows, [corner(*(rows[i] for i in three)) for three in corners])
    assert all(value(row, point) > 0 for row in rows)
    assert float(point[0]) != point[0]


def test_faults_are_errors() -> None:
    with pytest.raises(PLRegionsError, match="independent normals"):
        corner((1, 0, 0, 1), (0, 1, 0, 1), (1, 1, 0, 0))
    with pytest.raises(PLRegionsError, match="inside its bounding box"):
        solid_of_rows(CUBE[1:])
    with pytest.raises(PLRegionsError, match="convex polyhedron"):
        inner_point([(1, 0, 0, -1)], [(0, 0, 0, 1)])
