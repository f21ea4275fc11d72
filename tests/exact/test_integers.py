from __future__ import annotations

from fractions import Fraction
from math import gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.errors import InvalidInputError
from plregions.exact.integers import primitive_row, split_content

rows = st.lists(st.integers() | st.fractions(), max_size=6)


@given(rows)
def test_split(row: list[int | Fraction]) -> None:
    content, primitive = split_content(row)
    assert content > 0
    assert [content * v for v in primitive] == row
    assert all(type(v) is int for v in primitive)
    assert gcd(*primitive) == (1 if any(row) else 0)
    assert primitive_row(row) == primitive


@given(rows, st.fractions(min_value=Fraction(1, 100)).filter(bool))
def test_positive_multiples_share_the_primitive_row(
    row: list[int | Fraction], factor: Fraction
) -> None:
    assert primitive_row([v * factor for v in row]) == primitive_row(row)


def test_numpy_integers_do_not_overflow() -> None:
    row = primitive_row([np.int64(2**62), np.int8(3), np.uint64(2**64 - 1), True])
    assert row == [2**62, 3, 2**64 - 1, 1]
    assert row[0] * row[2] == 2**62 * (2**64 - 1)


@pytest.mark.parametrize("wrong", [0.5, "1", None, 1j])
def test_refuses_what_is_not_exact(wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="int or Fraction"):
        primitive_row([1, wrong])  # type: ignore[list-item]
