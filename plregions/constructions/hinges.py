"""The corner hinge: which functions does depth 4 hold cheaply, and depth 3 only at full width?"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from plregions.constructions.circuit import Circuit, weighted_sum
from plregions.constructions.parameters import whole
from plregions.network import Network

__all__ = ["corner_hinge", "corner_hinge_shallow", "layered_hinge"]


def corner_hinge(d: int, *, is_for_cube: bool = False) -> Network:
    """Return the corner hinge C_d on R^d at depth 4, in 3 d + 3 neurons.

    With y_i = dist(x_i, {0, 1}) on [0, 1] and 0 elsewhere, S = sum y_i, V = sum (i - 1) y_i:
    ``C_d(x) = relu(1 - 2 S - relu(V - (2 d - 1) / 8) / d)``.

    Parameters
    ----------
    d : int
        Inputs, at least 2.
    is_for_cube : bool
        Leave out the d neurons that are off on [0, 1]^d; then y_i = 1 - x_i beyond 1.

    Returns
    -------
    Network
        Hidden widths (3 d, 2, 1), or (2 d, 2, 1) for the cube. Integer weights but the last,
        1 / (8 d).

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 2.

    Regions
    -------
    On [0, 1]^d: 2^(d+2) activation regions, 2^(d+1) + 1 linear ones, 2^d hard flats. Proved:
    every network of depth 3 that equals C_d on (0, 1)^d has at least 2^(d-1) first-layer
    hyperplanes that meet the cube, and `corner_hinge_shallow` has no more.

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    Made for this project, after I. Safran, "Every Layer Counts", arXiv 2608.23877.

    Examples
    --------
    >>> net = corner_hinge(3)
    >>> net
    Network(3-9-2-1-1, 12 neurons)
    >>> net.exact([0, 1, 1]), net.exact(["1/6", 0, 0]), net.exact(["1/2"] * 3)
    ((Fraction(1, 1),), (Fraction(2, 3),), (Fraction(0, 1),))
    """
    d = whole("corner_hinge", "d", d, least=2)
    circuit = Circuit("corner_hinge", d)
    distances = []
    for x in circuit.inputs:
        distance = circuit.relu(x) - circuit.relu(2 * x - 1)
        distances.append(distance if is_for_cube else distance + circuit.relu(x - 1))
    total = circuit.relu(weighted_sum([1] * d, distances))
    tilt = circuit.relu(8 * weighted_sum(range(d), distances) - (2 * d - 1))
    hinge = circuit.relu(8 * d - 16 * d * total - tilt)
    return circuit.network([hinge * Fraction(1, 8 * d)])


def corner_hinge_shallow(d: int) -> Network:
    """Return a network of depth 3 that equals the corner hinge C_d on [0, 1]^d.

    Parameters
    ----------
    d : int
        Inputs, from 2 to 10.

    Returns
    -------
    Network
        Hidden widths (2^(d-1) + d, 2^d): the inputs, a hinge for each pair of opposite corners
        but for the first coordinate, then one cap for each corner.

    Raises
    ------
    InvalidInputError
        d is no such whole number.

    Regions
    -------
    On [0, 1]^d: as many linear regions as `corner_hinge`, 2^(d+1) + 1. Activation regions: 11,
    31, 61 for d = 2, 3, 4 (computed). Exactly 2^(d-1) first-layer hyperplanes meet the open
    cube, which no network of depth 3 equal to C_d there can go below (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    Made for this project; see `corner_hinge`.

    Examples
    --------
    >>> corner_hinge_shallow(3)
    Network(3-7-8-1, 15 neurons)
    >>> point = ["1/10", "9/10", "1/20"]
    >>> corner_hinge_shallow(3).exact(point) == corner_hinge(3).exact(point)
    True
    """
    d = whole("corner_hinge_shallow", "d", d, least=2, most=10)
    circuit = Circuit("corner_hinge_shallow", d)
    x = circuit.inputs
    carried = [circuit.relu(form) for form in x]
    tilts = {}
    for corner in product((0, 1), repeat=d - 1):
        distances = [1 - form if v else form for v, form in zip(corner, x[1:], strict=True)]
        tilts[corner] = circuit.relu(8 * weighted_sum(range(1, d), distances) - (2 * d - 1))
    caps = []
    for corner in product((0, 1), repeat=d):
        distances = [1 - form if v else form for v, form in zip(corner, carried, strict=True)]
        caps.append(circuit.relu(8 * d - weighted_sum([16 * d] * d, distances) - tilts[corner[1:]]))
    return circuit.network([weighted_sum([Fraction(1, 8 * d)] * 2**d, caps)])


def layered_hinge(d: int) -> Network:
    """Return the layered hinge F_d on [-1, 1]^d at depth 4, in 2 d + 4 neurons.

    With h = sum |x_i| and q = relu(4 sum i |x_i| - (d^2 + d + 1)), F_d is the ramp from 0 to 1 of
    t = 4 d h - 2 d^2 - q between t = 0 and t = d^2 - d + 1.

    Parameters
    ----------
    d : int
        Inputs, at least 2.

    Returns
    -------
    Network
        Hidden widths (2 d, 2, 2); integer weights but the last ones, 1 / (d^2 - d + 1).

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 2.

    Regions
    -------
    On [-1, 1]^d: 2^(d+2) activation regions; 9, 17, 25, 49 linear ones for d = 2..5 and
    3 2^(d-1) + 1 from d = 4 on. 2^d of its hard flats need 2^(d-1) first-layer hyperplanes of
    any network of depth 3 equal to it on (-1, 1)^d (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    Made for this project; a relative of `corner_hinge` with Lipschitz constant near 4 / sqrt(d).

    Examples
    --------
    >>> layered_hinge(3).exact([1, -1, 1]), layered_hinge(3).exact([0, "1/2", 0])
    ((Fraction(1, 1),), (Fraction(0, 1),))
    """
    d = whole("layered_hinge", "d", d, least=2)
    circuit = Circuit("layered_hinge", d)
    sizes = [circuit.absolute(x) for x in circuit.inputs]
    total = circuit.relu(weighted_sum([1] * d, sizes))
    tilt = circuit.relu(4 * weighted_sum(range(1, d + 1), sizes) - (d * d + d + 1))
    top = d * d - d + 1
    ramp = 4 * d * total - 2 * d * d - tilt
    return circuit.network([(circuit.relu(ramp) - circuit.relu(ramp - top)) * Fraction(1, top)])
