"""Does the network that was read compute what the ONNX file computes?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import FormatError
from plregions.network.network import Network
from plregions.readers.moving_tensor import MovingTensor
from plregions.readers.onnx_graph import Graph, decoded, one_line

if TYPE_CHECKING:
    import onnx

__all__ = ["check_against_reference", "sample_points"]

Array = NDArray[Any]

_N_POINTS = 32
_SEED = 20_240_229


def sample_points(n_inputs: int, kind: np.dtype[Any]) -> NDArray[np.float64]:
    """Return the points at which a network is compared: always the same, of many magnitudes.

    Parameters
    ----------
    n_inputs : int
    kind : numpy dtype
        The float type of the file; every coordinate is a number of this type.

    Returns
    -------
    ndarray (32, n_inputs) of float64
        The first is 0.

    Algorithm
    ---------
    Normal numbers times a power of ten for each point, from 1e-3 to 1e3, for float16 to 1e1.

    Exactness
    ---------
    The points are given exactly by their float64 coordinates.

    Examples
    --------
    >>> sample_points(3, np.dtype(np.float32)).shape
    (32, 3)
    """
    rng = np.random.default_rng(_SEED)
    exponents = np.linspace(-3.0, 1.0 if kind == np.float16 else 3.0, _N_POINTS)
    points = rng.standard_normal((_N_POINTS, n_inputs)) * 10.0 ** exponents[:, None]
    points[0] = 0.0
    return points.astype(kind).astype(np.float64)


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
        The coarsest float type in which the model computes; eps is its machine epsilon.
    batch_axis : int or None
        The batch axis of the input.

    Raises
    ------
    FormatError
        An output differs by more than eps times the number of rounding steps (the depth, with
        each sum, product and scaling counted) times its majorant; or nothing could be compared.

    Algorithm
    ---------
    One evaluation of the model for the whole batch where it is free, else one for each row or
    batch. Points at which the model leaves the range of its float type are left out.

    Exactness
    ---------
    A float comparison: it finds weights in the wrong place or left out, not the last bit. The
    network is evaluated in float64 for models of float16 and float32, exactly for float64.

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
    if found.shape != (points.shape[0], network.output_dim):
        raise FormatError(
            f"load needs to read {graph.path} right; got {network.output_dim} outputs where "
            f"onnx.reference gives {found.shape[1]}. Report this file.",
            path=graph.path,
        )
    eps = float(np.finfo(kind).eps)
    expected = _network_outputs(network, points, eps)
    allowed = eps * max(tensor.n_steps, 1) * tensor.majorant
    limit = float(np.finfo(kind).max) / 4
    comparable = tensor.majorant < limit  # False for NaN
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(found - expected)
    wrong = comparable & ~(difference <= allowed)
    if not comparable.any():
        raise FormatError(
            f"load needs numbers within the range of {kind}, to compare with "
            f"onnx.reference; got {graph.path}, whose values may overflow at every point tried. "
            "Scale the weights down.",
            path=graph.path,
        )
    if wrong.any():
        excess = np.where(wrong, np.nan_to_num(difference, nan=np.inf) / allowed, 0.0)
        point, output = (int(k) for k in np.unravel_index(excess.argmax(), excess.shape))
        raise FormatError(
            f"load needs to read {graph.path} right; got output {output} = "
            f"{expected[point, output]:.9g} where onnx.reference gives "
            f"{found[point, output]:.9g} (difference {difference[point, output]:.3g}, allowed "
            f"{allowed[point, output]:.3g}; {int(wrong.any(axis=1).sum())} of {len(points)} points "
            "differ). Report this file.",
            path=graph.path,
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


def _network_outputs(
    network: Network, points: NDArray[np.float64], eps: float
) -> NDArray[np.float64]:
    if eps > np.finfo(np.float64).eps:
        with np.errstate(over="ignore", invalid="ignore"):
            return network(points)
    return np.array([[_rounded(value) for value in network.exact(point)] for point in points])


def _rounded(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
