"""First-layer widths: closed forms, random networks of depth 3 and 2, and planted faults."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from plregions.analysis.common_hyperplanes import common_hyperplanes, holds_flat
from plregions.analysis.depth_two import is_depth_two
from plregions.analysis.first_layer_width import first_layer_width_bound, width_certificate_of
from plregions.analysis.kinks import Hyperplane, unit_row
from plregions.analysis.unbalanced_ridges import Flat, HardFlats, flat_through, hard_flats
from plregions.constructions import (
    bent,
    corner_hats,
    corner_hinge,
    corner_hinge_shallow,
    fold2d,
    hat2d,
    l1_trapezoid,
    layered_hinge,
    linf_norm,
    max_tree,
    median3,
    parity_xor_tree,
    safran_g,
    sum_tent,
    vertex_dist_linf,
    zonotope_norm,
)
from plregions.domain import Box, Slice, WholeSpace, hypercube
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.exact.integers import primitive_row
from plregions.exact.linear import nullspace, rank
from plregions.network import Network

MODULE = "plregions.analysis.first_layer_width"


def ball(d: int) -> Network:
    """relu(1 - ||x||_1)."""
    signs = [[s * (i == k) for k in range(d)] for i in range(d) for s in (1, -1)]
    return Network([(signs, None), ([[-1] * (2 * d)], [1]), ([[1]], [0])])


# Name: network, box, number of hard flats, most in one hyperplane, tau, kind of proof.
TABLE: dict[str, tuple[Callable[[], Network], Box, int, int, int, str]] = {
    "bent": (bent, hypercube(2, -1, 1), 1, 1, 1, "dual"),
    "ball 2": (lambda: ball(2), hypercube(2, -2, 2), 4, 2, 2, "dual"),
    "ball 3": (lambda: ball(3), hypercube(3, -2, 2), 12, 4, 3, "dual"),
    "g 3": (lambda: safran_g(3), hypercube(3, -1, 1), 62, 12, 9, "dual"),
    "hat": (hat2d, hypercube(2, -3, 3), 6, 2, 3, "dual"),
    "linf": (lambda: linf_norm(3), hypercube(3, -1, 1), 4, 2, 2, "dual"),
    "trapezoid": (lambda: l1_trapezoid(3), hypercube(3, -4, 4), 24, 8, 3, "dual"),
    "vertex distance": (lambda: vertex_dist_linf(3), hypercube(3), 4, 2, 2, "dual"),
    "median": (median3, hypercube(3, -1, 1), 1, 1, 1, "dual"),
}
for n, tau in zip(range(3, 8), (1, 2, 4, 6, 9), strict=True):
    kind = "dual" if n < 6 else "branch"
    TABLE[f"max {n}"] = lambda n=n: max_tree(n), hypercube(n, -1, 1), comb(n, 3), n - 2, tau, kind
for d in range(2, 6):
    size = 2 ** (d - 1)
    TABLE[f"C {d}"] = lambda d=d: corner_hinge(d), hypercube(d), 2 * size, 2, size, "dual"
for d, many, most, tau in [(2, 4, 2, 2), (3, 22, 10, 6), (4, 92, 20, 12), (5, 224, 40, 21)]:
    TABLE[f"F {d}"] = lambda d=d: layered_hinge(d), hypercube(d, -1, 1), many, most, tau, "dual"


@pytest.mark.parametrize("name", TABLE)
def test_closed_forms(name: str) -> None:
    make, box, n_flats, most, tau, kind = TABLE[name]
    net = make()
    found = hard_flats(net, box)
    certificate = width_certificate_of(found)
    assert len(found) == len(certificate.flats) == n_flats
    sizes = [len(h.members) for h in common_hyperplanes(found.flats)]
    assert max(sizes, default=1) == most
    assert (certificate.tau, certificate.kind) == (tau, kind)
    assert list(certificate.faults()) == []
    assert list(certificate.faults(net, box)) == []


@pytest.mark.slow
def test_maximum_of_eight() -> None:
    net, box = max_tree(8), hypercube(8, -1, 1)
    certificate = first_layer_width_bound(net, box)
    assert (len(certificate.flats), certificate.tau, certificate.kind) == (56, 12, "branch")
    assert certificate.verify(net, box)


@pytest.mark.slow
def test_safran_in_four_dimensions() -> None:
    net, box = safran_g(4), hypercube(4, -1, 1)
    found = hard_flats(net, box)
    assert len(found) == 2915
    certificate = width_certificate_of(found)
    assert certificate.tau == 29
    assert certificate.verify(net, box)


@pytest.mark.parametrize(
    ("make", "box"),
    [
        (lambda: corner_hats(2), hypercube(2)),
        (lambda: sum_tent(2, 2), hypercube(2)),
        (lambda: zonotope_norm(3, 4), hypercube(3, -1, 1)),
        (lambda: fold2d(1), hypercube(2, -1, 1)),
        (lambda: parity_xor_tree(2), hypercube(4)),
    ],
)
def test_nothing_is_needed_where_depth_two_suffices(make: Callable[[], Network], box: Box) -> None:
    certificate = first_layer_width_bound(make(), box)
    assert (certificate.tau, certificate.flats, certificate.verify()) == (0, (), True)


def test_larger_domains_need_no_less() -> None:
    for d, wide, flats, tau in [
        (2, Box([-3] * 2, [4] * 2), 10, 5),
        (3, Box([-5] * 3, [6] * 3), 76, 12),
    ]:
        inner = first_layer_width_bound(corner_hinge(d), hypercube(d))
        outer = first_layer_width_bound(corner_hinge(d), wide)
        assert set(inner.flats) < set(outer.flats)
        assert (len(outer.flats), outer.tau, outer.verify()) == (flats, tau, True)
        assert inner.tau is not None and inner.tau <= tau


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_shallow_hinge_attains_its_bound(d: int) -> None:
    shallow = corner_hinge_shallow(d)
    rows = hyperplanes_meeting(shallow, hypercube(d))
    certificate = first_layer_width_bound(corner_hinge(d), hypercube(d))
    assert certificate.tau == len(rows) == 2 ** (d - 1)
    assert all(any(holds_flat(row, flat) for row in rows) for flat in certificate.flats)


def hyperplanes_meeting(net: Network, box: Box) -> set[Hyperplane]:
    """The hyperplanes of the first layer that meet the open box."""
    found = set()
    first = net.layers[0]
    for normal, bias in zip(fractions_of(first.weight), fractions_of(first.bias), strict=True):
        ends = [
            (a * low, a * high) for a, low, high in zip(normal, *box.bounding_box(), strict=True)
        ]
        low, high = bias + sum(map(min, ends)), bias + sum(map(max, ends))
        if low < 0 < high:
            found.add(unit_row(primitive_row([*normal, bias])))
    return found


def random_net(rng: np.random.Generator, widths: list[int], is_integer: bool) -> Network:
    layers = []
    for n_in, n_out in zip(widths, widths[1:], strict=False):
        if is_integer:
            weight = rng.integers(-2, 3, (n_out, n_in)).astype(np.float64)
            layers.append((weight, rng.integers(-1, 2, n_out).astype(np.float64)))
        else:
            layers.append((rng.normal(size=(n_out, n_in)), rng.normal(size=n_out) / 2))
    return Network(layers)


DEEP = {2: [2, 3, 2, 1], 3: [3, 3, 2, 1]}


def unsound(net: Network, box: Box) -> tuple[list[Any], int, bool]:
    """What contradicts the theorem for a network of depth 3; its flats; whether tau is attained."""
    found = hard_flats(net, box)
    certificate = width_certificate_of(found)
    rows = hyperplanes_meeting(net, box)
    wrong: list[Any] = [
        flat for flat in found.flats if not any(holds_flat(row, flat) for row in rows)
    ]
    wrong += certificate.faults(net, box)
    if certificate.tau is None or certificate.tau > len(rows):
        wrong.append(certificate)
    return wrong, len(found), certificate.tau == len(rows)


@pytest.mark.parametrize("is_integer", [True, False])
@pytest.mark.parametrize("d", [2, 3])
def test_networks_of_depth_three_obey_the_theorem(d: int, is_integer: bool) -> None:
    with_flats = attained = 0
    for seed in range(75):
        net = random_net(np.random.default_rng(seed), DEEP[d], is_integer)
        wrong, n_flats, is_attained = unsound(net, hypercube(d, -2, 2))
        assert wrong == [], seed
        with_flats += n_flats > 0
        attained += is_attained and n_flats > 0
    assert with_flats > 20
    assert attained > 0


def test_deeper_networks_have_flats_elsewhere() -> None:
    elsewhere = 0
    for seed in range(20):
        net = random_net(np.random.default_rng(seed), [2, 3, 3, 2, 1], True)
        elsewhere += bool(unsound(net, hypercube(2, -2, 2))[0])
    assert elsewhere > 0


def some_flats(seed: int, dim: int, n: int) -> tuple[Flat, ...]:
    """Different flats through points of a small grid."""
    rng = np.random.default_rng(seed)
    found: set[Flat] = set()
    while len(found) < n:
        points = [
            (*row, 1) for row in rng.integers(0, 4 if dim == 2 else 2, (dim - 1, dim)).tolist()
        ]
        if rank(points) == dim - 1:
            found.add(flat_through(points))
    return tuple(sorted(found))


def tau_by_brute_force(flats: tuple[Flat, ...]) -> int:
    """Try all families of hyperplanes through pairs of flats, or through one."""
    sets = {frozenset([i]) for i in range(len(flats))}
    for i, j in combinations(range(len(flats)), 2):
        for row in _hyperplane_through(flats[i], flats[j]):
            sets.add(frozenset(k for k, f in enumerate(flats) if rank([*f, row]) == 2))
    largest = [part for part in sets if not any(part < other for other in sets)]
    for size in range(len(flats) + 1):
        for family in combinations(largest, size):
            if len(frozenset().union(*family)) == len(flats):
                return size
    raise AssertionError


def _hyperplane_through(first: Flat, second: Flat) -> list[list[Fraction]]:
    """One equation if both flats lie in a hyperplane: what vanishes on all points of both."""
    points = [vector for flat in (first, second) for vector in nullspace(flat)]
    return nullspace(points)


@pytest.mark.parametrize(("dim", "n"), [(2, 3), (2, 7), (2, 8), (3, 6), (3, 8), (4, 7)])
def test_tau_is_that_of_brute_force(dim: int, n: int) -> None:
    for seed in range(6):
        flats = some_flats(seed, dim, n)
        certificate = width_certificate_of(HardFlats(dim, flats, (), 0))
        assert certificate.tau == tau_by_brute_force(flats), seed
        assert certificate.verify()


def test_flats_of_a_wrong_balance_test_break_the_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plregions.analysis.unbalanced_ridges._is_balanced", lambda around: False)
    nets = [random_net(np.random.default_rng(seed), DEEP[2], True) for seed in range(10)]
    assert any(unsound(net, hypercube(2, -2, 2))[0] for net in nets)
    shallow = [random_net(np.random.default_rng(seed), [2, 4, 1], True) for seed in range(5)]
    assert not all(is_depth_two(net, hypercube(2, -2, 2)) for net in shallow)


def test_where_the_budget_ends_the_bounds_hold() -> None:
    found = hard_flats(max_tree(6), hypercube(6, -1, 1))
    certificate = width_certificate_of(found, max_nodes=1)
    assert certificate.kind == "dual"
    assert certificate.lower_bound == 5 < 6 <= certificate.upper_bound
    assert certificate.tau is None
    assert certificate.verify()
    assert repr(certificate).startswith("WidthCertificate(20 flats, 5 <= tau <= ")


def test_a_time_limit_leaves_bounds() -> None:
    found = hard_flats(max_tree(6), hypercube(6, -1, 1))
    certificate = width_certificate_of(found, time_limit=0.0)
    assert certificate.tau is None
    assert certificate.lower_bound <= 5 < 6 <= certificate.upper_bound
    assert certificate.verify(max_tree(6), hypercube(6, -1, 1))
    with pytest.raises(BudgetExhaustedError, match="first_layer_width_bound needs all regions"):
        first_layer_width_bound(max_tree(6), hypercube(6, -1, 1), time_limit=1e-9)
    assert first_layer_width_bound(bent(), hypercube(2, -1, 1), time_limit=60.0).tau == 1


def test_slices() -> None:
    plane = Slice([0, 0, 0], [[1, 0, 0], [0, 1, 0]], hypercube(2, -1, 1))
    certificate = first_layer_width_bound(max_tree(3), plane)
    assert (certificate.dim, certificate.tau) == (2, 1)
    assert certificate.verify(max_tree(3), plane)
    assert not certificate.verify(max_tree(3), hypercube(3, -1, 1))
    with pytest.raises(InvalidInputError, match="first_layer_width_bound needs a bounded domain"):
        first_layer_width_bound(max_tree(3), WholeSpace(3))


def test_a_solver_that_errs_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.optimize

    real = scipy.optimize.milp

    def optimistic(*args: Any, **words: Any) -> Any:
        result = real(*args, **words)
        result.mip_dual_bound = 100.0
        result.x[:] = 0.0  # covers nothing
        return result

    monkeypatch.setattr(scipy.optimize, "milp", optimistic)
    certificate = width_certificate_of(hard_flats(corner_hinge(3), hypercube(3)))
    assert certificate.verify()
    assert certificate.lower_bound == 4 <= certificate.upper_bound
