"""Which sizes does a question about widths mean, and are they whole numbers?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plregions.errors import InvalidInputError

__all__ = ["check_work", "hidden_widths", "layer_steps", "parse_widths", "whole"]

# The longest number, in words of 64 bits, and the largest product of steps and words.
MOST_WORDS = 20_000
MOST_WORK = 300_000_000


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
        Not whole numbers of at least 1.

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
    return input_dim, tuple(whole(verb, "each hidden width", n, 1) for n in hidden)


def layer_steps(input_dim: int, hidden: Sequence[int]) -> int:
    """Return how many additions a sum over dimensions takes, layer by layer, at most.

    Examples
    --------
    >>> layer_steps(2, [4, 4])
    8
    """
    steps, dim = 0, input_dim
    for n in hidden:
        steps += dim * min(dim, n)
        dim = min(dim, n)
    return steps


def check_work(verb: str, n_steps: int, n_bits: int) -> None:
    """Refuse sums of integers that take minutes, or whose digits fill the memory.

    Parameters
    ----------
    verb : str
        Who asks.
    n_steps : int
        Additions and multiplications.
    n_bits : int
        Of the numbers.

    Raises
    ------
    InvalidInputError
        Too large.

    Examples
    --------
    >>> check_work("serra_bound", layer_steps(784, [512, 512]), 1024)
    """
    n_words = n_bits // 64 + 8
    if n_words > MOST_WORDS or n_steps * n_words > MOST_WORK:
        raise InvalidInputError(
            f"{verb} needs sizes whose numbers can be computed in seconds; got sizes that take"
            " longer. Give smaller ones."
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
