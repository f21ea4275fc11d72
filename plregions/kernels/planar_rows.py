"""Rows of a layer in columns, for the plane: made anew, or updated where few slopes changed."""

from __future__ import annotations

import numpy as np

from plregions.kernels.columns import (
    AT_ONCE,
    add_four,
    add_four_twice,
    error_of_rows,
    list_active,
    no_constants,
    set_flags,
)
from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.planar_layout import (
    ACTIVE,
    BOUND,
    CORNERS,
    EDGE,
    ERROR,
    FLIPS,
    IS_MADE,
    LAYER,
    N_FLIPS,
    N_REMADE,
    SIZE,
    A,
    B,
    C,
)
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, VALUE_ZERO

__all__ = ["HUGE", "finish_rows", "make_rows", "put_first_cell", "put_first_rows"]

# Stands for "unknown" in bounds: finite, so that products with zero stay numbers.
HUGE = 2.0**500
# Rows of sizes beyond these bounds are not trusted; products of two others stay in range.
LEAST = 2.0**-400
MOST = 2.0**400


@inlined_kernel
def finish_rows(R, flags, first, last):
    """Complete the bounds of rows first..last-1 from coefficients and errors.

    Parts that are zero by structure are set to zero. Rows of extreme size get an infinite error.
    """
    a, b, c = R[A, first:last], R[B, first:last], R[C, first:last]
    size, error, bound = R[SIZE, first:last], R[ERROR, first:last], R[BOUND, first:last]
    flag = flags[first:last]
    # The loops are short and over views that start at 0, so that they become vector instructions.
    flagged = 0
    for i in range(last - first):
        flagged |= flag[i]
    if flagged != 0:
        for i in range(last - first):
            if flag[i] & LINEAR_ZERO:
                a[i] = 0.0
                b[i] = 0.0
            if flag[i] & VALUE_ZERO:
                c[i] = 0.0
    extreme = 0
    for i in range(last - first):
        total = (abs(a[i]) + abs(b[i]) + abs(c[i])) * (1.0 + 8.0 * EPS)
        size[i] = total
        bound[i] = (error[i] + 8.0 * EPS * total) * (1.0 + 8.0 * EPS) + TINY
        in_range = (total > LEAST) & (total < MOST) & (error[i] < MOST)
        extreme += 0 if in_range else 1
    if extreme > 0:
        for i in range(last - first):
            if not (LEAST < size[i] < MOST and error[i] < MOST):
                a[i], b[i], c[i] = 0.0, 0.0, 0.0
                size[i] = 0.0
                is_zero = flag[i] == LINEAR_ZERO | VALUE_ZERO
                error[i] = 0.0 if is_zero else HUGE
                bound[i] = error[i] * (1.0 + 8.0 * EPS) + TINY


@inlined_kernel
def _put_rows(R, flags, first, rows, error, own):
    """Write rows (a, b, c), or (a, c) where nothing depends on y, as first, first + 1, ..."""
    d = rows.shape[1] - 1
    for i in range(rows.shape[0]):
        R[A, first + i] = rows[i, 0]
        R[B, first + i] = rows[i, 1] if d == 2 else 0.0
        R[C, first + i] = rows[i, d]
        R[ERROR, first + i] = error[i]
        flags[first + i] = own[i]
    finish_rows(R, flags, first, first + rows.shape[0])


@kernel
def put_first_rows(R, flags, rows, error, own, walls, wall_error, wall_flags):
    """Write the rows of layer 0 and, behind those of all units, the walls'; zeros elsewhere."""
    for i in range(R.shape[0]):
        for row in range(R.shape[1]):
            R[i, row] = 0.0
    for row in range(flags.shape[0]):
        flags[row] = 0
    _put_rows(R, flags, 0, rows, error, own)
    _put_rows(R, flags, flags.shape[0] - walls.shape[0], walls, wall_error, wall_flags)


@kernel
def put_first_cell(n_units, corners, slots, cell, V, bits, state):
    """Put a cell of these corners, whose edges are walls, before the first layer, with no rows."""
    slot = slots[0]
    for c in range(cell.shape[1]):
        cell[slot, c] = 0
    cell[slot, CORNERS] = corners.shape[0]
    cell[slot, LAYER] = -1
    for v in range(corners.shape[0]):
        for c in range(corners.shape[1]):
            V[slot, v, c] = corners[v, c]
        V[slot, v, EDGE] += n_units
    for row in range(bits.shape[0]):
        bits[row] = 1
    for layer in range(state.shape[0]):
        for c in range(state.shape[1]):
            state[layer, c] = 0


