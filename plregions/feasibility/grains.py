"""Which rows are small integers up to a power of two?

What the compiled exact rung needs to know of a prepared network, all of it exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.kernels.integers import FINEST, ROUNDED
from plregions.kernels.layout import Units, layer_weight
from plregions.network import Network

__all__ = ["Grains", "grains_of", "row_grains"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Grains:
    """Columns with one entry for each unit, and ``wall`` with one for each domain row.

    ``unit`` is the least g >= 0 for which the unit's weights and bias, as the kernels see them,
    are multiples of 2**-g and were not rounded, else ROUNDED; ``slope`` the same for its two
    slopes. ``wall`` is the grain of the domain's rows as the kernels see them.
    """

    unit: IntArray
    slope: IntArray
    wall: IntArray


def row_grains(rows: NDArray[np.float64]) -> IntArray:
    """Return for each row the least g >= 0 for which all entries are multiples of 2**-g.

    ROUNDED stands for more than 64-bit integers can use.
    """
    mantissa, exponent = np.frexp(rows)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    fine = np.where(whole == 0, 0, 53 - exponent - trailing)
    most: IntArray = np.maximum(fine.max(axis=1, initial=0), 0).astype(np.int64)
    return np.where(most > FINEST, ROUNDED, most)


def grains_of(
    net: Network,
    units: Units,
    first_rows: NDArray[np.float64],
    walls: NDArray[np.float64],
    wall_rows: Sequence[Sequence[int]],
) -> Grains:
    """Return the grains of a prepared network.

    Parameters
    ----------
    net : Network
        The network that ``units`` were made of.
    units : Units
    first_rows : ndarray of float64, shape (n, d + 1)
        The rows of layer 0, prepared.
    walls : ndarray of float64, shape (m, d + 1)
        The domain's rows, prepared.
    wall_rows : sequence of m sequences of int
        The same as primitive integer rows.

    Returns
    -------
    Grains

    Exactness
    ---------
    Exact. Cost is linear in the number of weights.
    """
    parts = [first_rows]
    for index in range(1, len(net.layers)):
        part = slice(*units.layer_first[index : index + 2])
        parts.append(np.column_stack([layer_weight(units, index), units.bias[part]]))
    unit = np.concatenate([row_grains(rows) for rows in parts])
    unit[(units.weight_error != 0.0) | (units.bias_error != 0.0)] = ROUNDED
    slope = row_grains(np.stack([units.negative, units.positive], axis=1))
    kept = [_is_float(layer.slopes) for layer in net.layers]
    slope[~np.concatenate(kept)] = ROUNDED
    wall = row_grains(walls)
    for i, row in enumerate(_primitive(walls, wall).tolist()):
        if row != list(wall_rows[i]):
            wall[i] = ROUNDED
    return Grains(unit, slope, wall)


def _primitive(rows: NDArray[np.float64], grains: IntArray) -> IntArray:
    """Return primitive integer rows; zeros where the grain is ROUNDED. Entries are at most 1."""
    whole = np.ldexp(rows, np.maximum(grains, 0)[:, None])
    whole[grains < 0] = 0.0
    integers = whole.astype(np.int64)
    divisor: IntArray = np.maximum(np.gcd.reduce(integers, axis=1), 1)
    return integers // divisor[:, None]


def _is_float(slopes: Any) -> NDArray[np.bool_]:
    """Tell of each pair of slopes whether both are floats times a power of two."""
    if slopes.dtype == np.float64:
        return np.ones(len(slopes), dtype=np.bool_)
    return np.array([all(_has_few_bits(Fraction(v)) for v in pair) for pair in slopes])


def _has_few_bits(value: Fraction) -> bool:
    top, bottom = abs(value.numerator), value.denominator
    return bottom & (bottom - 1) == 0 and (top // max(top & -top, 1)).bit_length() <= 53
