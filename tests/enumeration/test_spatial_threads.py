"""The spatial walk on threads: the same regions, points and order for every number of workers."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from enumeration.test_parallel import assert_same
from enumeration.test_spatial import CUBE, THIN, case
from oracles.facet_lists import facet_lists
from oracles.small_networks import without_bias
from oracles.unbounded_cases import unbounded_case

import plregions as plr
from plregions.enumeration import parallel, spatial
from plregions.enumeration.spatial import SpatialWalk
from plregions.errors import PLRegionsError
from plregions.feasibility.prepare import prepare
from plregions.kernels.spatial_layout import Spatial

PLANES = plr.mlp("3-16-16-1").layers
# Copies and opposites, all planes through 0, and small whole numbers.
TWICE = [(layer.weight.copy(), layer.bias.copy()) for layer in PLANES]
for w, b in TWICE[:2]:
    w[8:12], b[8:12] = w[:4], b[:4]
    w[12:16], b[12:16] = -2 * w[4:8], -2 * b[4:8]
DEGENERATE = {
    "copies and opposites": plr.Network(TWICE),
    "no bias": without_bias(plr.Network(PLANES)),
    "whole numbers": plr.Network([(np.round(2 * layer.weight), [0] * len(layer.bias))
                                  for layer in PLANES]),
    "slivers": plr.Network([
        ([[1, 0, 0]] * 4 + [[0, 1, 0]] * 4 + [[0, 0, 1]] * 4, THIN),
        ([list(range(1, 13)), [1, -2] * 6], [-3, 0]),
        ([[1, -1]], [0]),
    ]),
    "through one point": plr.Network([
        ([[1, 2, 3], [3, -1, 1], [1, 1, 1], [2, -5, 1], [1, -1, 0], [7, 1, -3]],
         [v / 3 for v in (-6, -3, -3, 2, 0, -5)]),
        ([[1, 2, 3, 4, 5, 6], [1, -1, 1, -1, 1, -1]], [0, 0]),
        ([[1, 1]], [0]),
    ]),
}  # fmt: skip


@pytest.fixture(params=[1, 2, 5, 9])
def small_subtrees(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small networks be divided too."""
    monkeypatch.setattr(spatial, "LEAST_UNITS", 1)
    monkeypatch.setattr(spatial, "SUBTREE_DEPTH", request.param)


def check(net: plr.Network, domain: Any, workers: int = 2) -> plr.RegionComplex:
    alone = plr.enumerate_regions(net, domain, strategy="spatial")
    found = plr.enumerate_regions(net, domain, strategy="spatial", workers=workers)
    assert_same(found, alone)
    assert found.rows_are_facets and alone.rows_are_facets
    assert found.statistics == alone.statistics
    count = plr.count_regions(net, domain, strategy="spatial", workers=workers)
    assert (int(count), count.is_complete) == (len(alone), True)
    return found


@pytest.mark.usefixtures("small_subtrees")
@pytest.mark.parametrize("start", [0, 15])
def test_random_networks(start: int) -> None:
    for seed in range(start, start + 15):
        _, net, domain = case(seed)
        check(net, domain)


@pytest.mark.usefixtures("small_subtrees")
def test_unbounded_domains_of_two_dimensions() -> None:
    cases = [unbounded_case(seed) for seed in range(40)]
    chosen = [(net, domain) for net, domain in cases if prepare(net, domain).dim == 3]
    assert len(chosen) > 5
    for net, domain in chosen:
        check(net, domain)


@pytest.mark.usefixtures("small_subtrees")
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_networks(name: str) -> None:
    """The tree finds the same, with the same facets."""
    net = DEGENERATE[name]
    found = check(net, CUBE)
    tree = plr.enumerate_regions(net, CUBE, strategy="tree")
    assert np.array_equal(found.packed_patterns, tree.packed_patterns)
    assert facet_lists(found) == facet_lists(tree)
    if name in ("slivers", "through one point"):
        assert found.statistics["exact"] > 0


@pytest.mark.usefixtures("small_subtrees")
@pytest.mark.parametrize("workers", [2, 3, 8])
def test_larger_networks(workers: int) -> None:
    check(plr.mlp("3-12-12-12-1"), CUBE, workers)


def test_a_wide_network() -> None:
    net = plr.mlp("3-48-48-1")
    tree = plr.enumerate_regions(net, CUBE, strategy="tree")
    assert check(net, CUBE) == tree
    stream = plr.iter_regions(net, CUBE, workers=2)
    assert [next(stream).pattern for _ in range(5)] == [r.pattern for r in list(tree)[:5]]


@pytest.mark.usefixtures("small_subtrees")
def test_room_that_grows_in_a_subtree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plregions.enumeration.spatial_state.FIRST_CELLS", 3)
    monkeypatch.setattr("plregions.enumeration.spatial_state.FIRST_EDGES", 3)
    monkeypatch.setattr("plregions.enumeration.spatial_state.FIRST_CORNERS", 3)
    check(plr.mlp("3-12-12-1"), CUBE)


def test_rows_of_other_cells_that_stay_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the walk of one thread goes on with the rows made for the cells before.

    Points then depend on where the walk was divided, in their last digits.
    """
    monkeypatch.setattr(spatial, "LEAST_UNITS", 1)
    net = plr.mlp("3-12-12-12-1")
    check(net, CUBE)
    real = SpatialWalk.__init__

    def careless(self: SpatialWalk, *arguments: Any, **options: Any) -> None:
        real(self, *arguments, **options)
        self._anew = -1

    monkeypatch.setattr(SpatialWalk, "__init__", careless)
    with pytest.raises(AssertionError):
        check(net, CUBE)


def test_subtrees_without_the_bits_above_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a subtree does not know what was decided before it was split off."""
    monkeypatch.setattr(spatial, "LEAST_UNITS", 1)
    real = spatial.part_of

    def forgetful(t: Spatial, slot: int) -> Spatial:
        part = real(t, slot)
        part.bits[:] = 1
        return part

    monkeypatch.setattr(spatial, "part_of", forgetful)
    with pytest.raises((AssertionError, PLRegionsError)):
        check(plr.mlp("3-12-12-1"), CUBE)


def test_small_networks_start_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(parallel, "ThreadPoolExecutor", never)
    assert int(plr.count_regions(plr.mlp("3-16-16-1"), CUBE, workers=2)) == 2424


def test_budgets_and_interrupts_stop_the_threads() -> None:
    net = plr.mlp("3-96-96-1")
    part = plr.enumerate_regions(net, CUBE, workers=2, max_regions=5000)
    assert (len(part), part.outcome.which) == (5000, "max_regions")
    alone = plr.enumerate_regions(net, CUBE, max_regions=5000)
    assert np.array_equal(part.packed_patterns, alone.packed_patterns)
    count = plr.count_regions(net, CUBE, workers=2, time_limit=0.01)
    assert count.is_complete or count.outcome.which == "time_limit"

    def stop(_: plr.Progress) -> None:
        raise KeyboardInterrupt

    found = plr.enumerate_regions(net, CUBE, workers=2, progress=stop)
    assert found.outcome.name == "INTERRUPTED"
    assert np.array_equal(found.packed_patterns[:5000], part.packed_patterns[: len(found)])
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("plregions")]


def test_progress_of_threads() -> None:
    shares: list[float] = []
    count = plr.count_regions(
        plr.mlp("3-96-96-1"), CUBE, workers=2, progress=lambda p: shares.append(p.share_done)
    )
    assert count.is_complete
    assert shares == sorted(shares)
    assert all(0.0 <= share <= 1.0 for share in shares)
