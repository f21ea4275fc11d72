"""Least distances of parallel hyperplanes around cells, given by vertices and incidences.

A direction in which a cell is narrowest is normal to a facet of the difference of the cell with
itself, so to two faces of the cell whose dimensions sum to dim - 1. One of them lies in k =
(dim + 1) // 2 facets or fewer: the direction is a combination, not negative, of k facets' normals,
and all k hold one face of dimension dim - k. So few variables are enough: one search for each set
of k facets that share so many vertices.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from plregions.kernels.compile import inner_kernel, kernel

__all__ = ["slab_widths"]

# Of the width: nothing narrower by more than this part of it is left out.
TIE = 1e-13


@inner_kernel
def _first_corners(slack, normals, chosen, k, n, d, corner, label, length):
    """Put down the corners of {x >= 0 : x.p <= 1}, where p are the slacks of a point inside.

    The point is a vertex, or the mean of all: the one whose least slack is largest.
    """
    best, centre = -1.0, 0
    for v in range(n + 1):
        least = slack[chosen[0], v]
        for i in range(1, k):
            least = min(least, slack[chosen[i], v])
        if least > best:
            best, centre = least, v
    for p in range(k + 1):
        at = 0
        for i in range(k + 1):
            if i != p:
                label[p, at] = i
                at += 1
        for i in range(k):
            corner[p, i] = 0.0
        if p < k:
            corner[p, p] = 1.0 / slack[chosen[p], centre]
        length[p] = _length(normals, chosen, k, d, corner, p)


@inner_kernel
def _length(normals, chosen, k, d, corner, p):
    """Return the length of the combination of normals that a corner stands for."""
    squares = 0.0
    for c in range(d):
        total = 0.0
        for i in range(k):
            total += corner[p, i] * normals[chosen[i], c]
        squares += total * total
    return sqrt(squares)


@inner_kernel
def _are_joined(label, p, q, k):
    """Tell whether two corners lie on k - 1 walls together."""
    common = 0
    for i in range(k):
        for j in range(k):
            if label[p, i] == label[q, j]:
                common += 1
    return common == k - 1


@inner_kernel
def _cut(normals, chosen, k, d, count, name, corner, label, length, value):
    """Cut off the corners with a value above 1 by the wall ``name``.

    Returns how many corners there are then, or -1 where there is no room for them. A corner that
    is on the wall stays as it is, as if the wall were a little farther out.
    """
    before = count
    for p in range(before):
        if value[p] > 1.0 + TIE:
            for q in range(before):
                if value[q] <= 1.0 + TIE and _are_joined(label, p, q, k):
                    if count == len(corner):
                        return -1
                    part = max(1.0 - value[q], 0.0) / (value[p] - value[q])
                    for i in range(k):
                        corner[count, i] = (1.0 - part) * corner[q, i] + part * corner[p, i]
                    at = 0
                    for i in range(k):
                        for j in range(k):
                            if label[p, i] == label[q, j]:
                                label[count, at] = label[p, i]
                                at += 1
                    label[count, at] = name
                    length[count] = _length(normals, chosen, k, d, corner, count)
                    value[count] = 1.0
                    count += 1
    kept = 0
    for p in range(count):
        if value[p] <= 1.0 + TIE:
            if kept != p:
                for i in range(k):
                    corner[kept, i] = corner[p, i]
                    label[kept, i] = label[p, i]
                length[kept] = length[p]
            kept += 1
    return kept


@inner_kernel
def _narrowest(slack, normals, chosen, k, n, d, least, corner, label, length, value):
    """Return the least width over the combinations of k normals, if below ``least``.

    Between hyperplanes normal to u = sum x_i n_i the cell's width is max_v x.slack(v) over the
    length of u: so the longest u is sought for which no vertex has more than 1. That is a corner of
    a polyhedron, which is known from outside: its longest corner is one, or is cut off by a vertex.
    Returns -1 where there is no room.
    """
    _first_corners(slack, normals, chosen, k, n, d, corner, label, length)
    count = k + 1
    name = k
    while True:
        best = 0
        for p in range(1, count):
            if length[p] > length[best]:
                best = p
        if not length[best] * least > 1.0 + TIE:
            return least
        top, far = 0.0, 0
        for v in range(n):
            total = 0.0
            for i in range(k):
                total += corner[best, i] * slack[chosen[i], v]
            if total > top:
                top, far = total, v
        least = min(least, top / length[best])
        if top > 1.0 + TIE:
            for p in range(count):
                value[p] = 0.0
                for i in range(k):
                    value[p] += corner[p, i] * slack[chosen[i], far]
            name += 1
            count = _cut(normals, chosen, k, d, count, name, corner, label, length, value)
            if count < 0:
                return -1.0


@inner_kernel
def _set_up(at, n, m, row, height, rows, d, slack, normals):
    """Write slacks in units of each facet's height, and normals in those units; return the least.

    One more column of slacks belongs to the mean of the vertices.
    """
    least = np.inf
    for i in range(m):
        top = 0.0
        total = 0.0
        for v in range(n):
            top = max(top, height[at + v, i])
        for v in range(n):
            slack[i, v] = height[at + v, i] / top
            total += slack[i, v]
        slack[i, n] = total / n
        slack[i, n + 1] = top
        least = min(least, top)
    for i in range(m):
        for c in range(d):
            normals[i, c] = rows[row + i, c] * (least / slack[i, n + 1])
    return least


@kernel
def slab_widths(
    start, first, row_first, row_stop, height, on, rows, d, k, slack, normals,
    face, count, chosen, place, corner, label, length, value, out,
):  # fmt: skip
    """Write the least distance of two parallel hyperplanes around the cells from ``start`` on.

    Cell r has the vertices ``first[r]`` .. ``first[r + 1] - 1`` and the rows ``row_first[r]`` ..
    ``row_stop[r] - 1``. ``height[v, i]`` is the distance of a vertex from facet i of its cell, and
    ``on[v, i]`` tells whether it lies there. Returns the first cell for which there are too few
    ``corner``, or the number of cells.
    """
    for r in range(start, len(row_first)):
        at, n = first[r], first[r + 1] - first[r]
        row, m = row_first[r], row_stop[r] - row_first[r]
        unit = _set_up(at, n, m, row, height, rows, d, slack, normals)
        least = 1.0
        for v in range(n):
            face[0, v] = v
        count[0] = n
        place[0] = 0
        level = 0
        while level >= 0:
            if level == k:
                least = _narrowest(
                    slack, normals, chosen, k, n, d, least, corner, label, length, value
                )
                if least < 0.0:
                    return r
                level -= 1
                continue
            i = place[level]
            place[level] += 1
            if i >= m:
                level -= 1
                continue
            held = 0
            for q in range(count[level]):
                v = face[level, q]
                if on[at + v, i]:
                    face[level + 1, held] = v
                    held += 1
            # A face of dimension d - k has so many vertices at least.
            if held < d - k + 1:
                continue
            chosen[level] = i
            count[level + 1] = held
            level += 1
            place[level] = i + 1
        out[r] = unit * least
    return len(row_first)
