"""The network at a point: float64 forward pass, exact values, and the exact activation pattern."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import ArrayLike, NDArray

from plregions.errors import AmbiguousPointError, InvalidInputError
from plregions.exact.arrays import exact_array, float_array, integers_of
from plregions.network.layer import Layer, bit_slices
from plregions.network.propagate import activate, rows_of_layer

__all__ = ["exact_output", "forward", "pattern_bits", "proven_bits"]

# Unit roundoff of float64, and room for everything that underflows: products lose at most
# 2**-1075 each, so 2**-1000 covers 2**75 of them.
_ROUNDOFF = 2.0**-53
_UNDERFLOW = 2.0**-1000
# The bounds are themselves computed in float64; this covers their own rounding.
_SAFETY = 1.0 + 2.0**-10


def forward(layers: Sequence[Layer], points: ArrayLike | Sequence[Any]) -> NDArray[np.float64]:
    """Evaluate the network in float64 at one point or at many.

    Parameters
    ----------
    layers : sequence of Layer
        Input dimension d, output dimension m.
    points : array_like of float64, shape (d,) or (n, d)
        Finite numbers.

    Returns
    -------
    ndarray of float64, shape (m,) or (n, m)
        The outputs.

    Raises
    ------
    InvalidInputError
        Points of another dimension, NaN, infinities, or entries that are not numbers.
    OverflowError
        A rational weight is too large for a float64.

    Algorithm
    ---------
    One matrix product for each layer.

    Exactness
    ---------
    Rounded float64 arithmetic; `exact_output` gives the exact value.
    """
    array = _float_points(points, layers[0].n_in)
    values = np.atleast_2d(array)
    for layer in layers:
        form = layer.float_form
        values = values @ form.weight.T + form.bias
        if layer.slopes_name == "relu":
            values = np.maximum(values, 0.0)
        elif layer.slopes_name != "identity":
            values = np.where(values > 0, form.slopes[:, 1], form.slopes[:, 0]) * values
    return values[0] if array.ndim == 1 else values


def exact_output(layers: Sequence[Layer], point: Any) -> tuple[Fraction, ...]:
    """Evaluate the network at a point in exact arithmetic.

    Parameters
    ----------
    layers : sequence of Layer
        Input dimension d, output dimension m.
    point : sequence of float, int or Fraction, shape (d,)
        Floats stand for their exact values.

    Returns
    -------
    tuple of Fraction, length m
        The outputs.

    Raises
    ------
    InvalidInputError
        A point of another dimension, NaN, an infinity.

    Algorithm
    ---------
    One integer matrix-vector product for each layer, over one common denominator.

    Exactness
    ---------
    Exact.
    """
    state = _homogeneous(_exact_point(layers, point))
    for layer in layers:
        state = layer.integer_form.matrix * state
        state = activate(layer, state, _is_positive(state))
    *values, denominator = (int(v) for v in state.entries())
    return tuple(Fraction(v, denominator) for v in values)


def pattern_bits(layers: Sequence[Layer], point: Any) -> NDArray[np.bool_]:
    """Return the bits of the activation region that a point lies inside.

    Parameters
    ----------
    layers : sequence of Layer
        With N neurons and input dimension d.
    point : sequence of float, int or Fraction, shape (d,)
        Floats stand for their exact values.

    Returns
    -------
    ndarray of bool, shape (N,)
        1 iff the pre-activation is positive. A neuron whose pre-activation is identically 0
        around the point has bit 0.

    Raises
    ------
    AmbiguousPointError
        Some pre-activation is 0 at the point, but not around it: the point lies on a wall.
    InvalidInputError
        A point of another dimension, NaN, an infinity.

    Algorithm
    ---------
    A float64 pass with a running error bound; where it leaves a sign open, an exact pass, and for
    pre-activations that are 0 their exact affine maps.

    Exactness
    ---------
    Exact: floats decide only signs that the error bound proves.
    """
    exact_point = _exact_point(layers, point)
    proven = proven_bits(layers, exact_point)
    return _exact_bits(layers, exact_point) if proven is None else proven


def proven_bits(layers: Sequence[Layer], point: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return the bits at a point if float64 with an error bound proves all of them.

    Parameters
    ----------
    layers : sequence of Layer
        With N neurons and input dimension d.
    point : ndarray, shape (d,)
        A result of `exact_array`.

    Returns
    -------
    ndarray of bool, shape (N,), or None
        None when some sign is not proved.

    Algorithm
    ---------
    With |a - a'| <= e for the exact and the rounded inputs of a layer of n inputs, its
    pre-activations differ from W a' + b by at most |W| e, and that from its rounded value by
    gamma_(n+1) (|W| |a'| + |b|), for any order of summation, with or without fused operations
    (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). Rounded rational
    weights add one roundoff of |W| (|a'| + e) + |b|. Overflow makes a bound infinite or NaN,
    which proves nothing.

    Exactness
    ---------
    Bits that are returned are proved.
    """
    try:
        forms = [layer.float_form for layer in layers]
        value = float_array(point)
    except OverflowError:
        return None
    is_zero = np.zeros(value.size, dtype=np.bool_)
    all_bits = []
    with np.errstate(all="ignore"):
        error = np.zeros(value.size)
        if point.dtype == object:
            error = 2 * _ROUNDOFF * np.abs(value) + _UNDERFLOW
        for layer, form in zip(layers, forms, strict=True):
            size = np.abs(value) + error
            spread = form.abs_weight @ size + form.abs_bias
            room = _UNDERFLOW * (1.0 + size.sum())
            error = _SAFETY * (
                2 * _ROUNDOFF * (layer.n_in + 4) * spread + form.abs_weight @ error + room
            )
            value = form.weight @ value + form.bias
            is_dead = np.zeros(layer.n_out, dtype=np.bool_)
            is_proved = (np.abs(value) > error) & np.isfinite(value)
            unsure = np.flatnonzero(layer.has_bit & ~is_proved)
            if unsure.size:
                is_dead[unsure] = _is_identically_zero(layer, unsure, is_zero)
                if not is_dead[unsure].all():
                    return None
            chosen = layer.has_bit & (value > 0) & ~is_dead
            all_bits.append(chosen[layer.has_bit])
            picked = chosen.astype(np.intp)
            units = np.arange(layer.n_out)
            slopes = form.slopes[units, picked]
            if form.has_unit_slopes:
                error = np.abs(slopes) * error
            else:
                magnitude = np.abs(value) + error
                error = _SAFETY * (
                    np.abs(slopes) * (error + 4 * _ROUNDOFF * magnitude)
                    + _UNDERFLOW * (1.0 + magnitude)
                )
            value = slopes * value
            is_zero = is_dead | form.is_zero_slope[units, picked]
            value[is_zero] = 0.0
            error[is_zero] = 0.0
    return np.concatenate(all_bits)


