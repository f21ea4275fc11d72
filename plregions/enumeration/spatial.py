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
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.layer_tables import (
    columns_of,
    layers_with_units_without_kink,
    layers_without_zeros,
    own_flags,
    weights_of,
)
from plregions.enumeration.tree import Leaves
from plregions.errors import InvalidInputError
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.multiples import multiples
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.feasibility.solids import Corner, corner, inner_point, sign_at, solid_of_rows
from plregions.kernels import layout, spatial_layout
from plregions.kernels.spatial import spatial_walk
from plregions.kernels.spatial_layout import Spatial
from plregions.kernels.spatial_rows import finish_rows

__all__ = ["SpatialWalk"]

# A few milliseconds of work: how often the walk looks at the clock and lets Python see Ctrl-C.
WORK_A_PAUSE = 2000

# Errors of this size are there against underflow only; a number that was rounded by so little has
# far too many digits to count as whole.
NO_ERROR = 2.0**-990
LEAST_UNIT = 2.0**-24

FIRST_CELLS = 24
FIRST_EDGES = 64
FIRST_CORNERS = 256


class SpatialWalk:
    """One walk over the regions of a prepared network; it can be stopped and continued."""

    def __init__(self, prepared: Prepared, chunk_size: int = 4096) -> None:
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
        self.done = False

    def advance(self, seconds: float = 0.05) -> None:
        """Walk until the leaf buffer is full, about ``seconds`` have passed, or all is done."""
        p = self._prepared
        deadline = time.monotonic() + seconds
        while not self.done:
            status = spatial_walk(
                self._units, self._t, self._n_layers, p.n_walk, p.n_bits, WORK_A_PAUSE
            )
            if status == layout.DONE:
                self.done = True
            elif status == layout.CHUNK_FULL:
                return
            elif status == layout.NEED_EXACT:
                self._decide_exactly()
            elif status == spatial_layout.NEED_POINT:
                self._find_point()
            elif status == layout.GROW:
                self._t = _grown(self._t)
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
        t = _allocate(p, chunk_size, max(FIRST_EDGES, 2 * n_edges), FIRST_CORNERS + n_corners)
        _write_rows(p, t)
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


