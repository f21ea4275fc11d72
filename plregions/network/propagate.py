"""From an activation pattern to affine maps: under fixed bits every layer is affine in the input.

Exact maps are carried as integer matrices in homogeneous coordinates: the last row is the common
denominator, so a layer is one integer matrix product and nothing is ever reduced on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.network.layer import HasLayers, Layer, bit_slices
from plregions.network.pattern import ActivationPattern, PatternLike, as_bits

__all__ = [
    "activate",
    "affine_map",
    "affine_map_exact",
    "homogeneous_fractions",
    "pre_activation_rows",
    "rows_of_layer",
]


def affine_map(
    layers: Sequence[Layer], pattern: PatternLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the network's affine map under a pattern, in float64.

    Parameters
    ----------
    layers : sequence of Layer
        All layers of a network with N neurons, input dimension d and output dimension m.
    pattern : pattern of N bits
        Any form that `as_bits` takes.

    Returns
    -------
    weight : ndarray of float64, shape (m, d)
        The linear part.
    bias : ndarray of float64, shape (m,)
        The constant part: the network is ``weight @ x + bias`` on the pattern's region.

    Raises
    ------
    InvalidInputError
        The pattern does not have N bits.
    OverflowError
        A rational weight is too large for a float64.

    Algorithm
    ---------
    One matrix product for each layer: cost d times a forward pass.

    Exactness
    ---------
    Rounded float64 arithmetic; `affine_map_exact` is the exact map.
    """
    bits = as_bits(pattern, _n_bits(layers))
    weight: NDArray[np.float64] = np.eye(layers[0].n_in)
    bias: NDArray[np.float64] = np.zeros(layers[0].n_in)
    for layer, part in zip(layers, bit_slices(layers), strict=True):
        form = layer.float_form
        chosen = layer.chosen_by(bits[part])
        slopes = np.where(chosen, form.slopes[:, 1], form.slopes[:, 0])
        weight = slopes[:, None] * (form.weight @ weight)
        bias = slopes * (form.weight @ bias + form.bias)
    return weight, bias


