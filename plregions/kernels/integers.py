"""Rung 3 inside the kernel: rows that are small integers up to a power of two, decided exactly.

A row has the grain g when all its entries are multiples of 2**-g. Sums and products of such
numbers are exact in floats as long as their magnitudes stay below 2**(53 - g), which is asked
before anything is believed; so deep rows of integer or dyadic networks are exact as they are.
A branch is proved empty by integer multipliers: floats propose them, int64 checks them. Every
magnitude is bounded before the sum is made, because int64 would wrap around silently.
"""

from __future__ import annotations

import math

import numpy as np

from plregions.kernels.compile import fused_kernel, inner_kernel
from plregions.kernels.rows import LINEAR_ZERO, TINY, VALUE_ZERO, put_row

__all__ = [
    "FINEST",
    "GRAIN_SHIFT",
    "ROUNDED",
    "empty_by_integers",
    "grain_of",
    "keep_exact_rows",
    "put_whole_row",
]

ROUNDED = -1  # grain of a row that is not known to be exact
FINEST = 50  # finer grains leave 64 bits no room for multipliers
DEEPEST = 62  # the same for rows of deep layers and of constraints
# A constraint's flags carry its grain + 1 from this bit on; 0 stands for ROUNDED.
GRAIN_SHIFT = 2

# A factor of two below what would be enough, as the bounds themselves are sums of floats.
FLOAT_LIMIT = 2.0**52
INTEGER_LIMIT = 2.0**62
LARGEST_DENOMINATOR = 2.0**31


@fused_kernel
def grain_of(flags):
    """Grain of a constraint row, from its flags."""
    return (flags >> GRAIN_SHIFT) - 1


@inner_kernel
def put_whole_row(rows, error, size, flags, grain, u, sign, d, m, C, E, S, Z):
    """Store ``sign`` times row ``u`` as constraint ``m``, as `put_row` does, with its grain."""
    put_row(rows, error, size, flags, u, sign, d, m, C, E, S, Z)
    if grain[u] >= 0 and E[m] < np.inf:
        finer = grain[u] + math.frexp(size[u])[1]
        if 0 <= finer <= DEEPEST:
            Z[m] |= (finer + 1) << GRAIN_SHIFT


@fused_kernel
def keep_exact_rows(net, unit_grain, slope_grain, layer, d, slope, rows, error, size, flags, grain):
    """Find the rows of a layer that `layer_rows` has computed without any rounding.

    Sets their grains, as small as possible, and the flags of zeros, which are then true zeros.
    Cost the number of the layer's weights.
    """
    first = net.layer_first[layer]
    before = net.layer_first[layer - 1]
    last = net.layer_first[layer + 1]
    width = first - before
    at = net.weight_first[layer]
    for u in range(first, last):
        grain[u] = ROUNDED
        if unit_grain[u] < 0:
            continue
        finest = 0
        total = abs(net.bias[u])
        for k in range(width):
            v = before + k
            w = net.weight[at + (u - first) * width + k]
            # Not their product, which may underflow.
            if w == 0.0 or slope[v] == 0.0:
                continue
            if grain[v] < 0 or slope_grain[v] < 0:
                finest = DEEPEST + 1
            else:
                finest = max(finest, grain[v] + slope_grain[v])
            if unit_grain[u] + finest > DEEPEST:
                break
            total += abs(w * slope[v]) * size[v]
        g = unit_grain[u] + finest
        if g > DEEPEST or not (total * math.ldexp(1.0, int(g)) < FLOAT_LIMIT):
            continue
        common = np.int64(0)
        for k in range(d):
            common |= np.int64(rows[u, k] * math.ldexp(1.0, int(g)))
        if common == 0:
            flags[u] |= LINEAR_ZERO
        if rows[u, d] == 0.0:
            flags[u] |= VALUE_ZERO
        common |= np.int64(rows[u, d] * math.ldexp(1.0, int(g)))
        while g > 0 and common & 1 == 0:
            common >>= 1
            g -= 1
        error[u] = TINY
        grain[u] = g


@fused_kernel
def _denominator(x):
    """Least denominator of a fraction that is as near to ``x`` as rounding allows; 0 for none."""
    slack = 1e-9 * max(x, 1.0)
    before, q = 0.0, 1.0
    rest = x
    for _ in range(16):
        if abs(x * q - np.floor(x * q + 0.5)) <= slack:
            return q
        rest -= np.floor(rest)
        if not (rest > 1e-12):
            return 0.0
        rest = 1.0 / rest
        before, q = q, np.floor(rest) * q + before
        if not (q < LARGEST_DENOMINATOR):
            return 0.0
    return 0.0


@inner_kernel
def empty_by_integers(T, C, S, Z, nb, d, m, g, sign, weight):
    """Integers D > 0 and y >= 0 with D sign * row g + sum y_j row nb[j] a constant <= 0.

    So no point with rows 0..m-1 non-negative has sign * row g > 0; touching counts as empty. The
    dictionary's floats propose y, the sum is made in int64. ``weight`` (d + 1) is scratch and
    holds y afterwards, and D at the end. Cost d^2.
    """
    own = grain_of(Z[g])
    if own < 0:
        return False
    largest = 0.0
    for j in range(d):
        if nb[j] < 0 or nb[j] >= m:
            return False
        largest = max(largest, -sign * T[d + g, j])
    scale = 1.0
    for j in range(d):
        weight[j] = 0.0
        y = -sign * T[d + g, j]
        if y > 1e-10 * largest:
            fine = grain_of(Z[nb[j]])
            if fine < 0:
                return False
            weight[j] = math.ldexp(y, int(own - fine))
            scale *= _denominator(weight[j] * scale)
            if not (0.0 < scale < LARGEST_DENOMINATOR):
                return False
    weight[d] = scale
    for j in range(d):
        weight[j] = np.floor(weight[j] * scale + 0.5)
    bound = scale * S[g] * math.ldexp(1.0, int(own))
    for j in range(d):
        if weight[j] > 0.0:
            bound += weight[j] * S[nb[j]] * math.ldexp(1.0, int(grain_of(Z[nb[j]])))
    if not (bound < INTEGER_LIMIT):
        return False
    for k in range(d + 1):
        total = np.int64(scale) * np.int64(sign * C[g, k] * math.ldexp(1.0, int(own)))
        for j in range(d):
            if weight[j] > 0.0:
                i = nb[j]
                entry = np.int64(C[i, k] * math.ldexp(1.0, int(grain_of(Z[i]))))
                total += np.int64(weight[j]) * entry
        if total > 0 or (total < 0 and k < d):
            return False
    return True
