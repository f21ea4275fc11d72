"""Walk the polygons of networks with two inputs, depth first; the fastest way there.

Every cell is kept as a polygon. The compiled walk splits it by the neurons that cut it, in order,
and decides by signs at corners that are proved in floats; where it cannot prove a sign, it stops
and the sign of an integer determinant answers.

A region is proved by its point, at which the rows of all its sides are proved positive. That no
region is missing follows from the splits: each is decided by proved signs at all corners of the
exact cell, and the signs of an affine function at the corners of a polygon are those it takes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box
from plregions.enumeration.box_bounds import box_bounds
from plregions.enumeration.flat_walk import WORK_A_PAUSE, FlatWalk
from plregions.feasibility.corners import Corner, corner, inner_point, polygon_of_rows, sign_at
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import IntRow, Prepared, of_domain
from plregions.kernels import planar_layout
from plregions.kernels.planar import planar_walk

__all__ = ["PlanarWalk"]

# The rows of a box in the plane, x >= , x <= , y >= , y <= , counter-clockwise; from each side's
# start, which is where it meets the one before, the corners of the box go the same way.
BOX_SIDES = [2, 1, 3, 0]


class PlanarWalk(FlatWalk):
    """A `FlatWalk` over polygons; stuck at a cell of more corners than a mask holds."""

    def decided_bits(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return which bits all regions of the current cell have in common, and those, packed."""
        t, slot = self._t, self._slot
        is_decided = np.zeros(self._n_units, dtype=np.uint8)
        is_decided[: self._units.layer_first[t.cell[slot, planar_layout.LAYER] + 1]] = 1
        n = int(t.cell[slot, planar_layout.LISTED])
        is_decided[t.unit[slot, :n, planar_layout.NUMBER]] = 0
        multiple = np.flatnonzero(t.first >= 0)
        is_decided[multiple] &= is_decided[t.first[multiple]]
        mask = np.packbits(is_decided[self._unit_of_bit])
        return mask, mask & np.packbits(t.bits[self._unit_of_bit])

    def _walk_on(self) -> int:
        p = self._prepared
        status: int = planar_walk(
            self._units, self._t, self._n_layers, p.n_walk, p.n_bits, WORK_A_PAUSE,
            self._anew, self._deepest,
        )  # fmt: skip
        return status

    def _make_room(self) -> None:
        corners = int(self._t.cell[self._slot, planar_layout.CORNERS])
        self.is_stuck = corners >= planar_layout.MOST_CORNERS
        if not self.is_stuck:
            super()._make_room()

    def _decide_exactly(self) -> None:
        t, slot = self._t, self._slot
        k, n = int(t.cell[slot, planar_layout.CORNERS]), int(t.cell[slot, planar_layout.LISTED])
        edges = t.V[slot, :k, planar_layout.EDGE].astype(np.int64).tolist()
        row = self._rows_here()
        corners: dict[int, Corner] = {}

        def sign(unit: int, v: int, e: int, f: int) -> int:
            """Return the sign of a unit's row at corner v, where rows e and f meet."""
            if v not in corners:
                corners[v] = corner(row(e), row(f))
            return sign_at(row(unit), corners[v])

        if t.ctl[planar_layout.STAGE] == planar_layout.CUT:
            cut = int(t.unit[slot, 0, planar_layout.NUMBER])
            starts = t.ctl[planar_layout.NEGATIVE], t.ctl[planar_layout.POSITIVE]
            for i, e in np.argwhere(t.end_sign[1:n] == planar_layout.UNSURE).tolist():
                unit = int(t.unit[slot, 1 + i, planar_layout.NUMBER])
                t.end_sign[1 + i, e] = sign(unit, e, edges[int(starts[e]) - 1], cut)
            return
        for i in np.flatnonzero(t.unit[slot, :n, planar_layout.DOUBT]).tolist():
            unit = int(t.unit[slot, i, planar_layout.NUMBER])
            doubt = int(t.unit[slot, i, planar_layout.DOUBT])
            for v in range(k):
                if doubt >> v & 1:
                    found = sign(unit, v, edges[v - 1], edges[v])
                    if found:
                        side = planar_layout.ABOVE if found > 0 else planar_layout.BELOW
                        t.unit[slot, i, side] |= 1 << v

    def _inner_point(self) -> Point:
        t, slot, row = self._t, self._slot, self._rows_here()
        rows: list[IntRow] = []
        k = int(t.cell[slot, planar_layout.CORNERS])
        for number in t.V[slot, :k, planar_layout.EDGE].astype(np.int64).tolist():
            a, b, c = row(number)
            rows.append((a, b, c) if t.bits[number] else (-a, -b, -c))
        return inner_point(rows)

    def _first_corners(self) -> NDArray[np.float64]:
        p = self._prepared
        return of_domain(p, "polygon", lambda: _corners_of(p))


def _corners_of(p: Prepared) -> NDArray[np.float64]:
    """Return the domain's corners, counter-clockwise, as columns of ``V``; EDGE is a wall."""
    if isinstance(p.domain, Box):
        (left, right), (bottom, top) = box_bounds(p)
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        sides = BOX_SIDES
    else:
        sides = polygon_of_rows(p.wall_rows)
        rows = [p.wall_rows[i] for i in sides]
        corners = [_point(rows[v - 1], rows[v]) for v in range(len(rows))]
    pairs = zip(corners, sides, strict=True)
    numbers = [v for (x, y), side in pairs for v in (x, y, 2.0**-52, side)]
    return np.array(numbers).reshape(-1, planar_layout.CORNER_LENGTH)


def _point(row: IntRow, other: IntRow) -> tuple[float, float]:
    """Return the point where two rows meet, rounded."""
    x, y, w = corner(row, other)
    return x / w, y / w
