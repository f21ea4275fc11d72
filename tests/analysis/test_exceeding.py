"""Can one output exceed another? Against exact ranges; proofs that are tampered with fail."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.plain_network import plain_layers, pre_activations
from oracles.plain_regions import plain_regions
from oracles.random_cases import case
from oracles.small_networks import networks

import plregions as plr
from plregions.analysis.exceeding import can_exceed
from plregions.analysis.output_ranges import output_range
from plregions.errors import InvalidInputError

F = Fraction
SQUARE = plr.Box([-1, -1], [1, 1])


def paired(net: plr.Network) -> plr.Network:
    """The network with two outputs or more."""
    if net.output_dim > 1:
        return net
    return plr.Network([*net.layers, plr.Layer([[1], [-1]], [0, "1/2"], "identity")])


@settings(max_examples=30)
@given(net=networks())
def test_against_all_corners(net: plr.Network) -> None:
    net = paired(net)
    domain, layers = plr.hypercube(net.input_dim, -1, 1), plain_layers(net)
    corners = {x for cell in plain_regions(net, domain).values() for x in cell.corners}
    gaps = [y[0] - y[1] for y in (pre_activations(layers, x)[1] for x in corners)]
    answer = can_exceed(net, 0, 1, domain)
    assert answer.holds is (max(gaps) > 0)
    assert bool(answer) is (max(gaps) > 0)
    assert answer.verify(net, domain)
    if not answer.holds:
        assert answer.gap == max(gaps)
    # Reaching is not exceeding; a little less is exceeded.
    assert can_exceed(net, 0, 1, domain, margin=max(gaps)).holds is False
    assert can_exceed(net, 0, 1, domain, margin=max(gaps) - F(1, 10**9)).holds is True


@pytest.mark.parametrize("seed", range(16))
def test_on_boxes_polytopes_and_slices(seed: int) -> None:
    _, net, domain = case(seed)
    net = paired(net)
    (top,) = output_range(net, domain, [1, -1, *[0] * (net.output_dim - 2)]).upper
    yes = can_exceed(net, 0, 1, domain, margin=top - F(1, 1000))
    assert yes.holds
    assert yes.verify(net, domain)
    assert yes.witness is not None
    values = net.exact(yes.witness)
    assert values[0] - values[1] == yes.gap > top - F(1, 1000)
    no = can_exceed(net, 0, 1, domain, margin=top)
    assert (no.holds, no.gap, no.witness) == (False, top, None)
    assert no.verify(net, domain)
    assert len(no.proofs) == plr.count_regions(net, domain).n_regions


def proved() -> Any:
    net = plr.mlp([2, 5, 2], seed=1)
    (top,) = output_range(net, SQUARE, [1, -1]).upper
    answer = can_exceed(net, 0, 1, SQUARE, margin=top)
    assert answer.verify(net, SQUARE)
    return net, answer


@pytest.mark.parametrize("fault", ["bound", "weight", "label", "pattern", "margin"])
def test_a_proof_that_was_tampered_with_fails(fault: str) -> None:
    net, answer = proved()
    k = max(range(len(answer.proofs)), key=lambda i: answer.proofs[i].bound)
    proof = answer.proofs[k]
    (label, weight), *rest = proof.multipliers
    bits = [int(b) for b in proof.pattern.bits]
    if fault == "margin":
        answer = dataclasses.replace(answer, margin=answer.margin - 1)
    else:
        proof = {
            "bound": lambda: dataclasses.replace(proof, bound=proof.bound - F(1, 10**9)),
            "weight": lambda: dataclasses.replace(proof, multipliers=((label, weight * 2), *rest)),
            "label": lambda: dataclasses.replace(
                proof, multipliers=(("x[9] <= 1.0", weight), *rest)
            ),
            "pattern": lambda: dataclasses.replace(
                proof, pattern=plr.ActivationPattern([1 - b for b in bits])
            ),
        }[fault]()
        proofs = [*answer.proofs[:k], proof, *answer.proofs[k + 1 :]]
        answer = dataclasses.replace(answer, proofs=tuple(proofs))
    assert not answer.verify(net, SQUARE)


def test_a_witness_that_was_tampered_with_fails() -> None:
    net = plr.Network([(np.eye(2), None)])
    answer = can_exceed(net, 0, 1, SQUARE)
    assert answer.verify(net, SQUARE)
    assert answer.at is not None
    for changes in (
        {"at": (F(5), F(0)), "witness": (F(5), F(0)), "gap": F(5)},
        {"at": (F(0), F(1)), "witness": (F(0), F(1))},
        {"gap": F(7)},
        {"at": None},
    ):
        assert not dataclasses.replace(answer, **changes).verify(net, SQUARE)  # type: ignore[arg-type]


def test_the_search_ends_at_the_first_witness() -> None:
    net = plr.mlp([2, 16, 16, 2], seed=2)
    answer = can_exceed(net, 1, 0, SQUARE)
    n = plr.count_regions(net, SQUARE).n_regions
    assert answer.holds
    assert len(answer.proofs) < n
    assert "exact evaluation" in answer.evidence


def test_whole_space() -> None:
    net = plr.Network([([[1], [-1]], [0, 0]), ([[1, 0], [0, 1], [1, 1]], [0, 0, 0])])
    line = plr.WholeSpace(1)
    assert can_exceed(net, 0, 1, line, margin=10**6).verify(net, line)
    never = can_exceed(net, 0, 2, line)
    assert (never.holds, never.gap) == (False, 0)
    assert never.verify(net, line)


def test_budgets_leave_it_open() -> None:
    net = plr.mlp([2, 8, 8, 2])
    answer = can_exceed(net, 0, 1, SQUARE, margin=100, max_regions=3)
    assert (answer.holds, answer.stopped_by) == (None, "max_regions")
    assert answer.verify(net, SQUARE)
    assert "unknown" in repr(answer)
    late = can_exceed(net, 0, 1, SQUARE, margin=100, time_limit=1e-9)
    assert (late.holds, late.stopped_by, late.gap) == (None, "time_limit", None)


def test_bad_questions() -> None:
    net = plr.mlp([2, 4, 2])
    for i, j in ((0, 0), (0, 2), (-1, 0), (0.0, 1)):
        with pytest.raises(InvalidInputError, match="two different outputs from 0 to 1"):
            can_exceed(net, i, j, SQUARE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="can_exceed needs a network and a domain"):
        can_exceed(net, 0, 1, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="a number as margin"):
        can_exceed(net, 0, 1, SQUARE, margin=float("inf"))
