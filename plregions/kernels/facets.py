"""Which rows of a region carry a facet, and which neuron flips across it; proved in floats.

A point beyond one row and on the inner side of all others proves a facet: the segment to it from
the region's own point meets that row's zero set where every other row is positive. A row that the
others bound away from zero carries none. What is neither is left to the exact rung.
"""

from __future__ import annotations

import numpy as np

from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.layout import MAYBE_FACET, SURE_FACET
from plregions.kernels.redundancy import (
    KEPT,
    REDUNDANT,
    SHALLOW,
    SINKS,
    UNKNOWN,
    UNSURE,
    minimise_row,
    scan_rows,
)
from plregions.kernels.rows import (
    EPS,
    LINEAR_ZERO,
    TINY,
    VALUE_ZERO,
    layer_rows,
    put_row,
)
from plregions.kernels.simplex import crash

__all__ = ["region_facets"]


@inlined_kernel
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


@inlined_kernel
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


@inlined_kernel
def _settle_by_lp(net, t, d, m, n, i):
    """Decide row ``i`` by minimising it over the other rows."""
    depth = SHALLOW
    for _ in range(2):
        verdict, j, step = minimise_row(
            net, t.slope, t.flags, t.label, t.T, t.C, t.E, t.S, t.Z, t.nb, t.col, d, m, i, depth,
            t.state, t.residual, t.unneeded,
        )  # fmt: skip
        if verdict != SINKS:
            break
        for k in range(d):
            t.w[k] = t.T[k, d] + step * t.T[k, j] - t.p[k]
        rate, hit = _first_hit(t.C, t.inverse, d, m, t.w)
        if hit == i and _prove_facet(t.C, t.E, t.S, d, n, t.inverse, t.p, t.w, rate, i, t.q):
            verdict = KEPT
            break
        # Where the row is hardly negative the ray meets others at nearly the same point.
        depth = np.inf
    if depth > SHALLOW and not crash(t.T, t.C, t.nb, t.col, d, m, t.p):
        # Without a vertex of the cell the next rows are left open.
        for k in range(m):
            t.state[k] = t.state[k] if t.state[k] != UNKNOWN else UNSURE
    return verdict if verdict != SINKS else UNSURE


@inlined_kernel
def _bit(packed, region, b):
    """Bit ``b`` of a packed row."""
    return (packed[region, b >> 3] >> (7 - (b & 7))) & 1


@inlined_kernel
def _refresh_rows(net, t, packed, region, n_units, d, stale):
    """Bring the rows of all layers up to date with a region's pattern.

    Layers up to the first whose bits changed since the last region keep their rows; from layer
    ``stale`` on all are made again.
    """
    n_layers = net.layer_first.shape[0] - 1
    for unit in range(n_units):
        b = net.bit[unit]
        on = b < 0 or _bit(packed, region, b)
        slope = net.positive[unit] if on else net.negative[unit]
        if slope != t.slope[unit]:
            t.slope[unit] = slope
            stale = min(stale, net.layer_of[unit] + 1)
    for layer in range(stale, n_layers):
        first = net.layer_first[layer]
        if first >= n_units:
            break
        if layer > 0:
            layer_rows(net, layer, d, t.slope, t.rows, t.error, t.size, t.flags)
        for unit in range(first, net.layer_first[layer + 1]):
            put_row(
                t.rows, t.error, t.size, t.flags, unit, 1.0, d, unit,
                t.unit_C, t.unit_E, t.unit_S, t.unit_Z,
            )  # fmt: skip


@inlined_kernel
def _copy_row(from_C, from_E, from_S, from_Z, i, sign, d, C, E, S, Z, m):
    """Write ``sign`` times row ``i`` of some columns as row ``m`` of others."""
    for k in range(d + 1):
        C[m, k] = sign * from_C[i, k]
    E[m] = from_E[i]
    S[m] = from_S[i]
    Z[m] = from_Z[i]


@inlined_kernel
def _collect_rows(net, walls, t, packed, kept, region, n_units, d):
    """Write the region's constraint rows; returns (m, n, dead).

    Rows 0..m-1 may carry facets; rows m..n-1 are those of the other neurons, which carry none
    but may flip beyond one; not of those that are multiples of another's, for they flip with it.
    ``dead`` is the last layer with a neuron that is identically 0 here
    but may come alive beyond a wall of an earlier layer.
    """
    C, E, S, Z = t.C, t.E, t.S, t.Z
    unit_C, unit_E, unit_S, unit_Z = t.unit_C, t.unit_E, t.unit_S, t.unit_Z
    wall_C, wall_E, wall_S, wall_Z = walls
    n_bits = 0
    m = 0
    for unit in range(n_units):
        b = net.bit[unit]
        if b >= 0:
            n_bits = b + 1
            if _bit(kept, region, b):
                sign = 1.0 if _bit(packed, region, b) else -1.0
                _copy_row(unit_C, unit_E, unit_S, unit_Z, unit, sign, d, C, E, S, Z, m)
                t.label[m] = unit
                m += 1
    for i in range(wall_C.shape[0]):
        if _bit(kept, region, n_bits + i):
            _copy_row(wall_C, wall_E, wall_S, wall_Z, i, 1.0, d, C, E, S, Z, m)
            t.label[m] = -1 - i
            m += 1
    n = m
    dead = -1
    for unit in range(n_units):
        b = net.bit[unit]
        if b >= 0 and not _bit(kept, region, b):
            if t.flags[unit] == LINEAR_ZERO | VALUE_ZERO:
                dead = max(dead, _listens(net, unit))
            elif t.first[unit] < 0 or not _bit(kept, region, net.bit[t.first[unit]]):
                sign = 1.0 if _bit(packed, region, b) else -1.0
                _copy_row(unit_C, unit_E, unit_S, unit_Z, unit, sign, d, C, E, S, Z, n)
                n += 1
    return m, n, dead


@inlined_kernel
def _settle_rows(net, t, d, m, n):
    """Decide rows 0..m-1: shots at each of them first, linear programs for the rest."""
    for i in range(n):
        value = t.C[i, d]
        for k in range(d):
            value += t.C[i, k] * t.p[k]
        t.inverse[i] = 1.0 / value
    for i in range(m):
        if t.state[i] == UNKNOWN:
            for k in range(d):
                t.w[k] = -t.C[i, k]
            rate, hit = _first_hit(t.C, t.inverse, d, m, t.w)
            if hit >= 0 and t.state[hit] == UNKNOWN:
                if _prove_facet(t.C, t.E, t.S, d, n, t.inverse, t.p, t.w, rate, hit, t.q):
                    t.state[hit] = KEPT
    if not crash(t.T, t.C, t.nb, t.col, d, m, t.p):
        return
    scan_rows(t.T, t.C, t.E, t.S, t.nb, t.col, d, m, t.state, t.residual)
    for i in range(m):
        if t.state[i] == UNKNOWN:
            t.state[i] = _settle_by_lp(net, t, d, m, n, i)


@kernel
def region_facets(
    net, walls, t, n_units, packed, kept, points, usable, offsets, out_label, out_kind
):
    """Write the facets of regions; returns how many were written.

    ``offsets[r + 1]`` is the end of region r's facets. ``out_label`` is the bit of the neuron or
    -1 - i for wall i; ``out_kind`` is SURE_FACET (a wall, or the neuron and its multiples flip
    and no others) or MAYBE_FACET
    (to be decided exactly). ``kept`` marks the rows that may carry facets: one bit for each
    neuron, then one for each wall. A region whose point is not ``usable`` has all of them as
    MAYBE_FACET. Cost a region: the affine rows, and about one pivot for each row.
    """
    d = points.shape[1]
    written = 0
    stale = 0
    for region in range(packed.shape[0]):
        for k in range(d):
            t.p[k] = points[region, k]
        _refresh_rows(net, t, packed, region, n_units, d, stale)
        stale = net.layer_first.shape[0]
        m, n, dead = _collect_rows(net, walls, t, packed, kept, region, n_units, d)
        for i in range(m):
            t.state[i] = UNKNOWN
        if usable[region]:
            _settle_rows(net, t, d, m, n)
        for i in range(m):
            if t.state[i] == REDUNDANT:
                continue
            kind = SURE_FACET if t.state[i] == KEPT else MAYBE_FACET
            label = t.label[i]
            if label >= 0:
                if net.layer_of[label] < dead:
                    kind = MAYBE_FACET
                label = net.bit[label]
            out_label[written] = label
            out_kind[written] = kind
            written += 1
        offsets[region + 1] = written
    return written


@inlined_kernel
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
