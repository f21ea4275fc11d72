"""The depth-first walk over activation patterns, neuron by neuron, resumable at every step."""

from __future__ import annotations

from plregions.kernels.compile import fused_kernel, inlined_kernel, kernel
from plregions.kernels.integers import keep_exact_rows
from plregions.kernels.layout import (
    ADDED,
    ANSWER,
    BASE,
    BOTH,
    CHUNK_FULL,
    DEPTH,
    DONE,
    FRAMES,
    GROW,
    HAS_VERTEX,
    LEAVES,
    N_LEAVES,
    N_PIVOTS,
    N_TWINS,
    NEED_EXACT,
    NO_ANSWER,
    PAUSE,
    PIVOTS,
    POINT_ID,
    RECORDING,
    ROWS,
    SCREENED,
    SKIP,
    SUBTREE,
    UNIT,
)
from plregions.kernels.probe import EMPTY, SPLIT, SPLIT_WITHOUT_VERTEX, UNSURE, probe
from plregions.kernels.proofs import point_is_inside, recentre
from plregions.kernels.recording import log_is_full, log_step, log_twin
from plregions.kernels.redundancy import REDUNDANT, SHALLOW, minimise_row, scan_rows
from plregions.kernels.rows import LINEAR_ZERO, VALUE_ZERO, layer_rows, proved_sign
from plregions.kernels.screen import UNKNOWN, constant_bit, is_not_zero, put, screen
from plregions.kernels.simplex import (
    crash,
    flip_column,
    set_row,
)

__all__ = ["leave_subtree", "walk"]

# What a frame says of the sibling's dictionary.
MISSING = 0
SAVED = 1
NOT_NEEDED = 2  # the sibling is a region


@fused_kernel
def _drop_redundant_rows(net, t, d):
    """Go on with those rows of the cell only that are not proved to be redundant.

    Pending siblings need the old rows, so the remaining ones are written behind them.
    """
    ctl = t.ctl
    m = ctl[ROWS]
    base = ctl[BASE]
    C, E, S, Z = t.C[base:], t.E[base:], t.S[base:], t.Z[base:]
    for i in range(m):
        t.state[i] = 0
    scan_rows(t.T, C, E, S, t.nb, t.col, d, m, t.state, t.residual)
    for i in range(m):
        if t.state[i] == 0:
            t.state[i] = minimise_row(
                net, t.slope, t.flags, t.label[base:], t.T, C, E, S, Z, t.nb, t.col, d, m, i,
                SHALLOW, t.state, t.residual, t.unneeded,
            )[0]  # fmt: skip
    new = 0
    for i in range(m):
        # A redundant row may still be tight at the vertex, where the cell touches its zero set.
        if t.state[i] == REDUNDANT and t.col[i] < 0:
            continue
        for k in range(d + 1):
            t.C[base + m + new, k] = C[i, k]
            t.T[d + new, k] = t.T[d + i, k]
        t.E[base + m + new] = E[i]
        t.S[base + m + new] = S[i]
        t.Z[base + m + new] = Z[i]
        t.label[base + m + new] = t.label[base + i]
        t.col[new] = t.col[i]
        if t.col[new] >= 0:
            t.nb[t.col[new]] = new
        new += 1
    ctl[BASE] = base + m
    ctl[ROWS] = new
    ctl[ADDED] = 0


@fused_kernel
def _emit(net, t, d, n_bits):
    """Append the current cell to the leaf buffer."""
    k = t.ctl[LEAVES]
    for b in range(t.leaf_bits.shape[1]):
        t.leaf_bits[k, b] = 0
    for b in range(t.leaf_kept.shape[1]):
        t.leaf_kept[k, b] = 0
    for i in range(n_bits):
        if t.bits[i]:
            t.leaf_bits[k, i >> 3] |= 128 >> (i & 7)
    for i in range(t.ctl[BASE], t.ctl[BASE] + t.ctl[ROWS]):
        label = t.label[i]
        b = net.bit[label] if label >= 0 else n_bits - 1 - label
        t.leaf_kept[k, b >> 3] |= 128 >> (b & 7)
    for k2 in range(d):
        t.leaf_point[k, k2] = t.point[k2]
    t.leaf_id[k] = t.ctl[POINT_ID]
    t.ctl[LEAVES] += 1
    t.ctl[N_LEAVES] += 1


