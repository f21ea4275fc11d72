"""The depth-first walk over the polyhedra of a network of three inputs, resumable at every step.

A cell is a convex polyhedron: corners and edges, an edge being two corners and the two facets that
meet there. A corner is the three rows with which it was made; its coordinates are floats with a
bound on their error. A unit cuts a cell when it has proved opposite signs at two corners, and the
signs of all corners together say how: only which corners are above, below and on the plane
decides, never where they are.
"""

from __future__ import annotations

import numpy as np

from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.layout import CHUNK_FULL, DONE, GROW, NEED_EXACT, PAUSE, SUBTREE
from plregions.kernels.rows import EPS, LINEAR_ZERO, VALUE_ZERO
from plregions.kernels.spatial_layout import (
    BOUND,
    CORNERS,
    CUT,
    CUTTER,
    DEPTH,
    EDGES,
    END,
    FILTER,
    LAYER,
    LEAVES,
    LEFT,
    LISTED,
    MARK,
    N_ASKED,
    N_LEAVES,
    N_OPENED,
    N_SPLITS,
    NEED_POINT,
    NEXT,
    OFF,
    OLD_CORNERS,
    ON,
    POOL,
    POP,
    RADIUS,
    RIGHT,
    SIZE,
    STAGE,
    START,
    TOP,
    TOUCHED,
    VERTICES,
    WORD,
    A,
    B,
    C,
    D,
    X,
    Y,
    Z,
)
from plregions.kernels.spatial_rows import make_rows
from plregions.kernels.spatial_signs import UNSURE, row_sign, set_corner, whole_sign

__all__ = ["spatial_walk"]

# Powers of two below 2**66 have different remainders modulo 67.
PLACE = np.zeros(67, dtype=np.int64)
PLACE[[2**i % 67 for i in range(66)]] = np.arange(66)

POSITIVE_SIDE, NEGATIVE_SIDE, BOTH_SIDES = 1, 2, 3


@inlined_kernel
def _open_layer(net, t, slot, layer, n_walk):
    """Fix the units of a layer that do not cut the cell, and write the signs of the others.

    Returns the number of signs that are not proved.
    """
    k = t.cell[slot, VERTICES]
    corners = t.vertex[slot]
    V, R = t.V, t.R
    first = net.layer_first[layer]
    count = min(net.layer_first[layer + 1], n_walk) - first
    above, below = t.above[layer], t.below[layer]
    n_words = t.doubt.shape[1]
    radius = 0.0
    for v in range(k):
        corner = corners[v]
        radius = max(radius, V[corner, RADIUS])
        for j in range(n_words):
            above[corner, j] = 0
            below[corner, j] = 0
            t.doubt[corner, j] = 0
    radius *= 1.0 + 8.0 * EPS
    a, b, c, d = R[A, first:], R[B, first:], R[C, first:], R[D, first:]
    bound, size = R[BOUND, first:], R[SIZE, first:]
    own = t.bits[first:]
    low, high = t.low, t.high
    # The loops are short and over views that start at 0, so that they become vector instructions.
    x, y, z = V[corners[0], X], V[corners[0], Y], V[corners[0], Z]
    for i in range(count):
        value = a[i] * x + b[i] * y + c[i] * z + d[i]
        low[i] = value
        high[i] = value
    for v in range(1, k):
        x, y, z = V[corners[v], X], V[corners[v], Y], V[corners[v], Z]
        for i in range(count):
            value = a[i] * x + b[i] * y + c[i] * z + d[i]
            low[i] = value if value < low[i] else low[i]
            high[i] = value if value > high[i] else high[i]
    # After this ``low`` and ``high`` hold what lies beyond the bounds.
    for i in range(count):
        slack = bound[i] + size[i] * radius
        low[i] -= slack
        high[i] += slack
    for j in range(n_words):
        t.word[slot, LISTED, j] = 0
    unsure = 0
    for i in range(count):
        if low[i] > 0.0:
            own[i] = 1
        elif high[i] < 0.0:
            own[i] = 0
        elif net.bit[first + i] < 0:
            continue
        elif t.flags[first + i] == LINEAR_ZERO | VALUE_ZERO:
            own[i] = 0
        else:
            # A multiple of another unit is decided with it.
            other = t.first[first + i]
            place = i if other < 0 else other - first
            j = place // WORD
            one = 1 << (place - j * WORD)
            if other >= 0:
                if t.flags[other] == LINEAR_ZERO | VALUE_ZERO:
                    own[i] = 0
                elif t.word[slot, LISTED, j] & one == 0:
                    own[i] = own[place] ^ t.is_opposite[first + i]
                continue
            t.word[slot, LISTED, j] |= one
            for v in range(k):
                corner = corners[v]
                s = row_sign(
                    R, t.flags, first + i, V[corner, X], V[corner, Y], V[corner, Z],
                    V[corner, RADIUS],
                )  # fmt: skip
                if s == UNSURE:
                    e, f, g = t.tight[corner, 0], t.tight[corner, 1], t.tight[corner, 2]
                    s = whole_sign(R, e, f, g, first + i)
                if s == 1:
                    above[corner, j] |= one
                elif s == -1:
                    below[corner, j] |= one
                elif s == UNSURE:
                    t.doubt[corner, j] |= one
                    unsure += 1
    if t.linear[layer]:
        for i in range(count):
            if net.bit[first + i] < 0:
                own[i] = 1
    return unsure


