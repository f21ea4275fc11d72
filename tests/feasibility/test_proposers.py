"""Other solvers as references: their answers agree after the check, and liars are not believed."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from types import SimpleNamespace
from typing import Any

import cvxpy
import numpy as np
import pytest
import scipy.optimize

import plregions as plr
from plregions.exact.lp import verify_empty
from plregions.feasibility.proposers import propose

SQUARE = [(1, 0, 0), (-1, 0, 1), (0, 1, 0), (0, -1, 1)]
# Open cells in the unit square: a triangle, one that touches in a corner, one that misses it.
TRIANGLE = [*SQUARE, (-2, -2, 1)]
CORNER = [*SQUARE, (-1, -1, 0)]
MISSED = [*SQUARE, (-1000000, -1000000, -1)]


def network(seed: int) -> plr.Network:
    """A He network, or for odd seeds an integer one with copied and opposite neurons."""
    d = 2 + seed % 3
    if seed % 2 == 0:
        return plr.mlp([d, 4, 4, 1], seed)
    rng = np.random.default_rng(seed)
    first = rng.integers(-2, 3, size=(5, d))
    first[1], first[2] = first[0], -first[0]
    biases = rng.integers(-1, 2, size=8)
    second = rng.integers(-2, 3, size=(3, 5))
    return plr.Network([(first, biases[:5]), (second, biases[5:]), ([[1, 1, 1]], [0])])


def patterns(net: plr.Network, seed: int, n: int) -> list[np.ndarray[Any, Any]]:
    """Patterns of random points, the same with one bit flipped, and random ones."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n):
        if k % 2:
            found.append(rng.integers(0, 2, net.n_neurons))
            continue
        x = [float(v) for v in rng.uniform(-1, 1, net.input_dim)]
        bits = net.pattern_at(x).bits.astype(int)
        if k % 4:
            bits[rng.integers(len(bits))] ^= 1
        found.append(bits)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_all_solvers_agree_after_the_check(seed: int) -> None:
    net = network(seed)
    domain = plr.hypercube(net.input_dim, -1, 1)
    regions = plr.enumerate_regions(net, domain)
    for bits in patterns(net, seed, 100):
        truth = regions.find(bits) is not None
        for solver in ("plregions", "scipy", "cvxpy"):
            check = plr.check_pattern(net, bits, domain, solver=solver)
            assert check.is_region == truth
            if (point := check.point) is not None:
                inside = [row[-1] + sum(map(mul, row, point)) for row in check.rows.values()]
                assert min(inside) > 0
            else:
                names = list(check.rows)
                weights = [(check.multipliers or {}).get(name, Fraction(0)) for name in names]
                assert verify_empty(list(check.rows.values()), weights)


@pytest.mark.parametrize("solver", ["scipy", "cvxpy", "cvxpy:CLARABEL", "cvxpy:OSQP", "cvxpy:SCS"])
def test_proofs_of_each_solver(solver: str) -> None:
    found = propose(TRIANGLE, solver)
    assert found.said == "region"
    assert found.point is not None
    for rows in (CORNER, MISSED):
        found = propose(rows, solver)
        # First-order solvers may take the corner for a region; nothing of that is believed.
        assert found.point is None
        if found.multipliers is not None:
            assert verify_empty(rows, found.multipliers)
    if solver == "scipy":
        assert propose(MISSED, solver).multipliers is not None


def lie(**answer: Any) -> Any:
    """A linprog with a fixed answer."""
    return lambda *_, **__: SimpleNamespace(**answer)


@pytest.mark.parametrize(
    ("rows", "answer", "said"),
    [
        # "Optimal", with a point that violates a row.
        (CORNER, {"status": 0, "x": np.array([0.1, 0.1, 0.05])}, "region"),
        # "Optimal", with multipliers that prove nothing.
        (TRIANGLE, {"status": 0, "x": np.array([0.0, 0.0, -0.1])}, "empty"),
        # Other statuses, and an optimum without a point or with NaN, say nothing at all.
        (TRIANGLE, {"status": 1, "x": np.array([0.1, 0.1, 0.05])}, "unsure"),
        (TRIANGLE, {"status": 2, "x": None}, "unsure"),
        (TRIANGLE, {"status": 3, "x": None}, "unsure"),
        (TRIANGLE, {"status": 4, "x": None}, "unsure"),
        (TRIANGLE, {"status": 0, "x": None}, "unsure"),
        (TRIANGLE, {"status": 0, "x": np.array([np.nan, 0.1, 0.05])}, "unsure"),
    ],
)
def test_a_solver_that_lies_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, rows: Any, answer: Any, said: str
) -> None:
    duals = SimpleNamespace(marginals=-np.ones(len(rows)))
    monkeypatch.setattr(scipy.optimize, "linprog", lie(ineqlin=duals, **answer))
    found = propose(rows, "scipy")
    assert (found.said, found.point, found.multipliers) == (said, None, None)
    # The exact rung decides instead.
    net = plr.Network([([[-2, -2]], [1]), ([[1]], [0])])
    check = plr.check_pattern(net, "1", plr.hypercube(2), solver="scipy")
    assert check.is_region
    # In this cell the first lie happens to be true, and is proved.
    assert check.solver == ("scipy" if said == "region" else "plregions")


def test_a_solver_that_fails_is_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise cvxpy.error.SolverError("no luck")

    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    found = propose(TRIANGLE, "cvxpy")
    assert (found.said, found.point) == ("unsure", None)
    assert "no luck" in found.status


def test_the_check_catches_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without the exact check of points the lie is believed: the tests above would fail.
    duals = SimpleNamespace(marginals=-np.ones(len(CORNER)))
    answer = {"status": 0, "x": np.array([0.1, 0.1, 0.05]), "ineqlin": duals}
    monkeypatch.setattr(scipy.optimize, "linprog", lie(**answer))
    monkeypatch.setattr("plregions.feasibility.proposers.is_strict", lambda rows, point: True)
    assert propose(CORNER, "scipy").point is not None


@pytest.mark.parametrize("solver", ["gurobi", "scipy:highs-ds", ""])
def test_unknown_solvers(solver: str) -> None:
    net = plr.Network([([[1]], [0]), ([[1]], [0])])
    with pytest.raises(plr.InvalidInputError, match="solver needs"):
        plr.check_pattern(net, "1", plr.Box([-1], [1]), solver=solver)
