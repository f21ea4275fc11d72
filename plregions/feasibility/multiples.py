"""Which units of a layer are multiples of one another, so that one sign settles them all?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import fractions_of
from plregions.exact.integers import primitive_row
from plregions.feasibility.prepare import Prepared
from plregions.network import Layer

__all__ = ["Multiples", "multiples"]


class Multiples(NamedTuple):
    """Units of which an earlier one of their layer is a multiple, by a factor other than 0."""

    first: NDArray[np.int64]  # (n_units,) that earlier unit, the first of its kind, or -1
    later: NDArray[np.int64]  # (n_units,) the next unit of the same kind, or -1
    is_opposite: NDArray[np.uint8]  # (n_units,) whether the factor is negative


def multiples(p: Prepared) -> Multiples:
    """Group the units with kinks by their rows [weight | bias].

    Rows that look alike when they are scaled to a largest entry of 1 and rounded are compared
    exactly; the others are different. Cost is linear in the number of weights.
    """
    n = len(p.units.bias)
    found = Multiples(np.full(n, -1), np.full(n, -1), np.zeros(n, dtype=np.uint8))
    start = 0
    for index, layer in enumerate(p.engine.layers):
        rows = _float_rows(p, index)
        alike: dict[bytes, list[int]] = {}
        for i, name in enumerate(_names(rows)):
            alike.setdefault(name, []).append(i)
        for group in alike.values():
            if len(group) > 1 and rows[group[0]].any():
                _link(found, layer, start, [i for i in group if p.units.bit[start + i] >= 0])
        start += len(rows)
    return found


def _float_rows(p: Prepared, index: int) -> NDArray[np.float64]:
    """Return rows [weight | bias] of a layer, each scaled and rounded."""
    if index == 0:
        rows: NDArray[np.float64] = p.first_rows[0]
        return rows
    units = p.units
    first, last = units.layer_first[index : index + 2]
    at, width = int(units.weight_first[index]), int(first - units.layer_first[index - 1])
    weight = units.weight[at : at + width * (last - first)].reshape(last - first, width)
    return np.column_stack([weight, units.bias[first:last]])


def _names(rows: NDArray[np.float64]) -> list[bytes]:
    sizes = np.abs(rows)
    largest = rows[np.arange(len(rows)), sizes.argmax(axis=1)]
    scaled = rows / np.where(largest == 0.0, 1.0, largest)[:, None]
    return [row.tobytes() for row in np.round(scaled, 9) + 0.0]


def _link(found: Multiples, layer: Layer, start: int, group: list[int]) -> None:
    """Link those units of a group whose exact rows are multiples of one another."""
    last: dict[tuple[int, ...], tuple[int, int, bool]] = {}
    weight, bias = fractions_of(layer.weight[group]), fractions_of(layer.bias[group])
    for i, w, b in zip(group, weight, bias, strict=True):
        row = primitive_row([*w, b])
        leading = next((v for v in row if v), 0)
        name = tuple(row) if leading > 0 else tuple(-v for v in row)
        first, before, sign = last.get(name, (start + i, -1, leading > 0))
        if before >= 0:
            found.first[start + i] = first
            found.later[before] = start + i
            found.is_opposite[start + i] = sign != (leading > 0)
        last[name] = (first, start + i, sign)
