"""What do the walks that cut cells keep of each layer's weights?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plregions.feasibility.room import aligned
from plregions.kernels.columns import read_layers
from plregions.kernels.layout import Units

__all__ = ["LayerTables", "layer_tables"]


class LayerTables(NamedTuple):
    """The weights with a layer's columns one after the other, and what is said of them."""

    weight: NDArray[np.float64]
    norm: NDArray[np.float64]  # (n_units,) bounds on the 2-norms of the units' weights
    dense: NDArray[np.bool_]  # (n_layers,) whether no weight of the layer is 0
    linear: NDArray[np.bool_]  # (n_layers,) whether some unit of the layer has no kink
    own_flags: NDArray[np.int64]  # (n_units,) flags of the biases


def layer_tables(units: Units) -> LayerTables:
    """Read the tables off a network's columns; cost linear in the number of weights."""
    n_layers, n_units = len(units.layer_first) - 1, len(units.bias)
    weight, norm = aligned(len(units.weight), n_units)
    dense, linear = np.empty(n_layers, np.bool_), np.empty(n_layers, np.bool_)
    tables = LayerTables(weight, norm, dense, linear, np.empty(n_units, np.int64))
    read_layers(
        units.layer_first, units.weight_first, units.weight, units.bias, units.bias_error,
        units.bit, *tables,
    )  # fmt: skip
    return tables
