"""Units and walls scaled by powers of two, where every number is 0 or of usual size."""

from __future__ import annotations

import math

from plregions.kernels.compile import inlined_kernel, kernel, summing_kernel
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, USUAL_EXPONENT, VALUE_ZERO, put_row
from plregions.kernels.two_sums import is_usual, two_product, two_sum

__all__ = [
    "IDENTITY",
    "OTHER",
    "RELU",
    "box_walls",
    "localise_rows",
    "measure_rows",
    "put_rows",
    "scale_layers",
    "write_columns",
]

# The slopes of a layer.
RELU, IDENTITY, OTHER = 0, 1, 2


@kernel
def write_columns(first, kind, has_bit, bit, layer_of, negative, positive, top):
    """Number the bits and write the layer of each unit, and its slopes where they have a name.

    ``has_bit`` and the slopes are there for layers of OTHER slopes. Returns the number of units up
    to the last one with a bit.
    """
    n_bits, n_walk = 0, 0
    for layer in range(kind.shape[0]):
        for u in range(first[layer], first[layer + 1]):
            layer_of[u] = layer
            if kind[layer] != OTHER:
                negative[u] = 0.0 if kind[layer] == RELU else 1.0
                positive[u] = 1.0
                top[u] = 0
            bit[u] = -1
            if kind[layer] == RELU or has_bit[u]:
                bit[u] = n_bits
                n_bits += 1
                n_walk = u + 1
    return n_walk


@summing_kernel
def _one_norm(row, constant):
    total = abs(constant)
    for k in range(row.shape[0]):
        total += abs(row[k])
    return total


@inlined_kernel
def _scale_row(row, constant, factors):
    """Multiply a row by its columns' factors, then it and its constant to a 1-norm of about 1.

    Returns the constant, the power of two by which the row was divided, and False, with the row
    half done, where a number is neither 0 nor of usual size; else every step is exact.
    """
    n = row.shape[0]
    unusual = 0 if is_usual(constant) else 1
    for k in range(n):
        unusual += 0 if is_usual(row[k]) else 1
        row[k] *= factors[k]
    if unusual:
        return constant, 0, False
    power = math.frexp(_one_norm(row, constant))[1]
    scale = math.ldexp(1.0, -power)
    for k in range(n):
        row[k] *= scale
    return constant * scale, power, True


@kernel
def scale_layers(start, first, weight_first, weight, bias, top, usual, exponent, factors, rows):
    """Scale layers from ``start`` on; returns the first one that cannot be done here.

    ``exponent`` has the powers of two by which the inputs and the units of earlier layers were
    divided, with those taken out of slopes (``top``); it is continued. ``usual`` tells the layers
    that are floats. ``factors`` is scratch. Layer 0, if done here, is written to ``rows`` as well.
    """
    n_layers = usual.shape[0]
    n_inputs = exponent.shape[0] - first[n_layers]
    for layer in range(start, n_layers):
        if not usual[layer]:
            return layer
        at = weight_first[layer]
        count = first[layer + 1] - first[layer]
        width = (weight_first[layer + 1] - at) // count
        before = n_inputs + first[layer] - width
        for k in range(before, before + width):
            if not -USUAL_EXPONENT <= exponent[k] <= USUAL_EXPONENT:
                return layer
            factors[k] = math.ldexp(1.0, int(exponent[k]))
        for i in range(count):
            u = first[layer] + i
            bias[u], power, is_usual = _scale_row(
                weight[at + i * width : at + (i + 1) * width],
                bias[u],
                factors[before : before + width],
            )
            if not is_usual:
                return layer
            exponent[n_inputs + u] = power + top[u]
            if layer == 0:
                for k in range(width):
                    rows[i, k] = weight[at + i * width + k]
                rows[i, width] = bias[u]
    return n_layers


@kernel
def measure_rows(rows, weight_error, bias_error, error, size, flags):
    """Write bounds on the rows' errors and 1-norms and which of their parts are zero."""
    d = rows.shape[1] - 1
    for i in range(rows.shape[0]):
        error[i] = (weight_error[i] * d + bias_error[i]) * (1.0 + 8.0 * EPS) + TINY
        linear = 0.0
        for k in range(d):
            linear += abs(rows[i, k])
        size[i] = (linear + abs(rows[i, d])) * (1.0 + 2.0 * (d + 2) * EPS) + TINY
        flags[i] = (LINEAR_ZERO if linear == 0.0 else 0) | (VALUE_ZERO if rows[i, d] == 0.0 else 0)


@kernel
def localise_rows(rows, middle, exponent, lost, local, error, size, flags):
    """Write rows in local coordinates, x = middle + 2**exponent * u, and measure them.

    What rounding takes from the constants is summed as well, so that their errors are about those
    of one rounding. Returns False, with nothing of use written, where a number is not of usual size
    or a constant is not sure to differ from 0, and might be 0. ``lost`` is scratch.
    """
    n, d = rows.shape[0], rows.shape[1] - 1
    for k in range(d):
        if not is_usual(middle[k]) or abs(exponent[k]) > USUAL_EXPONENT // 2:
            return False
    for i in range(n):
        if not is_usual(rows[i, d]):
            return False
        total, rest, losses = rows[i, d], 0.0, 0.0
        for k in range(d):
            if not is_usual(rows[i, k]):
                return False
            local[i, k] = math.ldexp(rows[i, k], int(exponent[k]))
            product, p = two_product(rows[i, k], middle[k])
            total, s = two_sum(total, product)
            rest += p + s
            losses += abs(p) + abs(s)
        local[i, d], left = two_sum(total, rest)
        lost[i] = (abs(left) + 4.0 * (d + 1) * EPS * losses) * (1.0 + 8.0 * EPS)
        if 0.0 < lost[i] and abs(local[i, d]) <= lost[i]:
            return False
        error[i] = 0.0
    measure_rows(local, error, lost, error, size, flags)  # each error is read before it is written
    return True


@kernel
def put_rows(rows, error, size, flags, d, m, C, E, S, Z):
    """Store the first ``m`` rows as constraints, each scaled as by `put_row`."""
    for i in range(m):
        put_row(rows, error, size, flags, i, 1.0, d, i, C, E, S, Z)


@kernel
def box_walls(lower, upper, middle, exponent, rows, scratch, flags, C, E, S, Z):
    """Store the sides of a box in local coordinates: x = middle + 2**exponent * u.

    Returns False, with nothing of use stored, where a number is not of usual size. ``rows`` to
    ``flags`` are scratch.
    """
    d = lower.shape[0]
    factors, lost, size = scratch[0], scratch[1], scratch[2]
    for k in range(d):
        factors[k] = 1.0
    for i in range(2 * d):
        k = i >> 1
        if not -USUAL_EXPONENT < exponent[k] < USUAL_EXPONENT:
            return False
        for j in range(d):
            rows[i, j] = 0.0
        rows[i, k] = math.ldexp(-1.0 if i & 1 else 1.0, int(exponent[k]))
        one, other = (upper[k], middle[k]) if i & 1 else (middle[k], lower[k])
        constant, rest = two_sum(one, -other)
        rows[i, d], power, is_usual_row = _scale_row(rows[i, :d], constant, factors)
        if not is_usual_row:
            return False
        lost[i] = abs(rest) * math.ldexp(1.0, -power)
    for i in range(2 * d):
        E[i] = 0.0
    measure_rows(rows, E, lost, E, size, flags)  # each error is read before it is written
    put_rows(rows, E, size, flags, d, 2 * d, C, E, S, Z)
    return True
