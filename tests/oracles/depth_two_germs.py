"""Has a function a germ of depth 2 at a point? Decided by evaluating it, not by its regions.

Near x a function f of depth 2 is a sum of terms delta relu(n.v) and a linear one in v, and relu(t)
is half of t plus half of an even function: so v -> f(x + v) - f(x - v) is linear. Conversely, where
that is linear, f is an even function plus a linear one, and across opposite facets at x its
gradient jumps alike. Tried are sums of random vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from plregions.network import Network


def has_depth_two_germ(
    net: Network, x: Sequence[Fraction], n_trials: int = 60, bits: int = 90
) -> bool:
    """Tell whether no trial shows that there is no germ of depth 2 at x."""
    rng = np.random.default_rng(1)
    scale = 2**bits
    for _ in range(n_trials):
        u, w = rng.integers(-1000, 1001, (2, len(x))).tolist()
        both = [a + b for a, b in zip(u, w, strict=True)]
        parts = [_odd(net, x, v, scale) for v in (u, w, both)]
        if any(a + b != c for a, b, c in zip(*parts, strict=True)):
            return False
    return True


def _odd(net: Network, x: Sequence[Fraction], v: Sequence[int], scale: int) -> list[Fraction]:
    forth = net.exact([a + Fraction(b, scale) for a, b in zip(x, v, strict=True)])
    back = net.exact([a - Fraction(b, scale) for a, b in zip(x, v, strict=True)])
    return [a - b for a, b in zip(forth, back, strict=True)]
