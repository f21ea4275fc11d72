"""Distances and moments against closed forms and against integration by other formulas."""

from __future__ import annotations

from fractions import Fraction
from functools import cmp_to_key
from math import comb, factorial
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_network import plain_layers, pre_activations
from oracles.plain_regions import plain_regions
from oracles.small_networks import networks, rational, reshaped, small

from plregions.analysis.distances import distance
from plregions.analysis.integrals import moments
from plregions.analysis.simplex_integrals import rounded, symmetric_sum, total
from plregions.constructions import (
    corner_hinge,
    corner_hinge_shallow,
    parity_shallow,
    parity_tent,
    parity_xor_tree,
    tent_power,
    yarotsky_square,
)
from plregions.domain import Box, Polytope, Slice, WholeSpace, hypercube
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.network import Layer, Network, compose, mlp, subtract

Point = tuple[Fraction, ...]
F = Fraction


# --- integration by other formulas: Simpson's rule and the midpoints of a fan's triangles ---


def around(corners: list[Point]) -> list[Point]:
    """The corners of a convex polygon in the order of their angles seen from their mean."""
    centre = [sum(x[k] for x in corners) / len(corners) for k in (0, 1)]

    def half(x: Point) -> int:
        return int((x[1] - centre[1], x[0] - centre[0]) < (0, 0))

    def turn(a: Point, b: Point) -> int:
        if half(a) != half(b):
            return half(a) - half(b)
        u, v = (
            [p - c for p, c in zip(a, centre, strict=True)],
            [p - c for p, c in zip(b, centre, strict=True)],
        )
        cross = u[0] * v[1] - u[1] * v[0]
        return -1 if cross > 0 else int(cross < 0)

    return sorted(corners, key=cmp_to_key(turn))


def quadrature(corners: list[Point]) -> list[tuple[Fraction, Point]]:
    """Weights and points that integrate every polynomial of degree 2 over a cell exactly."""
    if len(corners[0]) == 1:
        (a,), (b,) = min(corners), max(corners)
        return [((b - a) / 6, (a,)), (4 * (b - a) / 6, ((a + b) / 2,)), ((b - a) / 6, (b,))]
    ring, rule = around(corners), []
    for p, q in zip(ring[1:], ring[2:], strict=False):
        o = ring[0]
        area = abs((p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])) / 2
        for x, y in ((o, p), (p, q), (q, o)):
            rule.append((area / 3, ((x[0] + y[0]) / 2, (x[1] + y[1]) / 2)))
    return rule


def by_quadrature(net: Network, domain: Any) -> list[list[Fraction]]:
    """For each power 0, 1, 2 the integrals of the outputs' powers over all cells."""
    layers = plain_layers(net)
    sums = [[F(0)] * net.output_dim for _ in range(3)]
    for cell in plain_regions(net, domain).values():
        for weight, x in quadrature(list(cell.corners)):
            for i, v in enumerate(pre_activations(layers, x)[1]):
                for p in range(3):
                    sums[p][i] += weight * v**p
    return sums


def absolute_difference(f: Network, g: Network) -> Network:
    return compose(Network([Layer(np.eye(f.output_dim), None, (-1, 1))]), subtract(f, g))


# --- closed forms ---------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_powers_of_the_tent(m: int) -> None:
    found = moments(tent_power(m), hypercube(1), power=5)
    assert found.volume == 1
    assert found.integrals == tuple((F(1, p + 1),) for p in range(1, 6))
    assert (found.mean, found.variance, found.n_cells) == ((F(1, 2),), (F(1, 12),), 2**m)


def test_larger_against_mean() -> None:
    larger = Network([([[1, -1], [0, 1]], [0, 0]), ([[1, 1]], [0])])
    found = distance(larger, Network([([["1/2", "1/2"]], [0])]), hypercube(2))
    assert (found.l1, found.l2_squared, found.linf) == (F(1, 6), F(1, 24), F(1, 2))
    assert found.l2 == pytest.approx(24**-0.5)


