"""Which multipliers are exactly 0, because deep rows lie in the span of few others?

The linear part of a row is a combination of those of the active rows of any layer before its own.
So are the linear parts of all rows of the layers between. Where a basis holds as many rows of this
kind as there are active ones, they span all of them, and no other row of the basis takes part.
"""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel
from plregions.kernels.rows import LINEAR_ZERO

__all__ = ["mark_unneeded"]

# Only guides: with multipliers above it, rows are not looked at.
SMALL = 1e-9


@inlined_kernel
def mark_unneeded(net, deep, slope, flags, label, T, nb, d, m, g, sign, unneeded):
    """Mark the basis rows that have no part in row ``g``, if some look like it.

    Row g is that of a unit whose linear part is spanned by those of the active units of each of the
    first ``deep`` layers. The basis has to be one: independent rows of 0..m-1, whose ``label`` is
    their unit, or negative for walls. Returns how many are left. Cost d and the number of units of
    these layers.
    """
    some = False
    for j in range(d):
        unneeded[j] = 0
        if not (-sign * T[d + g, j] > SMALL):
            some = True
    if not some:
        return d
    for layer in range(deep):
        first, last = net.layer_first[layer], net.layer_first[layer + 1]
        active = 0
        for v in range(first, last):
            if slope[v] != 0.0 and not flags[v] & LINEAR_ZERO:
                active += 1
        spanned = 0
        for j in range(d):
            spanned += _is_spanned(slope, label, nb[j], m, first, last)
        if spanned == active:
            for j in range(d):
                if not _is_spanned(slope, label, nb[j], m, first, last):
                    unneeded[j] = 1
    left = d
    for j in range(d):
        left -= unneeded[j]
    return left


@inlined_kernel
def _is_spanned(slope, label, i, m, first, last):
    """Tell whether basis row i is an active one of the units first..last-1, or of a deeper unit."""
    if i < 0 or i >= m or label[i] < first:
        return False
    return label[i] >= last or slope[label[i]] != 0.0
