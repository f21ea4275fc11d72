"""Norms whose unit ball is a zonotope: the most pieces that one hidden layer can make."""

from __future__ import annotations

from plregions.constructions.circuit import Circuit, Form, Number, weighted_sum
from plregions.constructions.parameters import rational, whole
from plregions.constructions.tents import tent
from plregions.network import Network

__all__ = ["zonotope_norm", "zonotope_saw"]


def zonotope_norm(d: int, n: int) -> Network:
    """Return sum_t |<v_t, x>| with v_t = (1, t, .., t^(d-1)) on the moment curve, t = 1..n.

    Parameters
    ----------
    d : int
        Inputs, from 1 to 30.
    n : int
        Directions, at least 1.

    Returns
    -------
    Network
        Hidden width 2 n.

    Raises
    ------
    InvalidInputError
        d or n is no such whole number.

    Regions
    -------
    On R^d: 2 sum_{i<d} C(n-1, i) activation regions, as many linear ones (proved: a central
    arrangement in general position).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, "Understanding deep neural networks with rectified
    linear units", ICLR 2018, Theorem 2.11.

    Examples
    --------
    >>> zonotope_norm(2, 3), zonotope_norm(2, 3).exact([1, -1])
    (Network(2-6-1, 6 neurons), (Fraction(3, 1),))
    """
    circuit, norm = _norm("zonotope_norm", d, n)
    return circuit.network([norm])


def zonotope_saw(d: int, n: int, m: int, scale: Number = 1) -> Network:
    """Return the tent map m times on a multiple of `zonotope_norm`.

    Parameters
    ----------
    d, n : int
        As for `zonotope_norm`.
    m : int
        At least 1.
    scale : int, Fraction or str
        What the norm is multiplied by, positive.

    Returns
    -------
    Network
        Hidden widths 2 n, then 2, m times.

    Raises
    ------
    InvalidInputError
        Parameters of other kinds.

    Regions
    -------
    With Z = 2 sum_{i<d} C(n-1, i), on R^d: 2 Z linear regions for m = 1 and 2^m Z + 1 for m >= 2,
    where the outer ones are all 0 and join; activation regions 2 Z and (2^m + 1) Z (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, "Understanding deep neural networks with rectified
    linear units", ICLR 2018, Theorem 2.11.

    Examples
    --------
    >>> zonotope_saw(2, 3, 2, "1/6")
    Network(2-6-2-2-1, 10 neurons)
    """
    factor = rational("zonotope_saw", "scale", scale, above=0)
    circuit, norm = _norm("zonotope_saw", d, n)
    value = factor * norm
    for _ in range(whole("zonotope_saw", "m", m)):
        value = tent(circuit, value)
    return circuit.network([value])


def _norm(verb: str, d: int, n: int) -> tuple[Circuit, Form]:
    d, n = whole(verb, "d", d, most=30), whole(verb, "n", n)
    circuit = Circuit(verb, d)
    directions = [[t**k for k in range(d)] for t in range(1, n + 1)]
    products = [weighted_sum(row, circuit.inputs) for row in directions]
    return circuit, weighted_sum([1] * n, [circuit.absolute(form) for form in products])
