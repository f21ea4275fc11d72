"""Which operators of an ONNX graph lie between its one input and its one output?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import FormatError, InvalidNetworkError, UnsupportedLayerError

if TYPE_CHECKING:
    import onnx

__all__ = ["SUPPORTED", "Graph", "Node", "read_graph"]

# The operators, and the attributes of each that are understood.
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "Add": ("broadcast",),
    "Cast": ("to", "saturate", "round_mode"),
    "Constant": tuple("value value_float value_floats value_int value_ints sparse_value".split()),
    "Div": ("broadcast",),
    "Dropout": ("ratio", "seed", "is_test"),
    "Flatten": ("axis",),
    "Gemm": ("alpha", "beta", "transA", "transB", "broadcast"),
    "Identity": (),
    "LeakyRelu": ("alpha",),
    "MatMul": (),
    "Mul": ("broadcast",),
    "Relu": (),
    "Reshape": ("allowzero",),
    "Squeeze": ("axes",),
    "Sub": ("broadcast",),
    "Transpose": ("perm",),
    "Unsqueeze": ("axes",),
}
# The attributes that are no single integer.
_KINDS = {
    "alpha": "FLOAT",
    "axes": "INTS",
    "beta": "FLOAT",
    "perm": "INTS",
    "ratio": "FLOAT",
    "round_mode": "STRING",
    "sparse_value": "SPARSE_TENSOR",
    "value": "TENSOR",
    "value_float": "FLOAT",
    "value_floats": "FLOATS",
    "value_ints": "INTS",
}
#: The names of the operators that can be read.
SUPPORTED = tuple(_ATTRIBUTES)

_CURVED = frozenset(
    "Acos Acosh Asin Asinh Atan Atanh Celu Cos Cosh Elu Erf Exp Gelu GroupNormalization "
    "InstanceNormalization LayerNormalization Log LogSoftmax LpNormalization Mish Pow Reciprocal "
    "RMSNormalization Selu Sigmoid Sin Sinh Softmax Softplus Softsign Sqrt Swish Tan Tanh "
    "HardSwish GRU LSTM RNN".split()
)
_JUMPS = frozenset(
    "ArgMax ArgMin Ceil Floor Greater GreaterOrEqual Less LessOrEqual Round Sign ThresholdedRelu "
    "QuantizeLinear DequantizeLinear Hardmax".split()
)
_PIECEWISE_LINEAR = frozenset(
    "Abs AveragePool Clip Concat Conv ConvTranspose Gather GlobalAveragePool GlobalMaxPool "
    "HardSigmoid Max MaxPool Mean Min Neg PRelu Pad ReduceMax ReduceMean ReduceMin ReduceSum "
    "Shrink Slice Split Sum".split()
)
_OLDEST_OPSET = 6


@dataclass(frozen=True)
class Node:
    """One operator with its attributes decoded.

    Attributes
    ----------
    operator : str
        Such as "Gemm".
    inputs, outputs : tuple of str
        Names of tensors; "" for an optional input that is left out.
    attributes : dict
        As ``onnx.helper.get_attribute_value`` gives them.
    label : str
        The operator with a name that finds it in the file, for messages.
    """

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    label: str

    def input(self, k: int) -> str:
        """The name of input k, "" when it is left out."""
        return self.inputs[k] if k < len(self.inputs) else ""


@dataclass(frozen=True)
class Graph:
    """What matters of an ONNX graph: the operators that the output needs, and the tensors.

    Attributes
    ----------
    path : str
        The file, for messages.
    opset : int
        Version of the standard operators.
    input_name, output_name : str
        The one input that is not a constant, and the one output.
    input_shape : tuple of int or None
        None for an axis of free length.
    input_type : numpy dtype
        float16, float32 or float64.
    nodes : tuple of Node
        In an order in which each comes after the ones that it needs.
    positions : tuple of int
        Where in the file each of them stands.
    """

    path: str
    opset: int
    input_name: str
    output_name: str
    input_shape: tuple[int | None, ...]
    input_type: np.dtype[Any]
    nodes: tuple[Node, ...]
    positions: tuple[int, ...]
    _tensors: dict[str, Any] = field(repr=False)

    def has_tensor(self, name: str) -> bool:
        """Whether `name` is a stored tensor."""
        return name in self._tensors

    def tensor(self, name: str) -> NDArray[Any]:
        """The stored tensor of this name, in the type it is stored in; all numbers finite."""
        return decoded(self._tensors[name], name, self.path)

    def chain(self) -> tuple[list[Node], set[str]]:
        """The operators from input to output, each fed by the one before, and all names they make.

        Raises UnsupportedLayerError where two values that depend on the input meet.
        """
        maker = {name: node for node in self.nodes for name in node.outputs}
        moving = {self.input_name}
        for node in self.nodes:
            if moving.intersection(node.inputs):
                moving.update(node.outputs)
        links: list[Node] = []
        name = self.output_name
        while name != self.input_name:
            if name not in moving:
                raise FormatError(
                    f"load needs an output that depends on the input; got {self.path}, whose "
                    f"output {self.output_name!r} is constant. Export the network again.",
                    path=self.path,
                )
            node = maker[name]
            if node.outputs[0] != name:
                raise UnsupportedLayerError(
                    f"load needs the first output of each operator; got {self.path} where another "
                    f"output of {node.label} is used. Export the network for inference.",
                    layer=node.operator,
                    supported=SUPPORTED,
                )
            links.append(node)
            feeds = [feed for feed in node.inputs if feed in moving]
            if len(feeds) > 1:
                raise UnsupportedLayerError(
                    f"load needs a chain of layers; got {self.path} with {node.label}, which joins "
                    f"{feeds[0]!r} and {feeds[1]!r}, both computed from the input. Branches and "
                    "skip connections are not read yet.",
                    layer=node.operator,
                    supported=SUPPORTED,
                )
            name = feeds[0]
        return links[::-1], moving


def read_graph(model: onnx.ModelProto, path: str) -> Graph:
    """Return the part of a model that its output needs.

    Parameters
    ----------
    model : onnx.ModelProto
        With external data loaded.
    path : str
        The file, for messages.

    Returns
    -------
    Graph

    Raises
    ------
    UnsupportedLayerError
        Several inputs or outputs, or an operator that cannot be read.
    FormatError
        Something is missing from the model, or it has no fixed input shape.

    Algorithm
    ---------
    A walk from the output to what it needs. Operators that it does not need are ignored.

    Exactness
    ---------
    Nothing is computed here.

    Examples
    --------
    >>> from onnx import TensorProto, helper
    >>> x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 2]) for n in "xy")
    >>> body = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    >>> graph = read_graph(helper.make_model(body), "example")
    >>> graph.input_shape, [node.operator for node in graph.nodes]
    ((1, 2), ['Relu'])
    """
    graph = model.graph
    if not graph.output or not (graph.node or graph.input):
        raise FormatError(
            f"load needs an ONNX model with a graph; got {path}, which has none: it is truncated "
            "or not an ONNX file. Export the network again.",
            path=path,
        )
    tensors: dict[str, Any] = {tensor.name: tensor for tensor in graph.initializer}
    tensors |= {tensor.values.name: tensor for tensor in graph.sparse_initializer}
    opset = _opset(model, path)
    inputs = [value for value in graph.input if value.name not in tensors]
    _require_one([value.name for value in inputs], "input", path)
    _require_one([value.name for value in graph.output], "output", path)
    shape, kind = _shape_and_type(inputs[0], path)
    positions = _needed(graph.node, graph.output[0].name)
    for k in sorted(positions):
        _require_supported(graph.node[k], opset, path)
    nodes = tuple(_decoded_node(graph.node[k], path) for k in positions)
    known = {inputs[0].name, *tensors, ""}
    for node in nodes:
        for name in node.inputs:
            if name not in known:
                raise FormatError(
                    f"load needs a complete graph; got {path}, where {node.label} reads {name!r}, "
                    "which nothing before it makes. Export the network again.",
                    path=path,
                )
        if known.intersection(filter(None, node.outputs)):
            raise FormatError(
                f"load needs one maker for each tensor; got {path}, where {node.label} makes one "
                "that is there already. Export the network again.",
                path=path,
            )
        known.update(node.outputs)
    if graph.output[0].name not in known:
        raise FormatError(
            f"load needs a complete graph; got {path}, where nothing makes the output "
            f"{graph.output[0].name!r}. Export the network again.",
            path=path,
        )
    return Graph(
        path, opset, inputs[0].name, graph.output[0].name, shape, kind, nodes, positions, tensors
    )


def decoded(tensor: Any, name: str, path: str) -> NDArray[Any]:
    """Return a stored tensor, dense or sparse, as an array in its own type.

    Parameters
    ----------
    tensor : onnx.TensorProto or onnx.SparseTensorProto
    name, path : str
        The tensor and the file, for messages.

    Returns
    -------
    ndarray

    Raises
    ------
    FormatError
        Its data do not fit its shape.
    InvalidNetworkError
        A number is NaN or infinite.

    Algorithm
    ---------
    ``onnx.numpy_helper``; the coordinates of a sparse tensor may be linear or one for each axis.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> from onnx import numpy_helper
    >>> decoded(numpy_helper.from_array(np.float32([1, 2])), "W", "example")
    array([1., 2.], dtype=float32)
    """
    from onnx import SparseTensorProto, numpy_helper

    try:
        if isinstance(tensor, SparseTensorProto):
            values = numpy_helper.to_array(tensor.values)
            places = numpy_helper.to_array(tensor.indices)
            array = np.zeros(tuple(tensor.dims), dtype=values.dtype)
            if places.ndim == 1:
                array.flat[places] = values
            else:
                array[tuple(places.T)] = values
        else:
            array = np.asarray(numpy_helper.to_array(tensor))
    except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise FormatError(
            f"load needs whole tensors; got {path}, where {name!r} cannot be decoded "
            f"({one_line(error)}). Export the network again.",
            path=path,
        ) from error
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InvalidNetworkError(
            f"load needs finite weights; got {array[where]} in {name!r} at {list(where)} of "
            f"{path}. Train or export the network again."
        )
    return array


def one_line(error: BaseException) -> str:
    """Return the message of an error of another library as one short line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."


