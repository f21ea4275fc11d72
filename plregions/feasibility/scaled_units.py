"""The units of a network in local coordinates, scaled by powers of two and rounded with bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import fractions_of
from plregions.feasibility.frame import Frame
from plregions.feasibility.homogenise import HomogeneousFrame
from plregions.kernels.layout import Units
from plregions.kernels.scaling import (
    IDENTITY,
    OTHER,
    RELU,
    measure_rows,
    scale_layers,
    write_columns,
)
from plregions.network import Layer, Network

__all__ = ["measured_rows", "scaled_layer", "scaled_units"]

FloatArray = NDArray[np.float64]

HALF_ULP = 2.0**-53
SUBNORMAL = 2.0**-1074

KINDS = {"relu": RELU, "identity": IDENTITY, None: OTHER}


def _split_floats(array: Any) -> tuple[FloatArray, NDArray[np.int64], NDArray[np.bool_]]:
    """Return mantissas, binary exponents and whether rounding was needed, entry by entry."""
    if array.dtype == np.float64:
        mantissa, exponent = np.frexp(array)
        return mantissa, exponent.astype(np.int64), np.zeros(array.shape, dtype=np.bool_)
    mantissa = np.zeros(array.shape)
    exponent64 = np.zeros(array.shape, dtype=np.int64)
    rounded = np.zeros(array.shape, dtype=np.bool_)
    for index in np.ndindex(array.shape):
        value = array[index]
        if not value:
            continue
        top, bottom = value.numerator, value.denominator
        e = top.bit_length() - bottom.bit_length()
        top, bottom = (top, bottom << e) if e >= 0 else (top << -e, bottom)
        m = top / bottom  # of integers: rounded once
        numerator, denominator = m.as_integer_ratio()
        rounded[index] = numerator * bottom != top * denominator
        fraction, shift = math.frexp(m)
        mantissa[index] = fraction
        exponent64[index] = e + shift
    return mantissa, exponent64, rounded


def scaled_layer(
    weight: Any, bias: Any, column_exponent: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.int64]]:
    """Scale each row [weight | bias] by a power of two to a 1-norm of about 1 and round it.

    ``column_exponent`` is added to the exponent of each weight's column. Returns rows, error bounds
    of their weights and of their biases (one a row) and the exponent by which each was divided.
    """
    wm, we, wr = _split_floats(weight)
    bm, be, br = _split_floats(bias)
    we = we + column_exponent[None, :]
    mantissa = np.concatenate([wm, bm[:, None]], axis=1)
    exponent = np.concatenate([we, be[:, None]], axis=1)
    lowest = np.iinfo(np.int64).min // 2
    top = np.where(mantissa != 0.0, exponent, lowest).max(axis=1)
    top = np.where(top == lowest, 0, top)
    scaled = _ldexp(mantissa, exponent - top[:, None])
    norm = np.abs(scaled).sum(axis=1)
    extra = np.frexp(np.maximum(norm, 0.5))[1].astype(np.int64)
    shift = -(top + extra)
    scaled = _ldexp(mantissa, exponent + shift[:, None])
    flushed = (mantissa != 0.0) & (np.abs(scaled) < 2.0**-1021)
    # A non-zero number must not look like a structural zero.
    scaled = np.where((mantissa != 0.0) & (scaled == 0.0), np.copysign(SUBNORMAL, mantissa), scaled)
    error = np.where(np.concatenate([wr, br[:, None]], axis=1), np.abs(scaled) * HALF_ULP * 2, 0.0)
    error = error + np.where(flushed, SUBNORMAL * 2, 0.0)
    return scaled, error[:, :-1].max(axis=1), error[:, -1].copy(), -shift


def _scaled_slopes(slopes: Any) -> tuple[FloatArray, NDArray[np.int64]]:
    """Scale each pair of slopes by a power of two to at most 1; returns the power taken out."""
    mantissa, exponent, _ = _split_floats(slopes)
    # Powers of two become 1 and not 1/2, so the slopes of ReLU stay as they are.
    power = np.abs(mantissa) == 0.5
    mantissa = np.where(power, 2.0 * mantissa, mantissa)
    exponent = exponent - power
    lowest = np.iinfo(np.int64).min // 2
    top = np.where(mantissa != 0.0, exponent, lowest).max(axis=1)
    top = np.where(top == lowest, 0, top)
    scaled = _ldexp(mantissa, exponent - top[:, None])
    scaled = np.where((mantissa != 0.0) & (scaled == 0.0), np.copysign(SUBNORMAL, mantissa), scaled)
    return scaled, top


def _ldexp(mantissa: FloatArray, exponent: NDArray[np.int64]) -> FloatArray:
    return np.ldexp(mantissa, np.clip(exponent, -1200, 1000).astype(np.int32))


def scaled_units(net: Network, frame: Frame | HomogeneousFrame) -> tuple[Units, FloatArray, int]:
    """Return the kernel's unit columns, the rows of layer 0, and how many units to walk over.

    A kernel scales layers of floats of usual size; the others are scaled by `scaled_layer`.
    """
    layers, d = net.layers, net.input_dim
    ends = [0, *accumulate([len(layer.bias) for layer in layers])]
    n = ends[-1]
    first = np.array(ends, dtype=np.int64)
    weight_first = np.array(
        [0, *accumulate([layer.weight.size for layer in layers])], dtype=np.int64
    )
    bit, layer_of, top, negative, positive, n_walk = _columns(layers, first, n)
    weight = np.concatenate([_floats(layer.weight) for layer in layers])
    bias = np.concatenate([_floats(layer.bias) for layer in layers])
    weight_error, bias_error = np.zeros(n), np.zeros(n)
    is_moved = any(frame.middle)
    usual = np.array([layer.weight.dtype == layer.bias.dtype == np.float64 for layer in layers])
    usual[0] &= not is_moved
    exponent = np.empty(d + n, dtype=np.int64)  # of the inputs, then of the units
    exponent[:d] = frame.exponent
    factors, rows0 = np.empty(d + n), np.empty((ends[1], d + 1))
    done = 0
    while done < len(layers):
        done = scale_layers(
            done, first, weight_first, weight, bias, top, usual, exponent, factors, rows0
        )
        if done < len(layers):
            own = layers[done].bias
            if is_moved and done == 0:
                own = _moved_bias(layers[0].weight, own, frame.middle)
            part = slice(*ends[done : done + 2])
            column = exponent[:d] if done == 0 else exponent[d + ends[done - 1] : d + part.start]
            rows, we, be, power = scaled_layer(layers[done].weight, own, column)
            weight[weight_first[done] : weight_first[done + 1]] = rows[:, :-1].ravel()
            bias[part], weight_error[part], bias_error[part] = rows[:, -1], we, be
            exponent[d + part.start : d + part.stop] = power + top[part]
            if done == 0:
                rows0[:] = rows
            done += 1
    at = layers[0].weight.size
    weight_first -= at
    weight_first[0] = 0
    units = Units(
        first, layer_of, weight_first[:-1], weight[at:], bias, weight_error, bias_error, bit,
        negative, positive,
    )  # fmt: skip
    return units, rows0, n_walk


def _floats(array: Any) -> FloatArray:
    """Return the entries one after the other where they are floats, else room for them."""
    return array.ravel() if array.dtype == np.float64 else np.zeros(array.size)


def _columns(layers: Sequence[Layer], first: NDArray[np.int64], n: int) -> tuple[Any, ...]:
    """Return what is known of ``n`` units without their weights, and how many to walk over.

    That is columns: bits, layers, powers of two that were taken out of the slopes, and these.
    ``first`` is the first unit of each layer.
    """
    bit, layer_of, top = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    negative, positive = np.empty(n), np.empty(n)
    kind = np.array([KINDS[layer.slopes_name] for layer in layers], dtype=np.int64)
    has_bit = np.zeros(n, dtype=np.bool_)
    for index, layer in enumerate(layers):
        if layer.slopes_name is None:
            part = slice(int(first[index]), int(first[index + 1]))
            pairs, top[part] = _scaled_slopes(layer.slopes)
            negative[part], positive[part] = pairs.T
            has_bit[part] = layer.has_bit
    n_walk = write_columns(first, kind, has_bit, bit, layer_of, negative, positive, top)
    return bit, layer_of, top, negative, positive, n_walk


def measured_rows(
    rows: FloatArray, weight_error: FloatArray, bias_error: FloatArray
) -> tuple[Any, Any, Any, Any]:
    """Return rows with bounds on their errors and sizes, and flags."""
    n = len(rows)
    error, size, flags = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    measure_rows(rows, weight_error, bias_error, error, size, flags)
    return rows, error, size, flags


def _moved_bias(weight: Any, bias: Any, middle: tuple[Fraction, ...]) -> Any:
    moved = np.empty(len(bias), dtype=object)
    w, b = fractions_of(weight), fractions_of(bias)
    for i in range(len(moved)):
        moved[i] = b[i] + sum((a * c for a, c in zip(w[i], middle, strict=True)), Fraction(0))
    return moved
