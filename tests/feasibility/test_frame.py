"""Local coordinates and float images: exact where they should be, within their bounds elsewhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.forced_rows import forced_rows
from oracles.lp_vertices import value
from oracles.random_cases import case

import plregions as plr
from plregions.feasibility.prepare import Frame, prepare
from plregions.kernels.rows import LINEAR_ZERO, VALUE_ZERO
from plregions.network import restrict

BOXES: list[Any] = [
    ([-1, -1], [1, 1]),
    ([0, -3], [5, 0]),
    ([10**8, -1], [10**8 + 1, 1e-300]),
    ([Fraction(1, 3), 1e300], [Fraction(1, 3) + Fraction(1, 10**50), 1e301]),
    ([5e-324, 0], [1e-320, Fraction(1, 10**400)]),
]


@pytest.mark.parametrize("bounds", BOXES)
def test_frames(bounds: Any) -> None:
    lower, upper = ([Fraction(v) for v in side] for side in bounds)
    frame = Frame.around(lower, upper)
    for corner in (lower, upper, [(a + b) / 3 for a, b in zip(lower, upper, strict=True)]):
        local = frame.to_local(corner)
        assert list(frame.to_global(local)) == corner
    for corner in (lower, upper):
        assert all(abs(v) <= 1 for v in frame.to_local(corner))
    for low, high, centre in zip(lower, upper, frame.middle, strict=True):
        assert low <= centre <= high
        assert centre == 0 or not low <= 0 <= high
    row = (Fraction(2, 7), Fraction(-3), Fraction(1, 11))
    local_row = frame.local_row(row)
    assert [*frame.global_row(local_row)] == list(row)  # type: ignore[arg-type]
    at = frame.to_local(upper)
    assert value(local_row, at) == value(row, upper)


@pytest.mark.parametrize("seed", range(60))
def test_first_rows_stay_within_their_errors(seed: int) -> None:
    """A float row is a power of two times the true one, up to its error; flags are true of it."""
    _, net, domain = case(seed)
    prepared = prepare(net, domain)
    inner_net, _ = restrict(net, domain)
    as_kinks = [(layer.weight, layer.bias, (0, 1)) for layer in inner_net.layers]
    n_first = inner_net.layers[0].n_out
    bits = [0] * plr.Network(as_kinks).n_neurons
    exact = forced_rows(plr.Network(as_kinks), bits)[:n_first]
    rows, error, size, flags = prepared.first_rows
    for i in range(n_first):
        true = prepared.frame.local_row(exact[i])
        assert bool(flags[i] & LINEAR_ZERO) == (not any(true[:-1]))
        assert bool(flags[i] & VALUE_ZERO) == (true[-1] == 0)
        assert np.abs(rows[i]).sum() <= size[i]
        if not any(true):
            continue
        lead = max(range(len(true)), key=lambda k, r=true: abs(r[k]))
        ratio = Fraction(float(rows[i][lead])) / true[lead]
        power = Fraction(2) ** round(np.log2(float(ratio)))
        off = sum(abs(Fraction(float(a)) - power * b) for a, b in zip(rows[i], true, strict=True))
        assert off <= Fraction(float(error[i]))
        if not any(prepared.frame.exponent) and not any(prepared.frame.middle):
            assert 0.2 < np.abs(rows[i]).sum() < 2


def test_wall_rows_are_the_domain_rows() -> None:
    domain = plr.Polytope([[-1, 0], [0, -1], [3, "1/7"]], [0, 0, 1])
    prepared = prepare(plr.mlp("2-3-1"), domain)
    for row, own in zip(prepared.wall_rows, domain.exact_rows(), strict=True):
        back = prepared.frame.global_row(row)
        ratio = next(b / a for a, b in zip(own, back, strict=True) if a)
        assert ratio > 0 and tuple(ratio * v for v in own) == back


def test_wrong_dimension() -> None:
    with pytest.raises(plr.InvalidInputError, match="2 inputs; got one of dimension 3"):
        prepare(plr.mlp("2-3-1"), plr.hypercube(3))