@inlined_kernel
def _list_units(t, slot, layer):
    """Keep those touched units that cut the cell; all signs are known."""
    k = t.cell[slot, VERTICES]
    for j in range(t.doubt.shape[1]):
        positive, negative = 0, 0
        for v in range(k):
            positive |= t.above[layer, t.vertex[slot, v], j]
            negative |= t.below[layer, t.vertex[slot, v], j]
        t.word[slot, ON, j] = positive
        t.word[slot, OFF, j] = negative
        t.word[slot, LISTED, j] = t.word[slot, TOUCHED, j] & positive & negative


@inlined_kernel
def _enter(net, t, slot, anew):
    """Set the bits that were fixed when the cell was made.

    Below at most ``anew`` splits the rows of the next layer are forgotten.
    """
    layer = t.cell[slot, LAYER]
    if t.cell[slot, DEPTH] <= anew:
        t.state[layer + 1, 0] = 0
    first = net.layer_first[layer]
    for j in range(t.doubt.shape[1]):
        fixed = t.word[slot, TOUCHED, j] & ~t.word[slot, LISTED, j]
        on, off = t.word[slot, ON, j], t.word[slot, OFF, j]
        while fixed != 0:
            one = fixed & -fixed
            fixed ^= one
            unit = first + j * WORD + PLACE[one % 67]
            t.bits[unit] = 1 if on & one != 0 else 0
            unit = t.later[unit]
            while unit >= 0:
                side = off if t.is_opposite[unit] else on
                t.bits[unit] = 1 if side & one != 0 else 0
                unit = t.later[unit]


@inlined_kernel
def _cut_edges(net, t, slot):
    """Make the corners where the first listed unit cuts edges, with all other units' signs there.

    Returns the number of signs not proved.
    """
    ctl, V, R = t.ctl, t.V, t.R
    layer = t.cell[slot, LAYER]
    first = net.layer_first[layer]
    above, below = t.above[layer], t.below[layer]
    n_words = t.doubt.shape[1]
    word = 0
    while t.word[slot, LISTED, word] == 0:
        word += 1
    one = t.word[slot, LISTED, word]
    one &= -one
    unit = first + word * WORD + PLACE[one % 67]
    ctl[CUTTER] = unit
    ctl[OLD_CORNERS] = ctl[CORNERS]
    t.word[slot, LISTED, word] ^= one
    unsure = 0
    edges = t.edge[slot]
    for i in range(t.cell[slot, EDGES]):
        v, w = edges[i, START], edges[i, END]
        opposite = (above[v, word] & below[w, word]) | (below[v, word] & above[w, word])
        if opposite & one == 0:
            continue
        new = ctl[CORNERS]
        ctl[CORNERS] += 1
        f, g = edges[i, LEFT], edges[i, RIGHT]
        set_corner(R, t.flags, f, g, unit, V, new)
        t.tight[new, 0] = f
        t.tight[new, 1] = g
        t.tight[new, 2] = unit
        x, y, z, radius = V[new, X], V[new, Y], V[new, Z], V[new, RADIUS]
        for j in range(n_words):
            listed = t.word[slot, LISTED, j]
            # A unit of one sign at both ends, or 0 at one of them, has that sign in between.
            up, down = above[v, j] | above[w, j], below[v, j] | below[w, j]
            both = up & down & listed
            up &= listed & ~both
            down &= listed & ~both
            doubt = 0
            while both != 0:
                other = both & -both
                both ^= other
                u = first + j * WORD + PLACE[other % 67]
                s = row_sign(R, t.flags, u, x, y, z, radius)
                if s == UNSURE:
                    s = whole_sign(R, f, g, unit, u)
                if s == 1:
                    up |= other
                elif s == -1:
                    down |= other
                elif s == UNSURE:
                    doubt |= other
                    unsure += 1
            above[new, j] = up
            below[new, j] = down
            t.doubt[new, j] = doubt
    t.word[slot, LISTED, word] |= one
    return unsure


