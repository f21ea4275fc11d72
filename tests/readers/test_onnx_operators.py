"""Every operator and attribute by hand: what `load` makes of one of them, at one point."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from oracles.exact_onnx import exact_run
from readers.small_onnx import node, saved, small_model

from plregions.errors import FormatError, InvalidNetworkError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers import load

W = [[1.0, 2.0], [3.0, 4.0]]
B = [10.0, 20.0]
ROW = [None, 2]  # a batch of free length, two inputs


def network_of(model: onnx.ModelProto, folder: Path) -> Network:
    return load(saved(model, folder))


def value(model: onnx.ModelProto, folder: Path, x: list[float] | None = None) -> list[float]:
    net = network_of(model, folder)
    return [float(number) for number in net.exact(x or [1] * net.input_dim)]


@pytest.mark.parametrize("opset", [8, 9, 11, 13, 21, 24])
@pytest.mark.parametrize(
    ("attributes", "has_bias", "expected"),
    [
        ({}, True, [14, 26]),
        ({"transB": 1}, True, [13, 27]),
        ({"alpha": 0.5, "beta": 2.0}, True, [22, 43]),
        ({"transB": 1, "alpha": 0.5}, True, [11.5, 23.5]),
        ({"transB": 1}, False, [3, 7]),
        ({"beta": 0.0}, True, [4, 6]),
    ],
)
def test_gemm(attributes, has_bias, expected, opset, tmp_path: Path) -> None:
    inputs = ["x", "W", "B"] if has_bias else ["x", "W"]
    model = small_model([node("Gemm", *inputs, **attributes)], ROW, opset=opset, W=W, B=B)
    assert value(model, tmp_path) == expected


@pytest.mark.parametrize("bias", [7.0, [7.0], [[7.0]], [7.0, 7.0], [[7.0, 7.0]]])
def test_gemm_bias_of_any_shape(bias, tmp_path: Path) -> None:
    model = small_model([node("Gemm", "x", "W", "B")], [1, 2], W=W, B=bias)
    assert value(model, tmp_path) == [11, 13]


def test_gemm_bias_must_not_enlarge(tmp_path: Path) -> None:
    model = small_model([node("Gemm", "x", "W", "B")], [1, 2], W=W, B=[B, B, B])
    with pytest.raises(FormatError, match="C does not broadcast"):
        network_of(model, tmp_path)


def test_gemm_with_empty_name_for_bias(tmp_path: Path) -> None:
    assert value(small_model([node("Gemm", "x", "W", "")], ROW, W=W), tmp_path) == [4, 6]


def test_gemm_constant_on_the_left(tmp_path: Path) -> None:
    tensors = {"W": W, "B": [[10.0], [20.0]]}
    model = small_model([node("Gemm", "W", "x", "B")], [2, 1], **tensors)
    assert value(model, tmp_path) == [13, 27]
    model = small_model([node("Gemm", "W", "x", "B", transA=1, transB=1)], [1, 2], **tensors)
    assert value(model, tmp_path) == [14, 26]


def test_gemm_transposes_the_input(tmp_path: Path) -> None:
    model = small_model([node("Gemm", "x", "W", "B", transA=1)], [2, 1], W=W, B=B)
    assert value(model, tmp_path) == [14, 26]
    # With a batch of free length the transposed input sums over the batch.
    model = small_model([node("Gemm", "x", "W", "B", transA=1)], [2, None], W=W, B=B)
    assert value(model, tmp_path) == [14, 26]
    model = small_model([node("Gemm", "x", "W", "B", transA=1)], [None, 2], W=[[1.0, 2.0]], B=B)
    with pytest.raises(UnsupportedLayerError, match="batch"):
        network_of(model, tmp_path)


def test_gemm_input_as_addend(tmp_path: Path) -> None:
    nodes = [node("Gemm", "A", "W", "x", alpha=2.0, beta=0.5)]
    model = small_model(nodes, [1, 2], A=[[1.0, 1.0]], W=W)
    assert value(model, tmp_path, [10, 20]) == [13, 22]


@pytest.mark.parametrize("shape", [[2], [2, 1], [1, 2, 1]])
def test_matmul_constant_on_the_left(shape, tmp_path: Path) -> None:
    assert value(small_model([node("MatMul", "W", "x")], shape, W=W), tmp_path) == [3, 7]


@pytest.mark.parametrize("shape", [[2], [1, 2], [None, 2], [1, 1, 2], [None, 1, 2]])
def test_matmul_constant_on_the_right(shape, tmp_path: Path) -> None:
    assert value(small_model([node("MatMul", "x", "W")], shape, W=W), tmp_path) == [4, 6]


def test_matmul_on_both_sides_keeps_rows_and_columns_apart(tmp_path: Path) -> None:
    nodes = [node("MatMul", "L", "x", to="h"), node("MatMul", "h", "R")]
    model = small_model(nodes, [1, 2, 3], L=[[1.0, 10.0]], R=[[1.0], [2.0], [4.0]])
    # x = [[1, 2, 3], [4, 5, 6]] -> [41, 52, 63] -> 41 + 104 + 252
    assert value(model, tmp_path, [1, 2, 3, 4, 5, 6]) == [397]


def test_matmul_with_vectors(tmp_path: Path) -> None:
    assert value(small_model([node("MatMul", "x", "v")], ROW, v=[3.0, 5.0]), tmp_path) == [8]
    assert value(small_model([node("MatMul", "v", "x")], [2, 1], v=[3.0, 5.0]), tmp_path) == [8]
    model = small_model([node("MatMul", "v", "x")], [2, None], v=[3.0, 5.0])
    assert value(model, tmp_path) == [8]


def test_batch_axis_last(tmp_path: Path) -> None:
    nodes = [node("MatMul", "W", "x", to="h"), node("Add", "h", "b", to="k"), node("Relu", "k")]
    model = small_model(nodes, [2, None], W=W, b=[[10.0], [-20.0]])
    assert value(model, tmp_path) == [13, 0]


@pytest.mark.parametrize(
    ("operator", "inputs", "expected"),
    [
        ("Add", ("x", "c"), [5, 9]),
        ("Add", ("c", "x"), [5, 9]),
        ("Sub", ("x", "c"), [-3, -7]),
        ("Sub", ("c", "x"), [3, 7]),
        ("Mul", ("x", "c"), [4, 8]),
        ("Mul", ("c", "x"), [4, 8]),
        ("Div", ("x", "c"), [0.25, 0.125]),
    ],
)
@pytest.mark.parametrize("shape", [[2], [1, 2], [None, 2]])
def test_elementwise(operator, inputs, expected, shape, tmp_path: Path) -> None:
    model = small_model([node(operator, *inputs)], shape, c=[4.0, 8.0])
    assert value(model, tmp_path) == expected


def test_elementwise_enlarges(tmp_path: Path) -> None:
    model = small_model([node("Add", "x", "c")], [1, 1], c=[4.0, 8.0])
    assert value(model, tmp_path) == [5, 9]
    # Every entry of x twice; the batch moves from the first axis to the second.
    nodes = [node("Sub", "c", "x", to="h"), node("MatMul", "h", "v")]
    model = small_model(nodes, [None, 2], c=[[[4.0]], [[8.0]]], v=[1.0, 3.0])
    assert value(model, tmp_path, [1, 2]) == [9, 25]
    nodes = [
        node("Sub", "c", "x", to="h"),
        node("Reshape", "h", "s", to="k"),
        node("MatMul", "k", "v"),
    ]
    tensors = {"c": [[4.0], [8.0]], "s": np.array([4]), "v": [1.0, 3.0, 5.0, 7.0]}
    model = small_model(nodes, [2], **tensors)  # [[4-1, 4-2], [8-1, 8-2]]
    assert value(model, tmp_path, [1, 2]) == [3 + 6 + 35 + 42]


def test_normalisation_is_exact(tmp_path: Path) -> None:
    """B67: (x - m) / s folded into the first layer, as rational numbers."""
    nodes = [
        node("Sub", "x", "m", to="d"),
        node("Div", "d", "s", to="z"),
        node("Gemm", "z", "W", "B", to="h"),
        node("Relu", "h", to="r"),
        node("Gemm", "r", "W", "B"),
    ]
    model = small_model(nodes, ROW, m=[0.1, 100.0], s=[3.0, 0.7], W=W, B=B)
    net = network_of(model, tmp_path)
    assert net.widths == (2,)
    assert net.layers[0].weight[0, 0] == Fraction(1, 3)
    assert net.exact([0.25, 3.0]) == tuple(exact_run(model, [[0.25, 3.0]])[0])


def test_division_by_many_numbers_stays_a_layer(tmp_path: Path) -> None:
    """Folding would give each bias the product of all denominators."""
    rng = np.random.default_rng(0)
    nodes = [
        node("Sub", "x", "m", to="d"),
        node("Div", "d", "s", to="z"),
        node("MatMul", "z", "W", to="h"),
        node("Relu", "h"),
    ]
    mean, scale = rng.standard_normal(40), rng.uniform(1, 2, 40)
    model = small_model(nodes, [1, 40], m=mean, s=scale, W=rng.standard_normal((40, 3)))
    net = network_of(model, tmp_path)
    assert net.widths == (40,) and net.n_neurons == 3
    x = rng.standard_normal(40)
    assert net.exact(x) == tuple(exact_run(model, x[None])[0])


def test_activations(tmp_path: Path) -> None:
    x = [-2.0, 3.0]
    assert value(small_model([node("Relu", "x")], ROW), tmp_path, x) == [0, 3]
    leak = float(np.float32(0.1))
    model = small_model([node("LeakyRelu", "x", alpha=0.1)], ROW)
    assert value(model, tmp_path, x) == [-2 * leak, 3]
    assert value(small_model([node("LeakyRelu", "x")], ROW), tmp_path, x) == [
        -2 * float(np.float32(0.01)),
        3,
    ]
    model = small_model([node("LeakyRelu", "x", alpha=-1.0)], ROW)
    assert value(model, tmp_path, x) == [2, 3]


def test_relu_first_twice_and_last(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", to="a"), node("Relu", "a", to="b"), node("MatMul", "b", "W", to="c")]
    nodes += [node("Relu", "c", to="d"), node("Mul", "d", "minus")]
    model = small_model(nodes, ROW, W=[[1.0, -1.0], [2.0, 1.0]], minus=[-1.0])
    net = network_of(model, tmp_path)
    assert net.widths == (2, 2, 2) and net.n_neurons == 6  # as many as the file has
    assert [float(v) for v in net.exact([3, -5])] == [-3, 0]
    del nodes[-1]
    net = network_of(small_model(nodes, ROW, W=[[1.0, -1.0], [2.0, 1.0]]), tmp_path)
    assert net.widths == (2, 2) and net.n_neurons == 6
    assert net.layers[-1].slopes.tolist() == [[0, 1], [0, 1]]
    assert [float(v) for v in net.exact([3, -5])] == [3, 0]


@pytest.mark.parametrize("opset", [9, 13, 21])
def test_change_of_shape_keeps_the_order(opset, tmp_path: Path) -> None:
    shapes = {"s": np.array([0, 6])}
    axes = {"axes": [1]} if opset < 13 else {}
    more = [] if opset < 13 else ["one"]
    nodes = [
        node("Transpose", "x", to="a", perm=[0, 2, 1]),  # (n, 3, 2)
        node("Unsqueeze", "a", *more, to="b", **axes),  # (n, 1, 3, 2)
        node("Squeeze", "b", *more, to="c", **axes),
        node("Reshape", "c", "s", to="d"),
        node("Gemm", "d", "v", transB=1),
    ]
    if opset >= 13:
        shapes["one"] = np.array([1])
    weights = [[1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0]]
    model = small_model(nodes, [None, 2, 3], opset=opset, v=weights, **shapes)
    # [[1, 2, 3], [4, 5, 6]] transposed is 1 4, 2 5, 3 6.
    assert value(model, tmp_path, [1, 2, 3, 4, 5, 6]) == [635241]


def test_reshape_zero_and_minus_one(tmp_path: Path) -> None:
    nodes = [node("Reshape", "x", "s", to="a"), node("MatMul", "a", "v")]
    model = small_model(nodes, [1, 2, 2], s=np.array([0, -1]), v=[1.0, 2.0, 4.0, 8.0])
    assert value(model, tmp_path) == [15]
    model = small_model(nodes, [None, 2, 2], s=np.array([-1, 4]), v=[1.0, 2.0, 4.0, 8.0])
    assert value(model, tmp_path) == [15]
    nodes[0] = node("Reshape", "x", "s", to="a", allowzero=1)
    model = small_model(nodes, [1, 2, 2], s=np.array([0, 4]), v=[1.0, 2.0, 4.0, 8.0])
    with pytest.raises(FormatError, match="Reshape"):
        network_of(model, tmp_path)


@pytest.mark.parametrize(
    ("nodes", "tensors"),
    [
        ([node("Flatten", "x", axis=0)], {}),
        ([node("Reshape", "x", "s")], {"s": np.array([1, -1])}),
        ([node("Reshape", "x", "s")], {"s": np.array([-1, 2])}),
        ([node("Add", "x", "c")], {"c": np.ones((37, 2, 2), dtype=np.float32)}),
        ([node("MatMul", "c", "x")], {"c": np.ones((37, 2, 2), dtype=np.float32)}),
    ],
)
def test_mixed_batch_is_refused(nodes, tensors, tmp_path: Path) -> None:
    """B68, also for a constant whose length is the one that the reader tries."""
    with pytest.raises(UnsupportedLayerError, match="batch") as caught:
        network_of(small_model(nodes, [None, 2, 2], **tensors), tmp_path)
    assert caught.value.layer == nodes[0].op_type


def test_flatten_axis_0_of_a_fixed_batch(tmp_path: Path) -> None:
    nodes = [node("Flatten", "x", to="a", axis=0), node("MatMul", "a", "v")]
    model = small_model(nodes, [1, 2, 2], v=[1.0, 2.0, 4.0, 8.0])
    assert value(model, tmp_path) == [15]


def test_fixed_batch_of_several_rows(tmp_path: Path) -> None:
    """Rows that go through one map alone are a batch; rows that mix are one input."""
    nodes = [node("Gemm", "x", "W", "B", to="h"), node("Relu", "h")]
    net = network_of(small_model(nodes, [5, 2], W=W, B=B), tmp_path)
    assert (net.input_dim, net.output_dim) == (2, 2)
    model = small_model([node("Add", "x", "c")], [2, 2], c=[[1.0, 2.0], [3.0, 4.0]])
    net = network_of(model, tmp_path)
    assert (net.input_dim, net.output_dim) == (4, 4)
    assert [float(v) for v in net.exact([0, 0, 0, 0])] == [1, 2, 3, 4]


def test_identity_cast_dropout(tmp_path: Path) -> None:
    nodes = [
        node("Identity", "x", to="a"),
        node("Cast", "a", to="b"),
        node("Dropout", "b", to="c"),
        node("MatMul", "c", "W"),
    ]
    nodes[1].attribute.append(helper.make_attribute("to", onnx.TensorProto.FLOAT))
    assert value(small_model(nodes, ROW, W=W), tmp_path) == [4, 6]


def test_dropout_in_training_mode_is_refused(tmp_path: Path) -> None:
    tensors = {"ratio": np.float32(0.5), "mode": np.array(True)}
    model = small_model([node("Dropout", "x", "ratio", "mode")], ROW, **tensors)
    with pytest.raises(UnsupportedLayerError, match="training mode"):
        network_of(model, tmp_path)
    tensors["mode"] = np.array(False)
    model = small_model([node("Dropout", "x", "ratio", "mode")], ROW, **tensors)
    assert value(model, tmp_path) == [1, 1]


def test_cast_to_integers_is_refused(tmp_path: Path) -> None:
    cast = helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.INT64)
    with pytest.raises(UnsupportedLayerError, match="rounds"):
        network_of(small_model([cast], ROW), tmp_path)


def test_constant_divided_by_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedLayerError, match="not piecewise linear") as caught:
        network_of(small_model([node("Div", "c", "x")], ROW, c=[1.0, 1.0]), tmp_path)
    assert caught.value.layer == "Div"
    with pytest.raises(FormatError, match="divides by zero"):
        network_of(small_model([node("Div", "x", "c")], ROW, c=[1.0, 0.0]), tmp_path)


@pytest.mark.parametrize(
    "given",
    [
        {"value": numpy_helper.from_array(np.array([4.0, 8.0], dtype=np.float32))},
        {"value_floats": [4.0, 8.0]},
        {
            "sparse_value": helper.make_sparse_tensor(
                helper.make_tensor("v", onnx.TensorProto.FLOAT, [2], [4.0, 8.0]),
                helper.make_tensor("i", onnx.TensorProto.INT64, [2], [0, 1]),
                [2],
            )
        },
    ],
)
def test_constant_nodes(given, tmp_path: Path) -> None:
    nodes = [helper.make_node("Constant", [], ["c"], **given), node("Sub", "x", "c")]
    assert value(small_model(nodes, ROW), tmp_path) == [-3, -7]


def test_scalar_and_integer_constants(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Constant", [], ["two"], value_float=2.0),
        helper.make_node("Constant", [], ["s"], value_ints=[0, 2]),
        node("Mul", "x", "two", to="a"),
        node("Reshape", "a", "s"),
    ]
    assert value(small_model(nodes, ROW), tmp_path) == [2, 2]
    nodes = [
        helper.make_node("Constant", [], ["axis"], value_int=1),
        node("Unsqueeze", "x", "axis"),
    ]
    assert value(small_model(nodes, ROW), tmp_path) == [1, 1]


def test_constants_made_of_constants(tmp_path: Path) -> None:
    """B63: the exporter of torch writes the transposed weights as an operator."""
    nodes = [
        node("Transpose", "W", to="t", perm=[1, 0]),
        node("Mul", "t", "half", to="m"),
        node("MatMul", "x", "m", to="h"),
        node("Sub", "b", "c", to="d"),
        node("Add", "h", "d"),
    ]
    model = small_model(nodes, ROW, W=W, half=[0.5], b=B, c=[1.0, 1.0])
    assert value(model, tmp_path) == [10.5, 22.5]
    nodes = [node("MatMul", "W", "W", to="m"), node("Gemm", "W", "m", "b", to="g", transA=1)]
    nodes += [node("Div", "g", "c", to="q"), node("MatMul", "x", "q")]
    model = small_model(nodes, ROW, W=W, b=B, c=[3.0])
    square = np.array(W) @ np.array(W)
    exact = (np.array(W).T @ square + np.array(B)).sum(axis=0)
    assert network_of(model, tmp_path).exact([1, 1]) == tuple(Fraction(int(v), 3) for v in exact)


def test_integer_weights_are_cast(tmp_path: Path) -> None:
    cast = helper.make_node("Cast", ["k"], ["c"], to=onnx.TensorProto.FLOAT)
    model = small_model([cast, node("Add", "x", "c")], ROW, k=np.array([2**24 + 1, 3]))
    # The file asks for a float32, so the cast rounds.
    assert value(model, tmp_path, [0, 0]) == [2**24, 3]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_float_types_are_exact(kind, tmp_path: Path) -> None:
    nodes = [node("Gemm", "x", "W", "B", to="h", transB=1), node("Relu", "h")]
    model = small_model(nodes, ROW, kind=kind, W=[[0.1, 0.2]], B=[0.3])
    net = network_of(model, tmp_path)
    assert net.layers[0].weight.tolist() == [[float(kind(0.1)), float(kind(0.2))]]
    assert net.layers[0].bias.tolist() == [float(kind(0.3))]


def test_layers_without_activation_between(tmp_path: Path) -> None:
    """Selections and differences are folded; a general product stays two layers."""
    rng = np.random.default_rng(3)
    general = [rng.standard_normal((4, 4)) for _ in range(2)]
    differences = np.array([[1.0, -1, 0, 0], [0, 1, -1, 0], [0, 0, 1, 0]]).T
    nodes = [node("MatMul", "x", "P", to="a"), node("MatMul", "a", "Q", to="b"), node("Relu", "b")]
    x = rng.standard_normal(4)
    for second, widths in ((differences, ()), (general[1], (4,))):
        model = small_model(nodes, [1, 4], P=general[0], Q=second)
        net = network_of(model, tmp_path)
        assert net.widths == widths and net.n_neurons == second.shape[1]
        assert all(layer.weight.dtype == np.float64 for layer in net.layers)
        assert net.exact(x) == tuple(exact_run(model, x[None])[0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_must_be_finite(bad, tmp_path: Path) -> None:
    model = small_model([node("MatMul", "x", "W")], ROW, W=[[1.0, 2.0], [bad, 4.0]])
    with pytest.raises(InvalidNetworkError, match=r"'W' at \[1, 0\]"):
        network_of(model, tmp_path)
