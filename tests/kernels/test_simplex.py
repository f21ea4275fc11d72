"""The dictionary's moves, against linear algebra with numpy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from plregions.kernels import simplex


class State(NamedTuple):
    """A dictionary at a vertex of a random cell, with its rows and an interior point."""

    T: Any
    C: Any
    nb: Any
    col: Any
    d: int
    m: int
    point: Any


def state(seed: int) -> State:
    rng = np.random.default_rng(seed)
    d = 1 + seed % 5
    walls = np.vstack([np.eye(d), -np.eye(d)])
    extra = rng.normal(size=(int(rng.integers(0, 5)), d))
    m = 2 * d + len(extra)
    C = np.hstack([np.vstack([walls, extra]), np.ones((m, 1))])
    point = rng.uniform(-0.1, 0.1, d)
    C[2 * d :, d] = rng.uniform(0.05, 1, len(extra)) - C[2 * d :, :d] @ point
    T = np.zeros((d + m, d + 2), order="F")
    nb, col = np.full(d, -1), np.full(m, -1)
    assert simplex.crash(T, C, nb, col, d, m, point)
    return State(T, C, nb, col, d, m, point)


def check(s: State) -> Any:
    """Check that the dictionary says what its basis says; returns the vertex."""
    basis = s.C[s.nb]
    inverse = np.linalg.inv(basis[:, : s.d])
    vertex = -inverse @ basis[:, s.d]
    assert np.allclose(s.T[: s.d, : s.d + 1], np.column_stack([inverse, vertex]))
    rows = s.C[:, : s.d] @ np.column_stack([inverse, vertex])
    rows[:, s.d] += s.C[:, s.d]
    assert np.allclose(s.T[s.d :, : s.d + 1], rows)
    assert sorted(np.flatnonzero(s.col >= 0)) == sorted(s.nb)
    assert all(s.col[s.nb[j]] == j for j in range(s.d))
    return vertex


SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_crash_finds_a_vertex_of_the_cell(seed: int) -> None:
    s = state(seed)
    vertex = check(s)
    assert (s.C[:, : s.d] @ vertex + s.C[:, s.d] >= -1e-9).all()


def test_crash_needs_walls_on_every_side() -> None:
    C = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]])
    T, nb, col = np.zeros((4, 4), order="F"), np.full(2, -1), np.full(2, -1)
    assert not simplex.crash(T, C, nb, col, 2, 2, np.zeros(2))


@pytest.mark.parametrize("seed", SEEDS)
def test_pivots_and_refactoring_keep_the_dictionary(seed: int) -> None:
    s = state(seed)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        choices = [
            (i, j)
            for i in np.flatnonzero(s.col < 0)
            for j in range(s.d)
            if abs(s.T[s.d + i, j]) > 0.1
        ]
        if choices:
            i, j = choices[int(rng.integers(len(choices)))]
            simplex.pivot(s.T, s.nb, s.col, s.d, s.m, i, j)
            check(s)
    s.T[:] = np.nan
    assert simplex.refactor(s.T, s.C, s.nb, s.col, s.d, s.m, np.zeros((s.d, 2 * s.d)))
    check(s)


def test_refactor_refuses_a_basis_without_an_inverse() -> None:
    C = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [0.0, 1.0, 0.0]])
    T, work = np.zeros((5, 4), order="F"), np.zeros((2, 4))
    assert not simplex.refactor(T, C, np.array([0, 1]), np.array([0, 1, -1]), 2, 3, work)
    assert not simplex.refactor(T, C, np.array([0, -1]), np.array([0, -1, -1]), 2, 3, work)


@pytest.mark.parametrize("seed", SEEDS)
def test_flip_turns_a_tight_row_into_its_opposite(seed: int) -> None:
    s = state(seed)
    j = seed % s.d
    i = int(s.nb[j])
    simplex.flip_column(s.T, s.d, s.m, i, j)
    s.C[i] *= -1
    check(s)


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_along_edges_stay_in_the_cell(seed: int) -> None:
    s = state(seed)
    vertex = check(s)
    for j in range(s.d):
        step, stop = simplex.ratio_test(s.T, s.d, s.m, j, -1)
        edge = s.T[: s.d, j]
        reach = s.C[:, : s.d] @ (vertex + step * edge) + s.C[:, s.d]
        assert reach.min() >= -1e-9
        assert abs(reach[stop]) <= 1e-9
        assert s.C[stop, : s.d] @ edge < 0
        beyond, other = simplex.ratio_test(s.T, s.d, s.m, j, stop)
        assert other != stop
        assert beyond >= step


@pytest.mark.parametrize("seed", SEEDS)
def test_steepest_edge_is_the_best_and_maxima_have_none(seed: int) -> None:
    s = state(seed)
    for i in np.flatnonzero(s.col < 0):
        for sign in (1.0, -1.0):
            rise = sign * s.T[s.d + i, : s.d]
            rates = rise / np.linalg.norm(s.T[: s.d, : s.d], axis=0)
            j = simplex.steepest(s.T, s.d, s.d + i, sign)
            if rates.max() > 1e-9:
                assert rates[j] == pytest.approx(rates.max())
            elif rates.max() <= 0:
                assert j == -1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_end_the_walk(bad: float) -> None:
    s = state(7)
    s.T[:] = bad
    simplex.steepest(s.T, s.d, s.d, 1.0)
    simplex.ratio_test(s.T, s.d, s.m, 0, -1)
    simplex.pivot(s.T, s.nb, s.col, s.d, s.m, int(np.flatnonzero(s.col < 0)[0]), 0)
    assert not simplex.crash(s.T, np.full_like(s.C, np.nan), s.nb, s.col, s.d, s.m, s.point)
