"""Which rows of a region carry a facet, and which neuron flips across it; proved in floats.

A point beyond one row and on the inner side of all others proves a facet: the segment to it from
the region's own point meets that row's zero set where every other row is positive. A row that the
others bound away from zero carries none. What is neither is left to the exact rung.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from plregions.kernels.layout import MAYBE_FACET, SURE_FACET
from plregions.kernels.proofs import empty_by_multipliers, empty_by_residual
from plregions.kernels.rows import (
    EPS,
    LINEAR_ZERO,
    TINY,
    VALUE_ZERO,
    layer_rows,
    put_row,
)
from plregions.kernels.simplex import crash, pivot, ratio_test, set_row, steepest

__all__ = ["region_facets"]

UNKNOWN = 0
YES = 1
NO = 2
UNSURE = 3


@njit(cache=True, error_model="numpy")
def _first_hit(C, inverse, d, m, w):
    """Rate 1 / step at which the ray from the region's point along ``w`` first meets a row.

    ``inverse`` holds 1 / value at the point for rows 0..m-1. Returns the rate and the row, or -1.
    """
    rate = 0.0
    hit = -1
    for i in range(m):
        slope = 0.0
        for k in range(d):
            slope += C[i, k] * w[k]
        r = -slope * inverse[i]
        if r > rate:
            rate = r
            hit = i
    return rate, hit


@njit(cache=True, error_model="numpy")
def _prove_facet(C, E, S, d, n, inverse, p, w, rate, i, q):
    """Is there a proved point on the ray beyond row ``i`` and before all others of 0..n-1?"""
    second = 0.0
    for k in range(n):
        slope = 0.0
        for a in range(d):
            slope += C[k, a] * w[a]
        r = -slope * inverse[k]
        if r > second and k != i:
            second = r
    step = 1.0 / rate
    reach = 2.0 * step if second <= 0.5 * rate else 1.0 / second
    if not (reach > step):
        return False
    t = 0.5 * (step + reach)
    for a in range(d):
        q[a] = p[a] + t * w[a]
        if not (abs(q[a]) <= 4.0):
            return False
    # Points just outside the unit box are allowed here, hence the factor 4 in every bound.
    for k in range(n):
        value = C[k, d]
        for a in range(d):
            value += C[k, a] * q[a]
        bound = 4.0 * (E[k] + (d + 3) * EPS * S[k]) + TINY
        if k == i:
            value = -value
        if not (value > bound):
            return False
    return True


@njit(cache=True, error_model="numpy")
def _scan(T, C, E, S, Z, nb, col, d, m, state, residual):
    """Mark the rows that the current vertex proves to be positive on the whole region."""
    for i in range(m):
        least = T[d + i, d]
        for j in range(d):
            least = min(least, T[d + i, j])
        # A non-basic row has the constant 0.
        if least >= 0.0 and state[i] == UNKNOWN and col[i] < 0:
            if empty_by_residual(T, C, E, S, nb, d, i, -1.0, residual):
                state[i] = NO


@njit(cache=True, error_model="numpy")
def _settle_by_lp(T, C, E, S, Z, nb, col, d, m, n, i, inverse, p, w, q, state, residual):
    """Minimise row ``i`` over the other rows from the current vertex of the region."""
    if col[i] >= 0:
        j = col[i]
        step, stop = ratio_test(T, d, m, j, i)
        if stop < 0:
            return UNSURE
        pivot(T, nb, col, d, m, stop, j)
        _scan(T, C, E, S, Z, nb, col, d, m, state, residual)
    for _ in range(4 * (d + m) + 20):
        if state[i] != UNKNOWN:
            return state[i]
        j = steepest(T, d, d + i, -1.0)
        if j < 0:
            if empty_by_residual(T, C, E, S, nb, d, i, -1.0, residual):
                return NO
            # Two independent rows at least: row i vanishes only where both do, on no facet.
            if d > 1 and empty_by_multipliers(T, C, E, S, Z, nb, d, i, -1.0, residual):
                return NO
            return UNSURE
        step, stop = ratio_test(T, d, m, j, i)
        fall = -T[d + i, j]
        reach = step
        if stop < 0:
            reach = 2.0 * T[d + i, d] / fall + 1.0
        if reach * fall - T[d + i, d] > 1e-15:
            # Row i is negative at the far end of this edge: look there from the region's point.
            for k in range(d):
                w[k] = T[k, d] + reach * T[k, j] - p[k]
            first, hit = _first_hit(C, inverse, d, m, w)
            if hit == i and _prove_facet(C, E, S, d, n, inverse, p, w, first, i, q):
                return YES
            return UNSURE
        if stop < 0:
            return UNSURE
        pivot(T, nb, col, d, m, stop, j)
        _scan(T, C, E, S, Z, nb, col, d, m, state, residual)
    return UNSURE


@njit(cache=True, error_model="numpy")
def region_facets(
    net,
    walls,
    first_rows,
    n_units,
    packed,
    cuts,
    points,
    usable,
    start,
    stop,
    offsets,
    out_label,
    out_kind,
    scratch,
):
    """Write the facets of regions start..stop-1; returns how many were written.

    ``offsets[r + 1 - start]`` is the end of region r's facets. ``out_label`` is the bit of the
    neuron or -1 - i for wall i; ``out_kind`` is SURE_FACET (one neuron flips) or MAYBE_FACET (to
    be decided exactly). A region whose point is not ``usable`` has all its rows as MAYBE_FACET.
    Cost per region: the affine rows, and about two pivots for each row.
    """
    (
        rows,
        error,
        size,
        flags,
        slope,
        C,
        E,
        S,
        Z,
        T,
        nb,
        col,
        inverse,
        state,
        p,
        w,
        q,
        residual,
        unit_of,
    ) = scratch
    wall_C, wall_E, wall_S, wall_Z = walls
    row0, error0, size0, flags0 = first_rows
    d = points.shape[1]
    n_walls = wall_C.shape[0]
    n0 = row0.shape[0]
    rows[:n0] = row0
    error[:n0] = error0
    size[:n0] = size0
    flags[:n0] = flags0
    C[:n_walls] = wall_C
    E[:n_walls] = wall_E
    S[:n_walls] = wall_S
    Z[:n_walls] = wall_Z
    n_layers = net.layer_first.shape[0] - 1
    written = 0
    for region in range(start, stop):
        for k in range(d):
            p[k] = points[region, k]
        # Cut neurons first: they and the walls bound the region; the others follow.
        for unit in range(n_units):
            b = net.bit[unit]
            on = b < 0 or (packed[region, b >> 3] >> (7 - (b & 7))) & 1
            slope[unit] = net.positive[unit] if on else net.negative[unit]
        for layer in range(1, n_layers):
            first = net.layer_first[layer]
            if first >= n_units:
                break
            before = net.layer_first[layer - 1]
            width = first - before
            count = net.layer_first[layer + 1] - first
            offset = net.weight_first[layer]
            weight = net.weight[offset : offset + count * width].reshape(count, width)
            layer_rows(
                weight,
                net.bias[first:],
                net.weight_error[first:],
                net.bias_error[first:],
                first,
                count,
                before,
                width,
                d,
                slope,
                rows,
                error,
                size,
                flags,
            )
        m = n_walls
        for unit in range(n_units):
            b = net.bit[unit]
            if b < 0 or not (cuts[region, b >> 3] >> (7 - (b & 7))) & 1:
                continue
            on = (packed[region, b >> 3] >> (7 - (b & 7))) & 1
            sign = 1.0 if on else -1.0
            put_row(rows, error, size, flags, unit, sign, d, m, C, E, S, Z)
            unit_of[m] = unit
            m += 1
        # The neurons that cut nothing stand behind: they carry no facet but may flip beyond one.
        n = m
        dead_layer = -1
        for unit in range(n_units):
            b = net.bit[unit]
            if b < 0 or (cuts[region, b >> 3] >> (7 - (b & 7))) & 1:
                continue
            if flags[unit] == LINEAR_ZERO | VALUE_ZERO:
                # Identically zero here; alive beyond a wall only if it hears an earlier layer.
                dead_layer = max(dead_layer, _listens(net, unit))
                continue
            on = (packed[region, b >> 3] >> (7 - (b & 7))) & 1
            sign = 1.0 if on else -1.0
            put_row(rows, error, size, flags, unit, sign, d, n, C, E, S, Z)
            n += 1
        for i in range(n):
            state[i] = UNKNOWN
        ready = usable[region] != 0
        if ready:
            for i in range(n):
                value = C[i, d]
                for k in range(d):
                    value += C[i, k] * p[k]
                inverse[i] = 1.0 / value
            for i in range(m):
                if state[i] != UNKNOWN:
                    continue
                for k in range(d):
                    w[k] = -C[i, k]
                step, hit = _first_hit(C, inverse, d, m, w)
                if hit >= 0 and state[hit] == UNKNOWN:
                    if _prove_facet(C, E, S, d, n, inverse, p, w, step, hit, q):
                        state[hit] = YES
            ready = crash(T, C, nb, col, d, m, p)
            if ready:
                _scan(T, C, E, S, Z, nb, col, d, m, state, residual)
        for i in range(m):
            if state[i] == UNKNOWN:
                verdict = UNSURE
                if ready:
                    verdict = _settle_by_lp(
                        T, C, E, S, Z, nb, col, d, m, n, i, inverse, p, w, q, state, residual
                    )
                state[i] = verdict
            if state[i] == NO:
                continue
            kind = SURE_FACET if state[i] == YES else MAYBE_FACET
            if i < n_walls:
                out_label[written] = -1 - i
            else:
                unit = unit_of[i]
                out_label[written] = net.bit[unit]
                if net.layer_of[unit] < dead_layer:
                    kind = MAYBE_FACET
            out_kind[written] = kind
            written += 1
        offsets[region + 1 - start] = written
    return written


@njit(cache=True, error_model="numpy")
def _listens(net, unit):
    """Layer of the unit if any of its weights is not zero, else 0."""
    layer = net.layer_of[unit]
    if layer == 0:
        return 0
    width = net.layer_first[layer] - net.layer_first[layer - 1]
    offset = net.weight_first[layer] + (unit - net.layer_first[layer]) * width
    for k in range(width):
        if net.weight[offset + k] != 0.0:
            return layer
    return 0
