"""Faults planted in the engine: those that change no answer must not, and the oracles see the rest.

Faults inside kernels run in a process of their own, where numba is switched off.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from enumeration.interpreted_engine import CANCELLING, OFF_CENTRE
from oracles.plain_regions import plain_regions
from oracles.random_cases import case

import plregions as plr
from plregions.enumeration.tree import TreeWalk
from plregions.feasibility import exact_rung, prepare
from plregions.feasibility.exact_rung import ExactRung, Sides
from plregions.feasibility.grains import Grains
from plregions.feasibility.multiples import Multiples, multiples
from plregions.feasibility.network_columns import NetworkColumns
from plregions.kernels import layout
from plregions.kernels.integers import ROUNDED
from plregions.network import restrict

SEEDS = [s for s in range(60) if case(s).domain.dim <= 3][:40]


def expected(seed: int) -> list[str]:
    return sorted(plain_regions(*restrict(*case(seed)[1:])))


@pytest.fixture(scope="module")
def truth() -> dict[int, list[str]]:
    """The regions of all cases by the oracle that lists vertices."""
    return {seed: expected(seed) for seed in SEEDS}


def wrong_cases(truth: dict[int, list[str]]) -> list[int]:
    """The cases on which the engine and the oracle differ; errors count as noticed."""
    wrong = []
    for seed, names in truth.items():
        _, net, domain = case(seed)
        found = plr.enumerate_regions(net, domain, strategy="tree", max_regions=5000)
        if found.pattern_strings() != names:
            wrong.append(seed)
    return wrong


def without_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled exact rung knows no row, so what floats cannot tell goes to rationals."""
    real = prepare.grains_of

    def rounded(*arguments: Any) -> Grains:
        found = real(*arguments)
        return Grains(*(np.full_like(v, ROUNDED) for v in (found.unit, found.slope, found.wall)))

    def none(c: NetworkColumns) -> Multiples:
        found = multiples(c.layers, c.units, c.rows)
        return found._replace(first=np.full_like(found.first, -1))

    monkeypatch.setattr(prepare, "grains_of", rounded)
    monkeypatch.setattr(NetworkColumns, "multiples", property(none))


def rationals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No point counts as a float, and no row as known: every decision goes to the rational rung."""
    real = TreeWalk._answer_point
    new_tree = TreeWalk._new_tree

    def remember(self: Any, side: int, point: Any, known_id: int | None) -> None:
        real(self, side, point, known_id)
        if known_id is None:
            self._tree.answer_id[side] = self._remember(point)

    def from_a_rational_point(self: Any, *arguments: Any) -> Any:
        tree = new_tree(self, *arguments)
        if tree.ctl[layout.POINT_ID] < 0:
            point = tuple(Fraction(float(v)) for v in tree.point)
            tree.ctl[layout.POINT_ID] = self._remember(point)
        tree.error[:] = np.inf
        tree.grain[:], tree.unit_grain[:] = ROUNDED, ROUNDED
        return tree

    monkeypatch.setattr(TreeWalk, "_answer_point", remember)
    monkeypatch.setattr(TreeWalk, "_new_tree", from_a_rational_point)


@pytest.mark.parametrize("without", [without_integers, rationals_only])
def test_the_rational_rung_gives_the_same(
    without: Any, truth: dict[int, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch)
    assert wrong_cases(truth) == []


def test_without_a_fault(truth: dict[int, list[str]]) -> None:
    assert wrong_cases(truth) == []


def test_a_zero_taken_for_one_side_is_caught(
    truth: dict[int, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a pre-activation is 0 at the known point, only one side is looked at."""
    rationals_only(monkeypatch)
    real = ExactRung.sides

    def careless(self: Any, units: Any, bits: Any, *others: Any) -> list[Sides]:
        found = real(self, units, bits, *others)
        point = others[-1]
        for k, unit in enumerate(units):
            row = self._rows.row(unit, bits)
            value = sum((a * v for a, v in zip(row, point, strict=False)), row[-1])
            if value == 0 and any(row[:-1]):
                found[k] = Sides(point, None)
        return found

    monkeypatch.setattr(ExactRung, "sides", careless)
    assert wrong_cases(truth)


