from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lp_vertices import best_value, has_interior, value
from scipy.optimize import linprog

from plregions.errors import InvalidInputError
from plregions.exact import dictionary
from plregions.exact.lp import (
    Interior,
    LPResult,
    check_interior,
    maximise,
    verify_empty,
    verify_multipliers,
)

F = Fraction


def box_rows(d: int, half: int) -> list[list[int]]:
    rows = []
    for k in range(d):
        for sign in (1, -1):
            rows.append([sign * (j == k) for j in range(d)] + [half])
    return rows


@st.composite
def problems(draw: st.DrawFn, bounded: bool = False) -> tuple[list[Any], list[list[Any]], int]:
    """An objective and rows, with copies, opposites, zero rows and central rows among them."""
    d = draw(st.integers(1, 3))
    size = draw(st.sampled_from([1, 2, 9]))
    number: st.SearchStrategy[Any] = st.integers(-size, size)
    if draw(st.booleans()):
        number = st.builds(Fraction, st.integers(-size, size), st.integers(1, 4))
    row = st.lists(number, min_size=d + 1, max_size=d + 1)
    rows = draw(st.lists(row, max_size=6))
    if draw(st.booleans()):
        rows = [[*r[:-1], abs(r[-1])] for r in rows]
    elif draw(st.booleans()):
        rows = [[*r[:-1], 0] for r in rows]
    if rows and draw(st.booleans()):
        rows.append([-v for v in rows[0]])
    if rows and draw(st.booleans()):
        rows.append([3 * v for v in rows[-1]])
    if bounded:
        rows += box_rows(d, 2)
    return draw(row), rows, d


def faults_of(objective: list[Any], rows: list[list[Any]], result: LPResult) -> list[str]:
    """What the result's own evidence does not show; no oracle is needed for it."""
    faults = []
    if result.point is not None:
        if any(value(r, result.point) < 0 for r in rows):
            faults.append("infeasible point")
        if any(value(rows[i], result.point) != 0 for i in result.basis):
            faults.append("basis is not tight")
        if result.value is not None and value(objective, result.point) != result.value:
            faults.append("value is not that of the point")
    if result.status == "optimal":
        assert result.value is not None
        if not verify_multipliers(objective, rows, result.multipliers, result.value):
            faults.append("no proof of optimality")
    elif result.status == "infeasible":
        if not verify_empty(rows, result.multipliers, closed=True):
            faults.append("no proof of infeasibility")
    elif result.status == "unbounded":
        assert result.ray is not None
        if any(value([*r[:-1], 0], result.ray) < 0 for r in rows):
            faults.append("ray leaves")
        if value([*objective[:-1], 0], result.ray) <= 0:
            faults.append("ray does not climb")
    return faults


@given(problems(), st.data())
def test_every_result_carries_its_proof(problem: Any, data: st.DataObject) -> None:
    objective, rows, d = problem
    basis = None
    if rows and data.draw(st.booleans()):
        index = st.integers(0, len(rows) - 1)
        basis = data.draw(st.lists(index, max_size=d, unique=True))
    result = maximise(objective, rows, basis=basis)
    assert faults_of(objective, rows, result) == []
    limit = data.draw(st.fractions(-4, 40, max_denominator=5))
    stopped = maximise(objective, rows, basis=basis, stop_above=limit)
    assert faults_of(objective, rows, stopped) == []
    if stopped.status == "above":
        assert stopped.value is not None and stopped.value > limit
        assert result.status == "unbounded" or result.value > limit
    else:
        assert (stopped.status, stopped.value) == (result.status, result.value)


@given(problems(bounded=True))
def test_agrees_with_vertex_enumeration(problem: Any) -> None:
    objective, rows, d = problem
    result = maximise(objective, rows)
    assert result.value == best_value(objective, rows, d)
    assert result.status == ("infeasible" if result.value is None else "optimal")
    interior = check_interior(rows)
    assert (interior.point is not None) == has_interior(rows, d)


