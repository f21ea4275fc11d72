"""Agreement of two networks: on the solid domain, on the corners, of the labels."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_network import plain_value
from oracles.plain_regions import plain_regions
from oracles.small_networks import networks, points, rational, reshaped, small

from plregions.analysis import same_function as module
from plregions.analysis.largest_output import Climb
from plregions.analysis.same_function import Agreement, agreement
from plregions.constructions import (
    corner_hinge,
    corner_hinge_shallow,
    parity_shallow,
    parity_tent,
    parity_xor_tree,
)
from plregions.domain import Box, Polytope, Slice, WholeSpace, hypercube
from plregions.errors import InvalidInputError
from plregions.network import Layer, Network, add, mlp, pad_depth, subtract

HALF = Fraction(1, 2)


def gap_at(f: Network, g: Network, x: Any) -> Fraction:
    return max(abs(a - b) for a, b in zip(plain_value(f, x), plain_value(g, x), strict=True))


def plain_gap(f: Network, g: Network, box: Box) -> Fraction:
    """The largest difference over the corners of all cells, cut by definition in Fractions."""
    cells = plain_regions(subtract(f, g), box).values()
    return max(gap_at(f, g, x) for cell in cells for x in cell.corners)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_corner_hinge_is_one_function_at_both_depths(d: int) -> None:
    deep, shallow = corner_hinge(d, is_for_cube=True), corner_hinge_shallow(d)
    assert (deep.widths, shallow.widths) == ((2 * d, 2, 1), (2 ** (d - 1) + d, 2**d))
    answer = agreement(deep, shallow)
    assert answer.holds is True
    assert (answer.gap, answer.gap_at, answer.witness) == (0, None, None)
    assert answer.n_different == 0 < answer.n_checked
    corner = agreement(deep, shallow, on="vertices")
    assert corner.holds and corner.n_checked == 2**d


def test_corner_hinge_differs_outside_of_the_cube() -> None:
    answer = agreement(corner_hinge(2), corner_hinge_shallow(2), hypercube(2, -1, 2))
    assert answer.holds is False
    assert answer.verify(corner_hinge(2), corner_hinge_shallow(2))


@pytest.mark.parametrize("k", [1, 2])
def test_parity_on_corners_and_between(k: int) -> None:
    n = 2**k
    tree, steps = parity_xor_tree(k), parity_shallow(n)
    assert agreement(tree, steps, on="vertices").holds
    answer = agreement(tree, steps)
    assert answer.holds is False
    assert answer.gap == 1
    assert answer.verify(tree, steps)
    assert agreement(parity_tent(n), steps).holds


def test_a_hat_of_a_millionth_is_found() -> None:
    net = mlp([3, 12, 12, 1])
    height, centre = Fraction(1, 10**6), Fraction(3, 10)
    rows = [[s * int(k == i) for k in range(3)] for i in range(3) for s in (1, -1)]
    hat = Network(
        [
            (rows, [-s * centre for _ in range(3) for s in (1, -1)]),
            ([[-1] * 6], [height]),
            ([[1]], [0]),
        ]
    )
    other = add(net, hat)
    answer = agreement(net, other, hypercube(3, -1, 1))
    assert answer.holds is False
    assert (answer.gap, answer.gap_at) == (height, (centre,) * 3)
    assert answer.witness is not None
    assert all(abs(v - centre) < height for v in answer.witness)
    assert answer.n_different >= 8
    quick = agreement(net, other, hypercube(3, -1, 1), gap=False)
    assert quick.holds is False and quick.gap is None and quick.n_checked <= answer.n_checked
    assert agreement(net, other, Box([-1] * 3, [0.25] * 3)).holds


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_one_unit_in_the_last_place_is_found(layer: int) -> None:
    net = mlp([2, 6, 6, 1])
    parts = [(a.weight.copy(), a.bias.copy()) for a in net.layers]
    parts[layer][1][0] = np.nextafter(parts[layer][1][0], 9)
    other = Network(parts)
    answer = agreement(net, other, hypercube(2, -1, 1))
    assert answer.holds is False
    assert answer.gap is not None and 0 < answer.gap < 1e-14
    assert answer.verify(net, other)


@settings(max_examples=30, deadline=None)
@given(networks(small), networks(small), st.integers(1, 2), st.integers(1, 2))
def test_against_cells_cut_by_definition(f: Network, g: Network, d: int, m: int) -> None:
    f, g = reshaped(f, d, m), reshaped(g, d, m)
    box = hypercube(d, -1, 1)
    answer = agreement(f, g, box)
    assert answer.gap == plain_gap(f, g, box)
    assert answer.holds is (answer.gap == 0)
    assert answer.verify(f, g)
    if answer.witness is not None:
        assert box.contains(answer.witness)
        assert plain_value(f, answer.witness) != plain_value(g, answer.witness)


@settings(max_examples=30, deadline=None)
@given(networks(rational), st.integers(0, 2), st.data())
def test_the_same_function_in_another_form(
    net: Network, n_layers: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(net.layers[0].n_out)))
    scales = [Fraction(k + 1, 3) for k in order]
    first = net.layers[0]
    rows = [[scales[i] * Fraction(v) for v in first.weight[j]] for i, j in enumerate(order)]
    bias = [scales[i] * Fraction(first.bias[j]) for i, j in enumerate(order)]
    moved = Layer(rows, bias, [first.slopes[j] for j in order])
    undo = [[int(order[i] == j) / scales[i] for i in range(len(order))] for j in range(len(order))]
    same = Network([moved, Layer(undo, None, "identity"), *net.layers[1:]])
    same = pad_depth(same, n_layers)
    answer = agreement(net, same, WholeSpace(net.input_dim))
    assert answer.holds is True and answer.gap == 0
    x = data.draw(points(net.input_dim))
    assert plain_value(net, x) == plain_value(same, x)


def test_unbounded_gap_has_a_ray() -> None:
    up, down = Network([([[1]], [0], "relu")]), Network([([[-1]], [0], "relu")])
    answer = agreement(up, down, WholeSpace(1))
    assert (answer.holds, answer.gap) == (False, math.inf)
    assert answer.ray in ((1,), (-1,))
    assert answer.verify(up, down)
    bounded = agreement(
        up, Network([([[1], [1]], [0, -1], "relu"), ([[1, -1]], [0])]), WholeSpace(1)
    )
    assert bounded.gap == math.inf
    saw = Network([([[1], [1]], [0, -1]), ([[1, -1]], [0])])
    tooth = Network([([[1], [1]], ["-1/4", "-5/4"]), ([[1, -1]], [0])])
    answer = agreement(saw, tooth, WholeSpace(1))
    assert (answer.gap, answer.ray) == (Fraction(1, 4), None)
    assert answer.verify(saw, tooth)


def test_polytopes_and_slices() -> None:
    tree, steps = parity_xor_tree(1), parity_shallow(2)
    below = Polytope([[1, 1], [-1, 0], [0, -1]], ["3/4", 0, 0])
    assert agreement(tree, steps, below).gap == Fraction(3, 4)
    edge = Slice([0, 0], [[1, 0]], hypercube(1))
    assert agreement(tree, steps, edge).holds
    diagonal = Slice([0, 0], [["1/2", "1/2"]], Box([0], [2]))
    answer = agreement(tree, steps, diagonal)
    assert (answer.gap, answer.gap_at) == (1, (HALF, HALF))
    assert answer.verify(tree, steps)
    line = agreement(
        Network([([[1, 0]], [0])]),
        Network([([[0, 0]], [0])]),
        Slice([0, 3], [[2, 0]], WholeSpace(1)),
    )
    assert line.gap == math.inf and line.ray is not None
    assert line.ray[1] == 0 != line.ray[0]


def test_budgets_leave_it_open() -> None:
    net = mlp([3, 16, 16, 1])
    answer = agreement(net, pad_depth(net, 1), hypercube(3, -1, 1), max_regions=5)
    assert (answer.holds, answer.stopped_by) == (None, "max_regions")
    assert not answer
    net = mlp([6, 24, 24, 1])
    late = agreement(net, pad_depth(net, 1), hypercube(6, -1, 1), time_limit=1e-6)
    assert (late.holds, late.stopped_by) == (None, "time_limit")


@pytest.mark.parametrize(("of", "step"), [("outputs", "is_zero_map"), ("argmax", "labels_of")])
def test_an_interrupt_between_cells_keeps_what_was_found(
    of: Any, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while a chunk is looked at: the chunks before it count, that one does not."""
    f, g = mlp([2, 40, 40, 3]), mlp([2, 40, 40, 3], seed=1)
    before = getattr(module, step)
    calls: list[int] = []

    def interrupted(*given: Any) -> Any:
        if len(calls) == stop_at:
            raise KeyboardInterrupt
        calls.append(1)
        return before(*given)

    monkeypatch.setattr(module, step, interrupted)
    monkeypatch.setattr("plregions.enumeration.budget.SECONDS_BETWEEN_REPORTS", 1e-4)
    square = hypercube(2, -1, 1)
    for stop_at, holds in ((0, None), (1, False)):
        calls.clear()
        answer = agreement(f, g, square, of=of)
        assert (answer.holds, answer.stopped_by) == (holds, "interrupt")
        assert (answer.n_checked == 0) is (stop_at == 0)
        assert (answer.witness is None) is (holds is None)
        assert answer.verify(f, g)


