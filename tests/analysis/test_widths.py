"""Sizes are whole numbers, of any integer type, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plregions.analysis.widths import check_work, hidden_widths, layer_steps, parse_widths, whole
from plregions.errors import InvalidInputError


def test_what_is_taken() -> None:
    assert whole("f", "n", np.int32(3)) == 3
    assert hidden_widths("f", np.int8(2), (3, np.uint8(4))) == (2, (3, 4))
    assert parse_widths("f", " 2-10-1 ") == parse_widths("f", np.array([2, 10, 1])) == (2, 10, 1)
    assert all(type(n) is int for n in parse_widths("f", np.array([2, 10, 1])))


@pytest.mark.parametrize("wrong", [True, 1.0, "1", None, -1, np.float64(1)])
def test_what_is_not(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="f needs n to be a whole number of at least 0"):
        whole("f", "n", wrong)
    with pytest.raises(InvalidInputError):
        parse_widths("f", [2, wrong, 1])


@pytest.mark.parametrize("text", ["2-٣-1", "2-" + "9" * 50, "2- 3-1", "2-+3-1", "2_0-1"])
def test_texts_that_are_no_widths(text: str) -> None:
    with pytest.raises(InvalidInputError, match="such as '2-32-32-1'"):
        parse_widths("f", text)


def test_work() -> None:
    assert layer_steps(3, [2, 5]) == 3 * 2 + 2 * 2
    check_work("f", 10**6, 1000)
    for n_steps, n_bits in ((10**9, 1), (1, 10**8), (10**400, 10**400)):
        with pytest.raises(InvalidInputError, match="f needs sizes"):
            check_work("f", n_steps, n_bits)
