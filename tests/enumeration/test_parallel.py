"""Threads: the same regions, points and order for every number of workers."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.random_cases import case

import plregions as plr
from plregions.enumeration import parallel
from plregions.enumeration.parallel import ParallelWalk
from plregions.enumeration.tree import TreeWalk

GAP = Fraction(1, 10**40)
BIASES = [Fraction(-1, q) - i * GAP for q in (3, 7) for i in range(6)]
THIN = plr.Network([([[1, 0]] * 6 + [[0, 1]] * 6, BIASES), ([list(range(1, 13))], [0])])
# Lines through one point, copies, opposites and a neuron that is always 0.
STAR = plr.Network([
    ([[1, 0], [0, 1], [1, 1], [1, -1], [1, 0], [-2, 0], [0, 0]], [0] * 7),
    ([[1, 2, 3, 4, 5, 6, 7], [1, -1, 1, -1, 1, -1, 1]], [-1, 0]),
    ([[1, 1]], [0]),
])  # fmt: skip
CASES = [
    (plr.mlp([4, 12, 12, 1]), plr.hypercube(4, -1, 1)),
    (plr.mlp([2, 16, 16, 1]), plr.Polytope([[1, 1], [-1, 0], [0, -1]], [1, 1, 1])),
    (STAR, plr.hypercube(2, -1, 1)),
    (THIN, plr.hypercube(2)),
    (plr.Network([([[1]], [0])]), plr.Box([-1], [1])),
]


def assert_same(one: plr.RegionComplex, two: plr.RegionComplex) -> None:
    assert one == two
    assert np.array_equal(one.packed_rows, two.packed_rows)
    assert np.array_equal(one.local_points, two.local_points)
    assert one.exact_points == two.exact_points


@pytest.mark.parametrize("which", range(len(CASES)))
@pytest.mark.parametrize("workers", [2, 3, 8])
def test_the_same_for_every_number_of_workers(which: int, workers: int) -> None:
    net, domain = CASES[which]
    alone = plr.enumerate_regions(net, domain, strategy="tree")
    assert_same(plr.enumerate_regions(net, domain, workers=workers, strategy="tree"), alone)
    count = plr.count_regions(net, domain, workers=workers, strategy="tree")
    assert (int(count), count.is_complete) == (len(alone), True)
    stream = [r.pattern for r in plr.iter_regions(net, domain, workers=workers, strategy="tree")]
    assert stream == [r.pattern for r in alone]


@pytest.mark.parametrize("start", [0, 20])
def test_random_networks(start: int) -> None:
    for seed in range(start, start + 20):
        one = case(seed)
        net, domain = one.net, one.domain
        assert_same(
            plr.enumerate_regions(net, domain, workers=2, strategy="tree"),
            plr.enumerate_regions(net, domain, strategy="tree"),
        )


@pytest.mark.parametrize("depth", [0, 1, 2, 5])
def test_the_same_wherever_the_tree_is_cut(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Cut(TreeWalk):
        def __init__(self, prepared: Any, deepest: int, recording: bool) -> None:
            super().__init__(prepared, chunk_size=3, deepest=depth, recording=recording)

    monkeypatch.setattr(parallel, "TreeWalk", Cut)
    for net, domain in CASES:
        alone = plr.enumerate_regions(net, domain, strategy="tree")
        assert_same(plr.enumerate_regions(net, domain, workers=2, strategy="tree"), alone)


def test_a_swapped_order_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # Planted fault: parts are given out from the wrong end.
    net, domain = CASES[0]
    alone = plr.enumerate_regions(net, domain, strategy="tree")
    inner = ParallelWalk.advance

    def advance(self: ParallelWalk, seconds: float = 0.05) -> None:
        inner(self, seconds)
        if self._top.done:
            self._parts.reverse()

    monkeypatch.setattr(ParallelWalk, "advance", advance)
    found = plr.enumerate_regions(net, domain, workers=2)
    assert len(found) == len(alone)
    with pytest.raises(AssertionError):
        assert_same(found, alone)


def test_budgets_and_interrupts_stop_the_threads() -> None:
    net, domain = plr.mlp([6, 16, 16, 16, 1]), plr.hypercube(6, -1, 1)
    part = plr.enumerate_regions(net, domain, workers=2, max_regions=5000)
    assert (len(part), part.outcome.which) == (5000, "max_regions")
    order = [pattern.tobytes() for pattern in part.packed_patterns]
    assert order == sorted(order)
    count = plr.count_regions(net, domain, workers=2, time_limit=0.3)
    assert (count.is_complete, count.outcome.which) == (False, "time_limit")

    def stop(_: plr.Progress) -> None:
        raise KeyboardInterrupt

    found = plr.enumerate_regions(net, domain, workers=2, progress=stop)
    assert found.outcome.name == "INTERRUPTED"
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("plregions")]


def test_errors_in_a_thread_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: TreeWalk, seconds: float = 0.05) -> None:
        raise plr.PLRegionsError("planted")

    net, domain = CASES[0]
    inner = TreeWalk.split_off

    def split_off(self: TreeWalk) -> TreeWalk:
        twin = inner(self)
        monkeypatch.setattr(twin, "advance", fail.__get__(twin))
        return twin

    monkeypatch.setattr(TreeWalk, "split_off", split_off)
    with pytest.raises(plr.PLRegionsError, match="planted"):
        plr.enumerate_regions(net, domain, workers=2)


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2", None])
def test_wrong_numbers_of_workers(workers: Any) -> None:
    with pytest.raises(plr.InvalidInputError, match="workers needs a whole number"):
        plr.count_regions(plr.mlp([2, 4, 1]), plr.hypercube(2), workers=workers)
    with pytest.raises(plr.InvalidInputError, match="workers=1"):
        plr.count_regions(plr.mlp([2, 4, 1]), plr.hypercube(2), strategy="brute_force", workers=2)
