"""Arrays of walks: where they start, and what stands in them when they grow."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plregions.feasibility.room import LINE, aligned, longer


@given(st.lists(st.integers(0, 30), min_size=1, max_size=5))
def test_aligned_arrays_start_at_cache_lines_and_are_apart(lengths: list[int]) -> None:
    arrays = aligned(*lengths)
    assert [len(array) for array in arrays] == lengths
    assert all(array.ctypes.data % (LINE * array.itemsize) == 0 for array in arrays if len(array))
    for i, array in enumerate(arrays):
        array[:] = i
    assert all((array == i).all() for i, array in enumerate(arrays))


def test_longer_arrays_keep_what_they_have() -> None:
    array = np.arange(6).reshape(2, 3)
    assert longer(array, 2) is array
    grown = longer(array, 4, 5)
    assert grown.shape == (4, 5) and np.array_equal(grown[:2, :3], array) and grown.sum() == 15
