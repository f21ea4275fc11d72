"""Convex growing functions of the norm, with exact values and proven bounds of square roots."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.exact.words import short_text

__all__ = ["RadialFunction", "euclidean_norm", "root_bounds", "shifted_norm"]

# Bits of a square root that is no rational number.
ROOT_BITS = 160

Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True, init=False, repr=False)
class RadialFunction:
    """The function x -> max_k (a_k ||x|| + b_k) with a_k >= 0: convex, growing with the norm.

    Parameters
    ----------
    slopes, constants : sequence of numbers, length n >= 1
        The a_k and b_k: floats, integers, Fractions or strings such as "1/3".

    Attributes
    ----------
    slopes, constants : tuple of Fraction

    Raises
    ------
    InvalidInputError
        No pieces, lengths that differ, a slope below 0, other things than numbers.

    Exactness
    ---------
    Exact for the numbers given.

    Examples
    --------
    >>> rho = RadialFunction([0, 1, 3], [0, -1, -5])
    >>> rho, str(rho("5/2"))
    (max(0, r - 1, 3 r - 5), '5/2')
    """

    slopes: tuple[Fraction, ...]
    constants: tuple[Fraction, ...]

    def __init__(self, slopes: Iterable[Any], constants: Iterable[Any]) -> None:
        try:
            rises, starts = (tuple([fraction(v) for v in part]) for part in (slopes, constants))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"RadialFunction needs finite numbers; {error}") from None
        if not rises or len(rises) != len(starts) or min(rises) < 0:
            raise InvalidInputError(
                "RadialFunction needs slopes of at least 0 and as many constants, one or more; got "
                f"slopes {', '.join(map(short_text, rises)) or 'none'} and {len(starts)} constants."
            )
        object.__setattr__(self, "slopes", rises)
        object.__setattr__(self, "constants", starts)

    def __call__(self, r: Any) -> Fraction:
        """Return the value where the norm is r, exactly."""
        try:
            radius = fraction(r)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"RadialFunction needs a radius; {error}") from None
        return self._at(radius)

    def _at(self, radius: Fraction) -> Fraction:
        return max(a * radius + b for a, b in zip(self.slopes, self.constants, strict=True))

    def bounds(self, square: Fraction) -> Bounds:
        """Return proven bounds of the value where the squared norm is `square`; often equal."""
        low, high = root_bounds(square)
        return self._at(low), self._at(high)

    def values(self, radii: Any) -> NDArray[np.float64]:
        """Return the values at an array of radii, rounded."""
        lines = np.asarray(radii)[..., None] * self.float_slopes + self.float_constants
        return np.asarray(lines.max(axis=-1), dtype=np.float64)

    @property
    def float_slopes(self) -> NDArray[np.float64]:
        """The slopes rounded, shape (n,)."""
        return np.array([float(v) for v in self.slopes])

    @property
    def float_constants(self) -> NDArray[np.float64]:
        """The constants rounded, shape (n,)."""
        return np.array([float(v) for v in self.constants])

    def __repr__(self) -> str:
        pieces = [_piece(a, b) for a, b in zip(self.slopes, self.constants, strict=True)]
        return pieces[0] if len(pieces) == 1 else f"max({', '.join(pieces)})"


def _piece(slope: Fraction, constant: Fraction) -> str:
    rise = "r" if slope == 1 else f"{short_text(slope)} r"
    if not slope or not constant:
        return rise if slope else short_text(constant)
    return f"{rise} {'-' if constant < 0 else '+'} {short_text(abs(constant))}"


def euclidean_norm() -> RadialFunction:
    """Return the Euclidean norm itself as a function of the norm.

    Returns
    -------
    RadialFunction

    Exactness
    ---------
    Exact; its values at a point are enclosed between rationals.

    Examples
    --------
    >>> euclidean_norm(), euclidean_norm().bounds(Fraction(25, 4))
    (r, (Fraction(5, 2), Fraction(5, 2)))
    """
    return RadialFunction([1], [0])


def shifted_norm(c: Any = 1) -> RadialFunction:
    """Return relu(||x|| - c).

    Parameters
    ----------
    c : int, float, Fraction or str

    Returns
    -------
    RadialFunction

    Raises
    ------
    InvalidInputError
        Something else.

    Exactness
    ---------
    Exact; its values at a point are enclosed between rationals.

    Examples
    --------
    >>> shifted_norm("1/2"), shifted_norm(1)(3)
    (max(0, r - 1/2), Fraction(2, 1))
    """
    try:
        shift = fraction(c)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"shifted_norm needs a finite number c; {error}") from None
    return RadialFunction([0, 1], [0, -shift])


def root_bounds(square: Fraction) -> Bounds:
    """Return rational bounds of the square root of a number that is not negative.

    Parameters
    ----------
    square : Fraction

    Returns
    -------
    low, high : Fraction
        Equal where the root is rational; else apart by less than 2^-158 times their size.

    Algorithm
    ---------
    For p / q the root of p q 4^k in integers, over q 2^k.

    Exactness
    ---------
    Proved.

    Examples
    --------
    >>> low, high = root_bounds(Fraction(2))
    >>> low**2 < 2 < high**2, float(high - low) < 1e-40
    (True, True)
    """
    product = square.numerator * square.denominator
    root = math.isqrt(product)
    if root * root == product:
        exact = Fraction(root, square.denominator)
        return exact, exact
    shift = max(0, ROOT_BITS - product.bit_length() // 2)
    root = math.isqrt(product << (2 * shift))
    scale = square.denominator << shift
    return Fraction(root, scale), Fraction(root + 1, scale)
