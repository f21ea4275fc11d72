"""How an exact number is written: "3", "13/90", "0.1"."""

from __future__ import annotations

import re
from fractions import Fraction

from flint import fmpz

__all__ = ["number_from_str", "number_to_str"]

# A decimal exponent beyond this is a typing error or an attack: 10**e would fill the memory.
_LARGEST_EXPONENT = 10_000
# Python refuses to convert longer digit strings by default; python-flint has no such limit.
_MANY_DIGITS = 4000
_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_RATIO = re.compile(r"([+-]?\d+)\s*/\s*(\d+)\Z", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE]([+-]?\d{1,9}))?\Z", re.ASCII)


def number_from_str(text: str) -> Fraction:
    """Read an exact number: ``"3"``, ``"13/90"``, ``"0.1"`` (one tenth) or ``"-2.5e-3"``.

    Parameters
    ----------
    text : str
        An integer, a ratio of integers or a decimal number; spaces around it do not count.

    Returns
    -------
    Fraction
        The number that is written there, not the float64 next to it.

    Raises
    ------
    ValueError
        The text is not a number, its denominator is zero, or its exponent passes 10000.

    Algorithm
    ---------
    Three patterns tried in turn; long digit strings go through python-flint. Cost is that of
    reading the digits.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> number_from_str("13/90"), number_from_str("0.1")
    (Fraction(13, 90), Fraction(1, 10))
    """
    stripped = text.strip()
    if _INTEGER.match(stripped):
        return Fraction(_integer(stripped))
    ratio = _RATIO.match(stripped)
    if ratio:
        denominator = _integer(ratio[2])
        if denominator == 0:
            raise ValueError(f"number_from_str needs a denominator other than 0; got {text!r}.")
        return Fraction(_integer(ratio[1]), denominator)
    decimal = _DECIMAL.match(stripped)
    if decimal is None or len(stripped) > _MANY_DIGITS:
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise ValueError(
            f"number_from_str needs a number such as '3', '13/90' or '0.1'; got {shown!r}."
        )
    if decimal[3] is not None and abs(int(decimal[3])) > _LARGEST_EXPONENT:
        raise ValueError(
            f"number_from_str needs an exponent of at most {_LARGEST_EXPONENT}; got {text!r}."
        )
    return Fraction(stripped)


def number_to_str(number: Fraction | int) -> str:
    """Write an exact number in the form that `number_from_str` reads: ``"3"`` or ``"13/90"``.

    Parameters
    ----------
    number : Fraction or int
        Any rational number.

    Returns
    -------
    str
        Numerator and, unless it is 1, denominator, in lowest terms.

    Algorithm
    ---------
    Two conversions of integers to decimal digits.

    Exactness
    ---------
    Exact, whatever the number of digits.

    Examples
    --------
    >>> number_to_str(Fraction(26, 180)), number_to_str(Fraction(3))
    ('13/90', '3')
    """
    top, bottom = number.numerator, number.denominator
    return _digits(top) if bottom == 1 else f"{_digits(top)}/{_digits(bottom)}"


def _integer(text: str) -> int:
    if len(text) <= _MANY_DIGITS:
        return int(text)
    return int(fmpz(text.lstrip("+")))


def _digits(number: int) -> str:
    # 3 bits make less than one digit, so this never asks Python for more than it gives.
    if number.bit_length() <= 3 * _MANY_DIGITS:
        return str(number)
    return str(fmpz(number))
