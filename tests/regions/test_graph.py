"""The region graph: facets and neighbours against independent exact geometry."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from oracles.facet_lists import facet_lists
from oracles.plain_regions import plain_facets
from oracles.random_cases import case, degenerate, generic
from oracles.rational_polygons import neighbours, polygons
from oracles.small_networks import without_bias

import plregions as plr
from plregions.errors import PLRegionsError
from plregions.network import restrict
from plregions.regions import graph as graph_module
from plregions.regions.graph import find_positions

SQUARE = plr.hypercube(2, -1, 1)
PLANAR_SEEDS = range(40)


def planar_layers(seed: int) -> list[tuple[Any, Any]]:
    """ReLU networks of two inputs; the oracle knows no other slopes."""
    rng = np.random.default_rng(1000 + seed)
    make = degenerate if seed % 2 else generic
    layers = [layer[:2] for layer in make(rng, 2, [[7], [4, 4], [3, 3, 3]][seed % 3])]
    return [*layers, ([[1] * len(layers[-1][0])], [0])]


@pytest.mark.parametrize("seed", PLANAR_SEEDS)
def test_plane(seed: int) -> None:
    """Regions, neighbours and Euler's formula, with vertices from the polygon oracle."""
    layers = planar_layers(seed)
    cells = polygons(layers, [-1, -1], [1, 1])
    regions = plr.enumerate_regions(plr.Network(layers), SQUARE)
    names = regions.pattern_strings()
    assert names == sorted(cells)
    edges = {frozenset((names[a], names[b])) for a, b in regions.graph.edges.tolist()}
    assert edges == neighbours(cells)
    assert euler_characteristic(regions, cells) == 1


def euler_characteristic(regions: plr.RegionComplex, cells: dict[str, list[Any]]) -> int:
    """V - E + F: every facet between two regions is one edge, every facet on a wall another.

    A vertex never lies inside a facet between two regions: the corner of a third region there
    would have to lie between them. On the square's sides each region ends in a corner.
    """
    corners = {corner for cell in cells.values() for corner in cell}
    on_walls = int((regions.graph.labels < 0).sum())
    return len(corners) - (regions.n_edges + on_walls) + len(regions)


def test_polygon_sides_count_the_facets() -> None:
    """The sides of a polygon, joined where they are on one line, are the region's facets."""
    for seed in (0, 1, 2, 3, 4, 5):
        layers = planar_layers(seed)
        cells = polygons(layers, [-1, -1], [1, 1])
        for region in plr.enumerate_regions(plr.Network(layers), SQUARE):
            assert region.n_facets == n_sides(cells[str(region.pattern)])


def n_sides(corners: Sequence[Any]) -> int:
    ring = [*corners, *corners[:2]]
    turns = 0
    for k in range(len(corners)):
        (a, b), (c, d), (e, f) = ring[k : k + 3]
        turns += (c - a) * (f - d) != (d - b) * (e - c)
    return turns


@pytest.mark.parametrize("block", range(5))
def test_facets_of_small_cases(block: int) -> None:
    """Every facet of every region, and the pattern beyond, from vertices listed in rationals."""
    for seed in range(block * 10, block * 10 + 10):
        name, net, domain = case(seed)
        if domain.dim > 3:
            continue
        regions = plr.enumerate_regions(net, domain)
        found = facet_lists(regions)
        expected = plain_facets(*restrict(net, domain))
        assert sorted(expected) == regions.pattern_strings(), name
        for bits, facets in expected.items():
            assert sorted(f.beyond for f in facets) == sorted(b for _, b, _ in found[bits]), name
            for _, beyond, flips in found[bits]:
                different = [i for i in range(len(bits)) if beyond and beyond[i] != bits[i]]
                assert list(flips) == different, name


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_neighbours_are_symmetric(seed: int) -> None:
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    for region in regions:
        assert all(region in other.neighbours for other in region.neighbours)
        assert region not in region.neighbours
    matrix = regions.to_scipy_sparse()
    assert matrix.shape == (len(regions), len(regions)) and matrix.dtype == np.int8
    assert (matrix != matrix.T).nnz == 0
    assert matrix.nnz == 2 * regions.n_edges and matrix.diagonal().sum() == 0


