"""Distances to boundaries: closed forms, convex programs of cvxpy, labels within the distance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.crossed_pieces import inner_point
from oracles.random_cases import case

import plregions as plr
from plregions.analysis import nearest_piece as module
from plregions.analysis.boundary import Boundary, decision_boundary, level_set
from plregions.analysis.nearest_piece import NearestPoint, Norm, nearest_boundary
from plregions.errors import InvalidInputError

F = Fraction
SQUARE = plr.Box([-1, -1], [1, 1])
NORMS: tuple[Norm, ...] = ("linf", "l1", "l2")


def power(norm: str, x: Any, y: Any) -> Fraction:
    gaps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    if norm == "l2":
        return sum([g * g for g in gaps], F(0))
    return max(gaps) if norm == "linf" else sum(gaps, F(0))


def by_cvxpy(boundary: Boundary, x: Any, norm: str) -> float:
    """The least distance to the hulls of the pieces' corners, in floats."""
    import cvxpy as cp

    best = np.inf
    order = {"linf": "inf", "l1": 1, "l2": 2}[norm]
    for piece in np.flatnonzero(boundary.is_crossing).tolist():
        corners = np.array(boundary.points(piece), dtype=float)
        weights = cp.Variable(len(corners), nonneg=True)
        gap = corners.T @ weights - np.array(x, dtype=float)
        problem = cp.Problem(cp.Minimize(cp.norm(gap, order)), [cp.sum(weights) == 1])
        best = min(best, problem.solve(solver=cp.CLARABEL))
    return float(best)


