"""Affine rows of a layer with proved error bounds, and proved signs at points.

A row carries ``error`` (bound on the 1-norm of its distance to the true row) and ``size``
(bound on the 1-norm of the row itself). On the box ``|u_k| <= 1`` the true value then differs
from the row's by at most ``error``, and the row's value is at most ``size``.
"""

from __future__ import annotations

import math

import numpy as np

from plregions.kernels.compile import kernel

__all__ = [
    "EPS",
    "LINEAR_ZERO",
    "NO_ERROR",
    "TINY",
    "USUAL",
    "USUAL_EXPONENT",
    "VALUE_ZERO",
    "layer_rows",
    "proved_sign",
    "put_row",
]

# Twice the unit roundoff, so that every bound below is generous by a factor of two.
EPS = 2.0**-52
# More than all underflows of one bound together.
TINY = 2.0**-1000
# Errors of at most this size are there against underflow only: a number that was rounded by so
# little has far too many digits to count as whole.
NO_ERROR = 2.0**-990
# Below this size a row is not trusted at all: its error becomes infinite.
SMALLEST = 2.0**-900

# Numbers between 1 / USUAL and USUAL are of usual size: products of two of them, and sums of such
# products, are far from where float64 ends.
USUAL_EXPONENT = 200
USUAL = 2.0**USUAL_EXPONENT

# Structural facts of a row, true of the exact row and not only of its float image.
LINEAR_ZERO = 1  # the linear part is zero
VALUE_ZERO = 2  # the constant is zero


@kernel
def layer_rows(net, layer, d, slope, rows, error, size, flags):
    """Write the rows of one layer's pre-activations, given the slopes of the layer before.

    ``layer`` is not 0; ``rows``, ``error``, ``size``, ``flags`` and ``slope`` are indexed by unit
    over the whole network. Cost d times the number of the layer's weights.
    """
    first = net.layer_first[layer]
    before = net.layer_first[layer - 1]
    count = net.layer_first[layer + 1] - first
    width = first - before
    at = net.weight_first[layer]
    gamma = (width + 6) * EPS
    carried = 0.0
    for k in range(width):
        carried += abs(slope[before + k]) * (size[before + k] + error[before + k])
    for i in range(count):
        u = first + i
        for j in range(d):
            rows[u, j] = 0.0
        rows[u, d] = net.bias[u]
        bound = (
            net.bias_error[u]
            + gamma * abs(net.bias[u])
            + net.weight_error[u] * carried * (1.0 + gamma)
        )
        flag = LINEAR_ZERO | VALUE_ZERO
        if net.bias[u] != 0.0 or net.bias_error[u] != 0.0:
            flag = LINEAR_ZERO
        for k in range(width):
            w = net.weight[at + i * width + k]
            s = slope[before + k]
            if w == 0.0 or s == 0.0:
                continue
            v = before + k
            c = w * s
            flag &= flags[v]
            for j in range(d + 1):
                rows[u, j] += c * rows[v, j]
            bound += abs(c) * (error[v] + gamma * size[v])
        total = 0.0
        for j in range(d + 1):
            total += abs(rows[u, j])
        error[u] = bound * (1.0 + 2.0 * gamma) + TINY
        size[u] = total * (1.0 + 2.0 * (d + 2) * EPS)
        flags[u] = flag


@kernel
def put_row(rows, error, size, flags, u, sign, d, m, C, E, S, Z):
    """Store ``sign`` times row ``u`` as constraint ``m``, scaled by 2**k to a size in [1/2, 1)."""
    row_size = size[u]
    if SMALLEST < row_size < 2.0**900:
        exponent = math.frexp(row_size)[1]
        scale = math.ldexp(1.0, -exponent)
        E[m] = error[u] * scale + TINY
        S[m] = row_size * scale
    else:
        scale = 1.0
        E[m] = np.inf
        S[m] = row_size
    for j in range(d + 1):
        C[m, j] = sign * rows[u, j] * scale
    Z[m] = flags[u]


@kernel
def proved_sign(rows, error, size, u, point, d):
    """Sign of the true row ``u`` at a point of the unit box: 1, -1, or 0 when not proved."""
    value = rows[u, d]
    for j in range(d):
        value += rows[u, j] * point[j]
    bound = error[u] + (d + 3) * EPS * size[u] + TINY
    if value > bound:
        return 1
    if value < -bound:
        return -1
    return 0
