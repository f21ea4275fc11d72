"""How numbers become exact, and how they become float64 again.

Every finite float is a rational number, so nothing is lost on the way in. Arrays have one
canonical form: float64 where every entry is a float64 exactly, objects of type ``Fraction``
otherwise. Two arrays that are equal in value are therefore equal in form.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.notation import number_from_str, number_to_str

__all__ = [
    "exact_array",
    "float_array",
    "fraction",
    "fractions_of",
    "integers_of",
    "is_float64",
    "number_from_str",
    "number_to_str",
]


def fraction(value: Any) -> Fraction:
    """Return the rational number that `value` is.

    Parameters
    ----------
    value : float, int, bool, Fraction, Decimal, str, or a numpy scalar of such a type
        A finite real number. A float stands for its own value (``0.1`` is not one tenth), a
        string for the number written in it.

    Returns
    -------
    Fraction
        Equal to `value`.

    Raises
    ------
    ValueError
        NaN, an infinity, or a string that is not a number.
    TypeError
        A complex number or something that is not a number.

    Algorithm
    ---------
    The integer ratio of the float.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> fraction(0.375), fraction("1/3")
    (Fraction(3, 8), Fraction(1, 3))
    """
    if type(value) is Fraction:
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"fraction needs a finite number; got {value}.")
        return number_from_str(str(value))
    if isinstance(value, float | np.floating):
        if value != value:
            raise ValueError("fraction needs a finite number; got NaN.")
        if abs(value) == float("inf"):
            raise ValueError(f"fraction needs a finite number; got {value}.")
        top, bottom = value.as_integer_ratio()
        return Fraction(int(top), int(bottom))
    if isinstance(value, int | np.integer | np.bool_):
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        return number_from_str(str(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return fraction(value[()])
    if isinstance(value, complex | np.complexfloating):
        raise TypeError(f"fraction needs a real number; got the complex number {value}.")
    raise TypeError(f"fraction needs a real number; got {_type_name(value)}.")


def is_float64(number: Fraction | int) -> bool:
    """Tell whether a rational number is a float64 exactly.

    Parameters
    ----------
    number : Fraction or int
        Any rational number.

    Returns
    -------
    bool
        True iff some finite float64 equals `number`.

    Algorithm
    ---------
    The denominator must be a power of two; then one rounding to float64 and one comparison.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> is_float64(Fraction(3, 8)), is_float64(Fraction(1, 3)), is_float64(2**60 + 1)
    (True, False, False)
    """
    bottom = number.denominator
    if bottom & (bottom - 1):
        return False
    try:
        return (number.numerator / bottom).as_integer_ratio() == (number.numerator, bottom)
    except OverflowError:
        return False


def exact_array(
    values: Any,
    ndim: int,
    *,
    verb: str = "exact_array",
    noun: str = "numbers",
    name: str = "values",
) -> NDArray[Any]:
    """Return `values` as a read-only array that stands for exactly these numbers.

    Parameters
    ----------
    values : array_like
        Floats of any width, integers of any size, bools, Fractions, Decimals, strings such as
        ``"13/90"``, in arrays or nested lists.
    ndim : int
        The number of axes that the array must have.
    verb, noun, name : str
        Words for the error messages: who asks, for what, and the name of `values`.

    Returns
    -------
    ndarray
        A read-only copy: float64 when every entry is a float64 exactly, otherwise objects of
        type Fraction. Minus zero becomes zero.

    Raises
    ------
    ValueError
        NaN, an infinity, a text that is no number, rows of different lengths, a wrong number
        of axes.
    TypeError
        Complex numbers or entries that are not numbers.

    Algorithm
    ---------
    Arrays of floats and of small integers are converted at once, others entry by entry.

    Exactness
    ---------
    Exact: no entry changes its value.

    Examples
    --------
    >>> exact_array([[1, 0.5]], 2)
    array([[1. , 0.5]])
    >>> exact_array([1, "1/3"], 1)
    array([Fraction(1, 1), Fraction(1, 3)], dtype=object)
    """
    given = _as_ndarray(values)
    if given.dtype.kind == "c":
        raise TypeError(f"{verb} needs real {noun}; got complex numbers in {name}.")
    if given.ndim != ndim or _holds_sequences(given):
        raise ValueError(_axes_message(values, given, ndim, verb, name))
    fast = _without_loop(given)
    result = _entry_by_entry(given, verb, noun, name) if fast is None else fast
    if result.dtype.kind == "f":
        finite = np.isfinite(result)
        if not finite.all():
            where = tuple(int(k) for k in np.argwhere(~finite)[0])
            raise ValueError(
                f"{verb} needs finite {noun}; got {_not_finite(result[where])} in "
                f"{_entry(name, where)}. Replace it by a finite number."
            )
        result += 0.0  # minus zero and zero are one number and must have one form
    result.setflags(write=False)
    return result


def fractions_of(array: NDArray[Any]) -> Any:
    """Return the entries of an array as Fractions, in nested lists of the array's shape.

    Parameters
    ----------
    array : ndarray, any shape
        Floats, integers or Fractions, all finite.

    Returns
    -------
    list (nested), or Fraction for an array without axes
        The same numbers.

    Raises
    ------
    ValueError
        NaN or an infinity.

    Algorithm
    ---------
    Entry by entry; about one microsecond each.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> fractions_of(np.array([[0.5, 2.0]]))
    [[Fraction(1, 2), Fraction(2, 1)]]
    """
    if array.dtype == np.longdouble and array.dtype != np.float64:
        return _nested(list(array)) if array.ndim else fraction(array[()])
    return _nested(array.tolist())


def integers_of(array: NDArray[Any]) -> tuple[list[int], int]:
    """Return an array as integers over one common denominator, the smallest possible.

    Parameters
    ----------
    array : ndarray, any shape
        A result of `exact_array`: float64, or objects of type Fraction.

    Returns
    -------
    numerators : list of int
        In C order; ``array.flat[k] == numerators[k] / denominator``.
    denominator : int
        The least common denominator, at least 1.

    Algorithm
    ---------
    For float64 the binary exponents are read off for all entries at once (0.1 microseconds an
    entry); for Fractions one least common multiple.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> integers_of(np.array([0.5, -3.0]))
    ([1, -6], 2)
    """
    flat = array.ravel()
    if array.dtype != np.float64:
        numbers = [fraction(v) for v in flat]
        denominator = math.lcm(*(v.denominator for v in numbers))
        return [v.numerator * (denominator // v.denominator) for v in numbers], denominator
    mantissa, exponent = np.frexp(flat)
    odd = (mantissa * 2.0**53).astype(np.int64)
    power = exponent.astype(np.int64) - 53
    # Strip trailing zero bits, so that integer weights stay small integers.
    zeros = np.frexp((odd & -odd).astype(np.float64))[1].astype(np.int64) - 1
    zeros[odd == 0] = 0
    odd >>= zeros
    power += zeros
    power[odd == 0] = 0
    lowest = min(0, int(power.min(initial=0)))
    shifts = (power - lowest).tolist()
    return [m << s for m, s in zip(odd.tolist(), shifts, strict=True)], 1 << -lowest


def float_array(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return an array of exact numbers rounded to float64, each entry to the nearest.

    Parameters
    ----------
    array : ndarray, any shape
        Floats, integers or Fractions.

    Returns
    -------
    ndarray of float64
        Read-only. The array itself when it is a read-only float64 array already.

    Raises
    ------
    OverflowError
        An entry is too large for a float64.

    Algorithm
    ---------
    One division of integers per entry, which Python rounds correctly.

    Exactness
    ---------
    Correctly rounded (half to even); tiny numbers may round to a subnormal number or to zero.

    Examples
    --------
    >>> float_array(np.array([Fraction(1, 3)], dtype=object))
    array([0.33333333])
    """
    if array.dtype == np.float64:
        result = array if not array.flags.writeable else array.copy()
    else:
        result = np.empty(array.shape, dtype=np.float64)
        for where in np.ndindex(array.shape):
            number = fraction(array[where])
            try:
                result[where] = number.numerator / number.denominator
            except OverflowError:
                raise OverflowError(
                    f"float_array needs numbers below 1.8e308; got a larger one at "
                    f"{list(where)}. Scale the numbers down or stay with exact arithmetic."
                ) from None
    result.setflags(write=False)
    return result