@fused_kernel
def _decide(net, t, unit, bit):
    """Fix the bit of a unit that does not cut the cell."""
    t.bits[net.bit[unit]] = bit
    t.slope[unit] = net.positive[unit] if bit else net.negative[unit]
    t.ctl[UNIT] = unit + 1


@fused_kernel
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
    base = t.frame_int[f, 5]
    ctl[BASE] = base
    ctl[ADDED] = t.frame_int[f, 6]
    ctl[DEPTH] = t.frame_int[f, 7]
    for k in range(d + 1):
        t.C[base + m, k] = -t.C[base + m, k]
    _decide(net, t, unit, 1)
    ctl[ROWS] = m + 1
    ctl[SCREENED] = 0
    for b in range(t.known.shape[0]):
        t.known[b] = t.frame_known[f, b]
    if t.frame_int[f, 3] == NOT_NEEDED:
        ctl[HAS_VERTEX] = 0
    elif t.frame_int[f, 3] == SAVED:
        for i in range(m + 1):
            t.col[i] = -1
        for j in range(d):
            t.nb[j] = t.frame_nb[f, j]
            t.col[t.nb[j]] = j
        for k in range(d + 1):
            for r in range(d + m + 1):
                t.T[r, k] = t.frame_dictionary[f, k, r]
        ctl[HAS_VERTEX] = 1
    else:
        ctl[HAS_VERTEX] = crash(t.T, t.C[base:], t.nb, t.col, d, m + 1, t.point)


@inlined_kernel
def _split(net, t, unit, d, zero_point, zero_id, one_point, one_id, vertex_sign, last):
    """Go to the child with bit 0 and keep its sibling in a frame.

    Row m holds the unit's row with sign ``vertex_sign`` and is tight in the dictionary; with
    ``vertex_sign`` 0 there is no usable vertex and row m holds the negated row. With ``last`` both
    children are regions, and only their points matter.
    """
    ctl = t.ctl
    m = ctl[ROWS]
    base = ctl[BASE]
    f = ctl[FRAMES]
    t.label[base + m] = unit
    t.frame_int[f, 0] = unit
    t.frame_int[f, 1] = m
    t.frame_int[f, 2] = one_id
    t.frame_int[f, 3] = NOT_NEEDED if last else SAVED if vertex_sign != 0 else MISSING
    ctl[SKIP] = max(ctl[SKIP] - 1, 0)
    t.frame_int[f, 4] = ctl[SKIP]
    ctl[ADDED] += 1
    t.frame_int[f, 5] = base
    t.frame_int[f, 6] = ctl[ADDED]
    ctl[DEPTH] += 1
    t.frame_int[f, 7] = ctl[DEPTH]
    for b in range(t.known.shape[0]):
        t.frame_known[f, b] = t.known[b]
    ctl[SCREENED] = 0
    for k in range(d):
        t.frame_point[f, k] = one_point[k]
    for k in range(d):
        t.point[k] = zero_point[k]
    ctl[POINT_ID] = zero_id
    if vertex_sign != 0 and not last:
        j = t.col[m]
        for k in range(d):
            t.frame_nb[f, k] = t.nb[k]
        for k in range(d + 1):
            for r in range(d + m + 1):
                t.frame_dictionary[f, k, r] = t.T[r, k]
        if vertex_sign > 0:
            flip_column(t.T, d, m + 1, m, j)
            for k in range(d + 1):
                t.C[base + m, k] = -t.C[base + m, k]
        else:
            for r in range(d + m):
                t.frame_dictionary[f, j, r] = -t.T[r, j]
    ctl[FRAMES] = f + 1
    ctl[ROWS] = m + 1
    _decide(net, t, unit, 0)
    if vertex_sign == 0 and not last:
        ctl[HAS_VERTEX] = crash(t.T, t.C[base:], t.nb, t.col, d, m + 1, t.point)


