"""Regions and facets of small networks from the definitions, in Fractions, by listing vertices.

No linear program, no float, nothing of the package but the numbers of the network and the domain.
A cell is kept with its vertices and cut by one neuron after the other. It has an interior iff the
mean of its vertices is strictly inside; one of its rows carries a facet iff the mean of the
vertices on that row lies strictly inside all rows that are not proportional to it; what flips is
read off at a point just beyond that mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from oracles.lp_vertices import value, vertices
from oracles.plain_network import pattern, plain_layers, step_below_every_sign

Point = tuple[Fraction, ...]
Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class PlainFacet:
    """A facet: whether it lies on the domain's boundary, and the pattern beyond it if not."""

    on_boundary: bool
    beyond: str


@dataclass(frozen=True)
class PlainRegion:
    """A region: its vertices, and its rows: positive inside, up to factors, the walls first."""

    rows: tuple[Row, ...]
    corners: tuple[Point, ...]


def plain_regions(net: Any, domain: Any) -> dict[str, PlainRegion]:
    """The patterns with an interior in a box or polytope."""
    walls = tuple(_scaled(tuple(row)) for row in domain.exact_rows())
    d = len(walls[0]) - 1
    start = PlainRegion(walls, tuple(sorted(vertices(walls, d))))
    inputs = [tuple(Fraction(i == k) for i in range(d + 1)) for k in range(d)]
    cells: list[tuple[str, PlainRegion, list[Row]]] = [("", start, inputs)]
    for weight, bias, slopes in plain_layers(net):
        done = []
        for bits, cell, inputs in cells:
            rows = [_combined(w, b, inputs) for w, b in zip(weight, bias, strict=True)]
            parts: list[tuple[str, PlainRegion, list[Row]]] = [(bits, cell, [])]
            for row, (negative, positive) in zip(rows, slopes, strict=True):
                if negative == positive:
                    parts = [(b, c, [*o, _times(positive, row)]) for b, c, o in parts]
                else:
                    parts = [
                        (b + bit, half, [*o, _times(positive if bit == "1" else negative, row)])
                        for b, c, o in parts
                        for bit, half in _halves(c, row)
                    ]
            done += parts
        cells = done
    return {bits: cell for bits, cell, _ in cells}


def plain_facets(net: Any, domain: Any) -> dict[str, list[PlainFacet]]:
    """The facets of each region of a box or polytope, in no particular order."""
    layers = plain_layers(net)
    boundary = {_scaled(tuple(row)) for row in domain.exact_rows()}
    return {
        bits: _facets(layers, region, boundary)
        for bits, region in plain_regions(net, domain).items()
    }


def plain_edges(facets: dict[str, list[PlainFacet]]) -> set[frozenset[str]]:
    """The pairs of regions that share a facet."""
    return {frozenset((a, f.beyond)) for a in facets for f in facets[a] if not f.on_boundary}


def _halves(cell: PlainRegion, row: Row) -> list[tuple[str, PlainRegion]]:
    """The parts of a cell with an interior where the row is not positive ("0") and positive."""
    if not any(row):
        return [("0", cell)]
    row = _scaled(row)
    values = [value(row, corner) for corner in cell.corners]
    if min(values) >= 0:
        return [("1", cell)]
    if max(values) <= 0:
        return [("0", cell)]
    return [
        ("0", _half(cell, _times(-1, row), [-v for v in values])),
        ("1", _half(cell, row, values)),
    ]


def _half(cell: PlainRegion, row: Row, values: list[Fraction]) -> PlainRegion:
    rows = (*cell.rows, row)
    points = {p for p, v in zip(cell.corners, values, strict=True) if v >= 0}
    for p, u in zip(cell.corners, values, strict=True):
        for q, v in zip(cell.corners, values, strict=True):
            if u > 0 > v:
                t = u / (u - v)
                points.add(tuple(a + t * (b - a) for a, b in zip(p, q, strict=True)))
    return PlainRegion(rows, tuple(sorted(p for p in points if _is_vertex(p, rows))))


def _is_vertex(point: Point, rows: Sequence[Row]) -> bool:
    tight = {row[:-1] for row in rows if value(row, point) == 0}
    return rank([list(row) for row in tight]) == len(point)


def rank(matrix: list[list[Fraction]]) -> int:
    """The rank of a matrix, by elimination; its rows change."""
    found = 0
    for k in range(len(matrix[0]) if matrix else 0):
        lead = next((i for i in range(found, len(matrix)) if matrix[i][k]), None)
        if lead is None:
            continue
        matrix[found], matrix[lead] = matrix[lead], matrix[found]
        for i in range(found + 1, len(matrix)):
            factor = matrix[i][k] / matrix[found][k]
            if factor:
                matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[found], strict=True)]
        found += 1
    return found


def _facets(layers: Any, region: PlainRegion, boundary: set[Row]) -> list[PlainFacet]:
    rows = [row for row in dict.fromkeys(region.rows) if any(row[:-1])]
    found = []
    for row in rows:
        on = [corner for corner in region.corners if value(row, corner) == 0]
        if not on:
            continue
        mean = tuple(sum(column) / len(on) for column in zip(*on, strict=True))
        if any(value(other, mean) <= 0 for other in rows if other != row):
            continue
        beyond = ""
        if row not in boundary:
            step = step_below_every_sign(layers, mean) / max(abs(a) for a in row[:-1])
            outside = [v - step * a for v, a in zip(mean, row, strict=False)]
            beyond = pattern(layers, outside)
        found.append(PlainFacet(row in boundary, beyond))
    return found


def _combined(weights: Sequence[Fraction], constant: Fraction, inputs: list[Row]) -> Row:
    """One pre-activation as a row of the network's inputs."""
    total = [Fraction(0)] * (len(inputs[0]) - 1) + [constant]
    for factor, row in zip(weights, inputs, strict=True):
        if factor:
            total = [t + factor * r for t, r in zip(total, row, strict=True)]
    return tuple(total)


def _times(factor: Fraction | int, row: Row) -> Row:
    return tuple(factor * v for v in row)


def _scaled(row: Row) -> Row:
    """The same row up to a positive factor, so that rows with one zero set and side are equal."""
    lead = next(abs(v) for v in row if v)
    return tuple(v / lead for v in row)
