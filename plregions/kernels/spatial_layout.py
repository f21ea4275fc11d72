"""The arrays that the spatial kernels work on, and the indices into them."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Spatial"]

# One more status beside those of `plregions.kernels.layout`: the last leaf in the buffer has no
# proved point.
NEED_POINT = 16

# What comes next, in ctl[STAGE].
NEXT = 0  # split the cell, open the next layer, or emit
FILTER = 1  # the signs of a new layer's units are complete
CUT = 2  # the signs at the new corners of the cut are complete
POP = 3  # the cell is done: go to the newest pending one

# Indices into ctl.
STAGE = 0
TOP = 1  # place of the current cell in the stack
LEAVES = 2
CORNERS = 3  # corners in use
OLD_CORNERS = 4  # corners in use before the cut: the new ones follow
CUTTER = 5  # the unit that cuts
MARK = 6  # newest number in ``mark``
# Statistics, never reset by the kernel.
N_LEAVES = 8
N_SPLITS = 9
N_OPENED = 10
N_REMADE = 11
N_FLIPS = 12
N_ASKED = 13
CTL_LENGTH = 14

# Columns of ``cell``.
EDGES = 0
VERTICES = 1
LAYER = 2
DEPTH = 3
POOL = 4  # corners in use when the cell was made
CELL_LENGTH = 5

# Columns of ``edge``: the two corners, then the rows of the two facets that meet there.
START, END, LEFT, RIGHT = 0, 1, 2, 3

# Rows of ``R``: the coefficients of a x + b y + c z + d, then bounds.
A, B, C, D = 0, 1, 2, 3
SIZE = 4  # of the 1-norm
ERROR = 5  # of the distance to the true row in the 1-norm
BOUND = 6  # of the error of a value computed at a point of the unit box
UNIT = 7  # a power of two of which all coefficients are multiples, and they are exact; or 0
R_LENGTH = 8

# Columns of ``V``: coordinates of a corner and a bound on the error of each.
X, Y, Z, RADIUS = 0, 1, 2, 3

# First index of ``word``: what a cell remembers of the units of its layer, one bit for each.
LISTED = 0  # they cut the cell
TOUCHED = 1  # they were undecided when the cell was made
ON = 2  # they are positive somewhere in the cell
OFF = 3  # they are negative somewhere in the cell
WORDS = 4

# Units in one word of a layer.
WORD = 62


class Spatial(NamedTuple):
    """State of one spatial walk; a kernel that stops leaves everything here.

    F is the room for cells, K for edges or corners of a cell, P for corners of all cells, W the
    number of words for the units of a layer. Row numbers are units, then walls.
    """

    ctl: Any
    R: Any  # (8, n_rows)
    flags: Any  # (n_rows,)
    own_flags: Any  # (n_units,) flags of the biases
    bits: Any  # (n_rows,) uint8; 1 for walls and for units without a kink
    applied: Any  # (n_units,) the slopes with which the next layer's rows were made
    state: Any  # (n_layers + 1, 2): are the rows up to date with the layer before; flips since made
    weight: Any  # all weights but layer 0's, flat, one column of a layer after the other
    norm: Any  # (n_units,) bounds on the 2-norms of the units' weights
    dense: Any  # (n_layers,) whether no weight of the layer is zero
    weight_unit: Any  # (n_units,) the same as UNIT for a unit's weights, or 0
    bias_unit: Any  # (n_units,)
    is_whole: Any  # (n_layers,) whether some rows of the layer may have a UNIT
    linear: Any  # (n_layers,) whether some unit of the layer has no kink
    slots: Any  # (F,) the slots of the cells in the stack, then the free ones
    cell: Any  # (F, 5)
    edge: Any  # (F, K, 4) int32
    vertex: Any  # (F, K) int32 the corners of the cell
    word: Any  # (F, 4, W)
    first: Any  # (n_units,) unit of the layer of which this one is a multiple, or -1
    later: Any  # (n_units,) the next multiple of the same unit, or -1
    is_opposite: Any  # (n_units,) whether it is a negative multiple
    V: Any  # (P, 4)
    tight: Any  # (P, 3) int32 rows that meet in the corner and nowhere else
    above: Any  # (n_layers, P, W) units of the layer that are positive there
    below: Any  # (n_layers, P, W)
    doubt: Any  # (P, W) units whose sign there is to be decided exactly
    side: Any  # (n_rows,) int8 on which sides of the cut a facet has corners
    open_end: Any  # (n_rows,) the first of the two points where the cut meets a facet's boundary
    mark: Any  # (n_rows,)
    low: Any  # (L + 6,)
    high: Any  # (L,)
    chosen: Any  # (L + 6,)
    leaf_bits: Any  # (chunk, n_walk) uint8, a byte for each unit
    leaf_kept: Any  # (chunk, n_kept_bytes) uint8: the facets' rows, neurons then walls
    leaf_point: Any  # (chunk, 3)
