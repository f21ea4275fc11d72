from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lp_vertices import has_interior, value, vertices

from plregions.exact import polyhedron
from plregions.exact.lp import LPResult, maximise, verify_empty
from plregions.exact.polyhedron import Polyhedron, examine

F = Fraction


@st.composite
def systems(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    d = draw(st.integers(1, 3))
    row = st.lists(st.integers(-2, 2), min_size=d + 1, max_size=d + 1)
    rows = draw(st.lists(row, max_size=5))
    if draw(st.booleans()):
        for k in range(d):
            rows += [[s * (j == k) for j in range(d)] + [1] for s in (1, -1)]
    return rows, d


def faults_of(rows: list[list[Any]], d: int, found: Polyhedron) -> list[str]:
    faults = []
    if found.kind == "solid":
        assert found.lower is not None and found.upper is not None
        corners = vertices(rows, d)
        if list(found.lower) != [min(c) for c in zip(*corners, strict=True)]:
            faults.append("lower")
        if list(found.upper) != [max(c) for c in zip(*corners, strict=True)]:
            faults.append("upper")
        if not has_interior(rows, d):
            faults.append("solid")
    if found.inside is not None and any(value(r, found.inside) <= 0 for r in rows):
        faults.append("inside")
    if found.ray is not None and (
        not any(found.ray) or any(value([*r[:-1], 0], found.ray) < 0 for r in rows)
    ):
        faults.append("ray")
    if found.kind in ("empty", "flat"):
        if not verify_empty(rows, found.multipliers, closed=found.kind == "empty"):
            faults.append("multipliers")
    return faults


@given(systems())
def test_every_kind_carries_its_proof(system: tuple[list[list[int]], int]) -> None:
    rows, d = system
    found = examine(rows, d)
    assert faults_of(rows, d, found) == []
    if found.kind == "flat":
        assert maximise([0] * (d + 1), rows).status == "optimal"
        assert found.multipliers is not None
        for y, row in zip(found.multipliers, rows, strict=True):
            if y:  # forced to equality
                assert maximise(row, rows).value == 0


def test_kinds() -> None:
    square = [[1, 0, 0], [-1, 0, 1], [0, 1, 0], [0, -1, 1]]
    assert examine(square, 2).kind == "solid"
    assert examine(square[:3], 2).kind == "unbounded"
    assert examine([*square, [1, 0, -1]], 2).kind == "flat"
    assert examine([*square, [1, 0, -2]], 2).kind == "empty"
    assert examine([], 2).kind == "unbounded"
    gap = F(1, 10**300)
    assert examine([*square, [1, 0, -1 + gap]], 2).lower == (1 - gap, 0)
    assert examine([*square, [1, 0, -1 - gap]], 2).kind == "empty"


def test_oracle_catches_a_lost_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the linear programs do not see the last row."""
    rows = [[1, 0, 0], [-1, 0, 1], [0, 1, 0], [0, -1, 1], [-1, -1, 1]]
    rows.append([-2, 0, 1])
    assert faults_of(rows, 2, examine(rows, 2)) == []

    def short_sighted(objective: Any, given: Any, **options: Any) -> LPResult:
        return maximise(objective, given[:-1], **options)

    monkeypatch.setattr(polyhedron, "maximise", short_sighted)
    assert faults_of(rows, 2, examine(rows, 2)) == ["upper"]
