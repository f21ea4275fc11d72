"""How many linear regions does the best network of these widths have at least?

Each bound comes from a construction, so it says that *some* network of these widths has so many
linear regions, on R^d; a given network may have fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from plregions.analysis.general_position import central_zaslavsky, zaslavsky
from plregions.analysis.widths import hidden_widths
from plregions.errors import InvalidInputError

__all__ = [
    "arora_2016_lower_bound",
    "best_lower_bound",
    "montufar_2014_lower_bound",
    "serra_deep_zonotope_lower_bound",
    "serra_lower_bound",
    "serra_one_input_maximum",
]


def montufar_2014_lower_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return prod_{l < L} floor(n_l / n_0)^{n_0} times zaslavsky(n_L, n_0).

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L; at least one, each at least n_0.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1; a width below n_0; no hidden layer.

    Exactness
    ---------
    Exact.

    References
    ----------
    G. Montufar, R. Pascanu, K. Cho, Y. Bengio, "On the number of linear regions of deep neural
    networks" (2014), Theorem 4.

    Examples
    --------
    >>> montufar_2014_lower_bound(2, [6, 6, 6])
    1782
    """
    verb = "montufar_2014_lower_bound"
    n_0, hidden = _of_least_width(verb, input_dim, hidden, 1)
    folds: int = prod((n // n_0) ** n_0 for n in hidden[:-1])
    return folds * zaslavsky(hidden[-1], n_0)


def serra_lower_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return prod_{l < L} (floor(n_l / n_0) + 1)^{n_0} times zaslavsky(n_L, n_0).

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L; at least one, each at least 3 n_0.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1; a width below 3 n_0; no hidden layer.

    Exactness
    ---------
    Exact.

    References
    ----------
    T. Serra, C. Tjandraatmadja, S. Ramalingam, "Bounding and counting linear regions of deep
    neural networks" (2018), Theorem 6.

    Examples
    --------
    >>> serra_lower_bound(2, [6, 6, 6])
    5632
    """
    n_0, hidden = _of_least_width("serra_lower_bound", input_dim, hidden, 3)
    folds: int = prod((n // n_0 + 1) ** n_0 for n in hidden[:-1])
    return folds * zaslavsky(hidden[-1], n_0)


def serra_one_input_maximum(hidden: Sequence[int]) -> int:
    """Return prod (n_l + 1): the largest number of linear regions of a network of one input.

    Parameters
    ----------
    hidden : sequence of int
        n_1, ..., n_L; at least one, each at least 3.

    Returns
    -------
    int
        Some network has so many, and none has more.

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1; a width below 3; no hidden layer.

    Exactness
    ---------
    Exact.

    References
    ----------
    Serra, Tjandraatmadja, Ramalingam (2018), Theorem 5.

    Examples
    --------
    >>> serra_one_input_maximum([3, 3, 3])
    64
    """
    _, hidden = _of_least_width("serra_one_input_maximum", 1, hidden, 3)
    return prod(n + 1 for n in hidden)


def arora_2016_lower_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return 2 sum_{j < n_0} C(m - 1, j) w^(L - 1) for the widths (2m, w, ..., w).

    The norm of a zonotope with m generators, then L - 1 saw-teeth.

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1 = 2m, then n_2 = ... = n_L = w.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1; other widths.

    Exactness
    ---------
    Exact.

    References
    ----------
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, "Understanding deep neural networks with rectified
    linear units" (2016), Theorem 2.11.

    Examples
    --------
    >>> arora_2016_lower_bound(2, [10, 3, 3])
    90
    """
    n_0, m, w, n_saws = _zonotope_widths("arora_2016_lower_bound", input_dim, hidden, 1)
    teeth: int = w**n_saws
    return central_zaslavsky(m, n_0) * teeth


def serra_deep_zonotope_lower_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return 2 sum_{j < n_0} C(m - 1, j) (w + 1)^(L - 1) for the widths (2m, w, ..., w), w >= 2.

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1 = 2m, then n_2 = ... = n_L = w.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1; other widths.

    Exactness
    ---------
    Exact.

    References
    ----------
    Serra, Tjandraatmadja, Ramalingam (2018), Theorem 7.

    Examples
    --------
    >>> serra_deep_zonotope_lower_bound(2, [10, 3, 3])
    160
    """
    verb = "serra_deep_zonotope_lower_bound"
    n_0, m, w, n_saws = _zonotope_widths(verb, input_dim, hidden, 2)
    teeth: int = (w + 1) ** n_saws
    return central_zaslavsky(m, n_0) * teeth


def best_lower_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return the largest number of linear regions that some construction here reaches.

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L.

    Returns
    -------
    int
        1 where no bound of this module says anything about these widths.

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> best_lower_bound(2, [6, 6, 6]), best_lower_bound(2, [5]), best_lower_bound(3, [1, 2])
    (5632, 16, 1)
    """
    n_0, widths = hidden_widths("best_lower_bound", input_dim, hidden)
    best = zaslavsky(widths[0], n_0) if len(widths) == 1 else 1
    for formula in (
        montufar_2014_lower_bound,
        serra_lower_bound,
        arora_2016_lower_bound,
        serra_deep_zonotope_lower_bound,
    ):
        try:
            best = max(best, formula(n_0, widths))
        except InvalidInputError:  # it says nothing about these widths
            continue
    return best


def _of_least_width(
    verb: str, input_dim: int, hidden: Sequence[int], factor: int
) -> tuple[int, tuple[int, ...]]:
    """Return the sizes; refuse widths below factor times the input dimension."""
    n_0, widths = hidden_widths(verb, input_dim, hidden)
    if not widths or min(widths) < factor * n_0:
        least = f"{factor} times the input dimension {n_0}" if factor > 1 else f"{n_0} inputs"
        raise InvalidInputError(
            f"{verb} needs one or more hidden layers, each as wide as {least} at least;"
            f" got {list(widths)}."
        )
    return n_0, widths


def _zonotope_widths(
    verb: str, input_dim: int, hidden: Sequence[int], least: int
) -> tuple[int, int, int, int]:
    """Return n_0, m, w and the number of layers after the first, for the widths (2m, w, .., w)."""
    n_0, widths = hidden_widths(verb, input_dim, hidden)
    others = set(widths[1:]) or {least}
    if not widths or widths[0] % 2 or len(others) > 1 or min(others) < least:
        raise InvalidInputError(
            f"{verb} needs hidden widths 2m, w, ..., w with w of at least {least};"
            f" got {list(widths)}."
        )
    return n_0, widths[0] // 2, others.pop(), len(widths) - 1
