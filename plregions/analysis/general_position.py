"""How many regions and faces do n hyperplanes in general position make? Closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import comb

from plregions.analysis.widths import check_work, whole

__all__ = ["binomials", "bounded_zaslavsky", "central_zaslavsky", "simple_faces", "zaslavsky"]


def binomials(n: int) -> Iterator[int]:
    """Yield C(n, 0), C(n, 1), ..., C(n, n), each from the one before.

    Examples
    --------
    >>> list(binomials(4))
    [1, 4, 6, 4, 1]
    """
    value = 1
    for j in range(n + 1):
        yield value
        value = value * (n - j) // (j + 1)


def zaslavsky(n: int, d: int) -> int:
    """Return the regions of n hyperplanes in general position in R^d: sum_{i <= d} C(n, i).

    No n hyperplanes in R^d make more.

    Parameters
    ----------
    n, d : int
        At least 0.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 0.

    Algorithm
    ---------
    min(n, d) multiplications of integers.

    Exactness
    ---------
    Exact.

    References
    ----------
    T. Zaslavsky, "Facing up to arrangements", Memoirs of the AMS 154 (1975).

    Examples
    --------
    >>> zaslavsky(3, 2), zaslavsky(7, 4)
    (7, 99)
    """
    n, d = whole("zaslavsky", "n", n), whole("zaslavsky", "d", d)
    check_work("zaslavsky", min(d, n), min(n, d * n.bit_length()))
    return sum(islice(binomials(n), min(n, d) + 1))


def bounded_zaslavsky(n: int, d: int) -> int:
    """Return the bounded regions of n hyperplanes in general position in R^d: C(n - 1, d).

    With fewer hyperplanes than dimensions all regions share lines; those bounded but for these
    lines are 0, and 1 without any hyperplane.

    Parameters
    ----------
    n, d : int
        At least 0.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 0.

    Exactness
    ---------
    Exact.

    References
    ----------
    Zaslavsky (1975).

    Examples
    --------
    >>> bounded_zaslavsky(4, 2), bounded_zaslavsky(7, 4)
    (3, 15)
    """
    n, d = whole("bounded_zaslavsky", "n", n), whole("bounded_zaslavsky", "d", d)
    return comb(n - 1, d) if n else 1


def simple_faces(n: int, d: int, k: int) -> int:
    """Return the k-faces of n hyperplanes in general position in R^d.

    They are C(n, d - k) sum_{i <= k} C(n - d + k, i): each of the C(n, d - k) flats of dimension k
    is cut by the other hyperplanes.

    Parameters
    ----------
    n, d, k : int
        At least 0; k at most d.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 0, or k > d.

    Exactness
    ---------
    Exact.

    References
    ----------
    R. C. Buck, "Partition of space", American Mathematical Monthly 50 (1943).

    Examples
    --------
    >>> [simple_faces(3, 2, k) for k in range(3)]
    [3, 9, 7]
    """
    n, d = whole("simple_faces", "n", n), whole("simple_faces", "d", d)
    k = whole("simple_faces", "k", k)
    codimension = whole("simple_faces", "d - k", d - k)
    return comb(n, codimension) * zaslavsky(n - codimension, k) if codimension <= n else 0


def central_zaslavsky(n: int, d: int) -> int:
    """Return the regions of n hyperplanes through 0 in R^d that are otherwise general.

    They are 2 sum_{i < d} C(n - 1, i): any d of the normals are independent. No n hyperplanes
    through one point make more.

    Parameters
    ----------
    n, d : int
        At least 0; d at least 1.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers, or too small.

    Exactness
    ---------
    Exact.

    References
    ----------
    T. M. Cover, "Geometrical and statistical properties of systems of linear inequalities with
    applications in pattern recognition", IEEE Transactions EC-14 (1965), Theorem 1.

    Examples
    --------
    >>> central_zaslavsky(3, 2), central_zaslavsky(5, 3), central_zaslavsky(7, 4)
    (6, 22, 84)
    """
    n, d = whole("central_zaslavsky", "n", n), whole("central_zaslavsky", "d", d, 1)
    return 2 * zaslavsky(n - 1, d - 1) if n else 1
