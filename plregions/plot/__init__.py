"""Pictures with matplotlib (extra ``plot``): they return the Axes and never show them.

`explore` makes a page for a browser instead, with plotly.
"""

from __future__ import annotations

from plregions.plot.cells import regions
from plregions.plot.depth import depth_profile
from plregions.plot.dual import graph
from plregions.plot.explore import Page, explore
from plregions.plot.frontier import boundary
from plregions.plot.layers import layers
from plregions.plot.solids import cells3d
from plregions.plot.surface import surface

__all__ = [
    "Page",
    "boundary",
    "cells3d",
    "depth_profile",
    "explore",
    "graph",
    "layers",
    "regions",
    "surface",
]