def check(boundary: Boundary, x: Any, norm: Norm) -> NearestPoint | None:
    """The answer attains its distance on the boundary, beyond it is another label, and a convex
    program finds the same distance."""
    found = nearest_boundary(boundary, x, norm=norm)
    expected = by_cvxpy(boundary, x, norm)
    if found is None:
        assert expected == np.inf
        return None
    assert abs(float(found.distance) - expected) <= 1e-6 * (1 + expected)
    assert power(norm, found.start, found.point) == found.power
    scores = boundary.parts.scores
    assert set(boundary.tied[found.piece]) <= set(scores.at(found.point))
    assert found.label == scores.at(found.start)
    assert scores.at(found.point_beyond()) == found.beyond != found.label
    assert boundary.complex.prepared.domain.contains(found.point)
    return found


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(10))
def test_convex_programs_agree(seed: int, norm: Norm) -> None:
    _, net, domain = case(seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(-2, 3, (3, net.output_dim))
    net = plr.Network([*net.layers, plr.Layer(weight, rng.integers(-1, 2, 3), "identity")])
    boundary = decision_boundary(net, domain)
    if len(boundary) <= 40:
        check(boundary, inner_point(rng, domain), norm)


def planted() -> Boundary:
    return decision_boundary(plr.mlp([2, 6, 3], seed=4), SQUARE)


def test_the_check_notices_a_bound_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    boundary, honest = planted(), module._by_bound
    start = [F(1, 7), F(-1, 3)]
    check(boundary, start, "l2")

    def wrong(*given: Any) -> list[tuple[Fraction, int]]:
        return [(bound + 9, piece) for bound, piece in honest(*given)[::-1]]

    monkeypatch.setattr(module, "_by_bound", wrong)
    with pytest.raises(AssertionError):
        check(boundary, start, "l2")


@pytest.mark.parametrize("norm", NORMS)
def test_no_other_label_within_the_distance(norm: Norm) -> None:
    boundary = planted()
    rng, scores = np.random.default_rng(7), boundary.parts.scores
    for _ in range(5):
        x = inner_point(rng, SQUARE)
        found = nearest_boundary(boundary, x, norm=norm)
        assert found is not None
        for _ in range(40):
            y = inner_point(rng, SQUARE)
            size = power(norm, x, y)
            # Towards y, as far as the distance allows.
            share = F(999, 1000) * (
                found.power / size if norm != "l2" else F(float(found.power / size) ** 0.5)
            )
            share = min(share, F(1))
            at = [a + share * (b - a) for a, b in zip(x, y, strict=True)]
            assert scores.at(at) == found.label


def test_the_diamond() -> None:
    diamond = level_set(plr.constructions.l1_norm(2), SQUARE, "1/2")
    assert nearest_boundary(diamond, [1, "1/2"], norm="l1").power == 1  # type: ignore[union-attr]
    corner = nearest_boundary(diamond, [1, "1/2"], norm="l2")
    assert corner is not None
    assert (corner.point, corner.power, corner.beyond) == ((F(1, 2), 0), F(1, 2), (1,))
    assert corner.distance == 0.5**0.5
    from_inside = nearest_boundary(diamond, [0, 0], norm="linf")
    assert from_inside is not None
    assert (from_inside.power, from_inside.label, from_inside.beyond) == (F(1, 4), (1,), (0,))
    assert repr(from_inside) == "NearestPoint(linf distance 1/4 from below to above)"


def test_a_point_on_the_boundary() -> None:
    diamond = level_set(plr.constructions.l1_norm(2), SQUARE, "1/2")
    for norm in NORMS:
        found = nearest_boundary(diamond, ["1/4", "1/4"], norm=norm)
        assert found is not None
        assert (found.power, found.label) == (0, (0, 1))
        assert diamond.parts.scores.at(found.point_beyond()) == found.beyond


def test_the_nearest_point_of_a_class() -> None:
    cube = plr.hypercube(3, -1, 1)
    boundary = decision_boundary(plr.Network([(np.eye(3), None)]), cube)
    x = ["1/2", "1/4", "-1/2"]
    assert [
        nearest_boundary(boundary, x, norm="linf", target=k).power  # type: ignore[union-attr]
        for k in range(3)
    ] == [0, F(1, 8), F(1, 2)]
    here = nearest_boundary(boundary, x, target=0)
    assert here is not None
    assert (here.piece, here.point_beyond()) == (-1, here.start)
    far = nearest_boundary(boundary, x, norm="l2", target=2)
    assert far is not None
    assert boundary.parts.scores.at(far.point_beyond()) == (2,)
    assert far.point == (F(1, 12), F(1, 12), F(1, 12))


def test_a_touching_ridge_is_not_another_class() -> None:
    ridge = plr.Network([([[1, 0]], [0], (-1, 1)), ([[1]], [0])])
    assert nearest_boundary(level_set(ridge, SQUARE), [0.5, 0.5]) is None


def test_a_class_that_is_nowhere() -> None:
    net = plr.Network([([[1, 0], [-1, 0], [0, 0]], [0, 0, -5])])
    boundary = decision_boundary(net, SQUARE)
    assert nearest_boundary(boundary, [0.5, 0], target=2) is None
    assert nearest_boundary(boundary, [0.5, 0], target=1) is not None


def test_a_tied_region_beyond() -> None:
    plateau = level_set(plr.Network([([[1]], [0]), ([[1]], [0])]), plr.Box([-1], [1]))
    for norm in NORMS:
        above = nearest_boundary(plateau, ["1/3"], norm=norm)
        below = nearest_boundary(plateau, ["-1/3"], norm=norm)
        assert above is not None
        assert below is not None
        assert (above.point, above.label, above.beyond) == ((0,), (0,), (0, 1))
        assert (below.point, below.label, below.beyond) == ((0,), (0, 1), (0,))


def test_bad_questions() -> None:
    boundary = planted()
    with pytest.raises(InvalidInputError, match="a norm among linf, l1, l2; got 'l3'"):
        nearest_boundary(boundary, [0, 0], norm="l3")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="a point of"):
        nearest_boundary(boundary, [2, 0])
    with pytest.raises(InvalidInputError, match="2 coordinates"):
        nearest_boundary(boundary, [0, 0, 0])
    with pytest.raises(InvalidInputError, match="a class from 0 to 2"):
        nearest_boundary(boundary, [0, 0], target=3)
    with pytest.raises(InvalidInputError, match="a class from 0 to 2"):
        nearest_boundary(boundary, [0, 0], target=1.5)  # type: ignore[arg-type]
