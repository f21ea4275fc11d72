"""The quick walk and the quick crossings: against plain Fractions, and with planted faults."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import crossed_pieces, integer_segments
from oracles.crossed_pieces import PlanePieces, crossings, inner_point
from oracles.integer_segments import IntegerWalk
from oracles.plain_segments import labels_along
from oracles.small_networks import networks

import plregions as plr

F = Fraction
SQUARE = plr.Box([-1, -1], [1, 1])
SMALL = st.integers(-4, 4).map(lambda v: F(v, 2))


def random_segments(n: int) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    return [(inner_point(rng, SQUARE), inner_point(rng, SQUARE)) for _ in range(n)]


@settings(max_examples=200)
@given(networks(), st.data())
def test_labels_of_any_small_network(net: plr.Network, data: st.DataObject) -> None:
    # Small coordinates: ends on walls, walls along the segment, ends that are equal.
    ends = st.lists(SMALL, min_size=net.input_dim, max_size=net.input_dim)
    p, q = data.draw(ends), data.draw(ends)
    m = data.draw(st.integers(2, 3))
    rows = data.draw(st.lists(st.lists(st.integers(-2, 2), min_size=m, max_size=m),
                              min_size=net.output_dim, max_size=net.output_dim))  # fmt: skip
    several = plr.compose(plr.Network([(np.array(rows).T, [0] * m)]), net)
    assert IntegerWalk(several).labels(p, q) == labels_along(several, p, q)


def test_labels_beside_absolute_values() -> None:
    # |x| against 1/2, leaky outputs behind it.
    net = plr.Network(
        [plr.Layer([[1]], [0], (-1, 1)), plr.Layer([[1], [0]], ["-1/4", "1/4"], ("1/3", 1))]
    )
    assert IntegerWalk(net).labels([F(-1)], [F(1)]) == [(0, (0,)), (F(1, 4), (1,)), (F(3, 4), (0,))]
    assert IntegerWalk(net).labels([F(-1)], [F(1)]) == labels_along(net, [F(-1)], [F(1)])


def deep() -> plr.Network:
    return plr.mlp([2, 8, 8, 4], seed=3)


def test_a_turn_that_is_forgotten_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    net, signs = deep(), integer_segments._signs
    ends = random_segments(20)
    plain = [labels_along(net, p, q) for p, q in ends]
    assert [IntegerWalk(net).labels(p, q) for p, q in ends] == plain
    monkeypatch.setattr(integer_segments, "_signs", lambda *a: (signs(*a)[0], {}))
    assert [IntegerWalk(net).labels(p, q) for p, q in ends] != plain


def test_crossings_in_the_plane() -> None:
    net = deep()
    boundary = plr.decision_boundary(net, SQUARE)
    assert len(boundary) > 5
    quick, walk, total = PlanePieces(boundary), IntegerWalk(net), 0
    for p, q in random_segments(40):
        found = quick.crossings(p, q)
        assert found == crossings(boundary, p, q)
        labels = walk.labels(p, q)
        assert found == [(t, a, b) for (_, a), (t, b) in zip(labels, labels[1:], strict=False)]
        total += len(found)
    assert total > 20


def test_a_line_turned_around_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    boundary = plr.decision_boundary(deep(), SQUARE)
    ends = random_segments(10)
    right = [PlanePieces(boundary).crossings(p, q) for p, q in ends]
    honest = crossed_pieces._cross
    monkeypatch.setattr(crossed_pieces, "_cross", lambda p, q: honest(q, p))
    assert [PlanePieces(boundary).crossings(p, q) for p, q in ends] != right


@pytest.mark.parametrize(
    ("p", "q"),
    [((0, 0), (F(1, 2), 0)), ((0, -1), (0, 1)), ((F(-1, 2), 1), (F(1, 2), 1)), ((0, 1), (1, 1))],
)
def test_segments_that_touch_are_refused(p: Any, q: Any) -> None:
    # Class 0 for x > 0, class 1 for x < 0, in the square: one piece, from (0, -1) to (0, 1).
    net = plr.Network([([[1, 0], [-1, 0]], None)])
    pieces = PlanePieces(plr.decision_boundary(net, SQUARE))
    p, q = [F(v) for v in p], [F(v) for v in q]
    with pytest.raises(ValueError, match="touches piece 0"):
        pieces.crossings(p, q)
    assert pieces.crossings([F(-1), F(0)], [F(1), F(0)]) == [(F(1, 2), (1,), (0,))]
    assert pieces.crossings([F(1, 2), F(1)], [F(1), F(1)]) == []
