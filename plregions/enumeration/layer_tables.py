"""What do the walks that cut cells keep of each layer's weights?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.room import aligned
from plregions.kernels.columns import measure_weights
from plregions.kernels.layout import Units
from plregions.kernels.rows import LINEAR_ZERO, VALUE_ZERO

__all__ = [
    "layers_with_units_without_kink",
    "own_flags",
    "weights_by_columns",
]


def weights_by_columns(
    units: Units,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the weights with a layer's columns one after the other, and what is said of them.

    That is a bound on the 2-norm of each unit's weights, and of each layer whether none is 0.
    """
    columns, norm = aligned(len(units.weight)), aligned(len(units.bias))
    dense = np.ones(len(units.layer_first) - 1, dtype=np.bool_)
    measure_weights(units, columns, norm, dense)
    return columns, norm, dense


def own_flags(units: Units) -> NDArray[np.int64]:
    """Say of each unit which parts of its own row, without its inputs, are zero."""
    has_bias = (units.bias != 0.0) | (units.bias_error != 0.0)
    return np.where(has_bias, LINEAR_ZERO, LINEAR_ZERO | VALUE_ZERO)


def layers_with_units_without_kink(units: Units) -> NDArray[np.bool_]:
    """Say of each layer whether some unit of it has no kink."""
    found = np.zeros(len(units.layer_first) - 1, dtype=np.bool_)
    found[units.layer_of[units.bit < 0]] = True
    return found