def _require_one(names: Sequence[str], what: str, path: str) -> None:
    if len(names) != 1:
        raise UnsupportedLayerError(
            f"load needs a network with one {what}; got {path} with {len(names)}: "
            f"{', '.join(map(_plain, names)) or 'none'}. Export the part with one vector in and "
            "one vector out.",
            layer=", ".join(map(_plain, names)),
            supported=SUPPORTED,
        )


def _opset(model: onnx.ModelProto, path: str) -> int:
    from onnx.defs import onnx_opset_version

    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    opset = versions[0] if versions else 1
    newest = onnx_opset_version()
    if not _OLDEST_OPSET <= opset <= newest:
        advice = "Update onnx." if opset > newest else "Export the network with opset 8 or later."
        raise FormatError(
            f"load needs an ONNX opset from {_OLDEST_OPSET} to {newest}; got {path} with opset "
            f"{opset}. {advice}",
            path=path,
        )
    return opset


def _shape_and_type(
    value: onnx.ValueInfoProto, path: str
) -> tuple[tuple[int | None, ...], np.dtype[Any]]:
    from onnx import TensorProto
    from onnx.helper import tensor_dtype_to_np_dtype

    kind = value.type.tensor_type
    if kind.elem_type not in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE):
        is_known = kind.elem_type in TensorProto.DataType.values()
        name = TensorProto.DataType.Name(kind.elem_type) if is_known else str(kind.elem_type)
        raise FormatError(
            f"load needs an input of type FLOAT16, FLOAT or DOUBLE; got {path}, whose input "
            f"{value.name!r} is {name}. Export the network with a float input.",
            path=path,
        )
    if not kind.HasField("shape"):
        raise FormatError(
            f"load needs the shape of the input; got {path}, whose input {value.name!r} has none. "
            "Export the network with an input shape.",
            path=path,
        )
    # Some exporters write 0 or -1 for a free length.
    shape = tuple(dim.dim_value if dim.dim_value > 0 else None for dim in kind.shape.dim)
    if shape.count(None) > 1 or shape == (None,):
        shown = ", ".join("?" if size is None else str(size) for size in shape)
        raise FormatError(
            f"load needs an input whose axes have fixed lengths, except one for the batch; got "
            f"{path} with [{shown}]. Export the network with fixed lengths.",
            path=path,
        )
    return shape, np.dtype(tensor_dtype_to_np_dtype(kind.elem_type))


