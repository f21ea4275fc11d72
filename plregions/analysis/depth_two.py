"""Does one hidden layer hold this function on a domain, with which neurons, and how few?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from plregions.analysis.kinks import GradientJumps, Hyperplane, Jump, gradient_jumps
from plregions.analysis.unbalanced_ridges import HardFlats, UnbalancedRidge, hard_flats_of
from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.exact.linear import rank, solve
from plregions.network import Network

__all__ = ["DepthTwo", "depth_two_of", "is_depth_two"]

Matrix = tuple[tuple[Fraction, ...], ...]

# A set of them with a given sum is looked for among 2^10 + 2^10 half sums.
_MOST_DECIDED = 20


@dataclass(frozen=True)
class DepthTwo:
    """Whether a function is one hidden layer on an open bounded domain, with the evidence.

    Then f(x) = weight x + bias + sum over the hyperplanes of jump relu(n.x + c).

    Attributes
    ----------
    holds : bool
    hyperplanes : tuple of Hyperplane
        The kink hyperplanes: those that hold a facet across which the gradient jumps.
    jumps : tuple of Jump or None
        The jump across each, where it is one jump: None where `holds` is False.
    weight : tuple of tuples of Fraction, shape (outputs, dim), or None
    bias : tuple of Fraction or None
        The affine rest.
    network : Network or None
        Equal to f on the domain, with one hidden layer (none where f is affine and constant) of
        ``most_neurons`` units; of a slice in its own coordinates.
    least_neurons, most_neurons : int or None
        Bounds for the smallest width of a hidden layer that holds f on the domain.
    obstruction : UnbalancedRidge or None
        A ridge inside the domain at which f has no germ of depth 2.

    Examples
    --------
    >>> roof = Network([([[1], [-1]], [0, 0]), ([[1, 1]], [0])])
    >>> found = is_depth_two(roof, Box([-1], [1]))
    >>> bool(found), found.smallest_width, [str(v) for v in found.jumps[0]]
    (True, 2, ['2'])
    """

    holds: bool
    hyperplanes: tuple[Hyperplane, ...]
    jumps: tuple[Jump, ...] | None
    weight: Matrix | None
    bias: tuple[Fraction, ...] | None
    network: Network | None
    least_neurons: int | None
    most_neurons: int | None
    obstruction: UnbalancedRidge | None

    @property
    def smallest_width(self) -> int | None:
        """The smallest width, where it was decided; None otherwise."""
        return self.least_neurons if self.least_neurons == self.most_neurons else None

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        kinks = "hyperplane" if len(self.hyperplanes) == 1 else "hyperplanes"
        told = f"{len(self.hyperplanes)} kink {kinks}"
        if self.holds:
            width = f"{self.least_neurons}"
            if self.smallest_width is None:
                width += f" to {self.most_neurons}"
            told += f", smallest width {width}"
        return f"DepthTwo({self.holds}, {told})"


def is_depth_two(
    f: Network,
    domain: Box | Polytope | WholeSpace | Slice,
    *,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> DepthTwo:
    """Decide whether some network with one hidden layer equals f in the interior of a domain.

    Parameters
    ----------
    f : Network
        Of any depth.
    domain : Box, Polytope or Slice
        Bounded; its interior is meant.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    DepthTwo

    Raises
    ------
    InvalidInputError
        An unbounded domain.
    BudgetExhaustedError
        A budget ran out.

    Algorithm
    ---------
    One hidden layer holds f on an open convex set iff the jump is constant along each hyperplane
    inside the set, iff every ridge there is balanced (see `hard_flats`). Then f minus the sum of
    jump relu(n.x + c) is affine. A network needs a neuron for each kink hyperplane, and one more
    for an affine rest on a bounded set, as many as its rank for several outputs. None is needed
    iff relu(-n.x - c) in place of relu(n.x + c) for some of the hyperplanes takes the rest away,
    up to a constant: iff the jumps times n of some subset add up to the negative rest. Up to 20
    hyperplanes that is decided by all sums of the first half against those of the second.

    Exactness
    ---------
    Exact. With more hyperplanes `least_neurons` and `most_neurons` may differ.

    Examples
    --------
    Courant's hat needs two hidden layers; a hat at each corner of a cube does not:

    >>> from plregions.constructions import corner_hats, hat2d
    >>> is_depth_two(hat2d(), Box([-3, -3], [3, 3]))
    DepthTwo(False, 9 kink hyperplanes)
    >>> is_depth_two(corner_hats(3), Box([0] * 3, [1] * 3))
    DepthTwo(True, 8 kink hyperplanes, smallest width 8)
    """
    jumps = gradient_jumps(
        f,
        domain,
        workers=workers,
        max_regions=max_regions,
        time_limit=time_limit,
        verb="is_depth_two",
    )
    return depth_two_of(jumps, hard_flats_of(jumps))


def depth_two_of(jumps: GradientJumps, flats: HardFlats) -> DepthTwo:
    """Do the work of `is_depth_two`, given the jumps and the hard flats.

    Parameters
    ----------
    jumps : GradientJumps
    flats : HardFlats
        Of the same function.

    Returns
    -------
    DepthTwo

    Exactness
    ---------
    Exact.
    """
    rows = jumps.hyperplanes
    if flats.ridges:
        return DepthTwo(False, rows, None, None, None, None, None, None, flats.ridges[0])
    # No ridge is unbalanced, so the jump is the same all along a hyperplane.
    of_row = dict(zip(jumps.hyperplane_of.tolist(), jumps.jumps, strict=True))
    deltas = tuple([of_row[h] for h in range(len(rows))])
    rest = _affine_rest(jumps, deltas)
    weight = tuple([tuple(row[:-1]) for row in rest])
    bias = tuple([row[-1] for row in rest])
    turned = _turned(rows, deltas, weight)
    extra = rank(weight)
    least = len(rows) + (1 if turned is None else 0)
    most = len(rows) + (extra if turned is None else 0)
    if turned is None and len(rows) > _MOST_DECIDED:
        least = len(rows)
    network = _one_hidden_layer(jumps, deltas, rest, turned or frozenset())
    return DepthTwo(True, rows, deltas, weight, bias, network, least, most, None)


def _affine_rest(jumps: GradientJumps, deltas: Sequence[Jump]) -> list[list[Fraction]]:
    """Return f minus the sum of delta relu(n.x + c), a row (a, b) for each output."""
    region = jumps.complex
    point = (*region.exact_point(0), Fraction(1))
    weight, bias = jumps.network.affine_map(region.patterns[0], exact=True)
    rest = [[*a, b] for a, b in zip(weight.tolist(), bias.tolist(), strict=True)]
    for row, delta in zip(jumps.hyperplanes, deltas, strict=True):
        if _dot(row, point) > 0:
            _subtract(rest, delta, row)
    return rest


def _turned(
    rows: Sequence[Hyperplane], deltas: Sequence[Jump], weight: Matrix
) -> frozenset[int] | None:
    """Return hyperplanes whose jumps times n add up to minus the weight; None if none are found."""
    if not any(map(any, weight)):
        return frozenset()
    if len(rows) > _MOST_DECIDED:
        return None
    vectors = [
        [v * a for v in delta for a in row[:-1]] for row, delta in zip(rows, deltas, strict=True)
    ]
    target = [-v for row in weight for v in row]
    scale = lcm(*(v.denominator for vector in [*vectors, target] for v in vector))
    whole = [tuple([int(v * scale) for v in vector]) for vector in vectors]
    goal = tuple([int(v * scale) for v in target])
    half = len(whole) // 2
    first = {total: chosen for chosen, total in _sums(whole[:half], len(goal))}
    for chosen, total in _sums(whole[half:], len(goal)):
        other = first.get(tuple([g - v for g, v in zip(goal, total, strict=True)]))
        if other is not None:
            bits = other | chosen << half
            return frozenset(i for i in range(len(whole)) if bits >> i & 1)
    return None


def _sums(vectors: Sequence[tuple[int, ...]], length: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return all subsets, as bits, with their sums."""
    sums = [(0, (0,) * length)]
    for k, vector in enumerate(vectors):
        sums += [
            (bits | 1 << k, tuple([a + b for a, b in zip(total, vector, strict=True)]))
            for bits, total in sums
        ]
    return sums


