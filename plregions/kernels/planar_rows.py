"""Rows of a layer in columns, for the plane: made anew, or updated where few slopes changed."""

from __future__ import annotations

from plregions.kernels.compile import inner_kernel, kernel
from plregions.kernels.planar_layout import (
    BOUND,
    ERROR,
    N_FLIPS,
    N_REMADE,
    SIZE,
    A,
    B,
    C,
)
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, VALUE_ZERO

__all__ = ["HUGE", "finish_rows", "make_rows"]

# Stands for "unknown" in bounds: finite, so that products with zero stay numbers.
HUGE = 2.0**500
# Rows of sizes beyond these bounds are not trusted; products of two others stay in range.
LEAST = 2.0**-400
MOST = 2.0**400


@kernel
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


@inner_kernel
def set_flags(own, flags, weight, at, dense, applied, active, before, first, last):
    """Which parts of the rows are zero by structure; ``own`` tells it of the biases."""
    width = first - before
    count = last - first
    flag, start = flags[first:last], own[first:last]
    heard, slope = flags[before:first], applied[before:first]
    some = 0
    for k in range(width):
        some |= heard[k]
    common = LINEAR_ZERO | VALUE_ZERO
    if some == 0 and active > 0:
        common = 0
    else:
        for k in range(width):
            if slope[k] != 0.0:
                common &= heard[k]
    if dense:
        for i in range(count):
            flag[i] = start[i] & common
        return
    for i in range(count):
        flag[i] = start[i]
    if common == LINEAR_ZERO | VALUE_ZERO:
        return
    for k in range(width):
        other = heard[k]
        if slope[k] != 0.0 and other != LINEAR_ZERO | VALUE_ZERO:
            column = weight[at + k * count : at + (k + 1) * count]
            for i in range(count):
                flag[i] &= other if column[i] != 0.0 else LINEAR_ZERO | VALUE_ZERO


@inner_kernel
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


@inner_kernel
def _add_three_columns(x, y, weight, at, count, i, j, k, p, q, r, s, t, u):
    """Add columns i, j, k of the weights times p, q, r to ``x`` and times s, t, u to ``y``."""
    one, two = weight[at + i * count :], weight[at + j * count :]
    three = weight[at + k * count :]
    for v in range(count):
        x[v] += one[v] * p + two[v] * q + three[v] * r
        y[v] += one[v] * s + two[v] * t + three[v] * u


@inner_kernel
def _add_three_sizes(x, y, weight, at, count, i, j, k, p, q, r, s, t, u):
    """Add the columns' sizes to ``y``, the columns themselves to ``x``."""
    one, two = weight[at + i * count :], weight[at + j * count :]
    three = weight[at + k * count :]
    for v in range(count):
        x[v] += one[v] * p + two[v] * q + three[v] * r
        y[v] += abs(one[v]) * s + abs(two[v]) * t + abs(three[v]) * u


@kernel
def make_rows(net, layer, R, flags, own, bits, applied, state, weight, dense, chosen, ctl):
    """Bring the rows of a layer other than 0 up to date with the bits of the layer before.

    A slope that changes by s adds s times a column of weights times one row: the error grows by
    what this one step can add. When many slopes changed, or many did since the rows were made, all
    is made anew. Cost 3 times the number of weights in use, or of those in changed columns.
    """
    first = net.layer_first[layer]
    before = net.layer_first[layer - 1]
    last = net.layer_first[layer + 1]
    count = last - first
    width = first - before
    at = net.weight_first[layer]
    gamma = (width + 6) * EPS
    flips = 0
    active = 0
    positive, negative = net.positive[before:first], net.negative[before:first]
    own_bits, old_slope = bits[before:first], applied[before:first]
    # Short loops over views that start at 0 become vector instructions.
    for k in range(width):
        p, q = positive[k], negative[k]
        s = p if own_bits[k] != 0 else q
        flips += 1 if s != old_slope[k] else 0
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
        for i in range(first, last):
            R[C, i] = net.bias[i]
            R[ERROR, i] = net.bias_error[i] + gamma * abs(net.bias[i])
        n = 0
        for k in range(width):
            v = before + k
            p, q = positive[k], negative[k]
            s = p if own_bits[k] != 0 else q
            old_slope[k] = s
            if s != 0.0:
                chosen[n] = k
                n += 1
                carried += abs(s) * (R[SIZE, v] + R[ERROR, v])
        # Three columns at a time, because loads and stores are what takes the time.
        row_a, row_b = R[A, first:last], R[B, first:last]
        row_c, error = R[C, first:last], R[ERROR, first:last]
        for at_once in range(0, n - 2, 3):
            i, j, k = chosen[at_once], chosen[at_once + 1], chosen[at_once + 2]
            u, v, w = before + i, before + j, before + k
            p, q, r = applied[u], applied[v], applied[w]
            _add_three_columns(
                row_a, row_b, weight, at, count, i, j, k,
                p * R[A, u], q * R[A, v], r * R[A, w], p * R[B, u], q * R[B, v], r * R[B, w],
            )  # fmt: skip
            _add_three_sizes(
                row_c, error, weight, at, count, i, j, k,
                p * R[C, u], q * R[C, v], r * R[C, w],
                abs(p) * (R[ERROR, u] + gamma * R[SIZE, u]),
                abs(q) * (R[ERROR, v] + gamma * R[SIZE, v]),
                abs(r) * (R[ERROR, w] + gamma * R[SIZE, w]),
            )  # fmt: skip
        for place in range(n - n % 3, n):
            k = chosen[place]
            v = before + k
            s = applied[v]
            _add_column(
                R, weight, at + k * count, first, count, s * R[A, v], s * R[B, v], s * R[C, v],
                abs(s) * (R[ERROR, v] + gamma * R[SIZE, v]),
            )  # fmt: skip
    else:
        ctl[N_FLIPS] += flips
        state[layer, 1] += flips
        error, size = R[ERROR, first:last], R[SIZE, first:last]
        for i in range(count):
            error[i] += flips * EPS * size[i]
        for k in range(width):
            old = old_slope[k]
            p, q = positive[k], negative[k]
            s = p if own_bits[k] != 0 else q
            if s == old:
                continue
            v = before + k
            old_slope[k] = s
            change = s - old
            both = abs(s) + abs(old)
            carried += both * (R[SIZE, v] + R[ERROR, v])
            # All sums are rounded after each step, and no larger than all that was added.
            e = both * (R[ERROR, v] + (8 + flips) * EPS * R[SIZE, v])
            _add_column(
                R, weight, at + k * count, first, count,
                change * R[A, v], change * R[B, v], change * R[C, v], e,
            )  # fmt: skip
    error, rounded = R[ERROR, first:last], net.weight_error[first:last]
    carried *= 1.0 + gamma
    for i in range(count):
        error[i] = (error[i] + rounded[i] * carried) * (1.0 + 2.0 * gamma) + TINY
    set_flags(own, flags, weight, at, dense[layer], applied, active, before, first, last)
    finish_rows(R, flags, first, last)
