"""What do the walks that cut cells keep of each layer's weights?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.feasibility.prepare import Prepared
from plregions.kernels.layout import Units, layer_weight
from plregions.kernels.rows import LINEAR_ZERO, VALUE_ZERO

__all__ = [
    "columns_of",
    "layers_with_units_without_kink",
    "layers_without_zeros",
    "own_flags",
]


def columns_of(p: Prepared) -> NDArray[np.float64]:
    """Return the layers' weights with one column after the other."""
    layers = range(1, len(p.units.layer_first) - 1)
    columns = [layer_weight(p.units, layer).ravel(order="F") for layer in layers]
    return np.concatenate(columns) if columns else np.zeros(0)


def own_flags(units: Units) -> NDArray[np.int64]:
    """Say of each unit which parts of its own row, without its inputs, are zero."""
    has_bias = (units.bias != 0.0) | (units.bias_error != 0.0)
    return np.where(has_bias, LINEAR_ZERO, LINEAR_ZERO | VALUE_ZERO)


def layers_without_zeros(p: Prepared, weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say of each layer whether no weight of it is 0."""
    n_layers = len(p.units.layer_first) - 1
    dense = np.ones(n_layers, dtype=np.bool_)
    if not weight.all():
        dense[1:] = [bool(layer_weight(p.units, layer).all()) for layer in range(1, n_layers)]
    return dense


def layers_with_units_without_kink(units: Units) -> NDArray[np.bool_]:
    """Say of each layer whether some unit of it has no kink."""
    found = np.zeros(len(units.layer_first) - 1, dtype=np.bool_)
    found[units.layer_of[units.bit < 0]] = True
    return found
