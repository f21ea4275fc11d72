"""Bounds of the largest error: closed forms, random points, and faults that must show."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.small_networks import networks, rational, small

import plregions.analysis.radial_errors as module
from plregions.analysis.radial_errors import RadialError, radial_error
from plregions.analysis.radial_functions import (
    RadialFunction,
    euclidean_norm,
    root_bounds,
    shifted_norm,
)
from plregions.analysis.radial_minorants import (
    CellValues,
    Minorant,
    Proposal,
    propose,
    repaired,
)
from plregions.constructions import (
    l1_norm,
    norm_ridges,
    plane_directions,
    radial_deep,
    ridge_sum,
    sphere_directions,
)
from plregions.domain import Box, Polytope, Slice, WholeSpace, hypercube
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.network import Layer, Network, compose, mlp

F = Fraction
NORM = euclidean_norm()
SQUARE = Box([-1, -1], [1, 1])
PIECES = RadialFunction([0, "1/2", 2], ["1/4", 0, "-3/2"])


def exact_error(net: Network, rho: RadialFunction, x: Any) -> Fraction:
    """A lower bound of the error at a point, in rationals."""
    point = [F(v) for v in x]
    low, high = root_bounds(sum((v * v for v in point), F(0)))
    value = net.exact(point)[0]
    return max(value - rho(high), rho(low) - value)


def largest_at(net: Network, rho: RadialFunction, points: np.ndarray) -> Fraction:
    """The largest error over some points: floats choose three of them, rationals decide."""
    errors = np.abs(net(points)[:, 0] - rho.values(np.linalg.norm(points, axis=1)))
    best = np.argsort(errors)[-3:]
    return max(exact_error(net, rho, points[i].tolist()) for i in best)


def contradiction(net: Network, found: RadialError, points: np.ndarray) -> bool:
    """Whether some point, or the point that was named, contradicts the bounds."""
    at_named = exact_error(net, found.rho, found.regions.domain.embed_exact(found.at))
    sampled = largest_at(net, found.rho, points)
    return not (at_named >= F(found.lower) and max(sampled, at_named) <= F(found.upper))


# --- k equally spaced directions of the plane ---


def closed_form(k: int) -> float:
    """The largest error of 2 tan(a) sum abs(<w_i, x>), a = pi / (4 k), on [-1, 1]^2.

    The network is c ||x|| cos(angle to the nearest axis), c = 1 / cos(a)^2, at most 2 a away. For
    even k the diagonal is an axis or lies midway between two, so the corner has the largest
    relative error, tan(a)^2. For odd k the nearest axis to the corner is a away: on the side x = 1
    the error c (cos t + y sin t) - sqrt(1 + y^2), t the axis, is largest where the sine of y's
    angle is c sin t.
    """
    a = math.pi / (4 * k)
    if k % 2 == 0:
        return math.sqrt(2) * math.tan(a) ** 2
    c, t = 1 / math.cos(a) ** 2, math.pi / 4 - a
    return c * math.cos(t) - math.sqrt(1 - (c * math.sin(t)) ** 2)


@pytest.mark.parametrize("k", range(2, 13))
def test_equally_spaced_directions_on_the_square(k: int) -> None:
    net = norm_ridges(2, k)
    found = radial_error(net, NORM, SQUARE)
    assert len(found.regions) == 2 * k
    assert found.lower - 1e-12 <= closed_form(k) <= found.upper + 1e-12
    assert found.gap < 1e-9
    assert found.verify()
    # The error grows along rays, so it is largest on the boundary.
    side = np.linspace(-1, 1, 20001)
    edges = np.concatenate([np.stack([side, 0 * side + s], axis=1) for s in (-1, 1)])
    points = np.concatenate([edges, edges[:, ::-1]])
    assert closed_form(k) - 1e-7 < float(largest_at(net, NORM, points)) <= found.upper


@pytest.mark.parametrize("k", range(2, 13))
def test_sum_lies_between_cotangent_and_cosecant(k: int) -> None:
    a = math.pi / (2 * k)
    net = ridge_sum(plane_directions(k), 0, 1)
    # The constant 2 makes the side in question the larger one; 2 is the error at the origin, and
    # what is more comes from the rounded directions.
    least = radial_error(net, RadialFunction([1 / math.tan(a)], [2]), SQUARE)
    most = radial_error(net, RadialFunction([1 / math.sin(a)], [-2]), SQUARE)
    assert 2 <= least.upper < 2 + 1e-12
    assert 2 <= most.upper < 2 + 1e-6
    # Both are attained.
    assert radial_error(net, RadialFunction([1.001 / math.tan(a)], [0]), SQUARE).below > 1e-4
    assert radial_error(net, RadialFunction([0.999 / math.sin(a)], [0]), SQUARE).above > 1e-4


# --- errors that are known exactly ---

KNOWN: list[tuple[str, Network, RadialFunction, Any, float, bool]] = [
    # Above on the origin's inside: its best minorant is no tangent.
    ("tilted", Network([([["3/10", 0]], [1])]), NORM, SQUARE, 1.0, True),
    ("constant", Network([([[0, 0]], [2])]), NORM, SQUARE, 2.0, True),
    # Largest where rho has its kink, at (1, 0), for every slope between 0 and 1.
    ("kink", Network([([["1/2", 0]], [0])]), shifted_norm(1), hypercube(2, 0, 2), 0.0, True),
    (
        "below",
        Network([([[0, 0]], [0])]),
        NORM,
        hypercube(2, 0, 3),
        math.sqrt(18),
        False,
    ),
    ("equal", l1_norm(1), NORM, Box([-1], [2]), 0.0, True),
    ("l1", l1_norm(3), NORM, hypercube(3, -1, 1), 3 - math.sqrt(3), True),
    (
        "triangle",
        l1_norm(2),
        NORM,
        Polytope([[-1, 0], [0, -1], [3, 4]], [0, 0, 12]),
        0.0,
        True,
    ),
    (
        "line",
        l1_norm(3),
        NORM,
        Slice([1, 0, 0], [[0, 1, 1]], Box([-1], [2])),
        2.0,
        True,
    ),
]
# On the edge y = 3 - 3 x / 4 of the triangle x + y - ||x|| is largest where its derivative is 0.
EDGE = max(x + 3 - 0.75 * x - math.hypot(x, 3 - 0.75 * x) for x in np.linspace(0, 4, 100001))
VALUES = {"kink": 1.0, "triangle": EDGE, "line": 5 - 3}


@pytest.mark.parametrize(("name", "net", "rho", "domain", "value", "above"), KNOWN)
def test_known_errors(
    name: str, net: Network, rho: RadialFunction, domain: Any, value: float, above: bool
) -> None:
    found = radial_error(net, rho, domain)
    expected = VALUES.get(name, value)
    assert found.lower - 1e-8 <= expected <= found.upper + 1e-8
    assert found.gap <= 2e-9
    assert found.verify()
    if name != "kink":
        assert found.is_above is above


def test_kink_of_rho_inside_a_cell() -> None:
    """x / 2 - relu(||x|| - 1) is largest at (1, 0), where two pieces of rho meet: 1 / 2."""
    net = Network([([["1/2", 0]], [0])])
    found = radial_error(net, shifted_norm(1), Box([0, "-1/8"], [2, "1/8"]))
    assert F(found.lower) <= F(1, 2) <= F(found.upper)
    assert found.gap < 1e-8
    assert found.n_programs == 1
    assert all(0 < w < 1 for w in found.minorants[0].weights)


# --- random networks, random points ---


def samples(domain: Box | Polytope, n: int, seed: int) -> np.ndarray:
    low, high = (np.array([float(v) for v in side]) for side in domain.bounding_box())
    rng = np.random.default_rng(seed)
    points = low + (high - low) * rng.random((n, domain.dim))
    keep = (np.asarray(domain.A, float) @ points.T <= np.asarray(domain.b, float)[:, None]).all(0)
    return points[keep]


@pytest.mark.parametrize("rho", [NORM, shifted_norm("1/2"), PIECES], ids=repr)
@pytest.mark.parametrize(
    ("widths", "domain"),
    [
        ("1-6-1", Box([-2], [1])),
        ("2-8-1", SQUARE),
        ("2-6-5-1", Box([0.25, -1], [1, 2])),
        ("2-5-1", Polytope([[-1, -1], [2, -1], [-1, 3]], [1, 1, 2])),
        ("3-6-1", hypercube(3, -1, 1)),
        ("3-4-4-1", Box([-1, 0, 1], [1, 1, 2])),
    ],
)
def test_random_points_keep_the_bounds(
    widths: str, domain: Box | Polytope, rho: RadialFunction
) -> None:
    net = mlp(widths, seed=len(widths))
    found = radial_error(net, rho, domain)
    points = samples(domain, 5000, 1)
    assert not contradiction(net, found, points)
    assert found.gap < 1e-7
    assert float(largest_at(net, rho, points)) > 0.8 * found.lower
    assert found.verify()


def with_one_output(net: Network) -> Network:
    return compose(Network([Layer([[1] * net.output_dim], None, "identity")]), net)


@settings(max_examples=40, deadline=None)
@given(
    networks(small | rational),
    st.sampled_from([NORM, shifted_norm(1), PIECES]),
    st.data(),
)
def test_bounds_hold_at_any_point(net: Network, rho: RadialFunction, data: st.DataObject) -> None:
    net = with_one_output(net)
    found = radial_error(net, rho, hypercube(net.input_dim, -1, 2))
    assert found.lower <= found.upper
    assert found.verify()
    for _ in range(5):
        x = [data.draw(st.fractions(-1, 2, max_denominator=8)) for _ in range(net.input_dim)]
        assert exact_error(net, rho, x) <= F(found.upper)


def test_scales_do_not_matter() -> None:
    """The same question in other units: lengths times 2^20, heights times 2^-30."""
    net, rho = mlp("2-6-1", seed=3), shifted_norm("1/2")
    first = radial_error(net, rho, SQUARE)
    length, height = F(2) ** 20, F(2) ** -30
    (a, b), (c, e) = ((layer.weight, layer.bias) for layer in net.layers)
    scaled = Network([(exact(a, 1 / length), exact(b, 1)), (exact(c, height), exact(e, height))])
    factor = height / length
    other = RadialFunction([0, factor], [0, -height / 2])
    found = radial_error(scaled, other, hypercube(2, -length, length), tolerance=0)
    assert found.lower / float(height) == pytest.approx(first.lower, abs=1e-8)
    assert found.upper / float(height) == pytest.approx(first.upper, abs=1e-8)
    assert found.verify()


def exact(array: np.ndarray, factor: Fraction) -> list[Any]:
    return [
        [F(v) * factor for v in row] if np.ndim(row) else F(row) * factor for row in array.tolist()
    ]


# --- depth 3 ---


@pytest.mark.parametrize(("d", "most"), [(1, 6), (2, 6), (3, 3)])
def test_error_at_depth_three_falls_with_the_knots(d: int, most: int) -> None:
    before = math.inf
    for n in range(1, most + 1):
        net = radial_deep(d, lambda r: r, n, n)
        found = radial_error(net, NORM, hypercube(d, -1, 1))
        top = math.ceil(math.sqrt(d) * 1024) / 1024
        assert found.upper <= top / (2 * n * n) + 1e-12
        assert found.upper < before or d == 1
        assert not contradiction(net, found, samples(hypercube(d, -1, 1), 4000, n))
        before = found.lower


def test_general_profile_at_depth_three() -> None:
    rho = shifted_norm(1)
    radii = [0, 1, "5/4", "3/2", 2, "5/2", 3]
    coarse = radial_deep(2, rho, [1, 2], radii, 2)
    fine = radial_deep(2, rho, 8, radii, 2)
    errors = [radial_error(net, rho, hypercube(2, -2, 2)) for net in (coarse, fine)]
    assert errors[1].upper < 0.06 < errors[0].lower
    assert all(error.gap < 1e-7 for error in errors)


# --- faults that must show ---


def test_a_bound_without_repair_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver whose slopes are one per cent too long: repaired they prove, unrepaired they lie."""
    net = norm_ridges(2, 5)
    points = samples(SQUARE, 5000, 2)
    side = np.linspace(-1, 1, 5001)
    points = np.concatenate([points, np.stack([1 + 0 * side, side], axis=1)])

    def sloppy(cells: list[CellValues], rho: RadialFunction) -> list[Proposal]:
        return [dataclasses.replace(p, slope=1.01 * p.slope) for p in propose(cells, rho)]

    def unrepaired(slope: np.ndarray, weights: np.ndarray, rho: RadialFunction) -> Minorant:
        return Minorant(
            *(tuple(fmpq(*float(v).as_integer_ratio()) for v in w) for w in (slope, weights))
        )

    monkeypatch.setattr(module, "propose", sloppy)
    good = radial_error(net, NORM, SQUARE)
    assert not contradiction(net, good, points)
    assert good.verify()
    monkeypatch.setattr(module, "repaired", unrepaired)
    bad = radial_error(net, NORM, SQUARE)
    assert contradiction(net, bad, points)
    assert not bad.verify()


