"""Sums of columns of weights: the rows of a layer, one coefficient of all its units at a time."""

from __future__ import annotations

import math

from plregions.kernels.compile import inlined_kernel, kernel, summing_kernel
from plregions.kernels.rows import EPS, LINEAR_ZERO, VALUE_ZERO

__all__ = [
    "AT_ONCE",
    "add_four",
    "add_four_twice",
    "error_of_rows",
    "list_active",
    "no_constants",
    "read_layers",
    "set_flags",
]

# Columns that are added at once, because loads and stores of the sums are what takes the time.
AT_ONCE = 4

# Squares of what is below this may underflow.
LEAST = 2.0**-500


@kernel
def read_layers(
    layer_first, weight_first, weight, bias, bias_error, bit,
    columns, norm, dense, linear, own_flags,
):  # fmt: skip
    """Write the weights by columns, but for layer 0, and what the walks ask of units and layers.

    That is bounds on the 2-norms of weights, the layers in which none is 0, those in which some
    unit has no kink, and the flags of the biases.
    """
    for layer in range(dense.shape[0]):
        first = layer_first[layer]
        count = layer_first[layer + 1] - first
        dense[layer] = True
        linear[layer] = False
        for u in range(first, first + count):
            has_bias = bias[u] != 0.0 or bias_error[u] != 0.0
            own_flags[u] = LINEAR_ZERO if has_bias else LINEAR_ZERO | VALUE_ZERO
            if bit[u] < 0:
                linear[layer] = True
        if layer == 0:
            continue
        width = first - layer_first[layer - 1]
        at = weight_first[layer]
        rows = weight[at : at + count * width].reshape(count, width)
        turned = columns[at : at + count * width].reshape(width, count)
        # Eight entries of a row at a time are a whole cache line.
        whole = width - width % 8
        for start in range(0, whole, 8):
            for i in range(count):
                for k in range(start, start + 8):
                    turned[k, i] = rows[i, k]
        for k in range(whole, width):
            for i in range(count):
                turned[k, i] = rows[i, k]
        square = norm[first : first + count]
        zeros = 0
        for i in range(count):
            square[i] = 0.0
        for k in range(width):
            column = turned[k]
            for i in range(count):
                square[i] += column[i] * column[i]
                zeros += 1 if column[i] == 0.0 else 0
        for i in range(count):
            square[i] = math.sqrt(square[i]) * (1.0 + (width + 4) * EPS) + LEAST
        dense[layer] = zeros == 0


@inlined_kernel
def list_active(slope, chosen, factor):
    """List the slopes that are not 0 with their places, and return how many there are.

    Zeros follow, so that they can be taken ``AT_ONCE`` at a time.
    """
    n = 0
    # Which slopes are 0 is hard to predict: there is no branch in this loop.
    for k in range(slope.shape[0]):
        chosen[n] = k
        factor[n] = slope[k]
        n += 1 if slope[k] != 0.0 else 0
    for c in range(n, n + AT_ONCE - 1):
        chosen[c] = 0
        factor[c] = 0.0
    return n


@inlined_kernel
def add_four(x, a, columns, chosen, factor, start):
    """Add to ``x`` four columns of a layer's weights, from a place in the list on.

    Each is multiplied by its factor and by the number that ``a`` has for its unit.
    """
    i, j, k, m = chosen[start], chosen[start + 1], chosen[start + 2], chosen[start + 3]
    p, q, r, s = factor[start], factor[start + 1], factor[start + 2], factor[start + 3]
    p, q, r, s = p * a[i], q * a[j], r * a[k], s * a[m]
    one, two, three, four = columns[i], columns[j], columns[k], columns[m]
    for v in range(x.shape[0]):
        x[v] += one[v] * p + two[v] * q + three[v] * r + four[v] * s


@inlined_kernel
def add_four_twice(x, y, a, b, columns, chosen, factor, start):
    """Do that for ``x`` and ``a`` and for ``y`` and ``b``: the columns are loaded once."""
    i, j, k, m = chosen[start], chosen[start + 1], chosen[start + 2], chosen[start + 3]
    p, q, r, s = factor[start], factor[start + 1], factor[start + 2], factor[start + 3]
    t, u, w, z = p * b[i], q * b[j], r * b[k], s * b[m]
    p, q, r, s = p * a[i], q * a[j], r * a[k], s * a[m]
    one, two, three, four = columns[i], columns[j], columns[k], columns[m]
    for v in range(x.shape[0]):
        x[v] += one[v] * p + two[v] * q + three[v] * r + four[v] * s
        y[v] += one[v] * t + two[v] * u + three[v] * w + four[v] * z


@summing_kernel
def error_of_rows(slope, error, size, gamma):
    """Return a bound on the 2-norm of the rows' errors times their slopes, rounding included.

    And the sum of the rows' sizes, which is what errors of the weights multiply.
    """
    squares, carried = 0.0, 0.0
    n = slope.shape[0]
    for k in range(n):
        s = abs(slope[k])
        e = s * (error[k] + gamma * size[k])
        squares += e * e
        carried += s * (size[k] + error[k])
    return math.sqrt(squares) * (1.0 + (n + 4) * EPS) + LEAST, carried


@inlined_kernel
def no_constants(flags, first, last):
    """Return whether rows first..last-1 all have a constant of 0, by structure."""
    common = VALUE_ZERO
    part = flags[first:last]  # a view that starts at 0, for the sake of vector instructions
    for i in range(last - first):
        common &= part[i]
    return common != 0


@inlined_kernel
def set_flags(own, flags, weight, at, dense, applied, active, before, first, last):
    """Which parts of the rows are zero by structure; ``own`` tells it of the biases."""
    width = first - before
    count = last - first
    flag, start = flags[first:last], own[first:last]
    heard, slope = flags[before:first], applied[before:first]
    common, some = LINEAR_ZERO | VALUE_ZERO, 0
    for k in range(width):
        common &= heard[k]
        some |= heard[k]
    if common != some or active == 0:
        common = LINEAR_ZERO | VALUE_ZERO
        for k in range(width):
            common &= heard[k] if slope[k] != 0.0 else LINEAR_ZERO | VALUE_ZERO
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
