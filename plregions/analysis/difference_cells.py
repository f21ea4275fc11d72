"""The cells of a network, chunk by chunk, and the largest absolute output over them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plregions.domain import Box, Polytope, WholeSpace
from plregions.enumeration import iter_regions
from plregions.errors import BudgetExhaustedError
from plregions.exact.lp import maximise
from plregions.network import Network
from plregions.regions import Region, RegionComplex

__all__ = ["Cells", "Highest", "Limits"]

Point = tuple[Fraction, ...]
Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class Limits:
    """What an enumeration may cost; as for `enumerate_regions`."""

    workers: int = 1
    max_regions: int | None = None
    time_limit: float | None = None


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


class Cells:
    """The regions of a network in a domain as a stream of chunks, within limits.

    Iterating ends when all were seen or a limit was reached: then `stopped_by` says which.
    `highest` is the largest absolute output over the cells that `climb` was given.
    """

    def __init__(
        self, network: Network, domain: Box | Polytope | WholeSpace, limits: Limits
    ) -> None:
        self._network = network
        self._domain = domain
        self._start = time.monotonic()
        self._time_limit = limits.time_limit
        self._stream: Iterator[Region] = iter_regions(
            network,
            domain,
            workers=limits.workers,
            max_regions=limits.max_regions,
            time_limit=limits.time_limit,
        )
        self.stopped_by: str | None = None
        self.highest: Highest | None = None

    def __iter__(self) -> Iterator[RegionComplex]:
        before = None
        try:
            for region in self._stream:
                if region.complex is not before:
                    before = region.complex
                    yield before
                    if self.stopped_by is not None:
                        return
        except BudgetExhaustedError:
            self.stopped_by = "max_regions"
            if self._is_late():
                self.stopped_by = "time_limit"
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"

    def point_of_difference(self, chunk: RegionComplex, index: int) -> Point:
        """Return a point of a cell at which the output is not 0, given that its map is not."""
        x = chunk.exact_point(index)
        if any(self._network.exact(x)):
            return x
        weight, _ = self._network.affine_map(chunk.patterns[index], exact=True)
        # The map is 0 at x and not everywhere, so that it changes along its own gradient.
        slope = next(row for row in weight.tolist() if any(row))
        step = Fraction(1)
        while True:
            moved = tuple(a + step * b for a, b in zip(x, slope, strict=True))
            if self._domain.contains(moved) and any(self._network.exact(moved)):
                return moved
            step /= 2

    def climb(self, chunk: RegionComplex, cells: Sequence[int]) -> None:
        """Look for a larger absolute output in some cells of a chunk."""
        try:
            for index in cells:
                self.check_time()
                if self.stopped_by is not None:
                    return
                self._climb_cell(chunk, index)
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"

    def check_time(self) -> None:
        """Stop if the time is over."""
        if self._is_late():
            self.stopped_by = "time_limit"

    def _is_late(self) -> bool:
        limit = self._time_limit
        return limit is not None and time.monotonic() - self._start >= limit

    def _climb_cell(self, chunk: RegionComplex, index: int) -> None:
        weight, bias = self._network.affine_map(chunk.patterns[index], exact=True)
        rows: list[Row] | None = None
        for normal, constant in zip(weight.tolist(), bias.tolist(), strict=True):
            for sign in (1, -1):
                goal = (*[sign * v for v in normal], sign * constant)
                if not self._may_pass(goal):
                    continue
                if rows is None:
                    rows = [row for row, _ in chunk.rows_of(index)]
                self._climb_goal(goal, rows)

    def _may_pass(self, goal: Row) -> bool:
        """Tell whether a map may be larger somewhere in the domain than the largest so far."""
        if self.highest is None:
            return True
        if self.highest.height == math.inf:
            return False
        if not self._domain.is_bounded:
            return True
        total = goal[-1]
        for a, low, high in zip(goal, *self._domain.bounding_box(), strict=False):
            if a:
                total += max(a * low, a * high)
        return total > self.highest.height

    def _climb_goal(self, goal: Row, rows: list[Row]) -> None:
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
