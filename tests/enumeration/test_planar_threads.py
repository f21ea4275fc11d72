"""The planar walk on threads: the same regions, points and order for every number of workers."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from enumeration.test_parallel import assert_same
from enumeration.test_planar import case
from oracles.small_networks import without_bias

import plregions as plr
from plregions.enumeration import flat_walk, parallel
from plregions.enumeration.planar import PlanarWalk
from plregions.enumeration.tree import Leaves
from plregions.enumeration.tree_after import TreeAfter
from plregions.feasibility.prepare import prepare
from plregions.kernels import planar_layout

SQUARE = plr.hypercube(2, -1, 1)


@pytest.fixture(params=[1, 2, 5])
def small_subtrees(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small networks be divided too."""
    monkeypatch.setattr(flat_walk, "LEAST_UNITS", 1)
    monkeypatch.setattr(flat_walk, "SUBTREE_DEPTH", request.param)


def check(net: plr.Network, domain: Any, workers: int = 2) -> None:
    alone = plr.enumerate_regions(net, domain, strategy="planar")
    found = plr.enumerate_regions(net, domain, strategy="planar", workers=workers)
    assert_same(found, alone)
    assert found.rows_are_facets == alone.rows_are_facets
    assert found.statistics["exact"] == alone.statistics["exact"]
    count = plr.count_regions(net, domain, strategy="planar", workers=workers)
    assert (int(count), count.is_complete) == (len(alone), True)


@pytest.mark.usefixtures("small_subtrees")
@pytest.mark.parametrize("start", [0, 15])
def test_random_networks(start: int) -> None:
    for seed in range(start, start + 15):
        _, net, domain = case(seed)
        check(net, domain)


@pytest.mark.usefixtures("small_subtrees")
@pytest.mark.parametrize("workers", [2, 3, 8])
def test_larger_networks(workers: int) -> None:
    check(plr.mlp("2-16-16-16-1"), SQUARE, workers)
    check(plr.mlp("1-30-30-1"), plr.hypercube(1, -1, 1), workers)
    check(without_bias(plr.mlp("2-16-16-16-1")), SQUARE, workers)


def test_a_wide_network() -> None:
    net = plr.mlp("2-128-128-1")
    check(net, SQUARE)
    tree = plr.enumerate_regions(net, SQUARE, strategy="tree")
    assert plr.enumerate_regions(net, SQUARE, workers=2) == tree


@pytest.mark.usefixtures("small_subtrees")
def test_cells_of_more_corners_than_a_mask_holds() -> None:
    """The tree takes over in one subtree: its regions are those of the cell, and each once."""
    angles = 2 * np.pi * np.arange(80) / 80
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lines = [[1.0, 0.01], [0.013, 1.0], [1.0, 1.1]]
    net = plr.Network(
        [(np.concatenate([rows, lines]), [0.5] * 80 + [0.01, 0.02, 0.7]), ([[1] * 83], [0])]
    )
    alone = plr.enumerate_regions(net, SQUARE, strategy="tree")
    assert plr.enumerate_regions(net, SQUARE, workers=2) == alone
    domain = plr.Polytope(rows, [0.75] * 80)
    other = plr.mlp("2-6-6-1")
    alone = plr.enumerate_regions(other, domain, strategy="tree")
    assert plr.enumerate_regions(other, domain, workers=2, strategy="planar") == alone


def corners_cut_off() -> tuple[plr.Network, plr.Domain]:
    """Lines that cut off four corners of a domain with 60 sides, and the first of them again.

    A walk that hands out subtrees comes to a cell of 62 corners when that first part is with
    others, for some depths.
    """
    angles = 2 * np.pi * np.arange(60) / 60
    domain = plr.Polytope(np.stack([np.cos(angles), np.sin(angles)], axis=1), [0.75] * 60)
    across = 2 * np.pi * (np.array([5, 20, 40, 50]) + 0.5) / 60
    rows = [[-float(np.cos(a)), -float(np.sin(a))] for a in across]
    along = [[-rows[0][1], rows[0][0]]] * 6
    radius = 0.75 / np.cos(np.pi / 60) - 0.0003
    bias = [radius] * 4 + np.linspace(-0.0004, 0.0004, 6).tolist()
    return plr.Network([(rows + along, bias), ([[1] * 10], [0])]), domain


@pytest.mark.usefixtures("small_subtrees")
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_too_many_corners_after_subtrees_were_split_off(workers: int) -> None:
    net, domain = corners_cut_off()
    tree = plr.enumerate_regions(net, domain, strategy="tree")
    found = plr.enumerate_regions(net, domain, strategy="planar", workers=workers)
    assert found == tree
    assert found.statistics["tests"] > 0


def test_regions_of_others_that_come_again_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the tree that takes over leaves out what this walk found, by its number."""
    monkeypatch.setattr(flat_walk, "LEAST_UNITS", 1)
    monkeypatch.setattr(flat_walk, "SUBTREE_DEPTH", 2)

    def careless(self: TreeAfter, leaves: Leaves) -> Leaves:
        own = np.arange(int(self._cells._t.ctl[planar_layout.N_LEAVES]), len(leaves))
        return Leaves(leaves.packed[own], leaves.kept[own], leaves.points[own], {})

    monkeypatch.setattr(TreeAfter, "_new_ones", careless)
    net, domain = corners_cut_off()
    tree = plr.enumerate_regions(net, domain, strategy="tree")
    assert plr.enumerate_regions(net, domain, strategy="planar") == tree
    assert plr.enumerate_regions(net, domain, strategy="planar", workers=2) != tree


def test_rows_of_other_cells_that_stay_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the walk of one thread goes on with the rows made for the cells before.

    Points then depend on where the walk was divided, in their last digits.
    """
    monkeypatch.setattr(flat_walk, "LEAST_UNITS", 1)
    net = plr.mlp("2-16-16-16-1")
    check(net, SQUARE)
    real = PlanarWalk.__init__

    def careless(self: PlanarWalk, *arguments: Any, divided: bool = False, **options: Any) -> None:
        real(self, *arguments, divided=divided, **options)
        self._anew = -1

    monkeypatch.setattr(PlanarWalk, "__init__", careless)
    with pytest.raises(AssertionError):
        check(net, SQUARE)


def test_small_networks_start_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(parallel, "ThreadPoolExecutor", never)
    assert int(plr.count_regions(plr.mlp("2-32-32-1"), SQUARE, workers=2)) == 1229


def test_few_subtrees_where_there_are_few_regions() -> None:
    """Without biases all lines of layer 0 meet in 0; each subtree has its rows made anew."""
    net = plr.mlp("2-96-96-96-1")
    for other, most in ((net, 2**7), (without_bias(net), 2**4)):
        walk = PlanarWalk(prepare(other, SQUARE), divided=True)
        subtrees = 0
        while not walk.done:
            walk.advance(1.0)
            walk.take()
            if walk.at_subtree:
                walk.split_off()
                subtrees += 1
        assert most // 4 < subtrees <= most
    check(without_bias(net), SQUARE)


def test_budgets_stop_the_threads() -> None:
    net = plr.mlp("2-128-128-128-1")
    part = plr.enumerate_regions(net, SQUARE, workers=2, max_regions=5000)
    assert (len(part), part.outcome.which) == (5000, "max_regions")
    order = [pattern.tobytes() for pattern in part.packed_patterns]
    assert order == sorted(order)
    count = plr.count_regions(net, SQUARE, workers=2, time_limit=0.01)
    assert count.is_complete or count.outcome.which == "time_limit"
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("plregions")]
