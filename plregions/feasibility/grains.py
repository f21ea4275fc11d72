"""Which rows are small integers up to a power of two?

What the compiled exact rung needs to know of a prepared network, all of it exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.kernels.grains import write_grains
from plregions.kernels.integers import FINEST, ROUNDED
from plregions.kernels.layout import Units, layer_weight
from plregions.kernels.rows import NO_ERROR
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


def row_grains(rows: NDArray[np.float64], finest: int = FINEST) -> IntArray:
    """Return for each row the least g >= 0 for which all entries are multiples of 2**-g.

    ROUNDED stands for more than ``finest``, which for the default is what 64-bit integers can use.
    """
    grains = np.empty(len(rows), dtype=np.int64)
    write_grains(np.ascontiguousarray(rows).view(np.int64), finest, grains)
    return grains


def grains_of(
    net: Network, units: Units, first_rows: NDArray[np.float64], walls: tuple[Any, Any, Any, Any]
) -> Grains:
    """Return the grains of a prepared network.

    Parameters
    ----------
    net : Network
        The network that ``units`` were made of.
    units : Units
    first_rows : ndarray of float64, shape (n, d + 1)
        The rows of layer 0, prepared.
    walls : tuple of ndarray
        The domain's rows, prepared: first the rows, then bounds on their errors.

    Returns
    -------
    Grains

    Exactness
    ---------
    Exact. Cost is linear in the number of weights.
    """
    bias, weight = row_grains(units.bias[:, None]), np.empty(len(units.bias), dtype=np.int64)
    weight[: len(first_rows)] = row_grains(first_rows)
    for index in range(1, len(net.layers)):
        weight[slice(*units.layer_first[index : index + 2])] = row_grains(
            layer_weight(units, index)
        )
    is_rounded = (weight < 0) | (bias < 0) | (units.weight_error + units.bias_error != 0.0)
    unit = np.where(is_rounded, ROUNDED, np.maximum(weight, bias))
    slope = row_grains(np.stack([units.negative, units.positive], axis=1))
    slope[~np.concatenate([_is_float(layer.slopes) for layer in net.layers])] = ROUNDED
    wall = row_grains(walls[0])
    wall[walls[1] > NO_ERROR] = ROUNDED
    return Grains(unit, slope, wall)


def _is_float(slopes: Any) -> NDArray[np.bool_]:
    """Tell of each pair of slopes whether both are floats times a power of two."""
    if slopes.dtype == np.float64:
        return np.ones(len(slopes), dtype=np.bool_)
    return np.array([all(_has_few_bits(Fraction(v)) for v in pair) for pair in slopes])


def _has_few_bits(value: Fraction) -> bool:
    top, bottom = abs(value.numerator), value.denominator
    return bottom & (bottom - 1) == 0 and (top // max(top & -top, 1)).bit_length() <= 53
