"""Other solvers as proposers: what they say of an open cell, believed only after an exact check.

The question is put as max t subject to a_i.x + c_i >= t and t <= 1, which always has a solution;
t > 0 says that the open cell has a point, t <= 0 that it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.exact.linear import nullspace
from plregions.feasibility.exact_rung import is_strict
from plregions.feasibility.prepare import IntRow

__all__ = ["Proposal", "propose"]

# Only chooses which rows to try: multipliers below this share of the largest are left out.
SMALL = 1e-9


@dataclass(frozen=True)
class Proposal:
    """What a solver said, and what of it could be proved.

    Attributes
    ----------
    said : str
        "region", "empty" or "unsure": the solver's answer taken at its word.
    status : str
        The solver's own status.
    point : tuple of Fraction, or None
        Its point, if every row is exactly positive there.
    multipliers : tuple of Fraction, or None
        One for each row, if they exactly prove that the cell is empty.
    """

    said: str
    status: str
    point: tuple[Fraction, ...] | None
    multipliers: tuple[Fraction, ...] | None


def propose(rows: Sequence[IntRow], solver: str) -> Proposal:
    """Ask a solver whether the open cell of some rows has a point, and check its answer.

    Parameters
    ----------
    rows : sequence of tuple of int
        Rows (a, c), a.x + c > 0, at least one.
    solver : str
        "scipy" (HiGHS through linprog), "cvxpy", or "cvxpy:NAME" for one of its solvers.

    Returns
    -------
    Proposal

    Raises
    ------
    InvalidInputError
        An unknown solver.

    Algorithm
    ---------
    Rows are rounded to float64 after scaling to a largest entry of 1. A point is checked in
    integers. For multipliers the rows of the solver's support are taken and their one exact
    dependency is solved for; its signs and its constant are checked.

    Exactness
    ---------
    ``said`` is as good as the solver; ``point`` and ``multipliers`` are proofs.
    """
    name, _, backend = solver.partition(":") if isinstance(solver, str) else ("", "", "")
    solvers: dict[str, Callable[..., _Answer]] = {"scipy": _ask_scipy, "cvxpy": _ask_cvxpy}
    if name not in solvers or (backend and name != "cvxpy"):
        raise InvalidInputError(
            f'solver needs "plregions", "scipy", "cvxpy" or "cvxpy:NAME"; got {solver!r}.'
        )
    scaled = np.array([[v / max(map(abs, row)) for v in row] for row in rows])
    answer = solvers[name](scaled, backend)
    if answer.depth is None or answer.point is None or not np.isfinite(answer.point).all():
        return Proposal("unsure", answer.status, None, None)
    if answer.depth > 0:
        point = tuple(Fraction(float(v)) for v in answer.point)
        proved = point if is_strict(rows, point) else None
        return Proposal("region", answer.status, proved, None)
    return Proposal("empty", answer.status, None, _multipliers(rows, answer.duals))


@dataclass(frozen=True)
class _Answer:
    status: str
    depth: float | None
    point: NDArray[np.float64] | None
    duals: NDArray[np.float64] | None


def _ask_scipy(rows: NDArray[np.float64], _: str) -> _Answer:
    from scipy.optimize import linprog

    d = rows.shape[1] - 1
    objective = np.zeros(d + 1)
    objective[d] = -1.0
    A = np.concatenate([-rows[:, :d], np.ones((len(rows), 1))], axis=1)
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * d
    result = linprog(objective, A_ub=A, b_ub=rows[:, d], bounds=[*bounds, (None, 1.0)])
    if result.status != 0 or result.x is None:
        return _Answer(str(result.status), None, None, None)
    return _Answer("0", float(result.x[d]), result.x[:d], -result.ineqlin.marginals)


def _ask_cvxpy(rows: NDArray[np.float64], backend: str) -> _Answer:
    import cvxpy as cp

    d = rows.shape[1] - 1
    x, t = cp.Variable(d), cp.Variable()
    inside: Any = rows[:, :d] @ x + rows[:, d] >= t
    problem: Any = cp.Problem(cp.Maximize(t), [inside, t <= 1])
    try:
        problem.solve(solver=backend or None)
    except cp.error.SolverError as error:
        return _Answer(f"SolverError: {error}", None, None, None)
    if problem.status != "optimal" or t.value is None or x.value is None:
        return _Answer(str(problem.status), None, None, None)
    duals: Any = inside.dual_value
    return _Answer("optimal", float(t.value), np.asarray(x.value), np.asarray(duals))


def _multipliers(
    rows: Sequence[IntRow], duals: NDArray[np.float64] | None
) -> tuple[Fraction, ...] | None:
    """Return exact multipliers on the support of the solver's, if they prove emptiness."""
    if duals is None or not np.isfinite(duals).all() or not (duals > 0).any():
        return None
    support = [int(i) for i in np.flatnonzero(duals > SMALL * duals.max())]
    columns = [[Fraction(rows[i][k]) for i in support] for k in range(len(rows[0]) - 1)]
    basis = nullspace(columns, len(support))
    if len(basis) != 1:
        return None
    weights = basis[0]
    if min(weights) < 0:
        weights = [-w for w in weights]
    constant = sum((w * rows[i][-1] for w, i in zip(weights, support, strict=True)), Fraction(0))
    if min(weights) < 0 or constant > 0:
        return None
    found = [Fraction(0)] * len(rows)
    for w, i in zip(weights, support, strict=True):
        found[i] = w
    return tuple(found)
