"""The spatial walk: the same regions, order and facets as the tree, brute force and an oracle."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from enumeration.cell_walks import case_in, scaled_by, walked, wrong_cases
from enumeration.test_planted_faults import interpreted
from oracles.facet_lists import facet_lists
from oracles.known_counts import known_counts, wrong_counts
from oracles.lp_vertices import value
from oracles.plain_regions import PlainRegion, plain_regions, rank
from oracles.random_cases import Case, degenerate, generic
from oracles.random_cases import case as small_case
from oracles.unbounded_cases import unbounded_case

import plregions as plr
from plregions.enumeration import spatial, spatial_state
from plregions.enumeration.spatial import SpatialWalk
from plregions.errors import InvalidInputError
from plregions.feasibility.prepare import prepare
from plregions.kernels import spatial_layout
from plregions.network import restrict

CUBE = plr.hypercube(3, -1, 1)
N_CASES = 240


def case(seed: int) -> Case:
    """A case in three dimensions; odd seeds are degenerate."""
    return case_in(3, seed, np.random.default_rng([seed, 78]))


@pytest.mark.parametrize("block", range(N_CASES // 20))
def test_same_complex(block: int) -> None:
    """The tree and brute force find the same; every point has its pattern; rows are facets."""
    for seed in range(20 * block, 20 * (block + 1)):
        name, net, domain = case(seed)
        found = plr.enumerate_regions(net, domain, strategy="spatial")
        tree = plr.enumerate_regions(net, domain, strategy="tree")
        assert np.array_equal(found.packed_patterns, tree.packed_patterns), name
        assert facet_lists(found) == facet_lists(tree), name
        kept = np.unpackbits(found.packed_rows, axis=1).sum(axis=1)
        assert np.array_equal(kept, found.graph.n_facets), name
        if net.n_neurons <= 5:
            brute = plr.enumerate_regions(net, domain, strategy="brute_force")
            assert np.array_equal(found.packed_patterns, brute.packed_patterns), name
        inner, base = restrict(net, domain)
        for region in list(found)[:20]:
            assert base.contains(region.exact_point), name
            assert inner.pattern_at(region.exact_point) == region.pattern, name


def segments(cell: PlainRegion) -> set[frozenset[Any]]:
    """The edges of a polyhedron: pairs of corners on rows that have a line in common."""
    found = set()
    for p, q in combinations(cell.corners, 2):
        common = [list(r[:-1]) for r in set(cell.rows) if value(r, p) == 0 == value(r, q)]
        if rank(common) == 2:
            found.add(frozenset((p, q)))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_euler_characteristic(seed: int) -> None:
    """Corners - edges + facets - regions is 1; corners and edges are those of the oracle."""
    rng = np.random.default_rng(seed)
    make, widths = [generic, degenerate][seed % 2], [[5], [3, 3], [4, 2]][seed % 3]
    layers = [(*layer[:2], "relu") for layer in make(rng, 3, widths)]
    net = plr.Network(layers)
    cells = plain_regions(net, CUBE)
    found = plr.enumerate_regions(net, CUBE, strategy="spatial")
    assert found.pattern_strings() == sorted(cells)
    if seed % 2:
        return
    corners = {point for cell in cells.values() for point in cell.corners}
    edges = {edge for cell in cells.values() for edge in segments(cell)}
    facets = found.n_edges + int((found.graph.labels < 0).sum())
    assert len(corners) - len(edges) + facets - len(found) == 1


GAP = Fraction(1, 10**40)
THIN = [Fraction(-1, k) - i * GAP for k in (3, 7, 9) for i in range(4)]


@pytest.mark.parametrize("chunk", [1, 3, 4096])
def test_slivers_in_slices(chunk: int) -> None:
    """Planes at distances of 1e-40, with small buffers and many stops."""
    rows = [[1, 0, 0]] * 4 + [[0, 1, 0]] * 4 + [[0, 0, 1]] * 4
    net = plr.Network([(rows, THIN), ([list(range(1, 13))], [0])])
    chunks = walked(SpatialWalk(prepare(net, plr.hypercube(3)), chunk))
    whole = plr.enumerate_regions(net, plr.hypercube(3), strategy="tree")
    assert np.array_equal(np.concatenate([c.packed for c in chunks]), whole.packed_patterns)
    assert sum(len(c.exact) for c in chunks) >= 60
    assert len(whole) == 125


def test_room_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is at the start, for cells, edges and corners in turn."""
    net = plr.mlp("3-12-12-1")
    right = plr.enumerate_regions(net, CUBE, strategy="tree").packed_patterns
    for name in ("FIRST_CELLS", "FIRST_EDGES", "FIRST_CORNERS"):
        monkeypatch.setattr(spatial_state, name, 3)
        chunks = walked(SpatialWalk(prepare(net, CUBE)))
        assert np.array_equal(np.concatenate([c.packed for c in chunks]), right)


