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
        rows, is_exact = _float_rows(p, index)
        has_kink = p.units.bit[start : start + len(rows)] >= 0
        for group in _alike(rows, has_kink):
            _link(found, start, group, _exact_rows(layer, rows, is_exact, group))
        start += len(rows)
    return found


def _float_rows(p: Prepared, index: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return rows [weight | bias] of a layer, scaled by powers of two, and which are exact."""
    units = p.units
    part = slice(*units.layer_first[index : index + 2])
    is_exact = (units.weight_error[part] == 0.0) & (units.bias_error[part] == 0.0)
    if index == 0:
        return p.first_rows[0], is_exact
    at = int(units.weight_first[index])
    shape = part.stop - part.start, part.start - int(units.layer_first[index - 1])
    weight = units.weight[at : at + shape[0] * shape[1]].reshape(shape)
    return np.column_stack([weight, units.bias[part]]), is_exact


def _alike(rows: NDArray[np.float64], chosen: NDArray[np.bool_]) -> list[list[int]]:
    """Group those chosen rows that look alike; multiples of one another do, but for ties."""
    largest = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    scaled = np.round(rows / np.where(largest == 0.0, 1.0, largest)[:, None], 9) + 0.0
    groups: dict[bytes, list[int]] = {}
    for i in np.flatnonzero(chosen & (largest != 0.0)).tolist():
        groups.setdefault(scaled[i].tobytes(), []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def _exact_rows(
    layer: Layer, rows: NDArray[np.float64], is_exact: NDArray[np.bool_], group: list[int]
) -> list[tuple[float, ...]]:
    """Return rows of a group that are multiples exactly when they are equal or opposite.

    Rows that differ by a power of two are equal once they are scaled; others are brought to
    coprime integers, which takes a hundred times longer.
    """
    own = rows[group]
    is_equal, is_opposite = (own == own[0]).all(axis=1), (own == -own[0]).all(axis=1)
    if is_exact[group].all() and (is_equal | is_opposite).all():
        return [(1.0,) if equal else (-1.0,) for equal in is_equal.tolist()]
    weight, bias = fractions_of(layer.weight[group]), fractions_of(layer.bias[group])
    return [tuple(primitive_row([*w, b])) for w, b in zip(weight, bias, strict=True)]


def _link(found: Multiples, start: int, group: list[int], rows: list[tuple[float, ...]]) -> None:
    """Link those units of a group whose rows are equal or opposite."""
    last: dict[tuple[float, ...], tuple[int, int, bool]] = {}
    for i, row in zip(group, rows, strict=True):
        opposite = tuple(-v for v in row)
        is_upper = row > opposite
        name = row if is_upper else opposite
        first, before, was_upper = last.get(name, (start + i, -1, is_upper))
        if before >= 0:
            found.first[start + i] = first
            found.later[before] = start + i
            found.is_opposite[start + i] = was_upper != is_upper
        last[name] = (first, start + i, was_upper)
