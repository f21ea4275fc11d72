"""Sums and products with all that rounding takes from them."""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel
from plregions.kernels.rows import USUAL

__all__ = ["is_usual", "two_product", "two_sum"]

SPLITTER = 2.0**27 + 1.0


@inlined_kernel
def is_usual(number):
    """Is a number 0 or of usual size?"""
    size = abs(number)
    return (size > 1.0 / USUAL) & (size < USUAL) | (size == 0.0)


@inlined_kernel
def two_sum(a, b):
    """Return a + b rounded, and the rest that makes it exact (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


@inlined_kernel
def two_product(a, b):
    """Return a b rounded, and the rest that makes it exact (Dekker), for numbers of usual size."""
    product = a * b
    shifted = SPLITTER * a
    a_high = shifted - (shifted - a)
    a_low = a - a_high
    shifted = SPLITTER * b
    b_high = shifted - (shifted - b)
    b_low = b - b_high
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest
