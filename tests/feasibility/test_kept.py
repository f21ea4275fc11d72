"""What is kept with networks and domains for speed changes no answer and stays behind in copies."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.domain.base import KEPT
from plregions.feasibility import network_columns, prepare

DOMAINS: list[Any] = [
    plr.hypercube(2, -1, 1),
    plr.Box([-3, -0.25], [2, 5]),
    plr.Box([0.3, -0.7], [0.4, -0.6]),
    plr.Box([Fraction(1, 3), -1], [1, Fraction(1, 7)]),
    plr.Polytope([[1, 1], [-1, 0], [0, -1]], [1, 1, 1]),
    plr.Polytope([[-1, 0]], [0.5]),
    plr.WholeSpace(2),
]


def network(seed: int) -> plr.Network:
    rng = np.random.default_rng(seed)
    layers: list[Any] = [(rng.normal(size=(6, 2)), rng.normal(size=6))]
    if seed % 2:
        layers[0] = (rng.integers(-2, 3, (6, 2)), rng.integers(-1, 2, 6))
    return plr.Network([*layers, (rng.normal(size=(4, 6)), rng.normal(size=4), "relu")])


def names_kept(owner: Any) -> set[str]:
    return {name for name in vars(owner) if name.startswith(KEPT)}


def answers(net: plr.Network, domain: Any, strategy: str) -> list[str]:
    regions = plr.enumerate_regions(net, domain, strategy=strategy, max_regions=500)
    return regions.pattern_strings()


def of_fresh_copies(seeds: range, domains: list[Any]) -> list[list[str]]:
    """The patterns of networks and domains that have met no others."""
    return [
        answers(network(seed), copy.deepcopy(domain), strategy)
        for seed in seeds
        for domain in domains
        for strategy in ("auto", "tree")
    ]


def in_turn(seeds: range, domains: list[Any]) -> list[list[str]]:
    """The same, where each network meets each domain."""
    nets, domains = [network(seed) for seed in seeds], copy.deepcopy(domains)
    return [
        answers(net, domain, strategy)
        for net in nets
        for domain in domains
        for strategy in ("auto", "tree")
    ]


def test_answers_are_those_of_fresh_copies() -> None:
    assert in_turn(range(6), DOMAINS) == of_fresh_copies(range(6), DOMAINS)


def test_what_is_kept_for_another_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # In general position, where nothing is asked that the true network would answer otherwise.
    cases = range(0, 6, 2), DOMAINS[:3]
    right, store = of_fresh_copies(*cases), {}

    def kept_for_all(owner: Any, _: str, make: Any) -> Any:
        return store.setdefault(repr(owner), make())  # the widths, not the numbers

    monkeypatch.setattr(network_columns, "kept", kept_for_all)
    assert in_turn(*cases) != right


def test_copies_and_pickles_are_made_without_it() -> None:
    net = network(0)
    for domain in copy.deepcopy(DOMAINS):
        before = len(pickle.dumps((net, domain)))
        count = int(plr.count_regions(net, domain))
        assert names_kept(net)
        assert domain.is_bounded == bool(names_kept(domain))
        assert len(pickle.dumps((net, domain))) < before + 1000  # rows that were asked for
        for twin in (copy.deepcopy(domain), copy.copy(domain), pickle.loads(pickle.dumps(domain))):
            assert twin == domain and not names_kept(twin)
            assert int(plr.count_regions(copy.deepcopy(net), twin)) == count
    assert not names_kept(copy.deepcopy(net)) and not names_kept(pickle.loads(pickle.dumps(net)))


def test_it_is_made_once() -> None:
    net, domain = network(0), plr.WholeSpace(2)
    first, second = prepare.prepare(net, domain), prepare.prepare(net, domain)
    assert first.engine is second.engine and first.columns is second.columns
    box = plr.hypercube(2, -1, 1)
    assert prepare.prepare(net, box).walls is prepare.prepare(network(1), box).walls


def test_networks_are_freed_as_soon_as_nobody_has_them() -> None:
    net, gone = network(0), []
    weakref.finalize(net, gone.append, True)
    for domain in copy.deepcopy(DOMAINS):
        plr.count_regions(net, domain)
    gc.disable()
    try:
        del net
        assert gone
    finally:
        gc.enable()
