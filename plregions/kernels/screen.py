"""The units of a layer on a cell: those that do not cut it, and those that floats leave open."""

from __future__ import annotations

from plregions.kernels.compile import fused_kernel
from plregions.kernels.integers import put_whole_row
from plregions.kernels.layout import (
    ASKED,
    BASE,
    HAS_VERTEX,
    N_BATCHES,
    N_EXACT,
    POINT_ID,
    RECORDING,
    ROWS,
    SKIP,
)
from plregions.kernels.probe import EMPTY, UNSURE, look
from plregions.kernels.recording import log_step
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, VALUE_ZERO, proved_sign
from plregions.kernels.simplex import set_row

__all__ = ["UNKNOWN", "constant_bit", "is_not_zero", "put", "screen"]

# The bit of a unit that may cut the cell.
UNKNOWN = 2


@fused_kernel
def constant_bit(t, unit, d):
    """Bit of a unit that is constant by structure; UNKNOWN when its sign is not proved."""
    value = t.rows[unit, d]
    bound = t.error[unit] + EPS * abs(value) + TINY
    if t.flags[unit] & VALUE_ZERO or value < -bound:
        return 0
    return 1 if value > bound else UNKNOWN


@fused_kernel
def is_not_zero(t, unit, d):
    """Whether it is proved that a unit's row is not 0."""
    total = 0.0
    for k in range(d + 1):
        total += abs(t.rows[unit, k])
    return total > 2.0 * t.error[unit]


@fused_kernel
def put(t, unit, sign, d, m, C, E, S, Z):
    """Store ``sign`` times a unit's row as constraint ``m``."""
    put_whole_row(t.rows, t.error, t.size, t.flags, t.grain, unit, sign, d, m, C, E, S, Z)


@fused_kernel
def _ask(t, unit, d):
    """Put a unit on the list, with the rows that are tight where its test ended."""
    k = t.ctl[ASKED]
    t.asked[k] = unit
    for j in range(d):
        t.asked_basis[k, j] = t.nb[j] if t.ctl[HAS_VERTEX] else -1
    t.ctl[ASKED] = k + 1


@fused_kernel
def screen(net, t, unit, last, d, is_open):
    """Fix for the whole subtree those units behind the current one that do not cut the cell.

    A unit that misses a cell misses all its parts: testing it once here replaces a test in every
    node below. Where the current unit ``is_open``, those that have to be asked about are listed:
    the unit, unless it was not tested yet and is fixed here, and all others that are open as well.

    Without a float point of the cell the unit's sign is a guess. It is proved all the same that the
    other side is empty, and then a row that is not 0 has the guessed sign somewhere.
    """
    ctl = t.ctl
    m = ctl[ROWS]
    base = ctl[BASE]
    C, E, S, Z = t.C[base:], t.E[base:], t.S[base:], t.Z[base:]
    has_point = ctl[POINT_ID] < 0
    first = unit + 1
    if is_open:
        ctl[ASKED] = 0
        if has_point:
            _ask(t, unit, d)
        else:
            first = unit
    tests = 0
    hits = 0
    for u in range(first, last):
        b = net.bit[u]
        if b < 0 or t.known[b] != UNKNOWN or (t.twin[u] and u != unit):
            continue
        verdict = UNSURE
        if t.flags[u] & LINEAR_ZERO:
            t.known[b] = constant_bit(t, u, d)
        elif ctl[HAS_VERTEX]:
            sign = proved_sign(t.rows, t.error, t.size, u, t.point, d)
            if sign == 0 and has_point:
                continue  # in its own turn other points are tried
            if sign == 0:
                value = t.rows[u, d]
                for k in range(d):
                    value += t.rows[u, k] * t.point[k]
                sign = 1 if value > 0.0 else -1
            put(t, u, -1.0 * sign, d, m, C, E, S, Z)
            set_row(t.T, C, t.nb, t.col, d, m)
            tests += 1
            verdict = look(
                net, u, t.slope, t.flags, t.label[base:], t.T, C, E, S, Z, t.nb, t.col, d, m,
                t.residual, t.unneeded, ctl,
            )  # fmt: skip
            if verdict == EMPTY and (has_point or sign < 0 or is_not_zero(t, u, d)):
                t.known[b] = 1 if sign > 0 else 0
                hits += 1
                if ctl[RECORDING]:
                    log_step(net, t, b, d)
        if is_open and t.known[b] == UNKNOWN and (verdict == UNSURE or u == unit):
            _ask(t, u, d)
    # Where nearly everything cuts, tests on the next cells below would be wasted.
    if not is_open:
        ctl[SKIP] = 0 if 4 * hits >= tests else 3
    elif t.known[net.bit[unit]] == UNKNOWN:
        ctl[N_BATCHES] += 1
        ctl[N_EXACT] += ctl[ASKED]
