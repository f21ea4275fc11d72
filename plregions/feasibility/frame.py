"""Local coordinates: the affine change that puts a domain inside the unit box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.kernels.rows import USUAL

__all__ = ["Frame"]

FloatArray = NDArray[np.float64]

ZERO = Fraction(0)


@dataclass(frozen=True)
class Frame:
    """The affine change of coordinates x_k = middle_k + 2**exponent_k * u_k, exact."""

    middle: tuple[Fraction, ...]
    exponent: tuple[int, ...]

    @classmethod
    def of_unit_box(cls, d: int) -> Frame:
        """Return the frame in which nothing changes."""
        return cls((ZERO,) * d, (0,) * d)

    @classmethod
    def around(cls, lower: Sequence[Fraction], upper: Sequence[Fraction]) -> Frame:
        """Return a frame in which the box lies inside the unit box."""
        middle: list[Fraction] = []
        exponent: list[int] = []
        for low, high in zip(lower, upper, strict=True):
            if low <= 0 <= high:
                centre, reach = ZERO, max(-low, high)
            else:
                centre = _short_middle(low, high)
                reach = max(centre - low, high - centre)
            middle.append(centre)
            exponent.append(_log2_ceil(reach))
        return cls(tuple(middle), tuple(exponent))

    @classmethod
    def around_floats(cls, lower: Sequence[float], upper: Sequence[float]) -> Frame | None:
        """Return such a frame of a box of floats; None for floats far from usual size."""
        middle: list[Fraction] = []
        exponent: list[int] = []
        for low, high in zip(lower, upper, strict=True):
            if low <= 0.0 <= high:
                middle.append(ZERO)
                exponent.append(_log2_ceil_of_float(max(-low, high)))
                continue
            width = high - low
            if not (width > 1.0 / USUAL and abs(low) < USUAL and abs(high) < USUAL):
                return None
            grid = math.ldexp(1.0, _log2_ceil_of_float(width) - 3)
            centre = round((low + high) / 2.0 / grid) * grid
            reach = max(centre - low, high - centre)
            power = _log2_ceil_of_float(reach)
            if reach == math.ldexp(1.0, power):  # and may have been more before it was rounded
                exact = Fraction(centre)
                power = _log2_ceil(max(exact - Fraction(low), Fraction(high) - exact))
            middle.append(Fraction(centre))
            exponent.append(power)
        return cls(tuple(middle), tuple(exponent))

    def to_global(self, u: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the exact point x of the exact local point u."""
        return tuple(
            c + v * Fraction(2) ** h for c, h, v in zip(self.middle, self.exponent, u, strict=True)
        )

    def to_local(self, x: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the exact local point u of the exact point x."""
        return tuple(
            (v - c) / Fraction(2) ** h
            for c, h, v in zip(self.middle, self.exponent, x, strict=True)
        )

    def local_row(self, row: Sequence[Fraction]) -> list[Fraction]:
        """Rewrite the row a.x + c as a row of u, exactly."""
        linear = [
            a * Fraction(2) ** h if a and h else a
            for a, h in zip(row[:-1], self.exponent, strict=True)
        ]
        constant = row[-1]
        for a, c in zip(row[:-1], self.middle, strict=True):
            if a and c:
                constant += a * c
        return [*linear, constant]

    def global_row(self, row: Sequence[int]) -> tuple[Fraction, ...]:
        """Rewrite a row of u as a row a.x + c, exactly."""
        linear = [Fraction(a) / Fraction(2) ** h for a, h in zip(row, self.exponent, strict=False)]
        moved = sum((a * c for a, c in zip(linear, self.middle, strict=True)), Fraction(0))
        return (*linear, row[-1] - moved)

    def matrix(self) -> fmpz_mat:
        """Return u -> x in homogeneous integer coordinates, shape (d + 1, d + 1)."""
        scales = [Fraction(2) ** h for h in self.exponent]
        common = math.lcm(*(v.denominator for v in (*scales, *self.middle)))
        d = len(scales)
        entries = [0] * ((d + 1) * (d + 1))
        for k in range(d):
            entries[k * (d + 1) + k] = int(scales[k] * common)
            entries[k * (d + 1) + d] = int(self.middle[k] * common)
        entries[-1] = common
        return fmpz_mat(d + 1, d + 1, entries)

    def points(self, u: FloatArray) -> FloatArray:
        """Return float64 points x of the local points u, rounded."""
        out = np.empty_like(u)
        for k, (c, h) in enumerate(zip(self.middle, self.exponent, strict=True)):
            if max(abs(c), Fraction(2) ** h) >= 2**1022:
                raise InvalidInputError(
                    f"interior_points need coordinates within the range of float64; got a domain "
                    f"that passes it in coordinate {k}. Use exact_point."
                )
            out[:, k] = float(c) + np.ldexp(u[:, k], h)
        return out


def _short_middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a dyadic number near the middle of [low, high] with few digits."""
    width = high - low
    grid = Fraction(2) ** (_log2_ceil(width) - 3)
    return round((low + high) / 2 / grid) * grid


def _log2_ceil_of_float(value: float) -> int:
    """Return the least h with value <= 2**h."""
    mantissa, power = math.frexp(value)
    return power - 1 if mantissa == 0.5 else power


def _log2_ceil(value: Fraction) -> int:
    """Return the least h with value <= 2**h."""
    top, bottom = value.numerator, value.denominator
    h = top.bit_length() - bottom.bit_length() - 1
    while top << max(-h, 0) > bottom << max(h, 0):
        h += 1
    return h
