"""Which numbers do the words of a command line mean? Exactly those that are written."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from fractions import Fraction

__all__ = ["decimal", "number", "shield_numbers", "whole_number"]


def shield_numbers(words: Sequence[str]) -> list[str]:
    """Put a space before negative numbers, or argparse takes -1e-3 and -1/3 for options."""
    end = list(words).index("--") if "--" in words else len(words)
    negative = re.compile(r"-(\.?\d|(inf|infinity|nan)$)", re.IGNORECASE)
    return [
        f" {word}" if i < end and negative.match(word) else word for i, word in enumerate(words)
    ]


def number(text: str) -> Fraction:
    """Read a decimal or a fraction exactly; refuse what a float64 cannot come near."""
    text = text.strip()
    exponent = re.search(r"e([+-]?[\d_]+)$", text, re.IGNORECASE)
    try:
        if len(text) > 1000 or (exponent and abs(int(exponent[1])) > 1000):
            raise OverflowError  # before Fraction builds a number with 10^9 digits
        result = Fraction(text)
        float(result)
    except OverflowError:
        raise argparse.ArgumentTypeError(f"{text:.40} is out of the range of float64") from None
    except (ValueError, ZeroDivisionError):
        message = f"needs numbers such as 0.5, -1e-3 or 1/3; got {text!r:.60}"
        raise argparse.ArgumentTypeError(message) from None
    return result


def whole_number(text: str) -> int:
    """Read a number of digits alone."""
    if not re.fullmatch(r"[0-9]{1,18}", text):
        message = f"needs whole numbers, NET before the options; got {text.strip()!r:.60}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def decimal(value: Fraction) -> str:
    """Return the number as a short decimal where that is exact, else as a fraction."""
    short = repr(float(value))
    if Fraction(short) != value:
        return str(value)
    return short.removesuffix(".0")
