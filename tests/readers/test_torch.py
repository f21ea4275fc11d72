"""`from_torch`: the module's own function, exactly; other modules refused by name.

Most tests run twice: on a stand-in for torch that shows what the reader uses of it, and on torch
where it is installed.
"""

from __future__ import annotations

import copy
import importlib
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from readers import stand_in_torch
from readers.docstring_examples import failures_in_examples

from plregions.errors import InvalidInputError, InvalidNetworkError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.network.random import mlp
from plregions.readers import from_torch, load
from plregions.readers import torch as reader
from plregions.readers.dense_steps import Activation, Dense, network_of


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed: pip install torch")


@pytest.fixture(params=["stand-in", "torch"])
def nn(request: pytest.FixtureRequest) -> Any:
    if request.param == "stand-in":
        return stand_in_torch
    torch = request.getfixturevalue("torch")
    torch.manual_seed(0)
    return torch.nn


def numbers(tensor: Any) -> np.ndarray:
    """The values of a tensor of torch or of the stand-in, as float64."""
    tensor = tensor.detach().cpu()
    return np.array((tensor.double() if hasattr(tensor, "double") else tensor).numpy(), "f8")


def in_fractions(module: Any, x: list[Fraction]) -> list[Fraction]:
    """The oracle: layer after layer in Fractions, straight from the definitions of the layers."""
    kind = next(c.__name__ for c in type(module).__mro__ if c.__module__.startswith("torch.nn.mod"))
    if kind == "Sequential":
        for part in module._modules.values():
            x = in_fractions(part, x)
    elif kind == "Linear":
        weight = numbers(module.weight).tolist()
        bias = [0.0] * len(weight) if module.bias is None else numbers(module.bias).tolist()
        x = [
            sum((Fraction(w) * v for w, v in zip(row, x, strict=True)), Fraction(b))
            for row, b in zip(weight, bias, strict=True)
        ]
    elif kind in {"ReLU", "LeakyReLU"}:
        slope = Fraction(getattr(module, "negative_slope", 0))
        x = [v if v > 0 else slope * v for v in x]
    else:
        assert kind in {"Identity", "Dropout", "Flatten"}
    return x


def check_exact(net: Network, module: Any) -> None:
    rng = np.random.default_rng(5)
    for scale in (0.0, 0.1, 1.0, 50.0):
        x = [Fraction(v) for v in (scale * rng.standard_normal(net.input_dim)).tolist()]
        assert list(net.exact(x)) == in_fractions(module, x)


def big(nn: Any) -> Any:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(3, 5),
        nn.ReLU(),
        nn.Sequential(nn.Dropout(0.5), nn.Linear(5, 5, bias=False), nn.LeakyReLU(0.25)),
        nn.Identity(),
        nn.Sequential(),
        nn.Linear(5, 4),
        nn.ReLU(),
        nn.Linear(4, 2),
    )


def test_nested_sequential(nn: Any) -> None:
    module = big(nn)
    net = from_torch(module)
    assert (net.input_dim, net.widths, net.output_dim, net.n_neurons) == (3, (5, 5, 4), 2, 14)
    assert net.layers[1].slopes.tolist() == [[0.25, 1.0]] * 5
    check_exact(net, module)


@pytest.mark.parametrize("is_training", [True, False])
def test_flags_come_back(nn: Any, is_training: bool) -> None:
    module = big(nn)
    for part in module.modules():
        part.training = is_training
    module[3][0].training = not is_training  # a mixture comes back as the same mixture
    before = [part.training for part in module.modules()]
    net = from_torch(module)
    assert [part.training for part in module.modules()] == before
    check_exact(net, module)


def test_flags_come_back_after_an_error(nn: Any) -> None:
    module = nn.Sequential(nn.Dropout(), nn.Linear(2, 3), nn.Linear(4, 1))
    with pytest.raises(InvalidNetworkError, match=r"Linear '2'.*\(1, 4\) after the 3 units"):
        from_torch(module)
    assert all(part.training for part in module.modules())


def test_a_module_used_twice(nn: Any) -> None:
    linear, relu = nn.Linear(3, 3), nn.ReLU()
    module = nn.Sequential(linear, relu, linear, relu, linear)
    net = from_torch(module)
    assert net.layers[0].weight.tolist() == net.layers[2].weight.tolist()
    assert net.n_neurons == 6
    check_exact(net, module)