def _as_ndarray(values: Any) -> NDArray[Any]:
    if hasattr(values, "__array__"):
        return np.asarray(values)
    # dtype=object keeps every entry as it is: 2**60 + 1 beside a float must not be rounded.
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        values = list(values) if not isinstance(values, list | tuple) else values
    try:
        return np.array(values, dtype=object)
    except ValueError:  # numpy refuses some ragged nestings instead of leaving lists as entries
        ragged = np.empty(len(values), dtype=object)
        for k, item in enumerate(values):
            ragged[k] = item
        return ragged


def _holds_sequences(given: NDArray[Any]) -> bool:
    if given.dtype != object:
        return False
    return any(isinstance(v, list | tuple | np.ndarray) and np.ndim(v) for v in given.flat)


def _without_loop(given: NDArray[Any]) -> NDArray[Any] | None:
    """Convert at once where the type alone proves that float64 holds every entry."""
    kind = given.dtype.kind
    if kind == "b" or (kind == "f" and given.dtype.itemsize <= 8):
        return given.astype(np.float64)
    if kind in "iu" and given.size and -(2**53) <= given.min() and given.max() <= 2**53:
        return given.astype(np.float64)
    if given.dtype == object and all(type(v) is float for v in given.flat):
        return given.astype(np.float64)
    return None


