"""The polygon oracle itself, against counts known by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from oracles import rational_polygons
from oracles.rational_polygons import neighbours, polygons

OUT = ([[1]], [0])
# hidden layers, lower, upper, regions, edges
KNOWN = {
    "no line": ([([[1, 0]], [-5])], 0, 1, 1, 0),
    "three lines through one point": ([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])], -1, 1, 6, 6),
    "three lines in general position": ([([[1, 0], [0, 1], [1, 1]], [0, 0, -0.5])], -1, 1, 7, 9),
    "the same line twice": ([([[1, 0], [1, 0]], [0, 0])], -1, 1, 2, 1),
    "opposite rows": ([([[1, 0], [-1, 0]], [0, 0])], -1, 1, 2, 1),
    "lines 1e-9 apart": ([([[1, 0], [1, 0]], [0, 1e-9])], -1, 1, 3, 2),
    "zero rows": ([([[0, 0], [0, 0], [0, 0], [1, 0]], [-1, 0, 1, 0])], -1, 1, 2, 1),
    "a line along the side": ([([[1, 0]], [-1])], 0, 1, 1, 0),
    "a line through a corner": ([([[1, 1]], [-2])], 0, 1, 1, 0),
    "a dead layer": ([([[1, 0], [0, 1]], [-9, -9]), ([[1, 1]], [0])], -1, 1, 1, 0),
    "sides that meet in part": ([([[1, 0]], [0]), ([[1], [1]], [0, -0.5])], -1, 1, 3, 2),
}


def area(corners: list[Any]) -> Fraction:
    ring = [*corners, corners[0]]
    return sum((a[0] * b[1] - a[1] * b[0] for a, b in pairwise(ring)), Fraction(0)) / 2


@pytest.mark.parametrize("name", KNOWN)
def test_known_counts(name: str) -> None:
    hidden, low, high, n_regions, n_edges = KNOWN[name]
    cells = polygons([*hidden, OUT], [low, low], [high, high])
    assert (len(cells), len(neighbours(cells))) == (n_regions, n_edges)
    assert sum(map(area, cells.values())) == (high - low) ** 2
    assert min(map(area, cells.values())) > 0


def test_a_zero_taken_for_a_side_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = rational_polygons._cut

    def careless(corners: Any, rows: Any) -> Any:
        parts = cut(corners, rows)
        return parts + [(bits.replace("0", "1", 1), part) for bits, part in parts if "0" in bits]

    monkeypatch.setattr(rational_polygons, "_cut", careless)
    with pytest.raises(AssertionError):
        test_known_counts("a line through a corner")