def edge_names(layers: list[Any], domain: Any) -> list[str]:
    graph = plr.enumerate_regions(plr.Network(layers), domain).to_networkx()
    return sorted(neurons for _, _, neurons in graph.edges(data="neurons"))


LINE = plr.hypercube(1, -1, 1)
SEVERAL = {
    "duplicates": ([([[1], [1]], [0, 0]), ([[1, 1]], [0])], LINE, ["0 1"]),
    "opposite rows": ([([[1], [-1]], [0, 0]), ([[1, 1]], [0])], LINE, ["0 1"]),
    "proportional rows": ([([[1], [3], [-2]], [0] * 3), ([[1] * 3], [0])], LINE, ["0 1 2"]),
    "a deeper neuron dies": ([([[1]], [0]), ([[2]], [0]), ([[1]], [0])], LINE, ["0 1"]),
    "two deeper ones": ([([[1]], [0]), ([[2]], [0]), ([[3]], [0]), ([[1]], [0])], LINE, ["0 1 2"]),
    "a deeper neuron lives on": ([([[1]], [0]), ([[2]], [1]), ([[1]], [0])], LINE, ["0"]),
    "no bit, no flip": ([([[1]], [0], "identity"), ([[1]], [0]), ([[1]], [0])], LINE, ["0"]),
    "absolute value": ([([[1]], [0], (-1, 1)), ([[1]], [0]), ([[1]], [0])], LINE, ["0"]),
    "a plane's wall shared by two layers": (
        [([[1, 0], [0, 1]], [0, 0]), ([[1, 0]], [0]), ([[1]], [0])], SQUARE,
        ["0 2", "0 2", "1", "1"],
    ),
    "a deeper neuron with walls of its own": (
        [([[1, 0], [0, 1]], [0, 0.5]), ([[1, 1]], [-0.5]), ([[1]], [0])], SQUARE,
        ["0", "0", "0", "1", "1", "1", "2", "2", "2"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("layers", "domain", "expected"), SEVERAL.values(), ids=SEVERAL.keys())
def test_edges_across_which_several_neurons_flip(
    layers: list[Any], domain: Any, expected: list[str]
) -> None:
    facets = plain_facets(plr.Network(layers), domain)
    pairs = [(a, f.beyond) for a, found in facets.items() for f in found if not f.on_boundary]
    by_oracle = sorted(
        " ".join(str(i) for i in range(len(a)) if a[i] != b[i]) for a, b in pairs if a < b
    )
    assert edge_names(layers, domain) == by_oracle == sorted(expected)


def test_a_wall_of_the_domain_given_twice_is_one_facet() -> None:
    domain = plr.Polytope([[-1, 0], [0, -1], [1, 1], [2, 2], [1, 1]], [0, 0, 1, 2, 5])
    regions = plr.enumerate_regions(plr.Network([([[1, -1]], [0]), ([[1]], [0])]), domain)
    assert [region.n_facets for region in regions] == [3, 3]
    assert sorted(regions.graph.labels[regions.graph.labels < 0].tolist()) == [-3, -3, -2, -1]


def test_attributes_of_the_networkx_graph_are_plain() -> None:
    net = plr.mlp("2-6-5-1")
    regions = plr.enumerate_regions(net, SQUARE)
    graph = regions.to_networkx()
    assert list(graph) == list(range(len(regions)))
    for region, (_, attributes) in zip(regions, graph.nodes(data=True), strict=True):
        kinds = {key: type(value) for key, value in attributes.items()}
        assert kinds == {"pattern": str, "n_facets": int, "x0": float, "x1": float}
        assert attributes["pattern"] == str(region.pattern)
        assert [attributes["x0"], attributes["x1"]] == region.interior_point.tolist()
        assert attributes["n_facets"] == region.n_facets
    assert graph.number_of_edges() == regions.n_edges
    for a, b, attributes in graph.edges(data=True):
        assert set(attributes) == {"neurons"} and type(attributes["neurons"]) is str
        flips = [int(v) for v in attributes["neurons"].split()]
        assert np.flatnonzero(regions.patterns[a] != regions.patterns[b]).tolist() == flips
    assert graph.graph == {
        "format": "plregions-region-graph",
        "version": 1,
        "kind": "activation",
        "complete": True,
        "n_regions": len(regions),
        "network": net.fingerprint,
        "domain": repr(SQUARE),
    }


def test_columns_are_read_only_and_fit_together() -> None:
    regions = plr.enumerate_regions(plr.mlp("3-7-1"), plr.hypercube(3, -1, 1))
    graph = regions.graph
    for array in (graph.offsets, graph.labels, graph.neighbours):
        assert not array.flags.writeable
    assert graph.offsets[0] == 0 and graph.offsets[-1] == len(graph.labels)
    assert len(graph.labels) == len(graph.neighbours)
    assert ((graph.neighbours == -1) == (graph.labels < 0)).all()
    assert regions.graph is graph


@pytest.mark.parametrize("width", [1, 3, 8, 9, 20])
def test_find_positions(width: int) -> None:
    rng = np.random.default_rng(width)
    table = np.unique(rng.integers(0, 3, (50, width), dtype=np.uint8), axis=0)
    table = table[rng.permutation(len(table))]
    assert find_positions(table, table).tolist() == list(range(len(table)))
    missing = np.full((2, width), 255, dtype=np.uint8)
    assert find_positions(table, missing).tolist() == [-1, -1]
    assert find_positions(table[:0], missing).tolist() == [-1, -1]
    zeros = np.zeros((1, width), dtype=np.uint8)  # trailing zero bytes are part of a key
    expected = np.flatnonzero((table == 0).all(axis=1)).tolist() or [-1]
    assert find_positions(table, zeros).tolist() == expected


def multiplied(d: int, seed: int) -> plr.Network:
    """A network in which every neuron stands twice or three times, by factors of both signs."""
    rng = np.random.default_rng(seed)
    layers: list[Any] = []
    width = d
    for _ in range(2):
        own = rng.normal(size=(3, width + 1))
        rows = np.vstack([own, -own, 0.5 * own[:1]])[rng.permutation(7)]
        layers.append((rows[:, :-1], rows[:, -1]))
        width = 7
    return plr.Network([*layers, (np.ones((1, 7)), [0])])


@pytest.mark.parametrize("strategy", ["tree", "auto"])
@pytest.mark.parametrize("d", [2, 3, 4])
def test_multiples_flip_together_without_a_question(
    d: int, strategy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, cube = multiplied(d, d), plr.hypercube(d, -1, 1)
    expected = plain_facets(net, cube)
    monkeypatch.delattr(graph_module.FacetFinder, "_exact_facets")
    found = facet_lists(plr.enumerate_regions(net, cube, strategy=strategy))
    assert sorted(found) == sorted(expected)
    for bits, facets in expected.items():
        assert sorted(f.beyond for f in facets) == sorted(beyond for _, beyond, _ in found[bits])
        for _, beyond, flips in found[bits]:
            different = [i for i in range(len(bits)) if beyond and beyond[i] != bits[i]]
            assert list(flips) == different and len(flips) in (0, 2, 3)


@pytest.mark.parametrize("widths", ["4-8-1", "4-6-5-1", "4-4-4-3-1"])
def test_cones_leave_few_questions(widths: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without biases all regions meet in 0; rationals are for walls where deeper neurons die."""
    net, cube = without_bias(plr.mlp(widths)), plr.hypercube(4, -1, 1)
    expected = plain_facets(net, cube)
    asked = []
    real = graph_module.FacetFinder._exact_facets

    def watched(self: Any, bits: Any, kept: Any, point: Any, doubtful: list[int]) -> Any:
        asked.extend(doubtful)
        return real(self, bits, kept, point, doubtful)

    monkeypatch.setattr(graph_module.FacetFinder, "_exact_facets", watched)
    regions = plr.enumerate_regions(net, cube, strategy="tree")
    found = facet_lists(regions)
    assert sorted(found) == sorted(expected)
    for bits, facets in expected.items():
        assert sorted(f.beyond for f in facets) == sorted(beyond for _, beyond, _ in found[bits])
    assert len(asked) <= len(regions.graph.several) + 3


def test_multiples_left_behind_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a neuron flips and its multiples stay."""
    regions = plr.enumerate_regions(multiplied(3, 0), plr.hypercube(3, -1, 1), strategy="tree")
    monkeypatch.setattr(
        graph_module.FacetFinder,
        "masks",
        property(lambda self: np.packbits(np.eye(self._prepared.n_bits, dtype=bool), axis=1)),
    )
    with pytest.raises(PLRegionsError, match="seen from both sides"):
        _ = regions.graph


def test_a_lost_region_is_noticed() -> None:
    """The graph of a complex that calls itself complete checks that it is closed."""
    full = plr.enumerate_regions(plr.mlp("2-6-5-1"), SQUARE)
    keep = np.arange(len(full)) != 7
    columns = {
        column.name: getattr(full, column.name)[keep]
        for column in dataclasses.fields(full)
        if isinstance(getattr(full, column.name), np.ndarray)
    }
    holed = dataclasses.replace(full, **columns)
    assert len(holed) == len(full) - 1
    with pytest.raises(PLRegionsError, match="seen from both sides"):
        _ = holed.graph


def test_a_facet_lost_on_one_side_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: one facet between two regions is dropped; three oracles see it.

    Facets that the walk hands over and facets that are found for the graph lose one alike.
    """
    real, handed_over = graph_module.FacetFinder.batch, graph_module.facets_of_rows

    def without_one(offsets: Any, labels: Any) -> tuple[Any, Any, int]:
        drop = int(np.flatnonzero(labels >= 0)[0])
        return np.where(offsets > drop, offsets - 1, offsets), np.delete(labels, drop), drop

    def careless(self: Any, *arguments: Any) -> Any:
        offsets, labels, special = real(self, *arguments)
        offsets, labels, drop = without_one(offsets, labels)
        return offsets, labels, [(f - (f > drop), bits) for f, bits in special if f != drop]

    monkeypatch.setattr(graph_module.FacetFinder, "batch", careless)
    monkeypatch.setattr(
        graph_module, "facets_of_rows", lambda *given: without_one(*handed_over(*given))[:2]
    )
    fault = "seen from both sides|rows that are the facets"
    for strategy in ("planar", "tree"):
        found = plr.enumerate_regions(plr.mlp("2-6-5-1"), SQUARE, strategy=strategy)
        with pytest.raises(PLRegionsError, match=fault):
            _ = found.graph
    monkeypatch.setattr(graph_module, "_check_symmetry", lambda graph: None)
    with pytest.raises((AssertionError, PLRegionsError)):
        test_plane(0)
    with pytest.raises((AssertionError, PLRegionsError)):
        test_facets_of_small_cases(0)


def test_corners_of_the_oracle_are_exact() -> None:
    """The vertices come as Fractions: no float takes part in Euler's formula."""
    cells = polygons(planar_layers(3), [-1, -1], [1, 1])
    ring = next(iter(cells.values()))
    assert all(type(v) is Fraction for corner in ring for v in corner)
    assert all(a != b for a, b in pairwise([*ring, ring[0]]))
