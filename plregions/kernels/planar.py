"""The depth-first walk over the polygons of a network of two inputs, resumable at every step.

A cell is a convex polygon: rows in counter-clockwise order. Two neighbouring rows are never
parallel, and a corner is the pair of rows that meet there; its coordinates are floats with a bound
on their error. A unit cuts a cell when it has proved opposite signs at two corners, and the signs
of all corners together say how.
"""

from __future__ import annotations

from plregions.kernels.columns import no_constants
from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.layout import CHUNK_FULL, DONE, GROW, NEED_EXACT, PAUSE, SUBTREE
from plregions.kernels.planar_bits import (
    corners_at_zero,
    enter,
    keep_those_that_cut,
    meet_in_zero,
)
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
    MOST_CORNERS,
    N_ASKED,
    N_LEAVES,
    N_OPENED,
    N_SPLITS,
    NEED_POINT,
    NEGATIVE,
    NEXT,
    NUMBER,
    PLACES,
    POP,
    POSITIVE,
    RADIUS,
    SIZE,
    STAGE,
    TOP,
    UNSURE,
    A,
    B,
    C,
    X,
    Y,
)
from plregions.kernels.planar_rows import HUGE, make_rows
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, VALUE_ZERO

__all__ = ["planar_walk", "row_sign", "set_corner"]


@inlined_kernel
def set_corner(R, e, f, V, k):
    """Write the point where the true rows e and f meet as column k of V, with its error.

    The point lies in the unit box. Let (p, q, w) be the cross product of the float rows; true and
    float cross products differ by at most delta in each entry, so that with |x| <= 1 the true x
    differs from p / w by at most 2 delta / |w|.
    """
    w = R[A, e] * R[B, f] - R[B, e] * R[A, f]
    p = R[B, e] * R[C, f] - R[C, e] * R[B, f]
    q = R[C, e] * R[A, f] - R[A, e] * R[C, f]
    E, F, S, T = R[ERROR, e], R[ERROR, f], R[SIZE, e], R[SIZE, f]
    delta = E * (T + F) + S * F + 8.0 * EPS * S * T + TINY
    size = abs(w)
    if delta < 0.25 * size:
        inverse = 1.0 / w
        V[X, k] = min(1.0, max(-1.0, p * inverse))
        V[Y, k] = min(1.0, max(-1.0, q * inverse))
        V[RADIUS, k] = 2.0 * delta * abs(inverse) * (1.0 + 8.0 * EPS) + 4.0 * EPS
    else:
        V[X, k] = 0.0
        V[Y, k] = 0.0
        V[RADIUS, k] = HUGE


@inlined_kernel
def row_sign(R, u, x, y, radius):
    """Sign of the true row u at a point known up to ``radius``; UNSURE when not proved."""
    value = R[A, u] * x + R[B, u] * y + R[C, u]
    bound = R[BOUND, u] + R[SIZE, u] * radius * (1.0 + 8.0 * EPS)
    return 1 if value > bound else (-1 if value < -bound else UNSURE)


