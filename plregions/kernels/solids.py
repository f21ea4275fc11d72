"""Volumes, centroids, widths and inscribed balls of cells, given by vertices and incidences."""

from __future__ import annotations

from math import sqrt

import numpy as np

from plregions.kernels.compile import inner_kernel, kernel
from plregions.kernels.simplex import crash, pivot, ratio_test, steepest
from plregions.kernels.vertices import popcount

__all__ = ["inscribed_balls", "volumes", "widths"]


@inner_kernel
def _determinant(points, chain, d, W):
    """Return abs(det) of the edges from the first point of a chain of d + 1."""
    for i in range(d):
        for c in range(d):
            W[i, c] = points[chain[i + 1], c] - points[chain[0], c]
    result = 1.0
    for c in range(d):
        lead = c
        for r in range(c + 1, d):
            if abs(W[r, c]) > abs(W[lead, c]):
                lead = r
        if W[lead, c] == 0.0:
            return 0.0
        if lead != c:
            for q in range(c, d):
                W[c, q], W[lead, q] = W[lead, q], W[c, q]
        result *= W[c, c]
        for r in range(c + 1, d):
            f = W[r, c] / W[c, c]
            if f != 0.0:
                for q in range(c + 1, d):
                    W[r, q] -= f * W[c, q]
    return abs(result)


@inner_kernel
def _part(tight, face, count, level, bit):
    """Put the vertices of a face that lie on a facet one level down.

    Returns how many they are, and the bits of all facets that hold them.
    """
    n = 0
    closure = -1
    for k in range(count[level]):
        v = face[level, k]
        if (tight[v] >> bit) & 1:
            face[level + 1, n] = v
            closure &= tight[v]
            n += 1
    count[level + 1] = n
    return n, closure


@inner_kernel
def _is_largest(tight, face, count, level, extra, n):
    """Tell whether no facet of ``extra``, which all hold a part of n vertices, cuts out more."""
    while extra != 0:
        bit = 0
        while not (extra >> bit) & 1:
            bit += 1
        extra &= extra - 1
        size = 0
        for k in range(count[level]):
            size += (tight[face[level, k]] >> bit) & 1
        if size != n:
            return False
    return True


@kernel
def volumes(
    start, stop, offsets, points, tight, n_facets, d, face, count, closure, bit, chain, W, out
):
    """Write the volume times d! and the first moments of cells start .. stop - 1 to ``out[r]``.

    The first vertex of each face is joined to the facets that do not hold it, down to points;
    see `plregions.regions.simplices`. Moments are relative to the first vertex.
    """
    for r in range(start, stop):
        first, n = offsets[r], offsets[r + 1] - offsets[r]
        for c in range(d + 1):
            out[r, c] = 0.0
        if n == 0:
            continue
        for k in range(n):
            face[0, k] = first + k
        count[0] = n
        closure[0] = 0
        bit[0] = 0
        level = 0
        while level >= 0:
            apex = face[level, 0]
            chain[level] = apex
            if level == d:
                size = _determinant(points, chain, d, W)
                out[r, 0] += size
                for c in range(d):
                    total = 0.0
                    for k in range(1, d + 1):
                        total += points[chain[k], c] - points[first, c]
                    out[r, 1 + c] += size * total
                level -= 1
                continue
            b = bit[level]
            bit[level] += 1
            if b >= n_facets[r]:
                level -= 1
                continue
            if (closure[level] >> b) & 1 or (tight[apex] >> b) & 1:
                continue
            n, held = _part(tight, face, count, level, b)
            if n == 0:
                continue
            extra = held & ~closure[level]
            # Of the facets that cut out the same part the first one speaks for all.
            if extra & ((1 << b) - 1):
                continue
            if extra != 1 << b and not _is_largest(tight, face, count, level, extra, n):
                continue
            level += 1
            closure[level] = held
            bit[level] = 0


@kernel
def inscribed_balls(offsets, rows, points, d, C, T, nb, col, point, out):
    """Write each cell's largest ball to ``out[r]``: (centre, radius).

    ``rows`` are the facets' rows with normals of length 1, ``points`` a point inside each cell.
    A primal simplex walk in d + 1 variables, the last one the radius. The radius is the centre's
    least distance to a facet; infinite, with the given point for centre, where balls have no end;
    NaN for a cell that contains a line.
    """
    for r in range(len(offsets) - 1):
        m = offsets[r + 1] - offsets[r]
        for i in range(m):
            for c in range(d):
                C[i, c] = rows[offsets[r] + i, c]
            C[i, d] = -1.0
            C[i, d + 1] = rows[offsets[r] + i, d]
        for c in range(d):
            point[c] = points[r, c]
            out[r, c] = points[r, c]
        point[d] = 0.0
        out[r, d] = np.nan
        if not crash(T, C, nb, col, d + 1, m, point):
            continue
        out[r, d] = np.inf
        has_end = True
        for _ in range(50 * (m + d)):
            j = steepest(T, d + 1, d, 1.0)
            if j < 0:
                break
            _, stop = ratio_test(T, d + 1, m, j, -1)
            if stop < 0:
                has_end = False
                break
            pivot(T, nb, col, d + 1, m, stop, j)
        if has_end:
            for c in range(d):
                out[r, c] = T[c, d + 1]
            for i in range(m):
                total = C[i, d + 1]
                for c in range(d):
                    total += C[i, c] * out[r, c]
                out[r, d] = min(out[r, d], total)
            out[r, d] = max(out[r, d], 0.0)


@kernel
def widths(offsets, points, tight, row_offsets, rows, d, out):
    """Write the least distance of two parallel hyperplanes around each cell, d <= 3.

    It is attained with a facet on one side, or in three dimensions with an edge on each.
    """
    for r in range(len(offsets) - 1):
        first, last = offsets[r], offsets[r + 1]
        least = np.inf
        for i in range(row_offsets[r], row_offsets[r + 1]):
            top = 0.0
            for v in range(first, last):
                total = rows[i, d]
                for c in range(d):
                    total += rows[i, c] * points[v, c]
                top = max(top, total)
            least = min(least, top)
        if d == 3:
            for a in range(first, last):
                for b in range(a + 1, last):
                    if popcount(tight[a] & tight[b]) < 2:
                        continue
                    p0 = points[b, 0] - points[a, 0]
                    p1 = points[b, 1] - points[a, 1]
                    p2 = points[b, 2] - points[a, 2]
                    for e in range(a + 1, last):
                        for f in range(e + 1, last):
                            if popcount(tight[e] & tight[f]) < 2:
                                continue
                            q0 = points[f, 0] - points[e, 0]
                            q1 = points[f, 1] - points[e, 1]
                            q2 = points[f, 2] - points[e, 2]
                            n0 = p1 * q2 - p2 * q1
                            n1 = p2 * q0 - p0 * q2
                            n2 = p0 * q1 - p1 * q0
                            length = sqrt(n0 * n0 + n1 * n1 + n2 * n2)
                            if not length > 1e-12 * sqrt(
                                (p0 * p0 + p1 * p1 + p2 * p2) * (q0 * q0 + q1 * q1 + q2 * q2)
                            ):
                                continue
                            low = np.inf
                            high = -np.inf
                            for v in range(first, last):
                                total = (
                                    n0 * (points[v, 0] - points[a, 0])
                                    + n1 * (points[v, 1] - points[a, 1])
                                    + n2 * (points[v, 2] - points[a, 2])
                                )
                                low = min(low, total)
                                high = max(high, total)
                            least = min(least, (high - low) / length)
        out[r] = least
