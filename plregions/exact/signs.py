"""Which sign does an affine function have at a float64 point, if floats alone can prove it?

Every answer here is a theorem or an "unsure"; nothing is decided by a tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidInputError

__all__ = ["sign_of_row", "signs_of_rows", "values_with_bounds"]

# Half a unit in the last place is 2^-53; bounds use twice that, which also covers the rounding
# of the bounds themselves (see values_with_bounds).
_UNIT = 2.0**-52
# More than any product loses to underflow, even where the processor flushes results below
# 2^-1022 to zero.
_TINY = 2.0**-1021


def values_with_bounds(
    rows: ArrayLike, points: ArrayLike, errors: ArrayLike = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate affine functions at points in float64, each value with a proven error bound.

    Parameters
    ----------
    rows : array_like of float64, shape (m, d + 1)
        Functions a.x + c, written (a, c).
    points : array_like of float64, shape (n, d)
        The points, taken as exact.
    errors : array_like of float64, shape (m, d + 1) or broadcast to it, default 0
        Bounds of |true coefficient - float coefficient|.

    Returns
    -------
    values : ndarray of float64, shape (n, m)
    bounds : ndarray of float64, shape (n, m)
        |true value - value| <= bound. A bound or value that is not finite proves nothing.

    Raises
    ------
    InvalidInputError
        Shapes that do not fit, or a negative error.

    Algorithm
    ---------
    The computed value of n = d + 1 terms, summed in any order and with or without fused
    multiplications, differs from the exact one by at most gamma_n sum |a_k x_k| + n 2^-1022, where
    gamma_n = n u / (1 - n u) and u = 2^-53 [1]_. The sum of magnitudes is itself computed, too
    small by at most the same factor, and errors of coefficients add sum e_k |x_k|. The factor
    (n + 3) 2^-52 in place of gamma_n, twice as large, covers these second-order terms and the
    rounding of the bound for all d < 2^50.

    Exactness
    ---------
    Proven for IEEE 754 double precision in round to nearest. Numbers below 2^-1022 among the
    inputs count as they are; a processor set to read them as zero is outside of the proof.

    References
    ----------
    .. [1] N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed. (2002),
       section 3.1.

    Examples
    --------
    >>> values, bounds = values_with_bounds([[1.0, -1.0, 0.5]], [[2.0, 0.25]])
    >>> values
    array([[2.25]])
    >>> bool(bounds[0, 0] < 1e-14)
    True
    """
    rows = np.asarray(rows, dtype=np.float64)
    points = np.asarray(points, dtype=np.float64)
    if rows.ndim != 2 or points.ndim != 2 or rows.shape[1] != points.shape[1] + 1:
        raise InvalidInputError(
            "values_with_bounds needs rows (m, d + 1) and points (n, d); got shapes "
            f"{rows.shape} and {points.shape}."
        )
    errors = np.broadcast_to(np.asarray(errors, dtype=np.float64), rows.shape)
    if (errors < 0).any():
        raise InvalidInputError("values_with_bounds needs errors >= 0; got a negative one.")
    n_terms = rows.shape[1]
    factor = (n_terms + 3) * _UNIT
    with np.errstate(all="ignore"):  # overflow ends in inf or NaN, which prove nothing
        sizes = np.abs(points)
        values = points @ rows[:, :-1].T + rows[:, -1]
        magnitudes = sizes @ np.abs(rows[:, :-1]).T + np.abs(rows[:, -1])
        bounds = factor * magnitudes + 2 * n_terms * _TINY
        if errors.any():
            spread = sizes @ errors[:, :-1].T + errors[:, -1]
            bounds = (bounds + spread * (1 + factor)) * (1 + 4 * _UNIT)
    return values, bounds


def signs_of_rows(rows: ArrayLike, points: ArrayLike, errors: ArrayLike = 0.0) -> NDArray[np.int8]:
    """Return the proven signs of affine functions at points, 0 where floats prove none.

    Parameters
    ----------
    rows : array_like of float64, shape (m, d + 1)
        Functions a.x + c, written (a, c).
    points : array_like of float64, shape (n, d)
        The points, taken as exact.
    errors : array_like of float64, shape (m, d + 1) or broadcast to it, default 0
        Bounds of |true coefficient - float coefficient|.

    Returns
    -------
    ndarray of int8, shape (n, m)
        1 and -1 are proven; 0 means unsure, also for an exact zero, NaN or an overflow.

    Raises
    ------
    InvalidInputError
        Shapes that do not fit, or a negative error.

    Algorithm
    ---------
    A value beyond its bound of `values_with_bounds` has a sign.

    Exactness
    ---------
    Every sign is proven.

    Examples
    --------
    >>> signs_of_rows([[1.0, -0.5], [1.0, -1.0]], [[1.0], [0.0]])
    array([[ 1,  0],
           [-1, -1]], dtype=int8)
    """
    values, bounds = values_with_bounds(rows, points, errors)
    with np.errstate(all="ignore"):
        proven = np.isfinite(values) & np.isfinite(bounds) & (np.abs(values) > bounds)
        return np.where(proven, np.sign(values), 0.0).astype(np.int8)


def sign_of_row(row_float: ArrayLike, error: ArrayLike, point: ArrayLike) -> int | None:
    """Return the proven sign of one affine function at one point, None when unsure.

    Parameters
    ----------
    row_float : array_like of float64, shape (d + 1,)
        The function a.x + c, written (a, c), rounded.
    error : float or array_like of float64, shape (d + 1,)
        Bounds of |true coefficient - float coefficient|; 0 for coefficients that are exact.
    point : array_like of float64, shape (d,)
        The point, taken as exact.

    Returns
    -------
    {1, -1} or None

    Raises
    ------
    InvalidInputError
        Shapes that do not fit, or a negative error.

    Algorithm
    ---------
    `signs_of_rows` for one row and one point.

    Exactness
    ---------
    A sign is proven. None is no statement about the value, zero included.

    Examples
    --------
    >>> sign_of_row([1.0, 1.0, -1.0], 0.0, [0.5, 0.75])
    1
    >>> sign_of_row([1.0, 1.0, -1.0], 0.0, [0.5, 0.5]) is None
    True
    """
    rows: NDArray[Any] = np.asarray(row_float, dtype=np.float64)[np.newaxis]
    points: NDArray[Any] = np.asarray(point, dtype=np.float64)[np.newaxis]
    sign = int(signs_of_rows(rows, points, error)[0, 0])
    return sign or None
