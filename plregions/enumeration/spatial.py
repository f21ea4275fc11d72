"""Walk the polyhedra of networks with three inputs, depth first; the fastest way there.

Every cell is kept as a polyhedron: corners, edges and facets. The compiled walk splits it by the
neurons that cut it, in order, and decides by signs at corners. Most are proved in floats. Where
planes meet in one point or line, as they do in degenerate networks, three things are known without
rounding: planes through 0 meet in 0, multiples of one neuron have one sign, and determinants of
small integers are exact. Where none of this helps, the walk stops and the sign of a determinant of
Python's integers answers.

Unbounded domains of two dimensions have three local coordinates; their regions are cones, cut to
a box.

A region is proved by its point, at which the rows of all its facets are proved positive. That no
region is missing follows from the splits: each is decided by proved signs at all corners of the
exact cell, and the signs of an affine function at the corners of a polyhedron are those it takes.
"""

from __future__ import annotations

import time
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np

from plregions.enumeration.spatial_state import allocate, grown, part_of, write_rows
from plregions.enumeration.tree import EVERY_DEPTH, Leaves
from plregions.errors import InvalidInputError
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.feasibility.solids import Corner, corner, inner_point, sign_at, solid_of_rows
from plregions.kernels import layout, spatial_layout
from plregions.kernels.spatial import spatial_walk
from plregions.kernels.spatial_layout import Spatial

__all__ = ["SpatialWalk"]

# A few milliseconds of work: how often the walk looks at the clock and lets Python see Ctrl-C.
WORK_A_PAUSE = 2000

# Up to 2**8 subtrees; networks of fewer units are done before threads have started.
SUBTREE_DEPTH = 8
LEAST_UNITS = 96


