"""Regions over whole spaces, unbounded polytopes and slices: every one, and no radius."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.arrangements import (
    boolean,
    braid,
    deformed_braid,
    moment,
    n_regions,
    n_relatively_bounded,
    resonance,
    threshold,
    type_b,
    type_d,
    zaslavsky,
)
from oracles.plain_regions import plain_regions
from oracles.unbounded_cases import in_a_large_box, unbounded_case

import plregions as plr
import plregions.feasibility.prepare as preparing
from plregions.feasibility.homogenise import scale_for
from plregions.regions import boundedness

MOST_REGIONS = 50_000
SEEDS = [s for s in range(90) if unbounded_case(s)[1].dim <= 3][:60]


def net_of(rows: Sequence[Sequence[int]]) -> plr.Network:
    """One neuron for each hyperplane."""
    table = np.array(rows, dtype=float)
    return plr.Network([(table[:, :-1], table[:, -1]), (np.ones((1, len(rows))), [0.0])])


def everywhere(rows: Sequence[Sequence[int]]) -> plr.RegionComplex:
    net = net_of(rows)
    found = plr.enumerate_regions(net, plr.WholeSpace(net.input_dim))
    assert found.is_complete
    return found


def test_counts_csv(shared: Path) -> None:
    """Every row over R^d, in one test."""
    with (shared / "cases" / "counts.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["domain"] == "R^d"]
    wanted = {r["net"]: int(r["activation_regions"]) for r in rows}
    wanted = {name: count for name, count in wanted.items() if count <= MOST_REGIONS}
    assert len(wanted) >= 50 and max(wanted.values()) == 46823
    wrong = {}
    for name, expected in wanted.items():
        net = plr.load(shared / "cases" / f"{name}.npz")
        found = plr.count_regions(net, plr.WholeSpace(net.input_dim))
        if int(found) != expected or not found.is_complete:
            wrong[name] = (int(found), expected)
    assert not wrong


# Regions and relatively bounded regions by the closed forms of the literature.
ARRANGEMENTS: dict[str, tuple[list[tuple[int, ...]], int, int]] = {
    **{f"braid {n}": (braid(n), factorial(n), 0) for n in (3, 4, 5)},
    **{f"type B {n}": (type_b(n), 2**n * factorial(n), 0) for n in (2, 3, 4)},
    **{f"type D {n}": (type_d(n), 2 ** (n - 1) * factorial(n), 0) for n in (3, 4)},
    **{f"Shi {n}": (deformed_braid(n, (0, 1)), (n + 1) ** (n - 1), (n - 1) ** (n - 1))
       for n in (2, 3, 4)},
    **{f"Catalan {n}": (deformed_braid(n, (-1, 0, 1)), factorial(n) * comb(2 * n, n) // (n + 1),
       factorial(n) * comb(2 * n - 2, n - 1) // n) for n in (2, 3, 4)},
    **{f"semiorder {n}": (deformed_braid(n, (-1, 1)), r, b)
       for n, r, b in ((2, 3, 1), (3, 19, 7), (4, 183, 61))},
    **{f"Linial {n}": (deformed_braid(n, (1,)), r, b)
       for n, r, b in ((2, 2, 0), (3, 7, 1), (4, 36, 4), (5, 246, 26))},
    "resonance 4": (resonance(4), 370, 0),
    "threshold 3": (threshold(3), 104, 0),
    "boolean 4": (boolean(4), 16, 0),
    "cube facets 3": ([*boolean(3), (1, 0, 0, -1), (0, 1, 0, -1), (0, 0, 1, -1)], 27, 1),
    **{f"general position {n} {d}": (moment(n, d), zaslavsky(n, d), comb(n - 1, d))
       for n, d in ((3, 2), (4, 2), (5, 3), (6, 3), (7, 4))},
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "expected", "bounded"), ARRANGEMENTS.values(), ids=ARRANGEMENTS.keys()
)
def test_arrangements(rows: list[tuple[int, ...]], expected: int, bounded: int) -> None:
    assert (n_regions(rows), n_relatively_bounded(rows)) == (expected, bounded)
    found = everywhere(rows)
    assert (len(found), found.n_relatively_bounded) == (expected, bounded)
    has_lines = np.linalg.matrix_rank(np.array(rows)[:, :-1]) < len(rows[0]) - 1
    assert found.n_bounded == (0 if has_lines else bounded)


def test_a_neglected_line_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: a cone that is a space is taken for {0}."""
    monkeypatch.setattr(boundedness, "rank", lambda normals: len(normals[0]))
    with pytest.raises(AssertionError):
        test_arrangements(*ARRANGEMENTS["Shi 3"])


