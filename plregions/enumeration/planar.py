"""Walk the polygons of networks with one or two inputs, depth first; the fastest way there.

Every cell is kept as a polygon. The compiled walk splits it by the neurons that cut it, in order,
and decides by signs at corners that are proved in floats; where it cannot prove a sign, it stops
and the sign of an integer determinant answers. An interval is walked as a strip of height 2.

A region is proved by its point, at which the rows of all its sides are proved positive. That no
region is missing follows from the splits: each is decided by proved signs at all corners of the
exact cell, and the signs of an affine function at the corners of a polygon are those it takes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box
from plregions.enumeration.planar_state import STRIP, allocate, grown, part_of, write_rows
from plregions.enumeration.tree import EVERY_DEPTH, Leaves, TreeWalk
from plregions.errors import InvalidInputError
from plregions.feasibility.corners import Corner, corner, inner_point, polygon_of_rows, sign_at
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.multiples import multiples
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.kernels import layout, planar_layout
from plregions.kernels.planar import planar_walk
from plregions.kernels.planar_layout import Planar

__all__ = ["PlanarWalk", "depth_of_subtrees"]

# A few milliseconds of work: how often the walk looks at the clock and lets Python see Ctrl-C.
WORK_A_PAUSE = 4000

# Up to 2**7 subtrees; networks of fewer units are done before threads have started.
SUBTREE_DEPTH = 7
LEAST_UNITS = 256

# The rows of a box in the plane, x >= , x <= , y >= , y <= , counter-clockwise.
BOX_SIDES = [2, 1, 3, 0]


class PlanarWalk:
    """One walk over the regions of a prepared network; it can be stopped and continued.

    Without ``keep`` regions are proved and counted, and nothing is said of them. With ``divided``
    the walk stops at every cell below so many splits that they may go to other threads; for a
    network that is too small for that, at none.
    """

    def __init__(
        self,
        prepared: Prepared,
        chunk_size: int = 4096,
        keep: bool = True,
        divided: bool = False,
    ) -> None:
        if prepared.dim > 2:
            raise InvalidInputError(
                f'strategy="planar" needs a domain of one or two dimensions; got '
                f'{prepared.dim}. Use strategy="tree", or a Slice.'
            )
        self._prepared = prepared
        self._units = prepared.units
        self._n_units = len(prepared.units.bias)
        self._unit_of_bit = np.flatnonzero(prepared.units.bit >= 0)
        self._n_layers = int(np.searchsorted(prepared.units.layer_first, prepared.n_walk))
        self._exact: dict[int, Point] = {}
        self._n_exact_points = 0
        self._chunk_size = chunk_size
        self._keep = keep
        self._rest: TreeWalk | None = None
        self._open: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None
        self._t = self._new_state(chunk_size)
        self._knows_multiples = False
        self._anew = depth_of_subtrees(prepared)
        self._deepest = self._anew if divided and self._anew else EVERY_DEPTH
        self._prefix: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None
        self.done = False
        self.at_subtree = False

    def advance(self, seconds: float = 0.05) -> None:
        """Walk until the leaf buffer is full, about ``seconds`` have passed, or all is done.

        A walk that is divided also stops, with ``at_subtree`` set, at every cell for other threads;
        `split_off` must then be called before it goes on.
        """
        p = self._prepared
        deadline = time.monotonic() + seconds
        while not (self.done or self.at_subtree) and self._rest is None:
            status = planar_walk(
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
            elif status == planar_layout.NEED_POINT:
                self._find_point()
            elif status == layout.GROW:
                if self._has_too_many_corners():
                    self._rest = TreeWalk(p, self._chunk_size)
                    self._open = self._decided_bits()
                    return
                self._t = grown(self._t)
            if time.monotonic() > deadline:
                return
        # What the buffer still holds comes first.
        is_empty = self._t.ctl[planar_layout.LEAVES] == 0
        if self._rest is not None and is_empty and not self.done:
            self._rest.advance(seconds)
            self.done = self._rest.done

    def take(self) -> Leaves:
        """Remove the regions found since the last call and return them."""
        t, p = self._t, self._prepared
        n = int(t.ctl[planar_layout.LEAVES])
        if n == 0 and self._rest is not None:
            return self._new_ones(self._rest.take())
        t.ctl[planar_layout.LEAVES] = 0
        exact, self._exact = self._exact, {}
        if not self._keep:
            return Leaves(t.leaf_bits[:n], t.leaf_kept[:n], t.leaf_point[:n, :0], {}, True)
        bits = t.leaf_bits[:n]
        if p.n_bits < p.n_walk:
            bits = bits[:, self._unit_of_bit]
        kept = t.leaf_kept[:n].copy()
        spare = 8 * kept.shape[1] - p.n_bits - len(p.walls[0])
        if p.dim == 1 and kept.shape[1]:
            kept[:, -1] &= np.uint8(256 - (1 << spare))
        points = t.leaf_point[:n, : p.dim].copy()
        return Leaves(np.packbits(bits, axis=1), kept, points, exact, rows_are_facets=True)

    def split_off(self) -> PlanarWalk:
        """Return a walk of the current subtree alone, and go on behind it.

        What the new walk finds depends on its cell alone. To be called at a subtree, with the
        leaf buffer empty.
        """
        t = self._t
        slot = int(t.slots[t.ctl[planar_layout.TOP]])
        twin = copy(self)
        twin._t = part_of(t, slot)
        twin._exact = {}
        twin._n_exact_points = 0
        twin._deepest = EVERY_DEPTH
        twin._prefix = self._decided_bits()
        twin.at_subtree = self.at_subtree = False
        t.ctl[planar_layout.STAGE] = planar_layout.POP
        return twin

    @property
    def depth(self) -> int:
        """Number of splits above the current cell."""
        return int(self._t.cell[self._t.slots[self._t.ctl[planar_layout.TOP]], planar_layout.DEPTH])

    def _decided_bits(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return which bits all regions of the current cell have in common, and those, packed."""
        t = self._t
        slot = int(t.slots[t.ctl[planar_layout.TOP]])
        is_decided = np.zeros(self._n_units, dtype=np.uint8)
        is_decided[: self._units.layer_first[t.cell[slot, planar_layout.LAYER] + 1]] = 1
        n = int(t.cell[slot, planar_layout.LISTED])
        is_decided[t.unit[slot, :n, planar_layout.NUMBER]] = 0
        if t.first is not None:
            multiple = np.flatnonzero(t.first >= 0)
            is_decided[multiple] &= is_decided[t.first[multiple]]
        mask = np.packbits(is_decided[self._unit_of_bit])
        return mask, mask & np.packbits(t.bits[self._unit_of_bit])

    def close(self) -> None:
        """Nothing runs in the background."""

    @cached_property
    def _exact_rows(self) -> ExactRows:
        return ExactRows(self._prepared)

    @cached_property
    def _walls(self) -> list[IntRow]:
        walls: list[IntRow] = [_in_plane(row) for row in self._prepared.wall_rows]
        return walls + [*STRIP] * (self._prepared.dim == 1)

    @property
    def share_done(self) -> float:
        """Share of the binary tree of splits that lies behind the walk, between 0 and 1."""
        if self.done:
            return 1.0
        if self._rest is not None:
            return self._rest.share_done
        t = self._t
        top = int(t.ctl[planar_layout.TOP])
        if t.ctl[planar_layout.STAGE] != planar_layout.POP:
            top += 1
        depths = t.cell[t.slots[:top], planar_layout.DEPTH]
        return max(0.0, 1.0 - sum(0.5 ** int(depth) for depth in depths))

    @property
    def statistics(self) -> dict[str, int]:
        """How many decisions were taken so far, and how."""
        ctl = self._t.ctl
        found = {
            "splits": int(ctl[planar_layout.N_SPLITS]),
            "layers_opened": int(ctl[planar_layout.N_OPENED]),
            "layers_remade": int(ctl[planar_layout.N_REMADE]),
            "slopes_updated": int(ctl[planar_layout.N_FLIPS]),
            "exact": int(ctl[planar_layout.N_ASKED]),
            "exact_points": self._n_exact_points,
        }
        if self._rest is not None:
            for name, value in self._rest.statistics.items():
                found[name] = found.get(name, 0) + value
        return found

    def _has_too_many_corners(self) -> bool:
        """Tell whether a cell has more corners than a mask holds.

        The tree takes over then. Its regions come in the same order: those that were found here or
        in subtrees that were split off are the ones before the first region of this cell.
        """
        slot = int(self._t.slots[self._t.ctl[planar_layout.TOP]])
        return int(self._t.cell[slot, planar_layout.CORNERS]) >= planar_layout.MOST_CORNERS

    def _new_ones(self, leaves: Leaves) -> Leaves:
        """Leave out the regions that were found before the tree took over, and those of others."""
        is_new = np.ones(len(leaves), dtype=np.bool_)
        if self._prefix is not None:
            mask, prefix = self._prefix
            is_new = ((leaves.packed & mask) == prefix).all(axis=1)
        if self._open is not None:
            mask, prefix = self._open
            places = np.flatnonzero(((leaves.packed & mask) == prefix).all(axis=1))
            is_new[: places[0] if len(places) else len(leaves)] = False
            self._open = None if len(places) else self._open
        places = np.flatnonzero(is_new)
        return Leaves(
            leaves.packed[places],
            leaves.kept[places],
            leaves.points[places],
            {i: leaves.exact[r] for i, r in enumerate(places.tolist()) if r in leaves.exact},
        )

    def _row(self, number: int, bits: Any, known: dict[int, IntRow]) -> IntRow:
        """Return the exact row of a unit or wall under the current bits."""
        found = known.get(number)
        if found is None:
            if number < self._n_units:
                found = _in_plane(self._exact_rows.row(number, bits))
            else:
                found = self._walls[number - self._n_units]
            known[number] = found
        return found

    def _decide_exactly(self) -> None:
        """Replace all signs of the current question that are not proved by exact ones."""
        if not self._knows_multiples:
            self._find_multiples()
        t = self._t
        slot = int(t.slots[t.ctl[planar_layout.TOP]])
        k, n = int(t.cell[slot, planar_layout.CORNERS]), int(t.cell[slot, planar_layout.LISTED])
        edges = t.V[slot, :k, planar_layout.EDGE].astype(np.int64).tolist()
        bits = t.bits[self._unit_of_bit]
        known: dict[int, IntRow] = {}
        corners: dict[int, Corner] = {}

        def sign(unit: int, v: int, e: int, f: int) -> int:
            """Return the sign of a unit's row at corner v, where rows e and f meet."""
            if v not in corners:
                corners[v] = corner(self._row(e, bits, known), self._row(f, bits, known))
            return sign_at(self._row(unit, bits, known), corners[v])

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

    def _find_multiples(self) -> None:
        """Let units that are multiples of others follow them, and strike them off all lists.

        Most networks never have a question, and need not know of multiples.
        """
        self._knows_multiples = True
        t = self._t = self._t._replace(**multiples(self._prepared)._asdict())
        top = int(t.ctl[planar_layout.TOP])
        for slot in t.slots[: top + 1].tolist():
            n = int(t.cell[slot, planar_layout.LISTED])
            (kept,) = np.nonzero(t.first[t.unit[slot, :n, planar_layout.NUMBER]] < 0)
            t.unit[slot, : len(kept)] = t.unit[slot, kept]
            t.cell[slot, planar_layout.LISTED] = len(kept)
            if slot == t.slots[top]:
                t.end_sign[: len(kept)] = t.end_sign[kept]

    def _find_point(self) -> None:
        """Give the newest leaf an exact point."""
        t, p = self._t, self._prepared
        leaf = int(t.ctl[planar_layout.LEAVES]) - 1
        slot = int(t.slots[t.ctl[planar_layout.TOP]])
        bits = t.bits[self._unit_of_bit]
        known: dict[int, IntRow] = {}
        rows: list[IntRow] = []
        k = int(t.cell[slot, planar_layout.CORNERS])
        for number in t.V[slot, :k, planar_layout.EDGE].astype(np.int64).tolist():
            row = self._row(number, bits, known)
            rows.append(row if t.bits[number] else (-row[0], -row[1], -row[2]))
        point = inner_point(rows)[: p.dim]
        floats = [float(v) for v in point]
        t.leaf_point[leaf, : p.dim] = floats
        if any(Fraction(f) != v for f, v in zip(floats, point, strict=True)):
            self._exact[leaf] = point
            self._n_exact_points += 1

    def _new_state(self, chunk_size: int) -> Planar:
        p = self._prepared
        if p.dim == 2 and isinstance(p.domain, Box):
            sides, corners = BOX_SIDES, _corners_of_box(p.exact_walls)
        else:
            sides = polygon_of_rows(self._walls)
            rows = [self._walls[i] for i in sides]
            corners = [_point(rows[v - 1], rows[v]) for v in range(len(rows))]
        k = len(sides)
        n_walls = len(p.exact_walls) + len(STRIP) * (p.dim == 1)
        t = allocate(p, n_walls, chunk_size, k + 1, self._keep)
        write_rows(p, t)
        t.cell[0, planar_layout.CORNERS] = k
        t.cell[0, planar_layout.LAYER] = -1
        for v, (x, y) in enumerate(corners):
            t.V[0, v] = x, y, 2.0**-52, self._n_units + sides[v]
        return t


def _point(row: IntRow, other: IntRow) -> tuple[float, float]:
    """Return the point where two rows meet, rounded."""
    x, y, w = corner(row, other)
    return x / w, y / w


def _corners_of_box(walls: Sequence[Sequence[Fraction]]) -> list[tuple[float, float]]:
    """Return the starts of the sides of a box in the order of ``BOX_SIDES``, rounded."""
    left, right, bottom, top = (
        -c.numerator * a.denominator / (c.denominator * a.numerator)
        for a, c in ((walls[i][i // 2], walls[i][2]) for i in range(4))
    )
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def depth_of_subtrees(p: Prepared) -> int:
    """Return below how many splits cells may go to other threads; 0 for none at all.

    It is the same for any number of threads, for at these cells some work is done again.
    """
    return SUBTREE_DEPTH if p.n_walk >= LEAST_UNITS else 0


def _in_plane(row: IntRow) -> tuple[int, int, int]:
    """Write a row of one or two coordinates as one of two."""
    return (row[0], row[1] if len(row) == 3 else 0, row[-1])
