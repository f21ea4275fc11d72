"""Does the network that was read compute what the ONNX file computes?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import FormatError
from plregions.network.network import Network
from plregions.readers.forward_check import (
    CheckWords,
    FloatType,
    network_outputs,
    refuse_difference,
    rounding_allowance,
)
from plregions.readers.moving_tensor import MovingTensor
from plregions.readers.onnx_graph import Graph, decoded, one_line

if TYPE_CHECKING:
    import onnx

__all__ = ["check_against_reference"]

Array = NDArray[Any]


def check_against_reference(
    model: onnx.ModelProto,
    graph: Graph,
    network: Network,
    tensor: MovingTensor,
    points: NDArray[np.float64],
    kind: np.dtype[Any],
    batch_axis: int | None,
) -> None:
    """Compare the network with ``onnx.reference.ReferenceEvaluator``, an independent evaluation.

    Parameters
    ----------
    model : onnx.ModelProto
    graph : Graph
        What was read of the model.
    network : Network
        What was made of it.
    tensor : MovingTensor
        At the output: its majorant and number of steps.
    points : ndarray (k, n) of float64
        The points that `tensor` was given.
    kind : numpy dtype
        The coarsest float type in which the model computes.
    batch_axis : int or None
        The batch axis of the input.

    Raises
    ------
    FormatError
        An output differs by more than `rounding_allowance` grants to rounding, or nothing could
        be compared.

    Algorithm
    ---------
    One evaluation of the model for the whole batch where it is free, else one for each row or
    batch. See `rounding_allowance` for the bound.

    Exactness
    ---------
    A float comparison: it finds weights in the wrong place or left out, not the last bit.

    Examples
    --------
    See `plregions.readers.onnx.load_onnx`, which always makes this comparison.
    """
    try:
        with np.errstate(all="ignore"):
            found = _reference_outputs(model, graph, tensor, points, batch_axis)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        NotImplementedError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        raise FormatError(
            f"load needs a model that onnx.reference can evaluate, to compare with; got "
            f"{graph.path}, where it stops: {one_line(error)}. Export the network again.",
            path=graph.path,
        ) from error
    float_type = FloatType.of(kind)
    refuse_difference(
        network_outputs(network, points, float_type),
        found,
        rounding_allowance(tensor, float_type),
        CheckWords(
            verb="load",
            source=graph.path,
            reference="onnx.reference",
            advice="Report this file.",
            error=lambda message: FormatError(message, path=graph.path),
        ),
    )


def _reference_outputs(
    model: onnx.ModelProto,
    graph: Graph,
    tensor: MovingTensor,
    points: NDArray[np.float64],
    batch_axis: int | None,
) -> NDArray[np.float64]:
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(_evaluable(model, graph))
    shape = [size or 1 for size in graph.input_shape]
    n_rows = 1
    if batch_axis is not None:
        n_rows = graph.input_shape[batch_axis] or points.shape[0]
        del shape[batch_axis]
    found = []
    for start in range(0, points.shape[0], n_rows):
        rows = np.arange(start, start + n_rows) % points.shape[0]
        block = points[rows].astype(graph.input_type).reshape([n_rows, *shape])
        if batch_axis is None:
            block = block[0]
        else:
            block = np.moveaxis(block, 0, batch_axis)
        answers: Any = evaluator.run([graph.output_name], {graph.input_name: block})
        result = np.asarray(answers[0])
        if tensor.batch_axis is not None:
            result = np.moveaxis(result, tensor.batch_axis, 0)
        found.append(result.reshape(n_rows, -1).astype(np.float64))
    return np.concatenate(found)[: points.shape[0]]


def _evaluable(model: onnx.ModelProto, graph: Graph) -> onnx.ModelProto:
    """The model in a form that the evaluator takes: nodes in order, sparse constants dense."""
    from onnx import numpy_helper
    from onnx.helper import make_attribute

    order = list(graph.positions)
    is_sparse = bool(model.graph.sparse_initializer) or any(
        "sparse_value" in node.attributes for node in graph.nodes
    )
    if order == sorted(order) and not is_sparse:
        return model
    ready = type(model)()
    ready.CopyFrom(model)
    ready.graph.ClearField("node")
    for k in order:
        node = ready.graph.node.add()
        node.CopyFrom(model.graph.node[k])
        if any(item.name == "sparse_value" for item in node.attribute):
            array = decoded(node.attribute[0].sparse_tensor, node.output[0], graph.path)
            node.ClearField("attribute")
            node.attribute.append(make_attribute("value", numpy_helper.from_array(array)))
    for tensor in model.graph.sparse_initializer:
        array = decoded(tensor, tensor.values.name, graph.path)
        ready.graph.initializer.append(numpy_helper.from_array(array, tensor.values.name))
    ready.graph.ClearField("sparse_initializer")
    return ready
