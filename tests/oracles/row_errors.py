"""How far are the float rows of the walks over cells from the exact ones?"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.prepare import Prepared


def scaled_errors(
    prepared: Prepared, t: Any, layer: int, error: int
) -> tuple[list[Any], list[Any]]:
    """Distances of a layer's float rows to the exact ones, and the bounds in row `error` of R."""
    exact, n = ExactRows(prepared), prepared.dim + 1
    bits = t.bits[: len(prepared.units.bias)]
    own = bits[np.flatnonzero(prepared.units.bit >= 0)]
    distances, bounds = [], []
    for unit in range(*prepared.units.layer_first[layer : layer + 2]):
        row = exact.row(unit, own)
        found = [Fraction(float(t.R[k, unit])) for k in range(n)]
        # Primitive rows are multiples: the scale is taken from the largest entry of the float row,
        # which leaves its own error in the others.
        top = max(range(n), key=lambda k: abs(row[k]))
        scale = found[top] / row[top] if row[top] else Fraction(0)
        distances.append(sum(abs(f - scale * r) for f, r in zip(found, row, strict=True)))
        bounds.append(Fraction(float(t.R[error, unit])) * (n + 1 if row[top] else 1))
    return distances, bounds


def two_layers(rng: np.random.Generator, dim: int, seed: int) -> list[Any]:
    """Twelve units and nine, with slopes of three kinds and, for odd seeds, weights that are 0."""
    slopes = [None, (0.1, 1), (Fraction(1, 3), Fraction(-7, 5))][seed % 3]
    first, second = rng.normal(0, 1, (12, dim)), rng.normal(0, 1, (9, 12))
    if seed % 2:
        second[rng.random(second.shape) < 0.4] = 0.0
    bias = rng.normal(0, 1, 12)
    return [(first, bias, slopes or "relu"), (second, rng.normal(0, 1, 9), "relu")]