@inlined_kernel
def _add_column(R, weight, at, first, count, a, b, c, e):
    """Add weight * (a, b, c) to the rows and abs(weight) * e to their errors."""
    rows_a, rows_b = R[A, first : first + count], R[B, first : first + count]
    rows_c, error = R[C, first : first + count], R[ERROR, first : first + count]
    column = weight[at : at + count]
    for i in range(count):
        w = column[i]
        rows_a[i] += w * a
        rows_b[i] += w * b
    for i in range(count):
        w = column[i]
        rows_c[i] += w * c
        error[i] += abs(w) * e


@inlined_kernel
def make_rows(
    net, layer, R, flags, own, bits, seen, applied, state, weight, norm, dense,
    chosen, factor, ctl,
):  # fmt: skip
    """Bring the rows of a layer other than 0 up to date with the bits of the layer before.

    A slope that changes by s adds s times a column of weights times one row: the error grows by
    what this one step can add. When many slopes changed, or many did since the rows were made, all
    is made anew, with errors of at most the 2-norm of a unit's weights times that of all errors.
    Cost 3 times the number of weights in use, or of those in changed columns.
    """
    first = net.layer_first[layer]
    before = net.layer_first[layer - 1]
    last = net.layer_first[layer + 1]
    count = last - first
    width = first - before
    at = net.weight_first[layer]
    gamma = (width + 6) * EPS
    flips = 0
    positive, negative = net.positive[before:first], net.negative[before:first]
    own_bits, old_bits, slope = bits[before:first], seen[before:first], applied[before:first]
    # Short loops over views that start at 0 become vector instructions.
    for k in range(width):
        flips += 1 if own_bits[k] != old_bits[k] else 0
    many = 2 * flips > state[layer, ACTIVE] or state[layer, FLIPS] + flips > 2 * width
    anew = state[layer, IS_MADE] == 0 or many
    if flips == 0 and not anew:
        return
    state[layer, IS_MADE] = 1
    state[layer + 1, IS_MADE] = 0
    carried = 0.0
    if anew:
        ctl[N_REMADE] += 1
        state[layer, FLIPS] = 0
        x, y, z = R[A, first:last], R[B, first:last], R[C, first:last]
        bias = net.bias[first:last]
        for i in range(count):
            x[i] = 0.0
            y[i] = 0.0
            z[i] = bias[i]
        for k in range(width):
            one = float(own_bits[k])
            slope[k] = positive[k] * one + negative[k] * (1.0 - one)
        for k in range(width):
            old_bits[k] = own_bits[k]
        n = list_active(slope, chosen, factor)
        state[layer, ACTIVE] = n
        is_linear = no_constants(flags, before, first) and no_constants(own, first, last)
        a, b, c = R[A, before:first], R[B, before:first], R[C, before:first]
        columns = weight[at : at + width * count].reshape(width, count)
        listed = chosen.view(np.uint64)  # numbers that need no look whether they count from the end
        for start in range(0, n, AT_ONCE):
            add_four_twice(x, y, a, b, columns, listed, factor, start)
            if not is_linear:
                add_four(z, c, columns, listed, factor, start)
        total, carried = error_of_rows(slope, R[ERROR, before:first], R[SIZE, before:first], gamma)
        error, length = R[ERROR, first:last], norm[first:last]
        bias_error = net.bias_error[first:last]
        for i in range(count):
            error[i] = bias_error[i] + gamma * abs(bias[i]) + length[i] * total
    else:
        ctl[N_FLIPS] += flips
        state[layer, FLIPS] += flips
        error, size = R[ERROR, first:last], R[SIZE, first:last]
        for i in range(count):
            error[i] += flips * EPS * size[i]
        left = flips
        for k in range(width):
            if own_bits[k] == old_bits[k]:
                continue
            left -= 1
            v = before + k
            old, s = slope[k], positive[k] if own_bits[k] else negative[k]
            slope[k] = s
            old_bits[k] = own_bits[k]
            state[layer, ACTIVE] += (1 if s != 0.0 else 0) - (1 if old != 0.0 else 0)
            change = s - old
            both = abs(s) + abs(old)
            carried += both * (R[SIZE, v] + R[ERROR, v])
            # All sums are rounded after each step, and no larger than all that was added.
            e = both * (R[ERROR, v] + (8 + flips) * EPS * R[SIZE, v])
            _add_column(
                R, weight, at + k * count, first, count,
                change * R[A, v], change * R[B, v], change * R[C, v], e,
            )  # fmt: skip
            if left == 0:
                break
    error, rounded = R[ERROR, first:last], net.weight_error[first:last]
    carried *= 1.0 + gamma
    for i in range(count):
        error[i] = (error[i] + rounded[i] * carried) * (1.0 + 2.0 * gamma) + TINY
    active = state[layer, ACTIVE]
    set_flags(own, flags, weight, at, dense[layer], applied, active, before, first, last)
    finish_rows(R, flags, first, last)