def _one_hidden_layer(
    jumps: GradientJumps,
    deltas: Sequence[Jump],
    rest: list[list[Fraction]],
    turned: frozenset[int],
) -> Network:
    """Return the network; the hyperplanes in `turned` have their neuron on the other side."""
    rest = [list(row) for row in rest]
    hidden, columns = [], []
    for i, (row, delta) in enumerate(zip(jumps.hyperplanes, deltas, strict=True)):
        if i in turned:  # relu(t) = relu(-t) + t
            _subtract(rest, [-v for v in delta], row)
        hidden.append([-v for v in row] if i in turned else list(row))
        columns.append(list(delta))
    lower, upper = jumps.complex.prepared.domain.bounding_box()
    for factors, normal in _outer_products([row[:-1] for row in rest]):
        lows = [
            a * (low if a > 0 else high) for a, low, high in zip(normal, lower, upper, strict=True)
        ]
        shift = -sum(lows, Fraction(0))  # so that the neuron is on all over the domain
        hidden.append([*normal, shift])
        columns.append(factors)
        _subtract(rest, factors, [*normal, shift])
    bias = [row[-1] for row in rest]
    if not hidden:
        return Network([([[0] * len(lower) for _ in bias], bias)])
    weights = [row[:-1] for row in hidden]
    outputs = [list(row) for row in zip(*columns, strict=True)]
    return Network([(weights, [row[-1] for row in hidden]), (outputs, bias)])


def _outer_products(
    matrix: list[list[Fraction]],
) -> list[tuple[list[Fraction], list[Fraction]]]:
    """Return a matrix as a sum of products of a column and a row, as few as its rank."""
    basis: list[list[Fraction]] = []
    for row in matrix:
        if rank([*basis, row]) > len(basis):
            basis.append(row)
    if not basis:
        return []
    # The coordinates of each row in the basis, from the normal equations.
    gram = [[_dot(a, b) for b in basis] for a in basis]
    rows = [solve(gram, [_dot(a, row) for a in basis]) or [] for row in matrix]
    return [([row[k] for row in rows], normal) for k, normal in enumerate(basis)]


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum([v * w for v, w in zip(a, b, strict=True)], Fraction(0))


def _subtract(
    rest: list[list[Fraction]], factors: Sequence[Fraction], row: Sequence[Fraction]
) -> None:
    for k, factor in enumerate(factors):
        rest[k] = [v - factor * w for v, w in zip(rest[k], row, strict=True)]
