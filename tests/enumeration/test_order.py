"""Regions come in lexicographic order, whatever the network, the domain or the strategy."""

from __future__ import annotations

import pytest
from oracles.random_cases import case

import plregions as plr

SQUARE = plr.hypercube(2, -1, 1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("strategy", ["tree", "brute_force", "auto"])
def test_lexicographic(seed: int, strategy: str) -> None:
    _, net, domain = case(seed)
    names = plr.enumerate_regions(net, domain, strategy=strategy).pattern_strings()
    assert names == sorted(set(names))


def test_more_regions_than_a_chunk_holds() -> None:
    """Chunks are joined in order: the leaf buffer is emptied several times."""
    net = plr.mlp("3-32-32-1")
    regions = plr.enumerate_regions(net, plr.hypercube(3, -1, 1))
    names = regions.pattern_strings()
    assert len(names) == 18874
    assert names == sorted(set(names))
    assert names == [str(r.pattern) for r in plr.iter_regions(net, plr.hypercube(3, -1, 1))]


def test_more_rows_than_the_walk_starts_with() -> None:
    """Sixty parallel lines: the walk's arrays have to grow on the way."""
    net = plr.Network([([[1.0, 0.0]] * 60, [k / 32 for k in range(-30, 30)]), ([[1] * 60], [0])])
    names = plr.enumerate_regions(net, SQUARE).pattern_strings()
    assert names == ["0" * (60 - k) + "1" * k for k in range(61)]
