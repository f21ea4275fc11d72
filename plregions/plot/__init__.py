"""Pictures with matplotlib (extra ``plot``): they return the Axes and never show them."""

from __future__ import annotations

from plregions.plot.cells import regions
from plregions.plot.depth import depth_profile
from plregions.plot.dual import graph

__all__ = ["depth_profile", "graph", "regions"]
