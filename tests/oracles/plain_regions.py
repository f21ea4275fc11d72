"""Regions and facets of small networks from the definitions, in Fractions, by listing vertices.

No linear program, no float, nothing of the package but the numbers of the network and the domain.
A cell has an interior iff the mean of its vertices is strictly inside; one of its rows carries a
facet iff the mean of the vertices on that row lies strictly inside all rows that are not
proportional to it; what flips is read off at a point just beyond that mean.
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


def plain_regions(net: Any, domain: Any) -> dict[str, list[Row]]:
    """The patterns with an interior in a box or polytope, and all rows of each, walls first."""
    return {bits: [*walls, *signed] for bits, walls, signed in _cells(net, domain)}


def plain_facets(net: Any, domain: Any) -> dict[str, list[PlainFacet]]:
    """The facets of each region of a box or polytope, in no particular order."""
    layers = plain_layers(net)
    return {bits: _facets(layers, walls, signed) for bits, walls, signed in _cells(net, domain)}


def plain_edges(facets: dict[str, list[PlainFacet]]) -> set[frozenset[str]]:
    """The pairs of regions that share a facet."""
    return {frozenset((a, f.beyond)) for a in facets for f in facets[a] if not f.on_boundary}


def _cells(net: Any, domain: Any) -> list[tuple[str, list[Row], list[Row]]]:
    """Cut the domain by one neuron after the other; rows are positive inside."""
    walls = [tuple(row) for row in domain.exact_rows()]
    d = len(walls[0]) - 1
    unit_rows = [tuple(Fraction(i == k) for i in range(d + 1)) for k in range(d)]
    cells: list[tuple[str, list[Row], list[Row]]] = [("", [], unit_rows)]
    for weight, bias, slopes in plain_layers(net):
        done = []
        for bits, signed, inputs in cells:
            rows = [_combined(w, b, inputs) for w, b in zip(weight, bias, strict=True)]
            parts: list[tuple[str, list[Row], list[Row]]] = [(bits, signed, [])]
            for row, (negative, positive) in zip(rows, slopes, strict=True):
                if negative == positive:
                    parts = [(b, s, [*o, _times(positive, row)]) for b, s, o in parts]
                    continue
                grown = []
                for b, s, o in parts:
                    for bit, side, slope in (("0", _times(-1, row), negative), ("1", row, positive)):
                        # A row that is 0 everywhere belongs to bit 0 and cuts nothing.
                        if (bit == "0" and not any(row)) or _has_interior([*walls, *s, side], d):
                            kept = [*s, side] if any(row) else s
                            grown.append((b + bit, kept, [*o, _times(slope, row)]))
                parts = grown
            done += parts
        cells = done
    return [(bits, walls, signed) for bits, signed, _ in cells]


def _facets(layers: Any, walls: list[Row], signed: list[Row]) -> list[PlainFacet]:
    rows = [_scaled(row) for row in [*walls, *signed] if any(row[:-1])]
    boundary = {_scaled(row) for row in walls}
    corners = vertices(rows, len(rows[0]) - 1)
    found = []
    for row in dict.fromkeys(rows):
        on = [corner for corner in corners if value(row, corner) == 0]
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


def _has_interior(rows: Sequence[Row], d: int) -> bool:
    if any(row[-1] <= 0 for row in rows if not any(row[:-1])):
        return False
    distinct = list(dict.fromkeys(_scaled(row) for row in rows if any(row[:-1])))
    corners = vertices(distinct, d)
    if len(corners) <= d:
        return False
    mean = tuple(sum(column) / len(corners) for column in zip(*corners, strict=True))
    return all(value(row, mean) > 0 for row in distinct)


def _combined(weights: Sequence[Fraction], constant: Fraction, inputs: list[Row]) -> Row:
    """One pre-activation as a row of the network's inputs."""
    total = [Fraction(0)] * (len(inputs[0]) - 1) + [constant]
    for factor, row in zip(weights, inputs, strict=True):
        total = [t + factor * r for t, r in zip(total, row, strict=True)]
    return tuple(total)


def _times(factor: Fraction | int, row: Row) -> Row:
    return tuple(factor * v for v in row)


def _scaled(row: Row) -> Row:
    """The same row up to a positive factor, so that rows with one zero set and side are equal."""
    lead = next(abs(v) for v in row if v)
    return tuple(v / lead for v in row)
