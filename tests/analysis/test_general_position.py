"""Closed forms against arrangements that are in general position."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest
from oracles.arrangements import moment, n_regions, n_relatively_bounded

from plregions.analysis import general_position
from plregions.analysis.general_position import (
    binomials,
    bounded_zaslavsky,
    central_zaslavsky,
    simple_faces,
    zaslavsky,
)
from plregions.errors import InvalidInputError


def test_published_values() -> None:
    for n, d, regions, bounded in (
        (3, 2, 7, 1), (4, 2, 11, 3), (5, 3, 26, 4), (6, 3, 42, 10), (7, 4, 99, 15),
    ):  # fmt: skip
        assert (zaslavsky(n, d), bounded_zaslavsky(n, d)) == (regions, bounded)
    assert [central_zaslavsky(n, d) for n, d in ((3, 2), (5, 3), (7, 4))] == [6, 22, 84]


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_against_deletion_and_restriction(d: int) -> None:
    for n in range(8):
        rows = moment(n, d)
        assert zaslavsky(n, d) == n_regions(rows)
        if n >= d:
            assert bounded_zaslavsky(n, d) == n_relatively_bounded(rows)
        central = [(*row[:-1], 0) for row in rows]
        assert central_zaslavsky(n, d) == n_regions(central)


def test_bounded_without_enough_hyperplanes() -> None:
    assert bounded_zaslavsky(0, 3) == 1
    assert [bounded_zaslavsky(n, 3) for n in (1, 2, 3, 4)] == [0, 0, 0, 1]


def test_faces_are_regions_of_flats() -> None:
    for n, d in ((5, 2), (5, 3), (4, 4), (2, 3)):
        for k in range(d + 1):
            flats = list(combinations(range(n), d - k))
            expected = len(flats) * zaslavsky(n - d + k, k) if flats else 0
            assert simple_faces(n, d, k) == expected
        euler = sum((-1) ** k * simple_faces(n, d, k) for k in range(d + 1))
        assert euler == (-1) ** d  # open faces of the whole space
        assert simple_faces(n, d, d) == zaslavsky(n, d)


def test_binomials() -> None:
    for n in range(9):
        assert list(binomials(n)) == [comb(n, j) for j in range(n + 1)]


def test_oracle_sees_a_wrong_binomial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general_position, "binomials", lambda n: iter([1] * (n + 1)))
    assert general_position.zaslavsky(5, 3) != n_regions(moment(5, 3))


@pytest.mark.parametrize("wrong", [-1, 1.0, "3", True, None])
def test_wrong_numbers(wrong: object) -> None:
    for call in (zaslavsky, bounded_zaslavsky, central_zaslavsky):
        with pytest.raises(InvalidInputError, match="whole number"):
            call(wrong, 2)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="whole number"):
            call(2, wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="d - k"):
        simple_faces(3, 2, 3)


def test_numbers_that_would_never_end() -> None:
    with pytest.raises(InvalidInputError, match="seconds"):
        zaslavsky(10**9, 10**9)
    assert zaslavsky(10**12, 1) == 10**12 + 1