def test_ends(nn: Any) -> None:
    """A lone Linear, an activation first, an activation last, Linear after Linear."""
    for module, n_neurons in [
        (nn.Linear(3, 2), 0),
        (nn.Sequential(nn.ReLU(), nn.Linear(3, 2)), 3),
        (nn.Sequential(nn.Linear(3, 2), nn.ReLU()), 2),
        (nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2), nn.ReLU(), nn.ReLU()), 4),
    ]:
        net = from_torch(module)
        assert net.n_neurons == n_neurons
        check_exact(net, module)


def test_subclass_counts_as_its_base(nn: Any) -> None:
    body = type("Body", (nn.Sequential,), {"extra": 1})
    module = body(nn.Linear(2, 2), nn.ReLU())
    check_exact(from_torch(module), module)


@pytest.mark.parametrize("name", ["Sigmoid", "Tanh", "GELU", "PReLU", "BatchNorm1d"])
def test_refused_by_name(nn: Any, name: str) -> None:
    layer = nn.BatchNorm1d(2) if name == "BatchNorm1d" and nn is not stand_in_torch else None
    module = nn.Sequential(nn.Linear(2, 2), nn.Sequential(layer or getattr(nn, name)()))
    with pytest.raises(
        UnsupportedLayerError, match=f"{name} at '1.0'.*Supported.*Linear"
    ) as caught:
        from_torch(module)
    assert caught.value.layer == name
    assert caught.value.supported == reader.SUPPORTED
    assert "\n" not in str(caught.value)


def test_own_forward_pass_is_refused(nn: Any) -> None:
    def forward(self: Any, x: Any) -> Any:
        return x

    own = type("Own", (nn.Module,), {"forward": forward, "__module__": "users"})
    doubled = type("Doubled", (nn.Linear,), {"forward": forward, "__module__": "users"})
    patched = nn.Linear(2, 2)
    patched.forward = lambda x: x
    for module, name in [(own(), "Own"), (doubled(2, 2), "Doubled"), (patched, "Linear")]:
        for given in (module, nn.Sequential(nn.Linear(2, 2), module)):
            with pytest.raises(UnsupportedLayerError, match=r"forward.*plr\.load") as caught:
                from_torch(given)
            assert caught.value.layer == name


def test_forged_names_are_not_enough(nn: Any) -> None:
    """A class of torch's library with the name of a layer but from elsewhere in it."""
    quantised = type("Linear", (nn.Linear,), {"__module__": "torch.ao.nn.qat.modules.linear"})
    with pytest.raises(UnsupportedLayerError, match=r"torch\.ao\.nn\.qat"):
        from_torch(quantised(2, 2))


@pytest.mark.parametrize(("start_dim", "end_dim"), [(0, -1), (2, -1), (1, 2)])
def test_flatten_that_mixes_rows(nn: Any, start_dim: int, end_dim: int) -> None:
    with pytest.raises(UnsupportedLayerError, match=r"Flatten '0'.*nn\.Flatten\(1\)"):
        from_torch(nn.Sequential(nn.Flatten(start_dim, end_dim), nn.Linear(2, 2)))


def test_no_module(nn: Any) -> None:
    for given, advice in [
        (3, "nn.Sequential"),
        (None, "nn.Sequential"),
        ({"0.weight": 1}, "from_state_dict"),
        ("net.pt", "plr.load"),
        (Path("net.pt"), "plr.load"),
        (nn.Linear, "an instance"),
        (mlp([2, 2, 1]), "nn.Sequential"),
    ]:
        with pytest.raises(InvalidInputError, match=advice):
            from_torch(given)


def test_nothing_to_read_and_loops(nn: Any) -> None:
    for module in (nn.Sequential(), nn.Sequential(nn.ReLU())):
        with pytest.raises(InvalidNetworkError, match="at least one Linear"):
            from_torch(module)
    module = nn.Sequential(nn.Linear(2, 2))
    module._modules["1"] = module
    with pytest.raises(InvalidNetworkError, match="'1' inside itself"):
        from_torch(module)
    with pytest.raises(InvalidNetworkError, match="finite slope"):
        from_torch(nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(float("inf"))))


def transposed(steps: list[Any]) -> list[Any]:
    return [
        Dense(step.label, step.weight.T, step.bias) if isinstance(step, Dense) else step
        for step in steps
    ]


def without_slope(steps: list[Any]) -> list[Any]:
    return [Activation(0, 1) if isinstance(step, Activation) else step for step in steps]


def without_bias(steps: list[Any]) -> list[Any]:
    return [
        Dense(step.label, step.weight, None) if isinstance(step, Dense) else step for step in steps
    ]