@given(problems(), st.booleans())
def test_interior_carries_its_proof(problem: Any, deep: bool) -> None:
    _, rows, d = problem
    interior = check_interior(rows, dim=d, deep=deep)
    if interior.point is None:
        assert verify_empty(rows, interior.multipliers)
    else:
        assert interior.multipliers is None
        assert all(value(row, interior.point) > 0 for row in rows)


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_highs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        d, m = int(rng.integers(2, 6)), int(rng.integers(3, 20))
        rows = [[F(v) for v in row] for row in rng.normal(size=(m, d + 1))]
        rows += [[F(v) for v in row] for row in box_rows(d, 3)]
        objective = [F(v) for v in rng.normal(size=d + 1)]
        table = np.array(rows, dtype=float)
        costs = np.array(objective[:-1], dtype=float)
        peer = linprog(-costs, A_ub=-table[:, :-1], b_ub=table[:, -1], bounds=(None, None))
        result = maximise(objective, rows)
        assert result.status == {0: "optimal", 2: "infeasible"}[peer.status]
        if result.value is not None:
            assert float(result.value - objective[-1]) == pytest.approx(-peer.fun, abs=1e-7)
        assert maximise(objective, rows, basis=result.basis) == result


CYCLING = {
    # objective and the rows A of A x <= 0, x >= 0, with one more row; the value.
    "Beale": (["3/4", -20, "1/2", -6], [["1/4", -8, -1, 9], ["1/2", -12, "-1/2", 3]], 2, F(5, 4)),
    "Chvatal": (
        [10, -57, -9, -24],
        [["1/2", "-11/2", "-5/2", 9], ["1/2", "-3/2", "-1/2", 1]],
        0,
        F(1),
    ),
    "Yudin-Golshtein": ([1, -1, 1, -1], [[1, -2, -3, 4], [4, -3, -2, 1]], 2, None),
}


@pytest.mark.parametrize("name", CYCLING)
def test_textbook_cycles_end(name: str) -> None:
    costs, table, k, best = CYCLING[name]
    rows: list[list[Any]] = [[int(i == j) for j in range(4)] + [0] for i in range(4)]
    rows += [[-F(v) for v in row] + [0] for row in table]
    rows.append([-1] * 4 + [1] if best is None else [-int(j == k) for j in range(4)] + [1])
    objective = [F(v) for v in costs] + [F(0)]
    result = maximise(objective, rows, basis=range(4))
    assert faults_of(objective, rows, result) == []
    assert result.status == "optimal"
    assert result.value == best_value(objective, rows, 4)
    assert best is None or result.value == best


# Chvatal's example ("Linear Programming", 1983, chapter 3) in coordinates where its rows are
# primitive, so that the scaling of rows leaves its coefficients as they are: x = (y0, y1,
# y0 + y1 + 2 y2, y3). The largest coefficient alone cycles on it.
CYCLE_ROWS = [
    [1, 0, 0, 0, 0],
    [0, 1, 0, 0, 0],
    [1, 1, 2, 0, 0],
    [0, 0, 0, 1, 0],
    [2, 8, 5, -9, 0],
    [0, 2, 1, -1, 0],
    [-1, 0, 0, 0, 1],
]
CYCLE_GOAL = [1, -66, -18, -24, 0]


class TooManyPivotsError(Exception):
    pass


