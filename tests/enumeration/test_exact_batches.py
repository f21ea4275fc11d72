"""What floats leave open on a cell is asked of the exact rung at once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.plain_regions import plain_regions

import plregions as plr
from plregions.feasibility import exact_rung
from plregions.feasibility.exact_rung import ExactRung, Sides

THIRD = Fraction(1, 3)
SLOPES = [(Fraction(k, 7), Fraction(7 * k % 11 + 1, 13)) for k in range(1, 9)]
# All zero sets pass through (1/3, 1/3), which no float is.
THROUGH_A_POINT = plr.Network([(SLOPES, [-(a + b) / 3 for a, b in SLOPES], "relu")])
TOUCHED = plr.Box([0, 0], [THIRD, THIRD])
CUT = plr.Box([0, 0], [THIRD, Fraction(1, 2)])


def through_corners(seed: int) -> plr.Network:
    """Eight lines, each through one of three corners of the square of side 1/3."""
    rng = np.random.default_rng(seed)
    rows, constants = [], []
    for _ in range(8):
        a, b = Fraction(int(rng.integers(-6, 7)), 7), Fraction(int(rng.integers(1, 13)), 13)
        x, y = ((THIRD, THIRD), (THIRD, 0), (0, THIRD))[rng.integers(3)]
        rows.append((a, b))
        constants.append(-a * x - b * y)
    return plr.Network([(rows, constants, "relu")])


def wrong_networks() -> list[int]:
    """Those of forty networks on which the oracle and the tree differ."""
    wrong = []
    for seed in range(40):
        net = through_corners(seed)
        found = plr.enumerate_regions(net, TOUCHED, strategy="tree", max_regions=1000)
        if found.pattern_strings() != sorted(plain_regions(net, TOUCHED)):
            wrong.append(seed)
    return wrong


def test_a_layer_that_touches_the_cell_is_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its eight units end at the same corner, and are settled by the solve of one system."""
    real, goals_of_solves = exact_rung.multipliers_of, []

    def counted(goals: Any, tight: Any) -> Any:
        goals_of_solves.append(len(goals))
        return real(goals, tight)

    monkeypatch.setattr(exact_rung, "multipliers_of", counted)
    found = plr.enumerate_regions(THROUGH_A_POINT, TOUCHED, strategy="tree")
    assert found.pattern_strings() == ["00000000"]
    assert (found.statistics["exact"], found.statistics["exact_batches"]) == (8, 1)
    assert goals_of_solves == [8]


def test_cells_that_are_cut_by_some_and_touched_by_others() -> None:
    found = plr.enumerate_regions(THROUGH_A_POINT, CUT, strategy="tree")
    assert found.pattern_strings() == sorted(plain_regions(THROUGH_A_POINT, CUT))
    statistics = found.statistics
    assert statistics["exact"] > 2 * statistics["exact_batches"] > 0


def test_lines_through_corners() -> None:
    assert wrong_networks() == []


def test_an_answer_that_is_given_to_another_unit_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ExactRung.sides

    def careless(*arguments: Any) -> list[Sides]:
        first, *others = real(*arguments)
        return [first, *reversed(others)]

    monkeypatch.setattr(ExactRung, "sides", careless)
    assert wrong_networks()


def test_proofs_hold_the_answers_of_a_batch() -> None:
    for net, domain in (
        (THROUGH_A_POINT, TOUCHED),
        (THROUGH_A_POINT, CUT),
        (through_corners(1), TOUCHED),
    ):
        found = plr.enumerate_regions(net, domain, proof=True)
        assert plr.verify(found.proof, net).ok


def test_proofs_of_layers_that_start_with_a_question() -> None:
    """What is tested on a cell before its first unit is asked about is logged once."""
    first = np.array([[2], [-1], [-1], [-2], [1]])
    second = np.array(
        [
            [-1, -2, 0, -2, 2],
            [-2, -2, 0, 0, -2],
            [-1, 1, -1, -1, 2],
            [-1, -2, 1, -2, 2],
            [-1, 2, 1, -1, -1],
            [-1, 0, 0, 0, -1],
        ]
    )
    biases = np.array([-1, 0, 1, 0, 1]), np.array([0, 1, -1, 1, 0, -1])
    net = plr.Network(
        [
            (first * THIRD, biases[0] * Fraction(1, 7)),
            (second * THIRD, biases[1] * Fraction(1, 7), "relu"),
        ]
    )
    found = plr.enumerate_regions(net, plr.WholeSpace(1), proof=True)
    verdict = plr.verify(found.proof, net)
    assert (verdict.ok, verdict.regions) == (True, 8), verdict.reason
