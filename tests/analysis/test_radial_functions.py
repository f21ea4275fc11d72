"""Values and enclosures of convex functions of the norm, against decimals of many digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.analysis.radial_functions import (
    RadialFunction,
    euclidean_norm,
    root_bounds,
    shifted_norm,
)
from plregions.errors import InvalidInputError

positive = st.fractions(0, 10**6, max_denominator=10**6) | st.fractions(0, 1)


def digits(square: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 100
        return (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()


def encloses(square: Fraction, low: Fraction, high: Fraction) -> bool:
    if not low * low <= square <= high * high or high - low > low / 2**150:
        return False
    return abs(digits(square) - digits(low * low)) < Decimal("1e-30")


@given(positive)
def test_root_bounds(square: Fraction) -> None:
    low, high = root_bounds(square)
    assert encloses(square, low, high)
    assert root_bounds(square * square) == (square, square)


@pytest.mark.parametrize("exponent", [-2000, -1, 1, 3000])
def test_root_bounds_of_extreme_numbers(exponent: int) -> None:
    square = 3 * Fraction(2) ** exponent
    low, high = root_bounds(square)
    assert low * low < square < high * high
    assert high - low < low / 2**150


def test_oracle_catches_a_planted_fault() -> None:
    low, high = root_bounds(Fraction(2))
    assert encloses(Fraction(2), low, high)
    assert not encloses(Fraction(2), high, high)
    assert not encloses(Fraction(2), low - Fraction(1, 2**140), high)


def test_values() -> None:
    rho = RadialFunction([0, "1/2", 3], [1, 0.5, -10])
    radii = [Fraction(k, 4) for k in range(30)]
    expected = [max(Fraction(1), r / 2 + Fraction(1, 2), 3 * r - 10) for r in radii]
    assert [rho(r) for r in radii] == expected
    assert rho.values([float(r) for r in radii]).tolist() == [float(v) for v in expected]
    assert rho.values(np.ones((2, 3))).shape == (2, 3)
    assert [rho.bounds(r * r) for r in radii] == [(v, v) for v in expected]
    low, high = rho.bounds(Fraction(20))
    assert low < high < low + Fraction(1, 10**40)


def test_named_ones() -> None:
    assert euclidean_norm() == RadialFunction([1], [0])
    assert shifted_norm(2) == RadialFunction([0, 1], [0, -2])
    assert hash(euclidean_norm()) == hash(RadialFunction(["1"], [0.0]))
    assert repr(euclidean_norm()) == "r"
    assert repr(RadialFunction([2, 0], ["1/3", 4])) == "max(2 r + 1/3, 4)"
    assert shifted_norm("1/3")("1/2") == Fraction(1, 6)


@pytest.mark.parametrize(
    ("slopes", "constants"),
    [([], []), ([1], [0, 1]), ([-1], [0]), ([1], [float("nan")]), (["x"], [0]), ([None], [0])],
)
def test_wrong_pieces(slopes: Any, constants: Any) -> None:
    with pytest.raises(InvalidInputError, match="RadialFunction needs"):
        RadialFunction(slopes, constants)


@pytest.mark.parametrize("radius", ["x", float("inf"), None])
def test_wrong_radius(radius: Any) -> None:
    with pytest.raises(InvalidInputError, match="needs a radius"):
        euclidean_norm()(radius)


@pytest.mark.parametrize("shift", ["x", float("inf"), None])
def test_wrong_shift(shift: Any) -> None:
    with pytest.raises(InvalidInputError, match="shifted_norm needs"):
        shifted_norm(shift)