@inlined_kernel
def _add_edge(t, child, v, w, f, g):
    n = t.cell[child, EDGES]
    edge = t.edge[child, n]
    edge[START] = v
    edge[END] = w
    edge[LEFT] = f
    edge[RIGHT] = g
    t.cell[child, EDGES] = n + 1


@inlined_kernel
def _meet(t, f, corner, zero, one, unit):
    """The cut meets the boundary of facet f at a corner; the second time this makes an edge."""
    if t.open_end[f] < 0:
        t.open_end[f] = corner
    else:
        _add_edge(t, zero, t.open_end[f], corner, f, unit)
        _add_edge(t, one, t.open_end[f], corner, f, unit)
        t.open_end[f] = -1


@inlined_kernel
def _split(net, t, slot, zero, one):
    """Write the parts of a cell on both sides of the cut."""
    ctl = t.ctl
    layer = t.cell[slot, LAYER]
    unit = ctl[CUTTER]
    place = unit - net.layer_first[layer]
    word = place // WORD
    shift = place - word * WORD
    above, below = t.above[layer], t.below[layer]
    n_edges = t.cell[slot, EDGES]
    edges = t.edge[slot]
    for child in (zero, one):
        t.cell[child, EDGES] = 0
        t.cell[child, VERTICES] = 0
        t.cell[child, LAYER] = layer
        t.cell[child, DEPTH] = t.cell[slot, DEPTH] + 1
        t.cell[child, POOL] = ctl[CORNERS]
    for i in range(n_edges):
        t.side[edges[i, LEFT]] = 0
        t.side[edges[i, RIGHT]] = 0
    for i in range(n_edges):
        v, w = edges[i, START], edges[i, END]
        sides = (above[v, word] | above[w, word]) >> shift & 1
        sides |= ((below[v, word] | below[w, word]) >> shift & 1) << 1
        t.side[edges[i, LEFT]] |= sides
        t.side[edges[i, RIGHT]] |= sides
    new = ctl[OLD_CORNERS]
    for i in range(n_edges):
        v, w, f, g = edges[i, START], edges[i, END], edges[i, LEFT], edges[i, RIGHT]
        s = (above[v, word] >> shift & 1) - (below[v, word] >> shift & 1)
        r = (above[w, word] >> shift & 1) - (below[w, word] >> shift & 1)
        if s * r < 0:
            _add_edge(t, one if s > 0 else zero, v, new, f, g)
            _add_edge(t, one if r > 0 else zero, w, new, f, g)
            _meet(t, f, new, zero, one, unit)
            _meet(t, g, new, zero, one, unit)
            new += 1
        elif s + r > 0:
            _add_edge(t, one, v, w, f, g)
            if s * r == 0:
                # Of each facet that the cut crosses here, just one edge goes up from here.
                corner = v if s == 0 else w
                if t.side[f] == BOTH_SIDES:
                    _meet(t, f, corner, zero, one, unit)
                if t.side[g] == BOTH_SIDES:
                    _meet(t, g, corner, zero, one, unit)
        elif s + r < 0:
            _add_edge(t, zero, v, w, f, g)
        else:
            # An edge in the cut: one of its facets lies above and one below.
            if t.side[f] == NEGATIVE_SIDE:
                f, g = g, f
            _add_edge(t, one, v, w, f, unit)
            _add_edge(t, zero, v, w, g, unit)
    n_zero, n_one = 0, 0
    for i in range(t.cell[slot, VERTICES]):
        v = t.vertex[slot, i]
        if below[v, word] >> shift & 1 == 0:
            t.vertex[one, n_one] = v
            n_one += 1
        if above[v, word] >> shift & 1 == 0:
            t.vertex[zero, n_zero] = v
            n_zero += 1
    for v in range(ctl[OLD_CORNERS], ctl[CORNERS]):
        t.vertex[one, n_one] = v
        n_one += 1
        t.vertex[zero, n_zero] = v
        n_zero += 1
    t.cell[one, VERTICES] = n_one
    t.cell[zero, VERTICES] = n_zero
    for child in (zero, one):
        for j in range(t.doubt.shape[1]):
            t.word[child, TOUCHED, j] = t.word[slot, LISTED, j]
        _list_units(t, child, layer)