@inlined_kernel
def _open_layer(
    net, R, flags, bits, has_multiples, twins, opposite, slot, layer, cell, V, unit,
    low, high, crosses, chosen, linear, n_walk, place,
):  # fmt: skip
    """Fix the units of a layer that do not cut the cell, and write the signs of the others.

    Multiples of an earlier unit follow it. Rows without a constant meet in 0, where another one is
    0 too. Returns the number of signs that are not proved.
    """
    k = cell[slot, CORNERS]
    first = net.layer_first[layer]
    count = min(net.layer_first[layer + 1], n_walk) - first
    corners, listed = V[slot], unit[slot]
    radius = 0.0
    for v in range(k):
        radius = max(radius, corners[v, RADIUS])
    radius *= 1.0 + 8.0 * EPS
    a, b, c = R[A, first:], R[B, first:], R[C, first:]
    bound, size = R[BOUND, first:], R[SIZE, first:]
    own = bits[first:]
    # All rows are 0 in a corner at 0, which then tells nothing: the others decide.
    zero = -1
    if no_constants(flags, first, first + count):
        found = corners_at_zero(flags, corners, k)
        if found:
            zero = place[found % PLACES]
    u, v, w = 1 if zero == 0 else 0, 2 if zero == 0 or zero == 1 else 1, 1 if zero == 2 else 2
    # The loops are short and over views that start at 0, so that they become vector instructions.
    x0, y0, x1, y1 = corners[u, X], corners[u, Y], corners[v, X], corners[v, Y]
    x, y = corners[w, X], corners[w, Y]
    for i in range(count):
        value0 = a[i] * x0 + b[i] * y0 + c[i]
        value1 = a[i] * x1 + b[i] * y1 + c[i]
        value = a[i] * x + b[i] * y + c[i]
        least = value0 if value0 < value1 else value1
        most = value1 if value0 < value1 else value0
        low[i] = value if value < least else least
        high[i] = value if value > most else most
    for v in range(3, k):
        if v == zero:
            continue
        x, y = corners[v, X], corners[v, Y]
        for i in range(count):
            value = a[i] * x + b[i] * y + c[i]
            low[i] = value if value < low[i] else low[i]
            high[i] = value if value > high[i] else high[i]
    for i in range(count):
        slack = bound[i] + size[i] * radius
        is_above = low[i] > slack
        is_below = high[i] < -slack
        own[i] = 1 if is_above else 0
        crosses[i] = 0 if is_above | is_below else 1
    # Branches that depend on signs are hard to predict: there are none in this loop.
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
        below, above = 0, 0
        for v in range(k):
            value = a[i] * corners[v, X] + b[i] * corners[v, Y] + c[i]
            slack = bound[i] + size[i] * corners[v, RADIUS] * (1.0 + 8.0 * EPS)
            above |= (1 if value > slack else 0) << v
            below |= (1 if value < -slack else 0) << v
        doubt = ((1 << k) - 1) & ~(below | above)
        if doubt != 0 and flags[first + i] & VALUE_ZERO:
            doubt &= ~corners_at_zero(flags, corners, k)
        rest = doubt
        while rest:
            rest &= rest - 1
            unsure += 1
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
def _put_end(slot, R, V, v, u, below, above, end, e):
    """Write end e of the cut along row u, which lies in the edge that starts at corner v or there.

    Returns whether it is the corner.
    """
    if (below | above) >> v & 1 == 0:
        for c in range(3):
            end[c, e] = V[slot, v, c]
        return True
    set_corner(R, int(V[slot, v, EDGE]), u, end, e)
    return False


@inlined_kernel
def _sign_at_end(R, u, below, above, v, start, is_corner, x, y, radius):
    """Sign of a unit at an end of the cut, after corner v and before corner ``start``.

    A unit of one sign at both ends of an edge, or 0 at one of them, has that sign inside too.
    """
    s = (above >> v & 1) - (below >> v & 1)
    t = (above >> start & 1) - (below >> start & 1)
    inside = row_sign(R, u, x, y, radius)
    found = inside if s * t < 0 else (t if s == 0 else s)
    return s if is_corner else found


@inlined_kernel
def _copy_corner(old, v, new, j):
    """Copy a corner."""
    x, y, radius, side = old[v, X], old[v, Y], old[v, RADIUS], old[v, EDGE]
    new[j, X] = x
    new[j, Y] = y
    new[j, RADIUS] = radius
    new[j, EDGE] = side


@inlined_kernel
def _put_corners(slot, child, start, number, e, u, cell, V, end):
    """Write the corners of one side of a cell: end e, those from ``start`` on, the other end."""
    k = cell[slot, CORNERS]
    old, new = V[slot], V[child]
    o = 1 - e
    last = number + 1
    v = start
    # Most often six are enough, and a loop of fixed length needs no guess of where it ends.
    for j in range(1, 7):
        _copy_corner(old, v, new, j)
        v = v + 1 if v + 1 < k else 0
    for j in range(7, last):
        _copy_corner(old, v, new, j)
        v = v + 1 if v + 1 < k else 0
    for c in range(3):
        new[0, c] = end[c, e]
        new[last, c] = end[c, o]
    new[0, EDGE] = old[start - 1 if start > 0 else k - 1, EDGE]
    new[last, EDGE] = u
    cell[child, CORNERS] = number + 2
    cell[child, LAYER] = cell[slot, LAYER]
    cell[child, DEPTH] = cell[slot, DEPTH] + 1


