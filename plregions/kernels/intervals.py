"""The depth-first walk over intervals: of a line, or of directions in the plane; resumable.

The rows of a line are p x + q y with y = 1, so that its points are directions too: those of the
upper half plane. A cell is an interval of directions, counter-clockwise from end 0 to end 1, with
an angle of at most pi; the first one may be the circle. An end is where the row of a unit or wall
is 0, up to a factor. A unit cuts a cell when it has proved opposite signs at its two ends.
"""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.layout import CHUNK_FULL, DONE, GROW, NEED_EXACT, PAUSE, SUBTREE
from plregions.kernels.planar_bits import enter, keep_those_that_cut
from plregions.kernels.planar_layout import (
    ABOVE,
    BELOW,
    BOUND,
    CORNERS,
    CUT,
    DEPTH,
    DOUBT,
    EDGE,
    ERROR,
    FILTER,
    FIXED,
    LAYER,
    LEAVES,
    LISTED,
    N_ASKED,
    N_LEAVES,
    N_OPENED,
    N_SPLITS,
    NEED_POINT,
    NEXT,
    NUMBER,
    POP,
    RADIUS,
    SIZE,
    STAGE,
    TOP,
    UNSURE,
    A,
    C,
    X,
    Y,
)
from plregions.kernels.planar_rows import HUGE, make_rows
from plregions.kernels.rows import EPS, LINEAR_ZERO, VALUE_ZERO

__all__ = ["interval_walk", "zero_of"]


@inlined_kernel
def zero_of(R, second, u, sign):
    """Return the direction where the true row u is 0, of maximum norm 1, with its error.

    Of the two opposite ones, that where a row of this sign changes it, counter-clockwise. For
    float rows (p, q) with an error of at most E in the 1-norm, both coordinates of (-q, p) and the
    norm are off by at most E, and so the quotients by at most 2 E / norm.
    """
    p, q, error = R[A, u], R[second, u], R[ERROR, u]
    norm = max(abs(p), abs(q))
    if error < 0.25 * norm:
        inverse = sign / norm
        radius = 2.0 * error * abs(inverse) * (1.0 + 8.0 * EPS) + 4.0 * EPS
        return -q * inverse, p * inverse, radius
    return 0.0, 0.0, HUGE


@inlined_kernel
def _open_layer(
    net, R, second, flags, bits, has_multiples, twins, opposite, slot, layer, cell, V, unit,
    crosses, chosen, linear, n_walk,
):  # fmt: skip
    """Fix the units of a layer that do not cut the cell, and write the signs of the others.

    Multiples of an earlier unit follow it. Every row that is not 0 cuts the circle. Returns the
    number of signs that are not proved.
    """
    first = net.layer_first[layer]
    count = min(net.layer_first[layer + 1], n_walk) - first
    ends, listed = V[slot], unit[slot]
    is_circle = cell[slot, CORNERS] == 0
    x0, y0, x1, y1, radius = 0.0, 0.0, 0.0, 0.0, 0.0
    if not is_circle:
        x0, y0, x1, y1 = ends[0, X], ends[0, Y], ends[1, X], ends[1, Y]
        radius = max(ends[0, RADIUS], ends[1, RADIUS]) * (1.0 + 8.0 * EPS)
    p, q = R[A, first:], R[second, first:]
    bound, size = R[BOUND, first:], R[SIZE, first:]
    own = bits[first:]
    # A short loop over views that start at 0, without branches: it becomes vector instructions.
    for i in range(count):
        value0 = p[i] * x0 + q[i] * y0
        value1 = p[i] * x1 + q[i] * y1
        slack = bound[i] + size[i] * radius
        is_above = (value0 > slack) & (value1 > slack)
        is_below = (value0 < -slack) & (value1 < -slack)
        own[i] = 1 if is_above else 0
        crosses[i] = 0 if is_above | is_below else 1
    maybe = 0
    for i in range(count):
        chosen[maybe] = i
        maybe += crosses[i]
    n = 0
    unsure = 0
    for j in range(maybe):
        i = chosen[j]
        if net.bit[first + i] < 0 or flags[first + i] == LINEAR_ZERO | VALUE_ZERO:
            continue
        if has_multiples and twins[first + i] >= 0:
            own[i] = own[twins[first + i] - first] ^ opposite[first + i]
            continue
        below, above, doubt = 3, 3, 0
        if not is_circle:
            value0 = p[i] * x0 + q[i] * y0
            value1 = p[i] * x1 + q[i] * y1
            slack0 = bound[i] + size[i] * ends[0, RADIUS] * (1.0 + 8.0 * EPS)
            slack1 = bound[i] + size[i] * ends[1, RADIUS] * (1.0 + 8.0 * EPS)
            above = (1 if value0 > slack0 else 0) | (2 if value1 > slack1 else 0)
            below = (1 if value0 < -slack0 else 0) | (2 if value1 < -slack1 else 0)
            doubt = 3 & ~(below | above)
            unsure += (doubt & 1) + (doubt >> 1)
        listed[n, NUMBER] = first + i
        listed[n, BELOW] = below
        listed[n, ABOVE] = above
        listed[n, DOUBT] = doubt
        n += 1
    if linear:
        for i in range(count):
            if net.bit[first + i] < 0:
                own[i] = 1
    cell[slot, LISTED] = n
    return unsure


