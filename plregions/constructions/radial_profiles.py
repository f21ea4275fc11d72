"""Functions of the norm at depth 3: squares of the coordinates, then a function of their sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from plregions.constructions.circuit import Circuit, Form, weighted_sum
from plregions.constructions.parameters import rational, rationals, whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = ["radial_deep"]


def radial_deep(
    d: int,
    rho: Callable[[Fraction], Any] | Sequence[Any],
    squares: int | Sequence[Any] = 8,
    radii: int | Sequence[Any] = 8,
    reach: Any = 1,
) -> Network:
    """Return a network of depth 3 that follows rho(||x||) on the box [-reach, reach]^d.

    With S(x) = sum_i s(x_i), s the interpolant of the square at the knots 0, +-t_1, ..., +-t_n,
    it is p(S(x)), p the interpolant of z -> rho(sqrt z) at the knots r_0^2, ..., r_m^2.

    Parameters
    ----------
    d : int
        Inputs, at least 1.
    rho : function, or sequence of m + 1 numbers
        Its values at the radii. A function gets each radius as a Fraction and returns a number,
        which is taken for what it is: a float is not rounded any further.
    squares : int or sequence of numbers
        0 < t_1 < ... < t_n; a number n stands for t_j = reach (j / n)^2.
    radii : int or sequence of numbers
        0 = r_0 < r_1 < ... < r_m; a number m stands for r_j = top (j / m)^2, where top is
        reach sqrt(d) rounded up to a multiple of reach / 1024.
    reach : int, float, Fraction or str
        Above 0; only used where `squares` or `radii` are numbers.

    Returns
    -------
    Network
        Hidden widths (2 n d, m). For rho(r) = r, with n and m given as numbers,
        ``abs(net(x) - ||x||) <= max(sqrt(d) reach / n^2, top / m^2) / 2`` on the box (proved).

    Raises
    ------
    InvalidInputError
        Parameters of other kinds, knots that do not grow, a number of values that is not that of
        the radii, or too large a network.

    Regions
    -------
    The first hidden layer cuts (-t_n, t_n)^d into a grid of (2 n)^d cells (proved); the second
    cuts these further. On [-1, 1]^2 the norm with n = m = 2, 3, 4 has 28, 68, 124 activation
    regions, as many linear ones (computed).

    Algorithm
    ---------
    The bound: between neighbouring knots a < b, s(t) - t^2 = (t - a) (b - t), which is at most
    t (sqrt b - sqrt a)^2 = t reach / n^2. Therefore S(x) - ||x||^2 <= ||x||_1 reach / n^2, so
    sqrt S(x) exceeds ||x|| by at most half of sqrt(d) reach / n^2. The interpolant of sqrt z
    between a^2 and b^2 stays below by at most (b - a)^2 / (4 (a + b)), at most half of
    top / m^2; the two errors have opposite signs.

    Exactness
    ---------
    Exact rational weights, made from the values of rho.

    References
    ----------
    After R. Eldan, O. Shamir, "The power of depth for feedforward neural networks", COLT 2016, and
    I. Safran, R. Eldan, O. Shamir, "Depth separations in neural networks: what is actually being
    separated?", COLT 2019.

    Examples
    --------
    >>> net = radial_deep(3, lambda r: r)
    >>> net, round(net([0.3, -0.6, 0.6]).item(), 2)
    (Network(3-48-8-1, 56 neurons), 0.9)
    >>> radial_deep(2, [0, 0, 2], [1, 2], [0, 1, 3]).exact([2, 1])
    (Fraction(1, 1),)
    """
    verb = "radial_deep"
    d = whole(verb, "d", d)
    reach = rational(verb, "reach", reach, above=0)
    top = Fraction(isqrt(d * 4**10 - 1) + 1, 2**10) * reach
    steps = _knots("squares", squares, reach, above=0)
    rims = _knots("radii", radii, top, above=-1)
    if isinstance(radii, int):
        rims = [Fraction(0), *rims]
    if rims[0] != 0 or len(rims) < 2:
        raise InvalidInputError(
            f"{verb} needs two or more radii, the first 0; got {rims[0]!s:.60}."
        )
    given = [rho(r) for r in rims] if callable(rho) else rho
    values = rationals(verb, "rho", given, len(rims))
    circuit = Circuit(verb, d)
    circuit.reserve(2 * len(steps) * d * (d + len(rims)))
    sides = [side for x in circuit.inputs for side in (x, -x)]
    total = weighted_sum([1] * (2 * d), [_half_square(circuit, side, steps) for side in sides])
    return circuit.network([_interpolant(circuit, total, [r * r for r in rims], values)])


def _half_square(circuit: Circuit, t: Form, knots: Sequence[Fraction]) -> Form:
    """Return the interpolant of the square at 0 and the knots for t >= 0, and 0 for t <= 0."""
    ends = [Fraction(0), *knots]
    return _interpolant(circuit, t, ends, [v * v for v in ends])


def _interpolant(
    circuit: Circuit, t: Form, knots: Sequence[Fraction], values: Sequence[Fraction]
) -> Form:
    """Return the interpolant one level up: constant before the first knot, a line from the last."""
    pairs = list(zip(knots, values, strict=True))
    slopes = [(w - v) / (b - a) for (a, v), (b, w) in zip(pairs, pairs[1:], strict=False)]
    turns = [b - a for a, b in zip([Fraction(0), *slopes], slopes, strict=False)]
    kinks = [circuit.relu(t - knot) for knot in knots[:-1]]
    return weighted_sum([1, *turns], [values[0], *kinks])


def _knots(name: str, given: Any, end: Fraction, above: int) -> list[Fraction]:
    """Return growing knots, or end (j / n)^2 for j = 1, ..., n in place of a number n."""
    verb = "radial_deep"
    if getattr(given, "__index__", None) is not None:
        n = whole(verb, name, given)
        return [end * Fraction(j * j, n * n) for j in range(1, n + 1)]
    knots = rationals(verb, name, given, above=above)
    if any(a >= b for a, b in zip(knots, knots[1:], strict=False)):
        raise InvalidInputError(f"{verb} needs {name} that grow; got {', '.join(map(str, knots))}.")
    return knots
