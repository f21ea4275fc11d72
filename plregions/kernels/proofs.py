"""Float proofs: a point lies in an open cell, or an open cell is empty (rungs 1 and 2).

All of them may fail to prove a true statement; none of them proves a false one. Comparisons are
written so that NaN and infinities prove nothing.
"""

from __future__ import annotations

import numpy as np

from plregions.kernels.compile import inlined_kernel, inner_kernel, kernel
from plregions.kernels.rows import EPS, TINY, VALUE_ZERO

# Only guides the search.
NEAR_ZERO = 2.0**-6

__all__ = [
    "empty_by_multipliers",
    "empty_by_residual",
    "is_independent",
    "margin",
    "point_is_inside",
    "recentre",
]


@kernel
def margin(C, E, S, d, m, point):
    """Lower bound on the true rows 0..m-1 at ``point``: positive only when all are proved positive.

    Cost m d.
    """
    least = np.inf
    for k in range(d):
        if not (abs(point[k]) <= 1.0):
            return -1.0
    for i in range(m):
        value = C[i, d]
        for k in range(d):
            value += C[i, k] * point[k]
        value -= E[i] + (d + 3) * EPS * S[i] + TINY
        if not (value > 0.0):
            return -1.0
        if value < least:
            least = value
    return least


@kernel
def point_is_inside(C, E, S, d, m, point):
    """True when every true row 0..m-1 is proved positive at ``point``. Cost m d."""
    return margin(C, E, S, d, m, point) > 0.0


@kernel
def recentre(C, d, m, point, values):
    """Move ``point`` to the middle of its chord along each axis in turn. Cost m d.

    A point near 0 is first moved to the middle of its chord on the ray from 0: points of a cone
    would sink into its apex otherwise.
    """
    for i in range(m):
        value = C[i, d]
        for k in range(d):
            value += C[i, k] * point[k]
        values[i] = value
    reach = 0.0
    for k in range(d):
        reach = max(reach, abs(point[k]))
    if 0.0 < reach < NEAR_ZERO:
        # The row's value at s times the point is C[i, d] + s (values[i] - C[i, d]).
        low = 0.0
        high = 2.0 / reach
        for i in range(m):
            a = values[i] - C[i, d]
            if a > 0.0:
                low = max(low, -C[i, d] / a)
            elif a < 0.0:
                high = min(high, -C[i, d] / a)
        if low < high < np.inf:
            shift = 0.5 * (low + high)
            for k in range(d):
                point[k] *= shift
            for i in range(m):
                values[i] = C[i, d] + shift * (values[i] - C[i, d])
    for k in range(d):
        # Rates at which the walls ahead and behind come nearer; 0.5 stands for a wall 2 away.
        ahead = 0.5
        behind = 0.5
        for i in range(m):
            value = max(values[i], 1e-300)
            if C[i, k] > behind * value:
                behind = C[i, k] / value
            elif -C[i, k] > ahead * value:
                ahead = -C[i, k] / value
        shift = 0.5 / ahead - 0.5 / behind
        point[k] += shift
        for i in range(m):
            values[i] += C[i, k] * shift


@kernel
def empty_by_residual(T, C, E, S, nb, d, m, g, sign, residual):
    """Rung 1: no point of the unit box has rows 0..m-1 non-negative and sign * row g >= 0.

    With multipliers y_j >= 0 read off the dictionary, sign * row g + sum y_j row nb[j] is bounded
    from above over the box; strictly negative proves the claim. Cost d^2. ``residual`` (d + 1)
    is scratch and holds the float residual row afterwards.
    """
    for k in range(d + 1):
        residual[k] = sign * C[g, k]
    error = E[g]
    size = S[g]
    for j in range(d):
        y = -sign * T[d + g, j]
        if y > 0.0:
            i = nb[j]
            if i < 0 or i >= m:
                return False
            for k in range(d + 1):
                residual[k] += y * C[i, k]
            error += y * E[i]
            size += y * S[i]
    bound = residual[d]
    for k in range(d):
        bound += abs(residual[k])
    slack = error + (2 * d + 8) * EPS * size
    return bound + slack * (1.0 + 1e-9) + TINY < 0.0


