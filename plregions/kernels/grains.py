"""Which power of two are all entries of a row multiples of?"""

from __future__ import annotations

import math

from plregions.kernels.compile import inlined_kernel, kernel
from plregions.kernels.integers import ROUNDED

__all__ = ["write_grains", "write_powers"]

DIGITS = 52
FRACTION = (1 << DIGITS) - 1
EXPONENT = (1 << 11) - 1
# The exponent field of 1.0.
BIAS = 1023


@inlined_kernel
def _grain(bits, finest):
    """Least g for which a float, given by its bits, is a multiple of 2**-g; more if that is more.

    Numbers of less than the usual range are taken for finer ones than they may be.
    """
    digits, exponent = bits & FRACTION, (bits >> DIGITS) & EXPONENT
    if exponent == 0:
        return 0 if digits == 0 else finest + 1
    g = DIGITS + BIAS - exponent
    if digits == 0:
        return g - DIGITS
    for step in (32, 16, 8, 4, 2, 1):
        if digits & ((1 << step) - 1) == 0:
            digits >>= step
            g -= step
    return g


@inlined_kernel
def _grain_of_row(bits, finest):
    """Least g >= 0 for which all entries of a row are multiples of 2**-g, or ROUNDED."""
    most = 0
    for k in range(bits.shape[0]):
        most = max(most, _grain(bits[k], finest))
        if most > finest:
            return ROUNDED
    return most


@kernel
def write_grains(bits, finest, grains):
    """Write for each row the least g >= 0 for which all its entries are multiples of 2**-g.

    ``bits`` are those of float64 numbers, as integers; ROUNDED stands for more than ``finest``.
    """
    for i in range(bits.shape[0]):
        grains[i] = _grain_of_row(bits[i], finest)


@kernel
def write_powers(bits, finest, powers):
    """Write 2**-g in place of these g, and 0 in place of ROUNDED."""
    for i in range(bits.shape[0]):
        grain = _grain_of_row(bits[i], finest)
        powers[i] = 0.0 if grain == ROUNDED else math.ldexp(1.0, -int(grain))
