"""How are many rows multiplied by a matrix, in a steady time?

Libraries of linear algebra start threads for products that are not small. Where other processes
keep the processors busy each start waits for its thread, which can take a hundred times as long as
the product.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["rows_times"]

FloatArray = NDArray[np.float64]

# OpenBLAS, numpy's usual library, starts no threads below 2**19 multiplications; half of that.
SMALL = 2**18


def rows_times(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return ``rows @ matrix.T``.

    Parameters
    ----------
    rows : ndarray of float64, shape (..., n)
    matrix : ndarray of float64, shape (m, n)

    Returns
    -------
    ndarray of float64, shape (..., m)

    Algorithm
    ---------
    Several rows at a time, so few that no threads are started, in one call of numpy. A matrix of
    2**18 entries or more is taken with all rows at once.

    Examples
    --------
    >>> rows_times(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 1.0]])).tolist()
    [[3.0], [1.0]]
    """
    m, n = matrix.shape
    table = rows.reshape(prod(rows.shape[:-1]), n)
    step = SMALL // max(m * n, 1)
    if not 0 < step < len(table):
        found = table @ matrix.T
    else:
        found = np.empty((len(table), m))
        times = len(table) // step
        whole = times * step
        pieces = table[:whole].reshape(times, step, n)
        np.matmul(pieces, matrix.T, out=found[:whole].reshape(times, step, m))
        np.matmul(table[whole:], matrix.T, out=found[whole:])
    return found.reshape(*rows.shape[:-1], m)
