"""Does this open cell have a point? A ladder of answers, from floats to rationals."""

from __future__ import annotations

from plregions.feasibility.check import CellCheck, check_pattern

__all__ = ["CellCheck", "check_pattern"]