@pytest.mark.parametrize("gap", [1e-12, 2.0**-52, 1e-17, 1e-40, 2.0**-540, 2.0**-1000])
def test_strips_of_any_width(gap: float) -> None:
    """Three parallel planes at a small distance, crossed by one: eight regions."""
    rows = [[1, 0.5, -0.25]] * 3 + [[0.5, -1, 0.75]]
    net = plr.Network([(rows, [-gap, 0, gap, 0.25]), ([[1] * 4], [0])])
    found = plr.enumerate_regions(net, CUBE, strategy="spatial")
    assert len(found) == 8 and found.is_complete
    assert found.n_edges == 10


@pytest.mark.parametrize("power", [-540, -300, 300, 540])
@pytest.mark.parametrize("whole", [False, True])
def test_scales(power: int, whole: bool) -> None:
    """A layer scaled by a power of two, and the next by its inverse: nothing changes."""
    layers = [(layer.weight, layer.bias) for layer in plr.mlp("3-8-8-1").layers]
    if whole:
        layers = [(np.round(2 * w), np.round(2 * b)) for w, b in layers]
    scaled = scaled_by(power, layers)
    tree = plr.enumerate_regions(plr.Network(layers), CUBE, strategy="tree")
    found = plr.enumerate_regions(scaled, CUBE, strategy="spatial")
    assert found.pattern_strings() == tree.pattern_strings()


@pytest.mark.parametrize("seed", range(6))
def test_invariances(seed: int) -> None:
    """Neurons in another order, rows times positive numbers, inputs swapped: the same regions."""
    rng = np.random.default_rng(seed)
    make = [generic, degenerate][seed % 2]
    layers = [(*layer[:2], "relu") for layer in make(rng, 3, [5, 4])][:2]
    layers = [([[Fraction(v) for v in r] for r in w], [Fraction(v) for v in b], s)
              for w, b, s in layers]  # fmt: skip
    (w0, b0, _), (w1, b1, _) = layers
    names = plr.enumerate_regions(plr.Network(layers), CUBE, strategy="spatial").pattern_strings()
    p0, p1, axes = rng.permutation(5), rng.permutation(4), rng.permutation(3)
    factors = [Fraction(int(k), 3) for k in rng.integers(1, 9, 5)]
    first = [[w0[i][a] * factors[i] for a in axes] for i in p0]
    second = [[w1[i][j] / factors[j] for j in p0] for i in p1]
    moved = plr.Network(
        [
            (first, [b0[i] * factors[i] for i in p0], "relu"),
            (second, [b1[i] for i in p1], "relu"),
        ]
    )
    found = plr.enumerate_regions(moved, CUBE, strategy="spatial").pattern_strings()
    places = [*p0, *(5 + p1)]
    assert found == sorted("".join(name[i] for i in places) for name in names)


def test_planes_through_corners_and_along_faces() -> None:
    """Planes through edges, walls as neurons, planes that only touch, repeated rows."""
    rows = [[1, -1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 0], [2, -2, 0]]
    bias = [0, 0, -1, -3, -1, -2, 0]
    net = plr.Network([(rows, bias, "relu"), ([[1, -1, 0, 0, 2, 0, 0]], [0], "relu")])
    found = plr.enumerate_regions(net, CUBE, strategy="spatial")
    brute = plr.enumerate_regions(net, CUBE, strategy="brute_force")
    assert found == brute and facet_lists(found) == facet_lists(brute)
    assert found.pattern_strings() == sorted(plain_regions(net, CUBE))
    assert found.statistics["exact"] == 0


