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

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box
from plregions.enumeration.box_bounds import box_bounds
from plregions.enumeration.cell_walk import CellWalk
from plregions.enumeration.spatial_state import allocate, grown, part_of, write_rows
from plregions.errors import InvalidInputError
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import IntRow, Prepared, of_domain
from plregions.feasibility.solids import (
    BOX_CORNERS,
    BOX_EDGES,
    Corner,
    corner,
    inner_point,
    sign_at,
    solid_of_rows,
)
from plregions.kernels import spatial_layout
from plregions.kernels.spatial import spatial_walk
from plregions.kernels.spatial_layout import Spatial

__all__ = ["SpatialWalk"]

# A few milliseconds of work: how often the walk looks at the clock and lets Python see Ctrl-C.
WORK_A_PAUSE = 2000

# Up to 2**7 subtrees; networks of fewer units are done before threads have started.
SUBTREE_DEPTH = 7
LEAST_UNITS = 96


class SpatialWalk(CellWalk):
    """A `CellWalk` over polyhedra."""

    _t: Spatial

    def __init__(
        self,
        prepared: Prepared,
        chunk_size: int = 4096,
        keep: bool = True,
        divided: bool = False,
    ) -> None:
        if prepared.dim != 3:
            raise InvalidInputError(
                f'strategy="spatial" needs a bounded domain of three dimensions, or an unbounded '
                f"one of two; got {prepared.dim} local coordinates in place of three. Use "
                'strategy="tree".'
            )
        depth = SUBTREE_DEPTH if prepared.n_walk >= LEAST_UNITS else 0
        super().__init__(prepared, spatial_layout, depth, keep, divided)
        self._t = self._new_state(chunk_size)

    def close(self) -> None:
        """Nothing runs in the background."""

    def _walk_on(self) -> int:
        p = self._prepared
        status: int = spatial_walk(
            self._units, self._t, self._n_layers, p.n_walk, p.n_bits, WORK_A_PAUSE,
            self._anew, self._deepest,
        )  # fmt: skip
        return status

    def _make_room(self) -> None:
        self._t = grown(self._t)

    def _part(self, slot: int) -> Spatial:
        return part_of(self._t, slot)

    def _corner(self, number: int, row: Callable[[int], IntRow]) -> Corner:
        e, f, g = self._t.tight[number].tolist()
        return corner(row(e), row(f), row(g))

    def _decide_exactly(self) -> None:
        t, slot, row = self._t, self._slot, self._rows_here()
        layer = int(t.cell[slot, spatial_layout.LAYER])
        first = int(self._units.layer_first[layer])
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
            point = self._corner(number, row)
            for word, doubt in enumerate(doubts):
                while doubt:
                    one = doubt & -doubt
                    doubt ^= one
                    unit = first + word * spatial_layout.WORD + one.bit_length() - 1
                    found = sign_at(row(unit), point)
                    if found:
                        side = t.above if found > 0 else t.below
                        side[layer, number, word] |= one

    def _inner_point(self) -> Point:
        t, slot, row = self._t, self._slot, self._rows_here()
        rows: list[IntRow] = []
        edges = t.edge[slot, : int(t.cell[slot, spatial_layout.EDGES])]
        for number in np.unique(edges[:, spatial_layout.LEFT :]).tolist():
            rows.append(row(number) if t.bits[number] else tuple(-v for v in row(number)))
        corners = t.vertex[slot, : int(t.cell[slot, spatial_layout.VERTICES])].tolist()
        return inner_point(rows, [self._corner(v, row) for v in corners])

    def _new_state(self, chunk_size: int) -> Spatial:
        p, n_units = self._prepared, self._n_units
        corners, edges, places = of_domain(p, "solid", self._first_solid)
        n_corners, n_edges = len(corners), len(edges)
        t = allocate(p, chunk_size, 2 * n_edges, n_corners, self._keep)
        write_rows(p, t)
        t.edge[0, :n_edges] = edges
        t.edge[0, :n_edges, spatial_layout.LEFT :] += n_units
        t.vertex[0, :n_corners] = range(n_corners)
        t.cell[0, spatial_layout.EDGES] = n_edges
        t.cell[0, spatial_layout.VERTICES] = n_corners
        t.cell[0, spatial_layout.LAYER] = -1
        t.cell[0, spatial_layout.POOL] = n_corners
        t.ctl[spatial_layout.CORNERS] = n_corners
        t.V[:n_corners, :3] = places
        t.V[:n_corners, 3] = 2.0**-52
        t.tight[:n_corners] = corners
        t.tight[:n_corners] += n_units
        return t

    def _first_solid(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the walls that meet in each corner of the domain, its edges, and its corners."""
        p = self._prepared
        if isinstance(p.domain, Box):
            corners, edges = BOX_CORNERS, BOX_EDGES
            places = list(product(*box_bounds(p)))
        else:
            corners, edges = solid_of_rows(p.wall_rows)
            places = [_point([p.wall_rows[i] for i in three]) for three in corners]
        return np.array(corners), np.array(edges), np.array(places)


def _point(rows: list[IntRow]) -> tuple[float, ...]:
    """Return the point where three rows meet, rounded."""
    *p, w = corner(*rows)
    return tuple(v / w for v in p)
