"""Activation patterns: any form in, one immutable value out."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.errors import InvalidInputError
from plregions.network import ActivationPattern, as_bits

texts = st.text(alphabet="01", max_size=40)


@given(texts)
def test_all_forms_agree(text: str) -> None:
    pattern = ActivationPattern.from_string(text)
    numbers = [int(c) for c in text]
    assert str(pattern) == text
    assert len(pattern) == len(text)
    assert list(pattern) == numbers
    assert [pattern[k] for k in range(len(text))] == numbers
    assert pattern.bits.dtype == np.bool_
    forms: list[Any] = [
        numbers,
        tuple(bool(v) for v in numbers),
        (v for v in numbers),
        np.array(numbers, dtype=np.uint8),
        np.array(numbers, dtype=bool),
        np.array(numbers, dtype=float),
        pattern,
    ]
    for form in forms:
        assert ActivationPattern.from_bits(form) == pattern
    assert as_bits(pattern, len(text)).tolist() == as_bits(text, len(text)).tolist()


@given(texts)
def test_round_trips(text: str) -> None:
    pattern = ActivationPattern(text)
    packed = pattern.packed()
    assert packed.dtype == np.uint8
    assert packed.tolist() == [
        int(text[k : k + 8].ljust(8, "0"), 2) for k in range(0, len(text), 8)
    ]
    assert ActivationPattern.from_packed(packed, len(text)) == pattern
    assert pickle.loads(pickle.dumps(pattern)) == pattern
    assert eval(repr(pattern)) == pattern


@given(texts, texts)
def test_equality_and_hash_are_those_of_the_text(a: str, b: str) -> None:
    first, second = ActivationPattern(a), ActivationPattern(b)
    assert (first == second) == (a == b)
    assert len({first, second, ActivationPattern(a)}) == len({a, b})
    assert first != a


def test_immutable() -> None:
    given_bits = np.array([True, False])
    pattern = ActivationPattern(given_bits)
    given_bits[0] = False
    assert str(pattern) == "10"
    assert not pattern.bits.flags.writeable
    with pytest.raises(AttributeError, match="immutable"):
        pattern.bits = given_bits  # type: ignore[misc]


@pytest.mark.parametrize(
    "form",
    [
        "01a",
        "0 1",
        "\u0661",
        [0, 2],
        [0, -1],
        [0.5],
        [float("nan")],
        [[0, 1]],
        ["0", "1"],
        [None],
        [[0], [0, 1]],
        None,
        7,
        np.array(1),
        np.array([1j]),
    ],
)
def test_refuses(form: Any) -> None:
    with pytest.raises(InvalidInputError, match="^ActivationPattern needs .*; got "):
        as_bits(form, 2)


def test_wrong_length_names_both_numbers() -> None:
    with pytest.raises(InvalidInputError, match="pattern of 3 bits; got 2"):
        as_bits("01", 3)
    with pytest.raises(InvalidInputError, match="2 bytes for 9 bits"):
        ActivationPattern.from_packed(np.zeros(1, dtype=np.uint8), 9)
