"""How many first-layer hyperplanes does any network of depth 3 need for this function?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, eye_array, hstack

from plregions.analysis.common_hyperplanes import (
    CommonHyperplane,
    common_hyperplane,
    common_hyperplanes,
)
from plregions.analysis.kinks import Hyperplane, gradient_jumps
from plregions.analysis.unbalanced_ridges import Flat, HardFlats, hard_flats_of
from plregions.analysis.width_certificate import DualWeights, Evidence, Split, WidthCertificate
from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.network import Network

__all__ = ["first_layer_width_bound", "width_certificate_of"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A certificate is nested as deeply as its tree; JSON readers stop at a depth of about 1000.
_DEEPEST = 100
_DENOMINATORS = (1, 2, 3, 4, 6, 12, 60, 840, 27720, 10**6, 10**9)
# Up to which absolute error the float solvers may miss a bound that is then proved or given up.
_SLACK = 1e-6


def first_layer_width_bound(
    f: Network,
    domain: Box | Polytope | WholeSpace | Slice,
    *,
    max_nodes: int = 2000,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> WidthCertificate:
    """Bound from below the first layer of all networks of depth 3 equal to f on a domain.

    Let D be the interior of the domain. Every network with two hidden layers, whatever its widths
    and weights, that equals f on D has each hard flat of f in one of its first-layer hyperplanes;
    so at least tau of these meet D, where tau is the least number of hyperplanes such that each
    hard flat lies in one.

    Parameters
    ----------
    f : Network
        Of any depth.
    domain : Box, Polytope or Slice
        Bounded. Larger domains have no smaller tau.
    max_nodes : int
        Cases that a proof may split into, and that the search for a cover may.
    workers, max_regions
        As for `enumerate_regions`.
    time_limit : float, optional
        Seconds for the regions; what is left is the limit of the search for a cover, and again of
        the search for a proof.

    Returns
    -------
    WidthCertificate
        Its `tau` is None where a limit did not suffice; its bounds hold all the same.

    Raises
    ------
    InvalidInputError
        An unbounded domain.
    BudgetExhaustedError
        A budget of the enumeration ran out.

    Algorithm
    ---------
    `hard_flats`, then the hyperplanes that hold two of them or more; a smallest cover by integer
    programming (HiGHS); dual weights by linear programming, rounded to rationals with small
    denominators; where their bound is too weak, a tree of cases "this hyperplane is used or not".

    Exactness
    ---------
    Floats propose; the cover, the weights and the tree are rational and hold by themselves.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877; the collapse of first layers: I. Safran, D.
    Reichman, P. Valiant, "How many neurons does it take to approximate the maximum?", 2024.

    Examples
    --------
    >>> from plregions.constructions import corner_hinge, max_tree
    >>> first_layer_width_bound(corner_hinge(3), Box([0] * 3, [1] * 3))
    WidthCertificate(8 flats, tau = 4, dual)
    >>> found = first_layer_width_bound(max_tree(4), Box([-1] * 4, [1] * 4))
    >>> found, found.verify()
    (WidthCertificate(4 flats, tau = 2, dual), True)
    """
    start = time.monotonic()
    jumps = gradient_jumps(
        f,
        domain,
        workers=workers,
        max_regions=max_regions,
        time_limit=time_limit,
        verb="first_layer_width_bound",
    )
    found = hard_flats_of(jumps)
    if time_limit is not None:
        time_limit = max(0.0, time_limit - (time.monotonic() - start))
    return width_certificate_of(found, max_nodes=max_nodes, time_limit=time_limit)


def width_certificate_of(
    found: HardFlats, *, max_nodes: int = 2000, time_limit: float | None = None
) -> WidthCertificate:
    """Do the work of `first_layer_width_bound`, given the hard flats.

    Parameters
    ----------
    found : HardFlats
    max_nodes : int
    time_limit : float, optional
        Seconds, for the search for a cover and again for the proof.

    Returns
    -------
    WidthCertificate

    Exactness
    ---------
    As `first_layer_width_bound`.
    """
    flats = found.flats
    if not flats:
        return WidthCertificate(found.dim, (), (), 0, DualWeights(()), ())
    # In the plane any two points have a line: those that hold more are tried, and what is left
    # goes in pairs. A point counts for half a line then.
    is_plane = found.dim == 2
    shared = common_hyperplanes(flats, least=3 if is_plane else 2)
    problem = _Covering(flats, shared, 2 if is_plane else 1)
    cover, least = problem.smallest_cover(max_nodes, time_limit)
    every = np.ones(len(flats), dtype=np.bool_)
    is_free = np.ones(len(problem.hyperplanes), dtype=np.bool_)
    evidence: Evidence = problem.weights(every, is_free, least)[0]
    if _bound(evidence) < least:
        end = inf if time_limit is None else time.monotonic() + time_limit
        tree = _Tree(problem, max_nodes, end).split(every, is_free, least, 0)
        evidence = evidence if tree is None else tree
    witnesses = tuple([(ridge.point, ridge.hyperplane) for ridge in found.ridges])
    return WidthCertificate(found.dim, flats, witnesses, _bound(evidence), evidence, cover)


def _bound(node: Evidence) -> int:
    if isinstance(node, Split):
        return min(1 + _bound(node.used), _bound(node.unused))
    return ceil(sum([weight for _, weight in node.weights], Fraction(0)))


@dataclass(frozen=True)
class _Covering:
    """Flats to be covered by common hyperplanes, or by others that hold so many at most."""

    flats: Sequence[Flat]
    hyperplanes: list[CommonHyperplane]
    n_others: int

    @cached_property
    def matrix(self) -> csc_array:
        """Which flat lies in which hyperplane, shape (flats, hyperplanes)."""
        offsets = np.cumsum([0, *(len(h.members) for h in self.hyperplanes)])
        rows = np.fromiter((i for h in self.hyperplanes for i in h.members), np.int64, offsets[-1])
        ones = np.ones(len(rows))
        return csc_array((ones, rows, offsets), shape=(len(self.flats), len(self.hyperplanes)))

    def smallest_cover(
        self, max_nodes: int, time_limit: float | None
    ) -> tuple[tuple[Hyperplane, ...], int]:
        """Return a cover, and how many hyperplanes any needs as the solver says."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        n, k = len(self.flats), len(self.hyperplanes)
        options: Any = {"node_limit": max_nodes}
        if time_limit is not None:
            options["time_limit"] = time_limit
        matrix = hstack([self.matrix, eye_array(n)], format="csc")
        result = milp(
            np.append(np.ones(k), np.full(n, 1.0 / self.n_others)),
            constraints=LinearConstraint(matrix, lb=1.0),
            bounds=Bounds(0.0, 1.0),
            integrality=np.ones(k + n, dtype=np.int64),
            options=options,
        )
        values = np.zeros(0) if result.x is None else np.asarray(result.x)
        left = set(range(n))
        cover = []
        for place in np.flatnonzero(values > 0.5).tolist():
            if place < k:
                cover.append(self.hyperplanes[place].row)
                left.difference_update(self.hyperplanes[place].members)
        cover += self._pairs(left) if self.n_others == 2 else self._greedy(left)
        bound = result.mip_dual_bound
        least = 1 if bound is None or not isfinite(bound) else ceil(bound - _SLACK)
        return tuple(cover), max(1, min(least, len(cover)))

    def _pairs(self, left: set[int]) -> list[Hyperplane]:
        """Cover points of the plane by a line for each two of them."""
        numbers = sorted(left)
        pairs = [(numbers[k], numbers[k - 1]) for k in range(1, len(numbers), 2)]
        lines = [common_hyperplane(self.flats[a], self.flats[b]) for a, b in pairs]
        last = [self.flats[numbers[-1]][0]] if len(numbers) % 2 else []
        return [line for line in lines if line is not None] + last

    def _greedy(self, left: set[int]) -> list[Hyperplane]:
        """Cover what is left: by the hyperplane that holds most of it, one after the other."""
        chosen: list[Hyperplane] = []
        while left:
            best = max(
                self.hyperplanes, key=lambda h: len(left.intersection(h.members)), default=None
            )
            if best is None or not left.intersection(best.members):
                return chosen + [self.flats[i][0] for i in sorted(left)]
            chosen.append(best.row)
            left = left.difference(best.members)
        return chosen

    def weights(
        self, is_open: NDArray[np.bool_], is_free: NDArray[np.bool_], needed: int
    ) -> tuple[DualWeights, IntArray]:
        """Return weights for a bound, and the free hyperplanes, those of most use first.

        The bound is `needed` if that can be reached.
        """
        from scipy.optimize import linprog

        flats = np.flatnonzero(is_open)
        part = self.matrix[flats][:, np.flatnonzero(is_free)]
        counts = np.asarray(part.sum(axis=0)).ravel()
        largest = int(counts.max(initial=self.n_others))
        even = [Fraction(1, largest)] * len(flats)
        if largest == self.n_others or ceil(sum(even, Fraction(0))) >= needed:
            return _named(flats, even), np.zeros(0, dtype=np.int64)
        columns = np.flatnonzero(counts > self.n_others)
        part = csc_array(part[:, columns])
        matrix: Any = part.T
        result = linprog(
            -np.ones(len(flats)),
            A_ub=matrix,
            b_ub=np.ones(len(columns)),
            bounds=(0.0, 1.0 / self.n_others),
            method="highs",
        )
        if result.x is None:  # the solver gave up: equal weights hold anyway
            return _named(flats, even), np.zeros(0, dtype=np.int64)
        use = -np.asarray(result.ineqlin.marginals)
        order = np.lexsort((-counts[columns], -use))
        best = _rounded(np.asarray(result.x), part, self.n_others, needed)
        return _named(flats, best), np.flatnonzero(is_free)[columns[order]]


