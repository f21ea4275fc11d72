"""Functions of the distances to the corners of [0, 1]^d."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from plregions.constructions.circuit import Circuit, Number, weighted_sum
from plregions.constructions.maxima import tournament
from plregions.constructions.parameters import rationals, whole
from plregions.network import Network

__all__ = [
    "corner_hats",
    "corner_hats_shallow",
    "corner_interp",
    "vertex_dist_l1",
    "vertex_dist_linf",
]


def corner_interp(d: int, values: Sequence[Number]) -> Network:
    """Return a network of one hidden layer with any given values on {0, 1}^d.

    ``sum_v c_v relu(1 - 2 ||x - v||_1)``, where ||x - v||_1 is affine on the cube.

    Parameters
    ----------
    d : int
        Inputs, from 1 to 15.
    values : sequence of 2^d numbers
        c_v for the corners v in lexicographic order: (0, .., 0, 0), (0, .., 0, 1), ...

    Returns
    -------
    Network
        Hidden width 2^d.

    Raises
    ------
    InvalidInputError
        d is no such whole number, or there are not 2^d values.

    Regions
    -------
    On [0, 1]^d, d >= 2, where no value is 0: 2^d + 1 activation regions, as many linear ones
    (proved: the caps are disjoint, and for d = 1 they leave nothing between them).

    Exactness
    ---------
    Exact: the given values.

    References
    ----------
    Folklore.

    Examples
    --------
    >>> net = corner_interp(2, [0, 5, "1/3", -1])
    >>> net.exact([0, 1]), net.exact([1, 0]), net.exact(["1/2", 0])
    ((Fraction(5, 1),), (Fraction(1, 3),), (Fraction(0, 1),))
    """
    d = whole("corner_interp", "d", d, most=15)
    return _caps("corner_interp", d, rationals("corner_interp", "values", values, 2**d))


def _caps(verb: str, d: int, values: Sequence[Number]) -> Network:
    circuit = Circuit(verb, d)
    x = circuit.inputs
    caps = []
    for corner in product((0, 1), repeat=d):
        distances = [1 - form if v else form for v, form in zip(corner, x, strict=True)]
        caps.append(circuit.relu(1 - weighted_sum([2] * d, distances)))
    return circuit.network([weighted_sum(values, caps)])


def vertex_dist_l1(d: int) -> Network:
    """Return the L1 distance to the nearest corner of [0, 1]^d: sum of 1/2 - |x_i - 1/2|.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden width 2 d; the distance on [0, 1]^d.

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On [0, 1]^d: 2^d activation regions, as many linear ones (proved: one for each corner).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    Folklore.

    Examples
    --------
    >>> vertex_dist_l1(2).exact(["1/4", "7/8"])
    (Fraction(3, 8),)
    """
    d = whole("vertex_dist_l1", "d", d)
    circuit = Circuit("vertex_dist_l1", d)
    half = Fraction(1, 2)
    gaps = [circuit.absolute(x - half) for x in circuit.inputs]
    return circuit.network([d * half - weighted_sum([1] * d, gaps)])


def vertex_dist_linf(d: int) -> Network:
    """Return the L-infinity distance to the nearest corner of [0, 1]^d.

    The largest of 1/2 - |x_i - 1/2|, by a tree of maxima.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        1 + ceil(log2 d) hidden layers; the distance on [0, 1]^d, where all values are not
        negative.

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On [0, 1]^d: d 2^d linear regions, 2 d distinct affine maps, 2^(2d-1) activation
    regions (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    Folklore.

    Examples
    --------
    >>> vertex_dist_linf(2).exact(["1/4", "7/8"])
    (Fraction(1, 4),)
    """
    circuit = Circuit("vertex_dist_linf", whole("vertex_dist_linf", "d", d))
    half = Fraction(1, 2)
    distances = [half - circuit.absolute(x - half) for x in circuit.inputs]
    return circuit.network([tournament(circuit, distances, circuit.relu)])


def corner_hats(d: int) -> Network:
    """Return the corner hats H_d at depth 3: 1 on every corner of [0, 1]^d, 0 at distance 1/2.

    ``relu(1 - 2 sum dist(x_i, {0, 1}))`` on [0, 1]^d.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden widths (2 d, 1).

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On [0, 1]^d, d >= 2: 2^(d+1) activation regions and 2^d + 1 linear ones (proved). Any network
    of depth 2 equal to it on (0, 1)^d has at least 2^d neurons (proved);
    `corner_hats_shallow` has just so many.

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Made for this project.

    Examples
    --------
    >>> corner_hats(3), corner_hats(3).exact([1, 0, "1/4"])
    (Network(3-6-1-1, 7 neurons), (Fraction(1, 2),))
    """
    d = whole("corner_hats", "d", d)
    circuit = Circuit("corner_hats", d)
    distances = [circuit.relu(x) - circuit.relu(2 * x - 1) for x in circuit.inputs]
    return circuit.network([circuit.relu(1 - weighted_sum([2] * d, distances))])


def corner_hats_shallow(d: int) -> Network:
    """Return a network of depth 2 that equals the corner hats H_d on [0, 1]^d.

    Parameters
    ----------
    d : int
        Inputs, from 1 to 15.

    Returns
    -------
    Network
        Hidden width 2^d: `corner_interp` with every value 1.

    Raises
    ------
    InvalidInputError
        d is no such whole number.

    Regions
    -------
    On [0, 1]^d, d >= 2: 2^d + 1 activation regions, as many linear ones (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Made for this project.

    Examples
    --------
    >>> point = ["7/8", 0, "1/4"]
    >>> corner_hats_shallow(3).exact(point) == corner_hats(3).exact(point)
    True
    """
    d = whole("corner_hats_shallow", "d", d, most=15)
    return _caps("corner_hats_shallow", d, [1] * 2**d)
