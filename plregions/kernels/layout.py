"""The arrays that the kernels work on: named tuples of arrays, and the indices into them."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Facets", "Tree", "Units", "layer_weight"]

# Statuses with which the kernel hands control back.
CHUNK_FULL = 1  # the leaf buffer is full: take the leaves
NEED_EXACT = 2  # floats leave questions open, which have to be decided exactly
PAUSE = 3  # so many pivots done: look at the clock
DONE = 4
GROW = 5  # more rows or frames are needed
SUBTREE = 6  # as many splits above the cell as asked for: it may be walked by another worker

# Answers to NEED_EXACT.
NO_ANSWER = -1
ONLY_ZERO = 0
ONLY_ONE = 1
BOTH = 2

# Indices into ctl.
UNIT = 0  # next unit to decide
ROWS = 1  # constraint rows of the current cell
FRAMES = 2  # pending siblings
LEAVES = 3  # leaves in the buffer
HAS_VERTEX = 4  # the dictionary stands at a vertex of the current cell
POINT_ID = 5  # -1: the float point is proved; else the exact point's number
ANSWER = 6
PIVOTS = 7  # pivots since the last pause
# Statistics, never reset by the kernel.
N_LEAVES = 8
N_TESTS = 9
N_RESIDUAL = 10
N_MULTIPLIERS = 11
N_POINTS = 12
N_EXACT = 13
N_REFACTORS = 14
N_INTEGERS = 15
N_TWINS = 16
N_PIVOTS = 17
SCREENED = 18  # the layer's units were tested on this cell
SKIP = 19  # splits to come before units are tested on a cell again
BASE = 20  # first constraint row of the current cell
ADDED = 21  # rows added since redundant ones were dropped
DEPTH = 22  # splits on the path to the current cell
RECORDING = 23  # whether the steps of a proof are logged
STEPS = 24  # steps in the log
ASKED = 25  # units to be decided exactly on the current cell
N_BATCHES = 26
CTL_LENGTH = 27

# What the facet kernel knows of a row.
SURE_FACET = 1  # a facet, across which a neuron flips and its multiples (or a wall)
MAYBE_FACET = 2  # to be decided exactly


class Units(NamedTuple):
    """A network over the unit box. Unit columns have one entry for each unit, layer by layer."""

    layer_first: Any  # (n_layers + 1,) first unit of each layer
    layer_of: Any  # (n_units,)
    weight_first: Any  # (n_layers,) offset of each layer's weight in ``weight``; layer 0 unused
    weight: Any  # all weights but layer 0's, flat, row-major
    bias: Any
    weight_error: Any  # bound on the error of every weight of the unit
    bias_error: Any
    bit: Any  # number of the unit's bit, or -1 for a unit without a kink
    negative: Any  # slope below zero
    positive: Any  # slope above zero


def layer_weight(units: Units, layer: int) -> Any:
    """Return the scaled weights of a layer other than 0, one row a unit."""
    before, first, last = (int(v) for v in units.layer_first[layer - 1 : layer + 2])
    at, width = int(units.weight_first[layer]), first - before
    return units.weight[at : at + (last - first) * width].reshape(last - first, width)


class Tree(NamedTuple):
    """State of one walk; a kernel that stops leaves everything here."""

    ctl: Any
    slope: Any  # (n_units,) slope chosen so far
    rows: Any  # (n_units, d + 1) affine rows under the current prefix
    error: Any
    size: Any
    flags: Any
    grain: Any  # (n_units,) rows of the layers so far are multiples of 2**-grain, or ROUNDED
    unit_grain: Any  # (n_units,) the same for weights and biases
    slope_grain: Any
    twin: Any  # (n_units,) +-(v + 1): the row is a multiple of that of unit v; 0
    bits: Any  # (n_bits,) uint8
    known: Any  # (n_bits,) int8: bit of a unit of this layer that is fixed on the cell, or 2
    C: Any  # (R, d + 1) constraint rows; those of the cell stand at ctl[BASE], BASE + 1, ...
    E: Any
    S: Any
    Z: Any
    label: Any  # (R,) unit of the constraint, or -1 - i for domain row i
    T: Any  # (d + R, d + 2) dictionary, stored by columns
    nb: Any
    col: Any
    point: Any  # (d,)
    frame_int: Any  # (F, 8): unit, rows, point id, dictionary saved, skip, base, added, depth
    frame_point: Any
    frame_known: Any
    frame_dictionary: Any  # (F, d + 1, d + R) the columns of each
    frame_nb: Any
    asked: Any  # (n_units,) units that floats leave open on the cell, ctl[UNIT] first
    asked_basis: Any  # (n_units, d) rows of the cell that seem to settle them, or -1
    answer_point: Any  # (2, d)
    answer_id: Any  # (2,)
    leaf_bits: Any  # (chunk, n_bytes) uint8, packed big-endian within bytes
    leaf_kept: Any  # (chunk, n_kept_bytes) uint8: rows that may carry facets, neurons then walls
    leaf_point: Any
    leaf_id: Any
    step_place: Any  # (steps, 3): next leaf in the buffer, bits of the node, bit that is settled
    step_rows: Any  # (steps, d) rows that settle it: bits, or n_bits + i for domain row i
    q: Any
    v: Any
    values: Any
    residual: Any
    unneeded: Any  # (d,) uint8, basis rows whose exact multipliers are known to be 0
    work: Any
    state: Any  # (R,)


class Facets(NamedTuple):
    """Scratch of the facet kernel."""

    slope: Any  # (n_units,)
    rows: Any  # (n_units, d + 1), layer 0 filled in
    error: Any
    size: Any
    flags: Any
    unit_C: Any  # (n_units, d + 1) the same rows scaled
    unit_E: Any
    unit_S: Any
    unit_Z: Any
    C: Any  # (R, d + 1) rows of the region, positive inside
    E: Any
    S: Any
    Z: Any
    label: Any  # (R,) unit, or -1 - i for wall i
    state: Any
    inverse: Any  # (R,) 1 / value at the region's point
    T: Any  # (d + R, d + 2), stored by columns
    nb: Any
    col: Any
    p: Any
    w: Any
    q: Any
    residual: Any
    unneeded: Any  # (d,) uint8
    first: Any  # (n_units,) the first unit of the layer of which this one is a multiple, or -1
