"""Hyperplane arrangements: their rows, and how many regions they have, without any geometry.

Regions are counted by deletion and restriction on primitive integer rows (Zaslavsky 1975): the
arrangement without one hyperplane, plus what the others cut that hyperplane into.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, product

Row = tuple[int, ...]


def n_regions(rows: Iterable[Sequence[int]]) -> int:
    """Regions over the whole space of the hyperplanes a.x + c = 0 given as rows (a, c)."""
    kept = {plane for plane in map(_plane, rows) if any(plane[:-1])}
    return _count(frozenset(kept))


@cache
def _count(planes: frozenset[Row]) -> int:
    if not planes:
        return 1
    others, restricted = _without_and_on_the_last(planes)
    return _count(others) + _count(restricted)


def n_relatively_bounded(rows: Iterable[Sequence[int]]) -> int:
    """Regions that are bounded but for the lines that all regions share (Zaslavsky 1975)."""
    kept = {plane for plane in map(_plane, rows) if any(plane[:-1])}
    if not kept:
        return 1
    d = len(next(iter(kept))) - 1
    # The lowest power of t is the dimension of these lines: dividing by it changes no value at 1.
    return abs(sum(_characteristic(frozenset(kept), d)))


@cache
def _characteristic(planes: frozenset[Row], d: int) -> tuple[int, ...]:
    """Coefficients of the characteristic polynomial, that of t^0 first."""
    if not planes:
        return (0,) * d + (1,)
    others, restricted = _without_and_on_the_last(planes)
    without, on_it = _characteristic(others, d), _characteristic(restricted, d - 1)
    return tuple(a - b for a, b in zip(without, (*on_it, 0), strict=True))


def _without_and_on_the_last(planes: frozenset[Row]) -> tuple[frozenset[Row], frozenset[Row]]:
    """All hyperplanes but one, and what they are on that one."""
    last = max(planes)
    others = planes - {last}
    k = next(i for i, a in enumerate(last) if a)  # x_k is eliminated
    cuts = [[a * last[k] - b * row[k] for a, b in zip(row, last, strict=True)] for row in others]
    on_it = [cut[:k] + cut[k + 1 :] for cut in cuts]
    return others, frozenset(_plane(cut) for cut in on_it if any(cut[:-1]))


def _plane(row: Sequence[int]) -> Row:
    """One row for all multiples of a hyperplane's row."""
    divisor = math.gcd(*row) or 1
    lead = next((a for a in row if a), 1)
    sign = 1 if lead > 0 else -1
    return tuple(sign * a // divisor for a in row)


def _difference(n: int, i: int, j: int, constant: int, sign: int = -1) -> Row:
    """x_i + sign x_j + constant."""
    row = [0] * (n + 1)
    row[i], row[j], row[n] = 1, sign, constant
    return tuple(row)


def braid(n: int) -> list[Row]:
    """x_i = x_j: n! regions."""
    return [_difference(n, i, j, 0) for i, j in combinations(range(n), 2)]


def type_d(n: int) -> list[Row]:
    """x_i = +-x_j: 2^(n-1) n! regions."""
    pairs = combinations(range(n), 2)
    return [_difference(n, i, j, 0, sign) for i, j in pairs for sign in (-1, 1)]


def type_b(n: int) -> list[Row]:
    """x_i = +-x_j and x_i = 0: 2^n n! regions."""
    return [*type_d(n), *boolean(n)]


def boolean(n: int) -> list[Row]:
    """x_i = 0: 2^n regions."""
    return [tuple(int(i == k) for i in range(n)) + (0,) for k in range(n)]


def deformed_braid(n: int, constants: Sequence[int]) -> list[Row]:
    """x_i - x_j = each constant, for i < j: Shi (0, 1), Catalan (-1, 0, 1), semiorder, Linial."""
    pairs = combinations(range(n), 2)
    return [_difference(n, i, j, -constant) for i, j in pairs for constant in constants]


def resonance(n: int) -> list[Row]:
    """All nonzero 0/1 normals, through 0."""
    return [(*normal, 0) for normal in product((0, 1), repeat=n) if any(normal)]


def threshold(n: int) -> list[Row]:
    """All +-1 normals of n inputs and a bias, through 0."""
    return [(*normal, 1, 0) for normal in product((-1, 1), repeat=n)]


def moment(n: int, d: int) -> list[Row]:
    """n hyperplanes in R^d in general position, normals on the moment curve."""
    return [tuple((k + 1) ** j for j in range(d)) + ((k + 1) ** d,) for k in range(n)]


def grid(n: int, d: int) -> list[Row]:
    """n hyperplanes across each of d axes, at 1, ..., n."""
    return [tuple(int(i == k) for i in range(d)) + (-c,) for k in range(d) for c in range(1, n + 1)]


def zaslavsky(n: int, d: int) -> int:
    """Regions of n hyperplanes in general position in R^d."""
    return sum(math.comb(n, i) for i in range(d + 1))
