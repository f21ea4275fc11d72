"""Facets that the planar walk hands over: the same graph as from facets found region by region."""

from __future__ import annotations

import gc
from typing import Any

import networkx as nx
import numpy as np
import pytest
from enumeration.test_planar import case
from oracles.small_networks import without_bias

import plregions as plr
from plregions.feasibility.facets import FacetFinder
from plregions.regions import shared_facets
from plregions.regions.graph import collector_paused, region_graph
from plregions.regions.shared_facets import facets_of_rows, match_single_flips

SQUARE = plr.hypercube(2, -1, 1)


def graphs(regions: plr.RegionComplex) -> tuple[Any, Any]:
    """The graph with facets handed over, and the one with facets found."""
    columns = (
        regions.prepared, regions.packed_patterns, regions.packed_rows, regions.local_points,
        regions.exact_points, True,
    )  # fmt: skip
    return region_graph(*columns, True), region_graph(*columns, False)


def assert_same(regions: plr.RegionComplex) -> None:
    given, found = graphs(regions)
    assert np.array_equal(given.offsets, found.offsets)
    assert np.array_equal(given.labels, found.labels)
    assert np.array_equal(given.neighbours, found.neighbours)
    assert given.several == found.several


@pytest.mark.parametrize("start", range(0, 240, 40))
def test_the_same_graph(start: int) -> None:
    for seed in range(start, start + 40):
        _, net, domain = case(seed)
        regions = plr.enumerate_regions(net, domain)
        assert regions.rows_are_facets
        assert_same(regions)


@pytest.mark.parametrize("widths", ["2-32-32-1", "2-9-9-9-9-1", "1-20-20-1", "3-16-16-1"])
def test_the_same_graph_of_larger_networks(widths: str) -> None:
    net = plr.mlp(widths)
    assert_same(plr.enumerate_regions(net, plr.hypercube(net.input_dim, -1, 1)))


@pytest.mark.parametrize("domain", [plr.WholeSpace(2), plr.WholeSpace(1)])
def test_the_same_graph_over_unbounded_domains(domain: plr.WholeSpace) -> None:
    for seed in range(6):
        net = plr.mlp([domain.dim, 5, 4, 1], seed=seed)
        if seed % 2:
            net = without_bias(net)
        regions = plr.enumerate_regions(net, domain)
        if regions.rows_are_facets:
            assert_same(regions)


def duplicated(n: int) -> plr.Network:
    """Every neuron of the first layer twice, once as its opposite."""
    net = plr.mlp([2, n, n, 1], seed=3)
    w, b = net.layers[0].weight, net.layers[0].bias
    second = np.concatenate([net.layers[1].weight] * 2, axis=1)
    return plr.Network(
        [(np.concatenate([w, -w]), np.concatenate([b, -b])), (second, net.layers[1].bias),
         (np.ones((1, n)), [0])]
    )  # fmt: skip


def test_the_same_graph_where_neurons_flip_together() -> None:
    regions = plr.enumerate_regions(duplicated(6), SQUARE)
    assert_same(regions)
    assert any(len(flips) == 2 for flips in regions.graph.several.values())


def test_generic_networks_need_no_facets_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(FacetFinder, "batch", never)
    assert plr.enumerate_regions(plr.mlp("2-16-16-1"), SQUARE).n_edges > 0


def test_rows_that_may_be_redundant_are_not_taken_for_facets() -> None:
    """The tree's rows, and those of the walk where the tree took over."""
    assert not plr.enumerate_regions(plr.mlp("2-5-1"), SQUARE, strategy="tree").rows_are_facets
    angles = 2 * np.pi * np.arange(80) / 80
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    round_ = plr.Network([(rows, [0.5] * 80), ([[1] * 80], [0])])
    assert not plr.enumerate_regions(round_, SQUARE).rows_are_facets


def test_a_part_of_the_regions_finds_its_facets() -> None:
    """In an incomplete complex the region beyond may be missing: several or one, it is not told."""
    part = plr.enumerate_regions(duplicated(5), SQUARE, max_regions=20)
    assert not part.is_complete and len(part.graph.several) > 0


def wrong_matches(patterns: Any, is_facet: Any) -> int:
    """How many facets are not matched as by a search through all of them."""
    owner, labels = np.nonzero(is_facet)
    offsets = np.concatenate([[0], np.cumsum(is_facet.sum(axis=1))])
    found = match_single_flips(np.packbits(patterns, axis=1), offsets, labels.astype(np.int32))
    places = {tuple(row): i for i, row in enumerate(patterns.tolist())}
    wrong = 0
    for facet, (i, b) in enumerate(zip(owner.tolist(), labels.tolist(), strict=True)):
        beyond = patterns[i].tolist()
        beyond[b] = 1 - beyond[b]
        place = places.get(tuple(beyond), -1)
        wrong += found[facet] != (place if place >= 0 and is_facet[place, b] else -1)
    return wrong


