"""Which rows are small integers up to a power of two, and which neurons repeat an earlier one?

What the compiled exact rung needs to know of a prepared network, all of it exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import fractions_of
from plregions.exact.integers import primitive_row
from plregions.kernels.integers import FINEST, ROUNDED
from plregions.kernels.layout import Units
from plregions.network import Network

__all__ = ["Grains", "grains_of", "row_grains"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Grains:
    """Columns with one entry for each unit, and ``wall`` with one for each domain row.

    ``unit`` is the least g >= 0 for which the unit's weights and bias, as the kernels see them,
    are multiples of 2**-g and were not rounded, else ROUNDED; ``slope`` the same for its two
    slopes. ``twin`` is v + 1 where the pre-activation is a positive multiple of that of an
    earlier unit v of the layer, -(v + 1) where it is a negative multiple, and 0 elsewhere.
    ``wall`` is the grain of the domain's rows as the kernels see them.
    """

    unit: IntArray
    slope: IntArray
    twin: IntArray
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
    """Return the grains of a prepared network and its twins.

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
        first, last = units.layer_first[index], units.layer_first[index + 1]
        at, width = units.weight_first[index], first - units.layer_first[index - 1]
        weight = units.weight[at : at + (last - first) * width].reshape(last - first, width)
        parts.append(np.concatenate([weight, units.bias[first:last, None]], axis=1))
    unit = np.concatenate([row_grains(rows) for rows in parts])
    unit[(units.weight_error != 0.0) | (units.bias_error != 0.0)] = ROUNDED
    slope = row_grains(np.stack([units.negative, units.positive], axis=1))
    kept = [_is_float(layer.slopes) for layer in net.layers]
    slope[~np.concatenate(kept)] = ROUNDED
    twin = np.zeros(len(unit), dtype=np.int64)
    for index, layer in enumerate(net.layers):
        start = int(units.layer_first[index])
        if not (units.bit[start : start + layer.weight.shape[0]] >= 0).any():
            continue
        seen: dict[Any, int] = {}
        for i, (key, sign) in enumerate(_lines(layer.weight, layer.bias)):
            if sign and units.bit[start + i] >= 0:
                signed = seen.setdefault(key, sign * (start + i + 1))
                if abs(signed) != start + i + 1:
                    twin[start + i] = sign * signed
    wall = row_grains(walls)
    for i, row in enumerate(_primitive(walls, wall).tolist()):
        if row != list(wall_rows[i]):
            wall[i] = ROUNDED
    return Grains(unit, slope, twin, wall)


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


def _lines(weight: Any, bias: Any) -> list[tuple[Any, int]]:
    """Return for each row a key of its line through 0 and on which side of 0 it lies; 0 if zero.

    Rows of one key are multiples of each other; floats that are not small integers up to a power
    of two have one key only for multiples by powers of two.
    """
    if weight.dtype != np.float64 or bias.dtype != np.float64:
        pairs = zip(fractions_of(weight), fractions_of(bias), strict=True)
        return [_line_of([*w, b]) for w, b in pairs]
    rows = np.concatenate([weight, bias[:, None]], axis=1)
    exponent = np.frexp(np.abs(rows).max(axis=1))[1]
    scaled = np.ldexp(rows, -exponent[:, None])
    lead = np.take_along_axis(rows, (rows != 0.0).argmax(axis=1)[:, None], axis=1)[:, 0]
    sign = np.sign(lead).astype(np.int64)
    # Scaling is exact unless it underflows.
    sign[(np.ldexp(scaled, exponent[:, None]) != rows).any(axis=1)] = 0
    scaled = scaled * sign[:, None] + 0.0
    fine = row_grains(scaled)
    whole = _primitive(scaled, fine)
    return [
        (whole[i].tobytes() if fine[i] >= 0 else (scaled[i].tobytes(),), int(sign[i]))
        for i in range(len(rows))
    ]


def _line_of(row: list[Any]) -> tuple[Any, int]:
    lead = next((v for v in row if v), 0)
    sign = (lead > 0) - (lead < 0)
    return tuple(primitive_row([sign * v for v in row])), sign