@inlined_kernel
def _emit(net, t, slot, n_bits):
    """Append the current cell to the leaf buffer; is its point proved to lie inside?"""
    ctl, R = t.ctl, t.R
    leaf = ctl[LEAVES]
    ctl[LEAVES] += 1
    ctl[N_LEAVES] += 1
    ctl[MARK] += 1
    n_units = net.bit.shape[0]
    own_bits, kept = t.leaf_bits[leaf], t.leaf_kept[leaf]
    for i in range(own_bits.shape[0]):
        own_bits[i] = t.bits[i]
    for b in range(kept.shape[0]):
        kept[b] = 0
    k = t.cell[slot, VERTICES]
    x, y, z = 0.0, 0.0, 0.0
    for v in range(k):
        corner = t.vertex[slot, v]
        x += t.V[corner, X]
        y += t.V[corner, Y]
        z += t.V[corner, Z]
    x /= k
    y /= k
    z /= k
    t.leaf_point[leaf, 0] = x
    t.leaf_point[leaf, 1] = y
    t.leaf_point[leaf, 2] = z
    proved = True
    for i in range(t.cell[slot, EDGES]):
        for side in (LEFT, RIGHT):
            row = t.edge[slot, i, side]
            if t.mark[row] == ctl[MARK]:
                continue
            t.mark[row] = ctl[MARK]
            b = net.bit[row] if row < n_units else n_bits + row - n_units
            if b >> 3 < kept.shape[0]:
                kept[b >> 3] |= 128 >> (b & 7)
            value = R[A, row] * x + R[B, row] * y + R[C, row] * z + R[D, row]
            proved &= (value if t.bits[row] else -value) > R[BOUND, row]
    return proved


@kernel
def spatial_walk(net, t, n_layers, n_walk, n_bits, budget, anew, deepest):
    """Walk until something has to be done outside; returns the status.

    The first ``n_layers`` layers hold the ``n_walk`` units that are to be decided. Cells come in
    lexicographic order of their patterns. What is found below a cell of at most ``anew`` splits
    depends on the cell alone, and not on the rows that were made for others. Cells below
    ``deepest`` splits are left to others, with status SUBTREE.
    """
    ctl, slots, cell = t.ctl, t.slots, t.cell
    work = 0
    while True:
        stage = ctl[STAGE]
        slot = slots[ctl[TOP]]
        if stage == NEXT and cell[slot, DEPTH] == deepest:
            return SUBTREE
        listed = 0
        for j in range(t.doubt.shape[1]):
            listed |= t.word[slot, LISTED, j]
        if stage == NEXT and listed != 0:
            n_edges = cell[slot, EDGES]
            if (
                ctl[TOP] + 2 >= slots.shape[0]
                or 2 * n_edges > t.edge.shape[1]
                or ctl[CORNERS] + n_edges > t.V.shape[0]
            ):
                return GROW
            if work > budget:
                return PAUSE
            work += 1 + n_edges // 32
            ctl[N_SPLITS] += 1
            ctl[STAGE] = CUT
            unsure = _cut_edges(net, t, slot)
            if unsure:
                ctl[N_ASKED] += unsure
                return NEED_EXACT
        elif stage == NEXT:
            layer = cell[slot, LAYER] + 1
            if layer == n_layers:
                if ctl[LEAVES] == t.leaf_bits.shape[0]:
                    return CHUNK_FULL
                ctl[STAGE] = POP
                if not _emit(net, t, slot, n_bits):
                    return NEED_POINT
                continue
            if work > budget:
                return PAUSE
            cell[slot, LAYER] = layer
            ctl[STAGE] = FILTER
            ctl[N_OPENED] += 1
            count = net.layer_first[layer + 1] - net.layer_first[layer]
            work += 1 + count * cell[slot, VERTICES] // 1000
            if layer > 0:
                make_rows(net, layer, t)
                work += count * (net.layer_first[layer] - net.layer_first[layer - 1]) // 2000
            unsure = _open_layer(net, t, slot, layer, n_walk)
            if unsure:
                ctl[N_ASKED] += unsure
                return NEED_EXACT
        elif stage == CUT:
            top = ctl[TOP]
            zero, one = slots[top + 2], slots[top + 1]
            _split(net, t, slot, zero, one)
            slots[top] = one
            slots[top + 1] = zero
            slots[top + 2] = slot
            ctl[TOP] = top + 1
            _enter(net, t, zero, anew)
            ctl[STAGE] = NEXT
        elif stage == FILTER:
            for j in range(t.doubt.shape[1]):
                t.word[slot, TOUCHED, j] = t.word[slot, LISTED, j]
            _list_units(t, slot, cell[slot, LAYER])
            _enter(net, t, slot, anew)
            ctl[STAGE] = NEXT
        else:
            if ctl[TOP] == 0:
                return DONE
            ctl[TOP] -= 1
            slot = slots[ctl[TOP]]
            ctl[CORNERS] = cell[slot, POOL]
            _enter(net, t, slot, anew)
            ctl[STAGE] = NEXT