@pytest.mark.parametrize(
    ("k", "l1", "l2_squared"), [(1, F(1, 3), F(1, 6)), (2, F(3, 10), F(13, 90))]
)
def test_parity_tree_against_steps(k: int, l1: Fraction, l2_squared: Fraction) -> None:
    n = 2**k
    found = distance(parity_xor_tree(k), parity_shallow(n), hypercube(n))
    assert (found.l1, found.l2_squared, found.linf) == (l1, l2_squared, 1)
    at = found.linf_at
    assert abs(parity_xor_tree(k).exact(at)[0] - parity_shallow(n).exact(at)[0]) == 1
    same = distance(parity_tent(n), parity_shallow(n), hypercube(n))
    assert (same.l1, same.l2_squared, same.linf, same.agreeing_share) == (0, 0, 0, 1)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_steps_of_the_squaring_network(m: int) -> None:
    found = distance(yarotsky_square(m), yarotsky_square(m + 1), hypercube(1))
    assert found.linf == F(1, 4 ** (m + 1))
    assert found.l2_squared == {1: F(1, 768), 2: F(1, 12288), 3: F(1, 196608)}[m]


@pytest.mark.parametrize("d", [2, 3, 4])
def test_corner_hinge_at_both_depths(d: int) -> None:
    found = distance(corner_hinge(d), corner_hinge_shallow(d), hypercube(d))
    assert (found.l1, found.l2_squared, found.linf) == (0, 0, 0)
    assert (found.volume, found.agreeing_share) == (1, 1)


def test_share_of_the_domain_where_they_agree() -> None:
    hat = Network([([[1], [1], [1]], ["-1/4", "-1/2", "-3/4"]), ([[1, -2, 1]], [0])])
    zero = Network([([[0]], [0])])
    found = distance(hat, zero, Box([0], [2]))
    assert (found.agreeing_volume, found.agreeing_share) == (F(3, 2), F(3, 4))
    assert found.l1 == F(1, 16)
    assert found.columns["volume"].sum() == 2
    flat = distance(Network([([[0, 0]], [3])]), Network([([[0, 0]], [1])]), hypercube(2))
    assert (flat.l1, flat.l2_squared, flat.linf, flat.n_cells) == (2, 4, 2, 1)


def test_own_coordinates_of_a_slice_and_a_polytope() -> None:
    tree, steps = parity_xor_tree(1), parity_shallow(2)
    diagonal = Slice([0, 0], [["1/2", "1/2"]], Box([0], [2]))
    found = distance(tree, steps, diagonal)
    # On the diagonal the tree is 0 and the steps are the tent of s in [0, 2].
    assert (found.volume, found.l1, found.l2_squared) == (2, 1, F(2, 3))
    assert found.linf_at == (F(1, 2), F(1, 2))
    below = Polytope([[1, 1], [-1, 0], [0, -1]], [1, 0, 0])
    found = distance(tree, steps, below)
    # min(x, y) times 2, integrated over the triangle.
    assert (found.volume, found.l1) == (F(1, 2), F(1, 6))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("p", [1, 2, 3, 6])
def test_powers_of_a_sum_over_the_standard_simplex(d: int, p: int) -> None:
    # The mean of (x_1 + ... + x_d)^p is d / (d + p): the sum has density d s^(d - 1).
    assert F(symmetric_sum([0] + [1] * d, p), comb(d + p, p)) == F(d, d + p)
    # That of x_1^p is p! d! / (d + p)!.
    expected = F(factorial(p) * factorial(d), factorial(d + p))
    assert F(symmetric_sum([1] + [0] * d, p), comb(d + p, p)) == expected
    assert symmetric_sum([F(1, 2)] * (d + 1), p) == F(comb(d + p, p), 2**p)


# --- other formulas -------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(networks(small), st.integers(1, 2), st.integers(1, 2), st.booleans())
def test_moments_by_quadrature(net: Network, d: int, m: int, is_box: bool) -> None:
    net = reshaped(net, d, m)
    domain: Any = hypercube(d, -1, 1)
    if not is_box:
        domain = Polytope([*np.eye(d), [-1] * d], [*["4/3"] * d, "1/2"])
    found = moments(net, domain)
    volume, first, second = by_quadrature(net, domain)
    assert found.volume == volume[0]
    assert found.integrals == (tuple(first), tuple(second))


