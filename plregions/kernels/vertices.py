"""The vertices of bounded cells in floats, with proved incidences: the double description method.

A cell is cut out of a simplex that holds it well inside, one facet's row at a time. Every vertex is
the meeting point of d rows, found from their inverse with a bound on its error; a cell of which
some sign is not proved is given up, for exact arithmetic. So each cell that is returned is simple.
"""

from __future__ import annotations

from plregions.kernels.compile import inner_kernel, kernel
from plregions.kernels.rows import EPS

__all__ = ["MOST_ROWS", "cell_vertices", "popcount"]

# Rows are bits of an int64: those of the simplex, and the facets.
MOST_ROWS = 62

# What a vertex's error may be: of the domain, and of the least height of the cell.
PRECISION = 2.0**-34
PART_OF_HEIGHT = 2.0**-24


@inner_kernel
def popcount(bits):
    """Count the bits of a number that is not negative."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


@inner_kernel
def _meet(C, E, mask, n_rows, d, W, R, X, error, place):
    """Solve for the point where the rows of a mask meet; False when it is not proved.

    Writes the point to ``X[place]`` and a bound on its error to ``error[place]``.
    """
    k = 0
    worst = 0.0
    for i in range(n_rows):
        if (mask >> i) & 1:
            for c in range(d):
                W[k, c] = C[i, c]
                W[k, d + c] = 0.0
            W[k, d + k] = 1.0
            W[k, 2 * d] = i
            worst = max(worst, E[i])
            k += 1
    for c in range(d):
        lead = c
        for r in range(c + 1, d):
            if abs(W[r, c]) > abs(W[lead, c]):
                lead = r
        if abs(W[lead, c]) < 1e-200:
            return False
        if lead != c:
            for q in range(2 * d):
                W[c, q], W[lead, q] = W[lead, q], W[c, q]
        factor = 1.0 / W[c, c]
        for q in range(2 * d):
            W[c, q] *= factor
        for r in range(d):
            f = W[r, c]
            if r != c and f != 0.0:
                for q in range(2 * d):
                    W[r, q] -= f * W[c, q]
    # R is about the inverse; column d of it holds the bounds on the rows' values at the point.
    size = 1.0
    for a in range(d):
        value = 0.0
        for j in range(d):
            R[a, j] = W[a, d + j]
            value -= R[a, j] * C[int(W[j, 2 * d]), d]
        X[place, a] = value
        size = max(size, abs(value))
    for j in range(d):
        i = int(W[j, 2 * d])
        value = C[i, d]
        spread = abs(C[i, d])
        for a in range(d):
            term = C[i, a] * X[place, a]
            value += term
            spread += abs(term)
        R[j, d] = abs(value) + E[i] * size + 2.0 * (d + 2) * EPS * spread
    defect = 0.0
    norm = 0.0
    for a in range(d):
        total = 0.0
        row = 0.0
        for c in range(d):
            value = -1.0 if a == c else 0.0
            spread = -value
            for j in range(d):
                term = R[a, j] * C[int(W[j, 2 * d]), c]
                value += term
                spread += abs(term)
            total += abs(value) + 2.0 * (d + 2) * EPS * spread
            row += abs(R[a, c])
        defect = max(defect, total)
        norm = max(norm, row)
    defect = (defect + norm * worst) * 1.001
    if not defect < 0.5:
        return False
    bound = 0.0
    for a in range(d):
        total = 0.0
        for j in range(d):
            total += abs(R[a, j]) * R[j, d]
        bound = max(bound, total)
    error[place] = bound / (1.0 - defect) * 1.001 + 1e-300
    return True


@inner_kernel
def _describe(C, E, m, d, W, R, X, error, mask, value, capacity):
    """Find the vertices of one cell: of the rows below ``m``, then come d + 1 of the simplex.

    Returns the number of vertices, or -1 when the cell is given up.
    """
    n_rows = m + d + 1
    for k in range(d + 1):
        i = m + k
        for c in range(d):
            C[i, c] = 1.0 if c == k else 0.0
        C[i, d] = 2.0
        E[i] = 0.0
    for c in range(d):
        C[m + d, c] = -1.0
    C[m + d, d] = 2.0 * d
    every = ((1 << (d + 1)) - 1) << m
    for k in range(d + 1):
        for c in range(d):
            X[k, c] = -2.0
        if k < d:
            X[k, k] = 4.0 * d - 2.0
        error[k] = 0.0
        mask[k] = every & ~(1 << (m + k))
    count = d + 1
    for i in range(m):
        for v in range(count):
            total = C[i, d]
            spread = abs(total)
            size = 1.0
            for c in range(d):
                term = C[i, c] * X[v, c]
                total += term
                spread += abs(term)
                size = max(size, abs(X[v, c]))
            bound = E[i] * size + error[v] * (1.0 + E[i]) + 2.0 * (d + 2) * EPS * spread
            if not abs(total) > bound:
                return -1
            value[v] = total
        before = count
        for p in range(before):
            if value[p] < 0.0:
                for q in range(before):
                    if value[q] > 0.0 and popcount(mask[p] & mask[q]) == d - 1:
                        if count == capacity:
                            return -1
                        mask[count] = (mask[p] & mask[q]) | (1 << i)
                        if not _meet(C, E, mask[count], n_rows, d, W, R, X, error, count):
                            return -1
                        value[count] = 1.0
                        count += 1
        kept = 0
        for v in range(count):
            if value[v] > 0.0:
                if kept != v:
                    for c in range(d):
                        X[kept, c] = X[v, c]
                    error[kept] = error[v]
                    mask[kept] = mask[v]
                kept += 1
        count = kept
    return count


@inner_kernel
def _is_fine(C, m, d, X, error, mask, count):
    """Tell whether all vertices are on facets alone and placed well for the cell's least height."""
    worst = 0.0
    for v in range(count):
        if mask[v] >> m:
            return False
        worst = max(worst, error[v])
    if not worst <= PRECISION:
        return False
    for i in range(m):
        top = 0.0
        length = 0.0
        for c in range(d):
            length += abs(C[i, c])
        for v in range(count):
            total = C[i, d]
            for c in range(d):
                total += C[i, c] * X[v, c]
            top = max(top, total)
        if not worst * length <= PART_OF_HEIGHT * top:
            return False
    return True


