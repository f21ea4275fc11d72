"""Has a cell a point where one more row is positive? A simplex walk up to the first proof."""

from __future__ import annotations

from plregions.kernels.compile import fused_kernel, inner_kernel
from plregions.kernels.integers import empty_by_integers
from plregions.kernels.layout import (
    N_INTEGERS,
    N_MULTIPLIERS,
    N_POINTS,
    N_REFACTORS,
    N_RESIDUAL,
    N_TESTS,
    PIVOTS,
    RECORDING,
)
from plregions.kernels.proofs import (
    empty_by_multipliers,
    empty_by_residual,
    is_independent,
    margin,
    point_is_inside,
    recentre,
)
from plregions.kernels.simplex import crash, pivot, ratio_test, refactor, set_row, steepest
from plregions.kernels.spans import mark_unneeded

__all__ = ["EMPTY", "SPLIT", "SPLIT_WITHOUT_VERTEX", "UNSURE", "look", "probe"]

EMPTY = 0
SPLIT = 1
SPLIT_WITHOUT_VERTEX = 2
UNSURE = 3

# These only guide the search: a vertex is tried as a source of a point when its value passes the
# first, and a point whose rows all pass the second is not centred.
WORTH_TRYING = 1e-15
COMFORTABLE = 1e-6


@inner_kernel
def _try_point(C, E, S, d, g, p, v, q, values):
    """Set ``q`` to a point between ``v`` (row g positive) and ``p`` and prove rows 0..g there."""
    at_v = C[g, d]
    at_p = C[g, d]
    for k in range(d):
        at_v += C[g, k] * v[k]
        at_p += C[g, k] * p[k]
    if not (at_v > 0.0 and at_p < at_v):
        return False
    t = 0.5 if at_p >= 0.0 else 0.5 * at_v / (at_v - at_p)
    for k in range(d):
        q[k] = v[k] + t * (p[k] - v[k])
    # Points inherit their margins from older ones: centre those that have become thin.
    if margin(C, E, S, d, g + 1, q) > COMFORTABLE:
        return True
    recentre(C, d, g + 1, q, values)
    return point_is_inside(C, E, S, d, g + 1, q)


@inner_kernel
def _descend(T, nb, col, d, m, ctl):
    """From a vertex with row m positive walk down until that row becomes tight."""
    for _ in range(4 * (d + m) + 10):
        j = steepest(T, d, d + m, -1.0)
        if j < 0:
            return False
        step, stop = ratio_test(T, d, m, j, -1)
        ctl[PIVOTS] += 1
        if T[d + m, d] + step * T[d + m, j] <= 0.0:
            pivot(T, nb, col, d, m + 1, m, j)
            return True
        if stop < 0:
            return False
        pivot(T, nb, col, d, m + 1, stop, j)
    return False


@fused_kernel
def _is_empty(net, unit, slope, flags, label, T, C, E, S, Z, nb, d, m, residual, unneeded, ctl):
    """Do the three rungs prove that row m, a unit's, is nowhere positive in the cell?

    A log names the basis, so the basis itself has to prove it, and in one way.
    """
    if empty_by_residual(T, C, E, S, nb, d, m, m, 1.0, residual) and not ctl[RECORDING]:
        ctl[N_RESIDUAL] += 1
        return True
    deep = net.layer_of[unit]
    mark_unneeded(net, deep, slope, flags, label, T, nb, d, m, m, 1.0, unneeded)
    if empty_by_multipliers(T, C, E, S, Z, nb, d, m, m, 1.0, residual, unneeded):
        ctl[N_MULTIPLIERS] += 1
        return True
    if not empty_by_integers(T, C, S, Z, nb, d, m, m, 1.0, residual):
        return False
    if ctl[RECORDING] and not is_independent(T, C, E, S, nb, d):
        return False
    ctl[N_INTEGERS] += 1
    return True


@fused_kernel
def probe(
    net, unit, slope, flags, label, T, C, E, S, Z, nb, col, d, m, p, q, v, values, residual,
    unneeded, work, ctl, last,
):  # fmt: skip
    """Does the cell of rows 0..m-1, with ``p`` inside, have a point where row m is positive?

    Row m is the row of ``unit``, with one sign or the other.

    Maximises row m from the current vertex and stops as soon as a point is proved (SPLIT: ``q``
    is that point and row m is tight in the dictionary, which is a vertex of both children).
    EMPTY is proved by rung 1, 2 or 3. Anything else is UNSURE. With ``last`` no vertex of the
    children is looked for.
    """
    ctl[N_TESTS] += 1
    fresh = False
    budget = 4 * (d + m) + 20
    while budget > 0:
        budget -= 1
        here = T[d + m, d]
        if here > WORTH_TRYING:
            for k in range(d):
                v[k] = T[k, d]
            if _try_point(C, E, S, d, m, p, v, q, values):
                ctl[N_POINTS] += 1
                if not last and _descend(T, nb, col, d, m, ctl):
                    return SPLIT
                return SPLIT_WITHOUT_VERTEX
        j = steepest(T, d, d + m, 1.0)
        stop = -1
        if j >= 0:
            step, stop = ratio_test(T, d, m, j, -1)
        if stop < 0:
            if j < 0 and _is_empty(
                net, unit, slope, flags, label, T, C, E, S, Z, nb, d, m, residual, unneeded, ctl
            ):
                return EMPTY
            if fresh:
                return UNSURE
            fresh = True
            ctl[N_REFACTORS] += 1
            if not refactor(T, C, nb, col, d, m + 1, work) and not crash(T, C, nb, col, d, m, p):
                return UNSURE
            set_row(T, C, nb, col, d, m)
            continue
        if here <= 0.0 and here + step * T[d + m, j] > WORTH_TRYING:
            for k in range(d):
                v[k] = T[k, d] + step * T[k, j]
            if _try_point(C, E, S, d, m, p, v, q, values):
                ctl[N_POINTS] += 1
                ctl[PIVOTS] += 1
                pivot(T, nb, col, d, m + 1, m, j)
                return SPLIT
        ctl[PIVOTS] += 1
        pivot(T, nb, col, d, m + 1, stop, j)
    return UNSURE


@fused_kernel
def look(net, unit, slope, flags, label, T, C, E, S, Z, nb, col, d, m, residual, unneeded, ctl):
    """Is row m, a unit's, positive somewhere in the cell? Gives up at a doubt.

    EMPTY is proved. SPLIT says that floats see a vertex where it is, and UNSURE that they see none.
    """
    ctl[N_TESTS] += 1
    for _ in range(2 * (d + m) + 10):
        here = T[d + m, d]
        if here > WORTH_TRYING:
            return SPLIT
        j = steepest(T, d, d + m, 1.0)
        if j < 0:
            found = _is_empty(
                net, unit, slope, flags, label, T, C, E, S, Z, nb, d, m, residual, unneeded, ctl
            )
            return EMPTY if found else UNSURE
        step, stop = ratio_test(T, d, m, j, -1)
        if stop < 0 or here + step * T[d + m, j] > WORTH_TRYING:
            return SPLIT
        ctl[PIVOTS] += 1
        pivot(T, nb, col, d, m + 1, stop, j)
    return UNSURE
