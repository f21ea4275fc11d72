"""The L1 and L-infinity norms and a bump made of one."""

from __future__ import annotations

from plregions.constructions.circuit import Circuit, Form, weighted_sum
from plregions.constructions.maxima import tournament
from plregions.constructions.parameters import whole
from plregions.network import Network

__all__ = ["l1_norm", "l1_trapezoid", "linf_norm"]


def l1_norm(d: int) -> Network:
    """Return ||x||_1, the sum of |x_i|.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden width 2 d.

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On R^d: 2^d activation regions, as many linear ones (proved: the orthants).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Folklore.

    Examples
    --------
    >>> l1_norm(3).exact([1, -2, "1/2"])
    (Fraction(7, 2),)
    """
    circuit, norm = _l1("l1_norm", d)
    return circuit.network([norm])


def linf_norm(d: int) -> Network:
    """Return ||x||_inf, the largest |x_i|: absolute values, then a tree of maxima.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        1 + ceil(log2 d) hidden layers; the values are not negative, so one neuron carries each.

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On R^d: 2 d linear regions (proved: cones over the facets of the cube) and 2^(2d-1) activation
    regions (proved: d signs, d - 1 free comparisons).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Folklore.

    Examples
    --------
    >>> linf_norm(3), linf_norm(3).exact([1, -2, "1/2"])
    (Network(3-6-3-2-1, 11 neurons), (Fraction(2, 1),))
    """
    circuit = Circuit("linf_norm", whole("linf_norm", "d", d))
    sizes = [circuit.absolute(x) for x in circuit.inputs]
    return circuit.network([tournament(circuit, sizes, circuit.relu)])


def l1_trapezoid(d: int) -> Network:
    """Return min(1, relu(2 - ||x||_1)): 1 on the unit ball of the L1 norm, 0 outside twice it.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden widths (2 d, 2).

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On R^d: 3 2^d activation regions (proved) and, for d >= 2, 2^d + 2 linear ones (proved: inside
    and outside each count once; for d = 1 outside counts twice).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    After I. Safran, O. Shamir, "Depth-width tradeoffs in approximating natural functions with
    neural networks", ICML 2017.

    Examples
    --------
    >>> [str(l1_trapezoid(2).exact([x, "1/2"])[0]) for x in (0, "3/4", 2)]
    ['1', '3/4', '0']
    """
    circuit, norm = _l1("l1_trapezoid", d)
    return circuit.network([circuit.relu(2 - norm) - circuit.relu(1 - norm)])


def _l1(verb: str, d: int) -> tuple[Circuit, Form]:
    d = whole(verb, "d", d)
    circuit = Circuit(verb, d)
    return circuit, weighted_sum([1] * d, [circuit.absolute(x) for x in circuit.inputs])
