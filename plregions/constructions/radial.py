"""Squares by interpolation: radial functions and the inner product at depth 2 and 3."""

from __future__ import annotations

from fractions import Fraction

from plregions.constructions.circuit import Circuit, Form, Number, weighted_sum
from plregions.constructions.parameters import rational, whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = ["inner_product_pl", "radial_annulus", "radial_sq"]


def _square(circuit: Circuit, t: Form, k: int) -> Form:
    """Return the interpolant of t^2 at -k..k one level up; constant below -k; 2 k neurons."""
    kinks = [circuit.relu(t - j) for j in range(-k, k)]
    return weighted_sum([k * k, 1 - 2 * k, *([2] * (2 * k - 1))], [1, *kinks])


def radial_sq(d: int, k: int) -> Network:
    """Return sum_i s_k(x_i), s_k the interpolant of the square at the integers from -k to k.

    Parameters
    ----------
    d, k : int
        At least 1.

    Returns
    -------
    Network
        Hidden width 2 k d; on [-k, k]^d between ||x||^2 and ||x||^2 + d / 4.

    Raises
    ------
    InvalidInputError
        d or k is no whole number of at least 1, or the network would be too large.

    Regions
    -------
    On [-k, k]^d: (2 k)^d activation regions, as many linear ones (proved: a grid).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    A building block of R. Eldan, O. Shamir, "The power of depth for feedforward neural networks",
    COLT 2016.

    Examples
    --------
    >>> radial_sq(2, 2), radial_sq(2, 2).exact([-1, "3/2"])
    (Network(2-8-1, 8 neurons), (Fraction(7, 2),))
    """
    circuit, value = _radial("radial_sq", d, k)
    return circuit.network([value])


def radial_annulus(d: int, k: int, low: Number, high: Number) -> Network:
    """Return a hat of `radial_sq`: 0 outside [low, high], 1 in the middle between them.

    Parameters
    ----------
    d, k : int
        As for `radial_sq`.
    low, high : int, Fraction or str
        low < high: bounds of the squared radius.

    Returns
    -------
    Network
        Hidden widths (2 k d, 3).

    Raises
    ------
    InvalidInputError
        Parameters of other kinds, or low >= high.

    Regions
    -------
    On [-k, k]^d with low, high = 1, 3: 40 activation and 26 linear regions for d, k = 2, 2, and 60
    and 26 for 2, 3 (computed).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    After R. Eldan, O. Shamir, "The power of depth for feedforward neural networks", COLT 2016.

    Examples
    --------
    >>> [str(radial_annulus(2, 2, 1, 3).exact([1, x])[0]) for x in (0, 1, 2)]
    ['0', '1', '0']
    """
    low, high = (
        rational("radial_annulus", name, value) for name, value in (("low", low), ("high", high))
    )
    if low >= high:
        raise InvalidInputError(f"radial_annulus needs low < high; got {low} and {high}.")
    circuit, value = _radial("radial_annulus", d, k)
    hat = [circuit.relu(value - t) for t in (low, (low + high) / 2, high)]
    slope = 2 / (high - low)
    return circuit.network([weighted_sum([slope, -2 * slope, slope], hat)])


def _radial(verb: str, d: int, k: int) -> tuple[Circuit, Form]:
    d, k = whole(verb, "d", d), whole(verb, "k", k)
    circuit = Circuit(verb, d)
    return circuit, weighted_sum([1] * d, [_square(circuit, x, k) for x in circuit.inputs])


def inner_product_pl(n: int, k: int) -> Network:
    """Return an interpolant of <x, y> with one hidden layer: (s_k(x + y) - s_k(x - y)) / 4.

    Parameters
    ----------
    n, k : int
        At least 1; s_k is the interpolant of the square at -k..k, summed over the n pairs.

    Returns
    -------
    Network
        Inputs x_1..x_n, y_1..y_n; hidden width 4 k n; equal to <x, y> at integer points with
        |x_i| + |y_i| <= k.

    Raises
    ------
    InvalidInputError
        n or k is no whole number of at least 1, or the network would be too large.

    Regions
    -------
    On R^(2n): (2 k + 1)^(2n) activation regions, as many linear ones (proved: a grid in x + y and
    x - y; the kink at -k, where s_k starts, counts).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    A. Daniely, "Depth separation for neural networks", COLT 2017.

    Examples
    --------
    >>> inner_product_pl(2, 3).exact([1, -1, 2, 1])
    (Fraction(1, 1),)
    """
    n, k = whole("inner_product_pl", "n", n), whole("inner_product_pl", "k", k)
    circuit = Circuit("inner_product_pl", 2 * n)
    x, y = circuit.inputs[:n], circuit.inputs[n:]
    squares = [_square(circuit, a + b, k) for a, b in zip(x, y, strict=True)]
    squares += [_square(circuit, a - b, k) for a, b in zip(x, y, strict=True)]
    quarter = Fraction(1, 4)
    return circuit.network([weighted_sum([quarter] * n + [-quarter] * n, squares)])
