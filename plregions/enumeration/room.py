"""How do the arrays of a walk get more room?"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["longer"]


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
