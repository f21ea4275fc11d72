"""The walk over intervals: the same regions and order as the tree, on the line and around 0."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from enumeration.cell_walks import walked
from oracles.kernel_entries import entry
from oracles.plain_kernels import plain_kernel
from oracles.small_networks import without_bias

import plregions as plr
from plregions.enumeration import flat_walk, intervals, planar, planar_state
from plregions.enumeration.intervals import IntervalWalk, has_intervals
from plregions.errors import PLRegionsError
from plregions.feasibility.network_columns import NetworkColumns
from plregions.feasibility.prepare import prepare
from plregions.kernels import planar_layout
from plregions.kernels.intervals import zero_of

SQUARE = plr.hypercube(2, -1, 1)
AROUND_ZERO: list[Any] = [
    SQUARE,
    plr.Box([Fraction(-1, 3), -5], [4, Fraction(1, 7)]),
    plr.Polytope([[1, 1], [-1, 0], [0, -1]], [1, 1, Fraction(1, 3)]),
    plr.WholeSpace(2),
]
WIDTHS = [[6], [9], [4, 4], [3, 3, 3], [2, 1, 4], [5, 4], [2, 2, 2, 2]]


def cones(seed: int) -> tuple[plr.Network, Any]:
    """A network without biases, of floats, small integers or thirds, and a domain around 0."""
    rng = np.random.default_rng([seed, 5])
    sizes = [2, *WIDTHS[seed % len(WIDTHS)], 1]
    layers: list[Any] = []
    for n_in, n_out in zip(sizes, sizes[1:], strict=False):
        weight: Any = rng.normal(size=(n_out, n_in))
        if seed % 3:
            weight = rng.integers(-2, 3, (n_out, n_in))
        if seed % 3 == 2:
            weight = [[Fraction(int(v), 3) for v in row] for row in weight]
        layers.append((weight, [0] * n_out))
    layers[0][0][0], layers[0][0][1] = [1, 2], [2, -1]  # these cross
    return plr.Network(layers), AROUND_ZERO[seed % len(AROUND_ZERO)]


def wrong_cones(seeds: range) -> list[int]:
    """The cases in which patterns or count are not the tree's; errors count as noticed."""
    wrong = []
    for seed in seeds:
        net, domain = cones(seed)
        prepared = prepare(net, domain)
        assert has_intervals(prepared, keep=False) and not has_intervals(prepared, keep=True)
        tree = plr.enumerate_regions(net, domain, strategy="tree")
        try:
            found = np.concatenate([c.packed for c in walked(IntervalWalk(prepared, 3))])
            n = int(plr.count_regions(net, domain))
        except PLRegionsError:
            wrong.append(seed)
            continue
        if n != len(tree) or not np.array_equal(found, tree.packed_patterns):
            wrong.append(seed)
    return wrong


def test_the_patterns_of_the_tree_in_their_order() -> None:
    assert wrong_cones(range(120)) == []


def cancelling(seed: int) -> plr.Network:
    """Combinations of two rows, and a second layer that subtracts them: 0 where all are on.

    In floats rounding errors are left instead, and they have signs.
    """
    rng = np.random.default_rng([seed, 9])
    one, other = ([Fraction(int(v), 21) for v in rng.integers(1, 40, 2)] for _ in range(2))
    mixes = [(Fraction(1, k), Fraction(1, 12 - k)) for k in range(1, 9)]
    rows = [one, other, *([a * u + b * v for u, v in zip(one, other, strict=True)]
                          for a, b in mixes)]  # fmt: skip
    back = [[a, b] + [-int(i == k) for i in range(8)] for k, (a, b) in enumerate(mixes)]
    return plr.Network([(rows, [0] * 10), (back, [0] * 8, "relu")])


