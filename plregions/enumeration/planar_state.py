"""The arrays of walks over polygons and intervals: made, used again, grown, and divided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.feasibility.prepare import Prepared
from plregions.feasibility.room import LINE, aligned, longer
from plregions.kernels import planar_layout
from plregions.kernels.columns import AT_ONCE
from plregions.kernels.planar_layout import Planar
from plregions.kernels.planar_rows import put_first_cell, put_first_rows

__all__ = ["first_state", "grown", "part_of", "put_back"]

FIRST_CELLS = 24
FIRST_CORNERS = 12  # the kernel writes 7 at a time

NAME, COUNTED = "planar", "counted"

# The exponent of each power of two below 2**63, by its remainder.
EXPONENT_OF = {2**k % planar_layout.PLACES: k for k in range(planar_layout.MOST_CORNERS + 1)}
EXPONENT = np.array([EXPONENT_OF.get(r, 0) for r in range(planar_layout.PLACES)])
EXPONENT.setflags(write=False)

# The arrays of the state that a subtree has for itself: those it takes over, those that hold cells,
# and those in which nothing stands between two cells.
ROWS_AND_BITS = ("ctl", "flags", "bits", "seen", "applied", "state")
CELLS = ("cell", "V", "unit", "fixed")
SCRATCH = (
    "end", "end_sign", "low", "high", "crosses", "chosen", "leaf_bits", "leaf_kept", "leaf_point",
)  # fmt: skip


def first_state(p: Prepared, corners: NDArray[np.float64], chunk_size: int, keep: bool) -> Planar:
    """Return a state at its start, with one cell of these corners, whose edges are walls.

    Where nothing is kept, arrays of a count that is done serve again: for small domains it takes
    as long to make them as to count.
    """
    n_units, k = len(p.units.bias), len(corners)
    n_rows = n_units + len(p.walls[0])
    rows, t = (None, None) if keep else p.columns.spare.pop(NAME, (None, None))
    if t is not None and (len(t.flags), len(t.leaf_point)) == (n_rows, chunk_size):
        t = t._replace(ctl=np.zeros(planar_layout.CTL_LENGTH, dtype=np.int64))
    else:
        rows, t = None, _allocate(p, n_rows, chunk_size, keep)
    if t.V.shape[1] <= k:
        t = t._replace(V=np.empty((len(t.V), k + 1, planar_layout.CORNER_LENGTH)))
    if rows is None or rows[0] is not p.first_rows or rows[1] is not p.walls:
        first, error, _, own = p.first_rows
        wall, wall_error, _, wall_own = p.walls
        put_first_rows(t.R, t.flags, first, error, own, wall, wall_error, wall_own)
    put_first_cell(n_units, corners, t.slots, t.cell, t.V, t.bits, t.state)
    return t


def put_back(p: Prepared, t: Planar) -> None:
    """Leave the arrays of a count that is done, but for ``ctl``, to the next one.

    From the second count on: of many networks that are counted once nothing is kept.
    """
    spare = p.columns.spare
    if COUNTED in spare:
        spare[NAME] = (p.first_rows, p.walls), t
    spare[COUNTED] = True


def _allocate(p: Prepared, n_rows: int, chunk_size: int, keep: bool) -> Planar:
    units = p.units
    n_units = len(units.bias)
    n_layers, widest = len(units.layer_first) - 1, p.columns.widest
    i64, u8 = np.int64, np.uint8
    cells = FIRST_CELLS
    n_columns = n_rows + -n_rows % LINE  # so that all coefficients start at a cache line
    R, low, high = aligned(planar_layout.R_LENGTH * n_columns, widest + AT_ONCE, widest)
    n_bits, n_kept = (p.n_walk, (p.n_bits + len(p.walls[0]) + 7) // 8) if keep else (0, 0)
    return Planar(
        ctl=np.zeros(planar_layout.CTL_LENGTH, dtype=i64),
        R=R.reshape(planar_layout.R_LENGTH, n_columns),
        flags=np.empty(n_rows, dtype=i64),
        bits=np.empty(n_rows, dtype=u8),
        seen=np.zeros(n_units, dtype=u8),
        applied=np.zeros(n_units),
        state=np.empty((n_layers + 1, planar_layout.STATE_LENGTH), dtype=i64),
        **p.columns.tables._asdict(),
        **p.multiples._asdict(),
        slots=np.arange(cells),
        cell=np.zeros((cells, planar_layout.CELL_LENGTH), dtype=i64),
        V=np.empty((cells, FIRST_CORNERS, planar_layout.CORNER_LENGTH)),
        unit=np.empty((cells, widest, planar_layout.UNIT_LENGTH), dtype=i64),
        fixed=np.empty((cells, widest), dtype=i64),
        place=EXPONENT,
        end=np.zeros((3, 2)),
        end_sign=np.empty((widest, 2), dtype=np.int8),
        low=low,
        high=high,
        crosses=np.empty(widest, dtype=u8),
        chosen=np.empty(widest + AT_ONCE, dtype=i64),
        leaf_bits=np.empty((chunk_size, n_bits), dtype=u8),
        leaf_kept=np.empty((chunk_size, n_kept), dtype=u8),
        leaf_point=np.empty((chunk_size, 2)),
    )


def grown(t: Planar) -> Planar:
    """Return the same state with room for twice the cells and corners."""
    cells = 2 * len(t.slots)
    corners = max(t.V.shape[1], min(2 * t.V.shape[1], planar_layout.MOST_CORNERS))

    slots = np.arange(cells)
    slots[: len(t.slots)] = t.slots
    widest = t.unit.shape[1]
    return t._replace(
        slots=slots,
        cell=longer(t.cell, cells, planar_layout.CELL_LENGTH),
        V=longer(t.V, cells, corners, planar_layout.CORNER_LENGTH),
        unit=longer(t.unit, cells, widest, planar_layout.UNIT_LENGTH),
        fixed=longer(t.fixed, cells, widest),
    )


def part_of(t: Planar, slot: int) -> Planar:
    """Return a state of its own for the cell in a slot alone, with the rows that are made."""
    new = t._replace(
        slots=np.arange(len(t.slots)),
        R=aligned(t.R.size)[0].reshape(t.R.shape),
        **{name: getattr(t, name).copy() for name in ROWS_AND_BITS},
        **{name: np.empty_like(getattr(t, name)) for name in (*CELLS, *SCRATCH)},
    )
    new.R[:] = t.R
    new.ctl[:] = 0
    for name in CELLS:
        getattr(new, name)[0] = getattr(t, name)[slot]
    return new
