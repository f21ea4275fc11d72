"""Maximum, order and median: how deep and how wide are networks that compare their inputs?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from plregions.constructions.circuit import Circuit, Form, Number, weighted_sum
from plregions.constructions.parameters import rows_of, whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = [
    "hanin_max",
    "max5_two_hidden",
    "max_tree",
    "median3",
    "sort_network",
    "tournament",
]


def tournament(circuit: Circuit, values: Sequence[Form], carry: Callable[[Form], Form]) -> Form:
    """Return the largest of the values by pairs, the odd one carried; ceil(log2 n) levels up."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=False)
        winners = [circuit.relu(a - b) + carry(b) for a, b in pairs]
        values = [*winners, *map(carry, values[2 * len(winners) :])]
    return values[0]


def max_tree(n: int) -> Network:
    """Return the maximum of n inputs by pairs: max(a, b) = relu(a - b) + relu(b) - relu(-b).

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        ceil(log2 n) hidden layers; widths (5, 3), (6, 3), (8, 5, 3) for n = 3, 4, 5.

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: n linear regions (proved); 4, 13, 33, 101 activation regions for n = 2..5 (computed).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, "Understanding deep neural networks with rectified
    linear units", ICLR 2018.

    Examples
    --------
    >>> max_tree(5), max_tree(5).exact([3, -1, "7/2", 0, 2])
    (Network(5-8-5-3-1, 16 neurons), (Fraction(7, 2),))
    """
    circuit = Circuit("max_tree", whole("max_tree", "n", n, least=2))
    return circuit.network([tournament(circuit, circuit.inputs, circuit.carry)])


def max5_two_hidden() -> Network:
    """Return the maximum of five inputs with two hidden layers, one fewer than the tree.

    Half the sum P1 + P2 + P3 + P4 + Q - R13 - R14 - R23 - R24 of maxima of two functions of depth
    2 each; first-layer neurons with the same row are shared.

    Returns
    -------
    Network
        Hidden widths (37, 27); 22 distinct first-layer hyperplanes.

    Regions
    -------
    On R^5: 5 linear regions, those of the maximum (proved by the source).

    Exactness
    ---------
    Integer weights but the last, which are +-1/2.

    References
    ----------
    E. Bakaev, F. Brunck, C. Hertrich, J. Stade, A. Yehudayoff, "Better neural network
    expressivity: subdividing the simplex", arXiv 2505.14338, equation (2).

    Examples
    --------
    >>> max5_two_hidden(), max5_two_hidden().exact([3, -1, "7/2", 0, 2])
    (Network(5-37-27-1, 64 neurons), (Fraction(7, 2),))
    """
    circuit = Circuit("max5_two_hidden", 5, is_shared=True)
    x1, x2, x3, x4, x5 = circuit.inputs
    top = circuit.maximum
    pair, other = top(2 * x5, x1 + x2), top(2 * x5, x3 + x4)
    sums = top(x1 + x2, x3 + x4)
    doubled = circuit.carry(2 * x5)
    terms = [
        top(pair, top(x1, x3) + top(x1, x4)),
        top(pair, top(x2, x3) + top(x2, x4)),
        top(other, top(x3, x1) + top(x3, x2)),
        top(other, top(x4, x1) + top(x4, x2)),
        top(sums, doubled),
        *(top(sums, top(2 * x5, a + b)) for a in (x1, x2) for b in (x3, x4)),
    ]
    signs = [1] * 5 + [-1] * 4
    return circuit.network([weighted_sum([Fraction(sign, 2) for sign in signs], terms)])


def sort_network(n: int) -> Network:
    """Return the n inputs in ascending order: n layers of neighbours that change places.

    Parameters
    ----------
    n : int
        Inputs, at least 2.

    Returns
    -------
    Network
        n outputs and n hidden layers; a comparator is relu(a - b), carry(a), carry(b).

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 2, or the network would be too large.

    Regions
    -------
    On R^n: n! linear regions (proved: the braid arrangement); (n + 1)! activation regions, since
    carrying tests the signs too: the braid arrangement of n + 1 numbers, one of them 0.

    Exactness
    ---------
    Integer weights.

    References
    ----------
    D. Knuth, "The Art of Computer Programming" 3, section 5.3.4 (odd-even transposition).

    Examples
    --------
    >>> [int(v) for v in sort_network(4).exact([3, -1, 7, 0])]
    [-1, 0, 3, 7]
    """
    circuit = Circuit("sort_network", whole("sort_network", "n", n, least=2))
    return circuit.network(_sorted(circuit))


def _sorted(circuit: Circuit) -> list[Form]:
    values = circuit.inputs
    for step in range(len(values)):
        above = [circuit.carry(value) for value in values]
        for k in range(step % 2, len(values) - 1, 2):
            excess = circuit.relu(values[k] - values[k + 1])
            above[k], above[k + 1] = above[k] - excess, above[k + 1] + excess
        values = above
    return values


def median3() -> Network:
    """Return the median of three inputs: the middle output of `sort_network(3)`.

    Returns
    -------
    Network
        3 hidden layers.

    Regions
    -------
    On R^3: 24 activation regions, 6 linear ones, 3 distinct affine maps (proved: regions with one
    map touch only along x_1 = x_2 = x_3).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    D. Knuth, "The Art of Computer Programming" 3, section 5.3.4.

    Examples
    --------
    >>> median3().exact([3, -1, "1/2"])
    (Fraction(1, 2),)
    """
    circuit = Circuit("median3", 3)
    return circuit.network([_sorted(circuit)[1]])


def hanin_max(planes: Sequence[Sequence[Number]]) -> Network:
    """Return the maximum of affine functions on [0, 1]^d at width d + 1.

    M_0 = l_0 and M_k = l_k + relu(M_{k-1} - l_k); every layer carries x and holds one more neuron.

    Parameters
    ----------
    planes : sequence of two or more rows of d + 1 numbers
        Gradient and constant of each function.

    Returns
    -------
    Network
        Hidden widths d + 1, once for each function but the first. It is the maximum where no
        input is negative.

    Raises
    ------
    InvalidInputError
        Fewer than two rows, or rows of different lengths.

    Regions
    -------
    As many linear regions as there are functions somewhere larger than all others, for the
    maximum is convex (proved).

    Exactness
    ---------
    Exact: the weights are differences of the given numbers.

    References
    ----------
    B. Hanin, M. Sellke, "Approximating continuous functions by ReLU nets of minimal width",
    arXiv 1710.11278.

    Examples
    --------
    >>> net = hanin_max([[0, 0, 0], [1, 0, "-1/2"], [0, 1, "-1/2"]])
    >>> net, net.exact(["3/4", 1])
    (Network(2-3-3-1, 6 neurons), (Fraction(1, 2),))
    """
    rows = rows_of("hanin_max", "planes", planes)
    d = len(rows[0]) - 1
    if len(rows) < 2 or d < 1:
        raise InvalidInputError(
            f"hanin_max needs two or more rows of d + 1 numbers; got {len(rows)} of {d + 1}."
        )
    circuit = Circuit("hanin_max", d)
    x = circuit.inputs
    largest = weighted_sum(rows[0], [*x, 1])
    for row in rows[1:]:
        excess = circuit.relu(largest - weighted_sum(row, [*x, 1]))
        x = [circuit.relu(form) for form in x]
        largest = weighted_sum(row, [*x, 1]) + excess
    return circuit.network([largest])