@fused_kernel
def _apply_answer(net, t, unit, d, last):
    """Take the exact rung's verdict on the current unit."""
    ctl = t.ctl
    answer = ctl[ANSWER]
    ctl[ANSWER] = NO_ANSWER
    if answer == BOTH:
        m = ctl[BASE] + ctl[ROWS]
        put(t, unit, -1.0, d, m, t.C, t.E, t.S, t.Z)
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
            last,
        )
    else:
        _decide(net, t, unit, answer)


@fused_kernel
def _move_along(t, unit, d, m, C):
    """Move the point ``q`` of the cell along a unit's row, half-way to the wall it meets.

    On the line through ``q`` the wall further off is chosen. Where the pre-activation is 0 at
    ``q`` the new point lies on one of its sides.
    """
    ahead = 0.0
    behind = 0.0
    for i in range(m):
        value = C[i, d]
        rise = 0.0
        for k in range(d):
            value += C[i, k] * t.q[k]
            rise += C[i, k] * t.rows[unit, k]
        ahead = max(ahead, -rise / value)
        behind = max(behind, rise / value)
    rate = min(ahead, behind)
    if rate > 0.0:
        step = 0.5 / rate if ahead <= behind else -0.5 / rate
        for k in range(d):
            t.q[k] += step * t.rows[unit, k]


@fused_kernel
def _follow_twin(net, t, unit, d):
    """Fix the bit of a unit whose row is a multiple of an earlier one; False when unsure."""
    twin = t.twin[unit]
    bit = t.bits[net.bit[abs(twin) - 1]]
    if twin < 0 and not bit:
        # The earlier one is negative, or both are identically 0.
        if is_not_zero(t, unit, d):
            bit = 1
        elif not (t.flags[unit] & LINEAR_ZERO and t.flags[unit] & VALUE_ZERO):
            return False
    elif twin < 0:
        bit = 0
    t.ctl[N_TWINS] += 1
    if t.ctl[RECORDING] and not t.flags[unit] & LINEAR_ZERO:
        log_twin(net, t, net.bit[unit], net.bit[abs(twin) - 1])
    _decide(net, t, unit, bit)
    return True


@fused_kernel
def _step(net, t, unit, d, last):
    """Decide one unit of the current cell in floats; False when it is left open.

    With ``last`` nothing is left to decide in the children.
    """
    ctl = t.ctl
    if t.flags[unit] & LINEAR_ZERO:
        bit = constant_bit(t, unit, d)
        if bit == UNKNOWN:
            return False
        _decide(net, t, unit, bit)
        return True
    if ctl[POINT_ID] >= 0:
        return False
    m = ctl[ROWS]
    base = ctl[BASE]
    C, E, S, Z = t.C[base:], t.E[base:], t.S[base:], t.Z[base:]
    sign = proved_sign(t.rows, t.error, t.size, unit, t.point, d)
    if sign == 0:
        for k in range(d):
            t.q[k] = t.point[k]
        recentre(C, d, m, t.q, t.values)
        if not point_is_inside(C, E, S, d, m, t.q):
            return False
        sign = proved_sign(t.rows, t.error, t.size, unit, t.q, d)
        if sign == 0:
            _move_along(t, unit, d, m, C)
            if not point_is_inside(C, E, S, d, m, t.q):
                return False
            sign = proved_sign(t.rows, t.error, t.size, unit, t.q, d)
        if sign == 0:
            return False
        for k in range(d):
            t.point[k] = t.q[k]
    if not ctl[HAS_VERTEX]:
        return False
    put(t, unit, -1.0 * sign, d, m, C, E, S, Z)
    set_row(t.T, C, t.nb, t.col, d, m)
    verdict = probe(
        net, unit, t.slope, t.flags, t.label[base:], t.T, C, E, S, Z, t.nb, t.col, d, m,
        t.point, t.q, t.v, t.values, t.residual, t.unneeded, t.work, ctl, last,
    )  # fmt: skip
    if verdict == EMPTY:
        if ctl[RECORDING]:
            log_step(net, t, net.bit[unit], d)
        _decide(net, t, unit, 1 if sign > 0 else 0)
        return True
    if verdict == UNSURE:
        return False
    if verdict == SPLIT_WITHOUT_VERTEX and sign < 0:
        # _split expects the negated row when there is no vertex to share.
        for k in range(d + 1):
            C[m, k] = -C[m, k]
    for k in range(d):
        t.v[k] = t.point[k]
    vertex_sign = -sign if verdict == SPLIT else 0
    if sign > 0:
        _split(net, t, unit, d, t.q, -1, t.v, -1, vertex_sign, last)
    else:
        _split(net, t, unit, d, t.v, -1, t.q, -1, vertex_sign, last)
    return True


