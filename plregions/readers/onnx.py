"""Networks from ONNX files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from plregions.errors import FormatError, MissingExtraError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers.forward_check import sample_points
from plregions.readers.moving_tensor import BatchMixedError, MovingTensor
from plregions.readers.onnx_check import check_against_reference
from plregions.readers.onnx_graph import SUPPORTED, Graph, one_line, read_graph
from plregions.readers.onnx_operators import Walk

if TYPE_CHECKING:
    import onnx

__all__ = ["load_onnx"]


def load_onnx(path: str | os.PathLike[str]) -> Network:
    """Read a chain of layers from an ONNX file.

    The network is the function that the file describes, with every float taken as the rational
    number that it is and nothing rounded on the way. (A float32 evaluation of the file rounds at
    every step; it is close to this function, not equal to it.)

    One axis of the input may be a batch: the axis of free length, where there is one, or a first
    axis of fixed length greater than 1 if every row of it goes through the same map alone. The
    network then maps one row. All other entries of the input, in row-major order, are the
    network's inputs; likewise the outputs.

    Parameters
    ----------
    path : str or PathLike
        Opset 6 or later; weights as initialisers, as Constant nodes, or in external files.

    Returns
    -------
    Network
        A ReLU unit for each entry that goes through a Relu or LeakyRelu, in the order of the
        file, none merged or dropped. A network that ends in Relu has these slopes in its last
        layer.

    Raises
    ------
    UnsupportedLayerError
        An operator that is not piecewise linear or not known (`layer` names it, `supported` lists
        those that are), several inputs or outputs, a branch, rows of a batch that mix.
    FormatError
        A file that is not ONNX, truncated or inconsistent; a network whose values differ from
        those of ``onnx.reference`` by more than rounding.
    InvalidNetworkError
        A weight is NaN or infinite.
    MissingExtraError
        The onnx library is not installed.
    OSError
        The file cannot be read.

    Algorithm
    ---------
    A walk from the input to the output that carries exact affine numbers: see `AffineChain` for
    what is folded into the layers, `MovingTensor` for shapes and the batch. Then 32 points are
    compared with ``onnx.reference.ReferenceEvaluator``.

    Exactness
    ---------
    The weights are exact: float64 where that suffices, else Fractions (a division by 3 in the
    file). The comparison is a float one and allows the rounding of the file's own float type.

    Examples
    --------
    >>> import tempfile
    >>> from onnx import TensorProto, helper, save
    >>> x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 2])
    >>> y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 2])
    >>> weight = helper.make_tensor("W", TensorProto.FLOAT, [2, 2], [1, 2, 3, 4])
    >>> nodes = [
    ...     helper.make_node("Gemm", ["x", "W"], ["h"], alpha=0.5, transB=1),
    ...     helper.make_node("Relu", ["h"], ["y"]),
    ... ]
    >>> body = helper.make_graph(nodes, "example", [x], [y], [weight])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(helper.make_model(body), folder + "/example.onnx")
    ...     net = load_onnx(folder + "/example.onnx")
    >>> net, net([1.0, 1.0])
    (Network(2-2, 2 neurons), array([1.5, 3.5]))
    """
    path = Path(path)
    model = _model(path)
    graph = read_graph(model, str(path))
    shape = graph.input_shape
    if None in shape:
        return _read(model, graph, shape.index(None))
    if len(shape) > 1 and shape[0] != 1:
        try:
            return _read(model, graph, 0)
        except BatchMixedError:
            pass  # the first axis is no batch: all entries form one input
    return _read(model, graph, None)


def _read(model: onnx.ModelProto, graph: Graph, batch_axis: int | None) -> Network:
    sizes = list(graph.input_shape)
    size = None
    if batch_axis is not None:
        size, sizes[batch_axis] = sizes[batch_axis], 1
    one = tuple(length or 1 for length in sizes)
    points = sample_points(int(np.prod(one)), graph.input_type)
    tiny = float(np.finfo(graph.input_type).tiny)
    tensor = MovingTensor(one, batch_axis, size, points, tiny)
    walk = Walk(graph)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            walk.run(tensor)
        if size is not None and tensor.batch_axis != batch_axis:
            raise BatchMixedError("it does not leave the first axis in its place")
    except BatchMixedError as error:
        if size is not None:
            raise
        raise UnsupportedLayerError(
            f"load needs layers that treat each row of a batch alone; got {graph.path} with "
            f"{error.node.label}: {error}. Export the network with a batch axis of fixed length 1.",
            layer=error.node.operator,
            supported=SUPPORTED,
        ) from error
    network = Network(tensor.chain.layers())
    check_against_reference(model, graph, network, tensor, points, walk.coarsest, batch_axis)
    return network


def _model(path: Path) -> onnx.ModelProto:
    try:
        import onnx
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped, unused-ignore]
        from onnx.checker import ValidationError
    except ImportError as error:
        raise MissingExtraError.of("load", f"the onnx library for {path}", "onnx") from error
    with path.open("rb"):
        pass  # a missing or unreadable file is the system's own error, which names it
    try:
        return onnx.load(path)
    except (DecodeError, ValidationError, OSError, ValueError) as error:
        raise FormatError(
            f"load needs a whole ONNX model; got {path}, which cannot be read "
            f"({one_line(error)}). Export or copy it again, with its external data.",
            path=str(path),
        ) from error
