"""Sawtooths: how do composed tent maps make exponentially many pieces?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plregions.constructions.circuit import Circuit, Form, Number, weighted_sum
from plregions.constructions.parameters import rationals, rows_of, whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = [
    "mean_tent",
    "montufar_fold",
    "sum_tent",
    "tent",
    "tent3_power",
    "tent_power",
    "yarotsky_square",
]


def tent(circuit: Circuit, value: Form) -> Form:
    """Return T(value) one level up: T(t) = 2 relu(t) - 4 relu(t - 1/2), two neurons."""
    return 2 * circuit.relu(value) - 4 * circuit.relu(value - Fraction(1, 2))


def tent_power(m: int) -> Network:
    """Return the tent map T composed m times: T(x) = 2 relu(x) - 4 relu(x - 1/2).

    Parameters
    ----------
    m : int
        At least 1.

    Returns
    -------
    Network
        One input, hidden widths 2, m times.

    Raises
    ------
    InvalidInputError
        m is no whole number of at least 1.

    Regions
    -------
    On [0, 1]: 2^m activation regions, as many linear ones. On R: 3 linear regions for m = 1, and
    2^m + 2 for m >= 2, with 2^m + 1 distinct affine maps: both outer pieces are 0 (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    M. Telgarsky, "Representation benefits of deep feedforward networks", arXiv 1509.08101.

    Examples
    --------
    >>> tent_power(3)
    Network(1-2-2-2-1, 6 neurons)
    >>> [int(tent_power(3).exact([Fraction(k, 8)])[0]) for k in range(9)]
    [0, 1, 0, 1, 0, 1, 0, 1, 0]
    """
    m = whole("tent_power", "m", m)
    return _tents("tent_power", 1, m, is_of_mean=False)


def tent3_power(m: int) -> Network:
    """Return the hat T composed m times: T(x) = 2 relu(x) - 4 relu(x - 1/2) + 2 relu(x - 1).

    Parameters
    ----------
    m : int
        At least 1.

    Returns
    -------
    Network
        One input, hidden widths 3, m times; 0 outside [0, 1].

    Raises
    ------
    InvalidInputError
        m is no whole number of at least 1.

    Regions
    -------
    On R: 4 linear regions for m = 1, 2^m + 2 for m >= 2 (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    M. Telgarsky, "Representation benefits of deep feedforward networks", arXiv 1509.08101.

    Examples
    --------
    >>> tent3_power(2).exact([5]), tent3_power(2).exact(["1/4"])
    ((Fraction(0, 1),), (Fraction(1, 1),))
    """
    m = whole("tent3_power", "m", m)
    circuit = Circuit("tent3_power", 1)
    (value,) = circuit.inputs
    for _ in range(m):
        value = tent(circuit, value) + 2 * circuit.relu(value - 1)
    return circuit.network([value])


def sum_tent(d: int, m: int) -> Network:
    """Return the sum of T^m over d coordinates.

    Parameters
    ----------
    d, m : int
        At least 1.

    Returns
    -------
    Network
        Hidden widths 2 d, m times; block-diagonal.

    Raises
    ------
    InvalidInputError
        d or m is no whole number of at least 1, or the network would be too large.

    Regions
    -------
    On [0, 1]^d: 2^(m d) activation regions, as many linear ones (proved: a grid). Distinct affine
    maps are fewer: 4, 12, 28 for d = 2 and m = 1, 2, 3.

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    M. Telgarsky, "Representation benefits of deep feedforward networks", arXiv 1509.08101.

    Examples
    --------
    >>> sum_tent(2, 2).exact(["1/4", "3/4"])
    (Fraction(2, 1),)
    """
    d, m = whole("sum_tent", "d", d), whole("sum_tent", "m", m)
    return _tents("sum_tent", d, m, is_of_mean=False)


def mean_tent(d: int, m: int) -> Network:
    """Return T^m of the mean of d coordinates: many pieces, and yet a function of depth 2.

    Parameters
    ----------
    d, m : int
        At least 1.

    Returns
    -------
    Network
        Hidden widths 2, m times.

    Raises
    ------
    InvalidInputError
        d or m is no whole number of at least 1.

    Regions
    -------
    On [0, 1]^d: 2^m activation regions, as many linear ones: slabs between 2^m - 1 parallel
    hyperplanes (proved).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    M. Telgarsky, "Representation benefits of deep feedforward networks", arXiv 1509.08101.

    Examples
    --------
    >>> mean_tent(3, 2).exact([1, 0, "1/2"])
    (Fraction(0, 1),)
    """
    d, m = whole("mean_tent", "d", d), whole("mean_tent", "m", m)
    return _tents("mean_tent", d, m, is_of_mean=True)


def _tents(verb: str, d: int, m: int, is_of_mean: bool) -> Network:
    circuit = Circuit(verb, d)
    values = circuit.inputs
    if is_of_mean:
        values = [weighted_sum([Fraction(1, d)] * d, values)]
    for _ in range(m):
        values = [tent(circuit, value) for value in values]
    return circuit.network([weighted_sum([1] * len(values), values)])


def montufar_fold(
    d: int,
    p: int,
    n_folds: int,
    final: Sequence[Sequence[Number]] | None = None,
    read_out: Sequence[Number] | None = None,
) -> Network:
    """Return the folding network: each coordinate through a zigzag of p pieces, n_folds times.

    A zigzag is ``relu(p t) - 2 relu(p t - 1) + 2 relu(p t - 2) - ...``, [0, 1] onto [0, 1].

    Parameters
    ----------
    d, p, n_folds : int
        Coordinates and folding layers, at least 1; pieces of a zigzag, at least 2.
    final : sequence of n rows of d + 1 numbers, optional
        Weights and bias of n more neurons on the folded coordinates.
    read_out : sequence of n numbers, optional
        Their output weights, by default 1. Without `final` the output is the sum of the folded
        coordinates.

    Returns
    -------
    Network
        Hidden widths p d, n_folds times, then n.

    Raises
    ------
    InvalidInputError
        Parameters of other kinds or lengths, or too large a network.

    Regions
    -------
    On [0, 1]^d: p^(d n_folds) activation regions, as many linear ones (proved). With a final
    layer in general position whose flats all meet the open cube, the activation regions are
    p^(d n_folds) sum_{j<=d} C(n, j) (proved); linear regions can be fewer, since cells where all
    final neurons are off join.

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    G. Montufar, R. Pascanu, K. Cho, Y. Bengio, "On the number of linear regions of deep neural
    networks", NeurIPS 2014.

    Examples
    --------
    >>> montufar_fold(2, 3, 2)
    Network(2-6-6-1, 12 neurons)
    >>> montufar_fold(1, 2, 1, [[1, "-1/2"]]).exact(["1/2"])
    (Fraction(1, 2),)
    """
    verb = "montufar_fold"
    d, p = whole(verb, "d", d), whole(verb, "p", p, least=2)
    circuit = Circuit(verb, d)
    values = circuit.inputs
    for _ in range(whole(verb, "n_folds", n_folds)):
        values = [_zigzag(circuit, value, p) for value in values]
    if final is None:
        if read_out is not None:
            raise InvalidInputError(f"{verb} needs final where read_out is given; got none.")
        return circuit.network([weighted_sum([1] * d, values)])
    rows = rows_of(verb, "final", final, d + 1)
    weights = [1] * len(rows) if read_out is None else rationals(verb, "read_out", read_out)
    if len(weights) != len(rows):
        raise InvalidInputError(
            f"{verb} needs {len(rows)} numbers read_out, one for each row of final; got "
            f"{len(weights)}."
        )
    units = [circuit.relu(weighted_sum(row, [*values, 1])) for row in rows]
    return circuit.network([weighted_sum(weights, units)])


def _zigzag(circuit: Circuit, value: Form, p: int) -> Form:
    units = [circuit.relu(p * value - k) for k in range(p)]
    return weighted_sum([1, *(2 * (-1) ** k for k in range(1, p))], units)


def yarotsky_square(m: int) -> Network:
    """Return the interpolant of x^2 on [0, 1] at j / 2^m, at depth m + 1.

    ``x - sum_{k=1}^m T^k(x) / 4^k``, the sum carried along in one neuron of each layer.

    Parameters
    ----------
    m : int
        At least 1.

    Returns
    -------
    Network
        One input, hidden widths 3, m times.

    Raises
    ------
    InvalidInputError
        m is no whole number of at least 1.

    Regions
    -------
    On [0, 1]: 2^m linear regions, as many activation regions. Proved: the largest distance
    between the networks of m and m + 1 is 4^-(m+1).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    D. Yarotsky, "Error bounds for approximations with deep ReLU networks", Neural Networks 94,
    2017.

    Examples
    --------
    >>> yarotsky_square(2).exact(["3/4"]), yarotsky_square(2).exact(["1/8"])
    ((Fraction(9, 16),), (Fraction(1, 32),))
    """
    m = whole("yarotsky_square", "m", m)
    circuit = Circuit("yarotsky_square", 1)
    (value,) = circuit.inputs
    rest = value
    for k in range(1, m + 1):
        kept = circuit.relu(rest)  # at least x^2, so not negative
        value = tent(circuit, value)
        rest = kept - value * Fraction(1, 4**k)
    return circuit.network([rest])