def test_four_lines_in_general_position() -> None:
    """11 cells, 8 of them unbounded; each line is cut into 4 parts, so 16 edges."""
    found = everywhere(moment(4, 2))
    assert (len(found), found.n_bounded, found.n_edges) == (11, 3, 16)
    assert sum(not region.is_bounded for region in found) == 8
    assert int(found.graph.n_facets.sum()) == 32
    net = found.network
    for reach in (10**3, 10**6):
        assert int(plr.count_regions(net, plr.hypercube(2, -reach, reach))) == 11


def test_tents_on_the_line() -> None:
    """T(x) = 2 relu(x) - 4 relu(x - 1/2), composed m times, on R."""
    found = {}
    for m in range(1, 6):
        first: Any = ([[1], [1]], [0, Fraction(-1, 2)])
        net = plr.Network([first, *[([[2, -4], [2, -4]], first[1])] * (m - 1), ([[2, -4]], [0])])
        regions = plr.enumerate_regions(net, plr.WholeSpace(1))
        found[m] = (regions.linear.n_regions, regions.n_maps)
        assert regions.n_bounded == len(regions) - 2
    assert found == {1: (3, 3), **{m: (2**m + 2, 2**m + 1) for m in range(2, 6)}}


@pytest.mark.parametrize("seed", SEEDS)
def test_against_the_oracle_in_a_box_that_holds_all(seed: int) -> None:
    net, domain = unbounded_case(seed)
    regions = plr.enumerate_regions(net, domain)
    assert regions.pattern_strings() == sorted(plain_regions(*in_a_large_box(net, domain)))
    twice = plr.count_regions(*in_a_large_box(net, domain, 2 * 10**15))
    assert len(regions) == int(twice)
    assert plr.enumerate_regions(net, domain, strategy="brute_force") == regions
    for region in regions:
        assert regions.region_at(region.exact_point) == region


def test_corners_far_away() -> None:
    """Lines that cross at a distance of a million million: every angle there is a region."""
    far = 10**12
    rows = [(1, 0, 0), (far, 1, -far), (0, 1, 1), (far, -1, -3 * far)]
    assert len(everywhere(rows)) == n_regions(rows) == 11
    assert everywhere(rows).n_bounded == 3


@pytest.mark.parametrize("exponent", [6, 20, 36])
def test_a_radius_in_disguise_is_caught(monkeypatch: pytest.MonkeyPatch, exponent: int) -> None:
    """Planted fault: the cut stands before infinity, at a radius of about 2**exponent."""

    def nearer(d: int) -> list[Fraction]:
        return [Fraction(0)] * d + [Fraction(1), Fraction(-1, 2**exponent)]

    monkeypatch.setattr(preparing, "horizon", nearer)
    with pytest.raises(AssertionError):
        test_corners_far_away()
    if exponent == 6:
        with pytest.raises(AssertionError):
            for seed in SEEDS:
                test_against_the_oracle_in_a_box_that_holds_all(seed)


