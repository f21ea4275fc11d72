"""Reflection arrangements and their deformations: hyperplanes x_i - x_j = c, x_i + x_j = 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from math import comb

from plregions.constructions.arrangements import arrangement_network, difference, unit
from plregions.constructions.parameters import whole
from plregions.network import Network

__all__ = [
    "braid_arrangement",
    "catalan_arrangement",
    "linial_arrangement",
    "semiorder_arrangement",
    "shi_arrangement",
    "type_b_arrangement",
    "type_d_arrangement",
]


def _deformed(verb: str, n: int, constants: Sequence[int]) -> Network:
    n = whole(verb, "n", n, least=2)
    pairs = combinations(range(n), 2)
    rows = (difference(n, i, j, c) for i, j in pairs for c in constants)
    return arrangement_network(verb, n, len(constants) * comb(n, 2), rows)


def _signed_differences(n: int) -> Iterator[list[int]]:
    """Return the rows of x_i - x_j and x_i + x_j."""
    pairs = combinations(range(n), 2)
    return (difference(n, i, j, sign=sign) for i, j in pairs for sign in (-1, 1))


def braid_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i = x_j, i < j, in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden width C(n, 2).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: n! of each kind, one for each order; characteristic polynomial prod_{i<n} (t - i)
    (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> braid_arrangement(4)
    Network(4-6-1, 6 neurons)
    """
    return _deformed("braid_arrangement", n, [0])


def type_b_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i = +-x_j and x_i = 0 in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden width n^2.

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 1, or the network would be too large.

    Regions
    -------
    On R^n: 2^n n! of each kind; characteristic polynomial prod_{i<=n} (t - (2i - 1)) (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> type_b_arrangement(3)
    Network(3-9-1, 9 neurons)
    """
    n = whole("type_b_arrangement", "n", n)
    rows = chain(_signed_differences(n), ([*unit(n, i), 0] for i in range(n)))
    return arrangement_network("type_b_arrangement", n, n * n, rows)


def type_d_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i = +-x_j in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden width n (n - 1).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: 2^(n-1) n! of each kind; characteristic polynomial
    (t - (n - 1)) prod_{i<n} (t - (2i - 1)) (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> type_d_arrangement(3)
    Network(3-6-1, 6 neurons)
    """
    n = whole("type_d_arrangement", "n", n, least=2)
    return arrangement_network("type_d_arrangement", n, n * (n - 1), _signed_differences(n))


def shi_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i - x_j = 0, 1 for i < j in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden width n (n - 1).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: (n + 1)^(n-1) of each kind, (n - 1)^(n-1) bounded up to the common line;
    characteristic polynomial t (t - n)^(n-1) (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    J.-Y. Shi, "The Kazhdan-Lusztig cells in certain affine Weyl groups", LNM 1179, 1986.

    Examples
    --------
    >>> shi_arrangement(3)
    Network(3-6-1, 6 neurons)
    """
    return _deformed("shi_arrangement", n, [0, 1])


def catalan_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i - x_j = -1, 0, 1 for i < j in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden width 3 C(n, 2).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: n! C_n of each kind, n! C_{n-1} bounded up to the common line, C_n the Catalan numbers
    (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> catalan_arrangement(3)
    Network(3-9-1, 9 neurons)
    """
    return _deformed("catalan_arrangement", n, [-1, 0, 1])


def semiorder_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i - x_j = -1, 1 for i < j in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden width n (n - 1).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: 3, 19, 183, 2371 of each kind for n = 2..5, and 1, 7, 61, 751 bounded up to the common
    line (computed).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> semiorder_arrangement(3)
    Network(3-6-1, 6 neurons)
    """
    return _deformed("semiorder_arrangement", n, [-1, 1])


def linial_arrangement(n: int) -> Network:
    """Return the hyperplanes x_i - x_j = 1 for i < j in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden width C(n, 2).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: 2^-n sum_k C(n, k) (k + 1)^(n-1) of each kind (proved); 0, 1, 4, 26 bounded up to the
    common line for n = 2..5.

    Exactness
    ---------
    Integer weights.

    References
    ----------
    A. Postnikov, R. Stanley, "Deformations of Coxeter hyperplane arrangements", JCTA 91, 2000.

    Examples
    --------
    >>> linial_arrangement(3)
    Network(3-3-1, 3 neurons)
    """
    return _deformed("linial_arrangement", n, [1])