def test_a_raw_solution_of_the_solver_does_not_verify(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a good solver's slopes are too long by some last digits."""

    def unrepaired(slope: np.ndarray, weights: np.ndarray, rho: RadialFunction) -> Minorant:
        return Minorant(
            *(tuple(fmpq(*float(v).as_integer_ratio()) for v in w) for w in (slope, weights))
        )

    net = norm_ridges(2, 5)
    assert radial_error(net, NORM, SQUARE).verify()
    monkeypatch.setattr(module, "repaired", unrepaired)
    assert not radial_error(net, NORM, SQUARE).verify()


def test_a_forgotten_vertex_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    net = l1_norm(2)  # above the norm most of all at the corners of the square
    points = np.concatenate([samples(SQUARE, 5000, 3), [[1.0, 1.0], [-0.99, 0.99]]])
    assert not contradiction(net, radial_error(net, NORM, SQUARE), points)
    whole = module._Cells.cell

    def without_one(self: Any, index: int) -> CellValues:
        cell = whole(self, index)
        best = int(np.argmax(cell.floats[:, -1]))
        keep = [i for i in range(len(cell.heights)) if i != best]
        return CellValues(
            tuple(cell.vertices[i] for i in keep),
            tuple(cell.heights[i] for i in keep),
            cell.floats[keep],
        )

    monkeypatch.setattr(module._Cells, "cell", without_one)
    monkeypatch.setattr(module, "propose", lambda cells, rho: [])
    bad = radial_error(net, NORM, SQUARE)
    monkeypatch.undo()
    assert contradiction(net, bad, points)
    assert not bad.verify()


def test_a_vertex_forgotten_below_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    net, box = Network([([[0, 0]], [0])]), hypercube(2, 0, 3)
    points = np.concatenate([samples(box, 5000, 3), [[2.99, 2.99]]])
    assert not contradiction(net, radial_error(net, NORM, box), points)
    monkeypatch.setattr(module._Cells, "highest_below", lambda self: F(3))  # at (0, 3)
    bad = radial_error(net, NORM, box)
    monkeypatch.undo()
    assert contradiction(net, bad, points)
    assert not bad.verify()


def test_changed_evidence_does_not_verify() -> None:
    found = radial_error(norm_ridges(2, 5), NORM, SQUARE)
    first = found.minorants[0]
    longer = Minorant(tuple(v * 2 for v in first.slope), first.weights)
    zero = Minorant((fmpq(0), fmpq(0)), first.weights)
    heavy = Minorant(first.slope, (fmpq(2),))
    for minorant in (longer, zero, heavy):
        changed = dataclasses.replace(found, minorants=(minorant, *found.minorants[1:]))
        assert not changed.verify()
    for changes in (
        {"upper": found.upper / 2},
        {"lower": found.lower * 1.01},
        {"at": (F(2), F(0))},
        {"minorants": found.minorants[1:]},
    ):
        assert not dataclasses.replace(found, **changes).verify()


def test_without_a_solver_the_bounds_still_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    net = norm_ridges(2, 5)
    monkeypatch.setattr(module, "propose", lambda cells, rho: [])
    found = radial_error(net, NORM, SQUARE)
    assert found.lower <= closed_form(5) <= found.upper
    assert found.verify()


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 0.0])
def test_repair_of_nonsense(value: float) -> None:
    for rho in (NORM, shifted_norm(1)):
        minorant = repaired(np.full(3, value), np.full(len(rho.slopes), value), rho)
        assert minorant.is_below(rho)
        assert len(minorant.slope) == 3


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2),
    st.lists(st.floats(-1, 1e6), min_size=3, max_size=3),
    st.lists(st.fractions(-3, 3, max_denominator=9), min_size=2, max_size=2),
)
def test_every_repaired_minorant_is_below(
    slope: list[float], weights: list[float], x: list[Fraction]
) -> None:
    minorant = repaired(np.array(slope), np.array(weights), PIECES)
    assert minorant.is_below(PIECES)
    value = sum(
        q * fmpq(v.numerator, v.denominator) for q, v in zip(minorant.slope, x, strict=True)
    )
    value += minorant.constant(PIECES)
    high = PIECES(root_bounds(sum(v * v for v in x))[1])
    assert value <= fmpq(high.numerator, high.denominator)


