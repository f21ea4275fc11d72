"""Which parameters does a construction take, and what is said about others?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import index
from typing import Any

from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction

__all__ = ["rational", "rationals", "rows_of", "whole"]


def whole(verb: str, name: str, value: Any, least: int = 1, most: int = 1000) -> int:
    """Return a whole number in a range, or raise InvalidInputError."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        shown = str(value) if isinstance(value, Fraction) else repr(value)
        raise InvalidInputError(
            f"{verb} needs a whole number {name} from {least} to {most}; got {shown:.60}."
        )
    return number


def rational(verb: str, name: str, value: Any, above: int | None = None) -> Fraction:
    """Return an exact number, above a bound where one is given, or raise InvalidInputError."""
    try:
        number = fraction(value)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{verb} needs a number {name} such as 3 or '1/3'; got {value!r:.60}."
        ) from error
    if above is not None and number <= above:
        raise InvalidInputError(f"{verb} needs {name} above {above}; got {number}.")
    return number


def rationals(
    verb: str, name: str, values: Any, length: int | None = None, above: int | None = None
) -> list[Fraction]:
    """Return a list of exact numbers, not empty, or raise InvalidInputError."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInputError(f"{verb} needs numbers {name}; got {values!r:.60}.")
    numbers = [rational(verb, f"in {name}", value, above) for value in values]
    if not numbers or length not in (None, len(numbers)):
        wanted = "one or more" if length is None else str(length)
        raise InvalidInputError(f"{verb} needs {wanted} numbers {name}; got {len(numbers)}.")
    return numbers


def rows_of(verb: str, name: str, rows: Any, length: int | None = None) -> list[list[Fraction]]:
    """Return rows of exact numbers of one length, not empty, or raise InvalidInputError."""
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise InvalidInputError(f"{verb} needs rows of numbers {name}; got {rows!r:.60}.")
    given: Sequence[Any] = list(rows)
    if not given:
        raise InvalidInputError(f"{verb} needs one or more rows {name}; got none.")
    first = rationals(verb, name, given[0], length)
    return [first, *(rationals(verb, name, row, len(first)) for row in given[1:])]
