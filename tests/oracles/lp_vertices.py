"""Linear programs by listing vertices: slow, in Fractions, without any pivoting rule."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Point = tuple[Fraction, ...]
Row = Sequence[int | Fraction]


def value(row: Row, point: Sequence[Fraction]) -> Fraction:
    """The affine function a.x + c of a row (a, c) at a point."""
    return sum((a * v for a, v in zip(row, point, strict=False)), Fraction(row[-1]))


def solve_square(matrix: Sequence[Row], right: Row) -> Point | None:
    """Gauss-Jordan elimination in Fractions; None for a singular matrix."""
    n = len(matrix)
    table = [
        [Fraction(v) for v in row] + [Fraction(c)] for row, c in zip(matrix, right, strict=True)
    ]
    for k in range(n):
        pivot = next((i for i in range(k, n) if table[i][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [v / table[k][k] for v in table[k]]
        for i in range(n):
            if i != k and table[i][k]:
                factor = table[i][k]
                table[i] = [v - factor * w for v, w in zip(table[i], table[k], strict=True)]
    return tuple(row[-1] for row in table)


def vertices(rows: Sequence[Row], d: int) -> set[Point]:
    """Every vertex of the polyhedron of the rows."""
    found = set()
    for chosen in combinations(rows, d):
        point = solve_square([row[:-1] for row in chosen], [-row[-1] for row in chosen])
        if point is not None and all(value(row, point) >= 0 for row in rows):
            found.add(point)
    return found


def best_value(objective: Row, rows: Sequence[Row], d: int) -> Fraction | None:
    """The maximum over a bounded polyhedron, None when it is empty."""
    return max((value(objective, point) for point in vertices(rows, d)), default=None)


def has_interior(rows: Sequence[Row], d: int) -> bool:
    """Whether a bounded polyhedron has a point where all rows are positive."""
    corners = vertices(rows, d)
    if not corners:
        return False
    centre = [sum(column) / len(corners) for column in zip(*corners, strict=True)]
    return all(value(row, centre) > 0 for row in rows)
