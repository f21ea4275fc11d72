"""Exact arithmetic: rational arrays and rows, linear algebra, linear programs, proven float signs.

A row (a_1, ..., a_d, c) of integers or Fractions stands everywhere for the affine function
a.x + c; as a constraint it means a.x + c >= 0.
"""

from __future__ import annotations