def test_interrupted_climb_keeps_the_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plregions.analysis.largest_output.maximise", interrupt)
    answer = agreement(mlp([2, 3, 1]), mlp([2, 3, 1], seed=1))
    assert (answer.holds, answer.stopped_by, answer.gap) == (False, "interrupt", None)


# --- vertices -------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(networks(), networks(), st.integers(1, 4), st.integers(1, 3), st.booleans())
def test_vertices_by_evaluation(f: Network, g: Network, d: int, m: int, of_labels: bool) -> None:
    f, g = reshaped(f, d, m + 1), reshaped(g, d, m + 1)
    corners = [tuple(map(Fraction, x)) for x in product((0, 1), repeat=d)]
    if not of_labels:
        answer = agreement(f, g, on="vertices")
        wrong = [x for x in corners if plain_value(f, x) != plain_value(g, x)]
        assert answer.gap == max(gap_at(f, g, x) for x in corners)
    else:
        answer = agreement(f, g, on="vertices", of="argmax")
        labels = [
            [[v == max(y) for v in y] for y in (plain_value(f, x), plain_value(g, x))]
            for x in corners
        ]
        wrong = [x for x, (a, b) in zip(corners, labels, strict=True) if a != b]
        assert answer.n_ties == sum(sum(a) > 1 or sum(b) > 1 for a, b in labels)
        assert answer.gap is None
    assert answer.holds is (not wrong)
    assert answer.n_different == len(wrong)
    assert answer.witness == (wrong[0] if wrong else None)
    assert answer.verify(f, g)