@inlined_kernel
def _residual_of_inverse(T, C, nb, d, j, length, errors, sizes):
    """Bound on the 1-norm of column j of I - B X, where B are the true rows of the basis.

    X are the dictionary's columns; ``length`` is the largest entry of column j, ``errors`` and
    ``sizes`` are sums over the basis rows.
    """
    column = length * errors + (length * sizes + d) * (d + 4) * EPS + d * TINY
    for i in range(d):
        value = -1.0 if i == j else 0.0
        for k in range(d):
            value += C[nb[i], k] * T[k, j]
        column += abs(value)
    return column


@inner_kernel
def is_independent(T, C, E, S, nb, d):
    """Whether it is proved that the linear parts of the basis are independent. Cost d^3."""
    errors, sizes = 0.0, 0.0
    for j in range(d):
        errors += E[nb[j]]
        sizes += S[nb[j]]
    for j in range(d):
        length = 0.0
        for k in range(d):
            length = max(length, abs(T[k, j]))
        if not (_residual_of_inverse(T, C, nb, d, j, length, errors, sizes) < 0.5):
            return False
    return True


@kernel
def empty_by_multipliers(T, C, E, S, Z, nb, d, m, g, sign, residual, unneeded=None):
    """Rung 2: sign * row g is a constant <= 0 minus a positive combination of the basis.

    Of rows marked in ``unneeded``, if given, the exact multipliers are known to be 0.

    Let B be the true basis rows, y the float multipliers, e the residual of linear parts. The
    exact multipliers are y + w with w (B X) = -e X for any X; with X the dictionary's columns and
    theta >= ||I - B X|| < 1 this gives |w_j| <= max |e X| / (1 - theta). If y - |w| > 0 the true
    sign * row g is minus a positive combination of true rows plus a constant, which is 0 where all
    rows vanish at the origin and otherwise is proved negative. So it is <= 0 wherever they are
    >= 0, and 0 only where all of them are.
    Needs the residual left by rung 1. Cost d^3.
    """
    homogeneous = Z[g] & VALUE_ZERO
    for j in range(d):
        if nb[j] < 0 or nb[j] >= m:
            return False
        if unneeded is None or not unneeded[j]:
            homogeneous &= Z[nb[j]]
    if not (homogeneous or residual[d] < 0.0):
        return False
    error = E[g]
    size = S[g]
    errors, sizes = 0.0, 0.0
    for j in range(d):
        errors += E[nb[j]]
        sizes += S[nb[j]]
        y = -sign * T[d + g, j]
        if y > 0.0:
            error += y * E[nb[j]]
            size += y * S[nb[j]]
        elif unneeded is None or not unneeded[j]:
            return False
    slack = (error + (2 * d + 8) * EPS * size) * (1.0 + 1e-9) + TINY
    theta = 0.0
    worst = 0.0
    for j in range(d):
        moved = 0.0
        length = 0.0
        for k in range(d):
            moved += abs(residual[k] * T[k, j])
            length = max(length, abs(T[k, j]))
        moved = (moved + slack * length) * (1.0 + d * EPS)
        if not (moved < np.inf):
            return False
        worst = max(worst, moved)
        column = _residual_of_inverse(T, C, nb, d, j, length, errors, sizes)
        if not (column < 0.5):
            return False
        theta = max(theta, column)
    theta *= 1.0 + (d + 4) * EPS
    if not (theta < 0.5):
        return False
    limit = 2.0 * worst
    for j in range(d):
        if unneeded is None or not unneeded[j]:
            if not (-sign * T[d + g, j] > limit):
                return False
        slack += limit * (abs(C[nb[j], d]) + E[nb[j]])
    return homogeneous != 0 or residual[d] + slack * (1.0 + 1e-9) + TINY < 0.0