def test_first_layers_of_low_rank() -> None:
    """Cells without vertices: the regions are those in the plane of the first layer."""
    plane = plr.mlp([2, 6, 5, 1], seed=3)
    expected = plr.enumerate_regions(plane, plr.WholeSpace(2))
    layers = [(layer.weight, layer.bias, layer.slopes) for layer in plane.layers]
    to_plane = np.random.default_rng(7).integers(-3, 4, (2, 5)).astype(object)
    exact = np.vectorize(Fraction, otypes=[object])(layers[0][0])
    composed = (exact @ to_plane, *layers[0][1:])  # rounded weights would have full rank
    for first in ([(to_plane, None, "identity"), *layers], [composed, *layers[1:]]):
        found = plr.enumerate_regions(plr.Network(first), plr.WholeSpace(5))
        assert found.pattern_strings() == expected.pattern_strings()
        assert (found.n_bounded, found.is_complete) == (0, True)
        assert found.n_edges == expected.n_edges
        assert found.n_relatively_bounded == expected.n_bounded
        assert all(region.vertices() == [] for region in found[:5])
    assert expected.n_bounded == expected.n_relatively_bounded > 0


def test_dead_and_constant_neurons_have_no_facet_at_infinity() -> None:
    """Rows 0.x + c become multiples of the horizon: neither cuts nor facets."""
    net = plr.Network([([[0, 0], [0, 0], [0, 0], [1, 0]], [-1, 0, 1, 0]), ([[1, 1, 1, 1]], [0])])
    for strategy in ("tree", "brute_force"):
        regions = plr.enumerate_regions(net, plr.WholeSpace(2), strategy=strategy)
        assert regions.pattern_strings() == ["0010", "0011"]
        assert regions.graph.n_facets.tolist() == [1, 1]
        assert [r.labels for r in regions] == [("neuron 3",)] * 2
    whole = plr.enumerate_regions(plr.Network([([[0, 0]], [1])]), plr.WholeSpace(2))
    assert (len(whole), whole.n_bounded, whole.n_relatively_bounded) == (1, 0, 1)
    assert whole[0].rays() == [(1, 0), (-1, 0), (0, 1), (0, -1)]


@pytest.mark.parametrize("exponent", [-800, -30, 0, 30, 800])
def test_no_scale_changes_a_count(exponent: int) -> None:
    """Breakpoints that are tiny, huge, or both at once."""
    net = plr.mlp([2, 8, 6, 1], seed=5)
    expected = plr.enumerate_regions(net, plr.WholeSpace(2))
    (weight, bias), *rest = [(layer.weight, layer.bias) for layer in net.layers]
    moved = plr.Network([(np.ldexp(weight, -exponent), bias), *rest])
    found = plr.enumerate_regions(moved, plr.WholeSpace(2))
    assert found.pattern_strings() == expected.pattern_strings()
    assert found.n_edges == expected.n_edges
    assert scale_for_is_near(moved, exponent)
    mixed = net_of([(1, 0, -1), (1, 0, -(2**40)), (0, 1, 1), (2**40, 1, 1), (1, 1, 0)])
    assert int(plr.count_regions(mixed, plr.WholeSpace(2))) == n_regions(
        [(1, 0, -1), (1, 0, -(2**40)), (0, 1, 1), (2**40, 1, 1), (1, 1, 0)]
    )


def scale_for_is_near(net: plr.Network, exponent: int) -> bool:
    return abs(scale_for(net, plr.WholeSpace(2)) - exponent) <= 4


def test_budgets_and_streams() -> None:
    net = plr.mlp([3, 8, 8, 1])
    all_ = plr.enumerate_regions(net, plr.WholeSpace(3))
    part = plr.enumerate_regions(net, plr.WholeSpace(3), max_regions=10)
    assert part.pattern_strings() == all_.pattern_strings()[:10] and not part.is_complete
    stream = [str(r.pattern) for r in plr.iter_regions(net, plr.WholeSpace(3))]
    assert stream == all_.pattern_strings()
