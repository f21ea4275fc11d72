"""How are exact numbers, vectors and inequalities written in messages and names?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plregions.exact.arrays import is_float64, number_to_str

__all__ = ["float_text", "inequality_text", "number_text", "short_text", "vector_text"]

# Vectors and sums up to this length are spelt out.
MANY = 6
# Numerators and denominators up to this many bits are: about 20 digits.
MANY_BITS = 64


def number_text(number: Fraction) -> str:
    """Write ``2``, ``0.5`` or ``1/3``: never a rounded number.

    Examples
    --------
    >>> number_text(Fraction(2)), number_text(Fraction(1, 2)), number_text(Fraction(1, 3))
    ('2', '0.5', '1/3')
    """
    if number.denominator == 1 or not is_float64(number):
        return number_to_str(number)
    return repr(float(number))


def float_text(number: Fraction) -> str:
    """Write ``2.0``, ``0.5`` or ``1/3``: never a rounded number.

    Examples
    --------
    >>> float_text(Fraction(2)), float_text(Fraction(1, 3))
    ('2.0', '1/3')
    """
    return repr(float(number)) if is_float64(number) else number_to_str(number)


def short_text(number: Fraction | float) -> str:
    """Write ``13/90``, or for a rational of many digits what it is about: ``~0.354``.

    Examples
    --------
    >>> short_text(Fraction(13, 90)), short_text(Fraction(1, 3) ** 100), short_text(2.0)
    ('13/90', '~1.94e-48', '2.0')
    """
    if isinstance(number, float):
        return repr(number)
    if max(abs(number.numerator), number.denominator).bit_length() <= MANY_BITS:
        return str(number)
    try:
        return f"~{float(number):.3g}"
    except OverflowError:
        return f"~{'-' * (number < 0)}2^{abs(number).__floor__().bit_length() - 1}"


def vector_text(numbers: Sequence[Fraction]) -> str:
    """Write a vector as Python reads it; a long one in a short form.

    Examples
    --------
    >>> vector_text([Fraction(1), Fraction(1, 3)]), vector_text([Fraction(0)] * 16)
    ("[1, '1/3']", '[0] * 16')
    """
    texts = [f"'{t}'" if "/" in (t := number_text(v)) else t for v in numbers]
    if len(texts) > 2 and len(set(texts)) == 1:
        return f"[{texts[0]}] * {len(texts)}"
    if len(texts) > MANY:
        return f"[{', '.join(texts[:3])}, ..., {texts[-1]}]"
    return f"[{', '.join(texts)}]"


def inequality_text(normal: Sequence[Fraction], right: Fraction, symbol: str, name: str) -> str:
    """Write normal . symbol <= right; a long normal by its `name`.

    Examples
    --------
    >>> inequality_text([Fraction(1), Fraction(0), Fraction(-2)], Fraction(1), "x", "A[0]")
    'x[0] - 2.0 x[2] <= 1.0'
    """
    terms = [(k, v) for k, v in enumerate(normal) if v]
    text = ""
    for k, v in terms:
        sign = ("-" if v < 0 else "") if not text else (" - " if v < 0 else " + ")
        factor = "" if abs(v) == 1 else f"{float_text(abs(v))} "
        text += f"{sign}{factor}{symbol}[{k}]"
    if len(terms) > MANY:
        text = f"{name} @ {symbol}"
    return f"{text or '0'} <= {float_text(right)}"
