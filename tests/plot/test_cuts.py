"""Do layers cut where a network that ends after them has its regions?"""

from __future__ import annotations

import numpy as np
import pytest

import plregions as plr
from plregions.plot import cuts as module
from plregions.plot.cuts import cutting_layers, facet_layers, groups_after, last_cuts


def truncated(net: plr.Network, layer: int) -> plr.Network:
    """The network that ends after a layer."""
    kept = net.layers[: layer + 1]
    n = kept[-1].n_out
    return plr.Network([*kept, (np.eye(n, dtype=int).tolist(), [0] * n)])


def groups_differ(complex: plr.RegionComplex, layer: int) -> bool:
    """Whether the groups are not the regions of the truncated network, point by point."""
    alone = plr.enumerate_regions(truncated(complex.network, layer), complex.domain)
    groups = groups_after(complex, layer)
    if groups.max() + 1 != len(alone):
        return True
    found = [alone.region_at(complex.exact_point(r)).index for r in range(len(complex))]
    return found != groups.tolist()


@pytest.fixture(scope="module", params=[[2, 6, 5, 4, 1], [3, 4, 4, 2]])
def deep(request: pytest.FixtureRequest) -> plr.RegionComplex:
    widths = request.param
    return plr.enumerate_regions(plr.mlp(widths, seed=2), plr.hypercube(widths[0], -1, 1))


def test_groups_are_the_regions_of_truncated_networks(deep: plr.RegionComplex) -> None:
    layers = cutting_layers(deep)
    assert layers == list(range(len(deep.network.layers) - 1))
    assert not any(groups_differ(deep, layer) for layer in layers)
    assert groups_after(deep, -1).tolist() == [0] * len(deep)


def test_groups_of_another_layer_are_seen(
    deep: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = groups_after

    def next_one(complex: plr.RegionComplex, layer: int) -> object:
        return right(complex, layer + 1)

    monkeypatch.setitem(globals(), "groups_after", next_one)
    assert groups_differ(deep, 0)


def smaller_after(complex: plr.RegionComplex) -> list[int]:
    """For each region the last layer after which its group is smaller than before."""
    before, found = groups_after(complex, -1), np.full(len(complex), -1)
    for layer in cutting_layers(complex):
        after = groups_after(complex, layer)
        sizes = np.bincount(before)[before], np.bincount(after)[after]
        found[sizes[1] < sizes[0]] = layer
        before = after
    return found.tolist()


def test_the_last_cut_is_the_last_that_made_a_region_smaller(
    deep: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert last_cuts(deep).tolist() == smaller_after(deep)
    monkeypatch.setattr(module, "facet_layers", lambda c: np.minimum(facet_layers(c), 0))
    assert last_cuts(deep).tolist() != smaller_after(deep)


def test_nothing_cuts_a_network_without_kinks() -> None:
    complex = plr.enumerate_regions(plr.mlp([2, 1]), plr.hypercube(2))
    assert cutting_layers(complex) == []
    assert last_cuts(complex).tolist() == [-1]
    assert facet_layers(complex).tolist() == [-1] * 4


def test_a_wall_of_two_layers_is_of_the_first() -> None:
    # The second layer's neuron relu(x) - 0 dies where the first layer's does.
    net = plr.Network([([[1, 0]], [0]), ([[1]], [0]), ([[1]], [0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    assert len(complex) == 2
    assert last_cuts(complex).tolist() == [0, 0]


def test_a_part_of_the_regions_is_grouped_too() -> None:
    net = plr.mlp([2, 8, 8, 1], seed=1)
    part = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), max_regions=20)
    groups = groups_after(part, 0)
    assert len(groups) == 20
    beginnings = {p[:8] for p in part.pattern_strings()}
    assert groups.max() + 1 == len(beginnings)
