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
    for i in range(first, last):
        flag = flags[i]
        if flag & LINEAR_ZERO:
            R[A, i] = 0.0
            R[B, i] = 0.0
        if flag & VALUE_ZERO:
            R[C, i] = 0.0
        size = (abs(R[A, i]) + abs(R[B, i]) + abs(R[C, i])) * (1.0 + 8.0 * EPS)
        if not (LEAST < size < MOST and R[ERROR, i] < MOST):
            R[A, i] = 0.0
            R[B, i] = 0.0
            R[C, i] = 0.0
            size = 0.0
            R[ERROR, i] = HUGE
        if flag & LINEAR_ZERO and flag & VALUE_ZERO:
            R[ERROR, i] = 0.0
        R[SIZE, i] = size
        R[BOUND, i] = (R[ERROR, i] + 8.0 * EPS * size) * (1.0 + 8.0 * EPS) + TINY


@inner_kernel
def _set_flags(net, flags, weight, at, dense, applied, before, first, last):
    """Which parts of the rows are zero by structure."""
    for i in range(first, last):
        zero = LINEAR_ZERO | VALUE_ZERO
        if net.bias[i] != 0.0 or net.bias_error[i] != 0.0:
            zero = LINEAR_ZERO
        flags[i] = zero
    width = first - before
    count = last - first
    if dense:
        common = LINEAR_ZERO | VALUE_ZERO
        for k in range(width):
            if applied[before + k] != 0.0:
                common &= flags[before + k]
        for i in range(first, last):
            flags[i] &= common
        return
    for k in range(width):
        if applied[before + k] != 0.0 and flags[before + k] != LINEAR_ZERO | VALUE_ZERO:
            for i in range(count):
                if weight[at + k * count + i] != 0.0:
                    flags[first + i] &= flags[before + k]


@inner_kernel
def _add_column(R, weight, at, first, count, a, b, c, e):
    """Add weight * (a, b, c) to the rows and abs(weight) * e to their errors."""
    for i in range(count):
        w = weight[at + i]
        R[A, first + i] += w * a
        R[B, first + i] += w * b
    for i in range(count):
        w = weight[at + i]
        R[C, first + i] += w * c
        R[ERROR, first + i] += abs(w) * e


@kernel
def make_rows(net, layer, R, flags, bits, applied, state, weight, dense, ctl):
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
        for i in range(first, last):
            R[A, i] = 0.0
            R[B, i] = 0.0
            R[C, i] = net.bias[i]
            R[ERROR, i] = net.bias_error[i] + gamma * abs(net.bias[i])
        for k in range(width):
            v = before + k
            s = net.positive[v] if bits[v] else net.negative[v]
            applied[v] = s
            if s == 0.0:
                continue
            carried += abs(s) * (R[SIZE, v] + R[ERROR, v])
            e = abs(s) * (R[ERROR, v] + gamma * R[SIZE, v])
            _add_column(
                R, weight, at + k * count, first, count,
                s * R[A, v], s * R[B, v], s * R[C, v], e,
            )  # fmt: skip
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
                change * R[A, v], change * R[B, v], change * R[C, v], e,
            )  # fmt: skip
    for i in range(first, last):
        grown = R[ERROR, i] + net.weight_error[i] * carried * (1.0 + gamma)
        R[ERROR, i] = grown * (1.0 + 2.0 * gamma) + TINY
    _set_flags(net, flags, weight, at, dense[layer], applied, before, first, last)
    finish_rows(R, flags, first, last)
