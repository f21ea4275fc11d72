"""How far from a function does every network of one hidden layer stay, by counting cells?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from flint import fmpq, fmpq_mat

from plregions.analysis.bounded_cells import bounded_cells
from plregions.analysis.cell_stream import Limits
from plregions.analysis.simplex_integrals import as_fraction
from plregions.constructions.parameters import whole
from plregions.domain import Box
from plregions.errors import InvalidInputError
from plregions.exact.lp import check_interior
from plregions.exact.words import short_text
from plregions.network import Network, side_by_side

__all__ = ["DepthTwoError", "affine_gap", "depth_two_error_bound", "has_transversal", "most_met"]

# Sets of boxes for which a common transversal is looked for: some seconds.
_MOST_TRIED = 5000


@dataclass(frozen=True)
class DepthTwoError:
    """A lower bound for the squared L2 error of all networks with one hidden layer of k neurons.

    Attributes
    ----------
    bound : Fraction
        The sum of the ``len(gaps) - k most_met`` smallest gaps: at most the integral of
        (N - f)^2 over the cells, for every such network N.
    gaps : tuple of Fraction
        For each cell the integral of (f - A)^2 for the best affine function A there.
    most_met : int
        No hyperplane meets more of the cells.
    n_neurons : int
        k.

    Examples
    --------
    >>> DepthTwoError(Fraction(1, 36), (Fraction(1, 72),) * 4, most_met=2, n_neurons=1).bound
    Fraction(1, 36)
    """

    bound: Fraction
    gaps: tuple[Fraction, ...]
    most_met: int
    n_neurons: int

    def __repr__(self) -> str:
        return (
            f"DepthTwoError(bound={short_text(self.bound)}, {len(self.gaps)} cells, "
            f"{self.n_neurons} neurons, each meets at most {self.most_met})"
        )


def depth_two_error_bound(
    f: Network, cells: Sequence[Box], n_neurons: int, *, met: int | None = None
) -> DepthTwoError:
    """Bound from below how well one hidden layer of some width can approximate a function.

    Parameters
    ----------
    f : Network
    cells : sequence of Box
        With disjoint interiors.
    n_neurons : int
        k, at least 0: the width of the hidden layer.
    met : int, optional
        A number of cells that no hyperplane exceeds; found by `most_met` if it is not given.

    Returns
    -------
    DepthTwoError

    Raises
    ------
    InvalidInputError
        No cells, cells of another dimension or that overlap.

    Algorithm
    ---------
    The k hyperplanes of the neurons meet at most k `met` open cells; on the others the network is
    affine, and there its error is at least the gap; see `affine_gap`.

    Exactness
    ---------
    Exact.

    References
    ----------
    Made for this project, after I. Safran, "Every Layer Counts", arXiv 2608.23877.

    Examples
    --------
    A hat at each corner of the square, and networks of one neuron:

    >>> from plregions.constructions import corner_hats
    >>> half = Fraction(1, 2)
    >>> cells = [Box([a, b], [a + half, b + half]) for a in (0, half) for b in (0, half)]
    >>> depth_two_error_bound(corner_hats(2), cells, 1)
    DepthTwoError(bound=1/288, 4 cells, 1 neurons, each meets at most 3)
    """
    k = whole("depth_two_error_bound", "n_neurons", n_neurons, least=0, most=10**9)
    boxes = _checked("depth_two_error_bound", cells, f.input_dim)
    at_most = most_met(boxes) if met is None else whole("depth_two_error_bound", "met", met)
    gaps = tuple([affine_gap(f, cell) for cell in boxes])
    left = max(0, len(gaps) - k * at_most)
    return DepthTwoError(sum(sorted(gaps)[:left], Fraction(0)), gaps, at_most, k)


def affine_gap(f: Network, domain: Any) -> Fraction:
    """Return the integral of (f - A)^2 over a domain for the best affine function A.

    Parameters
    ----------
    f : Network
        With several outputs the integrals are added.
    domain : Box, Polytope or Slice
        Bounded.

    Returns
    -------
    Fraction
        The least squared L2 distance of f from affine functions.

    Raises
    ------
    InvalidInputError
        An unbounded domain.

    Algorithm
    ---------
    The integrals of all products of 1, the coordinates and the outputs, region by region, then
    the normal equations. On a box: vol (Var f - sum Cov(f, x_i)^2 / Var x_i).

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> roof = Network([([[1], [1], [1]], [1, 0, -1]), ([[1, -2, 1]], [0])])
    >>> affine_gap(roof, Box([-1], [1]))
    Fraction(1, 6)
    """
    d, m = f.input_dim, f.output_dim
    one = [0] * d
    rows = [one, *([int(i == k) for k in range(d)] for i in range(d))]
    measured = side_by_side(f, Network([(rows, [1] + [0] * d)]))
    size = m + d + 1
    sums = [[fmpq(0)] * size for _ in range(size)]
    for cell in bounded_cells("affine_gap", measured, domain, Limits(1, None, None)):
        parts = cell.integrals
        bottoms = [parts.common * v for v in parts.denominators]
        lines = [[*map(fmpq, line, bottoms)] for line in parts.heights]
        for simplex, volume in zip(parts.simplices, parts.volumes(), strict=True):
            values = [[line[i] for i in simplex] for line in lines]
            totals = [sum(line, fmpq(0)) for line in values]
            scale = volume / (len(simplex) * (len(simplex) + 1))
            for a in range(size):
                for b in range(a, size):
                    inner = sum(map(fmpq.__mul__, values[a], values[b]), fmpq(0))
                    sums[a][b] += scale * (inner + totals[a] * totals[b])
    return _residual(sums, m)


def _residual(sums: list[list[fmpq]], m: int) -> Fraction:
    """Return what is left of the first m functions after projection to the others."""
    size = len(sums)
    full = [[sums[min(a, b)][max(a, b)] for b in range(size)] for a in range(size)]
    gram = fmpq_mat([row[m:] for row in full[m:]])
    total = fmpq(0)
    # On a slice of fewer dimensions the coordinates may depend on each other.
    basis = _independent(gram)
    inner = fmpq_mat([[gram[a, b] for b in basis] for a in basis])
    for i in range(m):
        right = fmpq_mat([[full[i][m + a]] for a in basis])
        solution = inner.solve(right)
        total += full[i][i] - (right.transpose() * solution)[0, 0]
    return as_fraction(total)


def _independent(gram: fmpq_mat) -> list[int]:
    """Return the first rows of a Gram matrix that span the others: its echelon pivots."""
    reduced, rank = gram.rref()
    found, column = [], 0
    for i in range(int(rank)):
        while not reduced[i, column]:
            column += 1
        found.append(column)
    return found


def most_met(cells: Sequence[Box]) -> int:
    """Return the largest number of open boxes that one hyperplane meets.

    Parameters
    ----------
    cells : sequence of Box
        Of one dimension d, with disjoint interiors.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        No cells, cells of different dimensions or that overlap, or so many that thousands of sets
        of them would have to be tried.

    Algorithm
    ---------
    `has_transversal` for all sets of d + 1 cells; those that have one are joined to larger sets,
    all of whose smaller ones are among them, as long as some have one.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> most_met([Box([a, b], [a + half, b + half]) for a in (0, half) for b in (0, half)])
    3
    """
    boxes = _checked("most_met", cells, cells[0].dim if cells else 0)
    size = min(boxes[0].dim, len(boxes))
    met = set(combinations(range(len(boxes)), size))
    n_tried = 0
    while met:
        size += 1
        larger = [
            (*chosen, k)
            for chosen in met
            for k in range(chosen[-1] + 1, len(boxes))
            if all(part in met for part in combinations((*chosen, k), size - 1))
        ]
        n_tried += len(larger)
        if n_tried > _MOST_TRIED:
            raise InvalidInputError(
                f"most_met needs at most {_MOST_TRIED} sets of boxes to try; got more with "
                f"{len(boxes)} boxes. Give depth_two_error_bound a number met instead."
            )
        met = {chosen for chosen in larger if has_transversal([boxes[i] for i in chosen])}
    return size - 1


def has_transversal(cells: Sequence[Box]) -> bool:
    """Tell whether some hyperplane meets all of some open boxes.

    Parameters
    ----------
    cells : sequence of Box
        Of one dimension d, with disjoint interiors.

    Returns
    -------
    bool

    Raises
    ------
    InvalidInputError
        No cells, cells of different dimensions or that overlap.

    Algorithm
    ---------
    A hyperplane n.x + c = 0 meets an open box iff n.x + c is negative at one corner and positive
    at the opposite one, which the signs of n choose. Such (n, c) form an open set: no entry of n
    need be 0. One exact linear program for each of the 2^(d-1) choices of signs up to their
    reversal.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> squares = [Box([x, y], [x + 1, y + 1]) for x, y in [(0, 0), (4, 0), (0, 4)]]
    >>> has_transversal(squares), has_transversal(squares[:2])
    (False, True)
    """
    dim = cells[0].dim if cells else 0
    boxes = _checked("has_transversal", cells, dim)
    for tail in product((1, -1), repeat=dim - 1):
        signs = (1, *tail)
        # Rows in the unknowns n and c, positive where the hyperplane meets the boxes.
        rows: list[list[Fraction | int]] = [
            [*(sign * (i == k) for k in range(dim)), 0, 0] for i, sign in enumerate(signs)
        ]
        for box in boxes:
            pairs = [pair[::sign] for pair, sign in zip(_sides(box), signs, strict=True)]
            rows.append([*(-low for low, _ in pairs), -1, 0])
            rows.append([*(high for _, high in pairs), 1, 0])
        if check_interior(rows).point is not None:
            return True
    return False


def _sides(box: Box) -> list[tuple[Fraction, Fraction]]:
    return list(zip(*box.bounding_box(), strict=True))


def _checked(verb: str, cells: Sequence[Box], dim: int) -> list[Box]:
    """Return the boxes, which have the dimension and overlap nowhere."""
    boxes = list(cells)
    if not boxes or any(not isinstance(box, Box) or box.dim != dim for box in boxes):
        raise InvalidInputError(
            f"{verb} needs one or more boxes of one dimension, that of the inputs; got "
            f"{len(boxes)} cells."
        )
    for first, second in combinations(boxes, 2):
        pairs = zip(_sides(first), _sides(second), strict=True)
        if all(max(a[0], b[0]) < min(a[1], b[1]) for a, b in pairs):
            raise InvalidInputError(
                f"{verb} needs boxes with disjoint interiors; got {first!r} and {second!r}."
            )
    return boxes
