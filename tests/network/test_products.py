"""Rows times a matrix in small pieces are the rows times the matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.network import products
from plregions.network.products import rows_times


@given(
    st.lists(st.integers(0, 4), max_size=2),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([1, 5, 20, 2**18]),
    st.integers(0, 2**32 - 1),
)
def test_whole_numbers(shape: list[int], n: int, m: int, small: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, matrix = rng.integers(-9, 9, (*shape, n)), rng.integers(-9, 9, (m, n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "SMALL", small)
        found = rows_times(rows.astype(float), matrix.astype(float))
    lists = rows.reshape(int(np.prod(shape)), n).tolist()
    wanted = [sum(a * b for a, b in zip(x, y, strict=True)) for x in lists for y in matrix.tolist()]
    assert found.shape == (*shape, m)
    assert found.ravel().tolist() == wanted


def test_parts_of_larger_arrays() -> None:
    rows = np.arange(24.0).reshape(2, 3, 4)[:, :, 1:3]
    matrix = np.arange(8.0).reshape(2, 4)[:, 1:3]
    assert (rows_times(rows, matrix) == rows @ matrix.T).all()
