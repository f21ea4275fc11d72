"""Which patterns agree on the first layers? What a layer sees is computed once for all of them.

Patterns in lexicographic order, as those of a complex, agree in long runs: with 180 neurons in each
of three layers in the plane, 100,000 patterns are 12,000 on the first layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["batches", "runs"]

IntArray = NDArray[np.int64]

# Numbers in the largest array of a batch: what a processor's cache holds.
BATCH_SIZE = 2**17


def batches(n: int, numbers: int) -> Iterator[slice]:
    """Yield the parts of n patterns of which each makes arrays of so many numbers.

    Examples
    --------
    >>> list(batches(3, 2**16))
    [slice(0, 2, None), slice(2, 4, None)]
    """
    step = max(1, BATCH_SIZE // max(1, numbers))
    return (slice(start, start + step) for start in range(0, n, step))


def runs(bits: NDArray[np.bool_], parts: Sequence[slice]) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield for each layer the runs of neighbouring patterns that agree up to and with it.

    Parameters
    ----------
    bits : ndarray of bool, shape (n, N)
    parts : sequence of slice
        The bits of each layer, as `bit_slices` has them.

    Returns
    -------
    iterator of (starts, before)
        The first pattern of each run, and the run of the layer before that it is a part of; before
        the first layer all patterns are one run.

    Examples
    --------
    >>> bits = np.array([[0, 0], [0, 1], [1, 1]], dtype=bool)
    >>> [[v.tolist() for v in run] for run in runs(bits, [slice(0, 1), slice(1, 2)])]
    [[[0, 2], [0, 0]], [[0, 1, 2], [0, 0, 1]]]
    """
    begins = np.zeros(len(bits), dtype=np.bool_)
    begins[:1] = True
    members = np.zeros(len(bits), dtype=np.int64)
    for part in parts:
        begins[1:] |= (bits[1:, part] != bits[:-1, part]).any(axis=1)
        (starts,) = begins.nonzero()
        before = members[starts]
        members = np.cumsum(begins) - 1
        yield starts, before
