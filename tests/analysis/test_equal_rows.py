"""Equal, opposite and proportional rows against a comparison of all pairs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, product

import pytest
from oracles.plain_network import plain_layers
from oracles.random_cases import case
from oracles.row_pairs import Pairs, pairs_by_factor

from plregions.analysis import equal_rows as module
from plregions.analysis.equal_rows import EqualRows, equal_rows
from plregions.network import Layer, Network


def rows_of(layer: Layer) -> list[list[Fraction]]:
    ((weight, bias, _),) = plain_layers(Network([layer]))
    return [[*row, b] for row, b in zip(weight, bias, strict=True)]


def inside(groups: Iterable[Iterable[int]]) -> Pairs:
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


def check(layer: Layer) -> EqualRows:
    found = equal_rows(layer)
    rows = rows_of(layer)
    expected = pairs_by_factor(rows)
    across = {frozenset(pair) for a, b in found.opposite for pair in product(a, b)}
    assert inside(found.duplicate) == expected["1"]
    assert across == expected["-1"]
    assert expected["other"] <= inside(found.proportional)
    assert inside(found.proportional) <= expected["1"] | expected["-1"] | expected["other"]
    assert found.zero == tuple(u for u, row in enumerate(rows) if not any(row))
    assert found.constant == tuple(u for u, row in enumerate(rows) if row[-1] and not any(row[:-1]))
    return found


@pytest.mark.parametrize("seed", range(1, 60, 2))
def test_degenerate_layers(seed: int) -> None:
    for layer in case(seed).net.layers:
        check(layer)


def test_planted_rows() -> None:
    third = Fraction(1, 3)
    rows = [[1, 2, 0], [third, 2 * third, 0], [1, 2, 0], [-1, -2, 0], [0, 0, 0], [0, 0, 5]]
    rows += [[0, 0, -5], [0, 0, 1], [1, 2, 1e-300], [2, 4, 0], [7, 1, 1], [-7, -1, -1]]
    found = check(Layer([row[:2] for row in rows], [row[2] for row in rows]))
    assert found.duplicate == ((0, 2),)
    assert found.opposite == (((0, 2), (3,)), ((5,), (6,)), ((10,), (11,)))
    assert found.proportional == ((0, 1, 2, 3, 9), (5, 6, 7))
    assert (found.zero, found.constant) == ((4,), (5, 6, 7))


def test_rows_that_floats_cannot_tell_apart() -> None:
    tiny = Fraction(1, 10**40)
    found = check(Layer([[1, 1], [1, 1 + tiny], [2, 2 + 2 * tiny]], [0, 0, 0]))
    assert (found.duplicate, found.proportional) == ((), ((1, 2),))


def test_oracle_sees_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the factors every proportional row would count as equal."""

    def without_content(row: list[int]) -> tuple[int, list[int]]:
        return 1, right(row)[1]

    right = module.split_content
    monkeypatch.setattr(module, "split_content", without_content)
    with pytest.raises(AssertionError):
        check(Layer([[1, 2], [2, 4]], [0, 0]))
