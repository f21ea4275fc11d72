"""An ONNX graph evaluated node by node in Fractions, on the whole tensor: slow, plain, exact.

It follows the operators' definitions on tensors with their batch axis, and knows nothing of layers,
folding or the order of entries, which is what the reader gets right or wrong.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

to_fractions = np.frompyfunc(Fraction, 1, 1)


def exact_tensor(values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
    elif array.dtype.kind in "iu":
        array = array.astype(object)
    return np.array(to_fractions(array), dtype=object).reshape(array.shape)


def exact_run(model: onnx.ModelProto, x: Any) -> np.ndarray:
    """The output for the input tensor x (any numbers), an object array of Fractions."""
    graph = model.graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    (free,) = (value.name for value in graph.input if value.name not in stored)
    values: dict[str, Any] = {**stored, free: exact_tensor(x)}
    for node in graph.node:
        given = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        inputs = [values[name] if name else None for name in node.input]
        values[node.output[0]] = _evaluated(node.op_type, inputs, given)
    return exact_tensor(values[graph.output[0].name])


def _evaluated(operator: str, inputs: list[Any], given: dict[str, Any]) -> Any:
    if operator == "Constant":
        (value,) = given.values()
        return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    first = inputs[0]
    if operator in ("Identity", "Cast", "Dropout"):
        return first
    if operator == "Flatten":
        rows = int(np.prod(np.shape(first)[: given.get("axis", 1)]))
        return np.reshape(first, (rows, -1))
    if operator == "Reshape":
        wanted = [
            np.shape(first)[k] if size == 0 else int(size) for k, size in enumerate(inputs[1])
        ]
        return np.reshape(first, wanted)
    if operator == "Transpose":
        return np.transpose(first, given.get("perm"))
    if operator in ("Squeeze", "Unsqueeze"):
        axes = given.get("axes", inputs[1] if len(inputs) > 1 else None)
        axes = None if axes is None else tuple(int(axis) for axis in axes)
        return np.squeeze(first, axes) if operator == "Squeeze" else np.expand_dims(first, axes)
    first = exact_tensor(first)
    if operator == "Relu":
        return np.where(first > 0, first, Fraction(0))
    if operator == "LeakyRelu":
        alpha = Fraction(float(np.float32(given.get("alpha", 0.01))))
        return np.where(first > 0, first, alpha * first)
    second = exact_tensor(inputs[1])
    if operator == "Gemm":
        left = first.T if given.get("transA") else first
        right = second.T if given.get("transB") else second
        total = Fraction(given.get("alpha", 1.0)) * (left @ right)
        if len(inputs) > 2 and inputs[2] is not None:
            total = total + Fraction(given.get("beta", 1.0)) * exact_tensor(inputs[2])
        return total
    binary = {
        "Add": lambda: first + second,
        "Sub": lambda: first - second,
        "Mul": lambda: first * second,
        "Div": lambda: first / second,
        "MatMul": lambda: first @ second,
    }
    return binary[operator]()
