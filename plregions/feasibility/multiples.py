"""Which units of a layer are multiples of one another, so that one sign settles them all?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import fractions_of
from plregions.exact.integers import primitive_row
from plregions.kernels.alike import link_multiples
from plregions.kernels.layout import Units
from plregions.network import Layer

__all__ = ["Multiples", "multiples"]

FloatArray = NDArray[np.float64]


class Multiples(NamedTuple):
    """Units of which an earlier one of their layer is a multiple, by a factor other than 0."""

    first: NDArray[np.int64]  # (n_units,) that earlier unit, the first of its kind, or -1
    later: NDArray[np.int64]  # (n_units,) the next unit of the same kind, or -1
    is_opposite: NDArray[np.uint8]  # (n_units,) whether the factor is negative

    @property
    def twin(self) -> NDArray[np.int64]:
        """The first of the kind as +-(v + 1), with the sign of the factor; 0 for none."""
        return np.where(self.is_opposite, -1, 1) * (self.first + 1)


def multiples(layers: Sequence[Layer], units: Units, first_rows: FloatArray) -> Multiples:
    """Group the units with kinks by their rows [weight | bias]; ``first_rows`` are layer 0's.

    Rows that look alike, by a hash that is the same for multiples but for ties in rounding, are
    compared exactly; the others count as different. A kernel does the layers in which rows that
    look alike are equal or opposite once they are scaled by powers of two; the rest is compared in
    whole numbers. Cost is linear in the number of weights, and a look at each two units of a layer.
    """
    n, n_layers = len(units.bias), len(layers)
    widest = max(len(layer.bias) for layer in layers)
    found = Multiples(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.uint8))
    is_plain = np.empty(n_layers, np.uint8)
    weights = np.empty((2, max(layers[0].n_in, widest)))
    hashes = np.empty(n)
    link_multiples(
        units.layer_first, units.weight_first, units.weight, units.bias, units.weight_error,
        units.bias_error, units.bit, first_rows, *found, hashes, np.empty(n, np.int64), weights,
        is_plain,
    )  # fmt: skip
    for index, plain in enumerate(is_plain.tolist()):
        if not plain:
            start, stop = units.layer_first[index : index + 2].tolist()
            _link_layer(found, layers[index], slice(start, stop), hashes)
    return found


def _link_layer(found: Multiples, layer: Layer, part: slice, hashes: FloatArray) -> None:
    """Link the units of a layer by comparing those with equal hashes in whole numbers."""
    found.first[part], found.later[part], found.is_opposite[part] = -1, -1, 0
    _, kind, counts = np.unique(hashes[part], return_inverse=True, return_counts=True)
    group = np.flatnonzero((counts[kind] > 1) & ~np.isnan(hashes[part])).tolist()
    _link(found, part.start, group, _exact_rows(layer, group))


def _exact_rows(layer: Layer, group: list[int]) -> list[tuple[int, ...]]:
    """Return rows of a group as coprime integers; a hundred times slower than floats."""
    weight, bias = fractions_of(layer.weight[group]), fractions_of(layer.bias[group])
    return [tuple(primitive_row([*w, b])) for w, b in zip(weight, bias, strict=True)]


def _link(found: Multiples, start: int, group: list[int], rows: list[tuple[int, ...]]) -> None:
    """Link those units of a group whose rows are equal or opposite."""
    last: dict[tuple[int, ...], tuple[int, int, bool]] = {}
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
