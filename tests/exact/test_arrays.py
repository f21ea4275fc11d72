"""Numbers go in exactly, come out correctly rounded, and have one form each."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.exact import arrays
from plregions.exact.arrays import (
    exact_array,
    float_array,
    fraction,
    fractions_of,
    integers_of,
    is_float64,
    number_from_str,
    number_to_str,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
ratios = st.fractions() | st.builds(
    lambda m, e: Fraction(m) * Fraction(2) ** e, st.integers(), st.integers(-1200, 1200)
)


def value_of_float64(x: float) -> Fraction:
    """The number that the 64 bits stand for, by IEEE 754 and no library."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", x))
    sign, exponent, mantissa = bits >> 63, (bits >> 52) & 0x7FF, bits & (2**52 - 1)
    if exponent:
        mantissa += 2**52
    return (-1) ** sign * mantissa * Fraction(2) ** (max(exponent, 1) - 1075)


def is_nearest(x: float, number: Fraction) -> bool:
    """Whether no other float64 is closer to the number."""
    distance = abs(value_of_float64(x) - number)
    neighbours = [math.nextafter(x, side) for side in (-math.inf, math.inf)]
    return all(
        distance <= abs(value_of_float64(y) - number) for y in neighbours if math.isfinite(y)
    )


@given(finite)
def test_fraction_of_float(x: float) -> None:
    assert fraction(x) == fraction(np.float64(x)) == value_of_float64(x)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_fraction_of_narrow_floats(x: float) -> None:
    assert fraction(np.float32(x)) == value_of_float64(x)
    assert exact_array(np.array([x], dtype=np.float32), 1)[0] == value_of_float64(x)


def test_value_of_float64_catches_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "Fraction", lambda a, b=1: Fraction(a, b).limit_denominator(10**9))
    assert arrays.fraction(0.1) != value_of_float64(0.1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        (True, Fraction(1)),
        (2**100 + 1, Fraction(2**100 + 1)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (np.bool_(True), Fraction(1)),
        (np.float16(0.1), Fraction(819, 8192)),
        (Decimal("0.1"), Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (" -13/90 ", Fraction(-13, 90)),
        ("+2.5e-3", Fraction(1, 400)),
        (".5", Fraction(1, 2)),
        ("1E3", Fraction(1000)),
        (np.array(0.5), Fraction(1, 2)),
        (5e-324, Fraction(1, 2**1074)),
    ],
)
def test_fraction_of_other_numbers(value: Any, expected: Fraction) -> None:
    result = fraction(value)
    assert type(result) is Fraction
    assert result == expected


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (math.nan, ValueError),
        (-math.inf, ValueError),
        (Decimal("NaN"), ValueError),
        (Decimal("sNaN"), ValueError),
        (Decimal("Infinity"), ValueError),
        (Decimal("1e999999999"), ValueError),
        ("nan", ValueError),
        ("1/0", ValueError),
        ("1e999999999", ValueError),
        ("1_000", ValueError),
        ("0x10", ValueError),
        ("", ValueError),
        ("1/2/3", ValueError),
        ("\u0663", ValueError),
        (1j, TypeError),
        (None, TypeError),
        ([1.0], TypeError),
    ],
)
def test_fraction_refuses(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"needs .*; got"):
        fraction(value)


@given(ratios)
def test_text_round_trip(number: Fraction) -> None:
    assert number_from_str(number_to_str(number)) == number


def test_text_of_very_long_numbers() -> None:
    number = Fraction(-(7**20_000), 2**30_000)
    assert number_from_str(number_to_str(number)) == number
    assert number_from_str("+" + "9" * 9000) == 10**9000 - 1


@given(ratios)
def test_is_float64(number: Fraction) -> None:
    # By definition: at most 53 bits between the highest and the lowest, in the exponents' range.
    top, bottom = abs(number.numerator), number.denominator
    shift = bottom.bit_length() - 1
    odd = top >> max((top & -top).bit_length() - 1, 0)
    expected = (
        bottom == 1 << shift
        and shift <= 1074
        and odd.bit_length() <= 53
        and top.bit_length() - shift <= 1024
    )
    assert is_float64(number) == expected


@given(st.lists(finite | ratios | st.integers(), max_size=6))
def test_exact_array_keeps_values_in_one_form(values: list[Any]) -> None:
    result = exact_array(values, 1)
    assert [Fraction(v) for v in result] == [Fraction(v) for v in values]
    assert (result.dtype == np.float64) == all(is_float64(Fraction(v)) for v in values)
    assert not result.flags.writeable
    again = exact_array([Fraction(v) for v in values], 1)
    assert again.dtype == result.dtype
    if result.dtype == np.float64:
        assert again.tobytes() == result.tobytes()
    else:
        assert {type(v) for v in result} == {Fraction}


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "longdouble", "int8", "int64", "uint64", "bool"]
)
def test_exact_array_of_every_dtype(dtype: str) -> None:
    given_array = np.array([[0, 1], [1, 1]]).astype(dtype)
    result = exact_array(given_array, 2)
    assert result.dtype == np.float64
    assert result.tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert given_array.flags.writeable


