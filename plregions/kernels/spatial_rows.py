"""Rows of a layer in columns, for space: made anew, or updated where few slopes changed."""

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
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, VALUE_ZERO
from plregions.kernels.spatial_layout import (
    BOUND,
    ERROR,
    N_FLIPS,
    N_REMADE,
    SIZE,
    UNIT,
    A,
    B,
    C,
    D,
)

__all__ = ["HUGE", "finish_rows", "make_rows"]

# Stands for "unknown" in bounds: finite, so that products with zero stay numbers.
HUGE = 2.0**300
# Sums of multiples of a unit are exact below so many units, whatever was added on the way.
MOST_UNITS = 2.0**50
# A row of larger units is 0 or of usual size.
LEAST_UNIT = 2.0**-200
# Rows of sizes beyond these bounds are not trusted; products of three others stay in range.
LEAST = 2.0**-250
MOST = 2.0**250


@kernel
def finish_rows(R, flags, first, last):
    """Complete the bounds of rows first..last-1 from coefficients and errors.

    Parts that are zero by structure are set to zero. Rows of extreme size get an infinite error.
    """
    a, b, c, d = R[A, first:last], R[B, first:last], R[C, first:last], R[D, first:last]
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
                c[i] = 0.0
            if flag[i] & VALUE_ZERO:
                d[i] = 0.0
    for i in range(last - first):
        size[i] = (abs(a[i]) + abs(b[i]) + abs(c[i]) + abs(d[i])) * (1.0 + 8.0 * EPS)
    extreme = 0
    for i in range(last - first):
        in_range = (size[i] > LEAST) & (size[i] < MOST) & (error[i] < MOST)
        extreme += 0 if in_range else 1
    if extreme > 0:
        for i in range(last - first):
            if not (LEAST < size[i] < MOST and error[i] < MOST):
                a[i], b[i], c[i], d[i] = 0.0, 0.0, 0.0, 0.0
                size[i] = 0.0
                R[UNIT, first + i] = 0.0
                is_zero = flag[i] == LINEAR_ZERO | VALUE_ZERO
                error[i] = 0.0 if is_zero else HUGE
    for i in range(last - first):
        bound[i] = (error[i] + 8.0 * EPS * size[i]) * (1.0 + 8.0 * EPS) + TINY


@inlined_kernel
def _add_column(R, weight, at, first, count, a, b, c, d, e):
    """Add weight * (a, b, c, d) to the rows and abs(weight) * e to their errors."""
    rows_a, rows_b = R[A, first : first + count], R[B, first : first + count]
    rows_c, rows_d = R[C, first : first + count], R[D, first : first + count]
    error = R[ERROR, first : first + count]
    column = weight[at : at + count]
    for i in range(count):
        w = column[i]
        rows_a[i] += w * a
        rows_b[i] += w * b
    for i in range(count):
        w = column[i]
        rows_c[i] += w * c
        rows_d[i] += w * d
        error[i] += abs(w) * e


@inlined_kernel
def _find_units(net, R, flags, weight_unit, bias_unit, before, first, last):
    """Find the rows that were computed without rounding; they have no error.

    All slopes are 0, 1 or -1, and the weights and bias of a unit add up to at most 1.
    """
    common, most = 1.0, 1.0
    for v in range(before, first):
        if flags[v] != LINEAR_ZERO | VALUE_ZERO:
            common = min(common, R[UNIT, v])
            most = max(most, R[SIZE, v])
    for u in range(first, last):
        unit = min(common * weight_unit[u], bias_unit[u])
        R[UNIT, u] = unit if unit > LEAST_UNIT and most <= MOST_UNITS * unit else 0.0
        if R[UNIT, u] == 0.0:
            continue
        R[ERROR, u] = 0.0
        if R[A, u] == 0.0 and R[B, u] == 0.0 and R[C, u] == 0.0:
            flags[u] |= LINEAR_ZERO
        if R[D, u] == 0.0:
            flags[u] |= VALUE_ZERO


