"""The planar walk: the same regions, order and facets as the tree, brute force and polygons."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from enumeration.cell_walks import case_in, scaled_by, walked, wrong_cases
from enumeration.test_planted_faults import interpreted
from oracles.facet_lists import facet_lists
from oracles.known_counts import known_counts, wrong_counts
from oracles.random_cases import Case
from oracles.rational_polygons import polygons
from oracles.small_networks import without_bias

import plregions as plr
from plregions.enumeration import planar
from plregions.enumeration.planar import PlanarWalk
from plregions.enumeration.tree_after import TreeAfter
from plregions.errors import InvalidInputError
from plregions.feasibility.network_columns import NetworkColumns
from plregions.feasibility.prepare import prepare
from plregions.network import restrict

SQUARE = plr.hypercube(2, -1, 1)
N_CASES = 300


def case(seed: int) -> Case:
    """A case in one dimension (one in six) or two; odd seeds are degenerate."""
    rng = np.random.default_rng([seed, 77])
    dim = 1 if seed % 6 == 5 or seed % 12 == 0 else 2
    return case_in(dim, seed, rng)


@pytest.mark.parametrize("block", range(N_CASES // 25))
def test_same_complex(block: int) -> None:
    """The tree and brute force find the same; every point has its pattern."""
    for seed in range(25 * block, 25 * (block + 1)):
        name, net, domain = case(seed)
        found = plr.enumerate_regions(net, domain, strategy="planar")
        tree = plr.enumerate_regions(net, domain, strategy="tree")
        assert np.array_equal(found.packed_patterns, tree.packed_patterns), name
        assert facet_lists(found) == facet_lists(tree), name
        if net.n_neurons <= 6:
            brute = plr.enumerate_regions(net, domain, strategy="brute_force")
            assert np.array_equal(found.packed_patterns, brute.packed_patterns), name
        inner, base = restrict(net, domain)
        for region in found:
            assert base.contains(region.exact_point), name
            assert inner.pattern_at(region.exact_point) == region.pattern, name


def test_the_kept_rows_are_the_facets() -> None:
    for seed in range(60):
        name, net, domain = case(seed)
        found = plr.enumerate_regions(net, domain, strategy="planar")
        kept = np.unpackbits(found.packed_rows, axis=1).sum(axis=1)
        assert np.array_equal(kept, found.graph.n_facets), name


@pytest.mark.parametrize("seed", range(3))
def test_polygons_in_rationals(seed: int) -> None:
    """Larger networks against an oracle that cuts polygons one Fraction at a time."""
    rng = np.random.default_rng(seed)
    weights = [rng.integers(-8, 9, (n, k)) / 4 for n, k in ((6, 2), (5, 6), (1, 5))]
    layers = [(w, rng.integers(-4, 5, len(w)) / 4) for w in weights]
    names = sorted(polygons(layers, [-1, -1], [1, 1]))
    found = plr.enumerate_regions(plr.Network(layers), SQUARE, strategy="planar")
    assert found.pattern_strings() == names


GAP = Fraction(1, 10**40)
THIN = [Fraction(-1, 3) - i * GAP for i in range(6)] + [Fraction(-1, 7) - i * GAP for i in range(6)]


@pytest.mark.parametrize("chunk", [1, 3, 4096])
def test_slivers_in_slices(chunk: int) -> None:
    """Lines at distances of 1e-40, with small buffers and many stops."""
    net = plr.Network([([[1, 0]] * 6 + [[0, 1]] * 6, THIN), ([list(range(1, 13))], [0])])
    chunks = walked(PlanarWalk(prepare(net, plr.hypercube(2)), chunk))
    whole = plr.enumerate_regions(net, plr.hypercube(2), strategy="tree")
    assert np.array_equal(np.concatenate([c.packed for c in chunks]), whole.packed_patterns)
    assert sum(len(c.exact) for c in chunks) >= 24
    assert len(whole) == 49


@pytest.mark.parametrize("gap", [1e-12, 2.0**-52, 1e-17, 1e-40, 2.0**-540, 2.0**-1000])
def test_strips_of_any_width(gap: float) -> None:
    """Three parallel lines at a small distance, crossed by one: eight regions."""
    net = plr.Network([([[1, 0.5]] * 3 + [[0.5, -1]], [-gap, 0, gap, 0.25]), ([[1] * 4], [0])])
    found = plr.enumerate_regions(net, SQUARE, strategy="planar")
    assert len(found) == 8 and found.is_complete
    assert found.n_edges == 10


@pytest.mark.parametrize("power", [-540, -300, 300, 540])
def test_scales(power: int) -> None:
    """A layer scaled by a power of two, and the next by its inverse: nothing changes."""
    net = plr.mlp("2-8-8-1")
    scaled = scaled_by(power, [(layer.weight, layer.bias) for layer in net.layers])
    expected = plr.enumerate_regions(net, SQUARE, strategy="tree").pattern_strings()
    assert plr.enumerate_regions(scaled, SQUARE, strategy="planar").pattern_strings() == expected


def test_lines_through_corners_and_along_edges() -> None:
    """Diagonals, walls of the domain as neurons, a line that only touches it, repeated rows."""
    rows = [[1, -1], [1, 1], [1, 0], [0, 1], [1, 1], [2, -2], [-1, 1], [0, 0]]
    bias = [0, 0, -1, 1, -2, 0, 0, 0]
    net = plr.Network([(rows, bias, "relu"), ([[1, -1, 0, 0, 0, 0, 0, 0]], [0], "relu")])
    found = plr.enumerate_regions(net, SQUARE, strategy="planar")
    brute = plr.enumerate_regions(net, SQUARE, strategy="brute_force")
    assert found == brute and facet_lists(found) == facet_lists(brute)
    assert len(found) == 5


def tangents(n: int) -> Any:
    """Unit vectors in n directions, nearly."""
    angles = [2 * np.pi * i / n for i in range(n)]
    return [[float(np.cos(a)), float(np.sin(a))] for a in angles]


def test_cells_of_more_corners_than_a_mask_holds() -> None:
    """Eighty tangents to a circle; a domain with eighty sides."""
    net = plr.Network([(tangents(80), [0.5] * 80), ([[1] * 80], [0])])
    found = plr.enumerate_regions(net, SQUARE, strategy="planar")
    tree = plr.enumerate_regions(net, SQUARE, strategy="tree")
    assert np.array_equal(found.packed_patterns, tree.packed_patterns)
    assert found.statistics["splits"] > 0 and found.statistics["tests"] > 0
    assert found.graph.n_facets.max() == 80
    prepared = prepare(net, SQUARE)
    chunks = walked(TreeAfter(prepared, PlanarWalk(prepared, 100)))
    assert np.array_equal(np.concatenate([c.packed for c in chunks]), tree.packed_patterns)
    disc = plr.Polytope(tangents(80), [1] * 80)
    small = plr.mlp("2-8-8-1")
    assert plr.enumerate_regions(small, disc, strategy="planar").pattern_strings() == (
        plr.enumerate_regions(small, disc, strategy="tree").pattern_strings()
    )


def test_euler_characteristic() -> None:
    """Corners minus segments plus regions is 1 for a square that is cut up."""
    weights = [(layer.weight, layer.bias) for layer in plr.mlp("2-8-8-1", seed=4).layers]
    found = plr.enumerate_regions(plr.Network(weights), SQUARE, strategy="planar")
    exact = polygons(weights, [-1, -1], [1, 1])
    assert found.pattern_strings() == sorted(exact)
    corners = {point for ring in exact.values() for point in ring}
    n_walls = int((found.graph.labels < 0).sum())
    assert len(corners) - (found.n_edges + n_walls) + len(found) == 1


def test_no_neurons_and_no_kinks() -> None:
    for layers in ([([[1, 2]], [3])], [([[1, 2]], [3], (1, 1)), ([[1]], [0], "relu")]):
        net = plr.Network(layers)
        found = plr.enumerate_regions(net, SQUARE, strategy="planar")
        assert len(found) == 1 + net.n_neurons * 0 and found.is_complete


def test_only_in_the_plane() -> None:
    with pytest.raises(InvalidInputError, match="one or two dimensions; got 3"):
        plr.count_regions(plr.mlp("3-4-1"), plr.hypercube(3), strategy="planar")


def test_auto_takes_the_planar_walk() -> None:
    assert "splits" in plr.count_regions(plr.mlp("2-4-1"), SQUARE).statistics
    assert "splits" in plr.count_regions(plr.mlp("1-4-1"), plr.hypercube(1)).statistics
    assert "splits" not in plr.count_regions(plr.mlp("4-4-1"), plr.hypercube(4)).statistics


def test_counting_needs_constant_memory() -> None:
    net = plr.mlp("2-64-64-1")
    plr.count_regions(net, SQUARE)
    tracemalloc.start()
    assert int(plr.count_regions(net, SQUARE)) == 5775
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


def test_counts_csv(shared: Path) -> None:
    """Every row over [-1, 1]^d in one or two dimensions, whatever code settled it."""
    boxes = [known for known in known_counts(shared) if isinstance(known.domain, plr.Box)]
    cases = [known for known in boxes if known.net.input_dim <= 2 and known.count <= 50_000]
    assert len(cases) > 50
    assert not wrong_counts(cases, strategy="planar")


FAULTY = range(1, 60, 2)


@pytest.mark.parametrize("side", [1, -1])
def test_a_zero_taken_for_a_side_is_caught(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line through a corner is said to pass on one side of it."""
    assert wrong_cases("planar", FAULTY, case) == []
    real = planar.sign_at
    monkeypatch.setattr(planar, "sign_at", lambda row, point: real(row, point) or side)
    assert wrong_cases("planar", FAULTY, case)


