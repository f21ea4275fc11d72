"""What `describe` says of networks whose sizes, numbers and neurons are known."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.analysis.inspect import describe


def planted() -> plr.Network:
    """In layer 0: 1 doubles 0, 2 is minus 0, 3 is 3 times 0, 4 zero, 5 constant, 6 dead, 7 on."""
    weight = [[1, 2], [1, 2], [-1, -2], [3, 6], [0, 0], [0, 0], [1, 1], [1, 1]]
    bias = [0, 0, 0, 0, 0, 1, -2, 2]
    sums = [[1] * 8, [-1] * 8, [0, 0, 0, 0, 0, 0, 0, 1]]
    return plr.Network([(weight, bias), (sums, [0, 0, -2], (0.25, 1)), ([[1, 1, 1]], [0.5])])


def test_sizes_and_rows() -> None:
    info = describe(planted())
    assert info.sizes == (2, 8, 3, 1)
    assert (info.depth, info.n_neurons, info.n_parameters) == (3, 11, 24 + 27 + 4)
    assert info.fingerprint == planted().fingerprint
    assert info.signs is None
    first, second, third = info.layers
    assert (first.n_in, first.n_out, first.n_neurons, first.slopes) == (2, 8, 8, "relu")
    assert (second.slopes, second.n_neurons, third.slopes) == ("(0.25, 1)", 3, "identity")
    assert first.rows.duplicate == ((0, 1),)
    assert first.rows.opposite == (((0, 1), (2,)),)
    assert first.rows.proportional == ((0, 1, 2, 3),)
    assert (first.rows.zero, first.rows.constant) == ((4,), (5,))
    assert second.rows.opposite == (((0,), (1,)),)
    assert (second.rows.duplicate, second.rows.proportional) == ((), ())


def test_signs_on_a_box() -> None:
    signs = describe(planted(), plr.hypercube(2, -1, 1)).signs
    assert signs is not None and signs.is_settled
    assert signs.dead == ((0, 4), (0, 6), (1, 1))
    assert signs.always_on == ((0, 5), (0, 7), (1, 0))
    assert signs.both_signs == ((0, 0), (0, 1), (0, 2), (0, 3), (1, 2))


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (3, "integers"),
        (2**70 + 1, "integers"),
        (1e300, "integers"),
        (0.5, "float32"),
        (float(np.float32(0.1)), "float32"),
        (2.0**-149, "float32"),
        (0.1, "float64"),
        (2.0**-150, "float64"),
        (1e300 * 2.0**-1000, "float64"),
        (Fraction(1, 3), "rationals"),
        (2**70 + Fraction(1, 2), "rationals"),
    ],
)
def test_kinds_of_numbers(number: Any, kind: str) -> None:
    for layer in ([[number, 2]], [0]), ([[1, 2]], [number]):
        info = describe(plr.Network([([[1, 1], [1, 0]], [0, 1]), layer]))
        assert (info.numbers, info.layers[0].numbers, info.layers[1].numbers) == (
            kind,
            "integers",
            kind,
        )


def test_slopes_in_words() -> None:
    rows = [[1], [1]]
    slopes = ["relu", "identity", (Fraction(1, 3), 1), [(0, 1), (1, 1)]]
    layers = [describe(plr.Network([(rows, None, pair)])).layers[0] for pair in slopes]
    assert [layer.slopes for layer in layers] == ["relu", "identity", "(1/3, 1)", "mixed"]
    assert [layer.n_neurons for layer in layers] == [2, 0, 2, 1]


def test_words() -> None:
    text = str(describe(planted(), plr.hypercube(2, -1, 1)))
    assert text.splitlines() == [
        "2-8-3-1 network, depth 3, 11 neurons, 55 parameters, weights and biases are float32"
        " numbers",
        "layer 0: 2 to 8, relu, 8 neurons, integers",
        "  equal rows: units 0 1",
        "  opposite rows: units 0 1 against 2",
        "  proportional rows: units 0 1 2 3",
        "  rows of zeros: units 4",
        "  zero weights, another bias: units 5",
        "layer 1: 8 to 3, (0.25, 1), 3 neurons, integers",
        "  opposite rows: units 0 against 1",
        "layer 2: 3 to 1, identity, 0 neurons, float32 numbers",
        "on Box([-1, -1], [1, 1]), proved exactly:",
        "  3 neurons dead (<= 0 everywhere): 0:4 0:6 1:1",
        "  3 neurons always on (>= 0 everywhere): 0:5 0:7 1:0",
        "  5 neurons of both signs",
        "  (10 by exact interval bounds, 1 by exact values at points; neurons are written"
        " layer:unit)",
    ]
    assert "on the square, proved" in describe(planted(), plr.hypercube(2)).in_words("the square")


def test_long_lists_are_cut() -> None:
    net = plr.Network([([[1]] * 40, [-2] * 40), ([[1] * 40], [0])])
    text = str(describe(net, plr.Box([0], [1])))
    assert "equal rows: units 0 1 2 3 4 5 6 7 8 9 10 11 and 28 more" in text
    assert "40 neurons dead (<= 0 everywhere): 0:0 0:1" in text
    assert "0:11 and 28 more" in text


def test_what_is_unknown_is_said() -> None:
    first = ([[1], [-1], [-1], [1]], [0, 0, 1, -1])
    net = plr.Network([first, ([[1, 1, 1, 1]], [-1]), ([[1]], [0])])
    text = str(describe(net, plr.Box([-2], [2]), time_limit=1e-6))
    assert "not settled, the time limit came first: 1 neuron unknown: 1:0" in text


@pytest.mark.parametrize("domain", [None, plr.hypercube(2, -1, 1)])
def test_members_for_json(domain: Any) -> None:
    info = describe(planted(), domain)
    members = info.to_dict()
    assert json.loads(json.dumps(members)) == members
    assert members["layers"][0]["duplicate_units"] == [[0, 1]]
    assert members["layers"][0]["opposite_units"] == [[[0, 1], [2]]]
    assert ("signs" in members) == (domain is not None)
    if domain is not None:
        assert members["signs"]["dead"] == [[0, 4], [0, 6], [1, 1]]
        assert len(members["signs"]["proofs"]) == members["neurons"] == 11


def test_wrong_arguments() -> None:
    with pytest.raises(plr.InvalidInputError, match="describe needs a Network; got str"):
        describe("net.onnx")  # type: ignore[arg-type]
    with pytest.raises(plr.InvalidDomainError, match="dimension 2"):
        describe(planted(), plr.hypercube(3))