def affine_map_exact(
    layers: Sequence[Layer], pattern: PatternLike
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the network's affine map under a pattern, in rationals.

    Parameters
    ----------
    layers : sequence of Layer
        All layers of a network with N neurons, input dimension d and output dimension m.
    pattern : pattern of N bits
        Any form that `as_bits` takes.

    Returns
    -------
    weight : ndarray of Fraction, shape (m, d)
        The linear part.
    bias : ndarray of Fraction, shape (m,)
        The constant part.

    Raises
    ------
    InvalidInputError
        The pattern does not have N bits.

    Algorithm
    ---------
    One integer matrix product for each layer, in homogeneous coordinates.

    Exactness
    ---------
    Exact.
    """
    bits = as_bits(pattern, _n_bits(layers))
    state = _map_before(layers, bits, len(layers))
    rows = homogeneous_fractions(state)
    weight = np.empty((len(rows), layers[0].n_in), dtype=object)
    bias = np.empty(len(rows), dtype=object)
    for k, row in enumerate(rows):
        weight[k, :] = row[:-1]
        bias[k] = row[-1]
    return weight, bias


def pre_activation_rows(
    net: HasLayers,
    pattern_prefix_bits: PatternLike,
    layer: int,
    units: Sequence[int] | None = None,
) -> list[list[Fraction]]:
    """Return the exact affine maps of a layer's pre-activations under the bits before it.

    Parameters
    ----------
    net : Network
        With input dimension d.
    pattern_prefix_bits : pattern
        The bits of the layers before `layer`; a longer pattern, up to that of the whole network,
        is cut to them.
    layer : int
        Index of the layer, from 0.
    units : sequence of int, optional
        Which units; default all of them in order.

    Returns
    -------
    list of list of Fraction, len(units) times d + 1
        A row (a_1, ..., a_d, c) for each unit: its pre-activation is a.x + c.

    Raises
    ------
    InvalidInputError
        No such layer, or a pattern of the wrong length.

    Algorithm
    ---------
    Integer matrix products in homogeneous coordinates: from the input forwards, or for at most d
    units from the units backwards, whichever multiplies less.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> from plregions.network import Network
    >>> net = Network([([[1], [1]], [0, -1]), ([[2, -4]], [0])])
    >>> pre_activation_rows(net, "10", 1)
    [[Fraction(2, 1), Fraction(0, 1)]]
    """
    layers = net.layers
    if not 0 <= layer < len(layers):
        raise InvalidInputError(
            f"pre_activation_rows needs a layer from 0 to {len(layers) - 1}; got {layer}."
        )
    return rows_of_layer(layers, _prefix_bits(layers, pattern_prefix_bits, layer), layer, units)


def rows_of_layer(
    layers: Sequence[Layer],
    bits: NDArray[np.bool_],
    layer: int,
    units: Sequence[int] | None = None,
) -> list[list[Fraction]]:
    """Do the work of `pre_activation_rows`, for layers and bits that have been checked.

    Parameters
    ----------
    layers : sequence of Layer
        All layers.
    bits : ndarray of bool
        At least the bits of the layers before `layer`.
    layer : int
        Index of the layer.
    units : sequence of int, optional
        Which units; default all.

    Returns
    -------
    list of list of Fraction, len(units) times d + 1

    Exactness
    ---------
    Exact.
    """
    if units is not None and len(units) <= layers[0].n_in:
        return _rows_backwards(layers, bits, layer, units)
    rows = homogeneous_fractions(
        layers[layer].integer_form.matrix * _map_before(layers, bits, layer)
    )
    return rows if units is None else [rows[k] for k in units]


def activate(layer: Layer, state: fmpz_mat, chosen: NDArray[np.bool_]) -> fmpz_mat:
    """Multiply the pre-activations in homogeneous coordinates by the slopes that act.

    Parameters
    ----------
    layer : Layer
        Whose units are meant.
    state : fmpz_mat, shape (n_out + 1, k)
        Pre-activations; the last row is the denominator.
    chosen : ndarray of bool, shape (n_out,)
        True where the positive slope acts.

    Returns
    -------
    fmpz_mat, shape (n_out + 1, k)
        Outputs of the units, with the new denominator in the last row.

    Exactness
    ---------
    Exact.
    """
    n_columns = state.ncols()
    entries = state.entries()
    result: list[Any] = []
    for k, factor in enumerate(_factors(layer, chosen)):
        row = entries[k * n_columns : (k + 1) * n_columns]
        if factor == 1:
            result += row
        elif factor == 0:
            result += [0] * n_columns
        else:
            result += [factor * value for value in row]
    return fmpz_mat(state.nrows(), n_columns, result)


def _factors(layer: Layer, chosen: NDArray[np.bool_]) -> list[int]:
    """Return the integer slope of each unit, then the slopes' denominator."""
    slopes = layer.integer_form.slopes
    picked = [pair[bit] for pair, bit in zip(slopes, chosen.tolist(), strict=False)]
    return [*picked, slopes[-1][0]]


def _n_bits(layers: Sequence[Layer]) -> int:
    return int(bit_slices(layers)[-1].stop)


def _prefix_bits(layers: Sequence[Layer], pattern: PatternLike, layer: int) -> NDArray[np.bool_]:
    slices = bit_slices(layers)
    needed, most = slices[layer].start, slices[-1].stop
    bits = ActivationPattern(pattern).bits
    if not needed <= bits.size <= most:
        raise InvalidInputError(
            f"pre_activation_rows needs the {needed} bits of the layers before layer {layer}, or "
            f"up to the {most} bits of all layers; got {bits.size}."
        )
    return bits[:needed]


def _map_before(layers: Sequence[Layer], bits: NDArray[np.bool_], stop: int) -> fmpz_mat:
    """Return the affine map of the input to layer `stop`: shape (n + 1, d + 1)."""
    size = layers[0].n_in + 1
    state = fmpz_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    for layer, part in zip(layers[:stop], bit_slices(layers)[:stop], strict=True):
        state = activate(layer, layer.integer_form.matrix * state, layer.chosen_by(bits[part]))
    return state


def _rows_backwards(
    layers: Sequence[Layer], bits: NDArray[np.bool_], layer: int, units: Sequence[int]
) -> list[list[Fraction]]:
    # The denominator's own row comes along as the last one, so it needs no separate account.
    matrix = layers[layer].integer_form.matrix
    chosen = [*units, layers[layer].n_out]
    rows = fmpz_mat([[matrix[k, j] for j in range(matrix.ncols())] for k in chosen])
    slices = bit_slices(layers)
    for before in range(layer - 1, -1, -1):
        earlier = layers[before]
        factors = _factors(earlier, earlier.chosen_by(bits[slices[before]]))
        scaled = [[f * v for f, v in zip(factors, row, strict=True)] for row in rows.table()]
        rows = fmpz_mat(scaled) * earlier.integer_form.matrix
    return homogeneous_fractions(rows)


def homogeneous_fractions(state: fmpz_mat) -> list[list[Fraction]]:
    """Return the rows divided by the denominator, which is the last entry of the last row.

    Parameters
    ----------
    state : fmpz_mat, shape (n + 1, k)
        Values in homogeneous coordinates.

    Returns
    -------
    list of list of Fraction, n times k

    Exactness
    ---------
    Exact.
    """
    table = state.tolist()
    denominator = int(table[-1][-1])
    return [[Fraction(int(value), denominator) for value in row] for row in table[:-1]]
