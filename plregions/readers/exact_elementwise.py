"""What is the exact sum, product or quotient of two arrays of numbers?

Arrays are float64 for as long as every result is a float64 exactly, and objects of type Fraction
from the first result that is not. Nothing is ever rounded.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "as_fractions",
    "exact_matrix_vector",
    "exact_product",
    "exact_quotient",
    "exact_sum",
    "exact_zeros",
    "float64_matrix_product",
    "magnitudes",
]

Array = NDArray[Any]

# Splits a float64 into two halves of 26 bits (Veltkamp).
_SPLITTER = float(2**27 + 1)
_to_fraction = np.frompyfunc(Fraction, 1, 1)
_integer_ratio = np.frompyfunc(lambda number: number.as_integer_ratio(), 1, 2)


def as_fractions(values: Array) -> Array:
    """Return the same numbers as objects of type Fraction, also where float64 would do.

    Parameters
    ----------
    values : ndarray of float64 or of int or Fraction
        Finite numbers.

    Returns
    -------
    ndarray of Fraction, same shape

    Algorithm
    ---------
    One conversion an entry.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> as_fractions(np.array([0.5]))
    array([Fraction(1, 2)], dtype=object)
    """
    if values.dtype == object:
        return values
    return np.asarray(_to_fraction(values), dtype=object)


def exact_zeros(shape: tuple[int, ...], like: Array) -> Array:
    """Return zeros of the type of another array: a float among Fractions would make sums round.

    Parameters
    ----------
    shape : tuple of int
    like : ndarray of float64 or of Fraction

    Returns
    -------
    ndarray

    Algorithm
    ---------
    One array filled with one number.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> exact_zeros((1,), np.array([Fraction(1, 3)], dtype=object))
    array([Fraction(0, 1)], dtype=object)
    """
    if like.dtype == object:
        return np.full(shape, Fraction(0), dtype=object)
    return np.zeros(shape)


def exact_sum(left: Array, right: Array) -> Array:
    """Return ``left + right`` without rounding.

    Parameters
    ----------
    left, right : ndarray of float64 or of Fraction, shapes that broadcast
        Finite numbers.

    Returns
    -------
    ndarray
        float64 when every sum is a float64 exactly, otherwise objects of type Fraction.

    Algorithm
    ---------
    Knuth's error-free transformation: the float sum is exact iff the error term is 0.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> exact_sum(np.array([0.5]), np.array([0.25]))
    array([0.75])
    >>> exact_sum(np.array([1.0]), np.array([2.0**-60]))
    array([Fraction(1152921504606846977, 1152921504606846976)], dtype=object)
    """
    left, right = np.broadcast_arrays(left, right)
    if left.dtype == np.float64 and right.dtype == np.float64:
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.asarray(left + right)
            part = total - left
            error = (left - (total - part)) + (right - part)
        if bool(np.all(error == 0.0)):  # NaN after an overflow is not 0 either
            return total
    return _apart(left, right, np.add)


def exact_product(left: Array, right: Array) -> Array:
    """Return ``left * right``, entry by entry, without rounding.

    Parameters
    ----------
    left, right : ndarray of float64 or of Fraction, shapes that broadcast
        Finite numbers.

    Returns
    -------
    ndarray
        float64 when every product is a float64 exactly, otherwise objects of type Fraction.

    Algorithm
    ---------
    Dekker's error-free transformation on the mantissas, the exponents added apart, so that
    neither overflow nor underflow can hide an error.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> exact_product(np.array([0.1]), np.array([3.0]))
    array([Fraction(10808639105689191, 36028797018963968)], dtype=object)
    """
    left, right = np.broadcast_arrays(left, right)
    if left.dtype == np.float64 and right.dtype == np.float64:
        mantissa_left, exponent_left = np.frexp(left)
        mantissa_right, exponent_right = np.frexp(right)
        product = mantissa_left * mantissa_right
        if bool(np.all(_product_error(mantissa_left, mantissa_right, product) == 0.0)):
            scaled = _scaled(product, exponent_left + exponent_right)
            if scaled is not None:
                return scaled
    return _apart(left, right, np.multiply)


def exact_quotient(left: Array, right: Array) -> Array:
    """Return ``left / right``, entry by entry, without rounding.

    Parameters
    ----------
    left, right : ndarray of float64 or of Fraction, shapes that broadcast
        Finite numbers, those of `right` other than 0.

    Returns
    -------
    ndarray
        float64 when every quotient is a float64 exactly, otherwise objects of type Fraction.

    Algorithm
    ---------
    The float quotient of the mantissas is exact iff multiplying it by the divisor gives the
    dividend back without error.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> exact_quotient(np.array([1.0, 6.0]), np.array([4.0]))
    array([0.25, 1.5 ])
    >>> exact_quotient(np.array([1.0]), np.array([3.0]))
    array([Fraction(1, 3)], dtype=object)
    """
    left, right = np.broadcast_arrays(left, right)
    if left.dtype == np.float64 and right.dtype == np.float64:
        mantissa_left, exponent_left = np.frexp(left)
        mantissa_right, exponent_right = np.frexp(right)
        quotient = mantissa_left / mantissa_right
        back = quotient * mantissa_right
        error = _product_error(quotient, mantissa_right, back)
        if bool(np.all((back == mantissa_left) & (error == 0.0))):
            scaled = _scaled(quotient, exponent_left - exponent_right)
            if scaled is not None:
                return scaled
    return _apart(left, right, np.divide)


def exact_matrix_vector(matrix: Array, vector: Array) -> Array:
    """Return ``matrix @ vector`` without rounding.

    Parameters
    ----------
    matrix : ndarray (m, n) of float64 or of Fraction
    vector : ndarray (n,) of float64 or of Fraction

    Returns
    -------
    ndarray (m,)
        float64 when every entry is a float64 exactly, otherwise objects of type Fraction.

    Algorithm
    ---------
    Integers over a common denominator for each row; columns where the vector is 0 are left out.
    Half a microsecond an entry.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> exact_matrix_vector(np.array([[1.0, 2.0]]), np.array([0.5, 0.25]))
    array([1.])
    """
    columns = np.flatnonzero(vector)
    if columns.size == 0:
        return np.zeros(matrix.shape[0])
    tops, bottoms = (part.tolist() for part in _integer_ratio(vector[columns]))
    shared = lcm(*bottoms)
    weights = [top * (shared // bottom) for top, bottom in zip(tops, bottoms, strict=True)]
    entries = np.empty(matrix.shape[0], dtype=object)
    for k, row in enumerate(matrix):
        tops, bottoms = (part.tolist() for part in _integer_ratio(row[columns]))
        below = lcm(*bottoms)
        total = sum(
            top * (below // bottom) * weight
            for top, bottom, weight in zip(tops, bottoms, weights, strict=True)
        )
        entries[k] = Fraction(total, below * shared)
    return _as_float64(entries)


def float64_matrix_product(left: Array, right: Array) -> NDArray[np.float64] | None:
    """Return ``left @ right`` if float64 arithmetic is proved to make it without any rounding.

    Parameters
    ----------
    left : ndarray (m, k) of float64 or of Fraction
    right : ndarray (k, n) of float64 or of Fraction

    Returns
    -------
    ndarray (m, n) of float64, or None
        The exact product; None when a rounding is possible or an operand is not float64.

    Algorithm
    ---------
    Row i of the left factor holds multiples of 2^u, column j of the right one multiples of 2^v.
    When the sum of the products' absolute values is at most 2^53 times 2^(u + v), every partial
    sum, in whatever order, is a float64. Two float products of matrices.

    Exactness
    ---------
    Exact when not None. The answer may be None for a product that is exact by luck.

    Examples
    --------
    >>> float64_matrix_product(np.array([[1.0, -1.0]]), np.array([[0.5], [0.125]]))
    array([[0.375]])
    >>> float64_matrix_product(np.array([[0.1]]), np.array([[0.1]])) is None
    True
    """
    if left.dtype != np.float64 or right.dtype != np.float64:
        return None
    units = _lowest_bits(left).min(axis=1)[:, None] + _lowest_bits(right).min(axis=0)[None, :]
    inner = left.shape[1]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        # Rounded up by more than the sum can have lost.
        majorant = (np.abs(left) @ np.abs(right)) * (1.0 + (inner + 2) * 2.0**-52)
        is_exact = np.isfinite(majorant) & (units >= -1074)
        is_exact &= majorant <= np.ldexp(1.0, np.minimum(units + 53, 1023))
        if not bool(np.all(is_exact)):
            return None
        product: NDArray[np.float64] = left @ right
    return product


def magnitudes(values: Array) -> NDArray[np.float64]:
    """Return the absolute values as float64, for error bounds: rounded, infinite when too large.

    Parameters
    ----------
    values : ndarray of float64 or of Fraction

    Returns
    -------
    ndarray of float64, same shape

    Algorithm
    ---------
    One conversion an entry.

    Exactness
    ---------
    Rounded to nearest.

    Examples
    --------
    >>> magnitudes(np.array([Fraction(-1, 4)], dtype=object))
    array([0.25])
    """
    if values.dtype == np.float64:
        return np.asarray(np.abs(values), dtype=np.float64)
    rounded = np.array([_rounded(value) for value in values.ravel()], dtype=np.float64)
    return np.abs(rounded).reshape(values.shape)


def _apart(left: Array, right: Array, operation: np.ufunc) -> Array:
    result = operation(as_fractions(left), as_fractions(right))
    return _as_float64(np.asarray(result, dtype=object))


def _as_float64(values: Array) -> Array:
    floats = np.array([_rounded(value) for value in values.ravel()], dtype=np.float64)
    pairs = zip(floats.tolist(), values.ravel(), strict=True)
    # Fraction against float compares the exact values; infinities are equal to no Fraction.
    is_float64 = all(number == value for number, value in pairs)
    return floats.reshape(values.shape) if is_float64 else values


def _rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _product_error(left: Array, right: Array, product: Array) -> Array:
    """``left * right - product`` exactly, for factors within [1/4, 2] in absolute value, or 0."""
    high_left = left * _SPLITTER - (left * _SPLITTER - left)
    high_right = right * _SPLITTER - (right * _SPLITTER - right)
    low_left, low_right = left - high_left, right - high_right
    error = ((high_left * high_right - product) + high_left * low_right) + low_left * high_right
    return np.asarray(error + low_left * low_right)


def _scaled(mantissa: Array, exponent: Array) -> Array | None:
    """``mantissa * 2**exponent``, None where that is not a float64."""
    with np.errstate(over="ignore", under="ignore"):
        result = np.asarray(np.ldexp(mantissa, exponent))
        back = np.ldexp(result, -exponent)
    return result if bool(np.all(np.isfinite(result) & (back == mantissa))) else None


def _lowest_bits(values: Array) -> NDArray[np.int64]:
    """The exponent of the last set bit of each entry; a large number for 0, which has none."""
    mantissa, exponent = np.frexp(values)
    integers = np.ldexp(mantissa, 53).astype(np.int64)
    low = (integers & -integers).astype(np.float64)
    # frexp of 2^t is (1/2, t + 1).
    lowest = np.frexp(low)[1].astype(np.int64) - 1 + exponent.astype(np.int64) - 53
    return np.where(integers == 0, np.int64(2000), lowest)
