"""Sums, products and quotients of arrays against Fractions, one entry at a time."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from plregions.readers import exact_elementwise
from plregions.readers.exact_elementwise import (
    exact_matrix_vector,
    exact_product,
    exact_quotient,
    exact_sum,
    float64_matrix_product,
    magnitudes,
)

FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-20, 20).map(float),
    st.integers(-1074, 1023).map(lambda k: 2.0**k),
    st.floats(-10, 10, width=32),
    st.sampled_from([5e-324, 1.7976931348623157e308, 2.2250738585072014e-308]),
)
NUMBERS = st.one_of(FLOATS, st.fractions(-10, 10, max_denominator=50))
OPERATIONS = {
    exact_sum: lambda a, b: a + b,
    exact_product: lambda a, b: a * b,
    exact_quotient: lambda a, b: a / b,
}


def array_of(numbers: list[Any]) -> NDArray[Any]:
    if all(isinstance(number, float) for number in numbers):
        return np.array(numbers)
    return np.array([Fraction(number) for number in numbers], dtype=object)


def fractions_in(array: NDArray[Any]) -> list[Fraction]:
    return [Fraction(value) for value in array.ravel().tolist()]


def is_float64(number: Fraction) -> bool:
    try:
        return Fraction(float(number)) == number
    except OverflowError:
        return False


@pytest.mark.parametrize("function", OPERATIONS)
@given(pairs=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=3))
def test_entry_by_entry(function: Any, pairs: list[tuple[Any, Any]]) -> None:
    if function is exact_quotient:
        pairs = [(a, b or 3.0) for a, b in pairs]
    left, right = (array_of(list(side)) for side in zip(*pairs, strict=True))
    result = function(left, right)
    expected = [OPERATIONS[function](Fraction(a), Fraction(b)) for a, b in pairs]
    assert fractions_in(result) == expected
    assert (result.dtype == np.float64) == all(map(is_float64, expected))


@pytest.mark.parametrize("part", ["_product_error", "_scaled"])
def test_planted_fault_in_the_error_term(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the error term, or the check of the range, rounded products pass as exact."""
    fault = {
        "_product_error": lambda left, right, product: np.zeros_like(product),
        "_scaled": lambda mantissa, exponent: np.ldexp(mantissa, exponent),
    }[part]
    monkeypatch.setattr(exact_elementwise, part, fault)
    left = np.array([0.1 if part == "_product_error" else 3 * 2.0**-600])
    right = np.array([0.1 if part == "_product_error" else 2.0**-474])
    right = right / 2 if part == "_scaled" else right
    assert fractions_in(exact_product(left, right)) != [Fraction(left[0]) * Fraction(right[0])]
    monkeypatch.undo()
    assert fractions_in(exact_product(left, right)) == [Fraction(left[0]) * Fraction(right[0])]


MATRICES = st.tuples(*[st.integers(1, 3)] * 3, st.integers(0, 2**32 - 1), st.booleans())


@given(MATRICES)
def test_matrices(sizes: tuple[int, int, int, int, bool]) -> None:
    m, k, n, seed, is_wide = sizes
    rng = np.random.default_rng(seed)
    scale = 2.0 ** rng.integers(-40, 40, (m, k)) if is_wide else 1.0
    left = np.where(rng.random((m, k)) < 0.3, 0.0, rng.integers(-9, 9, (m, k)) * scale)
    right = rng.standard_normal((k, n)).astype(np.float32).astype(np.float64)
    exact = [
        [
            sum(Fraction(a) * Fraction(b) for a, b in zip(row, column, strict=True))
            for column in right.T
        ]
        for row in left
    ]
    product = float64_matrix_product(left, right)
    if product is not None:
        assert fractions_in(product) == [value for row in exact for value in row]
    elif not is_wide:
        raise AssertionError("small integers times float32 numbers of one size are float64")
    column = exact_matrix_vector(left, right[:, 0])
    assert fractions_in(column) == [row[0] for row in exact]
    thirds = exact_quotient(right[:, 0], np.full(k, 3.0))
    assert fractions_in(exact_matrix_vector(left, thirds)) == [row[0] / 3 for row in exact]


def test_matrix_product_is_refused_where_it_rounds() -> None:
    assert float64_matrix_product(np.array([[0.1]]), np.array([[0.1]])) is None
    assert float64_matrix_product(np.array([[1.0, 1.0]]), np.array([[1.0], [2.0**-60]])) is None
    assert float64_matrix_product(np.array([[2.0**-600]]), np.array([[2.0**-600]])) is None
    assert float64_matrix_product(np.array([[2.0**600]]), np.array([[2.0**600]])) is None
    # Cancellation does not make a partial sum exact.
    left = np.array([[1.0, 1.0, 1.0]])
    assert float64_matrix_product(left, np.array([[2.0**53], [1.0], [-(2.0**53)]])) is None
    objects = np.array([[Fraction(1, 3)]], dtype=object)
    assert float64_matrix_product(objects, np.array([[3.0]])) is None


def test_magnitudes() -> None:
    assert magnitudes(np.array([-2.0, 3.0])).tolist() == [2, 3]
    huge = np.array([Fraction(-(10**400)), Fraction(1, 4)], dtype=object)
    assert magnitudes(huge).tolist() == [np.inf, 0.25]
