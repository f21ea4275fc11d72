"""Parity and products of bits: which networks equal them on the corners, which on the cube?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from operator import mul

from plregions.constructions.circuit import Circuit, Number, weighted_sum
from plregions.constructions.parameters import rationals, whole
from plregions.constructions.tents import tent
from plregions.network import Network

__all__ = ["boolean_product", "parity_shallow", "parity_tent", "parity_xor_tree", "xor2"]


def parity_shallow(d: int) -> Network:
    """Return parity of d bits with one hidden layer: a sawtooth of d pieces in s = sum x.

    ``relu(s) + 2 sum_{k=1}^{d-1} (-1)^k relu(s - k)``.

    Parameters
    ----------
    d : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden width d; equal to the parity of the bits on {0, 1}^d.

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On [0, 1]^d: d activation regions, as many linear ones (proved: the slabs k < s < k + 1).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Folklore; the sawtooth of M. Telgarsky, "Benefits of depth in neural networks", COLT 2016.

    Examples
    --------
    >>> [int(parity_shallow(3).exact(x)[0]) for x in ([0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1])]
    [0, 1, 0, 1]
    """
    d = whole("parity_shallow", "d", d)
    circuit = Circuit("parity_shallow", d)
    s = weighted_sum([1] * d, circuit.inputs)
    units = [circuit.relu(s - k) for k in range(d)]
    return circuit.network([weighted_sum([1, *(2 * (-1) ** k for k in range(1, d))], units)])


def parity_tent(d: int) -> Network:
    """Return parity of d bits at logarithmic depth: the tent map m times on sum x / 2^m.

    Parameters
    ----------
    d : int
        Inputs, at least 1; m = ceil(log2 d), and 1 for d = 1.

    Returns
    -------
    Network
        Hidden widths 2, m times; equal to `parity_shallow` on all of [0, 1]^d.

    Raises
    ------
    InvalidInputError
        d is no whole number of at least 1.

    Regions
    -------
    On [0, 1]^d: d linear regions, as many activation regions (the same slabs; proved).

    Exactness
    ---------
    Rational weights, 1 / 2^m in the first layer.

    References
    ----------
    M. Telgarsky, "Benefits of depth in neural networks", COLT 2016.

    Examples
    --------
    >>> point = ["1/3", "1/2", 1, "3/4", "1/5"]
    >>> parity_tent(5), parity_tent(5).exact(point) == parity_shallow(5).exact(point)
    (Network(5-2-2-2-1, 6 neurons), True)
    """
    d = whole("parity_tent", "d", d)
    circuit = Circuit("parity_tent", d)
    m = max(1, (d - 1).bit_length())
    value = weighted_sum([Fraction(1, 2**m)] * d, circuit.inputs)
    for _ in range(m):
        value = tent(circuit, value)
    return circuit.network([value])


def parity_xor_tree(k: int) -> Network:
    """Return parity of n = 2^k bits as a binary tree of |a - b|.

    Parameters
    ----------
    k : int
        From 1 to 9: the number of hidden layers.

    Returns
    -------
    Network
        2^k inputs, hidden widths (n, n / 2, .., 2); equal to `parity_shallow` on {0, 1}^n, but
        not on [0, 1]^n.

    Raises
    ------
    InvalidInputError
        k is no such whole number.

    Regions
    -------
    On [0, 1]^n: 2^(n-1) activation regions, as many linear ones (proved: the n - 1 signs are
    independent, and each changes the gradient).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Folklore.

    Examples
    --------
    >>> parity_xor_tree(2)
    Network(4-4-2-1, 6 neurons)
    >>> parity_xor_tree(1).exact(["1/2", "1/2"]), parity_shallow(2).exact(["1/2", "1/2"])
    ((Fraction(0, 1),), (Fraction(1, 1),))
    """
    k = whole("parity_xor_tree", "k", k, most=9)
    circuit = Circuit("parity_xor_tree", 2**k)
    values = circuit.inputs
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [circuit.absolute(a - b) for a, b in pairs]
    return circuit.network(values)


def xor2() -> Network:
    """Return the exclusive or of two bits: relu(s) - 2 relu(s - 1), s = x_1 + x_2.

    Returns
    -------
    Network
        Hidden width 2.

    Regions
    -------
    On [0, 1]^2: 2 activation regions, 2 linear ones (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    `parity_shallow` for two bits.

    Examples
    --------
    >>> [int(xor2().exact([a, b])[0]) for a in (0, 1) for b in (0, 1)]
    [0, 1, 1, 0]
    """
    return parity_shallow(2)


def boolean_product(a: Sequence[Number]) -> Network:
    """Return the product of 1 + a_i x_i on {0, 1}^n, one input more in each hidden layer.

    ``y <- y + relu(a_i y - M_i (1 - x_i))`` from y = 1, with M_i = a_i prod_{j<i} (1 + a_j), the
    most that a_i y can be.

    Parameters
    ----------
    a : sequence of int or Fraction, length n
        Positive.

    Returns
    -------
    Network
        n inputs and n hidden layers, of widths n, n, n - 1, .., 2; equal to the product on the
        corners, not between them.

    Raises
    ------
    InvalidInputError
        No numbers, or one that is not positive.

    Regions
    -------
    Not known in closed form. Proved: the values on all 2^n corners.

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    In the spirit of Krishnan and Mossel, arXiv 2606.18540 (the network is a reconstruction).

    Examples
    --------
    >>> net = boolean_product([1, 2, 3])
    >>> net.exact([1, 0, 1]), net.exact([1, 1, 1])
    ((Fraction(8, 1),), (Fraction(24, 1),))
    """
    numbers = rationals("boolean_product", "a", a, above=0)
    circuit = Circuit("boolean_product", len(numbers))
    # The most that y can be before each step, which starts at 1.
    most = list(accumulate([1 + number for number in numbers], mul, initial=Fraction(1)))
    first, *rest = circuit.inputs
    value = 1 + circuit.relu(numbers[0] * first)
    for number, largest in zip(numbers[1:], most[1:-1], strict=True):
        rest = [circuit.relu(form) for form in rest]
        bit = rest.pop(0)
        value = circuit.relu(value) + circuit.relu(number * (value - largest * (1 - bit)))
    return circuit.network([value])
