"""Hyperplanes through flats, against ranks of all pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from plregions.analysis.common_hyperplanes import (
    common_hyperplane,
    common_hyperplanes,
    holds_flat,
)
from plregions.analysis.kinks import Hyperplane
from plregions.analysis.unbalanced_ridges import Flat, flat_through
from plregions.exact.linear import rank

MODULE = "plregions.analysis.common_hyperplanes"


def random_flats(seed: int, dim: int, n: int) -> list[Flat]:
    """Different flats through few points, so that many share a hyperplane."""
    rng = np.random.default_rng(seed)
    found: set[Flat] = set()
    while len(found) < n:
        points = [(*row, 1) for row in rng.integers(-1, 2, (dim - 1, dim)).tolist()]
        if rank(points) == dim - 1:
            found.add(flat_through(points))
    return sorted(found)


def expected(flats: list[Flat]) -> set[tuple[Hyperplane, tuple[int, ...]]]:
    """For each pair of rank 3 the hyperplane, and all flats that add nothing to it."""
    found = set()
    for i, j in combinations(range(len(flats)), 2):
        row = common_hyperplane(flats[i], flats[j])
        if rank([*flats[i], *flats[j]]) == 4:
            assert row is None
            continue
        assert row is not None
        assert rank([*flats[i], row]) == rank([*flats[j], row]) == 2
        assert next(v for v in row[:-1] if v) == 1
        found.add((row, tuple(k for k, f in enumerate(flats) if rank([*f, row]) == 2)))
    return found


def wrong(flats: list[Flat]) -> bool:
    found = common_hyperplanes(flats)
    pairs = {(h.row, h.members) for h in found}
    return len(pairs) < len(found) or pairs != expected(flats)


@pytest.mark.parametrize(("dim", "n"), [(2, 9), (3, 30), (3, 60), (4, 40), (5, 30)], ids=str)
def test_all_hyperplanes_are_found(dim: int, n: int) -> None:
    assert not any(wrong(random_flats(seed, dim, n)) for seed in range(3))


def test_parallel_flats_share_a_hyperplane() -> None:
    lines = [flat_through([(0, 0, z, 1), (1, 1, z, 1)]) for z in range(3)]
    assert common_hyperplane(lines[0], lines[1]) == (1, -1, 0, 0)
    (found,) = common_hyperplanes(lines)
    assert (found.row, found.members) == ((1, -1, 0, 0), (0, 1, 2))
    other = flat_through([(0, 0, 5, 1), (1, -1, 5, 1)])
    assert common_hyperplane(lines[0], other) is None


def test_few_flats() -> None:
    assert common_hyperplanes([]) == []
    assert common_hyperplanes(random_flats(0, 3, 1)) == []


def test_large_numbers_are_no_obstacle() -> None:
    big = Fraction(2**80 + 1, 3**50)
    flats = [((1, 0, -big * k), (0, 1, -big * k * k)) for k in range(4)]
    exact = [tuple(tuple(map(Fraction, row)) for row in flat) for flat in flats]
    assert not wrong(exact)  # type: ignore[arg-type]
    assert len(common_hyperplanes(exact)) == 6  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("holds_flat", lambda row, flat: False),
        ("holds_flat", lambda row, flat: True),
        ("common_hyperplane", lambda first, second: None),
        ("_PRIME", 2),  # all residues of few flats: exact decisions must not lean on them
    ],
)
def test_planted_faults(name: str, fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "_PRIME":
        monkeypatch.setattr(f"{MODULE}._PRIME", fault)
        assert not wrong(random_flats(1, 3, 30))
        monkeypatch.setattr(f"{MODULE}._Residues.held", lambda self, row, numbers: [])
    elif name == "holds_flat":
        monkeypatch.setattr(f"{MODULE}._Residues.held", lambda self, row, numbers: numbers)
        monkeypatch.setattr(f"{MODULE}.holds_flat", fault)
    else:
        monkeypatch.setattr(f"{MODULE}.common_hyperplane", fault)
    assert wrong(random_flats(1, 3, 30))


def test_holds_flat() -> None:
    line = flat_through([(0, 0, 0, 1), (1, 2, 3, 1)])
    assert holds_flat((2, -1, 0, 0), line)
    assert not holds_flat((2, -1, 0, 1), line)
    assert not holds_flat((0, 0, 0, 1), line)