def test_rows_that_cancel() -> None:
    for seed in range(30):
        net = cancelling(seed)
        prepared = prepare(net, SQUARE)
        if has_intervals(prepared, keep=False):
            right = plr.enumerate_regions(net, SQUARE, strategy="tree")
            found = np.concatenate([c.packed for c in walked(IntervalWalk(prepared, 3))])
            assert np.array_equal(found, right.packed_patterns)


@pytest.mark.parametrize("side", [1, -1])
def test_a_zero_taken_for_a_side_is_caught(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = intervals._sign_at
    monkeypatch.setattr(intervals, "_sign_at", lambda row, end: real(row, end) or side)
    assert wrong_cones(range(120))


def test_parallel_lines_that_are_not_known_as_multiples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The circle is cut along one line; parallel ones get their sign on both sides of it."""
    third = Fraction(1, 3)
    rows = [[third, 2 * third], [1, 2], [-3, -6], [2, 4], [1, -1]]
    net = plr.Network([(rows, [0] * 5), ([[1, 1, 1, 1, 1], [1, -1, 2, -3, 1]], [0, 0], "relu")])
    right = plr.enumerate_regions(net, SQUARE, strategy="tree")
    known = prepare(net, SQUARE).multiples
    unknown = known._replace(
        first=np.full_like(known.first, -1), later=np.full_like(known.later, -1)
    )
    monkeypatch.setattr(NetworkColumns, "multiples", property(lambda _: unknown))
    found = walked(IntervalWalk(prepare(plr.Network(net.layers), SQUARE), 3))
    assert np.array_equal(np.concatenate([c.packed for c in found]), right.packed_patterns)


@pytest.mark.parametrize(
    ("net", "domain"),
    [
        (plr.mlp("2-8-8-1"), SQUARE),  # biases
        (without_bias(plr.mlp("2-8-8-1")), plr.Box([0, -1], [1, 1])),  # 0 on a wall
        (without_bias(plr.mlp("2-8-8-1")), plr.Box([1, -1], [2, 1])),  # 0 outside
        (plr.Network([([[1, 2], [2, 4]], [0, 0]), ([[1, 1]], [0])]), SQUARE),  # lines do not cross
        (plr.Network([([[1, 2], [2, -1]], [0, 0]), ([[1, 1]], [-1], "relu")]), SQUARE),
        (plr.Network([([[1, 2], [2, -1]], [0, 0], (1, 1)), ([[1, 1]], [0], "relu")]), SQUARE),
    ],
)
def test_other_networks_and_domains_go_to_polygons(net: plr.Network, domain: Any) -> None:
    assert not has_intervals(prepare(net, domain), keep=False)
    tree = plr.enumerate_regions(net, domain, strategy="tree")
    assert int(plr.count_regions(net, domain)) == len(tree)


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat_walk, "LEAST_UNITS", 1)
    for seed in range(0, 60, 3):
        net, domain = cones(seed)
        assert int(plr.count_regions(net, domain, workers=3)) == int(plr.count_regions(net, domain))


def test_zigzags() -> None:
    """The known numbers of a tent applied k times: 2**k pieces, all kinks at dyadic points."""
    tent: Any = ([[2, -4]], [0])
    layers: list[Any] = [([[1], [1]], [0, Fraction(-1, 2)])]
    for _ in range(6):
        layers.append(([[2, -4], [2, -4]], [0, Fraction(-1, 2)]))
    net = plr.Network([*layers, tent])
    assert int(plr.count_regions(net, plr.Box([0], [1]), kind="maps")) == 2**7
    assert int(plr.count_regions(net, plr.Box([0], [1]))) == 2**7


NETS: dict[str, plr.Network] = {
    "cones": without_bias(plr.mlp("2-16-16-1")),
    "polygons": plr.mlp("2-16-16-1"),
    "line": plr.mlp("1-16-16-1"),
}


@pytest.mark.parametrize("name", NETS)
def test_arrays_that_serve_again_change_nothing(name: str) -> None:
    net = NETS[name]
    d = net.input_dim
    many_sides = [[np.cos(a), np.sin(a)] for a in np.linspace(0, 6, 20)]
    domains: list[Any] = [plr.hypercube(d, -1, 1), plr.hypercube(d, -7, 5), plr.WholeSpace(d)]
    domains.append(plr.hypercube(d, -0.25, 1))  # the coordinates of the first one, other walls
    if d == 2:
        domains.append(plr.Polytope(many_sides, [1] * 20))

    def count(net: plr.Network, domain: Any) -> tuple[int, dict[str, int]]:
        found = plr.count_regions(net, domain)
        return int(found), found.statistics

    fresh = [count(plr.Network(net.layers), domain) for domain in domains]
    for i in np.random.default_rng(0).integers(0, len(domains), 30).tolist():
        assert count(net, domains[i]) == fresh[i]
        plr.count_regions(net, domains[i], max_regions=2)  # stopped: its arrays are not used again


@pytest.mark.parametrize("name", NETS)
def test_only_a_count_that_is_done_leaves_its_arrays(name: str) -> None:
    net = plr.Network(NETS[name].layers)
    prepared = prepare(net, plr.hypercube(net.input_dim, -1, 1))
    kind = planar.PlanarWalk if name == "polygons" else intervals.IntervalWalk

    def leaves(keep: bool, is_done: bool) -> bool:
        walk = kind(prepared, chunk_size=4, keep=keep)
        walk.advance()
        while is_done and not walk.done:
            walk.take()
            walk.advance()
        walk.close()
        return prepared.columns.spare.pop(planar_state.NAME, None) is not None

    assert not leaves(keep=False, is_done=True)  # the first count
    assert leaves(keep=False, is_done=True)
    assert not leaves(keep=False, is_done=False)
    if name != "cones":  # of these nothing is kept
        assert not leaves(keep=True, is_done=True)
    assert leaves(keep=False, is_done=True)


def test_two_counts_at_once_share_no_arrays() -> None:
    net = plr.Network(NETS["polygons"].layers)
    for _ in range(2):
        plr.count_regions(net, SQUARE)
    prepared = prepare(net, SQUARE)
    one, other = (planar.PlanarWalk(prepared, keep=False) for _ in range(2))
    assert not any(
        np.shares_memory(getattr(one._t, name), getattr(other._t, name))
        for name in ("ctl", "R", "bits", "cell", "V", "unit", "fixed", "slots", "leaf_point")
    )


def wrong_zeros(function: Callable[..., Any]) -> int:
    """How many zeros of random rows lie farther off than their bound says."""
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(400):
        R = np.zeros((planar_layout.R_LENGTH, 1))
        R[:2, 0] = rng.normal(size=2)
        error = R[planar_layout.ERROR, 0] = float(rng.choice([0.0, 1e-16, 1e-3]))
        push = [Fraction(float(v)) * Fraction(error) / 2 for v in rng.choice([-1, 1], 2)]
        p, q = (Fraction(float(v)) + e for v, e in zip(R[:2, 0], push, strict=True))
        norm = max(abs(p), abs(q))
        x, y, radius = function(R, planar_layout.B, 0, -1.0)
        off = max(abs(Fraction(float(x)) - q / norm), abs(Fraction(float(y)) + p / norm))
        wrong += off > Fraction(float(radius))
    return wrong


def test_zeros_lie_within_their_bounds() -> None:
    assert wrong_zeros(entry(zero_of)) == 0


def test_zeros_without_rounding_or_the_rows_errors_are_caught() -> None:
    assert wrong_zeros(plain_kernel(zero_of, EPS=0.0)) > 10
    right = entry(zero_of)

    def careless(R: Any, second: int, u: int, sign: float) -> Any:
        return right(
            np.where(np.arange(len(R))[:, None] == planar_layout.ERROR, 0.0, R), second, u, sign
        )

    assert wrong_zeros(careless) > 10
