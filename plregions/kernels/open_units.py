"""The units of a layer that floats leave open on a cell: all of them are asked about at once."""

from __future__ import annotations

from plregions.kernels.compile import fused_kernel, inner_kernel
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
    UNIT,
)
from plregions.kernels.probe import EMPTY, UNSURE, look
from plregions.kernels.recording import log_step
from plregions.kernels.rows import EPS, LINEAR_ZERO, TINY, VALUE_ZERO, proved_sign
from plregions.kernels.simplex import set_row

__all__ = ["UNKNOWN", "constant_bit", "is_not_zero", "set_aside"]

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
def _settle(net, t, unit, d):
    """Look for a bit that a unit has all over the cell, and keep it; is the unit left open?

    Without a float point of the cell the sign that is looked for is a guess. What is beyond it is
    empty or not all the same, and a row that is not 0 has the other sign somewhere.
    """
    ctl = t.ctl
    b = net.bit[unit]
    if t.flags[unit] & LINEAR_ZERO:
        t.known[b] = constant_bit(t, unit, d)
        return t.known[b] == UNKNOWN
    if not ctl[HAS_VERTEX]:
        return True
    has_point = ctl[POINT_ID] < 0
    sign = proved_sign(t.rows, t.error, t.size, unit, t.point, d)
    if sign == 0:
        # With a point, the unit's own turn tries others.
        if has_point:
            return False
        value = t.rows[unit, d]
        for k in range(d):
            value += t.rows[unit, k] * t.point[k]
        sign = 1 if value > 0.0 else -1
    m, base = ctl[ROWS], ctl[BASE]
    C, E, S, Z = t.C[base:], t.E[base:], t.S[base:], t.Z[base:]
    put_whole_row(t.rows, t.error, t.size, t.flags, t.grain, unit, -1.0 * sign, d, m, C, E, S, Z)
    set_row(t.T, C, t.nb, t.col, d, m)
    verdict = look(
        net, unit, t.slope, t.flags, t.label[base:], t.T, C, E, S, Z, t.nb, t.col, d, m,
        t.residual, t.unneeded, ctl,
    )  # fmt: skip
    if verdict == EMPTY and (has_point or sign < 0 or is_not_zero(t, unit, d)):
        t.known[b] = 1 if sign > 0 else 0
        if ctl[RECORDING]:
            log_step(net, t, b, d)
        return False
    return verdict == UNSURE or (not has_point and unit == ctl[UNIT])


@fused_kernel
def _ask(t, unit, d):
    """Put a unit on the list, with the rows that are tight where its test ended."""
    k = t.ctl[ASKED]
    t.asked[k] = unit
    for j in range(d):
        t.asked_basis[k, j] = t.nb[j] if t.ctl[HAS_VERTEX] else -1
    t.ctl[ASKED] = k + 1


@inner_kernel
def set_aside(net, t, unit, last, d):
    """List what has to be asked where the current unit is open; is there anything?

    That is the unit, unless it misses the cell, and those behind it in the layer, up to ``last``,
    which floats leave open as well.
    """
    t.ctl[ASKED] = 0
    for u in range(unit, last):
        b = net.bit[u]
        if u == unit and t.ctl[POINT_ID] < 0:
            _ask(t, u, d)  # it had its test, which ended here
        elif b >= 0 and t.known[b] == UNKNOWN and (u == unit or t.twin[u] == 0):
            if _settle(net, t, u, d):
                _ask(t, u, d)
            elif u == unit:
                return False
    t.ctl[N_BATCHES] += 1
    t.ctl[N_EXACT] += t.ctl[ASKED]
    return True