@pytest.fixture
def at_most_200_pivots(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    count = iter(range(200))
    exchange = dictionary.Dictionary._exchange

    def counted(self: Any, *args: Any) -> list[int]:
        if next(count, None) is None:
            raise TooManyPivotsError
        return exchange(self, *args)

    monkeypatch.setattr(dictionary.Dictionary, "_exchange", counted)
    yield


@pytest.mark.usefixtures("at_most_200_pivots")
def test_least_index_ends_a_cycle() -> None:
    result = maximise(CYCLE_GOAL, CYCLE_ROWS, basis=range(4))
    assert (result.status, result.value) == ("optimal", 1)


@pytest.mark.usefixtures("at_most_200_pivots")
def test_largest_coefficient_alone_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault of the test above: without the least index it would not end."""
    monkeypatch.setattr(dictionary, "PATIENCE", 10**9)
    with pytest.raises(TooManyPivotsError):
        maximise(CYCLE_GOAL, CYCLE_ROWS, basis=range(4))


@pytest.mark.parametrize("patience", [0, 1, 10**6])
def test_the_rule_does_not_change_values(patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(patience)
    for _ in range(40):
        d = rng.randint(1, 4)
        rows = [[rng.randint(-2, 2) for _ in range(d)] + [rng.choice([0, 0, 1])] for _ in range(9)]
        objective = [rng.randint(-3, 3) for _ in range(d + 1)]
        expected = maximise(objective, rows)
        with monkeypatch.context() as patch:
            patch.setattr(dictionary, "PATIENCE", patience)
            result = maximise(objective, rows)
        assert (result.status, result.value) == (expected.status, expected.value)


# Touching half-spaces: x >= 0 and x <= gap, exactly.
@pytest.mark.parametrize("gap", [F(0), F(1e-300), F(5e-324), F(-1e-300), F(2, 10**400)])
def test_touching_half_spaces(gap: Fraction) -> None:
    rows = [[F(1), F(0), F(0)], [F(-1), F(0), gap], [F(0), F(1), F(1)], [F(0), F(-1), F(1)]]
    interior = check_interior(rows)
    assert (interior.point is not None) == (gap > 0)
    if interior.point is None:
        assert verify_empty(rows, interior.multipliers, closed=gap < 0)
        assert not verify_empty(rows, interior.multipliers, closed=True) or gap < 0
    result = maximise([1, 0, 0], rows)
    assert result.value == (gap if gap >= 0 else None)
    assert result.status == ("optimal" if gap >= 0 else "infeasible")


def test_gap_that_floats_cannot_see() -> None:
    """CASES.md B16: x >= 1 + 2e-16 and x <= 1 have no point, whatever a tolerance says."""
    rows = [[F(1), -(1 + F(2, 10**16))], [F(-1), F(1)]]
    assert maximise([0, 0], rows).status == "infeasible"
    assert maximise([0, 0], [[1, -1], [-1, 1]]).point == (1,)


def test_zero_rows() -> None:
    assert maximise([0, 0], [[0, -1]]).status == "infeasible"
    assert maximise([0, 0], [[0, -1]]).multipliers == (1,)
    assert maximise([0, 5], [[0, 0], [0, 3]]) == maximise([0, 5], [[0, 0], [0, 3]])
    assert maximise([0, 5], [[0, 0], [0, 3]]).value == 5
    assert check_interior([[0, 0, 0], [1, 0, 0]]) == Interior(None, (F(1), F(0)))
    assert check_interior([[0, 0, 2], [1, 0, 0]]).point is not None
    assert check_interior([[0, 0, 2]]).point == (0, 0)


def test_no_rows_and_no_variables() -> None:
    assert maximise([0, 0, 7], []).point == (0, 0)
    assert maximise([0, -2, 7], []).ray == (0, -1)
    assert maximise([4], [[1], [0]]).value == 4
    assert maximise([4], [[1], [-2]]).multipliers == (0, F(1, 2))
    assert check_interior([], dim=3).point == (0, 0, 0)
    assert check_interior([[1]]).point == ()
    with pytest.raises(InvalidInputError, match="rows or dim"):
        check_interior([])


def test_lineality_space_leaves_coordinates_free() -> None:
    rows = [[1, 1, 0, 0], [-1, -1, 0, 4]]  # a strip: x + y in [0, 4], z free
    result = maximise([2, 2, 0, 1], rows)
    assert (result.status, result.value, len(result.basis)) == ("optimal", 9, 1)
    assert maximise([1, -1, 0, 0], rows).status == "unbounded"
    above = maximise([1, -1, 0, 0], rows, stop_above=1000)
    assert above.status == "above" and above.value > 1000
    assert faults_of([1, -1, 0, 0], rows, above) == []


def test_stop_above_is_strict() -> None:
    rows = box_rows(2, 1)
    assert maximise([1, 0, 0], rows, stop_above=1).status == "optimal"
    assert maximise([1, 0, 0], rows, stop_above=F(999, 1000)).status == "above"


def test_wrong_bases_cost_nothing_but_time() -> None:
    rows = [*box_rows(3, 1), [1, 1, 1, -2], [2, 2, 2, -4]]
    expected = maximise([1, 2, 3, 0], rows)
    for basis in ([0, 0, 0], [0, 1, 2], [6, 7, 0], [1, 3, 5], [], [0, 2, 4, 1, 3, 5]):
        result = maximise([1, 2, 3, 0], rows, basis=basis)
        assert (result.value, result.point) == (expected.value, expected.point)
    assert maximise([1, 2, 3, 0], rows, basis=expected.basis) == expected


def test_numbers_of_any_size_and_type() -> None:
    huge = 10**400
    rows: list[Any] = [[np.int64(1), np.int64(-(2**62))], [F(-1, huge), F(huge)]]
    result = maximise([np.int32(1), 0], rows)
    assert result.value == huge**2
    assert result.multipliers == (0, huge)
    assert maximise([-1, 0], rows).value == -(2**62)


def test_multipliers_are_for_the_rows_as_given() -> None:
    result = maximise([F(6), 0], [[F(-1, 3), F(1, 2)], [4, 100]])
    assert (result.value, result.multipliers) == (9, (18, 0))


def test_short_points() -> None:
    rng = np.random.default_rng(3)
    rows = [[F(v) for v in row] for row in rng.normal(size=(6, 4))]
    rows = [r if value(r, [F(2)] * 3) > 0 else [-v for v in r] for r in rows]
    rows.append([F(1), F(0), F(0), F(-1)])  # keeps the origin out
    point = check_interior(rows).point
    assert point is not None
    assert all(v.denominator <= 2**8 for v in point)


def test_deep_point_is_deep() -> None:
    rows = [[1, 0, 0], [-1, 0, 1], [0, 1, 0], [0, -1, 1]]
    assert check_interior(rows, deep=True).point == (F(1, 2), F(1, 2))


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"rows\[1\]"):
        maximise([1, 0], [[1, 0], [1, 0, 0]])
    with pytest.raises(InvalidInputError, match="got 0.5"):
        maximise([1, 0], [[0.5, 0]])  # type: ignore[list-item]
    with pytest.raises(InvalidInputError, match="row indices"):
        maximise([1, 0], [[1, 0]], basis=[1])
    with pytest.raises(InvalidInputError, match="row indices"):
        maximise([1, 0], [[1, 0]], basis=[-1])


def test_result_is_read_only_and_repr_is_short() -> None:
    result = maximise([1, 0], [[-2, 1]])
    with pytest.raises(AttributeError):
        result.status = "infeasible"  # type: ignore[misc]
    assert repr(result) == "LPResult(optimal, value=1/2, point=(1/2))"
    assert hash(result) == hash(maximise([1, 0], [[-2, 1]]))
    assert result != maximise([1, 0], [[-3, 1]])


# Planted faults.


def test_checker_catches_wrong_multipliers() -> None:
    rows = [[-1, 0, 1], [0, -1, 1], [1, 0, 1]]
    assert verify_multipliers([1, 1, 0], rows, [1, 1, 0], 2)
    assert not verify_multipliers([1, 1, 0], rows, [1, 1, 0], F(19, 10))
    assert not verify_multipliers([1, 1, 0], rows, [1, 2, 0], 99)
    assert not verify_multipliers([1, 1, 0], rows, [1, 1], 99)
    assert not verify_multipliers([-1, 1, 0], rows, [-1, 1, 0], 99)  # negative, though it sums up
    assert not verify_multipliers([1, 1, 0], rows, None, 99)
    assert not verify_multipliers([1, 0], rows, [1, 1, 0], 99)
    assert not verify_empty(rows, [0, 0, 0])
    assert not verify_empty([[1, 1], [-1, 0]], [1, 1])
    assert not verify_empty([[1, 0], [-1, 0]], [1, 1], closed=True)
    assert not verify_empty([], [])


def first_blocker(self: Any, slopes: list[int], blocker: int) -> int:
    """A ratio test that forgets the ratios."""
    return next((i for i, slope in enumerate(slopes) if slope < 0), blocker)


def never_enter(self: Any, goal: list[int], by_index: bool) -> int:
    return -1


@pytest.mark.parametrize(
    ("method", "fault"), [("_leaving", first_blocker), ("_entering", never_enter)]
)
def test_proofs_catch_a_broken_simplex(
    method: str, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [[-1, -1, 3], *box_rows(2, 1), [-4, 1, 1]]
    assert faults_of([1, 2, 0], rows, maximise([1, 2, 0], rows)) == []
    monkeypatch.setattr(dictionary.Dictionary, method, fault)
    assert faults_of([1, 2, 0], rows, maximise([1, 2, 0], rows)) != []


def test_vertex_oracle_catches_a_missing_row() -> None:
    rows = [[-1, -1, 1], *box_rows(2, 1)]
    assert maximise([1, 2, 0], rows[1:]).value != best_value([1, 2, 0], rows, 2)
    assert check_interior(rows[1:] + [[1, 1, -2]]).point is None
    assert has_interior(rows, 2) and not has_interior([*rows, [1, 1, -1]], 2)