def test_exact_array_copies() -> None:
    given_array = np.array([1.0, 2.0])
    result = exact_array(given_array, 1)
    given_array[0] = 9
    assert result.tolist() == [1.0, 2.0]


def test_integers_beside_floats_are_not_rounded() -> None:
    assert exact_array([2**60 + 1, 0.5], 1)[0] == 2**60 + 1
    assert exact_array(np.array([2**60 + 1]), 1)[0] == 2**60 + 1
    assert exact_array([np.array([2**60 + 1]), np.array([1])], 2)[0, 0] == 2**60 + 1


def test_minus_zero_is_zero() -> None:
    assert exact_array([-0.0], 1).tobytes() == exact_array([0], 1).tobytes()


def test_empty_and_generated_values() -> None:
    assert exact_array([], 1).shape == (0,)
    assert exact_array(np.zeros((0, 3)), 2).shape == (0, 3)
    assert exact_array((k for k in (1, 2)), 1).tolist() == [1.0, 2.0]
    assert exact_array(0.5, 0).shape == ()


@pytest.mark.parametrize(
    ("values", "ndim", "error", "text"),
    [
        ([1.0, math.nan], 1, ValueError, r"finite biases; got NaN in layer 0, bias\[1\]"),
        ([[1, "inf"]], 2, ValueError, r"got 'inf' in layer 0, bias\[0, 1\]"),
        ([Fraction(1, 3), -math.inf], 1, ValueError, r"got -inf in layer 0, bias\[1\]"),
        (np.array([np.inf], np.longdouble), 1, ValueError, r"got inf in layer 0, bias\[0\]"),
        ([1, None], 1, TypeError, r"got None in layer 0, bias\[1\]"),
        ([1j], 1, TypeError, r"got 1j in layer 0, bias\[0\]"),
        (np.array([1j]), 1, TypeError, "got complex numbers in layer 0, bias"),
        ([1, [2]], 1, ValueError, "rows of different lengths"),
        ([[1, 2], [3]], 2, ValueError, "rows of different lengths"),
        ([np.ones((2, 2)), np.ones((2, 3))], 2, ValueError, "rows of different lengths"),
        ([1, 2], 2, ValueError, r"two axes for layer 0, bias; got shape \(2,\)"),
        ([[1, 2]], 1, ValueError, r"one axis for layer 0, bias; got shape \(1, 2\)"),
        (None, 1, ValueError, "got None"),
        ("12", 1, ValueError, "type str"),
        (np.array(["2020-01-01"], dtype="M8[D]"), 1, TypeError, "datetime64"),
    ],
)
def test_exact_array_refuses(values: Any, ndim: int, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^Network needs .*{text}"):
        exact_array(values, ndim, verb="Network", noun="biases", name="layer 0, bias")


@given(st.lists(finite | ratios, min_size=1, max_size=5))
def test_integers_of(values: list[Any]) -> None:
    array = exact_array(values, 1)
    numerators, denominator = integers_of(array)
    assert {type(v) for v in numerators} == {int}
    assert [Fraction(n, denominator) for n in numerators] == [Fraction(v) for v in values]
    assert denominator == math.lcm(*(Fraction(v).denominator for v in values))


def test_integers_of_edges() -> None:
    assert integers_of(np.zeros((0, 3))) == ([], 1)
    assert integers_of(np.array([[0.0, 3.0], [2.0**1000, 0.0]])) == ([0, 3, 2**1000, 0], 1)
    assert integers_of(np.array([5e-324, -1.0])) == ([1, -(2**1074)], 2**1074)


def test_fractions_of() -> None:
    assert fractions_of(np.array([[0.5], [2.0]])) == [[Fraction(1, 2)], [Fraction(2)]]
    assert fractions_of(exact_array(["1/3"], 1)) == [Fraction(1, 3)]
    assert fractions_of(np.array(0.5)) == Fraction(1, 2)
    third = np.array([1], dtype=np.longdouble) / 3
    assert fractions_of(third) == [Fraction(*(int(v) for v in third[0].as_integer_ratio()))]
    with pytest.raises(ValueError, match="got NaN"):
        fractions_of(np.array([math.nan]))


@given(ratios.filter(lambda r: abs(r) < Fraction(2) ** 1023))
def test_float_array_rounds_to_nearest(number: Fraction) -> None:
    (result,) = float_array(np.array([number], dtype=object))
    assert is_nearest(float(result), number)


def test_nearest_catches_a_planted_fault() -> None:
    assert is_nearest(0.1, Fraction(1, 10))
    assert not is_nearest(math.nextafter(0.1, 1), Fraction(1, 10))


def test_float_array_cannot_miss_overflow() -> None:
    with pytest.raises(OverflowError, match=r"got a larger one at \[1\]"):
        float_array(exact_array([1, 2**1024], 1))


def test_float_array_is_read_only() -> None:
    frozen, free = exact_array([1.0], 1), np.array([1.0])
    assert float_array(frozen) is frozen
    result = float_array(free)
    free[0] = 2
    assert result.tolist() == [1.0]
    assert not result.flags.writeable
