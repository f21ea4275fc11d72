from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from plregions.exact.arrays import fraction
from plregions.exact.words import float_text, inequality_text, number_text, vector_text

F = Fraction


@given(st.fractions())
def test_text_stands_for_the_exact_number(number: Fraction) -> None:
    for text in (number_text(number), float_text(number)):
        # Text with a point or an exponent is the float64 that Python reads there.
        assert (
            fraction(text if "/" in text or text.lstrip("-").isdigit() else float(text)) == number
        )


def test_vectors() -> None:
    assert vector_text([F(1), F(0.1)]) == "[1, 0.1]"
    assert vector_text([F(2, 3)] * 3) == "['2/3'] * 3"
    assert vector_text([F(k) for k in range(9)]) == "[0, 1, 2, ..., 8]"


def test_inequalities() -> None:
    assert inequality_text([F(-1), F(1, 3)], F(0), "s", "A[0]") == "-s[0] + 1/3 s[1] <= 0.0"
    assert inequality_text([F(0)], F(-1), "x", "A[0]") == "0 <= -1.0"
    assert inequality_text([F(1)] * 9, F(1), "x", "A[4]") == "A[4] @ x <= 1.0"
