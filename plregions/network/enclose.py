"""Outputs at many points in float64, each with a proven error bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plregions.network.layer import Layer

__all__ = ["forward_enclosed"]

# Unit roundoff of float64, and room for everything that underflows: products lose at most
# 2**-1075 each, so 2**-1000 covers 2**75 of them.
_ROUNDOFF = 2.0**-53
_UNDERFLOW = 2.0**-1000
# The bounds are themselves computed in float64; this covers their own rounding.
_SAFETY = 1.0 + 2.0**-10


def forward_enclosed(
    layers: Sequence[Layer],
    points: NDArray[np.float64],
    input_errors: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate a network in float64 at many points, with bounds of the errors.

    Parameters
    ----------
    layers : sequence of Layer
        Input dimension d, output dimension m.
    points : ndarray of float64, shape (n, d)
    input_errors : ndarray of float64, shape (n, d), optional
        How far the coordinates may be from the true ones. Default: they are exact.

    Returns
    -------
    values, bounds : ndarray of float64, shape (n, m)
        |exact value at the true point - value| <= bound. Entries that are not finite prove nothing.

    Raises
    ------
    OverflowError
        A rational weight is too large for a float64.

    Algorithm
    ---------
    A product of n_in terms, summed in any order, differs from the exact one by less than
    2 (n_in + 4) u times the sum of magnitudes, u = 2^-53, rounded weights included; errors of
    the inputs add |W| e. A unit enlarges an error by its larger slope at most, whether or not the
    sign of its pre-activation is known.

    Exactness
    ---------
    The bounds are proven (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).

    Examples
    --------
    >>> from plregions.network import Network
    >>> net = Network([([["1/3"]], [0], "relu")])
    >>> values, bounds = forward_enclosed(net.layers, np.array([[1.0]]))
    >>> bool(abs(values[0, 0] - 1 / 3) <= bounds[0, 0] < 1e-14)
    True
    """
    values = points
    errors = np.zeros_like(points) if input_errors is None else input_errors
    with np.errstate(all="ignore"):  # overflow ends in inf or NaN, which prove nothing
        for layer in layers:
            form = layer.float_form
            sizes = np.abs(values) + errors
            spread = sizes @ form.abs_weight.T + form.abs_bias
            room = _UNDERFLOW * (1.0 + sizes.sum(axis=1, keepdims=True))
            rounding = 2 * _ROUNDOFF * (layer.n_in + 4) * spread
            errors = _SAFETY * (rounding + errors @ form.abs_weight.T + room)
            values = values @ form.weight.T + form.bias
            steepest = np.abs(form.slopes).max(axis=1)
            if not form.has_unit_slopes:
                magnitude = np.abs(values) + errors
                errors = errors + 4 * _ROUNDOFF * magnitude
                errors = _SAFETY * (steepest * errors + _UNDERFLOW * (1.0 + magnitude))
            else:
                errors = steepest * errors
            values = np.where(values > 0, form.slopes[:, 1], form.slopes[:, 0]) * values
    return values, errors