@kernel
def cell_vertices(
    offsets, rows, errors, start, d, C, E, W, R, X, error, mask, value,
    out_offsets, out_points, out_tight, is_known,
):  # fmt: skip
    """Find the vertices of the cells from ``start`` on, until the columns are full.

    ``rows[offsets[r]:offsets[r + 1]]`` are cell r's facets with the bounds ``errors``; the cell
    lies in |u_k| <= 1. Vertices go to ``out_points`` with the bits of their d facets in
    ``out_tight``; ``is_known[r]`` is 0 for a cell that was given up, which has none. Returns the
    first cell that was not looked at.
    """
    n = len(offsets) - 1
    capacity = len(X)
    at = out_offsets[start]
    for r in range(start, n):
        m = offsets[r + 1] - offsets[r]
        count = -1
        if m + d + 1 <= MOST_ROWS:
            for i in range(m):
                for c in range(d + 1):
                    C[i, c] = rows[offsets[r] + i, c]
                E[i] = errors[offsets[r] + i]
            count = _describe(C, E, m, d, W, R, X, error, mask, value, capacity)
            if count > 0 and not _is_fine(C, m, d, X, error, mask, count):
                count = -1
        is_known[r] = count > 0
        count = max(count, 0)
        if at + count > len(out_points):
            return r
        for v in range(count):
            for c in range(d):
                out_points[at + v, c] = X[v, c]
            out_tight[at + v] = mask[v]
        at += count
        out_offsets[r + 1] = at
    return n
