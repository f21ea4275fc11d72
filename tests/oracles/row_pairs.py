"""Which pairs of rows are multiples of each other? By comparing all pairs in Fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Pairs = set[frozenset[int]]


def factor_of(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction | None:
    """The factor f with b = f a, or None; for rows that are not zero."""
    k = next(i for i, v in enumerate(a) if v)
    f = b[k] / a[k]
    return f if f and all(f * v == w for v, w in zip(a, b, strict=True)) else None


def pairs_by_factor(rows: Sequence[Sequence[Fraction]]) -> dict[str, Pairs]:
    """Pairs of rows, none zero, by what the factor between them is: 1, -1 or another."""
    found: dict[str, Pairs] = {"1": set(), "-1": set(), "other": set()}
    for i, j in combinations(range(len(rows)), 2):
        if any(rows[i]) and any(rows[j]):
            f = factor_of(rows[i], rows[j])
            if f is not None:
                found[str(f) if abs(f) == 1 else "other"].add(frozenset((i, j)))
    return found