# --- what it needs ---


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((l1_norm(2), abs, SQUARE), "radial_error needs a RadialFunction"),
        ((mlp("2-3-2"), NORM, SQUARE), "one output; got 2"),
        ((l1_norm(2), NORM, WholeSpace(2)), "a bounded domain"),
        ((l1_norm(2), NORM, Polytope([[1, 0]], [1])), "a bounded domain"),
        ((l1_norm(2), NORM, None), "a bounded domain"),
    ],
)
def test_wrong_parameters(parameters: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        radial_error(*parameters)


@pytest.mark.parametrize("tolerance", [-1.0, math.nan, math.inf])
def test_wrong_tolerance(tolerance: float) -> None:
    with pytest.raises(InvalidInputError, match="a tolerance of at least 0"):
        radial_error(l1_norm(2), NORM, SQUARE, tolerance=tolerance)


def test_budget() -> None:
    net = ridge_sum(sphere_directions(2, 9), 0, 1)
    with pytest.raises(BudgetExhaustedError, match="radial_error needs all regions") as caught:
        radial_error(net, NORM, SQUARE, max_regions=3)
    assert len(caught.value.partial) == 3


def test_it_says_what_it_found() -> None:
    found = radial_error(l1_norm(1), NORM, Box([-1], [1]))
    assert repr(found) == "RadialError(0 in 2 regions, gap 0.0e+00)"
    assert (found.lower, found.upper, found.n_programs) == (0.0, 0.0, 0)