def _entry_by_entry(given: NDArray[Any], verb: str, noun: str, name: str) -> NDArray[Any]:
    numbers = np.empty(given.shape, dtype=object)
    all_float64 = True
    for where in np.ndindex(given.shape):
        value: object = given[where]
        try:
            number = fraction(value)
        except TypeError:
            got = f"{value!r}" if isinstance(value, complex) else _type_name(value)
            raise TypeError(
                f"{verb} needs real {noun}; got {got} in {_entry(name, where)}."
            ) from None
        except ValueError:
            got = _not_finite(value) if isinstance(value, float | np.floating) else f"'{value}'"
            raise ValueError(
                f"{verb} needs finite {noun}; got {got} in {_entry(name, where)}. "
                "Replace it by a finite number."
            ) from None
        numbers[where] = number
        all_float64 = all_float64 and is_float64(number)
    if not all_float64:
        return numbers
    result = np.empty(given.shape, dtype=np.float64)
    for where in np.ndindex(given.shape):
        result[where] = float(numbers[where])
    return result


def _axes_message(values: Any, given: NDArray[Any], ndim: int, verb: str, name: str) -> str:
    axes = {0: "a single number", 1: "one axis", 2: "two axes"}.get(ndim, f"{ndim} axes")
    if given.dtype == object and _holds_sequences(given):
        return f"{verb} needs {axes} for {name}; got rows of different lengths."
    if given.ndim == 0 and ndim:
        return f"{verb} needs {axes} for {name}; got {_type_name(values)}."
    return f"{verb} needs {axes} for {name}; got shape {given.shape}."


def _not_finite(value: Any) -> str:
    return "NaN" if value != value else ("inf" if value > 0 else "-inf")


def _entry(name: str, where: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, where))}]" if where else name


def _type_name(value: Any) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _nested(item: Any) -> Any:
    if isinstance(item, list | np.ndarray):
        return [_nested(entry) for entry in item]
    return fraction(item)
