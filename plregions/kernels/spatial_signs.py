"""Corners in space as floats with a bound on their error, and signs of rows there."""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.rows import EPS, TINY, VALUE_ZERO
from plregions.kernels.spatial_layout import (
    BOUND,
    ERROR,
    RADIUS,
    SIZE,
    UNIT,
    A,
    B,
    C,
    D,
    X,
    Y,
    Z,
)
from plregions.kernels.spatial_rows import HUGE

__all__ = ["UNSURE", "row_sign", "set_corner", "whole_sign"]

UNSURE = 2  # in place of a sign
# Whole numbers below are exact in float64.
MOST_WHOLE = 2.0**53


@inlined_kernel
def _minors(R, e, f, g):
    """The point (p, q, r) / w where three rows meet, before division."""
    a, b, c, d = R[A, e], R[B, e], R[C, e], R[D, e]
    a1, b1, c1, d1 = R[A, f], R[B, f], R[C, f], R[D, f]
    a2, b2, c2, d2 = R[A, g], R[B, g], R[C, g], R[D, g]
    ab, ac, ad = a1 * b2 - b1 * a2, a1 * c2 - c1 * a2, a1 * d2 - d1 * a2
    bc, bd, cd = b1 * c2 - c1 * b2, b1 * d2 - d1 * b2, c1 * d2 - d1 * c2
    w = a * bc - b * ac + c * ab
    p = c * bd - b * cd - d * bc
    q = a * cd - c * ad + d * ac
    r = b * ad - a * bd - d * ab
    return p, q, r, w


@kernel
def set_corner(R, flags, e, f, g, V, k):
    """Write the point where the true rows e, f and g meet as row k of V, with its error.

    The point lies in the unit box. Let (p, q, r, w) be the minors of the float rows; true and
    float minors differ by at most delta in each entry, so that with |x| <= 1 the true x differs
    from p / w by at most 2 delta / |w|. Rows without a constant meet in 0, and only that corner
    has no error.
    """
    if flags[e] & flags[f] & flags[g] & VALUE_ZERO:
        V[k, X] = 0.0
        V[k, Y] = 0.0
        V[k, Z] = 0.0
        V[k, RADIUS] = 0.0
        return
    p, q, r, w = _minors(R, e, f, g)
    s, t, u = R[SIZE, e], R[SIZE, f], R[SIZE, g]
    E, F, G = R[ERROR, e], R[ERROR, f], R[ERROR, g]
    delta = E * (t + F) * (u + G) + s * (F * (u + G) + t * G) + 16.0 * EPS * s * t * u + TINY
    size = abs(w)
    if delta < 0.25 * size:
        inverse = 1.0 / w
        V[k, X] = min(1.0, max(-1.0, p * inverse))
        V[k, Y] = min(1.0, max(-1.0, q * inverse))
        V[k, Z] = min(1.0, max(-1.0, r * inverse))
        V[k, RADIUS] = 2.0 * delta * abs(inverse) * (1.0 + 16.0 * EPS) + 4.0 * EPS
    else:
        V[k, X] = 0.0
        V[k, Y] = 0.0
        V[k, Z] = 0.0
        V[k, RADIUS] = HUGE


@kernel
def row_sign(R, flags, u, x, y, z, radius):
    """Sign of the true row u at a point known up to ``radius``; UNSURE when not proved.

    The one point known without error is 0.
    """
    value = R[A, u] * x + R[B, u] * y + R[C, u] * z + R[D, u]
    bound = R[BOUND, u] + R[SIZE, u] * radius * (1.0 + 8.0 * EPS)
    if value > bound:
        return 1
    if value < -bound:
        return -1
    if radius == 0.0 and flags[u] & VALUE_ZERO:
        return 0
    return UNSURE


@kernel
def whole_sign(R, e, f, g, u):
    """Sign of row u where rows e, f and g meet, when all are small multiples of exact units.

    No number on the way to the determinant of the four rows is larger than the product of their
    sizes: below 2**53 units nothing is rounded. UNSURE otherwise.
    """
    unit = R[UNIT, e] * R[UNIT, f] * R[UNIT, g] * R[UNIT, u]
    if unit == 0.0 or not R[SIZE, e] * R[SIZE, f] * R[SIZE, g] * R[SIZE, u] <= MOST_WHOLE * unit:
        return UNSURE
    p, q, r, w = _minors(R, e, f, g)
    value = R[A, u] * p + R[B, u] * q + R[C, u] * r + R[D, u] * w
    if w < 0.0:
        value = -value
    return 1 if value > 0.0 else (-1 if value < 0.0 else 0)
