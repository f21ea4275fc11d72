"""On which set of inputs is a network studied? Boxes, polytopes, whole spaces, slices; all exact.

Every domain is closed, convex and has interior points; whether it is bounded is proved when it is
made.
"""

from __future__ import annotations

from plregions.domain.base import Domain
from plregions.domain.box import Box, hypercube
from plregions.domain.embedding import Slice, slice_through
from plregions.domain.polytope import Polytope
from plregions.domain.whole_space import WholeSpace

__all__ = [
    "Box",
    "Domain",
    "Polytope",
    "Slice",
    "WholeSpace",
    "hypercube",
    "slice_through",
]
