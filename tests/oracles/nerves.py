"""Betti numbers of a union of convex pieces without any face: by the nerve of the pieces.

The pieces are the closed cells of `plain_regions`, cut by inequalities between outputs. They meet
in common faces, so that some of them have a point in common iff they have a vertex in common; by
the nerve theorem the union has the homology of the complex of all such families of pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, compress, count
from typing import Any

from oracles.lp_vertices import value, vertices
from oracles.plain_regions import plain_regions

Row = tuple[Fraction, ...]
Piece = tuple[Row, ...]


def pieces_of(net: Any, domain: Any, of: str, **options: Any) -> list[Piece]:
    """The convex pieces of the set that `betti_numbers` is asked for, as rows not negative."""
    found = []
    for bits, cell in plain_regions(net, domain).items():
        weight, bias = net.affine_map(bits, exact=True)
        outputs = [(*w, b) for w, b in zip(weight.tolist(), bias.tolist(), strict=True)]
        for rows in _conditions(outputs, of, **options):
            found.append((*cell.rows, *rows))
    return found


def _conditions(
    outputs: Sequence[Row],
    of: str,
    *,
    level: Fraction | int = 0,
    output: int | None = None,
    label: int | None = None,
) -> list[list[Row]]:
    """Lists of rows; where all rows of one of them are not negative is the set."""
    if label is not None:
        return [[_minus(outputs[label], other) for other in outputs]]
    if output is None and len(outputs) > 1:
        return [
            [_minus(outputs[i], outputs[j]), *(_minus(outputs[j], other) for other in outputs)]
            + [_minus(outputs[j], outputs[i])]
            for i, j in combinations(range(len(outputs)), 2)
        ]
    f = outputs[output or 0]
    above = (*f[:-1], f[-1] - level)
    below = tuple(-v for v in above)
    return [{"boundary": [above, below], "sublevel": [below], "superlevel": [above]}[of]]


def nerve_betti(pieces: Sequence[Piece], d: int) -> tuple[int, ...]:
    """b_0 to b_{d-1} of the union of the pieces."""
    corners = sorted({corner for piece in pieces for corner in _corners(piece, d)})
    holds = [[all(value(row, x) >= 0 for row in piece) for piece in pieces] for x in corners]
    # The pieces at each point, or the points of each piece: either complex will do (Dowker).
    sides = [
        {frozenset(compress(count(), line)) for line in t}
        for t in (holds, zip(*holds, strict=True))
    ]
    return simplicial_betti(min(sides, key=lambda side: max(map(len, side), default=0)), d)


def simplicial_betti(families: Iterable[frozenset[int]], d: int) -> tuple[int, ...]:
    """b_0 to b_{d-1} over GF(2) of the complex of all parts of some families."""
    simplices = [
        sorted({part for family in families for part in combinations(sorted(family), k + 1)})
        for k in range(d + 1)
    ]
    ranks = [0]
    for low, high in zip(simplices, simplices[1:], strict=False):
        place = {part: i for i, part in enumerate(low)}
        ranks.append(
            rank(
                [
                    sum(1 << place[part[:i] + part[i + 1 :]] for i in range(len(part)))
                    for part in high
                ]
            )
        )
    return tuple(len(simplices[k]) - ranks[k] - ranks[k + 1] for k in range(d))


def rank(rows: Iterable[int]) -> int:
    """Gauss's elimination over GF(2); a row is a number, its bits the entries."""
    found: dict[int, int] = {}
    for row in rows:
        while row:
            lowest = row & -row
            if lowest not in found:
                found[lowest] = row
                break
            row ^= found[lowest]
    return len(found)


def _minus(a: Row, b: Row) -> Row:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _corners(piece: Piece, d: int) -> set[Any]:
    return vertices(tuple(row for row in dict.fromkeys(piece) if any(row)), d)
