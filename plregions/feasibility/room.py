"""How do the arrays of a walk get room?"""

from __future__ import annotations

from ctypes import addressof, c_char
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def aligned(*lengths: int) -> list[NDArray[np.float64]]:
    """Return arrays that start at cache lines: vector loads across two take longer."""
    pool = np.empty(sum(lengths) + LINE * (len(lengths) + 1))
    # What `pool.ctypes` gives, in a third of the time.
    at = -(addressof(c_char.from_buffer(pool.data)) // pool.itemsize) % LINE
    arrays = []
    for n in lengths:
        arrays.append(pool[at : at + n])
        at += n + -n % LINE
    return arrays
