"""Regions as values: the complex, its regions, their graph, and how a run ended."""

from __future__ import annotations

from plregions.regions.complex import RegionComplex
from plregions.regions.graph import RegionGraph
from plregions.regions.linear import LinearRegions
from plregions.regions.outcome import Outcome
from plregions.regions.region import Region

__all__ = ["LinearRegions", "Outcome", "Region", "RegionComplex", "RegionGraph"]
