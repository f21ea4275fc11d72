"""Networks against Boolean functions on all corners."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_network import plain_value
from oracles.small_networks import networks, rational

from plregions.analysis import boolean_function as module
from plregions.analysis.boolean_function import boolean_agreement
from plregions.constructions import parity_shallow, parity_tent, parity_xor_tree
from plregions.errors import InvalidInputError
from plregions.network import Layer, Network, mlp


def with_one_output(net: Network) -> Network:
    return Network([*net.layers, Layer([[1] * net.output_dim], None, "identity")])


@pytest.mark.parametrize("net", [parity_shallow(8), parity_tent(8), parity_xor_tree(3)])
def test_parity_three_ways(net: Network) -> None:
    answer = boolean_agreement(net, "parity")
    assert answer.is_equal and answer.is_separated
    assert (answer.n_vertices, answer.first_unequal, answer.first_on_wrong_side) == (
        256,
        None,
        None,
    )
    majority = boolean_agreement(net, "majority")
    assert majority.n_equal == sum(sum(x) % 2 == (sum(x) > 4) for x in product((0, 1), repeat=8))
    assert majority.first_unequal == (0, 0, 0, 0, 0, 0, 0, 1)


def test_inner_product() -> None:
    # x1 y1 + x2 y2 mod 2 as the tent of the sum of relu(x + y - 1).
    rows = [[1, 0, 1, 0], [0, 1, 0, 1]]
    net = Network([(rows, [-1, -1]), ([[1, 1], [1, 1]], [0, -1]), ([[1, -2]], [0])])
    assert boolean_agreement(net, "inner_product").is_equal
    table = [(x[0] * x[2] + x[1] * x[3]) % 2 for x in product((0, 1), repeat=4)]
    assert boolean_agreement(net, table).is_equal
    table[5] = 1 - table[5]
    assert boolean_agreement(net, table).first_unequal == (0, 1, 0, 1)


@settings(max_examples=50, deadline=None)
@given(networks(), rational, st.data())
def test_against_evaluation_one_by_one(net: Network, threshold: Any, data: st.DataObject) -> None:
    net = with_one_output(net)
    corners = list(product((0, 1), repeat=net.input_dim))
    table = data.draw(st.lists(st.booleans(), min_size=len(corners), max_size=len(corners)))
    outputs = [plain_value(net, x)[0] for x in corners]
    unequal = [x for x, y, t in zip(corners, outputs, table, strict=True) if y != t]
    wrong = [
        x
        for x, y, t in zip(corners, outputs, table, strict=True)
        if not (y > threshold if t else y < threshold)
    ]
    by_corner = dict(zip(corners, table, strict=True))
    for function in (table, by_corner.__getitem__, np.array(table)):
        answer = boolean_agreement(net, function, threshold=threshold)
        assert answer.n_equal == len(corners) - len(unequal)
        assert answer.n_on_its_side == len(corners) - len(wrong)
        assert answer.first_unequal == (unequal[0] if unequal else None)
        assert answer.first_on_wrong_side == (wrong[0] if wrong else None)


def test_an_output_on_the_threshold_is_on_neither_side() -> None:
    half = Network([([[0, 0]], ["1/2"])])
    assert boolean_agreement(half, "parity").n_on_its_side == 0
    above = Network([([[0, 0]], [0.5 + 2.0**-53])])
    assert boolean_agreement(above, "parity").n_on_its_side == 2


def test_weights_that_no_small_integer_holds() -> None:
    net = parity_shallow(6)
    tiny = Fraction(1, 3**60)
    moved = Network([*net.layers[:-1], (net.layers[-1].weight, [tiny])])
    answer = boolean_agreement(moved, "parity")
    assert (answer.n_equal, answer.n_on_its_side) == (0, 64)


def test_oracle_sees_a_table_read_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Network([([[1, 0]], [0])])
    table = [0, 0, 1, 1]
    assert boolean_agreement(net, table).is_equal
    right = module._rule
    monkeypatch.setattr(
        module, "_rule", lambda f, d: lambda s, bits: right(f, d)(s, bits[:, ::-1])[::-1]
    )
    assert not boolean_agreement(net, table).is_equal


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: boolean_agreement(mlp([2, 2]), "parity"), "one output; got 2"),
        (lambda: boolean_agreement(mlp([3, 1]), "inner_product"), "even number of inputs"),
        (lambda: boolean_agreement(mlp([3, 1]), "or"), 'one of "parity"'),
        (lambda: boolean_agreement(mlp([2, 1]), [0, 1]), "2\\^2 = 4 entries; got 2"),
        (lambda: boolean_agreement(mlp([1, 1]), [0, 2]), "values 0 and 1; got 2"),
        (lambda: boolean_agreement(mlp([1, 1]), 5), "got an object of type int"),  # type: ignore[arg-type]
        (lambda: boolean_agreement(mlp([1, 1]), "parity", threshold="x"), "finite threshold"),
        (lambda: boolean_agreement(mlp([30, 1]), "parity"), "at most 24 inputs"),
    ],
)
def test_wrong_use(call: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        call()
