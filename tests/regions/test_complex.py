"""The complex as a sequence, its look-ups and its columns."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.plain_network import OnWallError, pattern, plain_layers
from oracles.random_cases import case

import plregions as plr
from plregions.regions.complex import REGIONS_A_BLOCK

SQUARE = plr.hypercube(2, -1, 1)
NET = plr.mlp("2-6-5-1")
REGIONS = plr.enumerate_regions(NET, SQUARE)


def test_it_is_a_sequence() -> None:
    n = len(REGIONS)
    assert isinstance(REGIONS, Sequence) and n == REGIONS.n_regions
    assert [region.index for region in REGIONS] == list(range(n))
    assert REGIONS[-1] == REGIONS[n - 1] and REGIONS[0] in REGIONS
    assert [r.index for r in REGIONS[1:4]] == [1, 2, 3]
    assert [r.index for r in reversed(REGIONS)][:2] == [n - 1, n - 2]
    assert REGIONS.index(REGIONS[3]) == 3 and REGIONS.count(REGIONS[3]) == 1
    assert REGIONS[2].pattern in REGIONS and "000" not in REGIONS
    for wrong in (n, -n - 1):
        with pytest.raises(IndexError):
            REGIONS[wrong]


def test_columns() -> None:
    n, n_bits = len(REGIONS), NET.n_neurons
    assert REGIONS.patterns.shape == (n, n_bits) and REGIONS.patterns.dtype == np.bool_
    assert REGIONS.packed_patterns.shape == (n, 2) and REGIONS.packed_patterns.dtype == np.uint8
    assert np.array_equal(np.packbits(REGIONS.patterns, axis=1), REGIONS.packed_patterns)
    assert REGIONS.interior_points.shape == (n, 2)
    for array in (REGIONS.patterns, REGIONS.packed_patterns, REGIONS.interior_points):
        assert not array.flags.writeable
    assert all(type(v) is int for v in REGIONS.statistics.values())
    assert REGIONS.pattern_strings() == [str(region.pattern) for region in REGIONS]


def test_repr() -> None:
    assert repr(REGIONS) == f"RegionComplex({len(REGIONS)} activation regions of {NET!r}, complete)"
    part = plr.enumerate_regions(NET, SQUARE, max_regions=1)
    assert "1 activation region of" in repr(part)
    assert "incomplete: BUDGET_EXHAUSTED(max_regions)" in repr(part)


def test_find() -> None:
    for region in REGIONS:
        for form in (region.pattern, str(region.pattern), region.pattern.bits.tolist()):
            found = REGIONS.find(form)
            assert found is not None and found.index == region.index
    missing = {f"{k:011b}" for k in range(2**11)} - set(REGIONS.pattern_strings())
    assert all(REGIONS.find(bits) is None for bits in sorted(missing)[::97])
    with pytest.raises(plr.InvalidInputError, match="11 bits; got 2"):
        REGIONS.find("01")
    with pytest.raises(plr.InvalidInputError):
        REGIONS.find(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_region_at(seed: int) -> None:
    """Random points, located by the network in plain Fractions."""
    _, net, domain = case(seed)
    if not isinstance(domain, plr.Box):
        domain = plr.hypercube(net.input_dim, -1, 1)
    regions = plr.enumerate_regions(net, domain)
    layers = plain_layers(net)
    low, high = (np.array(b, dtype=float) for b in domain.bounding_box())
    points = np.random.default_rng(seed).uniform(low, high, (30, domain.dim))
    for point in points:
        if not domain.contains(point):
            continue
        assert str(regions.region_at(point).pattern) == pattern(layers, point.tolist())


def test_region_at_walls_names_the_neurons() -> None:
    net = plr.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    regions = plr.enumerate_regions(net, SQUARE)
    with pytest.raises(plr.AmbiguousPointError) as caught:
        regions.region_at([0, 0])
    assert list(caught.value.neurons) == [(0, 0), (0, 1)]
    with pytest.raises(OnWallError):
        pattern(plain_layers(net), [0, 0])
    assert str(regions.region_at([Fraction(1, 10**30), "0.5"]).pattern) == "110"
    assert str(regions.region_at([5e-324, 0.5]).pattern) == "110"


@pytest.mark.parametrize(
    "x", [[2, 0], [0], [0.1, 0.2, 0.3], [float("nan"), 0], "ab", 3, [None, 1], [1j, 0]]
)
def test_region_at_wrong_points(x: Any) -> None:
    with pytest.raises(plr.InvalidInputError, match="region_at needs"):
        REGIONS.region_at(x)


def test_region_at_in_a_partial_complex() -> None:
    part = plr.enumerate_regions(NET, SQUARE, max_regions=1)
    outside = REGIONS[-1].exact_point
    with pytest.raises(plr.InvalidInputError, match="missing"):
        part.region_at(outside)


def test_region_at_in_a_slice_takes_the_slice_coordinates() -> None:
    domain = plr.Slice(["1/3", 0], [[0, 1]], plr.hypercube(1, -1, 1))
    regions = plr.enumerate_regions(NET, domain)
    for region in regions:
        assert regions.region_at(region.exact_point) == region
        assert NET.pattern_at(domain.embed_exact(region.exact_point)) == region.pattern


def test_equality_is_by_value() -> None:
    again = plr.enumerate_regions(plr.mlp("2-6-5-1"), plr.Box([-1.0, -1], [1, "1"]))
    assert again == REGIONS and hash(again) == hash(REGIONS)
    assert again != plr.enumerate_regions(NET, plr.hypercube(2, -1, 2))
    assert again != plr.enumerate_regions(plr.mlp("2-6-5-1", seed=1), SQUARE)
    assert again != plr.enumerate_regions(NET, SQUARE, max_regions=3)
    assert again != "regions"
    assert plr.enumerate_regions(plr.mlp("2-3-1"), SQUARE, strategy="brute_force") == (
        plr.enumerate_regions(plr.mlp("2-3-1"), SQUARE, strategy="tree")
    )


def test_a_network_without_neurons() -> None:
    regions = plr.enumerate_regions(plr.Network([([[1, 2]], [3])]), SQUARE)
    assert (len(regions), regions.patterns.shape, regions.n_edges) == (1, (1, 0), 0)
    assert regions.pattern_strings() == [""] and regions[0].n_facets == 4
    assert regions.region_at([0, 0]) == regions[0] == regions.find("")
    assert regions.to_networkx().number_of_nodes() == 1
    assert regions.to_scipy_sparse().shape == (1, 1)


def test_patterns_as_strings_in_more_than_one_block() -> None:
    regions = plr.enumerate_regions(plr.mlp("2-16-16-1"), SQUARE)
    assert len(regions) > REGIONS_A_BLOCK and len(regions) % REGIONS_A_BLOCK
    assert regions.pattern_strings() == [str(region.pattern) for region in regions]


def test_the_complex_survives_pickle() -> None:
    again = pickle.loads(pickle.dumps(REGIONS))
    assert again == REGIONS and again.n_edges == REGIONS.n_edges