@inlined_kernel
def _run(corners, k, place):
    """First corner and length of the run of set bits among k in a ring, neither none nor all.

    ``place`` tells the exponents of powers of two by their remainders.
    """
    before = ((corners << 1) | (corners >> (k - 1))) & ((1 << k) - 1)
    start = place[(corners & ~before) % 67]
    length = place[(before & ~corners) % 67] - start
    return start, length if length > 0 else length + k


@inlined_kernel
def _split(slot, zero, one, ctl, R, cell, V, unit, fixed, end, end_sign, place, is_known):
    """Cut a cell along its first listed unit into two, one of each sign.

    Units that do not cut a part are fixed there. The signs of the others at the ends of the cut
    are found, or taken from ``end_sign`` if they are known. End 0 is where the boundary goes from
    positive to negative corners, end 1 where it comes back. Returns the number of signs that are
    not proved; with any, the parts are not valid yet.
    """
    k, n = cell[slot, CORNERS], cell[slot, LISTED]
    listed, zero_listed, one_listed = unit[slot], unit[zero], unit[one]
    zero_fixed, one_fixed = fixed[zero], fixed[one]
    u, below, above = listed[0, NUMBER], listed[0, BELOW], listed[0, ABOVE]
    negative, n_below = _run(below, k, place)
    positive, n_above = _run(above, k, place)
    ctl[NEGATIVE] = negative
    ctl[POSITIVE] = positive
    v, w = (negative if negative > 0 else k) - 1, (positive if positive > 0 else k) - 1
    is_corner_0 = _put_end(slot, R, V, v, u, below, above, end, 0)
    is_corner_1 = _put_end(slot, R, V, w, u, below, above, end, 1)
    _put_corners(slot, zero, negative, n_below, 0, u, cell, V, end)
    _put_corners(slot, one, positive, n_above, 1, u, cell, V, end)
    x0, y0, radius0 = end[X, 0], end[Y, 0], end[RADIUS, 0]
    x1, y1, radius1 = end[X, 1], end[Y, 1], end[RADIUS, 1]
    # Corners that stay are those up to the last one, then those from the first one on.
    ahead0, ahead1 = min(n_below, k - negative), min(n_above, k - positive)
    first0, second0 = (1 << ahead0) - 1, (1 << (n_below - ahead0)) - 1
    first1, second1 = (1 << ahead1) - 1, (1 << (n_above - ahead1)) - 1
    n_zero, n_one, fixed_zero, fixed_one = 0, 0, 1, 1
    zero_fixed[0] = 2 * u
    one_fixed[0] = 2 * u + 1
    unsure = 0
    for i in range(1, n):
        u, below, above = listed[i, NUMBER], listed[i, BELOW], listed[i, ABOVE]
        if is_known:
            s, t = end_sign[i, 0], end_sign[i, 1]
        else:
            s = _sign_at_end(R, u, below, above, v, negative, is_corner_0, x0, y0, radius0)
            t = _sign_at_end(R, u, below, above, w, positive, is_corner_1, x1, y1, radius1)
            unsure += (1 if s == UNSURE else 0) + (1 if t == UNSURE else 0)
            end_sign[i, 0] = s
            end_sign[i, 1] = t
        is_below_0, is_below_1 = 1 if s < 0 else 0, 1 if t < 0 else 0
        is_above_0, is_above_1 = 1 if s > 0 else 0, 1 if t > 0 else 0
        # Both lists are written to at each step, and one of them is kept: no branches.
        part = (below >> negative & first0) | (below & second0) << ahead0
        low = part << 1 | is_below_0 | is_below_1 << (n_below + 1)
        part = (above >> negative & first0) | (above & second0) << ahead0
        high = part << 1 | is_above_0 | is_above_1 << (n_below + 1)
        cuts = 1 if low != 0 and high != 0 else 0
        zero_listed[n_zero, NUMBER] = u
        zero_listed[n_zero, BELOW] = low
        zero_listed[n_zero, ABOVE] = high
        zero_fixed[fixed_zero] = 2 * u + (1 if high != 0 else 0)
        n_zero += cuts
        fixed_zero += 1 - cuts
        part = (below >> positive & first1) | (below & second1) << ahead1
        low = part << 1 | is_below_1 | is_below_0 << (n_above + 1)
        part = (above >> positive & first1) | (above & second1) << ahead1
        high = part << 1 | is_above_1 | is_above_0 << (n_above + 1)
        cuts = 1 if low != 0 and high != 0 else 0
        one_listed[n_one, NUMBER] = u
        one_listed[n_one, BELOW] = low
        one_listed[n_one, ABOVE] = high
        one_fixed[fixed_one] = 2 * u + (1 if high != 0 else 0)
        n_one += cuts
        fixed_one += 1 - cuts
    cell[zero, LISTED] = n_zero
    cell[one, LISTED] = n_one
    cell[zero, FIXED] = fixed_zero
    cell[one, FIXED] = fixed_one
    return unsure