@settings(max_examples=20, deadline=None)
@given(networks(small), networks(rational), st.integers(1, 2), st.integers(1, 2))
def test_distances_by_quadrature(f: Network, g: Network, d: int, m: int) -> None:
    f, g = reshaped(f, d, m), reshaped(g, d, m)
    box = hypercube(d, -1, 1)
    size = absolute_difference(f, g)
    volume, first, second = by_quadrature(size, box)
    found = distance(f, g, box)
    assert found.volume == volume[0] == 2**d
    assert (found.l1, found.l2_squared) == (sum(first), sum(second))
    cells = plain_regions(size, box).values()
    layers = plain_layers(size)
    assert found.linf == max(
        v for cell in cells for x in cell.corners for v in pre_activations(layers, x)[1]
    )
    rounded = distance(f, g, box, exact=False)
    assert rounded.linf == found.linf
    assert isinstance(rounded.l1, float)
    for name in ("l1", "l2_squared", "volume", "agreeing_volume"):
        assert getattr(rounded, name) == pytest.approx(float(getattr(found, name)), rel=1e-14)


def test_the_quadrature_sees_a_wrong_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    net = mlp([2, 3, 1])
    _, first, second = by_quadrature(net, hypercube(2))
    assert moments(net, hypercube(2)).integrals == ((first[0],), (second[0],))

    def power_of_the_sum(values: Any, power: int) -> Any:
        return sum(values) ** power

    monkeypatch.setattr("plregions.analysis.simplex_integrals.symmetric_sum", power_of_the_sum)
    wrong = moments(net, hypercube(2)).integrals
    assert wrong[0] == (first[0],)
    assert wrong[1] != (second[0],)


def test_float_networks_and_columns() -> None:
    f, g = mlp([3, 8, 8, 1]), mlp([3, 8, 1], seed=1)
    found = distance(f, g, hypercube(3), exact=False)
    assert found.volume == pytest.approx(1, rel=1e-14)
    exact = distance(f, g, hypercube(3))
    assert exact.volume == 1
    for name in ("l1", "l2_squared", "volume"):
        column = found.columns[name]
        assert column.shape == (found.n_cells,)
        assert column.sum() == pytest.approx(float(getattr(exact, name)), rel=1e-12)
    assert found.columns["linf"].max() == pytest.approx(float(exact.linf), rel=1e-15)
    assert len(repr(exact)) < 200 > len(repr(moments(f, hypercube(3))))
    points = np.random.default_rng(0).random((20000, 3))
    sampled = np.abs(f(points) - g(points))
    assert sampled.mean() == pytest.approx(float(exact.l1), rel=0.05)
    assert sampled.max() <= exact.linf


def test_rounding_and_sums() -> None:
    huge = 10**400
    assert (rounded(huge, 1), rounded(-huge, 1), rounded(1, huge)) == (np.inf, -np.inf, 0)
    parts = [fmpq(1, k) for k in range(1, 8)]
    assert total(parts, True) == sum((F(1, k) for k in range(1, 8)), F(0))
    assert total([], True) == total([], False) == 0
    assert total([0.1] * 10, False) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: distance(mlp([1, 1]), mlp([1, 1]), WholeSpace(1)), "distance needs a bounded"),  # type: ignore[arg-type]
        (lambda: moments(mlp([1, 1]), WholeSpace(1)), "moments needs a bounded domain"),  # type: ignore[arg-type]
        (lambda: moments(mlp([1, 1]), hypercube(1), power=1), "power from 2 to 1000"),
        (lambda: distance(mlp([1, 1]), mlp([1, 2]), hypercube(1)), "equal numbers of outputs"),
        (lambda: distance(mlp([1, 1]), mlp([1, 1]), 3), "needs a bounded domain; got 3"),  # type: ignore[arg-type]
    ],
)
def test_wrong_use(call: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        call()


def test_budgets_and_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    net = mlp([3, 12, 1])
    for limit in ({"max_regions": 3}, {"time_limit": 1e-6}):
        with pytest.raises(BudgetExhaustedError, match=f"than the {next(iter(limit))} allows"):
            moments(net, hypercube(3), **limit)  # type: ignore[arg-type]

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plregions.analysis.bounded_cells.cell_integrals", interrupt)
    with pytest.raises(KeyboardInterrupt):
        moments(net, hypercube(3))
