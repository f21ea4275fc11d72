"""The walls of a domain in local coordinates, as the kernels have them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from plregions.domain import Box
from plregions.exact.arrays import is_float64
from plregions.feasibility.frame import Frame
from plregions.feasibility.scaled_units import measured_rows, scaled_layer
from plregions.kernels.scaling import box_walls, put_rows

__all__ = ["Walls", "walls_of", "walls_of_box"]

Walls = tuple[Any, Any, Any, Any]


def walls_of(exact: Sequence[Sequence[Fraction]]) -> Walls:
    """Return the columns C, E, S, Z of rows."""
    d = len(exact[0]) - 1
    numbers = [v for row in exact for v in row]
    array: Any
    if all(map(is_float64, numbers)):
        array = np.array([v.numerator / v.denominator for v in numbers])
    else:
        array = np.array(numbers, dtype=object)
    array = array.reshape(len(exact), d + 1)
    scaled, we, be, _ = scaled_layer(array[:, :-1], array[:, -1], np.zeros(d, dtype=np.int64))
    rows, error, size, flags = measured_rows(scaled, we, be)
    m = len(exact)
    walls = _columns(m, d)
    put_rows(rows, error, size, flags, d, m, *walls)
    return walls


def walls_of_box(box: Box) -> tuple[Frame, Walls] | None:
    """Return a box's local coordinates and its walls in them without fractions.

    None for bounds that are not floats of usual size.
    """
    lower, upper = box.lower, box.upper
    if not lower.dtype == upper.dtype == np.float64:
        return None
    frame = Frame.around_floats(lower.tolist(), upper.tolist())
    if frame is None:
        return None
    d = len(lower)
    walls = _columns(2 * d, d)
    scratch = np.empty((2 * d, d + 1)), np.empty((3, 2 * d)), np.empty(2 * d, np.int64)
    middle = np.array([c.numerator / c.denominator for c in frame.middle])
    local = middle, np.array(frame.exponent, dtype=np.int64)
    return (frame, walls) if box_walls(lower, upper, *local, *scratch, *walls) else None


def _columns(m: int, d: int) -> Walls:
    return np.empty((m, d + 1)), np.empty(m), np.empty(m), np.empty(m, dtype=np.int64)