def test_vertices_of_another_box() -> None:
    f, g = Network([([[1, 1]], [0], (-1, 1))]), Network([([[1, 1]], [0])])
    box = Box(["-1/3", 0], [2, 1])
    answer = agreement(f, g, box, on="vertices")
    assert (answer.holds, answer.n_different, answer.witness) == (False, 1, (Fraction(-1, 3), 0))
    assert answer.gap == Fraction(2, 3)


def test_many_vertices() -> None:
    assert agreement(parity_tent(16), parity_shallow(16), on="vertices").holds
    net = mlp([14, 8, 1])
    parts = [(a.weight.copy(), a.bias.copy()) for a in net.layers]
    parts[1][1][0] = np.nextafter(parts[1][1][0], 9)
    answer = agreement(net, Network(parts), on="vertices")
    assert (answer.holds, answer.n_different) == (False, 2**14)
    answer = agreement(net, pad_depth(net, 2), on="vertices")
    assert answer.holds and answer.gap == 0


# --- labels ---------------------------------------------------------------------------------


def test_labels_on_the_solid_domain() -> None:
    # The label of f is 0 for x < 1/2, that of g for x < 1/2 + 2^-60; outputs differ a lot.
    f = Network([([[0], [1]], [0, "-1/2"])])
    g = Network([([[0], [3]], [0, Fraction(-3, 2) - Fraction(3, 2**60)])])
    answer = agreement(f, g, of="argmax")
    assert answer.holds is False and answer.witness is not None
    assert 0 < answer.witness[0] - HALF < Fraction(1, 2**60)
    assert answer.verify(f, g)
    assert agreement(f, Network([([[0], [7]], [0, "-7/2"])]), of="argmax").holds
    assert not agreement(f, Network([([[0], [7]], [0, "-7/2"])])).holds


