"""`from_state_dict`: names, tensors and an order; what is missing or left over is named."""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from readers.stand_in_torch import Tensor

from plregions.errors import InvalidInputError, InvalidNetworkError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers import from_state_dict, from_torch
from plregions.readers import state_dict as reader
from plregions.readers.dense_steps import Activation, Dense

RNG = np.random.default_rng(3)
W0, b0 = RNG.standard_normal((3, 3)), RNG.standard_normal(3)
W1, b1 = RNG.standard_normal((3, 3)), RNG.standard_normal(3)
STATE = {"body.0.weight": W0, "body.0.bias": b0, "head.weight": W1, "head.bias": b1}
LAYERS = ["body.0", ("leaky_relu", 0.25), "head"]


def check_values(net: Network) -> None:
    """The oracle: the formula, in Fractions."""
    for x in ([1, 0, 0], [-2, 3, "1/3"], [5, -7, 11]):
        point = [Fraction(v) for v in x]
        h = [
            sum((Fraction(w) * v for w, v in zip(row, point, strict=True)), Fraction(b))
            for row, b in zip(W0.tolist(), b0.tolist(), strict=True)
        ]
        h = [v if v > 0 else v / 4 for v in h]
        y = [
            sum((Fraction(w) * v for w, v in zip(row, h, strict=True)), Fraction(b))
            for row, b in zip(W1.tolist(), b1.tolist(), strict=True)
        ]
        assert list(net.exact(point)) == y


def test_arrays_in_order() -> None:
    net = from_state_dict(STATE, LAYERS)
    check_values(net)
    check_values(from_state_dict(OrderedDict(reversed(STATE.items())), tuple(LAYERS)))
    tensors = {name: Tensor(value, "torch.float64") for name, value in STATE.items()}
    assert from_state_dict(tensors, LAYERS) == net


def test_no_bias_twice_and_relu() -> None:
    net = from_state_dict({"a.weight": W0}, ["a", "relu", "a"])
    assert net == Network([(W0, None), (W0, None)])


def test_slope_is_rounded_as_torch_rounds_it() -> None:
    for kind, slope in [("f4", float(np.float32(0.1))), ("f8", 0.1)]:
        state = {"a.weight": W0.astype(kind)}
        net = from_state_dict(state, ["a", ("leaky_relu", 0.1)])
        assert net.layers[0].slopes[0, 0] == slope
        net = from_state_dict(state, ["a", ("leaky_relu", Fraction(1, 10))])
        assert net.layers[0].slopes[0, 0] == Fraction(1, 10)


def test_a_layer_may_be_called_relu() -> None:
    net = from_state_dict({"relu.weight": W0, "1.weight": W1}, ["relu", "1"])
    assert net.n_neurons == 0 and net == Network([(W0, None, "identity"), (W1, None)])


@pytest.mark.parametrize(
    ("state", "layers", "message"),
    [
        (STATE, ["body.0", "relu"], r"no layer for 'head\.weight', 'head\.bias'"),
        (STATE, ["0", "relu", "head"], r"no '0\.weight'.*only 'body\.0\.weight'"),
        ({}, ["0"], r"no '0\.weight'.*empty"),
        ({**STATE, "1.running_mean": b0}, LAYERS, r"no layer for '1\.running_mean'"),
        (STATE, ["body.0", "ReLU", "head"], r"no 'ReLU\.weight'.*activations are 'relu'"),
        (STATE, ["body.0", "leaky_relu", "head"], r"slope.*\('leaky_relu', 0\.01\)"),
        (STATE, ["body.0", 3, "head"], "flat list"),
        (STATE, ["body.0", ("relu",), "head"], "flat list"),
        (STATE, "body.0", "list of layers"),
        (STATE, None, "list of layers"),
        ({"model": STATE, "epoch": 3}, LAYERS, r"checkpoint\['model'\]"),
        (list(STATE), LAYERS, r"module\.state_dict\(\)"),
    ],
)
def test_what_does_not_fit(state: Any, layers: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        from_state_dict(state, layers)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("entry", ["tanh", "Sigmoid", ("gelu", 1), ("elu", 1.0)])
def test_other_activations_by_name(entry: Any) -> None:
    name = entry if isinstance(entry, str) else entry[0]
    with pytest.raises(UnsupportedLayerError, match=f"{name} is not piecewise") as caught:
        from_state_dict(STATE, ["body.0", entry, "head"])
    assert caught.value.layer == name and "relu" in caught.value.supported


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"0.weight": np.ones((2, 3)), "1.weight": np.ones((1, 3))}, r"'1' .*after the 2 units"),
        ({"0.weight": np.ones((2, 3)), "0.bias": np.ones(3), "1.weight": np.ones((1, 2))}, "bias"),
        ({"0.weight": np.ones((2, 3, 1, 1)), "1.weight": np.ones((1, 2))}, r"'0\.weight'"),
        ({"0.weight": np.full((2, 3), np.inf), "1.weight": np.ones((1, 2))}, r"'0\.weight'"),
        ({"0.weight": [["x"]], "1.weight": np.ones((1, 2))}, r"'0\.weight'"),
        ({"0.weight": None, "1.weight": np.ones((1, 2))}, r"'0\.weight'"),
    ],
)
def test_weights_that_form_no_network(state: Any, message: str) -> None:
    with pytest.raises(InvalidNetworkError, match=message):
        from_state_dict(state, ["0", "relu", "1"])


def test_no_layer_with_a_weight() -> None:
    with pytest.raises(InvalidNetworkError, match="at least one layer"):
        from_state_dict({}, ["relu"])


@pytest.mark.parametrize("fault", ["transposed", "order", "slope ignored"])
def test_planted_fault(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = reader.network_of

    def wrong(steps: list[Any], *, verb: str) -> Network:
        if fault == "transposed":
            steps = [
                Dense(s.label, s.weight.T, s.bias) if isinstance(s, Dense) else s for s in steps
            ]
        elif fault == "order":
            steps = steps[::-1]
        else:
            steps = [Activation(0, 1) if isinstance(s, Activation) else s for s in steps]
        return right(steps, verb=verb)

    monkeypatch.setattr(reader, "network_of", wrong)
    with pytest.raises(AssertionError):
        check_values(from_state_dict(STATE, LAYERS))


def test_with_torch(tmp_path: Any) -> None:
    """B78: through a file and weights_only=True; the same network as from the module."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")
    nn = torch.nn
    for kind in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        module = nn.Sequential(
            nn.Linear(2, 4), nn.LeakyReLU(0.01), nn.Sequential(nn.Linear(4, 3, bias=False))
        ).to(kind)
        torch.save(module.state_dict(), tmp_path / "net.pt")
        state = torch.load(tmp_path / "net.pt", weights_only=True)
        layers = ["0", ("leaky_relu", 0.01), "2.0"]
        assert from_state_dict(state, layers) == from_torch(module)
    with pytest.raises(InvalidInputError, match="from_torch"):
        from_state_dict(module, ["0"])
