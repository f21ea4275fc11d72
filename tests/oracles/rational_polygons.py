"""Exact regions and edges of a ReLU network on a rectangle, by cutting polygons in rationals.

Slow and plain on purpose, and sharing no code with the package: one Fraction at a time, no linear
program, no float.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

Point = tuple[Fraction, Fraction]
Row = tuple[Fraction, ...]  # (a, b, c) stands for a x + b y + c
Layers = Sequence[tuple[Any, Any]]  # (weight, bias); ReLU after every layer but the last


def polygons(layers: Layers, lower: Sequence[Any], upper: Sequence[Any]) -> dict[str, list[Point]]:
    """The regions with an interior: pattern -> corners in order."""
    (x0, y0), (x1, y1) = (map(Fraction, corner) for corner in (lower, upper))
    identity = [_row(1, 0, 0), _row(0, 1, 0)]
    cells = [("", [(x0, y0), (x1, y0), (x1, y1), (x0, y1)], identity)]
    for weight, bias in layers[:-1]:
        done = []
        for pattern, corners, inputs in cells:
            rows = _rows(_fractions(weight), _fractions(bias), inputs)
            for bits, part in _cut(corners, rows):
                outputs = [
                    row if bit == "1" else _row(0, 0, 0)
                    for bit, row in zip(bits, rows, strict=True)
                ]
                done.append((pattern + bits, part, outputs))
        cells = done
    return {pattern: corners for pattern, corners, _ in cells}


def neighbours(cells: dict[str, list[Point]]) -> set[frozenset[str]]:
    """The pairs of regions that share a segment of positive length."""
    sides: dict[Row, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for pattern, corners in cells.items():
        for (x0, y0), (x1, y1) in pairwise([*corners, corners[0]]):
            # The line through the side, scaled so that both of its sides give the same key;
            # corners run counter-clockwise, so the direction tells on which side the cell lies.
            dx, dy = x1 - x0, y1 - y0
            scale = dx if dx else dy
            line = (dx / scale, dy / scale, (dx * y0 - dy * x0) / scale)
            ends = sorted((x, y) for x, y in ((x0, y0), (x1, y1)))
            sides[line][scale > 0].append((ends[0], ends[1], pattern))
    pairs = set()
    for left, right in sides.values():
        for start, end, pattern in left:
            for other_start, other_end, other in right:
                if max(start, other_start) < min(end, other_end):
                    pairs.add(frozenset((pattern, other)))
    return pairs


def _row(*entries: int) -> Row:
    return tuple(map(Fraction, entries))


def _fractions(array: Any) -> list[Any]:
    return [
        [Fraction(x) for x in row] if isinstance(row, list) else Fraction(row)
        for row in np.asarray(array).tolist()
    ]


def _rows(weight: list[list[Fraction]], bias: list[Fraction], inputs: list[Row]) -> list[Row]:
    """The pre-activations as rows, from the rows of the layer's inputs."""
    rows = []
    for weights, constant in zip(weight, bias, strict=True):
        total = [Fraction(0), Fraction(0), constant]
        for factor, row in zip(weights, inputs, strict=True):
            total = [t + factor * r for t, r in zip(total, row, strict=True)]
        rows.append(tuple(total))
    return rows


def _cut(corners: list[Point], rows: list[Row]) -> list[tuple[str, list[Point]]]:
    """Cut one convex polygon by all rows of a layer: (bits, corners) of each part."""
    parts = [("", corners)]
    for a, b, c in rows:
        cut = []
        for bits, part in parts:
            values = [a * x + b * y + c for x, y in part]
            if max(values) > 0:
                cut.append((bits + "1", _positive_side(part, values)))
            if min(values) < 0 or max(values) <= 0:
                cut.append((bits + "0", _positive_side(part, [-value for value in values])))
        parts = cut
    return parts


def _positive_side(corners: list[Point], values: list[Fraction]) -> list[Point]:
    """The part of a polygon where an affine function with these values at its corners is >= 0."""
    kept = []
    ring = list(zip(corners, values, strict=True))
    for (p, u), (q, v) in pairwise([*ring, ring[0]]):
        if u >= 0:
            kept.append(p)
        if u * v < 0:
            t = u / (u - v)
            kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept
