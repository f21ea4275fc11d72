"""The depth-first walk over activation patterns, neuron by neuron, resumable at every step."""

from __future__ import annotations

import numpy as np
from numba import njit

from plregions.kernels.layout import (
    ANSWER,
    BOTH,
    CHUNK_FULL,
    DONE,
    FRAMES,
    GROW,
    HAS_VERTEX,
    LEAVES,
    N_EXACT,
    N_LEAVES,
    N_MULTIPLIERS,
    N_PIVOTS,
    N_POINTS,
    N_REFACTORS,
    N_RESIDUAL,
    N_TESTS,
    NEED_EXACT,
    NO_ANSWER,
    PAUSE,
    PIVOTS,
    POINT_ID,
    ROWS,
    SCREENED,
    SKIP,
    UNIT,
)
from plregions.kernels.proofs import (
    empty_by_multipliers,
    empty_by_residual,
    margin,
    point_is_inside,
    recentre,
)
from plregions.kernels.rows import (
    EPS,
    LINEAR_ZERO,
    TINY,
    VALUE_ZERO,
    layer_rows,
    proved_sign,
    put_row,
)
from plregions.kernels.simplex import (
    crash,
    flip_column,
    pivot,
    ratio_test,
    refactor,
    set_row,
    steepest,
)

__all__ = ["probe", "walk"]

EMPTY = 0
SPLIT = 1
SPLIT_WITHOUT_VERTEX = 2
UNSURE = 3

UNKNOWN = 2

# Only guides the search: a vertex is tried as a source of a point when its value passes this.
WORTH_TRYING = 1e-15
COMFORTABLE = 1e-3


@njit(cache=True, error_model="numpy")
def _try_point(C, E, S, d, g, p, v, q, values):
    """Set ``q`` to a point between ``v`` (row g positive) and ``p`` and prove rows 0..g there."""
    at_v = C[g, d]
    at_p = C[g, d]
    for k in range(d):
        at_v += C[g, k] * v[k]
        at_p += C[g, k] * p[k]
    if not (at_v > 0.0 and at_p < at_v):
        return False
    t = 0.5 if at_p >= 0.0 else 0.5 * at_v / (at_v - at_p)
    for k in range(d):
        q[k] = v[k] + t * (p[k] - v[k])
    # Points inherit their margins from older ones: centre those that have become thin.
    if margin(C, E, S, d, g + 1, q) > COMFORTABLE:
        return True
    recentre(C, d, g + 1, q, values)
    return point_is_inside(C, E, S, d, g + 1, q)


@njit(cache=True, error_model="numpy")
def _descend(T, nb, col, d, m, ctl):
    """From a vertex with row m positive walk down until that row becomes tight."""
    for _ in range(4 * (d + m) + 10):
        j = steepest(T, d, d + m, -1.0)
        if j < 0:
            return False
        step, stop = ratio_test(T, d, m, j, -1)
        ctl[PIVOTS] += 1
        if T[d + m, d] + step * T[d + m, j] <= 0.0:
            pivot(T, nb, col, d, m + 1, m, j)
            return True
        if stop < 0:
            return False
        pivot(T, nb, col, d, m + 1, stop, j)
    return False


@njit(cache=True, error_model="numpy")
def probe(T, C, E, S, Z, nb, col, d, m, p, q, v, values, residual, work, ctl):
    """Does the cell of rows 0..m-1, with ``p`` inside, have a point where row m is positive?

    Maximises row m from the current vertex and stops as soon as a point is proved (SPLIT: ``q``
    is that point and row m is tight in the dictionary, which is a vertex of both children).
    EMPTY is proved by rung 1 or 2. Anything else is UNSURE.
    """
    ctl[N_TESTS] += 1
    fresh = False
    budget = 4 * (d + m) + 20
    while budget > 0:
        budget -= 1
        here = T[d + m, d]
        if here > WORTH_TRYING:
            for k in range(d):
                v[k] = T[k, d]
            if _try_point(C, E, S, d, m, p, v, q, values):
                ctl[N_POINTS] += 1
                if _descend(T, nb, col, d, m, ctl):
                    return SPLIT
                return SPLIT_WITHOUT_VERTEX
        j = steepest(T, d, d + m, 1.0)
        stop = -1
        if j >= 0:
            step, stop = ratio_test(T, d, m, j, -1)
        if stop < 0:
            if j < 0:
                if empty_by_residual(T, C, E, S, nb, d, m, 1.0, residual):
                    ctl[N_RESIDUAL] += 1
                    return EMPTY
                if empty_by_multipliers(T, C, E, S, Z, nb, d, m, 1.0, residual):
                    ctl[N_MULTIPLIERS] += 1
                    return EMPTY
            if fresh:
                return UNSURE
            fresh = True
            ctl[N_REFACTORS] += 1
            if not refactor(T, C, nb, col, d, m + 1, work) and not crash(T, C, nb, col, d, m, p):
                return UNSURE
            set_row(T, C, nb, col, d, m)
            continue
        if here <= 0.0 and here + step * T[d + m, j] > WORTH_TRYING:
            for k in range(d):
                v[k] = T[k, d] + step * T[k, j]
            if _try_point(C, E, S, d, m, p, v, q, values):
                ctl[N_POINTS] += 1
                ctl[PIVOTS] += 1
                pivot(T, nb, col, d, m + 1, m, j)
                return SPLIT
        ctl[PIVOTS] += 1
        pivot(T, nb, col, d, m + 1, stop, j)
    return UNSURE


@njit(cache=True, error_model="numpy")
def _stays_on_one_side(T, C, E, S, Z, nb, col, d, m, residual, ctl):
    """Is it proved that row m is nowhere positive in the cell? Gives up at the first doubt."""
    ctl[N_TESTS] += 1
    for _ in range(2 * (d + m) + 10):
        here = T[d + m, d]
        if here > WORTH_TRYING:
            return False
        j = steepest(T, d, d + m, 1.0)
        if j < 0:
            if empty_by_residual(T, C, E, S, nb, d, m, 1.0, residual):
                ctl[N_RESIDUAL] += 1
                return True
            if empty_by_multipliers(T, C, E, S, Z, nb, d, m, 1.0, residual):
                ctl[N_MULTIPLIERS] += 1
                return True
            return False
        step, stop = ratio_test(T, d, m, j, -1)
        if stop < 0 or here + step * T[d + m, j] > WORTH_TRYING:
            return False
        ctl[PIVOTS] += 1
        pivot(T, nb, col, d, m + 1, stop, j)
    return False


@njit(cache=True, error_model="numpy")
def _screen(net, t, first, last, d):
    """Fix for the whole subtree those units first..last-1 that do not cut the cell.

    A unit that misses a cell misses all its parts: testing it once here replaces a test in every
    node below.
    """
    m = t.ctl[ROWS]
    tests = 0
    hits = 0
    for unit in range(first, last):
        b = net.bit[unit]
        if b < 0 or t.known[b] != UNKNOWN or t.flags[unit] & LINEAR_ZERO:
            continue
        sign = proved_sign(t.rows, t.error, t.size, unit, t.point, d)
        if sign == 0:
            continue
        put_row(
            t.rows,
            t.error,
            t.size,
            t.flags,
            unit,
            -1.0 * sign,
            d,
            m,
            t.C,
            t.E,
            t.S,
            t.Z,
        )
        set_row(t.T, t.C, t.nb, t.col, d, m)
        tests += 1
        if _stays_on_one_side(t.T, t.C, t.E, t.S, t.Z, t.nb, t.col, d, m, t.residual, t.ctl):
            t.known[b] = 1 if sign > 0 else 0
            hits += 1
    # Where nearly everything cuts, tests on the next cells below would be wasted.
    t.ctl[SKIP] = 0 if 4 * hits >= tests else 3


@njit(cache=True, error_model="numpy")
def _emit(t, d, n_bits):
    """Append the current cell to the leaf buffer."""
    k = t.ctl[LEAVES]
    for b in range(t.leaf_bits.shape[1]):
        t.leaf_bits[k, b] = 0
        t.leaf_cut[k, b] = 0
    for i in range(n_bits):
        mask = 128 >> (i & 7)
        if t.bits[i]:
            t.leaf_bits[k, i >> 3] |= mask
        if t.cut[i]:
            t.leaf_cut[k, i >> 3] |= mask
    for k2 in range(d):
        t.leaf_point[k, k2] = t.point[k2]
    t.leaf_id[k] = t.ctl[POINT_ID]
    t.ctl[LEAVES] += 1
    t.ctl[N_LEAVES] += 1


@njit(cache=True, error_model="numpy")
def _decide(net, t, unit, bit):
    """Fix the bit of a unit that does not cut the cell."""
    t.bits[net.bit[unit]] = bit
    t.cut[net.bit[unit]] = 0
    t.slope[unit] = net.positive[unit] if bit else net.negative[unit]
    t.ctl[UNIT] = unit + 1


