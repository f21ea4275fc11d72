"""Affine rows of pre-activations as exact integers, under a prefix of an activation pattern.

Rows are in local coordinates and known up to a positive factor, which is all that signs and zero
sets need. A layer costs one integer matrix product; the last prefix of each layer is kept, so a
depth-first walk recomputes only what changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from plregions.feasibility.prepare import IntRow, Prepared
from plregions.network.propagate import activate

__all__ = ["ExactRows", "over_common_denominator", "value_at"]


class ExactRows:
    """Primitive integer rows of a prepared network's units."""

    def __init__(self, prepared: Prepared) -> None:
        self._layers = prepared.engine.layers
        self._bit_slices = prepared.network.bit_slices
        self._first = [int(v) for v in prepared.units.layer_first]
        self._layer_of = prepared.units.layer_of
        self._bit = prepared.units.bit
        self._columns = range(prepared.dim + 1)
        self._start = prepared.frame.matrix()
        self._kept: dict[int, tuple[bytes, Any, dict[int, IntRow]]] = {}

    def row(self, unit: int, bits: Any) -> IntRow:
        """Return the primitive row of a unit's pre-activation, given the bits of earlier layers."""
        layer = int(self._layer_of[unit])
        _, state, primitive = self._layer(layer, bits)
        index = unit - self._first[layer]
        found = primitive.get(index)
        if found is None:
            entries = [int(state[index, k]) for k in self._columns]
            divisor = math.gcd(*entries)
            found = tuple(v // divisor for v in entries) if divisor > 1 else tuple(entries)
            primitive[index] = found
        return found

    def bit_of(self, unit: int, bits: Any) -> bool:
        """Tell whether the unit is on under the bits."""
        return bool(bits[self._bit[unit]])

    def _layer(self, layer: int, bits: Any) -> tuple[bytes, Any, dict[int, IntRow]]:
        key = bytes(bits[: self._bit_slices[layer].start])
        kept = self._kept.get(layer)
        if kept is not None and kept[0] == key:
            return kept
        state = self._start
        if layer > 0:
            before = self._layers[layer - 1]
            own = np.asarray(bits[self._bit_slices[layer - 1]], dtype=np.bool_)
            _, below, _ = self._layer(layer - 1, bits)
            state = activate(before, below, before.chosen_by(own))
        kept = (key, self._layers[layer].integer_form.matrix * state, {})
        self._kept[layer] = kept
        return kept


def value_at(row: Sequence[int], numerators: Sequence[int], denominator: int) -> int:
    """Return a positive multiple of the row's value at the point numerators / denominator."""
    total = row[-1] * denominator
    for a, n in zip(row, numerators, strict=False):
        if a and n:
            total += a * n
    return total


def over_common_denominator(point: Sequence[Fraction]) -> tuple[list[int], int]:
    """Write a rational point with one denominator."""
    denominator = math.lcm(*(v.denominator for v in point))
    return [v.numerator * (denominator // v.denominator) for v in point], denominator
