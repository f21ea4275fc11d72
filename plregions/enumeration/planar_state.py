"""The arrays of a planar walk: made for a prepared network, grown, and divided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.layer_tables import (
    layers_with_units_without_kink,
    own_flags,
    weights_by_columns,
)
from plregions.enumeration.room import LINE, aligned, longer
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.kernels import planar_layout
from plregions.kernels.columns import AT_ONCE
from plregions.kernels.planar_layout import Planar
from plregions.kernels.planar_rows import finish_rows

__all__ = ["STRIP", "allocate", "grown", "part_of", "write_rows"]

FIRST_CELLS = 24
FIRST_CORNERS = 12  # the kernel writes 7 at a time

POWERS_MOD_67 = [pow(2, k, planar_layout.PLACES) for k in range(planar_layout.MOST_CORNERS + 1)]

# The arrays of the state that a subtree has for itself: those it takes over, those that hold cells,
# and those in which nothing stands between two cells.
ROWS_AND_BITS = ("ctl", "R", "flags", "bits", "applied", "state")
CELLS = ("cell", "V", "unit", "fixed")
SCRATCH = (
    "end", "end_sign", "low", "high", "crosses", "chosen", "leaf_bits", "leaf_kept", "leaf_point",
)  # fmt: skip

# Walls of the strip that stands for an interval.
STRIP: tuple[IntRow, IntRow] = ((0, 1, 1), (0, -1, 1))


def allocate(p: Prepared, n_walls: int, chunk_size: int, corners: int, keep: bool) -> Planar:
    """Return arrays with room for so many walls, regions and corners of a cell."""
    units = p.units
    n_units = len(units.bias)
    n_layers = len(units.layer_first) - 1
    widest = max(1, int(np.diff(units.layer_first).max()))
    i64, u8 = np.int64, np.uint8
    cells, corners = FIRST_CELLS, max(FIRST_CORNERS, corners)
    weight, norm, dense = weights_by_columns(units)
    n_bits, n_kept = (p.n_walk, (p.n_bits + len(p.walls[0]) + 7) // 8) if keep else (0, 0)
    return Planar(
        ctl=np.zeros(planar_layout.CTL_LENGTH, dtype=i64),
        R=aligned(planar_layout.R_LENGTH, n_units + n_walls + -(n_units + n_walls) % LINE),
        flags=np.zeros(n_units + n_walls, dtype=i64),
        own_flags=own_flags(units),
        bits=np.ones(n_units + n_walls, dtype=u8),
        applied=np.full(n_units, np.nan),
        state=np.zeros((n_layers + 1, 2), dtype=i64),
        weight=weight,
        norm=norm,
        dense=dense,
        linear=layers_with_units_without_kink(units),
        first=np.full(n_units, -1),
        later=np.full(n_units, -1),
        is_opposite=np.zeros(n_units, dtype=u8),
        slots=np.arange(cells),
        cell=np.zeros((cells, planar_layout.CELL_LENGTH), dtype=i64),
        V=np.zeros((cells, corners, planar_layout.CORNER_LENGTH)),
        unit=np.zeros((cells, widest, planar_layout.UNIT_LENGTH), dtype=i64),
        fixed=np.zeros((cells, widest), dtype=i64),
        place=_places(),
        end=np.zeros((3, 2)),
        end_sign=np.zeros((widest, 2), dtype=np.int8),
        low=aligned(widest + AT_ONCE),
        high=aligned(widest),
        crosses=np.zeros(widest, dtype=u8),
        chosen=np.zeros(widest + AT_ONCE, dtype=i64),
        leaf_bits=np.empty((chunk_size, n_bits), dtype=u8),
        leaf_kept=np.empty((chunk_size, n_kept), dtype=u8),
        leaf_point=np.empty((chunk_size, 2)),
    )


def _places() -> NDArray[np.int64]:
    place = np.zeros(planar_layout.PLACES, dtype=np.int64)
    place[POWERS_MOD_67] = np.arange(len(POWERS_MOD_67))
    return place


def write_rows(p: Prepared, t: Planar) -> None:
    """Write the rows of layer 0 and of the walls."""
    n_units = len(p.units.bias)
    rows, error, _, flags = p.first_rows
    wall_rows, wall_error, _, wall_flags = p.walls
    for part, coefficients, errors, own in (
        (slice(0, len(rows)), rows, error, flags),
        (slice(n_units, n_units + len(wall_rows)), wall_rows, wall_error, wall_flags),
    ):
        t.R[planar_layout.A, part] = coefficients[:, 0]
        if p.dim == 2:
            t.R[planar_layout.B, part] = coefficients[:, 1]
        t.R[planar_layout.C, part] = coefficients[:, -1]
        t.R[planar_layout.ERROR, part] = errors
        t.flags[part] = own
        finish_rows(t.R, t.flags, part.start, part.stop)
    if p.dim == 1:
        first = n_units + len(wall_rows)
        for i, row in enumerate(STRIP):
            t.R[: planar_layout.C + 1, first + i] = row
        finish_rows(t.R, t.flags, first, first + len(STRIP))


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
        **{name: getattr(t, name).copy() for name in ROWS_AND_BITS},
        **{name: np.empty_like(getattr(t, name)) for name in (*CELLS, *SCRATCH)},
    )
    new.ctl[:] = 0
    new.ctl[planar_layout.KNOWS_MULTIPLES] = t.ctl[planar_layout.KNOWS_MULTIPLES]
    for name in CELLS:
        getattr(new, name)[0] = getattr(t, name)[slot]
    return new