def test_multiples_of_rows_that_cancel() -> None:
    """The second layer is 0 everywhere, then in some cells: both signs of 0 are off."""
    first = ([[1, 0, 0], [1, 0, 0], [0, 1, 1]], [0, 0, 0])
    for last in (0, 1):
        second = [[1, -1, last], [Fraction(-1, 3), Fraction(1, 3), Fraction(-last, 3)]]
        for rows in (second, second[::-1]):
            net = plr.Network([first, (rows, [0, 0], "relu")])
            found = plr.enumerate_regions(net, CUBE, strategy="spatial")
            assert found.pattern_strings() == sorted(plain_regions(net, CUBE))


def tangents(n: int) -> Any:
    """Unit vectors in n directions, nearly."""
    vectors = np.random.default_rng(0).normal(size=(n, 3))
    return (vectors / np.linalg.norm(vectors, axis=1)[:, None]).tolist()


def test_cells_of_many_facets() -> None:
    """A hundred planes that touch a ball, and a domain with as many facets."""
    net = plr.Network([(tangents(100), [0.9] * 100), ([[1] * 100], [0])])
    found = plr.enumerate_regions(net, CUBE, strategy="spatial")
    tree = plr.enumerate_regions(net, CUBE, strategy="tree")
    assert np.array_equal(found.packed_patterns, tree.packed_patterns)
    assert np.array_equal(found.graph.n_facets, tree.graph.n_facets)
    assert found.graph.n_facets.max() > 80
    ball = plr.Polytope(tangents(100), [1] * 100)
    small = plr.mlp("3-6-6-1")
    assert plr.enumerate_regions(small, ball, strategy="spatial").pattern_strings() == (
        plr.enumerate_regions(small, ball, strategy="tree").pattern_strings()
    )


@pytest.mark.parametrize("width", [61, 62, 63, 124, 125])
def test_layers_of_several_words(width: int) -> None:
    """More units than bits in a word; multiples far from each other, and a second layer."""
    rng = np.random.default_rng(width)
    weight, bias = rng.normal(size=(width, 3)), rng.uniform(-3, 3, width)
    for later, first, factor in ((width - 1, 0, -2.0), (width - 2, 1, 4.0), (40, 39, -1.0)):
        weight[later], bias[later] = factor * weight[first], factor * bias[first]
    net = plr.Network([(weight, bias), (rng.normal(size=(3, width)), [0, 1, -1], "relu")])
    domain = plr.hypercube(3, Fraction(-1, 3), Fraction(1, 2))
    found = plr.enumerate_regions(net, domain, strategy="spatial")
    tree = plr.enumerate_regions(net, domain, strategy="tree")
    assert np.array_equal(found.packed_patterns, tree.packed_patterns)
    assert len(found) > 100
    assert spatial_layout.WORD == 62


def test_known_counts() -> None:
    for name, n in (("3-16-16-1", 2424), ("3-32-32-1", 18874)):
        assert int(plr.count_regions(plr.mlp(name), CUBE, strategy="spatial")) == n


def test_degenerate_networks_need_no_exact_arithmetic() -> None:
    """No biases, duplicates and opposites, small integers, multiples of 1/8: all by floats."""
    weights = [(layer.weight, layer.bias) for layer in plr.mlp("3-16-16-1").layers]
    rng = np.random.default_rng(0)
    twice = [(w.copy(), b.copy()) for w, b in weights]
    for w, b in twice[:2]:
        w[8:12], b[8:12] = w[:4], b[:4]
        w[12:16], b[12:16] = -2 * w[4:8], -2 * b[4:8]
    nets = [
        [(w, 0 * b) for w, b in weights],
        twice,
        [(rng.integers(-1, 2, w.shape), rng.integers(-1, 2, b.shape)) for w, b in weights],
        [(np.round(8 * w) / 8, np.round(8 * b) / 8) for w, b in weights],
    ]
    for layers in nets:
        found = plr.enumerate_regions(plr.Network(layers), CUBE, strategy="spatial")
        tree = plr.enumerate_regions(plr.Network(layers), CUBE, strategy="tree")
        assert np.array_equal(found.packed_patterns, tree.packed_patterns)
        assert found.statistics["exact"] == 0
        assert found.statistics["splits"] == len(found) - 1


