"""The arrays that the planar kernels work on, and the indices into them."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Planar"]

# One more status beside those of `plregions.kernels.layout`: the last leaf in the buffer has no
# proved point.
NEED_POINT = 16

# What comes next, in ctl[STAGE].
NEXT = 0  # split the cell, open the next layer, or emit
FILTER = 1  # the signs of a new layer's units are complete
CUT = 2  # the signs at the two ends of the cut are complete
POP = 3  # the cell is done: go to the newest pending one

# Indices into ctl.
STAGE = 0
TOP = 1  # place of the current cell in the stack
LEAVES = 2
# The first corners of the current cell on both sides of the cut.
NEGATIVE = 3
POSITIVE = 4
# Statistics, never reset by the kernel.
N_LEAVES = 8
N_SPLITS = 9
N_OPENED = 10
N_REMADE = 11
N_FLIPS = 12
N_ASKED = 13
CTL_LENGTH = 14

# Columns of ``cell``.
CORNERS = 0
LISTED = 1  # units that cut the cell
FIXED = 2  # units that were fixed when the cell was made
LAYER = 3
DEPTH = 4
CELL_LENGTH = 5

# Rows of ``R``: the coefficients a, b, c of a x + b y + c, then bounds.
A, B, C = 0, 1, 2
SIZE = 3  # of the 1-norm
ERROR = 4  # of the distance to the true row in the 1-norm
BOUND = 5  # of the error of a value computed at a point of the unit box
R_LENGTH = 6

# Columns of ``state``: are the rows up to date with the layer before, flips since they were made,
# and how many of the slopes with which they were made are not 0.
IS_MADE, FLIPS, ACTIVE = 0, 1, 2
STATE_LENGTH = 3

# A corner: coordinates, a bound on the error of each, and the row of the edge that starts there.
X, Y, RADIUS, EDGE = 0, 1, 2, 3
CORNER_LENGTH = 4

# A unit that may cut a cell: the corners below, above and not yet known, one bit for each.
NUMBER, BELOW, ABOVE, DOUBT = 0, 1, 2, 3
UNIT_LENGTH = 4
MOST_CORNERS = 62  # of a cell

UNSURE = 2  # in place of a sign


# Remainders of powers of two mod this prime are all different.
PLACES = 67


class Planar(NamedTuple):
    """State of one planar walk; a kernel that stops leaves everything here.

    F is the room for cells, K for corners of a cell, L for units of a layer. Row numbers are units,
    then walls.
    """

    ctl: Any
    R: Any  # (6, n_rows)
    flags: Any  # (n_rows,)
    own_flags: Any  # (n_units,) flags of the biases
    bits: Any  # (n_rows,) uint8; 1 for walls and for units without a kink
    seen: Any  # (n_units,) uint8, the bits with which the next layer's rows were made
    applied: Any  # (n_units,) the slopes that these bits stand for
    state: Any  # (n_layers + 1, 3)
    weight: Any  # all weights but layer 0's, flat, one column of a layer after the other
    norm: Any  # (n_units,) bounds on the 2-norms of the units' weights
    dense: Any  # (n_layers,) whether no weight of the layer is zero
    linear: Any  # (n_layers,) whether some unit of the layer has no kink
    first: Any  # (n_units,) the first unit of the layer of which this one is a multiple, or -1
    later: Any  # (n_units,) the next unit that is a multiple of the same one, or -1
    is_opposite: Any  # (n_units,) uint8, whether the factor to the first one is negative
    slots: Any  # (F,) the slots of the cells in the stack, then the free ones
    cell: Any  # (F, 5)
    V: Any  # (F, K, 4) corners, counter-clockwise
    unit: Any  # (F, L, 4) the units that cut the cell
    fixed: Any  # (F, L) the units that were fixed when the cell was made, as 2 * unit + bit
    place: Any  # (67,) the exponent of each power of two below 2**63, by its remainder mod 67
    end: Any  # (3, 2) the ends of the cut, rows as the first columns of a corner
    end_sign: Any  # (L, 2) int8
    low: Any  # (L + 6,)
    high: Any  # (L,)
    crosses: Any  # (L,) uint8
    chosen: Any  # (L + 6,)
    leaf_bits: Any  # (chunk, n_walk) uint8, a byte for each unit; or no columns
    leaf_kept: (
        Any  # (chunk, n_kept_bytes) uint8: the edges' rows, neurons then walls; or no columns
    )
    leaf_point: Any  # (chunk, 2)