@dataclass
class _Tree:
    """Search for a tree of cases that proves a bound, within a number of nodes and a time."""

    problem: _Covering
    nodes_left: int
    end: float

    def split(
        self, is_open: NDArray[np.bool_], is_free: NDArray[np.bool_], needed: int, depth: int
    ) -> Evidence | None:
        self.nodes_left -= 1
        if self.nodes_left < 0 or depth > _DEEPEST or time.monotonic() > self.end:
            return None
        weights, order = self.problem.weights(is_open, is_free, needed)
        if _bound(weights) >= needed:
            return weights
        if not len(order):
            return None
        hyperplane = self.problem.hyperplanes[int(order[0])]
        rest, free = is_open.copy(), is_free.copy()
        rest[list(hyperplane.members)] = False
        free[int(order[0])] = False
        used = self.split(rest, free, needed - 1, depth + 1)
        unused = None if used is None else self.split(is_open, free, needed, depth + 1)
        if used is None or unused is None:
            return None
        return Split(hyperplane.row, used, unused)


def _named(flats: IntArray, weights: Sequence[Fraction]) -> DualWeights:
    pairs = zip(flats.tolist(), weights, strict=True)
    return DualWeights(tuple([(i, weight) for i, weight in pairs if weight > 0]))


def _rounded(values: FloatArray, matrix: csc_array, n_others: int, needed: int) -> list[Fraction]:
    """Return rational weights near some floats; no column, nor some n_others, holds more than 1.

    Denominators grow until the sum reaches what is needed; the best are returned otherwise.
    """
    best: list[Fraction] = []
    for denominator in _DENOMINATORS:
        numbers = np.clip(np.rint(values * denominator), 0, denominator).astype(np.int64)
        columns = numbers @ matrix.astype(np.int64)
        largest = n_others * int(numbers.max(initial=0))
        heaviest = max(denominator, largest, int(columns.max(initial=0)))
        weights = [Fraction(v, heaviest) for v in numbers.tolist()]
        if not best or sum(weights) > sum(best):
            best = weights
        if ceil(sum(best)) >= needed:
            break
    return best
