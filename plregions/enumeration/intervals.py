"""Walk intervals, depth first: of a line, or of directions where no neuron has a bias.

Networks with one input cut a line. Without biases all lines of a network with two inputs meet in
0, and around 0 regions are cones: intervals of directions. The compiled walk splits a cell by the
neurons that cut it, in order, and decides by signs at its two ends that are proved in floats; where
it cannot prove a sign, it stops and the sign of an integer determinant of two rows answers.

A region is proved by its point, at which the rows of its two ends are proved positive. That no
region is missing follows from the splits: each is decided by proved signs at both ends of the exact
cell, and a linear function has a sign that it has at an end, or at both.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box
from plregions.enumeration.box_bounds import box_bounds
from plregions.enumeration.flat_walk import WORK_A_PAUSE, FlatWalk
from plregions.feasibility.exact_rung import Point, inner_point
from plregions.feasibility.prepare import IntRow, Prepared, of_domain
from plregions.kernels import planar_layout
from plregions.kernels.intervals import interval_walk

__all__ = ["IntervalWalk", "has_intervals"]

CIRCLE = np.empty((0, planar_layout.CORNER_LENGTH))  # of all directions: it has no ends
CIRCLE.setflags(write=False)


class IntervalWalk(FlatWalk):
    """A `FlatWalk` over intervals; over those of directions it only counts."""

    def _walk_on(self) -> int:
        p = self._prepared
        second = planar_layout.C if self._is_on_a_line else planar_layout.B
        status: int = interval_walk(
            self._units, self._t, second, self._n_layers, p.n_walk, p.n_bits, WORK_A_PAUSE,
            self._anew, self._deepest,
        )  # fmt: skip
        return status

    @property
    def _is_on_a_line(self) -> bool:
        return self._prepared.dim == 1

    def _ends(self, row: Callable[[int], IntRow]) -> list[IntRow]:
        """Return the exact ends of the current cell; of the circle there are none."""
        t, slot = self._t, self._slot
        ends = []
        for end in range(int(t.cell[slot, planar_layout.CORNERS])):
            number = int(t.V[slot, end, planar_layout.EDGE])
            is_positive = bool(t.bits[number]) == (end == 1)
            ends.append(_zero_of(row(number), 1 if is_positive else -1))
        return ends

    def _decide_exactly(self) -> None:
        t, slot, row = self._t, self._slot, self._rows_here()
        n = int(t.cell[slot, planar_layout.LISTED])
        numbers = t.unit[slot, :n, planar_layout.NUMBER].tolist()
        if t.ctl[planar_layout.STAGE] == planar_layout.CUT:
            cut = row(numbers[0])
            end = _zero_of(cut, 1 if t.unit[slot, 0, planar_layout.ABOVE] & 1 else -1)
            for i in np.flatnonzero(t.end_sign[1:n, 0] == planar_layout.UNSURE).tolist():
                other = row(numbers[1 + i])
                t.end_sign[1 + i] = _sign_at(other, end), _sign_at(other, cut)
            return
        ends = self._ends(row)
        for i in np.flatnonzero(t.unit[slot, :n, planar_layout.DOUBT]).tolist():
            for v, end in enumerate(ends):
                if t.unit[slot, i, planar_layout.DOUBT] >> v & 1:
                    found = _sign_at(row(numbers[i]), end)
                    if found:
                        side = planar_layout.ABOVE if found > 0 else planar_layout.BELOW
                        t.unit[slot, i, side] |= 1 << v

    def _inner_point(self) -> Point:
        t, slot, row = self._t, self._slot, self._rows_here()
        ends = self._ends(row)
        rows: list[IntRow] = []
        for number in t.V[slot, :2, planar_layout.EDGE].astype(np.int64).tolist():
            rows.append(row(number) if t.bits[number] else tuple(-v for v in row(number)))
        if not self._is_on_a_line:
            ends = [(*end, max(map(abs, end))) for end in ends]
        return inner_point(rows, ends)

    def _first_corners(self) -> NDArray[np.float64]:
        p = self._prepared
        return of_domain(p, "interval", lambda: _ends_of(p)) if self._is_on_a_line else CIRCLE


def has_intervals(p: Prepared, keep: bool) -> bool:
    """Whether the cells of a network over a domain are intervals, for a walk that keeps regions.

    On a line they are. In the plane they are intervals of directions where 0 is inside the domain,
    no row has a constant, and layer 0 has rows that cross. Nothing is kept of them.
    """
    if p.dim == 1:
        return True
    if keep or p.dim != 2 or any(p.frame.middle) or not p.columns.has_cones:
        return False
    return of_domain(p, "around zero", lambda: _is_around_zero(p))


def _is_around_zero(p: Prepared) -> bool:
    """Whether 0 is inside the domain, in local coordinates."""
    rows, error, _, _ = p.walls
    return bool((rows[:, -1] > error).all())


def _ends_of(p: Prepared) -> NDArray[np.float64]:
    """Return the ends of a domain of one dimension as columns of ``V``; EDGE is a wall."""
    if isinstance(p.domain, Box):
        ((lower, upper),) = box_bounds(p)
        walls = [1, 0]
    else:
        places = [Fraction(-c, a) for a, c in p.wall_rows]
        lower_walls = [i for i, (a, _) in enumerate(p.wall_rows) if a > 0]
        upper_walls = [i for i, (a, _) in enumerate(p.wall_rows) if a < 0]
        # The first of several at one place.
        walls = [min(upper_walls, key=lambda i: places[i]),
                 max(lower_walls, key=lambda i: places[i])]  # fmt: skip
        upper, lower = (float(places[i]) for i in walls)
    ends = zip((upper, lower), walls, strict=True)
    return np.array([(x, 1.0, 2.0**-52, wall) for x, wall in ends])


def _zero_of(row: IntRow, sign: int) -> IntRow:
    """Return the direction where a row is 0 and, counter-clockwise, changes from this sign."""
    return -sign * row[1], sign * row[0]


def _sign_at(row: IntRow, end: IntRow) -> int:
    """Return the sign of a row in a direction."""
    value = row[0] * end[0] + row[1] * end[1]
    return (value > 0) - (value < 0)
