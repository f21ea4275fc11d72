"""Boxes: each coordinate between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from plregions.domain.base import Domain, Row, array_of, set_parts, text_of
from plregions.errors import InvalidDomainError
from plregions.exact.arrays import fractions_of
from plregions.exact.words import MANY, float_text, number_text, vector_text

__all__ = ["Box", "hypercube"]

MOST_INPUTS = 1_000_000


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Box(Domain):
    """All x with lower <= x <= upper in every coordinate.

    Parameters
    ----------
    lower, upper : array_like, shape (d,)
        Floats, integers, Fractions or strings such as ``"1/3"``; lower < upper everywhere.

    Attributes
    ----------
    lower, upper : ndarray, shape (d,), read-only

    Raises
    ------
    InvalidDomainError
        Bounds that are not finite, of different lengths, equal or in the wrong order.

    Exactness
    ---------
    Exact for the numbers given.

    Examples
    --------
    >>> box = Box([-1, 0], [1, "1/3"])
    >>> box.row_label(0), box.row_label(3)
    ('x[0] >= -1.0', 'x[1] <= 1/3')
    >>> box.contains([1.0, 0.25]), box.interior_point()
    (True, (Fraction(0, 1), Fraction(1, 6)))
    """

    lower: NDArray[Any]
    upper: NDArray[Any]

    def __init__(self, lower: Any, upper: Any) -> None:
        given = array_of("Box", "lower", lower, 1), array_of("Box", "upper", upper, 1)
        box = fractions_of(given[0]), fractions_of(given[1])
        if len(box[0]) != len(box[1]) or not box[0]:
            raise InvalidDomainError(
                "Box needs lower and upper of one length, 1 or more; got "
                f"{len(box[0])} and {len(box[1])} numbers."
            )
        _check_order(*box)
        centre = tuple([(low + high) / 2 for low, high in zip(*box, strict=True)])
        set_parts(self, lower=given[0], upper=given[1], _box=box, _inside=centre, _slanted=())

    @cached_property
    def A(self) -> NDArray[Any]:
        """Outward normals, shape (2 d, d), read-only: -e_0, e_0, -e_1, e_1, ..."""
        normals = np.kron(np.eye(self.dim), [[-1.0], [1.0]]) + 0.0
        normals.setflags(write=False)
        return normals

    @cached_property
    def _rows(self) -> tuple[Row, ...]:  # type: ignore[override]
        """x_0 - lower_0, upper_0 - x_0, x_1 - lower_1, ...: made when they are needed."""
        zero = [Fraction(0)] * self.dim
        rows = []
        for k, (low, high) in enumerate(zip(*self.bounding_box(), strict=True)):
            rows.append((*zero[:k], Fraction(1), *zero[k + 1 :], -low))
            rows.append((*zero[:k], Fraction(-1), *zero[k + 1 :], high))
        return tuple(rows)

    def row_label(self, i: int, symbol: str = "x") -> str:
        """Return row i in words: ``x[0] >= -1.0``, ``x[0] <= 1.0``, ``x[1] >= ...``."""
        k, is_upper = divmod(i, 2)
        bound = float_text(self.bounding_box()[is_upper][k])
        return f"{symbol}[{k}] {'<=' if is_upper else '>='} {bound}"

    def _text(self) -> str:
        return text_of("Box", *self.bounding_box())

    def __repr__(self) -> str:
        lower, upper = map(vector_text, self.bounding_box())
        return f"Box({lower}, {upper})"


def hypercube(d: int, lower: Any = 0, upper: Any = 1) -> Box:
    """Return the box with the same bounds in each of d coordinates; [0, 1]^d by default.

    Parameters
    ----------
    d : int
        At least 1.
    lower, upper : float, int, Fraction or str

    Returns
    -------
    Box

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> hypercube(2)
    Box([0, 0], [1, 1])
    """
    if isinstance(d, bool) or not isinstance(d, int | np.integer) or not 1 <= d <= MOST_INPUTS:
        raise InvalidDomainError(
            f"hypercube needs a whole number of dimensions from 1 to {MOST_INPUTS}; got {d!r:.60}."
        )
    return Box([lower] * d, [upper] * d)


def _check_order(lower: list[Fraction], upper: list[Fraction]) -> None:
    pairs = list(zip(lower, upper, strict=True))
    fixed = {k for k, (low, high) in enumerate(pairs) if low >= high}
    for k, (low, high) in enumerate(pairs):
        if low >= high:
            low_text = f"{number_text(low)} > " if low > high else ""
            end = "Swap them." if low > high else _advice(pairs, fixed)
            raise InvalidDomainError(
                "Box needs lower < upper in every coordinate; got "
                f"lower[{k}] = {low_text}upper[{k}] = {number_text(high)}. {end}"
            )


def _advice(pairs: Sequence[Row], fixed: set[int]) -> str:
    """Say how a box with fixed coordinates is written as a slice."""
    d = len(pairs)
    varying = [i for i in range(d) if i not in fixed]
    if not varying:
        return "No coordinate varies: evaluate the network at this point instead."
    if d > MANY:
        return (
            "Take a slice instead, with varying = lower < upper: Slice(np.where(varying, 0, "
            "lower), np.eye(d)[varying], Box(lower[varying], upper[varying]))."
        )
    origin = vector_text([pair[0] if i in fixed else Fraction(0) for i, pair in enumerate(pairs)])
    units = [[int(i == j) for i in range(d)] for j in varying]
    box = ", ".join(vector_text([pairs[j][side] for j in varying]) for side in (0, 1))
    return f"Take a slice instead: Slice({origin}, {units}, Box({box}))."