def test_kernels_without_error_bounds_are_caught() -> None:
    """Rows that cancel to 0 leave noise, and the noise has a sign."""
    right = interpreted("none", ["cancelling"])["cancelling"]["patterns"]
    assert interpreted("none", ["cancelling"], "planar")["cancelling"]["patterns"] == right
    found = interpreted("no error bounds", ["cancelling"], "planar")
    assert found["cancelling"]["patterns"] != right


def repeated(factor: float) -> plr.Network:
    """A network in which every hidden neuron stands twice, the second time multiplied."""
    rng = np.random.default_rng(5)
    layers = []
    for n_in, n_out in ((2, 8), (16, 8)):
        weight, bias = rng.normal(0, 1, (n_out, n_in)), rng.normal(0, 1, n_out)
        both = np.vstack([weight, factor * weight]), np.concatenate([bias, factor * bias])
        layers.append(both)
    return plr.Network([*layers, (rng.normal(0, 1, (1, 16)), [0])])


@pytest.mark.parametrize("factor", [1.0, -1.0, 2.0, -0.5])
def test_repeated_neurons_follow_the_first(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    net, square = repeated(factor), plr.hypercube(2, -1, 1)
    right = plr.enumerate_regions(net, square, strategy="tree").pattern_strings()
    found = plr.enumerate_regions(net, square, strategy="planar")
    assert found.pattern_strings() == right
    assert found.statistics["exact"] <= 4  # the first question tells that neurons are repeated

    known = prepare(net, square).multiples
    confused = known._replace(is_opposite=1 - known.is_opposite)
    monkeypatch.setattr(NetworkColumns, "multiples", property(lambda _: confused))
    wrong = plr.enumerate_regions(net, square, strategy="planar")
    assert wrong.pattern_strings() != right


def test_lines_through_zero_need_no_exact_arithmetic() -> None:
    net, square = without_bias(plr.mlp("2-16-16-1")), plr.hypercube(2, -1, 1)
    found = plr.enumerate_regions(net, square, strategy="planar")
    right = plr.enumerate_regions(net, square, strategy="tree")
    assert found.pattern_strings() == right.pattern_strings()
    assert found.statistics["exact"] == 0