def test_ties_on_whole_cells_are_counted() -> None:
    tie = Network([([[1]], ["-1/2"], "relu"), ([[0], [1]], [0, 0])])
    strict = Network([([[1]], ["-1/2"]), ([[0], [1]], [0, 0], "identity")])
    same = agreement(tie, tie, of="argmax")
    assert same.holds and same.n_ties == 1
    other = agreement(tie, Network([([[0], [1]], [0, "-1/2"])]), of="argmax")
    assert other.holds is False and other.n_ties == 1
    assert agreement(tie, strict, of="argmax").holds


@settings(max_examples=25, deadline=None)
@given(networks(small), networks(small), st.integers(2, 3), st.data())
def test_labels_agree_at_points(f: Network, g: Network, m: int, data: st.DataObject) -> None:
    f, g = reshaped(f, 2, m), reshaped(g, 2, m)
    weight = data.draw(st.lists(st.lists(small, min_size=m, max_size=m), min_size=m, max_size=m))
    mix = Layer(weight, None, "identity")
    f, g = Network([*f.layers, mix]), Network([*g.layers, mix])
    answer = agreement(f, g, of="argmax")
    if not answer.holds:
        assert answer.verify(f, g)
        return
    x = data.draw(points(2))
    if all(0 < v < 1 for v in x):
        tops = [
            [i for i, v in enumerate(y) if v == max(y)]
            for y in (plain_value(f, x), plain_value(g, x))
        ]
        assert set(tops[0]) & set(tops[1])


# --- the oracles see faults -----------------------------------------------------------------


def test_oracle_sees_a_zero_test_that_lets_all_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    f, g = parity_xor_tree(1), parity_shallow(2)
    monkeypatch.setattr(module, "is_zero_map", lambda _, patterns: np.ones(len(patterns), bool))
    assert agreement(f, g).holds is True  # wrong, and seen by the corners of the cells:
    assert plain_gap(f, g, hypercube(2)) == 1


def test_oracle_sees_a_gap_that_forgets_one_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    f, g = Network([([[1]], [-2])]), Network([([[0]], [0])])
    assert agreement(f, g).gap == 2
    right = Climb._climb_goal

    def one_sided(self: Climb, goal: Any, rows: Any) -> None:
        if goal[0] > 0:
            right(self, goal, rows)

    monkeypatch.setattr(Climb, "_climb_goal", one_sided)
    assert agreement(f, g).gap != plain_gap(f, g, hypercube(1)) == 2


def test_verify_sees_a_wrong_answer() -> None:
    f, g = parity_xor_tree(1), parity_shallow(2)
    answer = agreement(f, g)
    assert answer.verify(f, g)
    at_corner = (Fraction(0), Fraction(0))
    for change in (
        {"witness": at_corner},
        {"gap": Fraction(2)},
        {"gap_at": at_corner},
        {"ray": (Fraction(1), Fraction(0))},
    ):
        assert not dataclasses.replace(answer, **change).verify(f, g)  # type: ignore[arg-type]
    labels = Agreement(
        False, "domain", "argmax", at_corner, None, None, None, None, 1, 1, 0, None, ""
    )
    assert not labels.verify(f, g)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: agreement(mlp([2, 1]), "parity"), "needs a Network; got str"),  # type: ignore[arg-type]
        (lambda: agreement(mlp([2, 1]), mlp([3, 1])), "equal numbers of inputs and outputs"),
        (lambda: agreement(mlp([2, 1]), mlp([2, 1]), of="argmax"), "at least 2 outputs"),
        (lambda: agreement(mlp([2, 1]), mlp([2, 1]), on="edges"), 'on="domain" or'),  # type: ignore[arg-type]
        (lambda: agreement(mlp([2, 1]), mlp([2, 1]), of="sign"), 'of="outputs" or'),  # type: ignore[arg-type]
        (lambda: agreement(mlp([2, 1]), mlp([2, 1]), 3), "needs a Box, Polytope"),  # type: ignore[arg-type]
        (
            lambda: agreement(mlp([1, 1]), mlp([1, 1]), WholeSpace(1), on="vertices"),
            "needs a Box for its vertices",
        ),
        (lambda: agreement(mlp([25, 1]), mlp([25, 1]), on="vertices"), "at most 24 inputs"),
    ],
)
def test_wrong_use(call: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        call()
