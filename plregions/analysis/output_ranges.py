"""Which values do the outputs, or linear forms of them, take on a domain? Exact bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plregions.analysis.cell_stream import Cells, Limits
from plregions.analysis.class_parts import AnyDomain, check_question
from plregions.analysis.enclosed_vertices import enclosed_at
from plregions.analysis.same_function import input_direction
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.exact.arrays import exact_array
from plregions.exact.lp import maximise
from plregions.exact.words import short_text
from plregions.network import Layer, Network, compose, restrict
from plregions.regions import RegionComplex
from plregions.regions.vertices import Vertices

__all__ = ["OutputRange", "linear_forms", "output_range"]

Point = tuple[Fraction, ...]
Bound = Fraction | float

# Up to this dimension a region's vertices are found quicker than a linear program for each form.
MOST_DIMENSIONS = 5


@dataclass(frozen=True, repr=False)
class OutputRange:
    """The least and the largest value of each output, or form of outputs, on a domain.

    Inputs are points of the domain in the network's inputs (for a slice: points of the slice).

    Attributes
    ----------
    lower, upper : tuple of Fraction, -math.inf or math.inf
        One for each output.
    lower_at, upper_at : tuple of points
        Inputs where they are attained; for an infinite one the foot of its ray.
    lower_ray, upper_ray : tuple of (tuple of Fraction or None)
        Directions among the inputs along which an infinite bound is approached.
    n_regions : int
        Regions looked at: all regions of the domain.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> output_range(plr.constructions.tent_power(3), plr.hypercube(1))
    OutputRange([0, 1]; 8 regions)
    """

    lower: tuple[Bound, ...]
    upper: tuple[Bound, ...]
    lower_at: tuple[Point, ...]
    upper_at: tuple[Point, ...]
    lower_ray: tuple[Point | None, ...]
    upper_ray: tuple[Point | None, ...]
    n_regions: int

    def __repr__(self) -> str:
        pairs = zip(self.lower, self.upper, strict=True)
        text = ", ".join(f"[{short_text(a)}, {short_text(b)}]" for a, b in pairs)
        return f"OutputRange({text}; {self.n_regions} regions)"


def output_range(
    network: Network,
    domain: AnyDomain,
    forms: Any | None = None,
    *,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> OutputRange:
    """Find the exact minimum and maximum of each output, or of linear forms of the outputs.

    Parameters
    ----------
    network : Network
        With m outputs.
    domain : Box, Polytope, WholeSpace or Slice
        Unbounded ones too: bounds may then be infinite.
    forms : array_like, shape (m,) or (k, m), optional
        Coefficients of linear forms, one a row: ``[1, -1]`` is the first output minus the second.
        Default: the outputs themselves.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    OutputRange

    Raises
    ------
    InvalidInputError
        Sizes that do not fit.
    BudgetExhaustedError
        A budget ran out: without all regions there are no bounds.

    Algorithm
    ---------
    On each region the outputs are affine. In bounded domains of up to five dimensions they are
    evaluated at its vertices: in floats with error bounds, then exactly where these leave it open
    which vertex is best. Otherwise one exact linear program for each region and bound; where it
    finds a better value than the best so far, it goes on from there.

    Exactness
    ---------
    Exact: rational bounds, attained at rational inputs.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1], [1, -1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> found = output_range(net, plr.Box([-1, -1], [1, 1]), [[1, 1], [1, -1]])
    >>> [str(v) for v in (*found.lower, *found.upper)]
    ['0', '-2', '2', '2']
    """
    check_question("output_range", network, domain)
    asked = network if forms is None else compose(linear_forms(network, forms), network)
    local, base = restrict(asked, domain)
    cells = Cells(local, base, Limits(workers, max_regions, time_limit))
    peaks = _Peaks(local, base.is_bounded and base.dim <= MOST_DIMENSIONS)
    n_regions = 0
    for chunk in cells:
        n_regions += peaks.take(chunk, cells)
    if cells.stopped_by == "interrupt":
        raise KeyboardInterrupt
    if cells.stopped_by is not None:
        raise BudgetExhaustedError(
            f"output_range needs more than the {cells.stopped_by} allows; got {n_regions} regions "
            "so far. Give a larger one, or a smaller domain."
        )
    m = local.output_dim
    heights = [peak.height for peak in peaks.best]
    points = [domain.embed_exact(peak.point) for peak in peaks.best]
    rays = [None if peak.ray is None else input_direction(domain, peak.ray) for peak in peaks.best]
    return OutputRange(
        tuple(-h for h in heights[m:]),
        tuple(heights[:m]),
        tuple(points[m:]),
        tuple(points[:m]),
        tuple(rays[m:]),
        tuple(rays[:m]),
        n_regions,
    )


def linear_forms(network: Network, forms: Any) -> Network:
    """Return the network without neurons that maps outputs to linear forms of them.

    Parameters
    ----------
    network : Network
        With m outputs.
    forms : array_like, shape (m,) or (k, m)

    Returns
    -------
    Network

    Raises
    ------
    InvalidInputError
        Another shape, or entries that are not numbers.
    """
    try:
        is_one = np.ndim(np.asarray(forms, dtype=object)) == 1
        rows = exact_array([forms] if is_one else forms, 2, verb="output_range", name="forms")
    except (TypeError, ValueError) as error:
        raise InvalidInputError(str(error)) from None
    if rows.shape[1] != network.output_dim:
        raise InvalidInputError(
            f"output_range needs forms with {network.output_dim} coefficients, one for each output;"
            f" got {rows.shape[1]}."
        )
    return Network([Layer(rows, None, "identity")])


@dataclass(frozen=True)
class _Peak:
    """The largest value so far, where it is, and along which ray it grows if it is infinite."""

    height: Bound
    point: Point
    ray: Point | None = None


class _Peaks:
    """The largest values so far of the outputs, then of their opposites."""

    def __init__(self, network: Network, by_vertices: bool) -> None:
        self._network = network
        self._by_vertices = by_vertices
        self.best = [_Peak(-math.inf, ())] * (2 * network.output_dim)

    def take(self, chunk: RegionComplex, cells: Cells) -> int:
        """Look at the regions of a chunk, as long as there is time; returns how many were."""
        if self._by_vertices:
            self._at_vertices(chunk.vertices)
            return chunk.n_regions
        for index in range(chunk.n_regions):
            cells.check_time()
            if cells.stopped_by is not None:
                return index
            self._by_programs(chunk, index)
        return chunk.n_regions

    def _at_vertices(self, vertices: Vertices) -> None:
        """Evaluate the outputs exactly at the vertices where floats do not exclude a new peak."""
        m, known = self._network.output_dim, dict[int, Point]()
        low, high = enclosed_at(self._network, vertices)
        for goal, peak in enumerate(self.best):
            k, sign = goal % m, 1 if goal < m else -1
            floor, ceiling = (low[:, k], high[:, k]) if sign > 0 else (-high[:, k], -low[:, k])
            chosen = np.flatnonzero(ceiling >= floor.max())
            order = chosen[np.argsort(-ceiling[chosen], kind="stable")]
            for vertex, most in zip(order.tolist(), ceiling[order].tolist(), strict=True):
                if most < peak.height:
                    break
                at = vertices.points[vertex]
                if vertex not in known:
                    known[vertex] = self._network.exact(at)
                if sign * known[vertex][k] > peak.height:
                    peak = _Peak(sign * known[vertex][k], at)
            self.best[goal] = peak

    def _by_programs(self, chunk: RegionComplex, index: int) -> None:
        weight, bias = self._network.affine_map(chunk.patterns[index], exact=True)
        rows = [row for row, _ in chunk.rows_of(index)]
        m = len(bias)
        for k, (normal, constant) in enumerate(zip(weight.tolist(), bias.tolist(), strict=True)):
            for goal, sign in ((k, 1), (m + k, -1)):
                self._climb(goal, (*[sign * v for v in normal], sign * constant), rows)

    def _climb(self, goal: int, form: Point, rows: list[Point]) -> None:
        before, basis = self.best[goal].height, None
        if before == math.inf:
            return
        if isinstance(before, Fraction):
            first = maximise(form, rows, stop_above=before)
            if first.status != "above":
                return
            basis = first.basis
        found = maximise(form, rows, basis=basis)
        if found.point is None:
            return
        height = math.inf if found.value is None else found.value
        self.best[goal] = _Peak(height, found.point, found.ray)
