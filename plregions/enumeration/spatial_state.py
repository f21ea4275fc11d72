"""The arrays of a spatial walk: made for a prepared network, grown, and divided."""

from __future__ import annotations

import numpy as np

from plregions.feasibility.grains import row_powers
from plregions.feasibility.prepare import Prepared
from plregions.feasibility.room import LINE, aligned, longer
from plregions.kernels import spatial_layout
from plregions.kernels.columns import AT_ONCE
from plregions.kernels.rows import NO_ERROR
from plregions.kernels.spatial_layout import Spatial
from plregions.kernels.spatial_rows import finish_rows

__all__ = ["allocate", "grown", "part_of", "write_rows"]

FIRST_CELLS = 24
FIRST_EDGES = 64
FIRST_CORNERS = 256

# The arrays of the state that a subtree has for itself: those it takes over, those that hold cells,
# and those in which nothing stands between two cells.
OWN = ("ctl", "flags", "bits", "applied", "state", "V", "tight", "above", "below", "open_end")
CELLS = ("cell", "edge", "vertex", "word")
SCRATCH = (
    "doubt", "side", "low", "high", "chosen", "leaf_bits", "leaf_kept", "leaf_point",
)  # fmt: skip


def allocate(p: Prepared, chunk_size: int, edges: int, corners: int, keep: bool) -> Spatial:
    """Return arrays with room for so many regions, edges of a cell and corners of the domain."""
    units = p.units
    n_units, n_rows = len(units.bias), len(units.bias) + len(p.walls[0])
    n_layers, widest = len(units.layer_first) - 1, p.columns.widest
    words = -(-widest // spatial_layout.WORD)
    n_columns = n_rows + -n_rows % LINE  # so that all coefficients start at a cache line
    R, low, high = aligned(spatial_layout.R_LENGTH * n_columns, widest + AT_ONCE, widest)
    R[:] = 0.0
    i64, i32, u8 = np.int64, np.int32, np.uint8
    n_bits, n_kept = (p.n_walk, (p.n_bits + len(p.walls[0]) + 7) // 8) if keep else (0, 0)
    cells, edges, corners = FIRST_CELLS, max(FIRST_EDGES, edges), FIRST_CORNERS + corners
    return Spatial(
        ctl=np.zeros(spatial_layout.CTL_LENGTH, dtype=i64),
        R=R.reshape(spatial_layout.R_LENGTH, n_columns),
        flags=np.zeros(n_rows, dtype=i64),
        bits=np.ones(n_rows, dtype=u8),
        applied=np.full(n_units, np.nan),
        state=np.zeros((n_layers + 1, 2), dtype=i64),
        **p.columns.tables._asdict(),
        **p.columns.powers._asdict(),
        slots=np.arange(cells),
        cell=np.zeros((cells, spatial_layout.CELL_LENGTH), dtype=i64),
        edge=np.zeros((cells, edges, 4), dtype=i32),
        vertex=np.zeros((cells, edges), dtype=i32),
        word=np.zeros((cells, spatial_layout.WORDS, words), dtype=i64),
        **p.multiples._asdict(),
        V=np.zeros((corners, 4)),
        tight=np.zeros((corners, 3), dtype=i32),
        above=np.zeros((n_layers, corners, words), dtype=i64),
        below=np.zeros((n_layers, corners, words), dtype=i64),
        doubt=np.zeros((corners, words), dtype=i64),
        side=np.zeros(n_rows, dtype=np.int8),
        open_end=np.full(n_rows, -1, dtype=i64),
        mark=np.zeros(n_rows, dtype=i64),
        low=low,
        high=high,
        chosen=np.zeros(widest + AT_ONCE, dtype=i64),
        leaf_bits=np.zeros((chunk_size, n_bits), dtype=u8),
        leaf_kept=np.zeros((chunk_size, n_kept), dtype=u8),
        leaf_point=np.zeros((chunk_size, 3)),
    )


def write_rows(p: Prepared, t: Spatial) -> None:
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
        t.R[spatial_layout.UNIT, part] = np.where(is_exact, row_powers(coefficients), 0.0)
        finish_rows(t.R, t.flags, part.start, part.stop)


def grown(t: Spatial) -> Spatial:
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


def part_of(t: Spatial, slot: int) -> Spatial:
    """Return a state of its own for the cell in a slot alone, with the rows that are made."""
    new = t._replace(
        slots=np.arange(len(t.slots)),
        mark=np.zeros_like(t.mark),
        R=aligned(t.R.size)[0].reshape(t.R.shape),
        **{name: getattr(t, name).copy() for name in OWN},
        **{name: np.empty_like(getattr(t, name)) for name in (*CELLS, *SCRATCH)},
    )
    new.R[:] = t.R
    new.ctl[:] = 0
    new.ctl[spatial_layout.CORNERS] = t.ctl[spatial_layout.CORNERS]
    for name in CELLS:
        getattr(new, name)[0] = getattr(t, name)[slot]
    return new
