"""Small ONNX models for the tests, written in one line each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.float16: TensorProto.FLOAT16, np.float32: TensorProto.FLOAT}
TYPES[np.float64] = TensorProto.DOUBLE


def node(operator: str, *inputs: str, to: str = "", **attributes: Any) -> onnx.NodeProto:
    """One operator; its output is `to`, by default the operator's name in small letters."""
    return helper.make_node(operator, list(inputs), [to or operator.lower()], **attributes)


def small_model(
    nodes: Sequence[onnx.NodeProto],
    shape: Sequence[Any] | None,
    *,
    opset: int = 17,
    kind: type = np.float32,
    listed: bool = False,
    **tensors: Any,
) -> onnx.ModelProto:
    """A model from x to the output of the last node; float tensors take the type `kind`.

    `listed` names the tensors among the inputs as well, as old exporters do.
    """
    stored = []
    for name, values in tensors.items():
        array = np.asarray(values)
        if array.dtype == np.float64:
            array = array.astype(kind)
        stored.append(numpy_helper.from_array(array, name))
    inputs = [helper.make_tensor_value_info("x", TYPES[kind], shape)]
    if listed:
        inputs += [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in stored]
    output = helper.make_tensor_value_info(nodes[-1].output[0], TYPES[kind], None)
    graph = helper.make_graph(nodes, "small", inputs, [output], stored)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8 if opset < 22 else 10)


def saved(model: onnx.ModelProto, folder: Path) -> Path:
    """The path of the model's file in `folder`."""
    path = folder / "model.onnx"
    onnx.save(model, path)
    return path
