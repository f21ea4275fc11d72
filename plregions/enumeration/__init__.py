"""Enumerating regions: the verbs, the strategies and their budgets."""

from __future__ import annotations

from plregions.enumeration.budget import Progress
from plregions.enumeration.enumerate import (
    RegionCount,
    count_regions,
    enumerate_regions,
    iter_regions,
)

__all__ = ["Progress", "RegionCount", "count_regions", "enumerate_regions", "iter_regions"]