@kernel
def make_rows(net, layer, t):
    """Bring the rows of a layer other than 0 up to date with the bits of the layer before.

    A slope that changes by s adds s times a column of weights times one row: the error grows by
    what this one step can add. When many slopes changed, or many did since the rows were made, all
    is made anew, with errors of at most the 2-norm of a unit's weights times that of all errors.
    Cost 4 times the number of weights in use, or of those in changed columns.
    """
    ctl, R, flags, bits, applied, state = t.ctl, t.R, t.flags, t.bits, t.applied, t.state
    weight, chosen, factor = t.weight, t.chosen, t.low
    first = net.layer_first[layer]
    before = net.layer_first[layer - 1]
    last = net.layer_first[layer + 1]
    count = last - first
    width = first - before
    at = net.weight_first[layer]
    gamma = (width + 6) * EPS
    flips = 0
    active = 0
    for k in range(before, first):
        s = net.positive[k] if bits[k] else net.negative[k]
        flips += 1 if s != applied[k] else 0
        active += 1 if s != 0.0 else 0
    anew = state[layer, 0] == 0 or 2 * flips > active or state[layer, 1] + flips > 2 * width
    if flips == 0 and not anew:
        return
    state[layer, 0] = 1
    state[layer + 1, 0] = 0
    carried = 0.0
    if anew:
        ctl[N_REMADE] += 1
        state[layer, 1] = 0
        R[A, first:last] = 0.0
        R[B, first:last] = 0.0
        R[C, first:last] = 0.0
        for i in range(first, last):
            R[D, i] = net.bias[i]
            R[ERROR, i] = net.bias_error[i] + gamma * abs(net.bias[i])
        for v in range(before, first):
            applied[v] = net.positive[v] if bits[v] else net.negative[v]
        n = list_active(applied[before:first], chosen, factor)
        is_linear = no_constants(flags, before, first) and no_constants(t.own_flags, first, last)
        x, y, z, w = R[A, first:last], R[B, first:last], R[C, first:last], R[D, first:last]
        a, b, c, d = (
            R[A, before:first], R[B, before:first], R[C, before:first], R[D, before:first],
        )  # fmt: skip
        columns = weight[at : at + width * count].reshape(width, count)
        listed = chosen.view(np.uint64)  # numbers that need no look whether they count from the end
        for start in range(0, n, AT_ONCE):
            add_four_twice(x, y, a, b, columns, listed, factor, start)
            if is_linear:
                add_four(z, c, columns, listed, factor, start)
            else:
                add_four_twice(z, w, c, d, columns, listed, factor, start)
        total, carried = error_of_rows(
            applied[before:first], R[ERROR, before:first], R[SIZE, before:first], gamma
        )
        for i in range(first, last):
            R[ERROR, i] += t.norm[i] * total
    else:
        ctl[N_FLIPS] += flips
        state[layer, 1] += flips
        for i in range(first, last):
            R[ERROR, i] += flips * EPS * R[SIZE, i]
        for k in range(width):
            v = before + k
            old = applied[v]
            s = net.positive[v] if bits[v] else net.negative[v]
            if s == old:
                continue
            applied[v] = s
            change = s - old
            both = abs(s) + abs(old)
            carried += both * (R[SIZE, v] + R[ERROR, v])
            # All sums are rounded after each step, and no larger than all that was added.
            e = both * (R[ERROR, v] + (8 + flips) * EPS * R[SIZE, v])
            _add_column(
                R, weight, at + k * count, first, count,
                change * R[A, v], change * R[B, v], change * R[C, v], change * R[D, v], e,
            )  # fmt: skip
    error, rounded = R[ERROR, first:last], net.weight_error[first:last]
    carried *= 1.0 + gamma
    for i in range(count):
        error[i] = (error[i] + rounded[i] * carried) * (1.0 + 2.0 * gamma) + TINY
    set_flags(t.own_flags, flags, weight, at, t.dense[layer], applied, 0, before, first, last)
    if t.is_whole[layer]:
        _find_units(net, R, flags, t.weight_unit, t.bias_unit, before, first, last)
    finish_rows(R, flags, first, last)