@inlined_kernel
def _put_end(V, slot, end, x, y, radius, row):
    """Write an end of a cell."""
    V[slot, end, X] = x
    V[slot, end, Y] = y
    V[slot, end, RADIUS] = radius
    V[slot, end, EDGE] = row


@inlined_kernel
def _split(slot, zero, one, R, second, cell, V, unit, fixed, end_sign, is_known):
    """Cut a cell along its first listed unit into two, one of each sign.

    Units that do not cut a part are fixed there. The signs of the others at the cut are found, or
    taken from ``end_sign`` if they are known. The circle is cut in two opposite directions; there
    a sign of 0 is that of a parallel row, and ``end_sign`` also tells its sign where the first
    unit is positive. Returns the number of signs that are not proved; with any, the parts are not
    valid yet.
    """
    n = cell[slot, LISTED]
    u, above = unit[slot, 0, NUMBER], unit[slot, 0, ABOVE]
    is_circle = cell[slot, CORNERS] == 0
    is_positive = above & 1 != 0  # before the cut
    x, y, radius = zero_of(R, second, u, 1.0 if is_positive else -1.0)
    before, behind = (one, zero) if is_positive else (zero, one)
    if is_circle:
        _put_end(V, before, 0, -x, -y, radius, u)
        _put_end(V, behind, 1, -x, -y, radius, u)
    else:
        for c in range(4):
            V[before, 0, c] = V[slot, 0, c]
            V[behind, 1, c] = V[slot, 1, c]
    _put_end(V, before, 1, x, y, radius, u)
    _put_end(V, behind, 0, x, y, radius, u)
    listed, before_listed, behind_listed = unit[slot], unit[before], unit[behind]
    before_fixed, behind_fixed = fixed[before], fixed[behind]
    before_fixed[0] = 2 * u + (1 if is_positive else 0)
    behind_fixed[0] = 2 * u + (0 if is_positive else 1)
    n_before, n_behind, fixed_before, fixed_behind = 0, 0, 1, 1
    unsure = 0
    for i in range(1, n):
        v, below, above = listed[i, NUMBER], listed[i, BELOW], listed[i, ABOVE]
        if is_known:
            s = end_sign[i, 0]
        else:
            value = R[A, v] * x + R[second, v] * y
            slack = R[BOUND, v] + R[SIZE, v] * radius * (1.0 + 8.0 * EPS)
            s = 1 if value > slack else (-1 if value < -slack else UNSURE)
            unsure += 1 if s == UNSURE else 0
            end_sign[i, 0] = s
        is_below, is_above = 1 if s < 0 else 0, 1 if s > 0 else 0
        if is_circle:
            below, above = 3 * is_above, 3 * is_below
        # Both lists are written to at each step, and one of them is kept: no branches.
        low, high = below & 1 | is_below << 1, above & 1 | is_above << 1
        cuts = 1 if low != 0 and high != 0 else 0
        before_listed[n_before, NUMBER] = v
        before_listed[n_before, BELOW] = low
        before_listed[n_before, ABOVE] = high
        before_fixed[fixed_before] = 2 * v + (1 if high != 0 else 0)
        n_before += cuts
        fixed_before += 1 - cuts
        low, high = below & 2 | is_below, above & 2 | is_above
        cuts = 1 if low != 0 and high != 0 else 0
        behind_listed[n_behind, NUMBER] = v
        behind_listed[n_behind, BELOW] = low
        behind_listed[n_behind, ABOVE] = high
        behind_fixed[fixed_behind] = 2 * v + (1 if high != 0 else 0)
        n_behind += cuts
        fixed_behind += 1 - cuts
        if is_circle and s == 0:
            before_fixed[fixed_before - 1] = 2 * v + (1 if end_sign[i, 1] > 0 else 0)
            behind_fixed[fixed_behind - 1] = 2 * v + (1 if end_sign[i, 1] < 0 else 0)
    cell[before, LISTED] = n_before
    cell[behind, LISTED] = n_behind
    cell[before, FIXED] = fixed_before
    cell[behind, FIXED] = fixed_behind
    for child in (before, behind):
        cell[child, CORNERS] = 2
        cell[child, LAYER] = cell[slot, LAYER]
        cell[child, DEPTH] = cell[slot, DEPTH] + 1
    return unsure


