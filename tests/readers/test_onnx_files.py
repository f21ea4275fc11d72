"""ONNX files made by others: those in the onnx wheel, and real networks in ../shared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from oracles.call_counts import n_calls
from oracles.exact_onnx import exact_run
from readers.small_onnx import node, saved, small_model

from plregions.errors import FormatError, PLRegionsError, UnsupportedLayerError
from plregions.readers import load
from plregions.readers.onnx_graph import SUPPORTED

WHEEL = Path(onnx.__file__).parent / "backend" / "test" / "data"
W = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("name", "n_inputs", "n_outputs", "n_neurons"),
    [
        ("pytorch-converted/test_Linear", 10, 8, 0),
        ("pytorch-converted/test_Linear_no_bias", 10, 8, 0),
        ("pytorch-converted/test_ReLU", 60, 60, 60),
        ("pytorch-converted/test_LeakyReLU", 10, 10, 10),
        ("pytorch-converted/test_LeakyReLU_with_negval", 10, 10, 10),
        ("pytorch-converted/test_PixelShuffle", 144, 144, 0),
        ("pytorch-operator/test_operator_addconstant", 3, 3, 0),
        ("pytorch-operator/test_operator_flatten", 24, 24, 0),
        ("pytorch-operator/test_operator_view", 1, 1, 0),
        ("simple/test_single_relu_model", 2, 2, 2),
    ],
)
def test_wheel(name: str, n_inputs: int, n_outputs: int, n_neurons: int) -> None:
    folder = WHEEL / name
    if not folder.is_dir():
        pytest.skip(f"this onnx has no {name}")
    net = load(folder / "model.onnx")
    assert (net.input_dim, net.output_dim, net.n_neurons) == (n_inputs, n_outputs, n_neurons)
    x, y = (
        numpy_helper.to_array(onnx.load_tensor(folder / "test_data_set_0" / f"{part}_0.pb"))
        for part in ("input", "output")
    )
    found = net(x.reshape(-1, n_inputs).astype(np.float64))
    np.testing.assert_allclose(found, y.reshape(-1, n_outputs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "layer", "reason"),
    [
        ("pytorch-converted/test_Sigmoid", "Sigmoid", "not piecewise linear"),
        ("pytorch-converted/test_Softmax", "Softmax", "not piecewise linear"),
        ("pytorch-converted/test_Tanh", "Tanh", "not piecewise linear"),
        ("pytorch-converted/test_Conv2d", "Conv", "not supported yet"),
        ("pytorch-converted/test_BatchNorm1d_3d_input_eval", "BatchNormalization", "irrational"),
        ("pytorch-operator/test_operator_addmm", "0, 1, 2", "one input"),
        ("simple/test_sign_model", "Sign", "not continuous"),
    ],
)
def test_wheel_refusals(name: str, layer: str, reason: str) -> None:
    path = WHEEL / name / "model.onnx"
    if not path.is_file():
        pytest.skip(f"this onnx has no {name}")
    with pytest.raises(UnsupportedLayerError, match=reason) as caught:
        load(path)
    assert caught.value.layer == layer and caught.value.supported == SUPPORTED
    assert "\n" not in str(caught.value)


def test_every_small_model_of_the_wheel_is_read_or_refused() -> None:
    paths = [p for p in sorted(WHEEL.glob("*/*/model.onnx")) if p.stat().st_size < 2e5]
    outcomes = []
    for path in paths:
        try:
            load(path)
            outcomes.append("read")
        except PLRegionsError as error:
            outcomes.append(type(error).__name__)
    assert outcomes.count("read") >= 10 or not paths


@pytest.mark.parametrize(
    ("operators", "layer"),
    [
        (["Gemm", "Sigmoid", "Gemm"], "Sigmoid"),
        (["Gemm", "Relu", "Gemm", "Softmax"], "Softmax"),
        (["Gemm", "Tanh"], "Tanh"),
        (["Gemm", "Gelu", "Gemm"], "Gelu"),
        (["Relu", "Erf"], "Erf"),
    ],
)
def test_curved_operators_are_refused(operators: list[str], layer: str, tmp_path: Path) -> None:
    nodes, last = [], "x"
    for k, operator in enumerate(operators):
        inputs = [last, "W"] if operator == "Gemm" else [last]
        nodes.append(node(operator, *inputs, to=f"t{k}"))
        last = f"t{k}"
    path = saved(small_model(nodes, [None, 2], opset=20, W=W), tmp_path)
    with pytest.raises(UnsupportedLayerError, match=f"{layer} is not piecewise linear") as caught:
        load(path)
    assert caught.value.layer == layer and "LeakyRelu" in caught.value.supported


def test_structure_is_refused_by_name(tmp_path: Path) -> None:
    skip = [node("Relu", "x", to="a"), node("Add", "a", "x", to="y")]
    with pytest.raises(UnsupportedLayerError, match="skip connections") as caught:
        load(saved(small_model(skip, [1, 2]), tmp_path))
    assert caught.value.layer == "Add"
    model = small_model([node("Relu", "x", to="y")], [1, 2])
    second = helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, [1, 2])
    model.graph.node.append(node("Identity", "x", to="z"))
    model.graph.output.append(second)
    with pytest.raises(UnsupportedLayerError, match="one output; got .* with 2: y, z"):
        load(saved(model, tmp_path))
    model = small_model([node("MatMul", "x", "z", to="y")], [1, 2])
    model.graph.input.append(second)
    with pytest.raises(UnsupportedLayerError, match="one input; got .* with 2: x, z"):
        load(saved(model, tmp_path))
    foreign = helper.make_node("Gemm", ["x", "W"], ["y"], domain="com.microsoft", name="g1")
    with pytest.raises(UnsupportedLayerError, match="com.microsoft.Gemm|'g1'") as caught:
        load(saved(small_model([foreign], [1, 2], W=W), tmp_path))
    assert caught.value.layer == "com.microsoft.Gemm"
    mask = [helper.make_node("Dropout", ["x"], ["a", "m"]), node("Cast", "m", to="y")]
    mask[1].attribute.append(helper.make_attribute("to", onnx.TensorProto.FLOAT))
    with pytest.raises(UnsupportedLayerError, match="another output of Dropout"):
        load(saved(small_model(mask, [1, 2]), tmp_path))
    new = helper.make_node("Relu", ["x"], ["y"], slope=3.0)
    with pytest.raises(UnsupportedLayerError, match="attribute 'slope'"):
        load(saved(small_model([new], [1, 2]), tmp_path))


def test_inconsistent_graphs(tmp_path: Path) -> None:
    cases = {
        "'nothing'": small_model([node("Add", "x", "nothing")], [1, 2]),
        "is constant": small_model([node("Identity", "W")], [1, 2], W=W),
        "MatMul": small_model([node("MatMul", "x", "W")], [1, 3], W=W),
        "opset 4": small_model([node("Relu", "x")], [1, 2], opset=4),
        r"\[\?, \?\]": small_model([node("Relu", "x")], [None, None]),
        "has none": small_model([node("Relu", "x")], None),
    }
    integers = small_model([node("Relu", "x")], [1, 2])
    integers.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    cases["INT64"] = integers
    cases["left out"] = small_model([node("Gemm", "x", "")], [1, 2])
    cases["an input that it needs"] = small_model(
        [node("Relu", "", to="a"), node("MatMul", "x", "a")], [1, 2]
    )
    twice = [node("Relu", "x", to="a"), node("Identity", "a", to="x"), node("Relu", "x")]
    cases["there already"] = small_model(twice, [1, 2])
    wrong = small_model([node("Flatten", "x", axis=1.0)], [1, 2])
    cases["'axis' is not INT"] = wrong
    circle = small_model([node("Add", "x", "relu", to="a"), node("Relu", "a")], [1, 2])
    cases["'relu', which nothing before it makes|'a', which nothing"] = circle
    newer = small_model([node("Relu", "x")], [1, 2])
    newer.opset_import[0].version = 10_000
    cases["opset 10000. Update onnx"] = newer
    for message, model in cases.items():
        with pytest.raises(FormatError, match=message) as caught:
            load(saved(model, tmp_path))
        assert "\n" not in str(caught.value)


def test_order_of_nodes_and_unused_nodes(tmp_path: Path) -> None:
    """Nodes out of order are put in order; what the output does not need is not looked at."""
    nodes = [node("Sigmoid", "x"), node("Relu", "h"), node("MatMul", "x", "t", to="h")]
    nodes += [node("Transpose", "W", to="t")]
    model = small_model([*nodes, node("Identity", "relu", to="y")], [1, 2], W=W)
    assert load(saved(model, tmp_path)).exact([1, 1]) == (3, 7)


@pytest.mark.parametrize("opset", [8, 13, 21])
@pytest.mark.parametrize("listed", [False, True])
def test_one_network_in_every_opset(opset: int, listed: bool, tmp_path: Path) -> None:
    """B64: initialisers may be listed as inputs too."""
    nodes = [
        node("Flatten", "x", to="f"),
        node("Gemm", "f", "W", "b", to="h", transB=1),
        node("Relu", "h", to="r"),
        node("MatMul", "r", "W", to="m"),
        node("Add", "m", "b"),
    ]
    tensors = {"W": W, "b": [0.1, 0.2]}
    model = small_model(nodes, [1, 1, 1, 2], opset=opset, listed=listed, **tensors)
    first = small_model(nodes, [None, 2], opset=17, **tensors)
    net = load(saved(model, tmp_path))
    assert net == load(saved(first, tmp_path))


# ---------------------------------------------------------------- real networks in ../shared


@pytest.fixture
def nets(shared: Path) -> Path:
    return shared / "real_nets"


@pytest.mark.parametrize(
    ("name", "sizes", "n_neurons"),
    [
        ("marabou/fc1.onnx", (2, 25, 25, 25, 2), 75),
        ("marabou/fc_2-2-3.onnx", (2, 2, 3), 2),
        ("marabou/ACASXU_experimental_v2a_1_1.onnx", (5, *[50] * 6, 5), 300),
        ("sisl_nnet/TestNetwork2.onnx", (5, *[50] * 6, 5), 300),
        ("vnncomp2022/cartpole.onnx", (4, 64, 64, 2), 128),
        ("vnncomp2022/lunarlander.onnx", (8, 64, 64, 4), 128),
        ("vnncomp2022/vdp.onnx", (3, 32, 32, 3), 64),
        ("vnncomp2022/gcas.onnx", (14, 32, 32, 14), 64),
        (
            "vnncomp2022/tllBench_n=2_N=M=8_m=1_instance_0_0.onnx",
            (2, 128, 64, 32, 16, 8, 4, 1),
            252,
        ),
        ("vnncomp2022/test_nano.onnx", (1, 1), 1),
        ("vnncomp2022/test_tiny.onnx", (1, 1, 1), 1),
        ("vnncomp2022/test_small.onnx", (1, 2, 2, 1), 4),
        ("nnenum/test_nano.onnx", (1, 1), 1),
    ],
)
def test_real_networks(nets: Path, name: str, sizes: tuple[int, ...], n_neurons: int) -> None:
    net = load(nets / name)
    assert (net.input_dim, *net.widths, net.output_dim) == sizes
    assert net.n_neurons == n_neurons
    assert all(layer.weight.dtype == layer.bias.dtype == np.float64 for layer in net.layers)
    model = onnx.load(nets / name)
    stored = {tensor.name for tensor in model.graph.initializer}
    (value,) = (value for value in model.graph.input if value.name not in stored)
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    x = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
    found = net.exact(x.ravel())
    expected = ReferenceEvaluator(model).run(None, {value.name: x})[0].ravel()
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose([float(v) for v in found], expected, atol=1e-4 * scale)
    if sum(sizes) < 150:
        assert found == tuple(exact_run(model, x).ravel())


def test_large_tensors_are_taken_whole(tmp_path: Path) -> None:
    """Reading takes as many calls for a wide network as for a narrow one: none for each entry."""

    def calls(width: int) -> int:
        nodes = [node("Gemm", "x", "V", "b"), node("Relu", "gemm"), node("MatMul", "relu", "W")]
        rng = np.random.default_rng(width)
        sizes = {"V": (width, width), "b": (width,), "W": (width, 2)}
        tensors = {name: rng.standard_normal(size) for name, size in sizes.items()}
        path = saved(small_model(nodes, [None, width], **tensors), tmp_path)
        return n_calls(lambda: load(path))

    calls(2)  # what is made at the first use alone
    assert calls(300) == calls(3) < 1000


def test_weights_on_the_left_are_not_transposed(nets: Path) -> None:
    """B62: the inner layers are square, so a transposed network loads without complaint."""
    path = nets / "sisl_nnet" / "TestNetwork2.onnx"
    net = load(path)
    stored = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    for k, layer in enumerate(net.layers):
        assert np.array_equal(layer.weight, stored[f"W{k}"].astype(np.float64))
        assert np.array_equal(layer.bias, stored[f"B{k}"].astype(np.float64))


def test_acas_equals_its_nnet(nets: Path) -> None:
    """The same network in another format, read here by a few lines of the test."""
    name = "ACASXU_experimental_v2a_1_1"
    lines = (nets / "marabou" / f"{name}.nnet").read_text().splitlines()
    rows = [line.rstrip(", ").split(",") for line in lines if not line.startswith("//")]
    sizes = [int(size) for size in rows[1]]
    numbers = iter([[float(v) for v in row] for row in rows[7:]])
    net = load(nets / "marabou" / f"{name}.onnx")
    for layer, n_in, n_out in zip(net.layers, sizes, sizes[1:], strict=False):
        weight = np.array([next(numbers) for _ in range(n_out)])
        bias = np.array([next(numbers)[0] for _ in range(n_out)])
        assert weight.shape == (n_out, n_in)
        np.testing.assert_allclose(layer.weight, weight, atol=1e-5)
        np.testing.assert_allclose(layer.bias, bias, atol=1e-5)


def test_both_sides_and_factors(nets: Path) -> None:
    """MatMul on both sides, Gemm with alpha and beta, several reshapes: equal in Fractions."""
    path = nets / "marabou" / "fc_matMul.onnx"
    net = load(path)
    assert (net.input_dim, net.output_dim) == (125, 5)
    x = np.random.default_rng(0).standard_normal((25, 5))
    assert net.exact(x.ravel()) == tuple(exact_run(onnx.load(path), x).ravel())


@pytest.mark.parametrize(
    ("name", "layer", "reason"),
    [
        ("fc_2-2sigmoids-3", "Sigmoid", "Sigmoid is not piecewise linear"),
        ("oneInput_twoBranches", "Y, add1", "one output"),
        ("KJ_TinyTaxiNet", "Conv", "Conv is piecewise linear but not supported yet"),
        ("fc2", "Flatten", "mixes the batch axis"),
        ("linear2-3_bn1-linear3-1", "BatchNormalization", "irrational"),
        ("certificate_and_controller_mandal", "input_1, input_2", "one input"),
    ],
)
def test_real_refusals(nets: Path, name: str, layer: str, reason: str) -> None:
    with pytest.raises(UnsupportedLayerError, match=reason) as caught:
        load(nets / "marabou" / f"{name}.onnx")
    assert caught.value.layer == layer and caught.value.supported == SUPPORTED


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", None),
        ("cast_int_to_float", None),
        ("dropout", None),
        ("flatten", None),
        ("gemm", None),
        ("identity", None),
        ("leakyRelu", None),
        ("matmul", None),
        ("relu", None),
        ("reshape", None),
        ("squeeze", None),
        ("sub", None),
        ("transpose", None),
        ("sigmoid", UnsupportedLayerError),
        ("batchnorm", UnsupportedLayerError),
        ("constant", FormatError),
    ],
)
def test_layer_zoo(nets: Path, name: str, expected: type[Exception] | None) -> None:
    path = nets / "marabou" / "layer-zoo" / f"{name}.onnx"
    if expected is not None:
        with pytest.raises(expected):
            load(path)
        return
    net = load(path)
    model = onnx.load(path)
    # This collection puts its constants behind the nodes that use them.
    nodes = sorted(model.graph.node, key=lambda n: (n.op_type != "Constant", n.op_type != "Cast"))
    model.graph.ClearField("node")
    model.graph.node.extend(nodes)
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    x = np.random.default_rng(0).standard_normal(shape)
    rows = x.reshape(-1, net.input_dim)
    found = [value for row in rows for value in net.exact(row)]
    assert found == list(exact_run(model, x).ravel())
