"""What is the shortest integer row that points the same way as a rational row?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import index

from plregions.errors import InvalidInputError

__all__ = ["Rational", "primitive_row", "split_content"]

_MESSAGE = "A row needs int or Fraction entries; got {}. Convert it with exact.arrays.fraction."

#: The exact numbers that the functions of this package take.
Rational = int | Fraction


def primitive_row(row: Sequence[Rational]) -> list[int]:
    """Return the positive multiple of a rational row that has coprime integer entries.

    Parameters
    ----------
    row : sequence of int or Fraction, length n

    Returns
    -------
    list of int
        All zero when `row` is all zero.

    Raises
    ------
    InvalidInputError
        An entry is neither an integer nor a Fraction.

    Algorithm
    ---------
    One least common multiple of the denominators, one greatest common divisor.

    Exactness
    ---------
    Exact. The factor is positive, so every sign and every half-space stays what it was.

    Examples
    --------
    >>> primitive_row([Fraction(1, 2), Fraction(-1, 3), 0])
    [3, -2, 0]
    >>> primitive_row([4, -6])
    [2, -3]
    """
    return split_content(row)[1]


def split_content(row: Sequence[Rational]) -> tuple[Rational, list[int]]:
    """Split a row into a positive factor and its primitive integer row.

    Parameters
    ----------
    row : sequence of int or Fraction, length n

    Returns
    -------
    content : int or Fraction
        Positive; 1 when `row` is all zero.
    primitive : list of int
        Coprime entries with ``content * primitive == row``.

    Raises
    ------
    InvalidInputError
        An entry is neither an integer nor a Fraction.

    Algorithm
    ---------
    As `primitive_row`; rows of Python integers take a short way of one gcd.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> split_content([Fraction(3, 2), 6])
    (Fraction(3, 2), [1, 4])
    """
    try:
        # index() turns numpy integers into Python integers, which cannot overflow.
        integers = list(map(index, row))  # type: ignore[arg-type]
        denominator = 1
    except TypeError:
        try:
            denominator = lcm(*[value.denominator for value in row])
            integers = [int(value.numerator * (denominator // value.denominator)) for value in row]
        except (AttributeError, TypeError):
            wrong = [v for v in row if not isinstance(v, int | Fraction)]
            got = f"{wrong[0]!r}" if wrong else f"{row!r}"
            raise InvalidInputError(_MESSAGE.format(got)) from None
    content = gcd(*integers)
    if content == 0:
        return 1, integers
    if content != 1:
        integers = [value // content for value in integers]
    if denominator == 1:
        return content, integers
    return Fraction(content, denominator), integers