@inlined_kernel
def _emit(net, ctl, R, second, bits, slot, V, leaf_bits, leaf_kept, leaf_point, n_bits):
    """Append the current cell to the leaf buffer; is its point proved to lie inside?"""
    leaf = ctl[LEAVES]
    ctl[LEAVES] += 1
    ctl[N_LEAVES] += 1
    n_units = net.bit.shape[0]
    own_bits, kept, ends = leaf_bits[leaf], leaf_kept[leaf], V[slot]
    for i in range(own_bits.shape[0]):
        own_bits[i] = bits[i]
    rows = int(ends[0, EDGE]), int(ends[1, EDGE])
    if kept.shape[0] > 0:
        for b in range(kept.shape[0]):
            kept[b] = 0
        for row in rows:
            b = net.bit[row] if row < n_units else n_bits + row - n_units
            kept[b >> 3] |= 128 >> (b & 7)
    x = 0.5 * (ends[0, X] + ends[1, X])
    y = 1.0 if second == C else 0.5 * (ends[0, Y] + ends[1, Y])
    leaf_point[leaf, 0] = x
    leaf_point[leaf, 1] = y
    proved = 0
    for row in rows:
        value = R[A, row] * x + R[second, row] * y
        proved += 1 if (value if bits[row] else -value) > R[BOUND, row] else 0
    return proved == 2


@kernel
def interval_walk(net, t, second, n_layers, n_walk, n_bits, budget, anew, deepest):
    """Walk until something has to be done outside; returns the status.

    As `plregions.kernels.planar.planar_walk`, with intervals in place of polygons. ``second`` is
    the row of ``R`` beside A that counts: C on a line, B for directions, where all C are 0.
    """
    ctl, R, bits, slots = t.ctl, t.R, t.bits, t.slots
    cell, V, unit, fixed = t.cell, t.V, t.unit, t.fixed
    n_multiples = 0
    for u in range(t.first.shape[0]):
        n_multiples += 1 if t.first[u] >= 0 else 0
    has_multiples = n_multiples > 0
    work = 0
    while True:
        stage = ctl[STAGE]
        top = ctl[TOP]
        slot = slots[top]
        if stage == NEXT and cell[slot, DEPTH] == deepest:
            return SUBTREE
        if stage == CUT or (stage == NEXT and cell[slot, LISTED] > 0):
            if stage == NEXT:
                if top + 2 >= slots.shape[0]:
                    return GROW
                if work > budget:
                    return PAUSE
                work += 1
                ctl[N_SPLITS] += 1
            zero, one = slots[top + 2], slots[top + 1]
            unsure = _split(
                slot, zero, one, R, second, cell, V, unit, fixed, t.end_sign, stage == CUT
            )
            if unsure:
                ctl[STAGE] = CUT
                ctl[N_ASKED] += unsure
                return NEED_EXACT
            slots[top] = one
            slots[top + 1] = zero
            slots[top + 2] = slot
            ctl[TOP] = top + 1
            enter(
                zero, cell, fixed, bits, has_multiples, t.first, t.later, t.is_opposite, t.state,
                anew,
            )  # fmt: skip
            ctl[STAGE] = NEXT
        elif stage == NEXT:
            layer = cell[slot, LAYER] + 1
            if layer == n_layers:
                if ctl[LEAVES] == t.leaf_point.shape[0]:
                    return CHUNK_FULL
                ctl[STAGE] = POP
                if not _emit(
                    net, ctl, R, second, bits, slot, V,
                    t.leaf_bits, t.leaf_kept, t.leaf_point, n_bits,
                ):  # fmt: skip
                    return NEED_POINT
                continue
            if work > budget:
                return PAUSE
            cell[slot, LAYER] = layer
            ctl[STAGE] = FILTER
            ctl[N_OPENED] += 1
            if layer > 0:
                make_rows(
                    net, layer, R, t.flags, t.own_flags, bits, t.seen, t.applied, t.state,
                    t.weight, t.norm, t.dense, t.chosen, t.low, ctl,
                )  # fmt: skip
                count = net.layer_first[layer + 1] - net.layer_first[layer]
                work += 1 + count * (net.layer_first[layer] - net.layer_first[layer - 1]) // 2000
            unsure = _open_layer(
                net, R, second, t.flags, bits, has_multiples, t.first, t.is_opposite,
                slot, layer, cell, V, unit, t.crosses, t.chosen, t.linear[layer], n_walk,
            )  # fmt: skip
            if unsure:
                ctl[N_ASKED] += unsure
                return NEED_EXACT
        elif stage == FILTER:
            keep_those_that_cut(
                slot, cell, unit, bits, has_multiples, t.first, t.later, t.is_opposite
            )
            ctl[STAGE] = NEXT
        else:
            if top == 0:
                return DONE
            ctl[TOP] = top - 1
            slot = slots[top - 1]
            enter(
                slot, cell, fixed, bits, has_multiples, t.first, t.later, t.is_opposite, t.state,
                anew,
            )  # fmt: skip
            ctl[STAGE] = NEXT
