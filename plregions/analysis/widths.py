"""Which sizes does a question about widths mean, and are they whole numbers?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plregions.errors import InvalidInputError

__all__ = ["hidden_widths", "parse_widths", "whole"]

# The numbers of neurons are at most 64 times the first; steps of sums times the words of a number
# at most the second.
MOST_WORDS = 20_000
MOST_WORK = 400_000_000


def whole(verb: str, name: str, value: Any, least: int = 0) -> int:
    """Return a whole number of at least `least` as int.

    Parameters
    ----------
    verb, name : str
        Words for the message: who asks, and for what.
    value : int
    least : int

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Another type (bool, too), or a smaller number.

    Examples
    --------
    >>> whole("zaslavsky", "d", 2)
    2
    """
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least:
        raise InvalidInputError(
            f"{verb} needs {name} to be a whole number of at least {least}; got {value!r}."
        )
    return int(value)


def hidden_widths(verb: str, input_dim: Any, hidden: Any) -> tuple[int, tuple[int, ...]]:
    """Return the input dimension and the widths of the hidden layers, checked.

    Parameters
    ----------
    verb : str
        Who asks.
    input_dim : int
        At least 1.
    hidden : sequence of int
        Each at least 1; may be empty.

    Returns
    -------
    input_dim : int
    hidden : tuple of int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1, or so large that the bounds would take minutes.

    Examples
    --------
    >>> hidden_widths("serra_bound", 2, [4, 4])
    (2, (4, 4))
    """
    input_dim = whole(verb, "the input dimension", input_dim, 1)
    if isinstance(hidden, str) or not isinstance(hidden, Sequence | np.ndarray):
        raise InvalidInputError(
            f"{verb} needs a sequence of hidden widths such as [4, 4]; got {hidden!r}."
        )
    widths = tuple(whole(verb, "each hidden width", n, 1) for n in hidden)
    _check_work(verb, input_dim, widths)
    return input_dim, widths


def _check_work(verb: str, input_dim: int, hidden: Sequence[int]) -> None:
    """Refuse sizes for which sums of binomial coefficients take minutes, or their digits memory."""
    n_words = sum(hidden) // 64 + 8
    steps, dim = 0, input_dim
    for n in hidden:
        steps += min(input_dim, n) + dim * min(dim, n)
        dim = min(dim, n)
    if n_words > MOST_WORDS or steps * n_words > MOST_WORK:
        raise InvalidInputError(
            f"{verb} needs sizes whose bounds can be computed in seconds; got {sum(hidden)} neurons"
            f" and input dimension {input_dim}. Give smaller ones."
        )


def parse_widths(verb: str, widths: str | Sequence[int]) -> tuple[int, ...]:
    """Read input dimension, hidden widths and output dimension as `plregions.mlp` spells them.

    Parameters
    ----------
    verb : str
        Who asks.
    widths : str or sequence of int
        ``"2-32-32-1"`` or ``[2, 32, 32, 1]``.

    Returns
    -------
    tuple of int
        At least two, each at least 1.

    Raises
    ------
    InvalidInputError
        Fewer than two, or one that is not a whole number of at least 1.

    Examples
    --------
    >>> parse_widths("bounds_table", "2-32-32-1")
    (2, 32, 32, 1)
    """
    given: list[Any]
    if isinstance(widths, str):
        parts = widths.strip().split("-")
        # So many digits are enough for a width, and few enough for int().
        given = [int(p) if p.isascii() and p.isdigit() and len(p) < 19 else p for p in parts]
    else:
        given = list(widths) if isinstance(widths, Sequence | np.ndarray) else []
    is_whole = [isinstance(n, int | np.integer) and not isinstance(n, bool) for n in given]
    if len(given) < 2 or not all(is_whole) or min(given) < 1:
        raise InvalidInputError(
            f"{verb} needs input dimension, hidden widths and output dimension, such as "
            f"'2-32-32-1' or [2, 32, 32, 1]; got {widths!r:.80}."
        )
    return tuple(map(int, given))
