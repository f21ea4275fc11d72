"""Where is a box in local coordinates?"""

from __future__ import annotations

from plregions.feasibility.prepare import Prepared
from plregions.kernels.rows import NO_ERROR

__all__ = ["box_bounds"]


def box_bounds(p: Prepared) -> list[tuple[float, float]]:
    """Return the lower and upper bound of each local coordinate of a box, rounded."""
    rows, error = p.walls[0].tolist(), p.walls[1]
    if max(error.tolist()) <= NO_ERROR:
        bounds = [-row[-1] / row[i // 2] for i, row in enumerate(rows)]
    else:
        bounds = []
        for i, row in enumerate(p.exact_walls):
            value = row[-1] / row[i // 2]
            bounds.append(-value.numerator / value.denominator)
    return [(bounds[2 * k], bounds[2 * k + 1]) for k in range(p.dim)]
