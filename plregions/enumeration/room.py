"""How do the arrays of a walk get more room?"""

from __future__ import annotations

from typing import Any

import math

import numpy as np

__all__ = ["LINE", "aligned", "longer"]

LINE = 8  # float64 numbers in a cache line


def longer(array: Any, *lengths: int) -> Any:
    """Return an array with so many entries along its first axes, zeros behind those it has.

    The array itself where it has as many.
    """
    shape = (*lengths, *array.shape[len(lengths) :])
    if array.shape == shape:
        return array
    out = np.zeros(shape, dtype=array.dtype)
    out[tuple(slice(0, n) for n in array.shape)] = array
    return out


def aligned(*shape: int) -> NDArray[np.float64]:
    """Return zeros that start at a cache line: vector loads across two lines take twice as long."""
    n = math.prod(shape)
    array = np.zeros(n + LINE)
    start = -(array.__array_interface__["data"][0] // array.itemsize) % LINE
    return array[start : start + n].reshape(shape)
