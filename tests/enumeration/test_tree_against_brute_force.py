"""The tree and the test of all patterns give the same regions, facets and neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.facet_lists import facet_lists
from oracles.random_cases import case

import plregions as plr
from plregions.network import restrict

SEEDS_A_BLOCK = 25
N_BLOCKS = 12


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_same_complex(block: int) -> None:
    for seed in range(block * SEEDS_A_BLOCK, (block + 1) * SEEDS_A_BLOCK):
        name, net, domain = case(seed)
        tree = plr.enumerate_regions(net, domain, strategy="tree")
        brute = plr.enumerate_regions(net, domain, strategy="brute_force")
        assert tree == brute, name
        assert np.array_equal(tree.packed_patterns, brute.packed_patterns), name
        assert facet_lists(tree) == facet_lists(brute), name
        check_points(tree, name)


def check_points(regions: plr.RegionComplex, name: str) -> None:
    """Every region's point lies in the domain and has the region's pattern."""
    net, domain = restrict(regions.network, regions.domain)
    for region in regions:
        assert domain.contains(region.exact_point), name
        assert net.pattern_at(region.exact_point) == region.pattern, name


def test_the_cases_are_what_they_should_be() -> None:
    """Degenerate ones need the exact rung; all kinds of domains and dimensions come up."""
    cases = [case(seed) for seed in range(N_BLOCKS * SEEDS_A_BLOCK)]
    assert {c.domain.dim for c in cases} == {1, 2, 3, 4}
    assert {type(c.domain) for c in cases} == {plr.Box, plr.Polytope, plr.Slice}
    assert max(c.net.n_neurons for c in cases) == 9
    exact = [plr.count_regions(c.net, c.domain).statistics["exact"] > 0 for c in cases[1:80:2]]
    assert sum(exact) > 10
    assert sum(len(plr.enumerate_regions(c.net, c.domain)) > 8 for c in cases) > 60
