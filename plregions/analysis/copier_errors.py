"""How far from the copied hat does a network stay whose first layer misses copies?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plregions.analysis.distances import distance
from plregions.constructions import copier_centres, l2_hierarchy
from plregions.constructions.parameters import rational, whole
from plregions.domain import hypercube
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.exact.words import short_text
from plregions.network import Network, compose

__all__ = [
    "HierarchyError",
    "hierarchy_error",
    "l2_hierarchy_lower_bound",
    "l2_hierarchy_width",
    "missed_copies",
]

Point = tuple[Fraction, ...]

# The mean squared distance of relu(1 - |x_1|) from the nearest affine function on [-1, 1]^d.
_GAP = Fraction(1, 12)
_SIDES = {2: Fraction(1, 8), 3: Fraction(1, 1000)}


def l2_hierarchy_lower_bound(d: int, j: int, width: int) -> Fraction:
    """Return the squared error that every network of depth j + 1 has against h_j: a lower bound.

    (1 - width d / 2^d)^j / 12, and 0 where the base is negative. The error is the mean squared
    distance under the uniform distribution over the 2^(d j) smallest copies of the cube, which
    must be so small that no hyperplane meets more than d copies of one level.

    Parameters
    ----------
    d : int
        Inputs, at least 2.
    j : int
        Levels of copies, at least 1; h_j has depth j + 2.
    width : int
        The largest width of a hidden layer, at least 0.

    Returns
    -------
    Fraction

    Raises
    ------
    InvalidInputError
        Other numbers.

    Exactness
    ---------
    Exact.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 3.1.

    Examples
    --------
    >>> bound = l2_hierarchy_lower_bound(10, 1, 51)
    >>> float(bound), bound >= Fraction(1, 24)
    (0.041829427083333336, True)
    """
    verb = "l2_hierarchy_lower_bound"
    d, j = whole(verb, "d", d, least=2), whole(verb, "j", j)
    width = whole(verb, "width", width, least=0, most=10**12)
    return _GAP * max(Fraction(0), 1 - Fraction(width * d, 2**d)) ** j


def l2_hierarchy_width(d: int, j: int) -> Fraction:
    """Return the width 2^d / (2 d j) up to which the squared error against h_j is at least 1/24.

    Parameters
    ----------
    d, j : int
        As for `l2_hierarchy_lower_bound`.

    Returns
    -------
    Fraction

    Raises
    ------
    InvalidInputError
        Other numbers.

    Exactness
    ---------
    Exact.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 3.1.

    Examples
    --------
    >>> float(l2_hierarchy_width(10, 1)), float(l2_hierarchy_width(10, 2))
    (51.2, 25.6)
    """
    d, j = whole("l2_hierarchy_width", "d", d, least=2), whole("l2_hierarchy_width", "j", j)
    return Fraction(2**d, 2 * d * j)


def missed_copies(net: Network, d: int, r: Any = None) -> tuple[int, ...]:
    """Return the copies of the cube that no hyperplane of a network's first layer meets.

    Parameters
    ----------
    net : Network
        With d inputs.
    d : int
        2 or 3: copy s is the open cube q_s + (-r, r)^d, q_s from `copier_centres`.
    r : int, Fraction or str, optional
        As for `copier`.

    Returns
    -------
    tuple of int
        Numbers of copies in the order of `copier_centres`. On them the first layer is affine.

    Raises
    ------
    InvalidInputError
        Another number of inputs, or d and r that `copier` refuses.

    Algorithm
    ---------
    The hyperplane w.x + b = 0 misses the open cube iff |w.q + b| >= r sum |w_i|.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> missed_copies(Network([([[1, 0]], ["-1/2"]), ([[1]], [0])]), 2)
    (0, 1)
    """
    centres, side = _copies("missed_copies", net, d, r)
    return tuple([s for s, centre in enumerate(centres) if _is_missed(net, centre, side)])


@dataclass(frozen=True)
class HierarchyError:
    """How far a network is from h_j on its copies of the cube.

    Attributes
    ----------
    error : Fraction
        The mean squared distance over the copies: exact.
    certified : Fraction
        At most `error`: 1/12 for each copy on which the network is affine because no layer's
        hyperplanes meet it, divided by the number of copies.
    missed : tuple of int
        The copies of the first level that the first layer misses.
    lower_bound : Fraction
        What no network of this depth and width goes below, where no hyperplane meets more than d
        copies; see `l2_hierarchy_lower_bound`.
    n_copies : int
        Of the last level: 2^(d j).

    Examples
    --------
    >>> constant = Network([([[0, 0]], [0]), ([[0]], ["1/2"])])
    >>> found = hierarchy_error(constant, 2, 1)
    >>> found.error == found.certified == Fraction(1, 12), found.missed
    (True, (0, 1, 2, 3))
    """

    error: Fraction
    certified: Fraction
    missed: tuple[int, ...]
    lower_bound: Fraction
    n_copies: int

    def __repr__(self) -> str:
        names = ("error", "certified", "lower_bound")
        numbers = ", ".join(f"{name}={short_text(getattr(self, name))}" for name in names)
        return f"HierarchyError({numbers}, missed={self.missed})"


def hierarchy_error(net: Network, d: int, j: int, r: Any = None) -> HierarchyError:
    """Measure a network of depth j + 1 against h_j, and certify a part of its error.

    Parameters
    ----------
    net : Network
        With d inputs, one output, of depth j + 1 or less: one hidden layer for j = 1.
    d : int
        2 or 3.
    j : int
        Levels of copies, at least 1. There are 2^(d j) of the last level.
    r : int, Fraction or str, optional
        As for `copier`.

    Returns
    -------
    HierarchyError

    Raises
    ------
    InvalidInputError
        A network of other sizes, or d and r that `copier` refuses.

    Algorithm
    ---------
    h_j(q_s + r u) = h_{j-1}(u) on each copy s. Where the first layer misses it, it merges with the
    next one, and the network of one layer less is measured against h_{j-1}. An affine function is
    left where each layer has missed: its mean squared distance from relu(1 - |x_1|) on [-1, 1]^d
    is at least 1/12. The exact error is that of `distance` on each copy of the last level.

    Exactness
    ---------
    Exact.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, proof of Theorem 3.1.

    Examples
    --------
    One neuron that meets two of the four squares:

    >>> ridge = Network([([[1, 0]], ["-1/2"]), ([[8]], [0])])
    >>> hierarchy_error(ridge, 2, 1)
    HierarchyError(error=1/3, certified=1/24, lower_bound=1/24, missed=(0, 1))
    """
    j = whole("hierarchy_error", "j", j, most=10)
    centres, side = _copies("hierarchy_error", net, d, r)
    if net.depth > j + 1 or net.output_dim != 1 or net.layers[-1].has_bit.any():
        raise InvalidInputError(
            f"hierarchy_error needs a network of depth at most j + 1 = {j + 1} with one output "
            f"without a kink; got depth {net.depth} and {net.output_dim} outputs."
        )
    hat, cube = l2_hierarchy(d, 0), hypercube(d, -1, 1)
    total, n_affine, n_copies = Fraction(0), 0, 0
    for copy, is_affine in _last_copies(net, centres, side, j):
        total += Fraction(distance(copy, hat, cube).l2_squared) / 2**d
        n_affine += is_affine
        n_copies += 1
    return HierarchyError(
        total / n_copies,
        _GAP * n_affine / n_copies,
        missed_copies(net, d, r),
        l2_hierarchy_lower_bound(d, j, max(net.widths, default=0)),
        n_copies,
    )


def _last_copies(
    net: Network, centres: Sequence[Point], side: Fraction, j: int
) -> Iterator[tuple[Network, bool]]:
    """Yield the network as it is on each copy of the last level, and whether it is affine there."""
    if j == 0:
        yield net, net.depth == 1
        return
    for centre in centres:
        is_missed = _is_missed(net, centre, side)
        yield from _last_copies(_seen_from(net, centre, side, is_missed), centres, side, j - 1)


def _seen_from(net: Network, centre: Point, side: Fraction, is_missed: bool) -> Network:
    """Return u -> net(centre + side u); the first layer merges with the next where it is missed."""
    d = len(centre)
    shrink = Network([([[side * (i == k) for k in range(d)] for i in range(d)], list(centre))])
    copy = compose(net, shrink)
    if not is_missed or copy.depth == 1:
        return copy
    first = copy.layers[0]
    bits = [v > 0 for v in _values(copy, (Fraction(0),) * d)]
    slopes = [pair[bit] for pair, bit in zip(fractions_of(first.slopes), bits, strict=True)]
    weight = [
        [s * v for v in row] for s, row in zip(slopes, fractions_of(first.weight), strict=True)
    ]
    bias = [s * v for s, v in zip(slopes, fractions_of(first.bias), strict=True)]
    return compose(Network(copy.layers[1:]), Network([(weight, bias)]))


def _is_missed(net: Network, centre: Point, side: Fraction) -> bool:
    """Tell whether the first layer is affine on the open cube around a centre."""
    first = net.layers[0]
    values = _values(net, centre)
    reach = [side * sum(map(abs, row)) for row in fractions_of(first.weight)]
    return all(
        abs(value) >= size
        for value, size, has_bit in zip(values, reach, first.has_bit, strict=True)
        if has_bit
    )


def _values(net: Network, point: Point) -> list[Fraction]:
    """Return the pre-activations of the first layer."""
    first = net.layers[0]
    rows = zip(fractions_of(first.weight), fractions_of(first.bias), strict=True)
    return [sum((a * x for a, x in zip(row, point, strict=True)), b) for row, b in rows]


def _copies(verb: str, net: Network, d: int, r: Any) -> tuple[tuple[Point, ...], Fraction]:
    """Return the centres and the half side, checked as `copier` does."""
    centres = copier_centres(d)
    if net.input_dim != d:
        raise InvalidInputError(f"{verb} needs a network with {d} inputs; got {net.input_dim}.")
    if r is None:
        return centres, _SIDES[d]
    l2_hierarchy(d, 1, r)  # refuses sides that are too large
    return centres, rational(verb, "r", r)
