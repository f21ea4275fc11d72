"""check_pattern: right on all patterns, with evidence that is verified here from scratch."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from oracles.forced_rows import forced_rows, same_direction
from oracles.random_cases import case

import plregions as plr
from plregions.feasibility import check
from plregions.network import restrict

SEEDS = [s for s in range(60) if case(s).net.n_neurons <= 6]
LINE = plr.hypercube(1, -2, 2)


def verify(net: plr.Network, domain: Any, bits: str, found: plr.CellCheck) -> None:
    """Replay the evidence with rows made from the definitions."""
    inner_net, inner = restrict(net, domain)
    rows = forced_rows(inner_net, bits)
    true = {f"domain {i}": row for i, row in enumerate(inner.exact_rows())}
    for k, (bit, row) in enumerate(zip(bits, rows, strict=True)):
        true[f"neuron {k}"] = row if bit == "1" else tuple(-v for v in row)
    for name, row in found.rows.items():
        assert same_direction(row, true[name]), name
    assert bool(found) is found.is_region
    if found.is_region:
        assert found.point is not None and found.multipliers is None
        for name, row in true.items():
            at = sum((a * v for a, v in zip(row, found.point, strict=False)), row[-1])
            # Neurons that are 0 everywhere have bit 0 and are no constraint.
            assert at > 0 or (not any(row) and bits[int(name.split()[1])] == "0")
        return
    assert found.point is None and found.multipliers
    assert all(weight > 0 for weight in found.multipliers.values())
    total = [Fraction(0)] * (inner.dim + 1)
    for name, weight in found.multipliers.items():
        total = [t + weight * v for t, v in zip(total, found.rows[name], strict=True)]
    assert not any(total[:-1]) and total[-1] <= 0
    assert all(name in found.reason for name in found.multipliers)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_patterns(seed: int) -> None:
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    names = set(regions.pattern_strings())
    for bits in map("".join, product("01", repeat=net.n_neurons)):
        found = plr.check_pattern(net, bits, domain)
        assert found.is_region == (bits in names)
        verify(net, domain, bits, found)


def test_a_neuron_that_is_zero_everywhere_has_bit_0() -> None:
    net = plr.Network([([[0], [1]], [0, 0]), ([[1, 1]], [0])])
    assert plr.check_pattern(net, "01", LINE)
    found = plr.check_pattern(net, "11", LINE)
    assert not found and found.multipliers == {"neuron 0": 1}
    assert "identically 0" in found.reason


def test_a_neuron_that_is_zero_because_of_earlier_bits() -> None:
    net = plr.Network([([[1]], [0]), ([[1], [-1]], [0, 0]), ([[1, 1]], [0])])
    patterns = {"000": True, "100": False, "110": True, "010": False, "001": False}
    for bits, expected in patterns.items():
        found = plr.check_pattern(net, bits, LINE)
        assert found.is_region == expected
        verify(net, LINE, bits, found)


def test_touching_is_empty() -> None:
    net = plr.Network([([[1, 1]], [-2]), ([[1]], [0])])
    found = plr.check_pattern(net, "1", plr.hypercube(2))
    assert not found
    verify(net, plr.hypercube(2), "1", found)


@pytest.mark.parametrize("form", ["10", [1, 0], (True, False), plr.ActivationPattern("10")])
def test_forms_of_a_pattern(form: Any) -> None:
    net = plr.Network([([[1], [1]], [0, -1]), ([[1, 1]], [0])])
    assert plr.check_pattern(net, form, LINE)


def test_wrong_questions() -> None:
    net = plr.mlp("2-3-1")
    with pytest.raises(plr.InvalidInputError, match="got (str|Box)"):
        plr.check_pattern(net, plr.hypercube(2), "000")  # type: ignore[arg-type]
    with pytest.raises(plr.InvalidInputError, match="3 bits; got 2"):
        plr.check_pattern(net, "00", plr.hypercube(2))
    with pytest.raises(plr.InvalidInputError, match="2 inputs"):
        plr.check_pattern(net, "000", plr.hypercube(3))


def test_wrong_multipliers_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a weight that is twice too large."""
    real = check.check_interior

    def careless(rows: Any, **options: Any) -> Any:
        found = real(rows, **options)
        if found.multipliers is None:
            return found
        k = next(i for i, weight in enumerate(found.multipliers) if weight)
        weights = [w * (2 if i == k else 1) for i, w in enumerate(found.multipliers)]
        return type(found)(point=None, multipliers=tuple(weights))

    monkeypatch.setattr(check, "check_interior", careless)
    net = plr.Network([([[1], [1]], [0, -1]), ([[1, 1]], [0])])
    with pytest.raises(AssertionError):
        verify(net, LINE, "01", plr.check_pattern(net, "01", LINE))
