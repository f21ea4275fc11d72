"""Which units are multiples of one another: against rational rows compared in pairs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.plain_kernels import plain_kernel
from oracles.random_cases import case

import plregions as plr
from plregions.exact.arrays import fractions_of
from plregions.feasibility import multiples as module
from plregions.feasibility.prepare import prepare
from plregions.kernels.alike import link_multiples

CUBE = plr.hypercube(3, -1, 1)


def factor(row: Any, other: Any) -> Fraction | None:
    """The number by which ``row`` is a multiple of ``other``, None if it is not."""
    lead = next((k for k, v in enumerate(other) if v), None)
    if lead is None or not row[lead]:
        return None
    ratio = row[lead] / other[lead]
    return ratio if all(v == ratio * w for v, w in zip(row, other, strict=True)) else None


def in_pairs(p: Any) -> list[tuple[int, bool]]:
    """For each unit the first of its kind, or -1, and whether the factor is negative."""
    found, start = [], 0
    for layer in p.engine.layers:
        weight, bias = fractions_of(layer.weight), fractions_of(layer.bias)
        rows = [[*w, b] for w, b in zip(weight, bias, strict=True)]
        for i, row in enumerate(rows):
            answer = (-1, False)
            for j in range(i):
                if p.units.bit[start + i] < 0 or p.units.bit[start + j] < 0:
                    continue
                ratio = factor(row, rows[j])
                if ratio is not None:
                    answer = (start + j, ratio < 0)
                    break
            found.append(answer)
        start += len(rows)
    return found


def wrong_seeds() -> list[int]:
    wrong = []
    for seed in range(120):
        p = prepare(*case(seed)[1:])
        found = p.columns.multiples
        if list(zip(found.first.tolist(), found.is_opposite.tolist(), strict=True)) != in_pairs(p):
            wrong.append(seed)
        chains = [v for v in found.later.tolist() if v >= 0]
        assert sorted(chains) == np.flatnonzero(found.first >= 0).tolist()
        for unit, later in enumerate(found.later.tolist()):
            assert later < 0 or found.first[later] == (
                found.first[unit] if found.first[unit] >= 0 else unit
            )
    return wrong


def test_all_multiples_are_found() -> None:
    assert wrong_seeds() == []


def test_rows_compared_when_rounded_are_caught() -> None:
    """Thirds are not told from the nearest float64."""
    row = [Fraction(1, 3), Fraction(1, 7), 1]
    near = [Fraction(float(v)) for v in row]
    p = prepare(plr.Network([([row, near, row], [0, 0, 0], "relu")]), CUBE)
    assert p.columns.multiples.first.tolist() == [-1, -1, 0]
    units = p.units._replace(weight_error=np.zeros(3), bias_error=np.zeros(3))
    assert replace(p.columns, units=units).multiples.first.tolist() == [-1, 0, 0]


def test_rows_that_only_look_alike_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = plain_kernel(link_multiples, _relation=lambda *_: 1)
    monkeypatch.setattr(module, "link_multiples", plain)
    assert wrong_seeds()


def test_rows_compared_without_their_sign_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = module._link

    def careless(found: Any, start: int, group: list[int], rows: Any) -> None:
        real(found, start, group, [tuple(map(abs, row)) for row in rows])

    monkeypatch.setattr(module, "_link", careless)
    assert wrong_seeds()


def test_nearly_multiples_are_none() -> None:
    """A row times 3.7, rounded, and one that differs in the last bit."""
    row = np.random.default_rng(0).normal(size=4)
    near = row.copy()
    near[2] = np.nextafter(near[2], 9.0)
    rows = np.array([row, 3.7 * row, near, -0.5 * row, row])
    found = prepare(plr.Network([(rows[:, :3], rows[:, 3], "relu")]), CUBE).multiples
    assert found.first.tolist() == [-1, -1, -1, 0, 0]
    assert found.later.tolist() == [3, -1, -1, 4, -1]
    assert found.is_opposite.tolist() == [0, 0, 0, 1, 0]


def test_rows_of_zeros_and_units_without_kinks_are_none() -> None:
    layer = ([[0, 0, 0], [0, 0, 0], [1, 2, 3], [1, 2, 3], [2, 4, 6]], [0, 0, 1, 1, 2],
             [(0, 1), (0, 1), (1, 1), (0, 1), (0, 1)])  # fmt: skip
    found = prepare(plr.Network([layer]), CUBE).multiples
    assert found.first.tolist() == [-1, -1, -1, -1, 3]
