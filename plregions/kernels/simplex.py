"""The primal simplex walk on a dictionary, as a proposer: nothing decided here is believed.

The dictionary ``T`` writes the point (rows 0..d-1) and every constraint (row d + i for constraint
i) as an affine function of the ``d`` slacks that are zero at the current vertex; column ``d`` is
the constant, column ``d + 1`` is scratch. ``nb[j]`` is the constraint of column ``j``, ``col[i]``
the column of constraint ``i`` or -1. A non-basic constraint's row is a unit row, so one rule
updates all rows. The dictionary is stored by columns: they are longer than the rows, and the
processor takes several entries of one at a time.
"""

from __future__ import annotations

import numpy as np

from plregions.kernels.compile import kernel

__all__ = ["crash", "flip_column", "pivot", "ratio_test", "refactor", "set_row", "steepest"]

PIVOT_FLOOR = 1e-11


@kernel
def pivot(T, nb, col, d, m, i, j):
    """Make constraint ``i`` tight in place of column ``j``; ``m`` constraints. Cost (d + m) * d."""
    lead = d + i
    inverse = 1.0 / T[lead, j]
    for r in range(d + m):
        T[r, j] *= inverse
    for k in range(d + 1):
        f = T[lead, k]
        if f == 0.0 or k == j:
            continue
        for r in range(d + m):
            T[r, k] -= f * T[r, j]
        T[lead, k] = 0.0
    T[lead, j] = 1.0
    if nb[j] >= 0:
        col[nb[j]] = -1
    nb[j] = i
    col[i] = j


@kernel
def flip_column(T, d, m, i, j):
    """Turn constraint ``i``, tight in column ``j``, into its opposite."""
    for r in range(d + m):
        T[r, j] = -T[r, j]
    T[d + i, j] = 1.0


@kernel
def set_row(T, C, nb, col, d, i):
    """Write constraint ``i`` into the dictionary as a basic row. Cost d * d."""
    for k in range(d + 1):
        total = C[i, d] if k == d else 0.0
        for a in range(d):
            total += C[i, a] * T[a, k]
        T[d + i, k] = total
    col[i] = -1


@kernel
def steepest(T, d, r, sign):
    """Column along whose edge ``sign * T[r]`` rises most per unit of length, or -1.

    Slopes that may be nothing but rounding noise are left out, only to avoid useless pivots. No
    branch depends on the sign of a single slope.
    """
    best = 1e-26
    choice = -1
    for j in range(d):
        length = 0.0
        for a in range(d):
            length += T[a, j] * T[a, j]
        rise = max(sign * T[r, j], 0.0)
        score = rise * rise / length
        if score > best:
            best = score
            choice = j
    return choice


@kernel
def ratio_test(T, d, m, j, skip):
    """Largest step along column ``j`` and the constraint that stops it (-1: none).

    Compares falls relative to values, largest first; they are written to column d + 1, several at
    a time. Non-basic rows never fall. Where several values are 0 the steepest fall stops.
    """
    for r in range(d + m):
        T[r, d + 1] = -T[r, j] / max(T[r, d], 1e-300)
    best = 0.0
    stop = -1
    for i in range(m):
        if T[d + i, d + 1] > best and T[d + i, j] < -PIVOT_FLOOR and i != skip:
            best = T[d + i, d + 1]
            stop = i
    if stop < 0:
        return np.inf, -1
    return max(T[d + stop, d], 0.0) / -T[d + stop, j], stop


@kernel
def crash(T, C, nb, col, d, m, point):
    """Walk from an interior point to a vertex; False when the walk meets no wall.

    Coordinates around the point are free at first; each of ``d`` steps moves along one of them
    to the nearer of the two walls it meets. Cost d pivots.
    """
    for a in range(d):
        for k in range(d + 1):
            T[a, k] = 0.0
        T[a, a] = 1.0
        T[a, d] = point[a]
        nb[a] = -1
    for i in range(m):
        set_row(T, C, nb, col, d, i)
    for _ in range(d):
        best = np.inf
        wall = -1
        column = -1
        for j in range(d):
            if nb[j] >= 0:
                continue
            length = 0.0
            for a in range(d):
                length += abs(T[a, j])
            for i in range(m):
                a = abs(T[d + i, j])
                if col[i] < 0 and a > PIVOT_FLOOR * length:
                    value = T[d + i, d]
                    t = (value if value > 0.0 else 0.0) / a * length
                    if t < best:
                        best = t
                        wall = i
                        column = j
        if wall < 0:
            return False
        pivot(T, nb, col, d, m, wall, column)
    return True


@kernel
def refactor(T, C, nb, col, d, m, work):
    """Rebuild the dictionary from its basis by Gauss-Jordan; False when the basis looks singular.

    ``work`` is scratch of shape (d, 2 d). Cost d^3 + m d^2.
    """
    for j in range(d):
        i = nb[j]
        if i < 0:
            return False
        for k in range(d):
            work[j, k] = C[i, k]
            work[j, d + k] = 0.0
        work[j, d + j] = 1.0
    for k in range(d):
        best = 0.0
        lead = -1
        for r in range(k, d):
            if abs(work[r, k]) > best:
                best = abs(work[r, k])
                lead = r
        if lead < 0 or best < 1e-250:
            return False
        if lead != k:
            for c in range(2 * d):
                swap = work[k, c]
                work[k, c] = work[lead, c]
                work[lead, c] = swap
        inverse = 1.0 / work[k, k]
        for c in range(2 * d):
            work[k, c] *= inverse
        for r in range(d):
            f = work[r, k]
            if r != k and f != 0.0:
                for c in range(2 * d):
                    work[r, c] -= f * work[k, c]
    for a in range(d):
        constant = 0.0
        for j in range(d):
            T[a, j] = work[a, d + j]
            constant -= work[a, d + j] * C[nb[j], d]
        T[a, d] = constant
    for i in range(m):
        j = col[i]
        if j >= 0:
            for k in range(d + 1):
                T[d + i, k] = 0.0
            T[d + i, j] = 1.0
        else:
            set_row(T, C, nb, col, d, i)
    return True
