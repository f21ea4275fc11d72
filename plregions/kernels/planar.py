"""The depth-first walk over the polygons of a network of two inputs, resumable at every step.

A cell is a convex polygon: rows in counter-clockwise order. Two neighbouring rows are never
parallel, and a corner is the pair of rows that meet there; its coordinates are floats with a bound
on their error. A unit cuts a cell when it has proved opposite signs at two corners, and the signs
of all corners together say how.
"""

from __future__ import annotations

from plregions.kernels.compile import inner_kernel, kernel
from plregions.kernels.layout import CHUNK_FULL, DONE, GROW, NEED_EXACT, PAUSE
from plregions.kernels.planar_layout import (
    ABOVE,
    BELOW,
    BOUND,
    CORNERS,
    CUT,
    DEPTH,
    DOUBT,
    ERROR,
    FILTER,
    LAYER,
    LEAVES,
    LISTED,
    MOST_CORNERS,
    N_ASKED,
    N_LEAVES,
    N_NEGATIVE,
    N_OPENED,
    N_POSITIVE,
    N_SPLITS,
    NEED_POINT,
    NEGATIVE,
    NEXT,
    POP,
    POSITIVE,
    RADIUS,
    SIZE,
    STAGE,
    TOP,
    TOUCHED,
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


@kernel
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


@kernel
def row_sign(R, u, x, y, radius):
    """Sign of the true row u at a point known up to ``radius``; UNSURE when not proved."""
    value = R[A, u] * x + R[B, u] * y + R[C, u]
    bound = R[BOUND, u] + R[SIZE, u] * radius * (1.0 + 8.0 * EPS)
    if value > bound:
        return 1
    if value < -bound:
        return -1
    return UNSURE


@inner_kernel
def _open_layer(net, R, flags, bits, slot, layer, cell, V, unit, mask, low, high, linear, n_walk):
    """Fix the units of a layer that do not cut the cell, and write the signs of the others.

    Returns the number of signs that are not proved.
    """
    k = cell[slot, CORNERS]
    first = net.layer_first[layer]
    count = min(net.layer_first[layer + 1], n_walk) - first
    xs, ys, radii = V[slot, X], V[slot, Y], V[slot, RADIUS]
    radius = 0.0
    for v in range(k):
        radius = max(radius, radii[v])
    radius *= 1.0 + 8.0 * EPS
    a, b, c = R[A, first:], R[B, first:], R[C, first:]
    bound, size = R[BOUND, first:], R[SIZE, first:]
    own = bits[first:]
    # The loops are short and over views that start at 0, so that they become vector instructions.
    x, y = xs[0], ys[0]
    for i in range(count):
        value = a[i] * x + b[i] * y + c[i]
        low[i] = value
        high[i] = value
    for v in range(1, k):
        x, y = xs[v], ys[v]
        for i in range(count):
            value = a[i] * x + b[i] * y + c[i]
            low[i] = value if value < low[i] else low[i]
            high[i] = value if value > high[i] else high[i]
    # After this ``low`` and ``high`` hold what lies beyond the bounds.
    for i in range(count):
        slack = bound[i] + size[i] * radius
        low[i] -= slack
        high[i] += slack
    n = 0
    unsure = 0
    for i in range(count):
        if low[i] > 0.0:
            own[i] = 1
        elif high[i] < 0.0:
            own[i] = 0
        elif net.bit[first + i] < 0:
            continue
        elif flags[first + i] == LINEAR_ZERO | VALUE_ZERO:
            own[i] = 0
        else:
            unit[slot, n] = first + i
            below, above, doubt = 0, 0, 0
            one = 1
            for v in range(k):
                value = a[i] * xs[v] + b[i] * ys[v] + c[i]
                slack = bound[i] + size[i] * radii[v] * (1.0 + 8.0 * EPS)
                if value > slack:
                    above |= one
                elif value < -slack:
                    below |= one
                else:
                    doubt |= one
                    unsure += 1
                one <<= 1
            mask[slot, n, BELOW] = below
            mask[slot, n, ABOVE] = above
            mask[slot, n, DOUBT] = doubt
            n += 1
    if linear:
        for i in range(count):
            if net.bit[first + i] < 0:
                own[i] = 1
    cell[slot, LISTED] = n
    cell[slot, TOUCHED] = n
    return unsure


@inner_kernel
def _filter(slot, cell, unit, mask, bits):
    """Keep those listed units that cut the cell; all signs are known."""
    n = 0
    for i in range(cell[slot, LISTED]):
        below, above = mask[slot, i, BELOW], mask[slot, i, ABOVE]
        if below != 0 and above != 0:
            unit[slot, n] = unit[slot, i]
            mask[slot, n, BELOW] = below
            mask[slot, n, ABOVE] = above
            n += 1
        else:
            bits[unit[slot, i]] = 1 if above != 0 else 0
    cell[slot, LISTED] = n
    cell[slot, TOUCHED] = n


@inner_kernel
def _find_ends(slot, ctl, R, cell, edge, V, unit, mask, end, end_sign):
    """Find the two ends of the cut along the first listed unit, and all other units' signs there.

    End 0 is where the boundary goes from positive to negative corners, end 1 where it comes back.
    An end is a corner with sign 0 or lies inside an edge, where a unit of one sign at both ends of
    the edge, or 0 at one of them, has that sign too. Returns the number of signs not proved.
    """
    k = cell[slot, CORNERS]
    n = cell[slot, LISTED]
    own, masks = unit[slot], mask[slot]
    u = own[0]
    below, above = masks[0, BELOW], masks[0, ABOVE]
    unsure = 0
    n_below, n_above = 0, 0
    was_below, was_above = below >> (k - 1) & 1, above >> (k - 1) & 1
    for v in range(k):
        is_below, is_above = below >> v & 1, above >> v & 1
        n_below += is_below
        n_above += is_above
        if is_below > was_below:
            ctl[NEGATIVE] = v
        if is_above > was_above:
            ctl[POSITIVE] = v
        was_below, was_above = is_below, is_above
    ctl[N_NEGATIVE] = n_below
    ctl[N_POSITIVE] = n_above
    for e in range(2):
        start = ctl[NEGATIVE] if e == 0 else ctl[POSITIVE]
        v = start - 1 if start > 0 else k - 1
        if (below | above) >> v & 1 == 0:
            for c in range(3):
                end[c, e] = V[slot, c, v]
            for i in range(1, n):
                end_sign[i, e] = (masks[i, ABOVE] >> v & 1) - (masks[i, BELOW] >> v & 1)
            continue
        set_corner(R, edge[slot, v], u, end, e)
        x, y, radius = end[X, e], end[Y, e], end[RADIUS, e]
        for i in range(1, n):
            s = (masks[i, ABOVE] >> v & 1) - (masks[i, BELOW] >> v & 1)
            t = (masks[i, ABOVE] >> start & 1) - (masks[i, BELOW] >> start & 1)
            if s * t < 0:
                s = row_sign(R, own[i], x, y, radius)
                unsure += 1 if s == UNSURE else 0
            elif s == 0:
                s = t
            end_sign[i, e] = s
    return unsure


@inner_kernel
def _make_child(slot, child, start, number, e, bit, cell, edge, V, unit, mask, end, end_sign):
    """Write the part of a cell on one side of the cut.

    Its corners are end e, ``number`` corners from ``start`` on, and the other end. Units that do
    not cut the part are fixed.
    """
    k = cell[slot, CORNERS]
    n = cell[slot, LISTED]
    o = 1 - e
    m = number + 2
    # The corners that stay are start .. start + ahead - 1, then 0 .. behind - 1.
    ahead = min(number, k - start)
    behind = number - ahead
    for c in range(3):
        old, new = V[slot, c], V[child, c]
        new[0] = end[c, e]
        for j in range(ahead):
            new[1 + j] = old[start + j]
        for j in range(behind):
            new[1 + ahead + j] = old[j]
        new[m - 1] = end[c, o]
    sides, own = edge[slot], edge[child]
    own[0] = sides[start - 1 if start > 0 else k - 1]
    for j in range(ahead):
        own[1 + j] = sides[start + j]
    for j in range(behind):
        own[1 + ahead + j] = sides[j]
    units, fewer = unit[slot], unit[child]
    own[m - 1] = units[0]
    listed = 0
    fixed = n - 1
    fewer[fixed] = 2 * units[0] + bit
    masks, own_masks = mask[slot], mask[child]
    first_part, second_part = (1 << ahead) - 1, (1 << behind) - 1
    for i in range(1, n):
        s, t = end_sign[i, e], end_sign[i, o]
        below, above = masks[i, BELOW], masks[i, ABOVE]
        below = below >> start & first_part | (below & second_part) << ahead
        above = above >> start & first_part | (above & second_part) << ahead
        below = below << 1 | (1 if s < 0 else 0) | (1 if t < 0 else 0) << (m - 1)
        above = above << 1 | (1 if s > 0 else 0) | (1 if t > 0 else 0) << (m - 1)
        if below != 0 and above != 0:
            fewer[listed] = units[i]
            own_masks[listed, BELOW] = below
            own_masks[listed, ABOVE] = above
            listed += 1
        else:
            fixed -= 1
            fewer[fixed] = 2 * units[i] + (1 if above != 0 else 0)
    cell[child, CORNERS] = m
    cell[child, LISTED] = listed
    cell[child, TOUCHED] = n
    cell[child, LAYER] = cell[slot, LAYER]
    cell[child, DEPTH] = cell[slot, DEPTH] + 1


@inner_kernel
def _enter(slot, cell, unit, bits):
    """Set the bits that were fixed when the cell was made."""
    for i in range(cell[slot, LISTED], cell[slot, TOUCHED]):
        bits[unit[slot, i] >> 1] = unit[slot, i] & 1


@inner_kernel
def _emit(net, ctl, R, bits, slot, cell, edge, V, leaf_bits, leaf_kept, leaf_point, n_bits):
    """Append the current cell to the leaf buffer; is its point proved to lie inside?"""
    leaf = ctl[LEAVES]
    ctl[LEAVES] += 1
    ctl[N_LEAVES] += 1
    n_walk = leaf_bits.shape[1]
    n_units = net.bit.shape[0]
    own_bits, kept = leaf_bits[leaf], leaf_kept[leaf]
    for i in range(n_walk):
        own_bits[i] = bits[i]
    for b in range(kept.shape[0]):
        kept[b] = 0
    k = cell[slot, CORNERS]
    xs, ys, sides = V[slot, X], V[slot, Y], edge[slot]
    x, y = 0.0, 0.0
    for v in range(k):
        row = sides[v]
        b = net.bit[row] if row < n_units else n_bits + row - n_units
        if b >> 3 < kept.shape[0]:
            kept[b >> 3] |= 128 >> (b & 7)
        x += xs[v]
        y += ys[v]
    x /= k
    y /= k
    leaf_point[leaf, 0] = x
    leaf_point[leaf, 1] = y
    proved = True
    for v in range(k):
        row = sides[v]
        value = R[A, row] * x + R[B, row] * y + R[C, row]
        proved &= (value if bits[row] else -value) > R[BOUND, row]
    return proved


@kernel
def planar_walk(net, t, n_layers, n_walk, n_bits, budget):
    """Walk until something has to be done outside; returns the status.

    The first ``n_layers`` layers hold the ``n_walk`` units that are to be decided. Cells come in
    lexicographic order of their patterns.
    """
    ctl, R, bits, slots = t.ctl, t.R, t.bits, t.slots
    cell, edge, V, unit, mask = t.cell, t.edge, t.V, t.unit, t.mask
    work = 0
    while True:
        stage = ctl[STAGE]
        slot = slots[ctl[TOP]]
        if stage == NEXT and cell[slot, LISTED] > 0:
            if ctl[TOP] + 2 >= slots.shape[0] or cell[slot, CORNERS] >= edge.shape[1]:
                return GROW
            if work > budget:
                return PAUSE
            work += 1
            ctl[N_SPLITS] += 1
            ctl[STAGE] = CUT
            unsure = _find_ends(slot, ctl, R, cell, edge, V, unit, mask, t.end, t.end_sign)
            if unsure:
                ctl[N_ASKED] += unsure
                return NEED_EXACT
        elif stage == NEXT:
            layer = cell[slot, LAYER] + 1
            if layer == n_layers:
                if ctl[LEAVES] == t.leaf_bits.shape[0]:
                    return CHUNK_FULL
                ctl[STAGE] = POP
                if not _emit(
                    net, ctl, R, bits, slot, cell, edge, V,
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
                    net,
                    layer,
                    R,
                    t.flags,
                    t.own_flags,
                    bits,
                    t.applied,
                    t.state,
                    t.weight,
                    t.dense,
                    ctl,
                )
                count = net.layer_first[layer + 1] - net.layer_first[layer]
                work += 1 + count * (net.layer_first[layer] - net.layer_first[layer - 1]) // 2000
            unsure = _open_layer(
                net, R, t.flags, bits, slot, layer, cell, V, unit, mask,
                t.low, t.high, t.linear[layer], n_walk,
            )  # fmt: skip
            if unsure:
                ctl[N_ASKED] += unsure
                return NEED_EXACT
        elif stage == CUT:
            top = ctl[TOP]
            zero, one = slots[top + 2], slots[top + 1]
            _make_child(
                slot, one, ctl[POSITIVE], ctl[N_POSITIVE], 1, 1,
                cell, edge, V, unit, mask, t.end, t.end_sign,
            )  # fmt: skip
            _make_child(
                slot, zero, ctl[NEGATIVE], ctl[N_NEGATIVE], 0, 0,
                cell, edge, V, unit, mask, t.end, t.end_sign,
            )  # fmt: skip
            slots[top] = one
            slots[top + 1] = zero
            slots[top + 2] = slot
            ctl[TOP] = top + 1
            _enter(zero, cell, unit, bits)
            ctl[STAGE] = NEXT
        elif stage == FILTER:
            _filter(slot, cell, unit, mask, bits)
            ctl[STAGE] = NEXT
        else:
            if ctl[TOP] == 0:
                return DONE
            ctl[TOP] -= 1
            _enter(slots[ctl[TOP]], cell, unit, bits)
            ctl[STAGE] = NEXT