def _needed(nodes: Sequence[onnx.NodeProto], output: str) -> tuple[int, ...]:
    """Positions of the nodes that the output needs, each after the ones that it needs itself.

    Files should have this order already; some do not.
    """
    maker = {name: k for k, node in enumerate(nodes) for name in node.output if name}
    order: dict[int, None] = {}
    opened: set[int] = set()
    stack = [maker[output]] if output in maker else []
    while stack:
        k = stack[-1]
        below = [maker[name] for name in nodes[k].input if name in maker]
        waiting = [j for j in below if j not in order and j not in opened]
        opened.add(k)
        if waiting:  # what is open already and not done lies on a circle: found as missing later
            stack.extend(waiting)
        else:
            order[stack.pop()] = None
    return tuple(order)


def _label(node: onnx.NodeProto) -> str:
    name = node.name or next(iter(node.output), "")
    return f"{_plain(node.op_type)} {name!r}"


def _plain(name: Any) -> str:
    """A name from the file without line breaks; damaged files give bytes."""
    return " ".join(str(name).split())


def _require_supported(node: onnx.NodeProto, opset: int, path: str) -> None:
    operator = _plain(node.op_type)
    if node.domain not in ("", "ai.onnx"):
        operator = f"{_plain(node.domain)}.{operator}"
        reason = "it is not a standard ONNX operator"
    elif operator in _ATTRIBUTES:
        strangers = [item.name for item in node.attribute if item.name not in _ATTRIBUTES[operator]]
        if not strangers:
            return
        reason = f"its attribute {strangers[0]!r} is not understood (opset {opset})"
    elif operator == "BatchNormalization":
        reason = (
            "its factors 1 / sqrt(variance + epsilon) are irrational in general, so no exact "
            "weights stand for it; fold it into the layer before it when you export"
        )
    elif operator in _CURVED:
        reason = f"{operator} is not piecewise linear"
    elif operator in _JUMPS:
        reason = f"{operator} is not continuous"
    elif operator in _PIECEWISE_LINEAR:
        reason = f"{operator} is piecewise linear but not supported yet"
    else:
        reason = f"{operator} is not supported"
    raise UnsupportedLayerError(
        f"load needs a network of operators that it knows; got {path} with {_label(node)}: "
        f"{reason}. Supported: {', '.join(SUPPORTED)}.",
        layer=operator,
        supported=SUPPORTED,
    )


def _decoded_node(node: onnx.NodeProto, path: str) -> Node:
    from onnx import AttributeProto
    from onnx.helper import get_attribute_value

    attributes = {}
    for item in node.attribute:
        kind = _KINDS.get(item.name, "INT")
        if item.type != AttributeProto.AttributeType.Value(kind):
            raise FormatError(
                f"load needs attributes of the standard types; got {path} with {_label(node)}, "
                f"whose {item.name!r} is not {kind}. Export the network again.",
                path=path,
            )
        attributes[item.name] = get_attribute_value(item)
    names = tuple(node.input), tuple(node.output)
    return Node(_plain(node.op_type), *names, attributes, _label(node))
