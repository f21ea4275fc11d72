from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.errors import InvalidInputError
from plregions.exact import signs
from plregions.exact.signs import sign_of_row, signs_of_rows, values_with_bounds

finite = st.floats(allow_nan=False, allow_infinity=False)
tame = st.floats(-1e3, 1e3)


def exact_value(row: Any, point: Any) -> Fraction:
    total = Fraction(float(row[-1]))
    for a, v in zip(row, point, strict=False):
        total += Fraction(float(a)) * Fraction(float(v))
    return total


def sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def wrong_signs(rows: Any, points: Any) -> list[tuple[int, int]]:
    found = signs_of_rows(rows, points)
    wrong = []
    for i, point in enumerate(points):
        for j, row in enumerate(rows):
            if found[i, j] and found[i, j] != sign(exact_value(row, point)):
                wrong.append((i, j))
    return wrong


@given(
    st.integers(0, 6).flatmap(
        lambda d: st.tuples(
            st.lists(finite, min_size=d + 1, max_size=d + 1),
            st.lists(finite, min_size=d, max_size=d),
        )
    )
)
def test_proven_signs_are_true(problem: tuple[list[float], list[float]]) -> None:
    row, point = problem
    assert wrong_signs([row], [point]) == []
    values, bounds = values_with_bounds([row], [point])
    value, bound = float(values[0, 0]), float(bounds[0, 0])
    if np.isfinite([value, bound]).all():
        assert abs(Fraction(value) - exact_value(row, point)) <= Fraction(bound)


@given(st.lists(tame, min_size=5, max_size=5), st.lists(tame, min_size=4, max_size=4), st.data())
def test_error_bounds_cover_every_true_row(
    row: list[float], point: list[float], data: st.DataObject
) -> None:
    errors = data.draw(st.lists(st.floats(0, 1), min_size=5, max_size=5))
    found = sign_of_row(row, errors, point)
    part = st.fractions(-1, 1, max_denominator=3)
    true = [Fraction(a) + data.draw(part) * Fraction(e) for a, e in zip(row, errors, strict=True)]
    value = sum((a * Fraction(v) for a, v in zip(true, point, strict=False)), true[-1])
    assert found is None or found == sign(value)


def cancelling(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose value at a point is near zero: half of the float signs are wrong."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(n, 7))
    point = rng.normal(size=(1, 6))
    rows[:, -1] = [-math.fsum(row[:-1] * point[0]) for row in rows]
    return rows, point


def test_cancellation() -> None:
    rows, point = cancelling(2000)
    assert wrong_signs(rows, point) == []
    assert not signs_of_rows(rows, point).any()
    moved = rows + np.eye(1, 7, 6) * 1e-13
    assert (signs_of_rows(moved, point) == 1).mean() > 0.9


def test_oracle_catches_a_bound_without_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: rounding is left out of the bound."""
    rows, point = cancelling(2000)
    monkeypatch.setattr(signs, "_UNIT", 0.0)
    assert len(wrong_signs(rows, point)) > 0


def test_underflow_proves_nothing() -> None:
    """2^-538 * 2^-537 rounds to a subnormal or to zero; the true sum may be on either side."""
    tiny = 2.0**-538
    row = [tiny, -tiny, 0.0]
    assert sign_of_row(row, 0.0, [2.0**-537 * 1.25, 2.0**-537]) is None
    assert sign_of_row([1.0, 0.0], 0.0, [1e-300]) == 1


def test_oracle_catches_a_bound_without_underflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the absolute term is left out."""
    # Three products of 0.625 units each round to 1 unit; the sum -0.125 seems to be 1.
    row = [2.0**-538] * 3 + [-(2.0**-1073)]
    point = [1.25 * 2.0**-537] * 3
    assert wrong_signs([row], [point]) == []
    monkeypatch.setattr(signs, "_TINY", 0.0)
    assert wrong_signs([row], [point]) == [(0, 0)]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_nan_infinity_and_overflow_are_unsure(bad: float) -> None:
    assert sign_of_row([bad, 1.0, 1.0], 0.0, [1e308, 1.0]) is None
    assert sign_of_row([1e308, 1.0, 1.0], 0.0, [bad, 1.0]) is None
    assert sign_of_row([1.0, 1.0], [abs(bad), 0.0], [1e308]) is None


def test_exact_zero_is_unsure() -> None:
    assert sign_of_row([0.0, 0.0], 0.0, [1.0]) is None
    assert sign_of_row([1.0], 0.0, []) == 1
    assert sign_of_row([-1.0], 0.0, []) == -1


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="shapes"):
        signs_of_rows([[1.0, 2.0]], [[1.0, 2.0]])
    with pytest.raises(InvalidInputError, match="errors >= 0"):
        sign_of_row([1.0, 2.0], -1.0, [1.0])
