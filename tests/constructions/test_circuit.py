"""Forms and circuits: arithmetic, sharing, layers, the limit on the size."""

from __future__ import annotations

from fractions import Fraction

import pytest

from plregions.constructions import circuit as module
from plregions.constructions.circuit import Circuit, weighted_sum
from plregions.errors import InvalidInputError


def test_arithmetic_of_forms() -> None:
    x, y = Circuit("f", 2).inputs
    form = 3 - 2 * (x - y) + Fraction(1, 2) + -y
    assert (form.level, form.weights, form.constant) == (0, {0: -2, 1: 1}, Fraction(7, 2))
    assert (x * 2 + 1 - 4).constant == -3
    assert sum([x, y], start=weighted_sum([], [])).weights == {0: 1, 1: 1}


def test_forms_of_two_layers_do_not_add() -> None:
    circuit = Circuit("f", 1)
    (x,) = circuit.inputs
    with pytest.raises(ValueError, match="forms of one layer; got 0, 1"):
        x + circuit.relu(x)
    with pytest.raises(ValueError, match="forms of one layer; got 1, 0"):
        circuit.relu(x) + x
    assert (circuit.relu(x) + 3).level == 1


def test_blocks() -> None:
    circuit = Circuit("f", 2)
    x, y = circuit.inputs
    net = circuit.network([circuit.carry(x), circuit.absolute(y), circuit.maximum(x, y)])
    assert net.widths == (7,)
    for point in ([1, 2], [-3, -5], [0, Fraction(1, 3)]):
        a, b = point
        assert net.exact(point) == (a, abs(b), max(a, b))


@pytest.mark.parametrize(("is_shared", "width"), [(False, 4), (True, 2)])
def test_sharing(is_shared: bool, width: int) -> None:
    """2 x is another row than x, and 0 y + x is the same."""
    circuit = Circuit("f", 2, is_shared)
    x, y = circuit.inputs
    units = [circuit.relu(form) for form in (x, 2 * x, x + 0 * y, y - y + x)]
    net = circuit.network([weighted_sum([1, 1, 1, 1], units)])
    assert net.widths == (width,)
    assert net.exact([3, 5]) == (15,)


def test_a_network_without_hidden_layers() -> None:
    circuit = Circuit("f", 2)
    x, y = circuit.inputs
    net = circuit.network([x + 2 * y + 1])
    assert (net.widths, net.exact([1, 1])) == ((), (4,))


def test_outputs_of_another_layer() -> None:
    circuit = Circuit("f", 1)
    (x,) = circuit.inputs
    circuit.relu(x)
    with pytest.raises(ValueError, match="network needs outputs of layer 1; got {0}"):
        circuit.network([x])


def test_limit_on_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WEIGHTS", 10)
    with pytest.raises(InvalidInputError, match="^f needs parameters .* at most 10 weights"):
        _ = Circuit("f", 11).inputs
    circuit = Circuit("f", 4)
    x = circuit.inputs[0]
    circuit.relu(x)
    with pytest.raises(InvalidInputError, match="got more"):
        circuit.relu(2 * x)
