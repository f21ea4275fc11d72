"""Where on a domain is a network's output largest in absolute value?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.cell_stream import Cells, Limits
from plregions.domain import Box, Polytope, WholeSpace
from plregions.errors import InvalidInputError
from plregions.exact.lp import maximise
from plregions.network import Layer, Network, compose
from plregions.regions import RegionComplex

__all__ = ["Climb", "Highest"]

Point = tuple[Fraction, ...]
Row = tuple[Fraction, ...]

# So many cells of a chunk, the most promising ones, are looked at before the bound is raised.
CELLS_A_CHUNK = 4


@dataclass(frozen=True)
class Highest:
    """A point where an absolute output is largest, or the foot of a ray along which it grows.

    Attributes
    ----------
    height : Fraction or math.inf
    point : tuple of Fraction
    ray : tuple of Fraction or None
    """

    height: Fraction | float
    point: Point
    ray: Point | None = None


class Climb:
    """The search for the largest absolute output of a network on a domain.

    Cells are proposed to `look_at`; `finish` then proves that nothing is higher, or climbs on.

    Parameters
    ----------
    network : Network
        Its last layer has no kink.
    domain : Box, Polytope or WholeSpace
    limits : Limits

    Attributes
    ----------
    highest : Highest or None
        The highest so far; None before any cell was looked at.
    stopped_by : str or None
        What ended the search too early.

    Algorithm
    ---------
    One linear program for a cell, an output and a sign gives a height t that is attained. To pass
    it, an output must be above t somewhere: the regions of the network with the additional
    neurons relu(D_i - t) and relu(-D_i - t) are enumerated, which costs microseconds a cell, and
    only those where such a neuron is positive are of interest. In each round t rises to the
    maximum of some of them; when there is none, t is the maximum.

    Exactness
    ---------
    Exact: floats only order the cells.
    """

    def __init__(
        self, network: Network, domain: Box | Polytope | WholeSpace, limits: Limits
    ) -> None:
        self._network = network
        self._domain = domain
        self._limits = limits
        self.highest: Highest | None = None
        self.stopped_by: str | None = None

    def look_at(self, chunk: RegionComplex, cells: NDArray[np.int64]) -> int:
        """Find the maxima over the most promising of some cells of a chunk.

        Parameters
        ----------
        chunk : RegionComplex
            Of the network itself or of one with further bits at the end.
        cells : ndarray of int64

        Returns
        -------
        int
            How many cells were not looked at.
        """
        if self.is_unbounded or not len(cells):
            return 0
        try:
            for index in self._most_promising(chunk, cells):
                if self._limits.is_late:
                    self.stopped_by = "time_limit"
                    break
                self._climb_cell(chunk, int(index))
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        return max(len(cells) - CELLS_A_CHUNK, 0)

    @property
    def is_unbounded(self) -> bool:
        """Whether an output grows for ever."""
        return self.highest is not None and self.highest.height == math.inf

    def finish(self) -> None:
        """Climb until nothing is higher."""
        n_left = 1
        while self.highest is not None and not self.is_unbounded and n_left:
            n_left = self._round(Fraction(self.highest.height))
            if self.stopped_by is not None:
                return

    def _round(self, height: Fraction) -> int:
        """Look for cells with an output above a height; return how many were not looked at."""
        m = self._network.output_dim
        signs = np.concatenate([np.eye(m), -np.eye(m)])
        passing = Network([Layer(signs, [-height] * (2 * m), "relu")])
        cells = Cells(
            compose(passing, self._network), self._domain, self._limits, count_matters=False
        )
        n_left = 0
        for chunk in cells:
            above = np.flatnonzero(chunk.patterns[:, -2 * m :].any(axis=1))
            n_left += self.look_at(chunk, above)
            if self.stopped_by is not None or self.is_unbounded:
                break
        self.stopped_by = self.stopped_by or cells.stopped_by
        return n_left

    def _most_promising(self, chunk: RegionComplex, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cells with the largest outputs at their interior points, roughly."""
        try:
            with np.errstate(all="ignore"):
                values = np.abs(self._network(chunk.interior_points[cells])).max(axis=1)
        except (OverflowError, InvalidInputError):  # beyond float64: any order will do
            return cells[:CELLS_A_CHUNK]
        return cells[np.argsort(-np.nan_to_num(values), kind="stable")[:CELLS_A_CHUNK]]

    def _climb_cell(self, chunk: RegionComplex, index: int) -> None:
        bits = chunk.patterns[index, : self._network.n_neurons]
        weight, bias = self._network.affine_map(bits, exact=True)
        rows = [row for row, _ in chunk.rows_of(index)]
        for normal, constant in zip(weight.tolist(), bias.tolist(), strict=True):
            for sign in (1, -1):
                self._climb_goal((*[sign * v for v in normal], sign * constant), rows)

    def _climb_goal(self, goal: Row, rows: Sequence[Row]) -> None:
        if self.is_unbounded:
            return
        basis = None
        if self.highest is not None:
            first = maximise(goal, rows, stop_above=Fraction(self.highest.height))
            if first.status != "above":
                return
            basis = first.basis
        best = maximise(goal, rows, basis=basis)
        if best.status == "unbounded" and best.point is not None:
            self.highest = Highest(math.inf, best.point, best.ray)
        elif best.value is not None and best.point is not None:
            self.highest = Highest(best.value, best.point)
