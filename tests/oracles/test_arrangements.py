"""The deletion-restriction count against the closed forms of the literature."""

from __future__ import annotations

from math import comb, factorial
from typing import Any

import pytest
from oracles import arrangements
from oracles.arrangements import (
    boolean,
    braid,
    deformed_braid,
    grid,
    moment,
    n_regions,
    n_relatively_bounded,
    resonance,
    threshold,
    type_b,
    type_d,
    zaslavsky,
)

KNOWN: list[tuple[str, Any, int]] = [
    *((f"braid {n}", braid(n), factorial(n)) for n in range(2, 6)),
    *((f"type B {n}", type_b(n), 2**n * factorial(n)) for n in range(2, 5)),
    *((f"type D {n}", type_d(n), 2 ** (n - 1) * factorial(n)) for n in range(2, 5)),
    *((f"boolean {n}", boolean(n), 2**n) for n in range(1, 6)),
    *((f"Shi {n}", deformed_braid(n, (0, 1)), (n + 1) ** (n - 1)) for n in range(2, 5)),
    *(
        (f"Catalan {n}", deformed_braid(n, (-1, 0, 1)), factorial(n) * comb(2 * n, n) // (n + 1))
        for n in range(2, 5)
    ),
    *((f"semiorder {n}", deformed_braid(n, (-1, 1)), r) for n, r in ((2, 3), (3, 19), (4, 183))),
    *((f"Linial {n}", deformed_braid(n, (1,)), r) for n, r in ((2, 2), (3, 7), (4, 36), (5, 246))),
    *((f"resonance {n}", resonance(n), r) for n, r in ((1, 2), (2, 6), (3, 32), (4, 370))),
    *((f"threshold {n}", threshold(n), r) for n, r in ((1, 4), (2, 14), (3, 104), (4, 1882))),
    *((f"moment {n} {d}", moment(n, d), zaslavsky(n, d)) for n, d in ((4, 2), (6, 3), (7, 4))),
    *((f"grid {n} {d}", grid(n, d), (n + 1) ** d) for n, d in ((3, 2), (2, 3))),
    ("the same line three times", [(1, 0, 0), (2, 0, 0), (-3, 0, 0)], 2),
    ("no hyperplane", [(0, 0, 5)], 1),
]


# Relatively bounded regions.
BOUNDED: list[tuple[str, Any, int]] = [
    *((f"Shi {n}", deformed_braid(n, (0, 1)), (n - 1) ** (n - 1)) for n in range(2, 6)),
    *(
        (f"Catalan {n}", deformed_braid(n, (-1, 0, 1)), factorial(n) * comb(2 * n - 2, n - 1) // n)
        for n in range(2, 6)
    ),
    *((f"semiorder {n}", deformed_braid(n, (-1, 1)), b) for n, b in ((2, 1), (3, 7), (4, 61))),
    *((f"Linial {n}", deformed_braid(n, (1,)), b) for n, b in ((2, 0), (3, 1), (4, 4), (5, 26))),
    *((f"moment {n} {d}", moment(n, d), comb(n - 1, d)) for n, d in ((4, 2), (6, 3), (7, 4))),
    *((f"grid {n} {d}", grid(n, d), (n - 1) ** d) for n, d in ((3, 2), (2, 3))),
    ("braid 4", braid(4), 0),
    ("no hyperplane", [(0, 0, 5)], 1),
]


@pytest.mark.parametrize(
    ("rows", "expected"), [k[1:] for k in BOUNDED], ids=[k[0] for k in BOUNDED]
)
def test_known_bounded(rows: Any, expected: int) -> None:
    assert n_relatively_bounded(rows) == expected


@pytest.mark.parametrize(("rows", "expected"), [k[1:] for k in KNOWN], ids=[k[0] for k in KNOWN])
def test_known(rows: Any, expected: int) -> None:
    assert n_regions(rows) == expected


def test_proportional_rows_kept_apart_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrangements, "_plane", tuple)
    arrangements._count.cache_clear()
    with pytest.raises(AssertionError):
        test_known([(1, 0, 0), (2, 0, 0), (-3, 0, 0)], 2)
    arrangements._count.cache_clear()
