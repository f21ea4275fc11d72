"""Decision boundaries and level sets: closed forms, changes along segments, degenerate ties."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.crossed_pieces import crossings, inner_point
from oracles.plain_network import plain_layers, pre_activations
from oracles.plain_segments import labels_along
from oracles.random_cases import case
from oracles.small_networks import networks

import plregions as plr
from plregions.analysis import class_parts
from plregions.analysis.boundary import Boundary, decision_boundary, level_set
from plregions.analysis.class_volumes import argmax_partition
from plregions.errors import BudgetExhaustedError, InvalidInputError

F = Fraction
SQUARE = plr.Box([-1, -1], [1, 1])


def with_outputs(net: plr.Network, seed: int, m: int = 3) -> plr.Network:
    """The network with m small integer combinations of its outputs as outputs."""
    rng = np.random.default_rng(seed)
    weight, bias = rng.integers(-2, 3, (m, net.output_dim)), rng.integers(-1, 2, m)
    return plr.Network([*net.layers, plr.Layer(weight, bias, "identity")])


def check_segments(boundary: Boundary, net: Any, domain: Any, seed: int, n: int) -> int:
    """Random segments cross the boundary exactly where the label changes, from and to it."""
    rng = np.random.default_rng(seed)
    scores, total = boundary.parts.scores, 0
    level = None if scores.output is None else (scores.output, scores.level)
    for _ in range(n):
        p, q = inner_point(rng, domain), inner_point(rng, domain)
        labels = labels_along(net, domain.embed_exact(p), domain.embed_exact(q), level)
        changes = [(t, a, b) for (_, a), (t, b) in zip(labels, labels[1:], strict=False)]
        assert crossings(boundary, p, q) == changes
        total += len(changes)
    return total


def check_ties(boundary: Boundary, net: Any, domain: Any) -> None:
    """The largest outputs at the centre of each piece, and inside the parts on its two sides."""
    layers, scores = plain_layers(net), boundary.parts.scores

    def largest(x: Any) -> tuple[int, ...]:
        values = pre_activations(layers, domain.embed_exact(x))[1]
        if scores.output is not None:
            values = [values[scores.output], scores.level]
        return tuple(k for k, v in enumerate(values) if v == max(values))

    for piece in range(len(boundary)):
        centre = boundary.centre(piece)
        assert largest(centre) == boundary.tied[piece]
        assert set(boundary.classes[piece].tolist()) <= set(boundary.tied[piece])
        for part, side in zip(
            boundary.neighbours[piece].tolist(), boundary.sides[piece], strict=True
        ):
            inside = boundary.parts.centre(boundary.parts.corners[part])
            assert largest(inside) == side
            # On the way from the piece into the part no other label is met.
            assert largest([(a + b) / 2 for a, b in zip(centre, inside, strict=True)]) == side
        assert boundary.is_crossing[piece] == (boundary.sides[piece][0] != boundary.sides[piece][1])


# --- closed forms ---------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_ball_of_the_l1_norm(d: int) -> None:
    ball = level_set(plr.constructions.l1_norm(d), plr.hypercube(d, -1, 1), "1/3")
    assert len(ball) == 2**d
    assert ball.n_components == (2 if d == 1 else 1)
    corners = {point for piece in range(len(ball)) for point in ball.points(piece)}
    assert corners == {
        tuple(s * F(1, 3) * (i == k) for i in range(d)) for k in range(d) for s in (1, -1)
    }
    assert set(ball.sides) == {((0,), (1,))}
    inside = argmax_partition(ball, exact=True).volume_of(1)
    assert inside == F(2, 3) ** d / factorial(d)


@pytest.mark.parametrize("m", [1, 2, 4])
def test_levels_of_the_tent(m: int) -> None:
    found = level_set(plr.constructions.tent_power(m), plr.hypercube(1), F(1, 2))
    points = sorted(found.points(piece)[0][0] for piece in range(len(found)))
    assert points == [F(2 * k + 1, 2 ** (m + 1)) for k in range(2**m)]
    assert found.n_components == 2**m


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_largest_of_the_inputs(d: int) -> None:
    found = decision_boundary(plr.Network([(np.eye(d), np.zeros(d))]), plr.hypercube(d, -1, 1))
    assert len(found) == d * (d - 1) // 2
    assert sorted(map(tuple, found.classes.tolist())) == sorted(
        (i, j) for i in range(d) for j in range(i + 1, d)
    )
    assert found.n_components == 1
    assert set(argmax_partition(found, exact=True).volumes) == {F(2**d, d)}


def test_a_maximum_against_its_members() -> None:
    # (x, max(x, y)): both are largest where x >= y, the second alone elsewhere.
    net = plr.Network([([[1, 0], [-1, 0], [-1, 1]], [0, 0, 0]), ([[1, -1, 0], [1, -1, 1]], None)])
    found = decision_boundary(net, SQUARE)
    assert {tuple(sorted(map(tuple, [p, q]))) for p, q in map(found.points, range(len(found)))} == {
        ((-1, -1), (0, 0)),
        ((0, 0), (1, 1)),
    }
    assert set(found.sides) == {((0, 1), (1,))}
    assert len(found.tied_parts) == 2
    assert argmax_partition(found, exact=True).volumes == (2, 2)


def test_sorted_outputs_touch_where_the_largest_two_are_equal() -> None:
    domain = plr.hypercube(3, -1, 1)
    found = decision_boundary(plr.constructions.sort_network(3), domain)
    assert len(found) > 0
    assert not found.is_crossing.any()
    check_ties(found, plr.constructions.sort_network(3), domain)
    assert argmax_partition(found).labels in (((0,),), ((2,),))


# --- against labels along segments ------------------------------------------------------------


@pytest.mark.parametrize("seed", range(48))
def test_segments_cross_where_the_label_changes(seed: int) -> None:
    _, net, domain = case(seed)
    net = with_outputs(net, seed)
    found = decision_boundary(net, domain)
    check_ties(found, net, domain)
    check_segments(found, net, domain, seed, 4 if domain.dim < 4 else 1)


@pytest.mark.parametrize("seed", range(24))
def test_segments_cross_level_sets_where_the_sign_changes(seed: int) -> None:
    _, net, domain = case(seed)
    level = F(seed % 3 - 1, 2) if seed % 2 else net.exact(domain.embed_exact(
        domain.interior_point()))[0]  # fmt: skip
    found = level_set(net, domain, level)
    check_ties(found, net, domain)
    check_segments(found, net, domain, seed, 4 if domain.dim < 4 else 1)


@settings(max_examples=25)
@given(net=networks(), seed=st.integers(0, 2**16))
def test_any_small_network(net: plr.Network, seed: int) -> None:
    net = with_outputs(net, seed, 2 + seed % 2)
    domain = plr.hypercube(net.input_dim, -1, 1)
    found = decision_boundary(net, domain)
    check_ties(found, net, domain)
    check_segments(found, net, domain, seed, 2)
    assert sum(argmax_partition(found, exact=True).volumes) == 2**net.input_dim


def planted() -> tuple[Boundary, plr.Network]:
    net = with_outputs(plr.mlp([2, 6, 6, 4], seed=3), 5)
    return decision_boundary(net, SQUARE), net


def test_segments_notice_a_piece_that_is_missing() -> None:
    found, net = planted()
    assert check_segments(found, net, SQUARE, 0, 20) > 5
    faulty = dataclasses.replace(
        found, corners=found.corners[1:], neighbours=found.neighbours[1:], tied=found.tied[1:]
    )
    with pytest.raises(AssertionError):
        for seed in range(10):
            check_segments(faulty, net, SQUARE, seed, 20)


def test_segments_and_ties_notice_swapped_sides() -> None:
    found, net = planted()
    labels = list(found.parts.labels)
    a, b = found.neighbours[0].tolist()
    labels[a], labels[b] = labels[b], labels[a]
    faulty = dataclasses.replace(
        found, parts=dataclasses.replace(found.parts, labels=tuple(labels))
    )
    with pytest.raises(AssertionError):
        check_ties(faulty, net, SQUARE)


@pytest.mark.parametrize("seed", range(12))
def test_floats_and_exact_rows_find_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, net, domain = case(seed)
    net = with_outputs(net, seed)
    found = decision_boundary(net, domain)
    monkeypatch.setattr(class_parts, "_proved_winners", unknown_winners)
    exact = decision_boundary(net, domain)
    assert (found.sides, found.tied) == (exact.sides, exact.tied)
    for piece in range(len(found)):
        assert found.points(piece) == exact.points(piece)
    assert found.parts.labels == exact.parts.labels


def unknown_winners(scores: class_parts.Scores) -> Any:
    return np.full(len(scores.regions.vertices), -1)


def test_segments_notice_a_winner_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_parts, "_proved_winners", lambda scores: unknown_winners(scores) + 1)
    found, net = planted()
    with pytest.raises(AssertionError):
        check_segments(found, net, SQUARE, 0, 20)


@pytest.mark.parametrize("size", [2.0**-600, 2.0**600, 2.0**1000])
def test_sizes_where_floats_end_change_nothing(size: float) -> None:
    net = plr.Network([(size * np.eye(2), [0, 0]), (size * np.eye(2), [0, 0])])
    found = decision_boundary(net, SQUARE)
    assert found.sides == (((0,), (0, 1)), ((0, 1), (1,)), ((0,), (1,)))
    ball = level_set(net, SQUARE, F(size) ** 2 / 2)
    assert sorted(ball.points(0)) == [(F(1, 2), -1), (F(1, 2), 0)]


# --- degenerate ties --------------------------------------------------------------------------


def test_a_boundary_along_a_facet_is_found_once() -> None:
    # Class 0 for x > 0 and class 1 for x < 0, with a wall of both regions at x = 0.
    net = plr.Network([([[1, 0], [-1, 0]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    found = decision_boundary(net, SQUARE)
    assert len(found) == 1
    assert found.regions[0, 0] != found.regions[0, 1]
    assert sorted(found.points(0)) == [(0, -1), (0, 1)]


def test_touching_in_a_vertex_is_no_piece() -> None:
    norm = plr.constructions.l1_norm(2)
    assert len(level_set(norm, SQUARE, 0)) == 0
    assert set(argmax_partition(level_set(norm, SQUARE, 0)).labels) == {(0,)}
    # The corners of the square have norm 2.
    assert len(level_set(norm, SQUARE, 2)) == 0


def test_touching_along_a_ridge_is_a_piece_that_nothing_crosses() -> None:
    net = plr.Network([([[1, 0]], [0], (-1, 1)), ([[1]], [0])])
    found = level_set(net, SQUARE)
    assert (len(found), found.is_crossing.tolist(), found.tied) == (1, [False], ((0, 1),))
    assert found.sides == (((0,), (0,)),)
    assert argmax_partition(found).n_components.tolist() == [1]


def test_a_tie_on_the_domain_s_wall_is_no_piece() -> None:
    net = plr.Network([([[1, 0]], None)])
    assert len(level_set(net, SQUARE, 1)) == 0
    assert len(level_set(net, SQUARE, -1)) == 0
    assert len(level_set(net, SQUARE, 0)) == 1


def test_outputs_that_are_equal_everywhere() -> None:
    net = plr.Network([([[1, 1]], [0]), ([[1], [1], [0]], [0, 0, -1])])
    found = decision_boundary(net, SQUARE)
    assert len(found) == 0
    assert found.n_components == 0
    assert len(found.tied_parts) == 2
    partition = argmax_partition(found, exact=True)
    assert (partition.labels, partition.volumes, partition.has_ties) == (((0, 1),), (4,), True)


def test_three_outputs_that_meet_in_one_line() -> None:
    net = plr.Network([([[1, 0], [2, 0], [0, 0]], None)])
    found = decision_boundary(net, SQUARE)
    assert (found.sides, found.tied) == ((((1,), (2,)),), ((0, 1, 2),))
    assert found.classes.tolist() == [[1, 2]]


def test_a_level_that_is_a_plateau() -> None:
    # 0 on [-1, 0], x on [0, 1]: the level 0 holds on a whole region, and ends at 0.
    net = plr.Network([([[1]], [0]), ([[1]], [0])])
    found = level_set(net, plr.Box([-1], [1]))
    assert (found.sides, found.points(0)) == ((((0,), (0, 1)),), [(0,)])
    assert argmax_partition(found, exact=True).volume_of(0, 1) == 1


# --- geometry ---------------------------------------------------------------------------------


def test_segments_have_their_first_side_on_the_left() -> None:
    found, _ = planted()
    assert found.segments.shape == (len(found), 2, 2)
    for piece in range(len(found)):
        (x0, y0), (x1, y1) = found.points(piece)
        for side, sign in ((0, 1), (1, -1)):
            part = int(found.neighbours[piece, side])
            x, y = found.parts.centre(found.parts.corners[part])
            assert sign * ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) > 0


def cross(u: Any, v: Any) -> list[Fraction]:
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def test_polygons_go_around_counter_clockwise_seen_from_the_first_side() -> None:
    net = with_outputs(plr.mlp([3, 5, 4], seed=1), 2)
    found = decision_boundary(net, plr.hypercube(3, -1, 1))
    assert max(len(polygon) for polygon in found.polygons) > 4
    for piece in range(len(found)):
        ring = found.points(piece)
        assert np.allclose(found.polygons[piece], np.array(ring, dtype=float))
        part = int(found.neighbours[piece, 0])
        inside = found.parts.centre(found.parts.corners[part])
        centre = found.centre(piece)
        for p, q in zip(ring, [*ring[1:], ring[0]], strict=True):
            normal = cross(
                [a - c for a, c in zip(p, centre, strict=True)],
                [a - c for a, c in zip(q, centre, strict=True)],
            )
            assert sum(n * (a - c) for n, a, c in zip(normal, inside, centre, strict=True)) > 0


def test_geometry_of_another_dimension_is_refused() -> None:
    found = level_set(plr.constructions.l1_norm(3), plr.hypercube(3, -1, 1), 1)
    with pytest.raises(InvalidInputError, match="segments needs a domain of dimension 2"):
        _ = found.segments
    with pytest.raises(InvalidInputError, match="polygons needs a domain of dimension 3"):
        _ = planted()[0].polygons


def test_a_polytope_and_a_slice() -> None:
    triangle = plr.Polytope([[-1, 0], [0, -1], [1, 1]], [0, 0, 1])
    net = plr.Network([(np.eye(2), None)])
    (piece,) = [decision_boundary(net, triangle).points(0)]
    assert sorted(piece) == [(0, 0), (F(1, 2), F(1, 2))]
    plane = plr.Slice([0, 0, "1/2"], [[1, 0, 0], [0, 1, 0]], SQUARE)
    found = decision_boundary(plr.Network([(np.eye(3), None)]), plane)
    assert len(found) == 3
    check_ties(found, plr.Network([(np.eye(3), None)]), plane)


def test_components_are_joined_in_points() -> None:
    # |x| - |y| is 0 on two lines that cross in the origin, and 1/2 on two separate hinges.
    saddle = plr.Network([(np.eye(2), None, (-1, 1)), ([[1, -1]], None)])
    lines = level_set(saddle, SQUARE)
    assert (len(lines), lines.n_components) == (4, 1)
    apart = level_set(saddle, SQUARE, "1/2")
    assert apart.n_components == 2


# --- refusals ---------------------------------------------------------------------------------


def test_bad_questions() -> None:
    net, one = plr.mlp([2, 4, 2]), plr.mlp([2, 4, 1])
    regions = plr.enumerate_regions(net, SQUARE)
    with pytest.raises(InvalidInputError, match="bounded domain"):
        decision_boundary(net, plr.WholeSpace(2))
    with pytest.raises(InvalidInputError, match="bounded domain"):
        decision_boundary(plr.enumerate_regions(net, plr.WholeSpace(2)))
    with pytest.raises(InvalidInputError, match="2 or more outputs; got 1"):
        decision_boundary(one, SQUARE)
    with pytest.raises(InvalidInputError, match="Leave out the domain"):
        decision_boundary(regions, SQUARE)
    with pytest.raises(InvalidInputError, match="a network and a domain"):
        decision_boundary(net)
    with pytest.raises(InvalidInputError, match="a network and a domain"):
        decision_boundary("net", SQUARE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="complete complex"):
        decision_boundary(plr.enumerate_regions(net, SQUARE, max_regions=2))
    with pytest.raises(BudgetExhaustedError, match="within the max_regions"):
        decision_boundary(net, SQUARE, max_regions=2)
    with pytest.raises(InvalidInputError, match="an output from 0 to 1"):
        level_set(net, SQUARE, output=2)
    with pytest.raises(InvalidInputError, match="a number as level"):
        level_set(net, SQUARE, float("nan"))
    with pytest.raises(InvalidInputError, match=r"Name the level: level_set\(regions, level=-10\)"):
        level_set(regions, -10)  # type: ignore[arg-type]


def test_repr_counts() -> None:
    found, _ = planted()
    assert repr(found).startswith(f"Boundary({len(found)} pieces, ")


# --- a trained classifier ---------------------------------------------------------------------


def digits(shared: Path) -> plr.Network:
    with np.load(shared / "cases" / "geo_digits_slice_2-64-64-10.npz") as archive:
        return plr.Network([(archive[f"W{k}"], archive[f"b{k}"]) for k in range(3)])


def test_digits_in_a_slice(shared: Path) -> None:
    net = digits(shared)
    found = decision_boundary(net, SQUARE)
    assert (found.complex.n_regions, len(found), len(found.tied_parts)) == (1768, 129, 0)
    for piece in range(len(found)):
        values = net.exact(found.centre(piece))
        i, j = found.classes[piece].tolist()
        assert i != j
        assert values[i] == values[j] == max(values)
    rng = np.random.default_rng(0)
    for _ in range(6):
        p, q = inner_point(rng, SQUARE), inner_point(rng, SQUARE)
        ways = [t for t, *_ in crossings(found, p, q)]
        line = plr.slice_through([p, q])
        on_line = decision_boundary(net, line)
        assert sorted(on_line.points(k)[0][0] for k in range(len(on_line))) == ways