class SpatialWalk:
    """One walk over the regions of a prepared network; it can be stopped and continued.

    With ``divided`` the walk stops at every cell below so many splits that they may go to other
    threads; for a network that is too small for that, at none.
    """

    def __init__(self, prepared: Prepared, chunk_size: int = 4096, divided: bool = False) -> None:
        if prepared.dim != 3:
            raise InvalidInputError(
                f'strategy="spatial" needs a bounded domain of three dimensions, or an unbounded '
                f"one of two; got {prepared.dim} local coordinates in place of three. Use "
                'strategy="tree".'
            )
        self._prepared = prepared
        self._units = prepared.units
        self._n_units = len(prepared.units.bias)
        self._unit_of_bit = np.flatnonzero(prepared.units.bit >= 0)
        self._n_layers = int(np.searchsorted(prepared.units.layer_first, prepared.n_walk))
        self._exact_rows = ExactRows(prepared)
        self._exact: dict[int, Point] = {}
        self._n_exact_points = 0
        self._t = self._new_state(chunk_size)
        self._anew = depth_of_subtrees(prepared)
        self._deepest = self._anew if divided and self._anew else EVERY_DEPTH
        self.done = False
        self.at_subtree = False

    def advance(self, seconds: float = 0.05) -> None:
        """Walk until the leaf buffer is full, about ``seconds`` have passed, or all is done.

        A walk that is divided also stops, with ``at_subtree`` set, at every cell for other threads;
        `split_off` must then be called before it goes on.
        """
        p = self._prepared
        deadline = time.monotonic() + seconds
        while not (self.done or self.at_subtree):
            status = spatial_walk(
                self._units, self._t, self._n_layers, p.n_walk, p.n_bits, WORK_A_PAUSE,
                self._anew, self._deepest,
            )  # fmt: skip
            if status == layout.DONE:
                self.done = True
            elif status == layout.SUBTREE:
                self.at_subtree = True
            elif status == layout.CHUNK_FULL:
                return
            elif status == layout.NEED_EXACT:
                self._decide_exactly()
            elif status == spatial_layout.NEED_POINT:
                self._find_point()
            elif status == layout.GROW:
                self._t = grown(self._t)
            if time.monotonic() > deadline:
                return

    def take(self) -> Leaves:
        """Remove the regions found since the last call; the rows kept are exactly the facets."""
        t, p = self._t, self._prepared
        n = int(t.ctl[spatial_layout.LEAVES])
        bits = t.leaf_bits[:n]
        if p.n_bits < p.n_walk:
            bits = bits[:, self._unit_of_bit]
        exact, self._exact = self._exact, {}
        t.ctl[spatial_layout.LEAVES] = 0
        columns = np.packbits(bits, axis=1), t.leaf_kept[:n].copy(), t.leaf_point[:n].copy()
        return Leaves(*columns, exact, rows_are_facets=True)

    def split_off(self) -> SpatialWalk:
        """Return a walk of the current subtree alone, and go on behind it.

        What the new walk finds depends on its cell alone. To be called at a subtree, with the
        leaf buffer empty.
        """
        t = self._t
        twin = copy(self)
        twin._t = part_of(t, int(t.slots[t.ctl[spatial_layout.TOP]]))
        twin._exact_rows = ExactRows(self._prepared)
        twin._exact = {}
        twin._n_exact_points = 0
        twin._deepest = EVERY_DEPTH
        twin.at_subtree = self.at_subtree = False
        t.ctl[spatial_layout.STAGE] = spatial_layout.POP
        return twin

    @property
    def depth(self) -> int:
        """Number of splits above the current cell."""
        t = self._t
        return int(t.cell[t.slots[t.ctl[spatial_layout.TOP]], spatial_layout.DEPTH])

    def close(self) -> None:
        """Nothing runs in the background."""

    @property
    def share_done(self) -> float:
        """Share of the binary tree of splits that lies behind the walk, between 0 and 1."""
        if self.done:
            return 1.0
        t = self._t
        top = int(t.ctl[spatial_layout.TOP])
        if t.ctl[spatial_layout.STAGE] != spatial_layout.POP:
            top += 1
        depths = t.cell[t.slots[:top], spatial_layout.DEPTH]
        return max(0.0, 1.0 - sum(0.5 ** int(depth) for depth in depths))

    @property
    def statistics(self) -> dict[str, int]:
        """How many decisions were taken so far, and how."""
        ctl = self._t.ctl
        return {
            "splits": int(ctl[spatial_layout.N_SPLITS]),
            "layers_opened": int(ctl[spatial_layout.N_OPENED]),
            "layers_remade": int(ctl[spatial_layout.N_REMADE]),
            "slopes_updated": int(ctl[spatial_layout.N_FLIPS]),
            "exact": int(ctl[spatial_layout.N_ASKED]),
            "exact_points": self._n_exact_points,
        }

    def _row(self, number: int, bits: Any, known: dict[int, IntRow]) -> IntRow:
        """Return the exact row of a unit or wall under the current bits."""
        found = known.get(number)
        if found is None:
            if number < self._n_units:
                found = self._exact_rows.row(number, bits)
            else:
                found = self._prepared.wall_rows[number - self._n_units]
            known[number] = found
        return found

    def _corner(self, number: int, bits: Any, known: dict[int, IntRow]) -> Corner:
        e, f, g = (self._row(row, bits, known) for row in self._t.tight[number].tolist())
        return corner(e, f, g)

    def _decide_exactly(self) -> None:
        """Replace all signs of the current question that are not proved by exact ones."""
        t = self._t
        slot = int(t.slots[t.ctl[spatial_layout.TOP]])
        layer = int(t.cell[slot, spatial_layout.LAYER])
        first = int(self._units.layer_first[layer])
        bits = t.bits[self._unit_of_bit]
        known: dict[int, IntRow] = {}
        if t.ctl[spatial_layout.STAGE] == spatial_layout.CUT:
            asked = range(
                int(t.ctl[spatial_layout.OLD_CORNERS]), int(t.ctl[spatial_layout.CORNERS])
            )
        else:
            asked = t.vertex[slot, : int(t.cell[slot, spatial_layout.VERTICES])].tolist()
        for number in asked:
            doubts = t.doubt[number].tolist()
            if not any(doubts):
                continue
            point = self._corner(number, bits, known)
            for word, doubt in enumerate(doubts):
                while doubt:
                    one = doubt & -doubt
                    doubt ^= one
                    unit = first + word * spatial_layout.WORD + one.bit_length() - 1
                    found = sign_at(self._row(unit, bits, known), point)
                    if found:
                        side = t.above if found > 0 else t.below
                        side[layer, number, word] |= one

    def _find_point(self) -> None:
        """Give the newest leaf an exact point."""
        t = self._t
        leaf = int(t.ctl[spatial_layout.LEAVES]) - 1
        slot = int(t.slots[t.ctl[spatial_layout.TOP]])
        bits = t.bits[self._unit_of_bit]
        known: dict[int, IntRow] = {}
        rows: list[IntRow] = []
        edges = t.edge[slot, : int(t.cell[slot, spatial_layout.EDGES])]
        for number in np.unique(edges[:, spatial_layout.LEFT :]).tolist():
            row = self._row(number, bits, known)
            rows.append(row if t.bits[number] else tuple(-v for v in row))
        corners = t.vertex[slot, : int(t.cell[slot, spatial_layout.VERTICES])].tolist()
        point = inner_point(rows, [self._corner(v, bits, known) for v in corners])
        floats = [float(v) for v in point]
        t.leaf_point[leaf] = floats
        if any(Fraction(f) != v for f, v in zip(floats, point, strict=True)):
            self._exact[leaf] = point
            self._n_exact_points += 1

    def _new_state(self, chunk_size: int) -> Spatial:
        p, n_units = self._prepared, self._n_units
        corners, edges = solid_of_rows(p.wall_rows)
        n_corners, n_edges = len(corners), len(edges)
        t = allocate(p, chunk_size, 2 * n_edges, n_corners)
        write_rows(p, t)
        t.edge[0, :n_edges] = [(v, w, f + n_units, g + n_units) for v, w, f, g in edges]
        t.vertex[0, :n_corners] = range(n_corners)
        t.cell[0, spatial_layout.EDGES] = n_edges
        t.cell[0, spatial_layout.VERTICES] = n_corners
        t.cell[0, spatial_layout.LAYER] = -1
        t.cell[0, spatial_layout.POOL] = n_corners
        t.ctl[spatial_layout.CORNERS] = n_corners
        for v, three in enumerate(corners):
            x, y, z, w = corner(*(p.wall_rows[i] for i in three))
            t.V[v] = x / w, y / w, z / w, 2.0**-52
            t.tight[v] = [n_units + i for i in three]
        return t


def depth_of_subtrees(p: Prepared) -> int:
    """Return below how many splits cells may go to other threads; 0 for none at all.

    It is the same for any number of threads, for at these cells some work is done again.
    """
    return SUBTREE_DEPTH if p.n_walk >= LEAST_UNITS else 0