def _is_identically_zero(
    layer: Layer, units: NDArray[np.intp], input_is_zero: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which units read only inputs that are identically zero, without bias."""
    reads = np.asarray(layer.weight[units] != 0, dtype=np.bool_) & ~input_is_zero
    has_bias = np.asarray(layer.bias[units] != 0, dtype=np.bool_)
    return ~reads.any(axis=1) & ~has_bias


def _exact_bits(layers: Sequence[Layer], point: NDArray[Any]) -> NDArray[np.bool_]:
    state = _homogeneous(point)
    slices = bit_slices(layers)
    bits = np.zeros(slices[-1].stop, dtype=np.bool_)
    for k, layer in enumerate(layers):
        state = layer.integer_form.matrix * state
        positive = _is_positive(state)
        entries = state.entries()
        zeros = [int(u) for u in np.flatnonzero(layer.has_bit) if entries[u] == 0]
        if zeros:
            rows = rows_of_layer(layers, bits, k, zeros)
            walls = [(k, u) for u, row in zip(zeros, rows, strict=True) if any(row)]
            if walls:
                raise AmbiguousPointError(_ambiguous_message(walls), neurons=walls)
        bits[slices[k]] = positive[layer.has_bit]
        state = activate(layer, state, positive)
    return bits


def _ambiguous_message(walls: list[tuple[int, int]]) -> str:
    shown = ", ".join(f"(layer {k}, unit {u})" for k, u in walls[:5])
    more = f" and {len(walls) - 5} more" if len(walls) > 5 else ""
    return (
        f"pattern_at needs a point inside one region; got one where the pre-activation of "
        f"{shown}{more} is 0. Move the point off the walls of these neurons."
    )


def _homogeneous(point: NDArray[Any]) -> fmpz_mat:
    numerators, denominator = integers_of(point)
    return fmpz_mat(point.size + 1, 1, [*numerators, denominator])


def _is_positive(state: fmpz_mat) -> NDArray[np.bool_]:
    # The denominator is positive by construction, so numerators carry the signs.
    return np.array([v > 0 for v in state.entries()[:-1]], dtype=np.bool_)


def _exact_point(layers: Sequence[Layer], point: Any) -> NDArray[Any]:
    try:
        array = exact_array(point, 1, verb="Network", noun="coordinates", name="the point")
    except (TypeError, ValueError) as error:
        raise InvalidInputError(str(error)) from error
    if array.size != layers[0].n_in:
        raise InvalidInputError(
            f"Network needs a point of dimension {layers[0].n_in}; got one of dimension "
            f"{array.size}."
        )
    return array


def _float_points(points: Any, dimension: int) -> NDArray[np.float64]:
    try:
        array = np.asarray(points)
    except ValueError:
        raise InvalidInputError(
            f"Network needs points of dimension {dimension}; got rows of different lengths."
        ) from None
    if array.dtype.kind not in "biuf":
        try:
            numbers = exact_array(
                points, array.ndim, verb="Network", noun="coordinates", name="points"
            )
        except (TypeError, ValueError) as error:
            raise InvalidInputError(str(error)) from error
        array = float_array(numbers)
    if array.ndim not in (1, 2) or array.shape[-1] != dimension:
        raise InvalidInputError(
            f"Network needs a point of shape ({dimension},) or points of shape (n, {dimension}); "
            f"got shape {array.shape}."
        )
    result = array.astype(np.float64)
    if not np.isfinite(result).all():
        raise InvalidInputError("Network needs finite coordinates; got NaN or inf in points.")
    return result