def test_a_side_that_is_only_touched_is_caught(
    truth: dict[int, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zero at the far end taken for a free side, for the last neuron: false regions."""
    without_integers(monkeypatch)
    real = ExactRung.sides

    def careless(self: Any, units: Any, bits: Any, labels: Any, *others: Any) -> list[Sides]:
        found = real(self, units, bits, labels, *others)
        cell = [self.constraint(label, bits) for label in labels]
        for k, unit in enumerate(units):
            row = self._rows.row(unit, bits)
            is_last = self._rows._bit[unit] == len(bits) - 1
            if is_last and any(row[:-1]) and not (found[k].zero and found[k].one):
                goal = row if found[k].one is None else tuple(-v for v in row)
                if exact_rung.maximise(goal, cell).value == 0:
                    found[k] = Sides(others[-1], others[-1])
        return found

    monkeypatch.setattr(ExactRung, "sides", careless)
    assert wrong_cases(truth)


class MemoByNeurons:
    """A memory of empty sides that asks for the neurons and not for their rows."""

    def __init__(self) -> None:
        self.now: Any = None
        self.stored: dict[Any, Any] = {}

    def get(self, _: Any) -> Any:
        return self.stored.get(self.now)

    def __len__(self) -> int:
        return len(self.stored)

    def __setitem__(self, _: Any, value: Any) -> None:
        self.stored[self.now] = value


# The second layer's zero sets depend on the first layer's bits, and some only touch their cells.
PREFIX_DEPENDENT = plr.Network(
    [([[1, 1], [-1, 1]], [1, 1]), ([[1, 0], [0, 1], [1, 1]], [0, -1, -1], "relu")]
)


def test_a_memory_keyed_by_neurons_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deep neuron's row depends on the bits before it: its number is not enough."""
    domain = plr.hypercube(2, -1, 1)
    names = sorted(plain_regions(PREFIX_DEPENDENT, domain))
    right = plr.enumerate_regions(PREFIX_DEPENDENT, domain, strategy="tree")
    assert right.pattern_strings() == names
    rationals_only(monkeypatch)
    real, init = ExactRung.sides, ExactRung.__init__

    def careful_init(self: Any, *arguments: Any) -> None:
        init(self, *arguments)
        self._memo = MemoByNeurons()

    def sides(self: Any, units: Any, bits: Any, labels: Any, bases: Any, point: Any) -> list[Sides]:
        found = []
        for unit, basis in zip(units, bases, strict=True):
            self._memo.now = (unit, frozenset(labels[i] for i in basis))
            found += real(self, [unit], bits, labels, [basis], point)
        return found

    monkeypatch.setattr(ExactRung, "__init__", careful_init)
    monkeypatch.setattr(ExactRung, "sides", sides)
    wrong = plr.enumerate_regions(PREFIX_DEPENDENT, domain, strategy="tree")
    assert wrong.pattern_strings() != names


def interpreted(
    fault: str, seeds: Iterable[Any], strategy: str = "tree"
) -> dict[str, dict[str, Any]]:
    """The answers of an engine with a fault in its kernels."""
    program = Path(__file__).with_name("interpreted_engine.py")
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1")
    paths = [str(program.parent.parent), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    done = subprocess.run(
        [sys.executable, str(program), fault, strategy, *map(str, seeds)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return answers


def total(answers: dict[str, dict[str, Any]], key: str) -> int:
    return sum(answer["statistics"][key] for answer in answers.values())


@pytest.mark.parametrize(
    "fault", ["none", "rung 1 unsure", "rungs 1 and 2 unsure", "rungs 1 to 3 unsure"]
)
def test_rungs_that_give_up_change_no_answer(fault: str, truth: dict[int, list[str]]) -> None:
    answers = interpreted(fault, SEEDS)
    assert {int(seed): answer["patterns"] for seed, answer in answers.items()} == truth
    assert total(answers, "exact") > 0
    assert (total(answers, "empty_by_residual") > 0) == (fault == "none")
    assert total(answers, "empty_by_multipliers") == 0 or fault in ("none", "rung 1 unsure")
    assert (total(answers, "empty_by_integers") > 0) == ("3" not in fault)


def test_kernels_without_error_bounds_are_caught() -> None:
    """Rows that cancel to 0 leave noise, and the noise has a sign."""
    names = sorted(plain_regions(CANCELLING, OFF_CENTRE))
    assert interpreted("none", ["cancelling"])["cancelling"]["patterns"] == names
    assert interpreted("no error bounds", ["cancelling"])["cancelling"]["patterns"] != names


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the fault can make the walk endless")
def test_signs_that_are_not_proved_are_caught(truth: dict[int, list[str]]) -> None:
    """Patterns are wrong, or None: the fault leads the exact rung outside its cell for ever."""
    answers = interpreted("unproved signs believed", SEEDS[:20])
    assert any(answers[str(seed)]["patterns"] != truth[seed] for seed in SEEDS[:20])
