"""A network as the kernels have it, whatever the domain; kept with the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import is_float64
from plregions.feasibility.frame import Frame
from plregions.feasibility.grains import UnitGrains, UnitPowers, unit_grains, unit_powers
from plregions.feasibility.homogenise import HomogeneousFrame
from plregions.feasibility.kept import kept
from plregions.feasibility.layer_tables import LayerTables, layer_tables
from plregions.feasibility.multiples import Multiples, multiples
from plregions.feasibility.scaled_units import measured_rows, scaled_units
from plregions.kernels.layout import Units
from plregions.kernels.scaling import localise_rows
from plregions.network import Layer, Network

__all__ = ["FirstRows", "NetworkColumns", "columns_and_first_rows"]

# Rows of layer 0 in local coordinates, then columns: bounds on their errors and sizes, and flags.
FirstRows = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class NetworkColumns:
    """A network's units, scaled by powers of two, and what is read off them on first use.

    ``rows`` are those of layer 0, of which ``units`` has no weights. ``n_walk`` units hold all
    bits. None of the arrays is ever written to. The layers and not the network, which would then
    hold itself and be freed late. ``spare`` has what walks that are done leave to the next ones.
    """

    layers: tuple[Layer, ...]
    units: Units
    rows: NDArray[np.float64]
    n_walk: int
    spare: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def widest(self) -> int:
        """Number of units of the widest layer."""
        return max(len(layer.bias) for layer in self.layers)

    @cached_property
    def multiples(self) -> Multiples:
        """Which units are multiples of others of their layer."""
        return multiples(self.layers, self.units, self.rows)

    @cached_property
    def tables(self) -> LayerTables:
        """What the walks that cut cells keep of each layer's weights."""
        return layer_tables(self.units)

    @cached_property
    def grains(self) -> UnitGrains:
        """Which rows behind layer 0, and which slopes, are small integers up to a power of two."""
        return unit_grains(self.layers, self.units)

    @cached_property
    def powers(self) -> UnitPowers:
        """Of which powers of two weights and biases are multiples."""
        return unit_powers(self.layers, self.units)

    @cached_property
    def has_exact_rows(self) -> bool:
        """Whether the rows of layer 0 were not rounded."""
        n = len(self.rows)
        errors = self.units.weight_error[:n], self.units.bias_error[:n]
        return not any(error.any() for error in errors)

    @cached_property
    def has_cones(self) -> bool:
        """Whether no unit has a bias, and layer 0 kinks along lines that cross; for two inputs."""
        rows, units = self.rows, self.units
        if rows[0, -1] != 0.0:  # the most common case, without a look at the others
            return False
        if rows[:, -1].any() or units.bias[len(rows) :].any() or units.bias_error.any():
            return False
        x, y = rows[units.bit[: len(rows)] >= 0, :2].T
        size = abs(x) + abs(y)
        if not size.any():
            return False
        first = int(size.argmax())
        # Far more than what rounded weights can make up: that the lines cross is proved.
        is_across = abs(x[first] * y - y[first] * x) > 2.0**-20 * size[first] * size
        return bool(is_across.any())

    @cached_property
    def first_rows(self) -> FirstRows:
        """The rows of layer 0 in the coordinates they were scaled in."""
        n = len(self.rows)
        return measured_rows(self.rows, self.units.weight_error[:n], self.units.bias_error[:n])


def columns_and_first_rows(
    net: Network, frame: Frame | HomogeneousFrame
) -> tuple[NetworkColumns, FirstRows]:
    """Return a network's columns and the rows of layer 0 in local coordinates.

    The columns are made once for each network. Layer 0 is then brought into local coordinates, in
    floats where it consists of floats of usual size; else all is made for these coordinates alone.
    """
    columns = kept(net, "columns", lambda: _columns_in(net, Frame.of_unit_box(net.input_dim)))
    if not any(frame.exponent) and not any(frame.middle):
        return columns, columns.first_rows
    local = _local_rows(columns, frame)
    if local is None:
        columns = _columns_in(net, frame)
        local = columns.first_rows
    return columns, local


def _columns_in(net: Network, frame: Frame | HomogeneousFrame) -> NetworkColumns:
    return NetworkColumns(net.layers, *scaled_units(net, frame))


def _local_rows(columns: NetworkColumns, frame: Frame | HomogeneousFrame) -> FirstRows | None:
    """Return the rows of layer 0 in local coordinates, or None where floats are not enough."""
    if not columns.has_exact_rows or not all(map(is_float64, frame.middle)):
        return None
    n = len(columns.rows)
    middle = np.array(frame.middle, dtype=np.float64)
    exponent = np.array(frame.exponent, dtype=np.int64)
    local = np.empty_like(columns.rows), *np.empty((2, n)), np.empty(n, dtype=np.int64)
    lost = np.empty(n)
    return local if localise_rows(columns.rows, middle, exponent, lost, *local) else None
