"""How many pieces can a piecewise linear function of one variable have at most?"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from plregions.analysis.widths import hidden_widths, whole

__all__ = ["pieces_bound", "pieces_of_composition", "pieces_of_sum"]


def pieces_of_sum(p: int, q: int) -> int:
    """Return p + q - 1: the most pieces of f + g on R, for continuous f and g of p and q pieces.

    Parameters
    ----------
    p, q : int
        At least 1.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1.

    Examples
    --------
    >>> pieces_of_sum(3, 4)
    6
    """
    return whole("pieces_of_sum", "p", p, 1) + whole("pieces_of_sum", "q", q, 1) - 1


def pieces_of_composition(p: int, q: int) -> int:
    """Return p q: the most pieces of f(g(x)) on R, for continuous f and g of p and q pieces.

    Parameters
    ----------
    p, q : int
        At least 1.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1.

    References
    ----------
    M. Telgarsky, "Benefits of depth in neural networks" (2016), Lemma 2.1.

    Examples
    --------
    >>> pieces_of_composition(3, 4)
    12
    """
    verb = "pieces_of_composition"
    return whole(verb, "p", p, 1) * whole(verb, "q", q, 1)


def pieces_bound(hidden: Sequence[int]) -> int:
    """Return prod (n_l + 1): the most pieces of a ReLU network of one input.

    Parameters
    ----------
    hidden : sequence of int
        n_1, ..., n_L.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1.

    References
    ----------
    Serra, Tjandraatmadja, Ramalingam (2018), Theorem 5: attained if all n_l >= 3.

    Examples
    --------
    >>> pieces_bound([3, 3, 3])
    64
    """
    _, hidden = hidden_widths("pieces_bound", 1, hidden)
    return prod(n + 1 for n in hidden)
