"""The vertex oracle itself: hand counts, the polygon oracle, and a planted fault."""

from __future__ import annotations

from typing import Any

import pytest
from oracles import plain_regions as module
from oracles.plain_regions import plain_edges, plain_facets, plain_regions
from oracles.rational_polygons import neighbours, polygons

from plregions.domain import Box, Polytope
from plregions.network import Network

SQUARE = Box([-1, -1], [1, 1])
# hidden layers, domain, regions, edges
KNOWN: dict[str, Any] = {
    "an interval": ([([[1], [1]], [0, -0.5])], Box([-1], [1]), 3, 2),
    "three lines through one point": ([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])], SQUARE, 6, 6),
    "opposite rows": ([([[1, 0], [-1, 0]], [0, 0])], SQUARE, 2, 1),
    "zero rows": ([([[0, 0], [0, 0], [1, 0]], [-1, 0, 0])], SQUARE, 2, 1),
    "a deep neuron": ([([[1, 0]], [0]), ([[1], [1]], [0, -0.5])], SQUARE, 3, 2),
    "octants": ([([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])], Box([-1] * 3, [1] * 3), 8, 12),
    "a triangle": ([([[1, -1]], [0])], Polytope([[-1, 0], [0, -1], [1, 1]], [0, 0, 1]), 2, 1),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_counts(name: str) -> None:
    hidden, domain, n_regions, n_edges = KNOWN[name]
    net = Network([*hidden, ([[1] * len(hidden[-1][0])], [0])])
    assert len(plain_regions(net, domain)) == n_regions
    assert len(plain_edges(plain_facets(net, domain))) == n_edges


def test_agrees_with_polygons() -> None:
    layers = [([[1, -2], [2, 1], [1, 1]], [0, 1, -1]), ([[1, 1, -2], [1, -1, 0]], [0, 0])]
    layers.append(([[1, 1]], [0]))
    cells = polygons(layers, [-1, -1], [1, 1])
    facets = plain_facets(Network(layers), SQUARE)
    assert set(facets) == set(cells)
    assert plain_edges(facets) == neighbours(cells)


def test_a_zero_taken_for_a_side_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    halves = module._halves

    def careless(cell: Any, row: Any) -> Any:
        zero_at_a_corner = any(module.value(row, corner) == 0 for corner in cell.corners)
        return [("0", cell), ("1", cell)] if zero_at_a_corner else halves(cell, row)

    monkeypatch.setattr(module, "_halves", careless)
    with pytest.raises(AssertionError):
        test_known_counts("opposite rows")
