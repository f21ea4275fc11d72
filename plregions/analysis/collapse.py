"""The same function on a domain with the neurons that do nothing there taken out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.constant_signs import neuron_signs
from plregions.domain import Box, Polytope, Slice
from plregions.exact.arrays import fractions_of
from plregions.exact.integers import split_content
from plregions.network import Layer, Network
from plregions.network.composition import is_linear, merge
from plregions.network.network import check_networks

__all__ = ["collapsed"]

Array = NDArray[Any]


def collapsed(
    net: Network, domain: Box | Polytope | Slice | None = None, *, time_limit: float | None = None
) -> Network:
    """Return a smaller network that is the same function on a domain.

    What goes: neurons that never change their sign on the domain (they carry, or are 0); neurons
    with proportional rows, as far as one does the work of several (relu(x) - relu(-x) is x); units
    that nothing reads; layers without a kink, which are multiplied into the next one.

    Parameters
    ----------
    net : Network
    domain : Box, Polytope or Slice, optional
        Bounded, of the network's input dimension. Without it the function stays the same
        everywhere, and signs are not used.
    time_limit : float, optional
        For `neuron_signs`: neurons whose signs are not settled by then stay.

    Returns
    -------
    Network
        No deeper than `net` and with no more neurons; units that only carry may be new. Every
        remaining neuron takes both signs on the domain, unless time ran out.

    Raises
    ------
    InvalidInputError, InvalidDomainError
        An unbounded domain, wrong dimensions.

    Algorithm
    ---------
    `neuron_signs` decides the signs. Then, layer by layer: units are grouped by their rows up to
    a factor; what a group gives to the next layer is a function of one variable, a |t| + b t, so
    that one neuron and one carrying unit are enough. Repeated until nothing changes.

    Exactness
    ---------
    Exact: the weights are combined in rationals.

    Examples
    --------
    >>> net = Network([([[1, 0], [-1, 0], [1, 1]], [0, 0, 3]), ([[1, -1, 1]], [0])])
    >>> collapsed(net), collapsed(net, Box([-1, -1], [1, 1]))
    (Network(2-2-1, 1 neurons), Network(2-1, 0 neurons))
    """
    check_networks("collapsed", net)
    layers = list(net.layers)
    if domain is not None:
        signs = neuron_signs(net, domain, time_limit=time_limit)
        layers = _with_settled_slopes(layers, signs.neurons, signs.states)
    while True:
        before = layers
        layers = _without_linear_layers(_with_merged_units(_without_unread_units(layers)))
        if layers == before:
            return Network(layers)


def _with_settled_slopes(
    layers: list[Layer], neurons: tuple[tuple[int, int], ...], states: tuple[str, ...]
) -> list[Layer]:
    """Give both slopes of a neuron that keeps its sign the value of the one that acts."""
    slopes = [layer.slopes.astype(object) for layer in layers]
    for (k, unit), state in zip(neurons, states, strict=True):
        if state == "dead":
            slopes[k][unit, 1] = slopes[k][unit, 0]
        elif state == "always on":
            slopes[k][unit, 0] = slopes[k][unit, 1]
    return [Layer(a.weight, a.bias, s) for a, s in zip(layers, slopes, strict=True)]


def _without_unread_units(layers: list[Layer]) -> list[Layer]:
    """Leave out hidden units whose outgoing weights are all 0, from the last layer backwards."""
    result = [layers[-1]]
    for layer in reversed(layers[:-1]):
        following = result[0]
        read = np.flatnonzero((following.weight != 0).any(axis=0))
        if not len(read):
            read = np.array([0])  # a layer has a unit; as no one reads it, it may carry
            layer = Layer(layer.weight, layer.bias, "identity")
        result[0] = Layer(following.weight[:, read], following.bias, following.slopes)
        result.insert(0, Layer(layer.weight[read], layer.bias[read], layer.slopes[read]))
    return result


def _without_linear_layers(layers: list[Layer]) -> list[Layer]:
    """Multiply hidden layers without a kink into the next layer."""
    result = list(layers)
    for k in range(len(layers) - 2, -1, -1):
        if is_linear(result[k]):
            result[k : k + 2] = [merge(result[k + 1], result[k])]
    return result


def _with_merged_units(layers: list[Layer]) -> list[Layer]:
    """Join the units of each hidden layer that have proportional rows."""
    result = list(layers)
    for k in range(len(layers) - 1):
        result[k], result[k + 1] = _merged(result[k], result[k + 1])
    return result


@dataclass(frozen=True)
class _Units:
    """Rows, slopes and outgoing columns of the units that a layer is to have."""

    rows: list[list[Fraction]]
    slopes: list[tuple[Any, Any]]
    columns: list[Array]

    def add(self, row: list[Fraction], slopes: tuple[Any, Any], column: Array) -> None:
        self.rows.append(row)
        self.slopes.append(slopes)
        self.columns.append(column)


def _merged(layer: Layer, following: Layer) -> tuple[Layer, Layer]:
    outgoing: Array = np.array(fractions_of(following.weight), dtype=object)
    bias: Array = np.array(fractions_of(following.bias), dtype=object)
    units = _Units([], [], [])
    groups: dict[tuple[int, ...], list[int]] = {}
    factors: list[Fraction] = []
    rows = [
        [*weights, constant]
        for weights, constant in zip(
            fractions_of(layer.weight), fractions_of(layer.bias), strict=True
        )
    ]
    slopes = fractions_of(layer.slopes)
    for i, row in enumerate(rows):
        factor, primitive = split_content(row) if any(row) else (Fraction(0), [0] * len(row))
        lead = next((v for v in primitive if v), 0)
        factors.append(Fraction(-factor if lead < 0 else factor))
        if any(primitive[:-1]):
            groups.setdefault(tuple(-v if lead < 0 else v for v in primitive), []).append(i)
        else:  # a constant goes into the next layer's bias
            bias = bias + outgoing[:, i] * (row[-1] * slopes[i][int(row[-1] > 0)])
    for line, members in groups.items():
        if len(members) == 1:
            (i,) = members
            units.add(rows[i], tuple(slopes[i]), outgoing[:, i])
            continue
        # Slopes of what the group gives to the next layer, for t < 0 and for t > 0.
        below = sum(outgoing[:, i] * (factors[i] * slopes[i][factors[i] < 0]) for i in members)
        above = sum(outgoing[:, i] * (factors[i] * slopes[i][factors[i] > 0]) for i in members)
        row = [Fraction(v) for v in line]
        if (below != above).any():
            units.add(row, (0, 1), above - below)
        if (below != 0).any():
            units.add(row, (1, 1), below)
    units, bias = _with_few_carriers(units, bias, layer.n_in)
    if not units.rows:
        units.add([Fraction(0)] * len(rows[0]), (1, 1), 0 * bias)
    merged = Layer([row[:-1] for row in units.rows], [row[-1] for row in units.rows], units.slopes)
    return merged, Layer(np.stack(units.columns, axis=1), bias, following.slopes)


def _with_few_carriers(units: _Units, bias: Array, n_in: int) -> tuple[_Units, Array]:
    """Let the inputs themselves be carried where more units than that carry."""
    carrying = [i for i, (a, b) in enumerate(units.slopes) if a == b]
    if len(carrying) <= n_in:
        return units, bias
    result = _Units([], [], [])
    linear: Array = np.zeros((len(bias), n_in + 1), dtype=object)
    for i, (row, pair, column) in enumerate(
        zip(units.rows, units.slopes, units.columns, strict=True)
    ):
        if i in carrying:
            linear = linear + np.outer(column * pair[0], np.array(row, dtype=object))
        else:
            result.add(row, pair, column)
    for j in range(n_in):
        if (linear[:, j] != 0).any():
            result.add([Fraction(int(k == j)) for k in range(n_in + 1)], (1, 1), linear[:, j])
    return result, bias + linear[:, n_in]