def test_unbounded_domains_of_two_dimensions() -> None:
    """They have one local coordinate more; rays and facets are those that the tree finds."""
    seen = 0
    for seed in range(120):
        net, domain = unbounded_case(seed)
        if prepare(net, domain).dim != 3:
            continue
        seen += 1
        found = plr.enumerate_regions(net, domain, strategy="spatial")
        tree = plr.enumerate_regions(net, domain, strategy="tree")
        assert np.array_equal(found.packed_patterns, tree.packed_patterns), seed
        assert facet_lists(found) == facet_lists(tree), seed
        assert [r.is_bounded for r in found] == [r.is_bounded for r in tree], seed
    assert seen > 20


def test_no_neurons_and_no_kinks() -> None:
    for layers in ([([[1, 2, 3]], [3])], [([[1, 2, 3]], [3], (1, 1)), ([[1]], [0], "relu")]):
        net = plr.Network(layers)
        found = plr.enumerate_regions(net, CUBE, strategy="spatial")
        assert len(found) == 1 + net.n_neurons and found.is_complete


@pytest.mark.parametrize("n", [2, 4])
def test_only_in_space(n: int) -> None:
    with pytest.raises(InvalidInputError, match=f"got {n} local coordinates"):
        plr.count_regions(plr.mlp([n, 4, 1]), plr.hypercube(n), strategy="spatial")


def test_auto_takes_the_spatial_walk() -> None:
    assert "splits" in plr.count_regions(plr.mlp("3-4-1"), CUBE).statistics
    assert "splits" in plr.count_regions(plr.mlp("2-4-1"), plr.WholeSpace(2)).statistics
    assert "splits" not in plr.count_regions(plr.mlp("3-4-1"), plr.WholeSpace(3)).statistics


def test_counts_csv(shared: Path) -> None:
    """Every row that has three local coordinates, whatever code settled it."""
    plane_or_space = [known for known in known_counts(shared) if known.net.input_dim in (2, 3)]
    cases = [known for known in plane_or_space if prepare(known.net, known.domain).dim == 3]
    assert len(cases) > 20
    assert not wrong_counts(cases, strategy="spatial")


FAULTY = range(1, 80, 2)


@pytest.mark.parametrize("side", [1, -1])
def test_a_zero_taken_for_a_side_is_caught(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plane through a corner is said to pass on one side of it."""
    assert wrong_cases("spatial", FAULTY, case) == []
    real = spatial.sign_at
    monkeypatch.setattr(spatial, "sign_at", lambda row, point: real(row, point) or side)
    assert wrong_cases("spatial", FAULTY, case)


SEEDS = [s for s in range(60) if prepare(*small_case(s)[1:]).dim == 3]


def test_faults_in_the_kernels_are_caught() -> None:
    """Interpreted, the walk is right; with zeros for sides or wrong edges it is not."""
    truth = {str(s): sorted(plain_regions(*restrict(*small_case(s)[1:]))) for s in SEEDS}
    truth["touching planes"] = ["000"]
    for fault in ("none", "zeros of whole numbers are sides", "wrong adjacency"):
        answers = interpreted(fault, truth, "spatial")
        found = {name: answer["patterns"] for name, answer in answers.items()}
        assert (found == truth) == (fault == "none"), fault


def test_kernels_without_error_bounds_are_caught() -> None:
    """Rows that cancel to 0 leave noise, and the noise has a sign."""
    name = "cancelling in space"
    right = interpreted("none", [name])[name]["patterns"]
    assert interpreted("none", [name], "spatial")[name]["patterns"] == right
    assert interpreted("no error bounds", [name], "spatial")[name]["patterns"] != right
