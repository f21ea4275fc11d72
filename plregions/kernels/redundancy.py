"""Which rows of a cell are positive on all of it? Such rows carry no facet and can be dropped."""

from __future__ import annotations

from plregions.kernels.compile import fused_kernel, kernel
from plregions.kernels.proofs import empty_by_multipliers, empty_by_residual
from plregions.kernels.simplex import pivot, ratio_test, steepest
from plregions.kernels.spans import mark_unneeded

__all__ = [
    "KEPT",
    "REDUNDANT",
    "SHALLOW",
    "SINKS",
    "UNKNOWN",
    "UNSURE",
    "minimise_row",
    "scan_rows",
]

UNKNOWN = 0
KEPT = 1  # known to carry a facet
REDUNDANT = 2  # proved to carry none
UNSURE = 3
SINKS = 4  # negative at a point of the cell without it

# More than noise; it guides, and decides nothing.
SHALLOW = 1e-15


@kernel
def scan_rows(T, C, E, S, nb, col, d, m, state, residual):
    """Mark the rows that the current vertex proves to be positive on the whole cell."""
    for i in range(m):
        least = T[d + i, d]
        for j in range(d):
            least = min(least, T[d + i, j])
        # A non-basic row has the constant 0.
        if least >= 0.0 and state[i] == UNKNOWN and col[i] < 0:
            if empty_by_residual(T, C, E, S, nb, d, m, i, -1.0, residual):
                state[i] = REDUNDANT


@fused_kernel
def minimise_row(
    net, slope, flags, label, T, C, E, S, Z, nb, col, d, m, i, depth, state, residual, unneeded
):  # fmt: skip
    """Minimise row ``i`` over the other rows, from the current vertex and staying in the cell.

    Returns (REDUNDANT, 0, 0.0), proved; (SINKS, j, step), not proved: the row is negative so far
    along column j, and more than ``depth`` below 0 unless it never is; or (UNSURE, 0, 0.0). With a
    ``depth`` above SHALLOW the vertex may then lie beyond row i. Rows that the vertices on the way
    prove to be redundant are marked too. All rows marked so may be dropped together: none of them
    carries a facet.
    """
    if col[i] >= 0:
        j = col[i]
        step, stop = ratio_test(T, d, m, j, i)
        if stop < 0:
            return UNSURE, 0, 0.0
        pivot(T, nb, col, d, m, stop, j)
        scan_rows(T, C, E, S, nb, col, d, m, state, residual)
    for _ in range(4 * (d + m) + 20):
        if state[i] != UNKNOWN:
            return state[i], 0, 0.0
        j = steepest(T, d, d + i, -1.0)
        if j < 0:
            if T[d + i, d] < -SHALLOW:
                return SINKS, 0, 0.0
            if empty_by_residual(T, C, E, S, nb, d, m, i, -1.0, residual):
                return REDUNDANT, 0, 0.0
            deep = 0
            if label[i] >= 0:
                # An active unit is one of those that span its own layer's rows.
                deep = net.layer_of[label[i]] + (1 if slope[label[i]] != 0.0 else 0)
            left = mark_unneeded(net, deep, slope, flags, label, T, nb, d, m, i, -1.0, unneeded)
            # Two independent rows at least: row i vanishes only where both do, on no facet.
            if left > 1 and empty_by_multipliers(
                T, C, E, S, Z, nb, d, m, i, -1.0, residual, unneeded
            ):
                return REDUNDANT, 0, 0.0
            return UNSURE, 0, 0.0
        step, stop = ratio_test(T, d, m, j, i)
        fall = -T[d + i, j]
        if stop < 0:
            step = 2.0 * T[d + i, d] / fall + 1.0
        if step * fall - T[d + i, d] > (depth if stop >= 0 else SHALLOW):
            return SINKS, j, step
        if stop < 0:
            return UNSURE, 0, 0.0
        pivot(T, nb, col, d, m, stop, j)
        scan_rows(T, C, E, S, nb, col, d, m, state, residual)
    return UNSURE, 0, 0.0
