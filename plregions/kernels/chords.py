"""Narrow slabs around cells in many dimensions, given by their facets alone."""

from __future__ import annotations

from math import sqrt

import numpy as np

from plregions.kernels.compile import inner_kernel, kernel
from plregions.kernels.simplex import crash, pivot, ratio_test, steepest

__all__ = ["narrow_slabs"]

# A slab that is narrower by less than this part of it is no gain.
GAIN = 1e-12
# Multiplications for the walks of one cell, about: a few seconds. One is made in any case.
WORK = 2**29
# A direction that meets a facet at an angle below this is taken to be along it.
ALONG = 1e-9


@inner_kernel
def _reach(slack, rows, row, m, d, C, T, nb, col, point):
    """Return how far a cell reaches from 0 at most; infinite where a walk finds no end."""
    for i in range(m):
        for c in range(d):
            C[i, c] = rows[row + i, c]
        C[i, d] = slack[i]
    for c in range(d):
        point[c] = 0.0
    if not crash(T, C, nb, col, d, m, point):
        return np.inf
    squares = 0.0
    for c in range(d):
        far = 0.0
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for _ in range(50 * (m + d)):
                j = steepest(T, d, c, sign)
                if j < 0:
                    break
                _, stop = ratio_test(T, d, m, j, -1)
                if stop < 0:
                    return np.inf
                pivot(T, nb, col, d, m, stop, j)
            else:
                return np.inf
            far = max(far, sign * T[c, d])
        squares += far * far
    return sqrt(squares)


@inner_kernel
def _slab_across(slack, rows, row, m, d, reach, direction, normal, C, T, nb, col, point):
    """Return the width of the slab at the ends of a longest chord of a cell in a direction.

    Writes its normal. The chord goes from x to x + t direction; where t is largest, it is a
    constant minus a sum of slacks: those at the second end sum up to the normal, those at the first
    to its opposite. Whatever is amiss there, the cell ends within ``reach``. Infinite where the
    walk finds no end.
    """
    size = 0.0
    for c in range(d):
        size += direction[c] * direction[c]
    size = sqrt(size)
    for i in range(m):
        along = 0.0
        for c in range(d):
            C[i, c] = rows[row + i, c]
            C[m + i, c] = rows[row + i, c]
            along += rows[row + i, c] * direction[c] / size
        if abs(along) < ALONG:
            along = 0.0
        C[i, d] = 0.0
        C[m + i, d] = along
        C[i, d + 1] = slack[i]
        C[m + i, d + 1] = slack[i]
    for c in range(d + 1):
        point[c] = 0.0
        normal[c % d] = 0.0
    if not crash(T, C, nb, col, d + 1, 2 * m, point):
        return np.inf
    for _ in range(50 * (m + d)):
        j = steepest(T, d + 1, d, 1.0)
        if j < 0:
            break
        _, stop = ratio_test(T, d + 1, 2 * m, j, -1)
        if stop < 0:
            return np.inf
        pivot(T, nb, col, d + 1, 2 * m, stop, j)
    else:
        return np.inf
    width = 0.0
    for j in range(d + 1):
        width += max(-T[d, j], 0.0) * C[nb[j], d + 1]
    amiss = 0.0
    length = 0.0
    for c in range(d):
        rest = 0.0
        for j in range(d + 1):
            term = max(-T[d, j], 0.0) * C[nb[j], c]
            rest += term
            if nb[j] >= m:
                normal[c] += term
        amiss += rest * rest
        length += normal[c] * normal[c]
    return (width + 2.0 * sqrt(amiss) * reach) / sqrt(length)


@kernel
def narrow_slabs(
    start,
    stop,
    offsets,
    rows,
    balls,
    starts,
    diameter,
    d,
    slack,
    direction,
    normal,
    C,
    T,
    nb,
    col,
    point,
    out,
):
    """Write the width of a narrow slab around cells start .. stop - 1.

    The slab at the ends of a longest chord in a direction is no wider than the one across that
    direction. So the normal of each facet, and each of ``starts``, is turned until that gains
    nothing, or time is up. ``balls`` has a centre inside each cell, and an infinite radius for a
    cell that is left out, as is one of which floats find no point inside. ``diameter`` is that of
    the domain.
    """
    for r in range(start, stop):
        row, m = offsets[r], offsets[r + 1] - offsets[r]
        depth = np.inf if balls[r, d] < np.inf else 0.0
        for i in range(m):
            slack[i] = rows[row + i, d]
            for c in range(d):
                slack[i] += rows[row + i, c] * balls[r, c]
            depth = min(depth, slack[i])
        if not depth > 0.0:
            continue
        least = np.inf
        reach = diameter
        if not diameter < np.inf:
            reach = _reach(slack, rows, row, m, d, C, T, nb, col, point)
        walks = max(WORK // ((d + 1) * (d + 1) * (d + 2 * m)), 1)
        for i in range(m + len(starts)):
            for c in range(d):
                direction[c] = rows[row + i, c] if i < m else starts[i - m, c]
            last = np.inf
            while walks > 0:
                walks -= 1
                width = _slab_across(
                    slack, rows, row, m, d, reach, direction, normal, C, T, nb, col, point
                )
                if not width < last * (1.0 - GAIN):
                    break
                last = width
                for c in range(d):
                    direction[c] = normal[c]
            least = min(least, last)
        if least < np.inf:
            out[r] = least
