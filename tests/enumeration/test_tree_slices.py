"""A walk that is stopped after every few steps, with small buffers, finds the same regions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import plregions as plr
from plregions.enumeration.tree import TreeWalk
from plregions.feasibility.prepare import prepare

# Lines at distances of 1e-40: most regions have no float64 point, and their rational points must
# be kept exactly as long as a pending branch or an answer still needs them.
GAP = Fraction(1, 10**40)
BIASES = [Fraction(-1, 3) - i * GAP for i in range(6)] + [
    Fraction(-1, 7) - i * GAP for i in range(6)
]
THIN = plr.Network([([[1, 0]] * 6 + [[0, 1]] * 6, BIASES), ([list(range(1, 13))], [0])])


@pytest.mark.parametrize("chunk", [1, 2, 7, 4096])
def test_thin_regions_in_slices(chunk: int) -> None:
    domain = plr.hypercube(2)
    walk = TreeWalk(prepare(THIN, domain), chunk)
    patterns: list[np.ndarray[tuple[int, int], np.dtype[np.uint8]]] = []
    most = 0
    n_exact = 0
    while not walk.done:
        walk.advance(0.0)
        leaves = walk.take()
        patterns.append(leaves.packed)
        n_exact += len(leaves.exact)
        most = max(most, len(walk._exact_points))
    whole = plr.enumerate_regions(THIN, domain, strategy="tree")
    assert len(whole) == 49
    assert np.array_equal(np.concatenate(patterns), whole.packed_patterns)
    assert n_exact == len(whole.exact_points) > 20
    # Points that no branch needs any more are forgotten.
    assert most < 10
