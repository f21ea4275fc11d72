"""Sums of ridge functions: how do networks of depth 2 follow a function of the norm?"""

from __future__ import annotations

from fractions import Fraction
from math import cos, exp, lgamma, pi, sin, sqrt, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.constructions.circuit import MOST_WEIGHTS, Circuit, weighted_sum
from plregions.constructions.parameters import rational, rationals, rows_of, whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = ["norm_ridges", "plane_directions", "ridge_sum", "sphere_directions"]


def plane_directions(k: int) -> NDArray[np.float64]:
    """Return k unit vectors of the plane at equal angles over a half turn: pi i / k.

    Parameters
    ----------
    k : int
        At least 1.

    Returns
    -------
    ndarray of float64, shape (k, 2), read-only
        With a = pi / (2 k), the sum of abs(<w_i, x>) lies between cot(a) ||x|| and ||x|| / sin(a)
        for the exact directions (proved).

    Raises
    ------
    InvalidInputError
        k is no whole number of at least 1.

    Exactness
    ---------
    Cosine and sine are rounded to float64, each once, for angles up to a quarter of pi; the others
    are their mirror images, so the rounded directions have all symmetries of the exact ones in
    the axes and diagonals. Lengths differ from 1 by at most 2^-52.

    References
    ----------
    Folklore: the sum is half the width of a regular polygon with 2 k sides.

    Examples
    --------
    >>> plane_directions(4).round(3).tolist()
    [[1.0, 0.0], [0.707, 0.707], [0.0, 1.0], [-0.707, 0.707]]
    """
    k = whole("plane_directions", "k", k, most=MOST_WEIGHTS)
    found = np.array([_direction(Fraction(i, k)) for i in range(k)])
    found.setflags(write=False)
    return found


def _direction(turn: Fraction) -> tuple[float, float]:
    """Return the unit vector at the angle pi times `turn`, from 0 to 1."""
    if turn > Fraction(1, 2):
        x, y = _direction(1 - turn)
        return -x, y
    if turn > Fraction(1, 4):
        x, y = _direction(Fraction(1, 2) - turn)
        return y, x
    if turn == Fraction(1, 4):
        return sqrt(0.5), sqrt(0.5)
    return cos(pi * float(turn)), sin(pi * float(turn))


def sphere_directions(d: int, k: int, seed: int = 0) -> NDArray[np.float64]:
    """Return k independent random unit vectors, uniform on the sphere of R^d.

    Parameters
    ----------
    d, k : int
        At least 1.
    seed : int
        Of numpy's default generator.

    Returns
    -------
    ndarray of float64, shape (k, d), read-only

    Raises
    ------
    InvalidInputError
        Other parameters.

    Exactness
    ---------
    Normal numbers divided by their length in float64: lengths differ from 1 in the last digits.

    References
    ----------
    M. E. Muller, "A note on a method for generating points uniformly on n-dimensional spheres",
    Communications of the ACM 2 (1959).

    Examples
    --------
    >>> np.linalg.norm(sphere_directions(5, 3), axis=1).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    verb = "sphere_directions"
    d = whole(verb, "d", d)
    k = whole(verb, "k", k, most=MOST_WEIGHTS // d)
    seed = whole(verb, "seed", seed, least=0, most=2**63)
    rows = np.random.default_rng(seed).standard_normal((k, d))
    found: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    found.setflags(write=False)
    return found


def ridge_sum(directions: Any, knots: Any, weights: Any, constant: Any = 0) -> Network:
    """Return constant + sum_i c_i relu(abs(<w_i, x>) - t_i).

    Parameters
    ----------
    directions : array_like, shape (k, d)
        The w_i: floats, integers, Fractions or strings.
    knots, weights : number, or sequence of numbers of length k
        The t_i, at least 0, and the c_i; one number stands for k times the same.
    constant : int, float, Fraction or str

    Returns
    -------
    Network
        Depth 2, hidden width 2 k.

    Raises
    ------
    InvalidInputError
        Other parameters, or too large a network.

    Regions
    -------
    On R^d with all knots 0 and directions in general position: 2 sum_{i<d} C(k - 1, i) activation
    regions, as many linear ones if no weight is 0 (proved: a central arrangement).

    Exactness
    ---------
    Exact: the weights are the numbers given.

    References
    ----------
    I. Safran, R. Eldan, O. Shamir, "Depth separations in neural networks: what is actually being
    separated?", COLT 2019, for random directions and functions of the norm.

    Examples
    --------
    >>> ridge_sum([[1, 0], [0, 1]], [0, "1/4"], 1).exact([3, "-1/2"])
    (Fraction(13, 4),)
    """
    verb = "ridge_sum"
    rows = rows_of(verb, "directions", directions)
    bends, factors = (
        rationals(verb, name, [given] * len(rows) if np.ndim(given) == 0 else given, len(rows))
        for name, given in (("knots", knots), ("weights", weights))
    )
    if min(bends) < 0:
        raise InvalidInputError(f"{verb} needs knots of at least 0; got {min(bends)}.")
    start = rational(verb, "constant", constant)
    circuit = Circuit(verb, len(rows[0]))
    circuit.reserve(2 * len(rows) * (len(rows[0]) + 1))
    forms = [weighted_sum(row, circuit.inputs) for row in rows]
    units = [
        circuit.relu(sign * form - bend)
        for form, bend in zip(forms, bends, strict=True)
        for sign in (1, -1)
    ]
    twice = [factor for factor in factors for _ in (1, -1)]
    return circuit.network([weighted_sum([1, *twice], [start, *units])])


def norm_ridges(d: int, k: int, seed: int = 0) -> Network:
    """Return a multiple of sum_i abs(<w_i, x>) over k unit vectors, close to ||x||: depth 2.

    Parameters
    ----------
    d : int
        Inputs, at least 2. In the plane the w_i are `plane_directions`, beyond
        `sphere_directions`.
    k : int
        Directions, at least 1.
    seed : int
        Of the random directions.

    Returns
    -------
    Network
        Hidden width 2 k. In the plane the factor is 2 tan(a) with a = pi / (4 k), and the error is
        at most tan(a)^2 ||x|| (proved, but for the rounding of the weights), which is attained.
        Beyond, the factor makes the mean over the sphere right, sqrt(pi) gamma((d + 1) / 2) /
        (k gamma(d / 2)): a random direction's term has the mean ||x|| / k.

    Raises
    ------
    InvalidInputError
        Other parameters, or too large a network.

    Regions
    -------
    On R^2: 2 k activation regions, as many linear ones. On R^d: see `ridge_sum`; random directions
    are in general position with probability 1.

    Algorithm
    ---------
    In the plane, sum abs(<w_i, x>) is 1 / sin(2 a) times the cosine of the angle to the nearest of
    2 k axes, at most 2 a away; the factor makes the largest and the least value as far from 1.

    Exactness
    ---------
    The directions and the factor are rounded to float64; those numbers are the weights.

    References
    ----------
    The idea is older than I. Safran, R. Eldan, O. Shamir, "Depth separations in neural networks:
    what is actually being separated?", COLT 2019, where sums of this kind are studied.

    Examples
    --------
    >>> norm_ridges(2, 8), bool(abs(norm_ridges(2, 8)([3, 4])[0] - 5) < 5 * 0.0097)
    (Network(2-16-1, 16 neurons), True)
    """
    verb = "norm_ridges"
    d, k = whole(verb, "d", d, least=2), whole(verb, "k", k, most=MOST_WEIGHTS)
    Circuit(verb, d).reserve(2 * k * (d + 1))
    if d == 2:
        return ridge_sum(plane_directions(k), 0, 2 * tan(pi / (4 * k)))
    factor = sqrt(pi) * exp(lgamma((d + 1) / 2) - lgamma(d / 2)) / k
    return ridge_sum(sphere_directions(d, k, seed), 0, factor)
