"""Complexes with a fault: a region left out, a point moved, a pattern changed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from plregions.regions import RegionComplex


def without(regions: RegionComplex, index: int, **changes: Any) -> RegionComplex:
    """The complex without one region, which still calls itself as complete as before."""
    exact = {i - (i > index): p for i, p in regions.exact_points.items() if i != index}
    return dataclasses.replace(
        regions,
        packed_patterns=np.delete(regions.packed_patterns, index, axis=0),
        packed_rows=np.delete(regions.packed_rows, index, axis=0),
        local_points=np.delete(regions.local_points, index, axis=0),
        exact_points=exact,
        **changes,
    )


def with_moved_point(regions: RegionComplex, index: int, other: int) -> RegionComplex:
    """The complex in which one region shows the point of another."""
    points = regions.local_points.copy()
    points[index] = points[other]
    exact = {i: p for i, p in regions.exact_points.items() if i != index}
    if other in exact:
        exact[index] = exact[other]
    return dataclasses.replace(regions, local_points=points, exact_points=exact)


def with_flipped_bit(regions: RegionComplex, index: int, bit: int) -> RegionComplex:
    """The complex in which one bit of one pattern is wrong."""
    packed = regions.packed_patterns.copy()
    packed[index, bit >> 3] ^= 128 >> (bit & 7)
    return dataclasses.replace(regions, packed_patterns=packed)