@inlined_kernel
def _emit(net, ctl, R, bits, slot, cell, V, leaf_bits, leaf_kept, leaf_point, n_bits):
    """Append the current cell to the leaf buffer; is its point proved to lie inside?"""
    leaf = ctl[LEAVES]
    ctl[LEAVES] += 1
    ctl[N_LEAVES] += 1
    n_walk = leaf_bits.shape[1]
    n_units = net.bit.shape[0]
    own_bits, kept = leaf_bits[leaf], leaf_kept[leaf]
    k = cell[slot, CORNERS]
    corners = V[slot]
    for i in range(n_walk):
        own_bits[i] = bits[i]
    if kept.shape[0] > 0:
        for b in range(kept.shape[0]):
            kept[b] = 0
        for v in range(k):
            row = int(corners[v, EDGE])
            b = net.bit[row] if row < n_units else n_bits + row - n_units
            if b >> 3 < kept.shape[0]:
                kept[b >> 3] |= 128 >> (b & 7)
    x, y = 0.0, 0.0
    for v in range(k):
        x += corners[v, X]
        y += corners[v, Y]
    inverse = 1.0 / k
    x *= inverse
    y *= inverse
    leaf_point[leaf, 0] = x
    leaf_point[leaf, 1] = y
    proved = 0
    for v in range(k):
        row = int(corners[v, EDGE])
        value = R[A, row] * x + R[B, row] * y + R[C, row]
        proved += 1 if (value if bits[row] else -value) > R[BOUND, row] else 0
    return proved == k


@kernel
def planar_walk(net, t, n_layers, n_walk, n_bits, budget, anew, deepest):
    """Walk until something has to be done outside; returns the status.

    The first ``n_layers`` layers hold the ``n_walk`` units that are to be decided. Cells come in
    lexicographic order of their patterns. What is found below a cell of at most ``anew`` splits
    depends on the cell alone, and not on the rows that were made for others. Cells below
    ``deepest`` splits are left to others, with status SUBTREE.
    """
    ctl, R, bits, slots = t.ctl, t.R, t.bits, t.slots
    cell, V, unit, fixed = t.cell, t.V, t.unit, t.fixed
    n_multiples = 0
    for u in range(t.first.shape[0]):
        n_multiples += 1 if t.first[u] >= 0 else 0
    # Not first False: functions that are handed a constant are compiled for it, and then once more.
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
                if top + 2 >= slots.shape[0] or cell[slot, CORNERS] >= V.shape[1]:
                    return GROW
                if work > budget:
                    return PAUSE
                work += 1
                ctl[N_SPLITS] += 1
            zero, one = slots[top + 2], slots[top + 1]
            unsure = _split(
                slot, zero, one, ctl, R, cell, V, unit, fixed, t.end, t.end_sign, t.place,
                stage == CUT,
            )  # fmt: skip
            if unsure:
                ctl[STAGE] = CUT
                unsure = meet_in_zero(slot, ctl, t.flags, cell, V, unit, t.end_sign)
                ctl[N_ASKED] += unsure
                if unsure:
                    return NEED_EXACT
                continue
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
                    net, ctl, R, bits, slot, cell, V,
                    t.leaf_bits, t.leaf_kept, t.leaf_point, n_bits,
                ):  # fmt: skip
                    return NEED_POINT
                continue
            if cell[slot, CORNERS] > MOST_CORNERS:
                return GROW
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
                net, R, t.flags, bits, has_multiples, t.first, t.is_opposite,
                slot, layer, cell, V, unit, t.low, t.high, t.crosses, t.chosen, t.linear[layer],
                n_walk, t.place,
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
