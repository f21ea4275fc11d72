"""Extreme rays against every choice of rows, and the sizes of known polytopes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lp_vertices import vertices

import plregions as plr
from plregions.exact import cone
from plregions.exact.cone import IntVector, extreme_rays

small = st.integers(-2, 2)


def box(d: int) -> list[IntVector]:
    rows = []
    for k in range(d):
        for sign in (1, -1):
            rows.append((*[0] * k, sign, *[0] * (d - k - 1), 2))
    return rows


def agrees(rows: list[IntVector], d: int) -> bool:
    """Whether the rays are the vertices of the bounded polytope, with all rows that are tight."""
    found = {
        tuple(Fraction(v, ray[-1]) for v in ray[:-1]): tight
        for ray, tight in extreme_rays(rows) or []
    }
    wanted = {
        point: sum(
            1 << i
            for i, row in enumerate(rows)
            if not sum((a * v for a, v in zip(row, point, strict=False)), Fraction(row[-1]))
        )
        for point in vertices(rows, d)
    }
    return found == wanted


@given(st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[small] * (d + 1)), max_size=5)))
def test_rays_are_the_vertices_of_a_cut_box(extra: list[IntVector]) -> None:
    """The box's own rows come last, so intermediate cones are unbounded and contain lines."""
    d = len(extra[0]) - 1 if extra else 2
    # Strict at 0, so that the polytope has an interior and every row means a half-space.
    rows = [row for row in extra if row[-1] > 0]
    assert agrees([*rows, *box(d)], d)


def test_known_polytopes() -> None:
    for d in range(1, 7):
        rays = extreme_rays(box(d))
        assert rays is not None and len(rays) == 2**d
        assert all(tight.bit_count() == d for _, tight in rays)
    # The cross polytope of dimension 4: 8 vertices, 8 facets in each.
    signs = [[1 - 2 * (i >> k & 1) for k in range(4)] for i in range(16)]
    rays = extreme_rays([(*sign, 1) for sign in signs])
    assert rays is not None and sorted(t.bit_count() for _, t in rays) == [8] * 8


def test_lines_and_refusals() -> None:
    assert extreme_rays([(1, 0, 0), (0, 1, 0), (1, 1, 0)]) is None
    with pytest.raises(plr.InvalidInputError, match="needs one row"):
        extreme_rays([])


def test_no_rays_are_left_of_a_cone_without_interior() -> None:
    rows = [(1, 0), (-1, 0), (0, 1)]
    assert extreme_rays(rows) == [((0, 1), 3)]


def test_a_planted_edge_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opposite corners of a square share four facets of the sum of two cones over squares."""
    square = [(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)]
    rows = [*[(*row, 0, 0, 0) for row in square], *[(0, 0, 0, *row) for row in square]]
    uncut = extreme_rays(rows)
    assert uncut is not None and len(uncut) == 8
    rows.append((1, 1, 0, 0, 0, 0))
    cut = extreme_rays(rows)
    assert cut is not None and len(cut) == 7
    # Planted: any two rays that share enough rows span an edge.
    monkeypatch.setattr(cone, "_spans_edge", lambda common, rays: True)
    assert len(extreme_rays(rows) or []) > 7
