"""Which rows are small integers up to a power of two?

What the compiled exact rung needs to know of a prepared network, all of it exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plregions.kernels.grains import write_grains, write_powers
from plregions.kernels.integers import FINEST, ROUNDED
from plregions.kernels.layout import Units, layer_weight
from plregions.kernels.rows import NO_ERROR
from plregions.network import Layer

__all__ = [
    "Grains",
    "UnitGrains",
    "UnitPowers",
    "grains_of",
    "row_grains",
    "row_powers",
    "unit_grains",
    "unit_powers",
]

IntArray = NDArray[np.int64]

# Below 2**-FINEST_POWER powers are of no use; where all of a layer's are below the other, few are.
FINEST_POWER = 200
LEAST_POWER = 2.0**-24


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


class UnitGrains(NamedTuple):
    """The same of a network alone: without units of layer 0 and walls."""

    deep: IntArray
    slope: IntArray


def row_grains(rows: NDArray[np.float64]) -> IntArray:
    """Return for each row the least g >= 0 for which all entries are multiples of 2**-g.

    ROUNDED stands for more than 64-bit integers can use.
    """
    grains = np.empty(len(rows), dtype=np.int64)
    write_grains(np.ascontiguousarray(rows).view(np.int64), FINEST, grains)
    return grains


def unit_grains(layers: Sequence[Layer], units: Units) -> UnitGrains:
    """Return the grains of slopes, and of units behind layer 0; cost linear in their weights."""
    n0 = int(units.layer_first[1])
    bias = row_grains(units.bias[n0:, None])
    weight = np.empty(len(bias), dtype=np.int64)
    for index in range(1, len(layers)):
        first, last = units.layer_first[index : index + 2].tolist()
        weight[first - n0 : last - n0] = row_grains(layer_weight(units, index))
    errors = (units.weight_error + units.bias_error)[n0:]
    is_rounded = (weight < 0) | (bias < 0) | (errors != 0.0)
    deep = np.where(is_rounded, ROUNDED, np.maximum(weight, bias))
    slope = row_grains(np.stack([units.negative, units.positive], axis=1))
    slope[~np.concatenate([_is_float(layer.slopes) for layer in layers])] = ROUNDED
    return UnitGrains(deep, slope)


class UnitPowers(NamedTuple):
    """The powers of two of which weights and biases are multiples, 0 where these were rounded."""

    weight_unit: NDArray[np.float64]  # (n_units,) 0 in layer 0
    bias_unit: NDArray[np.float64]
    is_whole: NDArray[np.bool_]  # (n_layers,) are slopes before it 0, 1 or -1, some power large?


def unit_powers(layers: Sequence[Layer], units: Units) -> UnitPowers:
    """Return the powers of two of a network's units; cost linear in the number of weights."""
    n_layers = len(layers)
    weight_unit, is_whole = np.zeros(len(units.bias)), np.zeros(n_layers, dtype=np.bool_)
    bias_unit = np.where(units.bias_error == 0.0, row_powers(units.bias[:, None]), 0.0)
    for index in range(1, n_layers):
        part = slice(*units.layer_first[index : index + 2])
        is_exact = units.weight_error[part] == 0.0
        weight_unit[part] = np.where(is_exact, row_powers(layer_weight(units, index)), 0.0)
        slopes = set(layers[index - 1].slopes.ravel().tolist())
        is_whole[index] = slopes <= {-1, 0, 1} and (weight_unit[part] > LEAST_POWER).any()
    return UnitPowers(weight_unit, bias_unit, is_whole)


def row_powers(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest power of two, at most 1, of which all entries of a row are multiples.

    0 for one that is too small to be of use.
    """
    powers = np.empty(len(rows))
    write_powers(np.ascontiguousarray(rows).view(np.int64), FINEST_POWER, powers)
    return powers


def grains_of(
    of_units: UnitGrains,
    first_rows: tuple[Any, Any, Any, Any],
    walls: tuple[Any, Any, Any, Any],
) -> Grains:
    """Return the grains of a prepared network.

    Parameters
    ----------
    of_units : UnitGrains
    first_rows, walls : tuple of ndarray
        The rows of layer 0 and of the domain: the rows, bounds on their errors, and more.

    Returns
    -------
    Grains

    Exactness
    ---------
    Exact.
    """
    first, wall = (
        np.where(error > NO_ERROR, ROUNDED, row_grains(rows))
        for rows, error, *_ in (first_rows, walls)
    )
    return Grains(np.concatenate([first, of_units.deep]), of_units.slope, wall)


def _is_float(slopes: Any) -> NDArray[np.bool_]:
    """Tell of each pair of slopes whether both are floats times a power of two."""
    if slopes.dtype == np.float64:
        return np.ones(len(slopes), dtype=np.bool_)
    return np.array([all(_has_few_bits(Fraction(v)) for v in pair) for pair in slopes])


def _has_few_bits(value: Fraction) -> bool:
    top, bottom = abs(value.numerator), value.denominator
    return bottom & (bottom - 1) == 0 and (top // max(top & -top, 1)).bit_length() <= 53
