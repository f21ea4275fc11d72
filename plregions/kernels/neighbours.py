"""Facets listed from bits, and the region beyond each, found in a table of hashes."""

from __future__ import annotations

import numpy as np

from plregions.kernels.compile import inner_kernel, kernel

__all__ = ["list_facets", "match_flips"]

NONE = -1
WORD = 64


@kernel
def list_facets(words, n_bits, n_rows, offsets, labels):
    """Write the facets of each region as columns; return their number.

    Row i of a region is the i-th bit of its ``words``, highest first; those from ``n_rows`` on are
    left out. Rows from ``n_bits`` on are walls, labelled -1, -2, ... Cost of one look at each word
    and each facet.
    """
    total = 0
    offsets[0] = 0
    for r in range(words.shape[0]):
        for k in range(words.shape[1]):
            word = words[r, k]
            while word != 0:
                zeros = _leading_zeros(word)
                word ^= np.uint64(1) << np.uint64(WORD - 1 - zeros)
                i = WORD * k + zeros
                if i < n_rows:
                    labels[total] = i if i < n_bits else n_bits - 1 - i
                    total += 1
        offsets[r + 1] = total
    return total


@inner_kernel
def _leading_zeros(word):
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(WORD - step) == 0:
            word <<= np.uint64(step)
            zeros += step
    return zeros


@kernel
def match_flips(words, homes, single, single_homes, offsets, labels, table, neighbours):
    """Write for each facet the region that differs in the facet's bit alone, or -1.

    ``words`` are the patterns, and ``single[b]`` the pattern with bit b alone. The home of a
    pattern, its place in ``table`` unless others took it, is linear: that of x ^ y is that of x ^
    that of y. ``table`` is scratch, of a power of two of places, more than regions. A match is
    compared bit by bit and has the same facet, so it is found once for both sides. Expected cost:
    constant for each facet.
    """
    last = len(table) - 1
    table[:] = NONE
    for r in range(words.shape[0]):
        place = homes[r]
        while table[place] != NONE:
            place = (place + 1) & last
        table[place] = r
    neighbours[:] = NONE
    for r in range(words.shape[0]):
        for facet in range(offsets[r], offsets[r + 1]):
            bit = labels[facet]
            if bit < 0 or neighbours[facet] != NONE:
                continue
            place = homes[r] ^ single_homes[bit]
            while table[place] != NONE:
                beyond = table[place]
                if _differ_by(words, r, beyond, single, bit):
                    for other in range(offsets[beyond], offsets[beyond + 1]):
                        if labels[other] == bit:
                            neighbours[facet] = beyond
                            neighbours[other] = r
                    break
                place = (place + 1) & last


@inner_kernel
def _differ_by(words, r, s, single, bit):
    for k in range(words.shape[1]):
        if words[r, k] ^ words[s, k] != single[bit, k]:
            return False
    return True