@kernel
def walk(net, t, n_walk, n_bits, d, pivot_budget, deepest):
    """Walk until something has to be done outside; returns the status.

    ``n_walk`` units are to be decided. Cells come in lexicographic order of their patterns. At
    cells below ``deepest`` splits the walk stops with SUBTREE.
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
            _emit(net, t, d, n_bits)
            if ctl[FRAMES] == 0:
                return DONE
            _restore(net, t, d)
            continue
        if ctl[DEPTH] >= deepest:
            return SUBTREE
        if ctl[BASE] + 2 * ctl[ROWS] + 1 >= t.C.shape[0] or ctl[FRAMES] >= t.frame_int.shape[0]:
            return GROW
        if ctl[RECORDING] and log_is_full(net, t):
            return CHUNK_FULL
        if ctl[ANSWER] != NO_ANSWER:
            _apply_answer(net, t, unit, d, unit == n_walk - 1)
            continue
        steps += 1
        if ctl[PIVOTS] > pivot_budget or steps > 8 * pivot_budget:
            return PAUSE
        layer = net.layer_of[unit]
        if layer > 0 and unit == net.layer_first[layer]:
            layer_rows(net, layer, d, t.slope, t.rows, t.error, t.size, t.flags)
            keep_exact_rows(
                net, t.unit_grain, t.slope_grain, layer, d,
                t.slope, t.rows, t.error, t.size, t.flags, t.grain,
            )  # fmt: skip
            for other in range(unit, net.layer_first[layer + 1]):
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
        if t.twin[unit] and _follow_twin(net, t, unit, d):
            continue
        is_open, wants_look = False, False
        if not ctl[SCREENED]:
            ctl[SCREENED] = 1
            limit = d if unit == net.layer_first[layer] else 3 * d + 6
            if ctl[ADDED] > limit and ctl[HAS_VERTEX]:
                _drop_redundant_rows(net, t, d)
            wants_look = ctl[SKIP] == 0 and ctl[HAS_VERTEX] and ctl[POINT_ID] < 0
        # A second round where floats do not decide the unit; `screen` is long to compile.
        while True:
            if wants_look:
                screen(net, t, unit, min(net.layer_first[layer + 1], n_walk), d, is_open)
            if is_open or _step(net, t, unit, d, unit == n_walk - 1):
                break
            is_open, wants_look = True, True
        if is_open:
            if t.known[net.bit[unit]] == UNKNOWN:
                return NEED_EXACT
            _decide(net, t, unit, t.known[net.bit[unit]])


@kernel
def leave_subtree(net, t, d):
    """Go on behind the current cell without walking it; False when nothing is left."""
    if t.ctl[FRAMES] == 0:
        return False
    _restore(net, t, d)
    return True