FAULTS = {
    "transposed": transposed,
    "order": lambda steps: steps[::-1],
    "slope ignored": without_slope,
    "bias ignored": without_bias,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault(nn: Any, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the reader is caught by its own comparison, and by the oracle of these tests."""
    module = nn.Sequential(nn.Linear(3, 3), nn.LeakyReLU(0.25), nn.Linear(3, 3))
    right = reader._read

    def wrong(leaves: Any, kind: Any) -> Any:
        steps = FAULTS[fault](right(leaves, kind)[0])
        return steps, network_of(steps, verb="test")

    monkeypatch.setattr(reader, "_read", wrong)
    with pytest.raises(InvalidNetworkError, match=r"needs to read Sequential right.*points differ"):
        from_torch(module)
    monkeypatch.setattr(reader, "refuse_difference", lambda *args: None)
    net = from_torch(module)
    with pytest.raises(AssertionError):
        check_exact(net, module)


@pytest.mark.parametrize("depth", [2, 8, 20])
def test_fault_in_the_middle_of_a_deep_module(
    nn: Any, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bound for the worst case would let it pass from ten layers on."""
    layers = [(nn.Linear(24, 24), nn.ReLU()) for _ in range(depth)]
    module = nn.Sequential(*(part for pair in layers for part in pair))
    if nn is not stand_in_torch:
        for linear, _ in layers:
            nn.init.kaiming_normal_(linear.weight)
    assert from_torch(module).depth == depth
    right = reader._read

    def wrong(leaves: Any, kind: Any) -> Any:
        steps = right(leaves, kind)[0]
        steps[depth : depth + 1] = transposed(steps[depth : depth + 1])
        return steps, network_of(steps, verb="test")

    monkeypatch.setattr(reader, "_read", wrong)
    with pytest.raises(InvalidNetworkError, match="points differ"):
        from_torch(module)


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16"])
def test_rounding_is_no_fault(torch: Any, name: str) -> None:
    """Many sums of few products, and many layers: neither may raise an alarm."""
    nn, kind = torch.nn, getattr(torch, name)
    n_wide = 100 if name == "float64" else 2000
    for n in (2, 5, 64):
        from_torch(nn.Linear(n, n_wide, bias=False).to(kind))
    for width in (1, 3, 40):
        layers = [(nn.Linear(width, width), nn.LeakyReLU(-0.3)) for _ in range(12)]
        from_torch(nn.Sequential(*(part for pair in layers for part in pair)).to(kind))


def test_wrong_number_in_the_stand_in() -> None:
    """The comparison is with the forward pass, not with the weights."""
    module = stand_in_torch.Linear(2, 2)
    module.forward = None  # type: ignore[method-assign]
    with pytest.raises(UnsupportedLayerError):
        from_torch(module)
    module = stand_in_torch.Linear(2, 2)
    module.weight.dtype = "torch.int64"
    with pytest.raises(InvalidNetworkError, match=r"torch\.int64 in Linear"):
        from_torch(module)
    module = stand_in_torch.Linear(2, 2)
    module.weight.values[0, 1] = np.nan
    with pytest.raises(InvalidNetworkError, match=r"NaN in the weight of Linear\[0, 1\]"):
        from_torch(module)


def test_torch_is_never_imported() -> None:
    """B80: neither to read a stand-in nor to say that there is no module."""
    program = (
        "import sys; sys.modules['torch'] = sys.modules['sklearn'] = None\n"
        "sys.path.insert(0, 'tests')\n"
        "from plregions.readers import from_sklearn, from_torch\n"
        "from readers import stand_in_torch as nn\n"
        "print(from_torch(nn.Sequential(nn.Linear(2, 3), nn.ReLU())))\n"
        "for read in (from_torch, from_sklearn):\n"
        "    try: read(3)\n"
        "    except ValueError as error: print(type(error).__name__)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == [
        "Network(2-3, 3 neurons)",
        "InvalidInputError",
        "InvalidInputError",
    ]


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16"])
def test_float_types(torch: Any, name: str) -> None:
    torch.manual_seed(1)
    module = big(torch.nn).to(getattr(torch, name))
    before = torch.random.get_rng_state()
    net = from_torch(module)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert {str(p.dtype) for p in module.parameters()} == {f"torch.{name}"}
    assert all(p.requires_grad and p.grad is None for p in module.parameters())
    check_exact(net, module)
    points = np.random.default_rng(0).standard_normal((50, 3))
    in_float64 = copy.deepcopy(module).double().eval()(torch.from_numpy(points))
    assert np.allclose(net(points), in_float64.detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16"])
def test_slope_is_the_one_that_torch_multiplies_by(torch: Any, name: str) -> None:
    kind = getattr(torch, name)
    module = torch.nn.Sequential(torch.nn.Linear(1, 1, bias=False), torch.nn.LeakyReLU(0.1))
    module = module.to(kind)
    module[0].weight.data[:] = 1
    net = from_torch(module)
    assert net.layers[0].slopes[0, 0] == (0.1 if name == "float64" else float(np.float32(0.1)))
    x = -torch.rand(2000, 1, dtype=torch.float64).to(kind)
    exact = net(x.double().numpy())
    assert torch.equal(module(x).detach(), torch.from_numpy(exact).to(kind))


def test_equals_the_export(torch: Any, tmp_path: Path) -> None:
    """The same network as from ONNX, slope included."""
    helper = pytest.importorskip("onnx.helper")
    numpy_helper = pytest.importorskip("onnx.numpy_helper")
    module = torch.nn.Sequential(
        torch.nn.Linear(2, 3), torch.nn.LeakyReLU(0.01), torch.nn.Linear(3, 1)
    )
    state = {name: value.numpy() for name, value in module.state_dict().items()}
    nodes = [
        helper.make_node("Gemm", ["x", "0.weight", "0.bias"], ["h"], transB=1),
        helper.make_node("LeakyRelu", ["h"], ["r"], alpha=0.01),
        helper.make_node("Gemm", ["r", "2.weight", "2.bias"], ["y"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "module",
        [helper.make_tensor_value_info("x", 1, [None, 2])],
        [helper.make_tensor_value_info("y", 1, [None, 1])],
        [numpy_helper.from_array(value, name) for name, value in state.items()],
    )
    (tmp_path / "net.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    assert load(tmp_path / "net.onnx") == from_torch(module)


def test_parametrised_weights(torch: Any) -> None:
    nn, utils = torch.nn, torch.nn.utils
    normed = utils.parametrizations.weight_norm(nn.Linear(3, 3))
    spectral = utils.parametrizations.spectral_norm(nn.Linear(3, 3))
    buffers = [buffer.clone() for buffer in spectral.buffers()]
    prune = importlib.import_module("torch.nn.utils.prune")
    pruned = prune.l1_unstructured(nn.Linear(3, 3), "weight", 4)
    for layer in (normed, spectral, pruned):
        module = nn.Sequential(layer, nn.ReLU())
        net = from_torch(module)
        with torch.no_grad():
            expected = module.eval()(torch.ones(1, 3)).double().numpy()[0]
        assert np.allclose(net(np.ones(3)), expected, atol=1e-6)
    assert all(torch.equal(a, b) for a, b in zip(buffers, spectral.buffers(), strict=True))


def test_hooks(torch: Any) -> None:
    """A hook that watches is welcome, one that changes values is found out, one that stops said."""
    seen = []
    module = torch.nn.Sequential(torch.nn.Linear(2, 2))
    watch = module.register_forward_hook(lambda m, x, y: seen.append(y.shape))
    check_exact(from_torch(module), module)
    assert seen == [(32, 2)]
    watch.remove()
    change = module.register_forward_hook(lambda m, x, y: 2 * y)
    with pytest.raises(InvalidNetworkError, match="hooks"):
        from_torch(module)
    change.remove()
    module.register_forward_hook(lambda m, x, y: seen[99])
    with pytest.raises(InvalidNetworkError, match="stops: IndexError"):
        from_torch(module)


def test_in_place_and_contexts(torch: Any) -> None:
    nn = torch.nn
    module = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(2, 3), nn.ReLU(inplace=True))
    for context in (torch.no_grad(), torch.inference_mode(), torch.autocast("cpu")):
        with context:
            check_exact(from_torch(module), module)
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    check_exact(from_torch(module), module)


def test_what_has_no_numbers(torch: Any) -> None:
    nn = torch.nn
    with pytest.raises(InvalidNetworkError, match="no data"):
        from_torch(nn.Linear(2, 2, device="meta"))
    with pytest.raises(UnsupportedLayerError, match="Run the module once"):
        from_torch(nn.LazyLinear(2))
    with pytest.raises(InvalidNetworkError, match="where it stops"):
        from_torch(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double()))
    for kind in (nn.Conv2d(1, 1, 1), nn.ModuleList([nn.Linear(2, 2)]), nn.Softmax(1)):
        with pytest.raises(UnsupportedLayerError, match=type(kind).__name__):
            from_torch(nn.Sequential(nn.Linear(2, 2), kind))


def test_example_in_the_docstring(torch: Any) -> None:
    assert failures_in_examples(from_torch) == 0
