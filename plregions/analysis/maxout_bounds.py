"""How many regions can a network of maxout units have at most?"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from plregions.analysis.general_position import zaslavsky
from plregions.analysis.widths import hidden_widths, whole

__all__ = ["maxout_bound", "maxout_layer_regions"]


def maxout_bound(input_dim: int, hidden: Sequence[int], k: int) -> int:
    """Return the bound for rank-k maxout layers: prod_l sum_{j <= m_l} C(n_l k (k - 1) / 2, j).

    m_l = min(n_0, ..., n_l); each pair of a unit's k affine functions is one hyperplane.

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L, the numbers of maxout units.
    k : int
        Affine functions of which each unit takes the maximum; at least 1.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1.

    Exactness
    ---------
    Exact.

    References
    ----------
    Serra, Tjandraatmadja, Ramalingam (2018), Theorem 8.

    Examples
    --------
    >>> maxout_bound(2, [3], 3), maxout_layer_regions(2, 3, 3)
    (46, 19)
    """
    least, hidden = hidden_widths("maxout_bound", input_dim, hidden)
    k = whole("maxout_bound", "k", k, 1)
    bound = 1
    for n in hidden:
        least = min(least, n)
        bound *= zaslavsky(n * k * (k - 1) // 2, least)
    return bound


def maxout_layer_regions(input_dim: int, units: int, k: int) -> int:
    """Return the largest number of regions of one rank-k maxout layer with biases (recalled).

    It is sum_{j <= d} C(m, j) (k - 1)^j for m units in R^d. The formula is quoted from memory of
    its source; the limits d >= m (k^m), d = 1 (1 + m (k - 1)) and k = 2 (Zaslavsky) agree with it.

    Parameters
    ----------
    input_dim : int
        d, at least 1.
    units : int
        m, at least 1.
    k : int
        Affine functions of a unit; at least 1.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1.

    Exactness
    ---------
    The value of the formula is exact.

    References
    ----------
    G. Montufar, Y. Ren, L. Zhang, "Sharp bounds for the number of regions of maxout networks and
    vertices of Minkowski sums" (2022).

    Examples
    --------
    >>> maxout_layer_regions(3, 3, 4), maxout_layer_regions(1, 5, 3)
    (64, 11)
    """
    verb = "maxout_layer_regions"
    d, m = whole(verb, "the input dimension", input_dim, 1), whole(verb, "units", units, 1)
    k = whole(verb, "k", k, 1)
    return sum(comb(m, j) * (k - 1) ** j for j in range(min(d, m) + 1))
