"""Sums and products with all that rounding takes from them, for coordinates with another origin."""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.rows import EPS, USUAL

__all__ = ["is_usual", "move_biases", "two_product", "two_sum"]

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


@kernel
def move_biases(weight, middle, bias, error):
    """Add weight . middle to each bias and write bounds on the errors, 0 where nothing is lost.

    What is lost by rounding is summed as well, so that the errors are about those of one rounding.
    Returns False, with nothing of use written, where a number is not of usual size or a result is
    not sure to differ from 0, and might be 0.
    """
    n, d = weight.shape
    for k in range(d):
        if not is_usual(middle[k]):
            return False
    for i in range(n):
        if not is_usual(bias[i]):
            return False
        total, rest, lost = bias[i], 0.0, 0.0
        for k in range(d):
            if not is_usual(weight[i, k]):
                return False
            product, p = two_product(weight[i, k], middle[k])
            total, s = two_sum(total, product)
            rest += p + s
            lost += abs(p) + abs(s)
        bias[i], left = two_sum(total, rest)
        error[i] = (abs(left) + 4.0 * (d + 1) * EPS * lost) * (1.0 + 8.0 * EPS)
        if 0.0 < error[i] and abs(bias[i]) <= error[i]:
            return False
    return True