@njit(cache=True, error_model="numpy")
def _restore(net, t, d):
    """Go to the pending sibling (bit 1) of the newest frame."""
    ctl = t.ctl
    f = ctl[FRAMES] - 1
    ctl[FRAMES] = f
    unit = t.frame_int[f, 0]
    m = t.frame_int[f, 1]
    ctl[POINT_ID] = t.frame_int[f, 2]
    ctl[SKIP] = t.frame_int[f, 4]
    for k in range(d):
        t.point[k] = t.frame_point[f, k]
    for k in range(d + 1):
        t.C[m, k] = -t.C[m, k]
    _decide(net, t, unit, 1)
    t.cut[net.bit[unit]] = 1
    ctl[ROWS] = m + 1
    ctl[SCREENED] = 0
    for b in range(t.known.shape[0]):
        t.known[b] = t.frame_known[f, b]
    if t.frame_int[f, 3]:
        for i in range(m + 1):
            t.col[i] = -1
        for j in range(d):
            t.nb[j] = t.frame_nb[f, j]
            t.col[t.nb[j]] = j
        for r in range(d + m + 1):
            for k in range(d + 1):
                t.T[r, k] = t.frame_T[f, r, k]
        ctl[HAS_VERTEX] = 1
    else:
        ctl[HAS_VERTEX] = crash(t.T, t.C, t.nb, t.col, d, m + 1, t.point)


@njit(cache=True, error_model="numpy")
def _split(net, t, unit, d, zero_point, zero_id, one_point, one_id, vertex_sign):
    """Go to the child with bit 0 and keep its sibling in a frame.

    Row m holds the unit's row with sign ``vertex_sign`` and is tight in the dictionary; with
    ``vertex_sign`` 0 there is no usable vertex and row m holds the negated row.
    """
    ctl = t.ctl
    m = ctl[ROWS]
    f = ctl[FRAMES]
    t.label[m] = unit
    t.frame_int[f, 0] = unit
    t.frame_int[f, 1] = m
    t.frame_int[f, 2] = one_id
    t.frame_int[f, 3] = 1 if vertex_sign != 0 else 0
    ctl[SKIP] = max(ctl[SKIP] - 1, 0)
    t.frame_int[f, 4] = ctl[SKIP]
    for b in range(t.known.shape[0]):
        t.frame_known[f, b] = t.known[b]
    ctl[SCREENED] = 0
    for k in range(d):
        t.frame_point[f, k] = one_point[k]
    for k in range(d):
        t.point[k] = zero_point[k]
    ctl[POINT_ID] = zero_id
    if vertex_sign != 0:
        j = t.col[m]
        for k in range(d):
            t.frame_nb[f, k] = t.nb[k]
        for r in range(d + m + 1):
            for k in range(d + 1):
                t.frame_T[f, r, k] = t.T[r, k]
        if vertex_sign > 0:
            flip_column(t.T, d, m + 1, m, j)
            for k in range(d + 1):
                t.C[m, k] = -t.C[m, k]
        else:
            flip_column(t.frame_T[f], d, m + 1, m, j)
    ctl[FRAMES] = f + 1
    ctl[ROWS] = m + 1
    _decide(net, t, unit, 0)
    t.cut[net.bit[unit]] = 1
    if vertex_sign == 0:
        ctl[HAS_VERTEX] = crash(t.T, t.C, t.nb, t.col, d, m + 1, t.point)


@njit(cache=True, error_model="numpy")
def _apply_answer(net, t, unit, d):
    """Take the exact rung's verdict on the current unit."""
    ctl = t.ctl
    answer = ctl[ANSWER]
    ctl[ANSWER] = NO_ANSWER
    if answer == BOTH:
        m = ctl[ROWS]
        put_row(t.rows, t.error, t.size, t.flags, unit, -1.0, d, m, t.C, t.E, t.S, t.Z)
        _split(
            net,
            t,
            unit,
            d,
            t.answer_point[0],
            t.answer_id[0],
            t.answer_point[1],
            t.answer_id[1],
            0,
        )
    else:
        _decide(net, t, unit, answer)


@njit(cache=True, error_model="numpy")
def _step(net, t, unit, d):
    """Decide one unit of the current cell in floats; False when only the exact rung can."""
    ctl = t.ctl
    flag = t.flags[unit]
    if flag & LINEAR_ZERO:
        value = t.rows[unit, d]
        bound = t.error[unit] + EPS * abs(value) + TINY
        if flag & VALUE_ZERO:
            _decide(net, t, unit, 0)
        elif value > bound:
            _decide(net, t, unit, 1)
        elif value < -bound:
            _decide(net, t, unit, 0)
        else:
            return False
        return True
    if ctl[POINT_ID] >= 0:
        return False
    m = ctl[ROWS]
    sign = proved_sign(t.rows, t.error, t.size, unit, t.point, d)
    if sign == 0:
        for k in range(d):
            t.q[k] = t.point[k]
        recentre(t.C, d, m, t.q, t.values)
        if not point_is_inside(t.C, t.E, t.S, d, m, t.q):
            return False
        sign = proved_sign(t.rows, t.error, t.size, unit, t.q, d)
        if sign == 0:
            return False
        for k in range(d):
            t.point[k] = t.q[k]
    if not ctl[HAS_VERTEX]:
        return False
    put_row(t.rows, t.error, t.size, t.flags, unit, -1.0 * sign, d, m, t.C, t.E, t.S, t.Z)
    set_row(t.T, t.C, t.nb, t.col, d, m)
    verdict = probe(
        t.T,
        t.C,
        t.E,
        t.S,
        t.Z,
        t.nb,
        t.col,
        d,
        m,
        t.point,
        t.q,
        t.v,
        t.values,
        t.residual,
        t.work,
        ctl,
    )
    if verdict == EMPTY:
        _decide(net, t, unit, 1 if sign > 0 else 0)
        return True
    if verdict == UNSURE:
        return False
    if verdict == SPLIT_WITHOUT_VERTEX and sign < 0:
        # _split expects the negated row when there is no vertex to share.
        for k in range(d + 1):
            t.C[m, k] = -t.C[m, k]
    t.v[:] = t.point
    vertex_sign = -sign if verdict == SPLIT else 0
    if sign > 0:
        _split(net, t, unit, d, t.q, -1, t.v, -1, vertex_sign)
    else:
        _split(net, t, unit, d, t.v, -1, t.q, -1, vertex_sign)
    return True


@njit(cache=True, error_model="numpy")
def walk(net, t, n_walk, n_bits, d, pivot_budget):
    """Walk until something has to be done outside; returns the status.

    ``n_walk`` units are to be decided. Cells come in lexicographic order of their patterns.
    """
    ctl = t.ctl
    ctl[N_PIVOTS] += ctl[PIVOTS]
    ctl[PIVOTS] = 0
    steps = 0
    while True:
        unit = ctl[UNIT]
        if unit == n_walk:
            if ctl[LEAVES] == t.leaf_bits.shape[0]:
                return CHUNK_FULL
            _emit(t, d, n_bits)
            if ctl[FRAMES] == 0:
                return DONE
            _restore(net, t, d)
            continue
        if ctl[ROWS] + 1 >= t.C.shape[0] or ctl[FRAMES] >= t.frame_int.shape[0]:
            return GROW
        if ctl[ANSWER] != NO_ANSWER:
            _apply_answer(net, t, unit, d)
            continue
        steps += 1
        if ctl[PIVOTS] > pivot_budget or steps > 8 * pivot_budget:
            return PAUSE
        layer = net.layer_of[unit]
        if layer > 0 and unit == net.layer_first[layer]:
            before = net.layer_first[layer - 1]
            width = unit - before
            count = net.layer_first[layer + 1] - unit
            first = net.weight_first[layer]
            weight = net.weight[first : first + count * width].reshape(count, width)
            layer_rows(
                weight,
                net.bias[unit:],
                net.weight_error[unit:],
                net.bias_error[unit:],
                unit,
                count,
                before,
                width,
                d,
                t.slope,
                t.rows,
                t.error,
                t.size,
                t.flags,
            )
            for other in range(unit, unit + count):
                if net.bit[other] >= 0:
                    t.known[net.bit[other]] = UNKNOWN
            ctl[SCREENED] = 0
            ctl[SKIP] = 0
        if net.bit[unit] < 0:
            ctl[UNIT] = unit + 1
            continue
        if t.known[net.bit[unit]] != UNKNOWN:
            _decide(net, t, unit, t.known[net.bit[unit]])
            continue
        if not ctl[SCREENED]:
            ctl[SCREENED] = 1
            if ctl[SKIP] == 0 and ctl[HAS_VERTEX] and ctl[POINT_ID] < 0:
                _screen(net, t, unit + 1, net.layer_first[layer + 1], d)
        if not _step(net, t, unit, d):
            ctl[N_EXACT] += 1
            return NEED_EXACT
