"""How do the arrays of a walk get room?"""

from __future__ import annotations

from itertools import accumulate
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
    """Return arrays of zeros that start at cache lines: vector loads across two take longer."""
    starts = list(accumulate([0, *(n + -n % LINE for n in lengths)]))
    pool = np.zeros(starts[-1] + LINE)
    shift = -(pool.__array_interface__["data"][0] // pool.itemsize) % LINE
    return [pool[shift + a : shift + a + n] for a, n in zip(starts, lengths, strict=False)]