def some_patterns(width: int) -> Any:
    """Patterns in any order, many of which differ in one bit."""
    rng = np.random.default_rng(width)
    patterns = rng.integers(0, 2, (60, width), dtype=np.uint8)
    near = patterns ^ np.eye(width, dtype=np.uint8)[rng.integers(0, width, 60)]
    patterns = np.unique(np.concatenate([patterns, near]), axis=0)
    return patterns[rng.permutation(len(patterns))]


@pytest.mark.parametrize("width", [1, 4, 8, 9, 13, 64, 65, 200])
def test_matching_against_a_dictionary(width: int) -> None:
    """Also where some facets are known from one side only: they lead nowhere."""
    patterns = some_patterns(width)
    rng = np.random.default_rng(0)
    for share in (1.0, 0.7):
        assert wrong_matches(patterns, rng.random(patterns.shape) < share) == 0


@pytest.mark.parametrize("n_bits", [0, 1, 7, 60, 64, 100])
def test_facets_of_rows_are_the_bits_one_by_one(n_bits: int) -> None:
    rng = np.random.default_rng(n_bits)
    for n_walls, beyond in ((4, 0), (0, 4), (5, 70)):
        bits = rng.random((20, n_bits + n_walls + beyond)) < 0.2
        offsets, labels = facets_of_rows(np.packbits(bits, axis=1), n_bits, n_walls)
        assert (offsets.dtype, labels.dtype) == (np.int64, np.int32)
        assert offsets[0] == 0 and offsets[-1] == len(labels)
        for row, low, high in zip(bits.tolist(), offsets, offsets[1:], strict=False):
            names = [*range(n_bits), *range(-1, -1 - n_walls, -1)]
            assert labels[low:high].tolist() == [
                name for name, is_facet in zip(names, row, strict=False) if is_facet
            ]


@pytest.mark.parametrize("width", [1, 9, 70, 200])
def test_hashes_are_linear(width: int) -> None:
    """The hash of a pattern is the exclusive or of those of its bits, one by one."""
    rng = np.random.default_rng(width)
    patterns = rng.integers(0, 2, (20, width), dtype=np.uint8)
    single = hashes_of(np.eye(width, dtype=np.uint8))
    assert len(set(single.tolist())) == width
    for pattern, found in zip(patterns, hashes_of(patterns).tolist(), strict=True):
        assert found == np.bitwise_xor.reduce(single[pattern == 1], initial=0)


def hashes_of(patterns: Any) -> Any:
    return shared_facets._hashes(shared_facets._words(np.packbits(patterns, axis=1)))


@pytest.mark.parametrize("mask", [0, 1, 7])
def test_equal_homes_prove_nothing(mask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few homes most patterns stand elsewhere: none is lost, none is wrong."""
    real = shared_facets._homes
    monkeypatch.setattr(shared_facets, "_homes", lambda *given: real(*given) & mask)
    for widths in ("2-7-6-1", "2-12-1"):
        assert_same(plr.enumerate_regions(plr.mlp(widths), SQUARE))
    patterns = some_patterns(9)
    assert wrong_matches(patterns, np.ones(patterns.shape, dtype=bool)) == 0


def test_a_wrong_match_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: each facet is matched across the next neuron."""
    real = shared_facets._single_bits
    monkeypatch.setattr(shared_facets, "_single_bits", lambda n: np.roll(real(n), 1, axis=0))
    patterns = some_patterns(9)
    assert wrong_matches(patterns, np.ones(patterns.shape, dtype=bool)) > 0


@pytest.mark.parametrize("same_map", [False, True])
def test_the_networkx_graph_is_that_of_its_public_methods(same_map: bool) -> None:
    for net in (plr.mlp("2-9-8-1"), duplicated(4), plr.Network([([[1, 2]], [5])])):
        regions = plr.enumerate_regions(net, SQUARE)
        made = regions.to_networkx(same_map=same_map)
        plain = nx.Graph(**made.graph)
        plain.add_nodes_from([(i, dict(data)) for i, data in made.nodes(data=True)])
        plain.add_edges_from([(a, b, dict(data)) for a, b, data in made.edges(data=True)])
        assert type(made) is nx.Graph and nx.utils.graphs_equal(made, plain)
        assert [list(made[i]) for i in made] == [list(plain[i]) for i in plain]
        assert made.number_of_edges() == regions.n_edges
        made.add_edge(0, "new")
        made.remove_node(0)
        assert all(0 not in made[i] for i in made)


def test_the_garbage_collector_goes_on_as_before() -> None:
    was_enabled = gc.isenabled()
    try:
        for before in (gc.enable, gc.disable):
            before()
            state = gc.isenabled()
            with pytest.raises(KeyError), collector_paused():
                assert not gc.isenabled()
                raise KeyError
            assert gc.isenabled() == state
    finally:
        (gc.enable if was_enabled else gc.disable)()
