"""Bits and signs in the plane that follow from others without arithmetic."""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel, inner_kernel
from plregions.kernels.planar_layout import (
    ABOVE,
    BELOW,
    CORNERS,
    DEPTH,
    EDGE,
    FIXED,
    IS_MADE,
    LAYER,
    LISTED,
    NEGATIVE,
    NUMBER,
    UNSURE,
)
from plregions.kernels.rows import VALUE_ZERO

__all__ = ["corners_at_zero", "enter", "keep_those_that_cut", "meet_in_zero"]


@inlined_kernel
def corners_at_zero(flags, corners, k):
    """Return which corners are 0: those where two rows without a constant meet."""
    found = 0
    before = flags[int(corners[k - 1, EDGE])]
    for v in range(k):
        after = flags[int(corners[v, EDGE])]
        found |= (1 if before & after & VALUE_ZERO else 0) << v
        before = after
    return found


@inner_kernel
def _follow(u, bits, twins, later, opposite):
    """Set the bits of the multiples of a unit that is not 0 everywhere."""
    w = later[u] if twins[u] < 0 else -1
    while w >= 0:
        bits[w] = bits[u] ^ opposite[w]
        w = later[w]


@inlined_kernel
def keep_those_that_cut(slot, cell, unit, bits, has_multiples, twins, later, opposite):
    """Keep those listed units that cut the cell; all signs are known."""
    n = 0
    listed = unit[slot]
    for i in range(cell[slot, LISTED]):
        u, below, above = listed[i, NUMBER], listed[i, BELOW], listed[i, ABOVE]
        if below != 0 and above != 0:
            listed[n, NUMBER] = u
            listed[n, BELOW] = below
            listed[n, ABOVE] = above
            n += 1
        elif below != 0 or above != 0:
            bits[u] = 1 if above != 0 else 0
            if has_multiples:
                _follow(u, bits, twins, later, opposite)
        else:
            bits[u] = 0
            if has_multiples:
                w = later[u]
                while w >= 0:
                    bits[w] = 0
                    w = later[w]
    cell[slot, LISTED] = n


@inner_kernel
def meet_in_zero(slot, ctl, flags, cell, V, unit, end_sign):
    """Write the signs at ends of the cut that are 0, where rows without a constant meet.

    Returns the number of signs that are still not proved.
    """
    cut = flags[unit[slot, 0, NUMBER]]
    unsure = 0
    for e in range(2):
        start = ctl[NEGATIVE + e]
        v = (start if start > 0 else cell[slot, CORNERS]) - 1
        meet = cut & flags[int(V[slot, v, EDGE])]
        for i in range(1, cell[slot, LISTED]):
            if end_sign[i, e] == UNSURE:
                if meet & flags[unit[slot, i, NUMBER]] & VALUE_ZERO:
                    end_sign[i, e] = 0
                else:
                    unsure += 1
    return unsure


@inlined_kernel
def enter(slot, cell, fixed, bits, has_multiples, twins, later, opposite, state, anew):
    """Set the bits that were fixed when the cell was made.

    Below at most ``anew`` splits the rows of the next layer are forgotten.
    """
    if cell[slot, DEPTH] <= anew:
        state[cell[slot, LAYER] + 1, IS_MADE] = 0
    own = fixed[slot]
    for i in range(cell[slot, FIXED]):
        bits[own[i] >> 1] = own[i] & 1
    if has_multiples:
        for i in range(cell[slot, FIXED]):
            _follow(own[i] >> 1, bits, twins, later, opposite)
