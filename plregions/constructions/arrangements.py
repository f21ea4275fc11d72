"""Hyperplane arrangements as networks with one neuron for each hyperplane.

The output weights are powers of one base larger than every entry of a normal, so no two sets of
normals have the same weighted sum: regions, linear regions and distinct affine maps are as many.
(Two maps that agree would give sum e_i b^i n_i = 0 with e_i in {-1, 0, 1}; in a coordinate where
the first normal that takes part is not 0, the sum is no multiple of the next power of b.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from operator import index

from plregions.constructions.circuit import Circuit, weighted_sum
from plregions.constructions.parameters import whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = [
    "arrangement_network",
    "boolean_arrangement",
    "central_arrangement",
    "cube_arrangement",
    "difference",
    "generic_arrangement",
    "graphic_arrangement",
    "resonance_arrangement",
    "threshold_arrangement",
    "unit",
]

Row = list[int]


def arrangement_network(verb: str, dim: int, n_rows: int, rows: Iterable[Sequence[int]]) -> Network:
    """Return the network with a neuron relu(a.x + c) for each of n_rows rows (a, c)."""
    circuit = Circuit(verb, dim)
    circuit.reserve(n_rows * dim)
    x = circuit.inputs
    units, largest = [], 1
    for row in rows:
        units.append(circuit.relu(weighted_sum(row, [*x, 1])))
        largest = max(largest, *map(abs, row[:-1]))
    base = 2 ** largest.bit_length()
    return circuit.network([weighted_sum([base**k for k in range(len(units))], units)])


def difference(n: int, i: int, j: int, constant: int = 0, sign: int = -1) -> Row:
    """Return the row of x_i + sign x_j - constant."""
    row = [0] * (n + 1)
    row[i], row[j], row[n] = 1, sign, -constant
    return row


def unit(n: int, i: int) -> Row:
    """Return the row of x_i without its constant."""
    return [int(i == k) for k in range(n)]


def generic_arrangement(n: int, d: int) -> Network:
    """Return n hyperplanes in general position in R^d: normals and offsets on the moment curve.

    Parameters
    ----------
    n : int
        Hyperplanes, at least 1.
    d : int
        Inputs, from 1 to 30.

    Returns
    -------
    Network
        Hidden width n: neuron t is relu(1 x_1 + t x_2 + .. + t^(d-1) x_d + t^d), t = 1..n.

    Raises
    ------
    InvalidInputError
        n or d is no such whole number, or the network would be too large.

    Regions
    -------
    On R^d: r = sum_{i<=d} C(n, i) of each kind, b = C(n-1, d) of them bounded (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    T. Zaslavsky, "Facing up to arrangements", Memoirs AMS 154, 1975.

    Examples
    --------
    >>> generic_arrangement(4, 2)
    Network(2-4-1, 4 neurons)
    """
    n, d = whole("generic_arrangement", "n", n), whole("generic_arrangement", "d", d, most=30)
    rows = ([t**k for k in range(d + 1)] for t in range(1, n + 1))
    return arrangement_network("generic_arrangement", d, n, rows)


def central_arrangement(n: int, d: int) -> Network:
    """Return n hyperplanes through 0 in R^d, otherwise in general position.

    Parameters
    ----------
    n : int
        Hyperplanes, at least 1.
    d : int
        Inputs, from 1 to 30.

    Returns
    -------
    Network
        Hidden width n: neuron t is relu(x_1 + t x_2 + .. + t^(d-1) x_d), t = 1..n.

    Raises
    ------
    InvalidInputError
        n or d is no such whole number, or the network would be too large.

    Regions
    -------
    On R^d: r = 2 sum_{i<d} C(n-1, i) of each kind (proved); none is bounded.

    Exactness
    ---------
    Integer weights.

    References
    ----------
    T. Zaslavsky, "Facing up to arrangements", Memoirs AMS 154, 1975.

    Examples
    --------
    >>> central_arrangement(5, 3)
    Network(3-5-1, 5 neurons)
    """
    n, d = whole("central_arrangement", "n", n), whole("central_arrangement", "d", d, most=30)
    rows = ([*(t**k for k in range(d)), 0] for t in range(1, n + 1))
    return arrangement_network("central_arrangement", d, n, rows)


def boolean_arrangement(n: int) -> Network:
    """Return the coordinate hyperplanes x_i = 0 in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden width n.

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 1, or the network would be too large.

    Regions
    -------
    On R^n: 2^n of each kind; characteristic polynomial (t - 1)^n (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> boolean_arrangement(3)
    Network(3-3-1, 3 neurons)
    """
    n = whole("boolean_arrangement", "n", n)
    return arrangement_network("boolean_arrangement", n, n, ([*unit(n, i), 0] for i in range(n)))


def cube_arrangement(n: int) -> Network:
    """Return the hyperplanes of the cube's facets, x_i = 0 and x_i = 1, in R^n.

    Parameters
    ----------
    n : int
        Inputs, at least 1.

    Returns
    -------
    Network
        Hidden width 2 n.

    Raises
    ------
    InvalidInputError
        n is no whole number of at least 1, or the network would be too large.

    Regions
    -------
    On R^n: 3^n of each kind, one bounded; characteristic polynomial (t - 2)^n (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    R. Stanley, "An introduction to hyperplane arrangements", IAS/Park City 13, 2007.

    Examples
    --------
    >>> cube_arrangement(2)
    Network(2-4-1, 4 neurons)
    """
    n = whole("cube_arrangement", "n", n)
    rows = ([*unit(n, i), -c] for i in range(n) for c in (0, 1))
    return arrangement_network("cube_arrangement", n, 2 * n, rows)


def graphic_arrangement(edges: Sequence[Sequence[int]]) -> Network:
    """Return the hyperplanes x_i = x_j for the edges ij of a graph.

    Parameters
    ----------
    edges : sequence of pairs of int
        Vertices are counted from 0, up to the largest that occurs; an edge given twice counts once.

    Returns
    -------
    Network
        One input for each vertex; hidden width the number of edges.

    Raises
    ------
    InvalidInputError
        No edges, or one that does not join two different whole numbers from 0 on.

    Regions
    -------
    On R^n: |chi(-1)| of each kind, chi the chromatic polynomial: the acyclic orientations (proved).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    C. Greene, T. Zaslavsky, "On the interpretation of Whitney numbers", Trans. AMS 280, 1983.

    Examples
    --------
    >>> graphic_arrangement([(0, 1), (1, 2), (2, 3), (3, 0)])
    Network(4-4-1, 4 neurons)
    """
    wanted = "graphic_arrangement needs edges such as [(0, 1), (1, 2)], from 0 to 999"
    try:
        pairs = [(index(i), index(j)) for i, j in edges]
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{wanted}; got {edges!r:.60}.") from error
    if not pairs or any(i == j or min(i, j) < 0 or max(i, j) > 999 for i, j in pairs):
        raise InvalidInputError(f"{wanted}, each with two ends; got {edges!r:.60}.")
    distinct = sorted({(min(pair), max(pair)) for pair in pairs})
    n = 1 + max(j for _, j in distinct)
    rows = (difference(n, i, j) for i, j in distinct)
    return arrangement_network("graphic_arrangement", n, len(distinct), rows)


def resonance_arrangement(n: int) -> Network:
    """Return the hyperplanes through 0 in R^n with all nonzero 0/1 normals.

    Parameters
    ----------
    n : int
        Inputs, from 1 to 15.

    Returns
    -------
    Network
        Hidden width 2^n - 1.

    Raises
    ------
    InvalidInputError
        n is no such whole number.

    Regions
    -------
    On R^n: 2, 6, 32, 370, 11292, 1066044 of each kind for n = 1..6 (computed).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    L. Kamiya, A. Takemura, H. Terao, "Ranking patterns of unfolding models of codimension one",
    Adv. Appl. Math. 47, 2011.

    Examples
    --------
    >>> resonance_arrangement(3)
    Network(3-7-1, 7 neurons)
    """
    n = whole("resonance_arrangement", "n", n, most=15)
    rows = ([*normal, 0] for normal in product((0, 1), repeat=n) if any(normal))
    return arrangement_network("resonance_arrangement", n, 2**n - 1, rows)


def threshold_arrangement(n: int) -> Network:
    """Return the hyperplanes through 0 in R^(n+1) with normals (+-1, .., +-1, 1).

    Parameters
    ----------
    n : int
        Inputs of the threshold functions, from 1 to 15; the last input is their bias.

    Returns
    -------
    Network
        n + 1 inputs, hidden width 2^n.

    Raises
    ------
    InvalidInputError
        n is no such whole number.

    Regions
    -------
    On R^(n+1): 4, 14, 104, 1882, 94572, 15028134 of each kind for n = 1..6: the threshold
    functions of n bits (computed).

    Exactness
    ---------
    Integer weights.

    References
    ----------
    S. Muroga, "Threshold logic and its applications", Wiley, 1971.

    Examples
    --------
    >>> threshold_arrangement(3)
    Network(4-8-1, 8 neurons)
    """
    n = whole("threshold_arrangement", "n", n, most=15)
    rows = ([*normal, 1, 0] for normal in product((-1, 1), repeat=n))
    return arrangement_network("threshold_arrangement", n + 1, 2**n, rows)