def _allocate(p: Prepared, chunk_size: int, edges: int, corners: int) -> Spatial:
    units = p.units
    n_units, n_rows = len(units.bias), len(units.bias) + len(p.wall_rows)
    n_layers = len(units.layer_first) - 1
    widest = max(1, int(np.diff(units.layer_first).max()))
    words = -(-widest // spatial_layout.WORD)
    weight_unit, bias_unit, is_whole = _units_of_weights(p)
    weight = columns_of(p)
    i64, i32, u8 = np.int64, np.int32, np.uint8
    cells = FIRST_CELLS
    return Spatial(
        ctl=np.zeros(spatial_layout.CTL_LENGTH, dtype=i64),
        R=np.zeros((spatial_layout.R_LENGTH, n_rows)),
        flags=np.zeros(n_rows, dtype=i64),
        own_flags=own_flags(units),
        bits=np.ones(n_rows, dtype=u8),
        applied=np.full(n_units, np.nan),
        state=np.zeros((n_layers + 1, 2), dtype=i64),
        weight=weight,
        dense=layers_without_zeros(p, weight),
        weight_unit=weight_unit,
        bias_unit=bias_unit,
        is_whole=is_whole,
        linear=layers_with_units_without_kink(units),
        slots=np.arange(cells),
        cell=np.zeros((cells, spatial_layout.CELL_LENGTH), dtype=i64),
        edge=np.zeros((cells, edges, 4), dtype=i32),
        vertex=np.zeros((cells, edges), dtype=i32),
        word=np.zeros((cells, spatial_layout.WORDS, words), dtype=i64),
        **multiples(p)._asdict(),
        V=np.zeros((corners, 4)),
        tight=np.zeros((corners, 3), dtype=i32),
        above=np.zeros((n_layers, corners, words), dtype=i64),
        below=np.zeros((n_layers, corners, words), dtype=i64),
        doubt=np.zeros((corners, words), dtype=i64),
        side=np.zeros(n_rows, dtype=np.int8),
        open_end=np.full(n_rows, -1, dtype=i64),
        mark=np.zeros(n_rows, dtype=i64),
        low=np.zeros(widest),
        high=np.zeros(widest),
        leaf_bits=np.zeros((chunk_size, p.n_walk), dtype=u8),
        leaf_kept=np.zeros((chunk_size, (p.n_bits + len(p.wall_rows) + 7) // 8), dtype=u8),
        leaf_point=np.zeros((chunk_size, 3)),
    )


def _units_of_weights(p: Prepared) -> tuple[Any, Any, Any]:
    """Return the powers of two of which weights and biases are multiples, if these are exact.

    The third array tells the layers after slopes of 0, 1 and -1 where some are not too small.
    """
    units = p.units
    n_layers = len(units.layer_first) - 1
    weight_unit, is_whole = np.zeros(len(units.bias)), np.zeros(n_layers, dtype=np.bool_)
    bias_unit = np.where(units.bias_error == 0.0, _lowest_bits(units.bias[:, None]), 0.0)
    for layer in range(1, n_layers):
        part = slice(*units.layer_first[layer : layer + 2])
        is_exact = units.weight_error[part] == 0.0
        weight_unit[part] = np.where(is_exact, _lowest_bits(weights_of(p, layer)), 0.0)
        slopes = set(p.engine.layers[layer - 1].slopes.ravel().tolist())
        is_whole[layer] = slopes <= {-1, 0, 1} and (weight_unit[part] > LEAST_UNIT).any()
    return weight_unit, bias_unit, is_whole


def _lowest_bits(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest power of two, at most 1, of which all entries of a row are multiples."""
    mantissa, exponent = np.frexp(rows)
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.ldexp((digits & -digits).astype(np.float64), exponent - 53)
    least: NDArray[np.float64] = np.where(rows == 0.0, 1.0, lowest).min(axis=1, initial=1.0)
    return least


def _write_rows(p: Prepared, t: Spatial) -> None:
    """Write the rows of layer 0 and of the walls."""
    n_units = len(p.units.bias)
    rows, error, _, flags = p.first_rows
    wall_rows, wall_error, _, wall_flags = p.walls
    for first, coefficients, errors, own in (
        (0, rows, error, flags),
        (n_units, wall_rows, wall_error, wall_flags),
    ):
        part = slice(first, first + len(coefficients))
        t.R[: spatial_layout.D + 1, part] = coefficients.T
        t.R[spatial_layout.ERROR, part] = errors
        t.flags[part] = own
        is_exact = errors <= NO_ERROR
        t.R[spatial_layout.UNIT, part] = np.where(is_exact, _lowest_bits(coefficients), 0.0)
        finish_rows(t.R, t.flags, part.start, part.stop)


def _grown(t: Spatial) -> Spatial:
    """Return the same state with twice the room for cells, edges of a cell or corners."""
    ctl = t.ctl
    top = int(ctl[spatial_layout.TOP])
    n_edges = int(t.cell[t.slots[top], spatial_layout.EDGES])
    cells, edges, corners = len(t.slots), t.edge.shape[1], len(t.V)
    if top + 2 >= cells:
        cells *= 2
    if 2 * n_edges > edges:
        edges *= 2
    if int(ctl[spatial_layout.CORNERS]) + n_edges > corners:
        corners = 2 * corners + n_edges
    words = t.doubt.shape[1]

    def longer(array: Any, *shape: int) -> Any:
        if array.shape == shape:
            return array
        out = np.zeros(shape, dtype=array.dtype)
        out[tuple(slice(0, n) for n in array.shape)] = array
        return out

    slots = np.arange(cells)
    slots[: len(t.slots)] = t.slots
    return t._replace(
        slots=slots,
        cell=longer(t.cell, cells, spatial_layout.CELL_LENGTH),
        edge=longer(t.edge, cells, edges, 4),
        vertex=longer(t.vertex, cells, edges),
        word=longer(t.word, cells, spatial_layout.WORDS, words),
        V=longer(t.V, corners, 4),
        tight=longer(t.tight, corners, 3),
        above=longer(t.above, len(t.above), corners, words),
        below=longer(t.below, len(t.below), corners, words),
        doubt=longer(t.doubt, corners, words),
    )
