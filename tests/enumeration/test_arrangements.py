"""Hyperplane arrangements as networks with one hidden layer, over a box that meets all regions."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import pytest
from oracles.arrangements import (
    boolean,
    braid,
    deformed_braid,
    grid,
    moment,
    n_regions,
    resonance,
    threshold,
    type_b,
    type_d,
    zaslavsky,
)

import plregions as plr


def arrangement_net(rows: Sequence[Sequence[int]]) -> plr.Network:
    """One neuron for each hyperplane, output weights without relations among them."""
    table = np.array(rows, dtype=float)
    output = np.sqrt(np.arange(2, len(rows) + 2))[None, :]
    return plr.Network([(table[:, :-1], table[:, -1]), (output, [0.0])])


def count(rows: Sequence[Sequence[int]], reach: float) -> int:
    net = arrangement_net(rows)
    found = plr.count_regions(net, plr.hypercube(net.input_dim, -reach, reach))
    assert found.is_complete
    return int(found)


# Central arrangements: every region is a cone and meets any box around 0.
CENTRAL = {
    "braid 5": (braid(5), 120),
    "type B 3": (type_b(3), 48),
    "type D 3": (type_d(3), 24),
    "boolean 5": (boolean(5), 32),
    "resonance 4": (resonance(4), 370),
    "resonance 5": (resonance(5), 11292),
    "threshold 3": (threshold(3), 104),
    "C4 graphic": ([(1, -1, 0, 0, 0), (0, 1, -1, 0, 0), (0, 0, 1, -1, 0), (1, 0, 0, -1, 0)], 14),
}
# Every region of these has a point with coordinates of at most the sum of the constants between
# neighbours in a chain, |x_i - x_j| <= n: a box of 2 n is large enough, and a doubled one the same.
DEFORMED = {
    "Shi 4": (deformed_braid(4, (0, 1)), 125, 8),
    "Catalan 4": (deformed_braid(4, (-1, 0, 1)), 336, 8),
    "semiorder 3": (deformed_braid(3, (-1, 1)), 19, 6),
    "semiorder 4": (deformed_braid(4, (-1, 1)), 183, 8),
    "Linial 4": (deformed_braid(4, (1,)), 36, 8),
    "Linial 5": (deformed_braid(5, (1,)), 246, 10),
    "grid of planes": (grid(3, 3), 64, 4),
}
# Vertices of n hyperplanes (k^0, ..., k^(d-1) | k^d): coefficients of the polynomials with d roots
# among -1, ..., -n up to sign, so at most n^d times a binomial coefficient.
GENERAL = [(3, 2), (4, 2), (7, 2), (5, 3), (6, 3), (7, 4), (6, 5)]


@pytest.mark.parametrize(("rows", "expected"), CENTRAL.values(), ids=CENTRAL.keys())
def test_central(rows: Sequence[Sequence[int]], expected: int) -> None:
    assert count(rows, 1) == expected


@pytest.mark.parametrize(("rows", "expected", "reach"), DEFORMED.values(), ids=DEFORMED.keys())
def test_deformed(rows: Sequence[Sequence[int]], expected: int, reach: int) -> None:
    assert count(rows, reach) == expected
    assert count(rows, 2 * reach) == expected


@pytest.mark.parametrize(("n", "d"), GENERAL)
def test_general_position(n: int, d: int) -> None:
    reach = 2 * n**d * comb(d, d // 2)
    assert count(moment(n, d), reach) == zaslavsky(n, d)
    assert count(moment(n, d), 2 * reach) == zaslavsky(n, d)


@pytest.mark.parametrize("seed", range(6))
def test_random_integer_arrangements(seed: int) -> None:
    """Small integers make parallels and concurrences common; deletion and restriction counts."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 5))
    rows = [tuple(map(int, row)) for row in rng.integers(-2, 3, (8, d + 1))]
    # By Cramer's rule vertices have coordinates of at most d! 2^d, and a region reaches within
    # that of 0 or is a cone that starts there.
    assert count(rows, 24 * 2**d * 2) == n_regions(rows)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 1), (3, 2), (2, 3), (1, 4)])
def test_edges_of_a_grid(n: int, d: int) -> None:
    """(n + 1)^d cells, of which d n (n + 1)^(d - 1) pairs share a facet."""
    net = arrangement_net(grid(n, d))
    regions = plr.enumerate_regions(net, plr.hypercube(d, 0, n + 1))
    assert len(regions) == (n + 1) ** d
    assert regions.n_edges == d * n * (n + 1) ** (d - 1)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_edges_of_the_braid_arrangement(n: int) -> None:
    """Permutations that differ by one exchange of neighbours: n! (n - 1) / 2 edges."""
    net = arrangement_net(braid(n))
    regions = plr.enumerate_regions(net, plr.hypercube(n, -1, 1))
    assert 2 * regions.n_edges == len(regions) * (n - 1)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_edges_of_lines_in_general_position(n: int) -> None:
    """Each of n lines is cut into n pieces by the others: n^2 edges."""
    regions = plr.enumerate_regions(arrangement_net(moment(n, 2)), plr.hypercube(2, -200, 200))
    assert regions.n_edges == n * n
