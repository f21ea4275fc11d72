"""What does each ONNX operator do to a constant, and to the tensor that depends on the input?"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import FormatError, PLRegionsError, UnsupportedLayerError
from plregions.exact.arrays import float_array
from plregions.readers.exact_elementwise import (
    as_fractions,
    exact_product,
    exact_quotient,
    exact_sum,
    float64_matrix_product,
)
from plregions.readers.moving_tensor import BatchMixedError, MovingTensor
from plregions.readers.onnx_graph import SUPPORTED, Graph, Node, decoded, one_line

__all__ = ["Walk"]

Array = NDArray[Any]

_integer_to_fraction = np.frompyfunc(lambda number: Fraction(int(number)), 1, 1)
# LeakyRelu's slope when the file leaves it out: the float32 next to 0.01.
_DEFAULT_LEAK = float(np.float32(0.01))
_ELEMENTWISE: dict[str, Callable[[Array, Array], Array]] = {
    "Add": exact_sum,
    "Sub": lambda left, right: exact_sum(left, -right),
    "Mul": exact_product,
    "Div": exact_quotient,
}
_RESHAPING = ("Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze")


class Walk:
    """A walk along the operators of a graph, exact at every step.

    Parameters
    ----------
    graph : Graph
        The graph; its constants are decoded when an operator asks for them.

    Attributes
    ----------
    coarsest : numpy dtype
        The float type with the largest machine epsilon that the file computes in.

    Algorithm
    ---------
    One method for each operator that needs more than a change of shape. Constants computed from
    constants are exact too; only Cast rounds them, since there the rounding is what the file asks
    for.

    Exactness
    ---------
    Exact.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._constants: dict[str, Array] = {}
        self._links, self._moving = graph.chain()
        self.coarsest = graph.input_type

    def run(self, tensor: MovingTensor) -> None:
        """Take `tensor`, which is the input, through every operator to the output.

        Raises BatchMixedError where the rows of the batch do not stay apart,
        UnsupportedLayerError where an operator is not piecewise linear in the input, and
        FormatError where shapes do not fit.
        """
        source = self._graph.input_name
        for node in self._links:
            try:
                self._move(node, tensor, source)
            except BatchMixedError as error:
                error.node = node
                raise
            except (OverflowError, ValueError) as error:
                if isinstance(error, PLRegionsError):
                    raise
                raise self._unfit(node, one_line(error)) from error
            source = node.outputs[0]

    def constant(self, name: str) -> Array:
        """The constant of this name: numbers in the type of the file, or exact ones."""
        if not name:
            raise ValueError("an input that it needs is left out")
        if name not in self._constants:
            if self._graph.has_tensor(name):
                self._remember(name, self._graph.tensor(name))
            else:
                self._compute(name)
        return self._constants[name]

    def _remember(self, name: str, array: Array) -> None:
        if array.dtype.kind not in "fiubO":
            raise self._format_error(
                f"numbers in the tensors; got {name!r} of type {array.dtype}", "Export it as float."
            )
        self._constants[name] = array

    def _exact(self, name: str) -> Array:
        """The constant of this name as float64, or Fractions where that would round."""
        return _exact(self.constant(name))

    def _meet(self, *types: np.dtype[Any]) -> None:
        """Take note of the types that the file computes in."""
        for kind in types:
            if kind.kind == "f" and np.finfo(kind).eps > np.finfo(self.coarsest).eps:
                self.coarsest = kind

    def _compute(self, name: str) -> None:
        """Compute a constant from others, those first: iteratively, since chains may be long."""
        for node in self._graph.nodes:
            if self._moving.intersection(node.outputs) or node.outputs[0] in self._constants:
                continue
            try:
                self._remember(node.outputs[0], self._fixed(node))
            except (OverflowError, ValueError) as error:
                if isinstance(error, PLRegionsError):
                    raise
                raise self._unfit(node, one_line(error)) from error
            if name in self._constants:
                return
        raise self._format_error(f"a complete graph; got no {name!r}", "Export it again.")

    # ------------------------------------------------------------------ constants

    def _fixed(self, node: Node) -> Array:
        operator = node.operator
        if operator == "Constant":
            return self._stored(node)
        first = self.constant(node.input(0))
        if operator in _RESHAPING:
            return self._reshaping(node)(first)
        if operator in _ELEMENTWISE:
            second = self.constant(node.input(1))
            self._meet(first.dtype, second.dtype)
            if first.dtype.kind in "iu" and second.dtype.kind in "iu":
                if operator == "Div":
                    raise self._refusal(node, "it divides integers, which rounds")
                operation = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[operator]
                return np.asarray(operation(first, second))
            if operator == "Div" and np.any(second == 0):
                raise self._unfit(node, "it divides by zero")
            return _ELEMENTWISE[operator](_exact(first), _exact(second))
        if operator == "MatMul":
            self._meet(first.dtype)
            return _matmul(first, self.constant(node.input(1)))
        if operator == "Gemm":
            self._meet(first.dtype)
            left = first.T if node.attributes.get("transA") else first
            second = self.constant(node.input(1))
            right = second.T if node.attributes.get("transB") else second
            total = exact_product(_matmul(left, right), self._factor(node, "alpha"))
            if node.input(2):
                addend = self._exact(node.input(2))
                total = exact_sum(total, exact_product(addend, self._factor(node, "beta")))
            return total
        if operator in ("Relu", "LeakyRelu"):
            slope = self._leak(node) if operator == "LeakyRelu" else 0.0
            values = _exact(first)
            factor = np.where(values < 0, slope, 1.0)
            return exact_product(values, factor)
        if operator == "Cast":
            target = self._cast_type(node)
            if first.dtype == object:
                first = float_array(first)
            with np.errstate(over="ignore", invalid="ignore"):
                result = first.astype(target)
            if result.dtype.kind == "f" and not np.isfinite(result).all():
                raise self._unfit(node, "a number is too large for the type")
            return result
        if operator == "Dropout":
            self._require_inference(node)
        return first  # Dropout, Identity

    def _stored(self, node: Node) -> Array:
        name, path = node.outputs[0], self._graph.path
        given = node.attributes
        for key in ("value", "sparse_value"):
            if key in given:
                return decoded(given[key], name, path)
        for key, kind in (("value_float", np.float32), ("value_floats", np.float32)):
            if key in given:
                return np.array(given[key], dtype=kind)
        for key in ("value_int", "value_ints"):
            if key in given:
                return np.array(given[key], dtype=np.int64)
        raise self._unfit(node, "it holds no value")

    # ------------------------------------------------------------------ the moving tensor

    def _move(self, node: Node, tensor: MovingTensor, source: str) -> None:
        operator = node.operator
        place = node.inputs.index(source)
        if operator in _ELEMENTWISE:
            self._move_elementwise(node, tensor, place)
        elif operator in _RESHAPING:
            if place != 0:
                raise self._refusal(node, "its shape or axes depend on the input")
            tensor.rearrange(self._reshaping(node))
        elif operator == "MatMul":
            if place == 0:
                tensor.multiply_right(self._exact(node.input(1)))
            else:
                tensor.multiply_left(self._exact(node.input(0)))
        elif operator == "Gemm":
            self._move_gemm(node, tensor, place)
        elif operator == "Relu":
            tensor.activate(0, 1)
        elif operator == "LeakyRelu":
            tensor.activate(self._leak(node), 1)
        elif operator == "Cast":
            target = self._cast_type(node)
            if target.kind != "f":
                raise self._refusal(node, f"it rounds what depends on the input to {target}")
            self._meet(target)
            tensor.round()
        elif operator == "Dropout":
            if place != 0:
                raise self._refusal(node, "its ratio or mode depends on the input")
            self._require_inference(node)

    def _move_elementwise(self, node: Node, tensor: MovingTensor, place: int) -> None:
        operator = node.operator
        constant = self._exact(node.input(1 - place))
        if operator == "Div" and place == 1:
            raise self._refusal(node, "a constant divided by the input is not piecewise linear")
        if operator == "Div" and np.any(constant == 0):
            raise self._unfit(node, "it divides by zero")
        values = tensor.broadcast(constant)
        if operator == "Mul":
            tensor.multiply_by(values)
        elif operator == "Div":
            tensor.divide_by(values)
        elif operator == "Add":
            tensor.add(values)
        elif place == 0:
            tensor.add(-values)
        else:
            tensor.multiply_by(np.full(values.size, -1.0))
            tensor.add(values)

    def _move_gemm(self, node: Node, tensor: MovingTensor, place: int) -> None:
        alpha, beta = self._factor(node, "alpha"), self._factor(node, "beta")
        transposed = bool(node.attributes.get("transA")), bool(node.attributes.get("transB"))
        if place == 2:
            # The moving tensor is C; A and B are constants.
            left, right = self.constant(node.input(0)), self.constant(node.input(1))
            product = _matmul(
                left.T if transposed[0] else left, right.T if transposed[1] else right
            )
            values = tensor.broadcast(exact_product(product, alpha))
            self._require_shape(node, tensor, product.shape)
            tensor.multiply_by(np.full(values.size, beta))
            tensor.add(values)
            return
        if len(tensor.shape) != 2:
            raise self._unfit(node, f"its input has shape {list(tensor.shape)}, not two axes")
        if transposed[place]:
            tensor.rearrange(np.transpose)
        constant = self._exact(node.input(1 - place))
        if constant.ndim != 2:
            raise self._unfit(node, f"its weights have {constant.ndim} axes, not two")
        constant = exact_product(constant.T if transposed[1 - place] else constant, alpha)
        if place == 0:
            tensor.multiply_right(constant)
        else:
            tensor.multiply_left(constant)
        if node.input(2):
            shape = tensor.shape
            values = tensor.broadcast(exact_product(self._exact(node.input(2)), beta))
            self._require_shape(node, tensor, shape)
            tensor.add(values)

    # ------------------------------------------------------------------ what the nodes say

    def _reshaping(self, node: Node) -> Callable[[Array], Array]:
        """The function on arrays that a reshaping operator is."""
        operator, given = node.operator, node.attributes
        if operator == "Transpose":
            order = given.get("perm")
            return lambda array: np.transpose(array, order)
        if operator == "Flatten":
            axis = int(given.get("axis", 1))
            return lambda array: _flattened(array, axis)
        if operator == "Reshape":
            wanted = self._integers(node, node.input(1))
            keeps_zero = bool(given.get("allowzero", 0))
            return lambda array: _reshaped(array, wanted, keeps_zero)
        axes: list[int] | None = None
        if "axes" in given:
            axes = [int(axis) for axis in given["axes"]]
        elif node.input(1):
            axes = self._integers(node, node.input(1))
        if operator == "Squeeze":
            return lambda array: np.squeeze(array, None if axes is None else tuple(axes))
        if axes is None:
            raise self._unfit(node, "it has no axes")
        return lambda array: np.expand_dims(array, tuple(axes))

    def _integers(self, node: Node, name: str) -> list[int]:
        if name in self._moving:
            raise self._refusal(node, "its shape or axes depend on the input")
        values = self.constant(name)
        if values.dtype.kind not in "iu":
            raise self._unfit(node, f"{name!r} holds no integers")
        return [int(value) for value in values.ravel()]

    def _factor(self, node: Node, name: str) -> Any:
        return np.float64(node.attributes.get(name, 1.0))

    def _leak(self, node: Node) -> float:
        return float(node.attributes.get("alpha", _DEFAULT_LEAK))

    def _cast_type(self, node: Node) -> np.dtype[Any]:
        from onnx.helper import tensor_dtype_to_np_dtype

        try:
            return np.dtype(tensor_dtype_to_np_dtype(node.attributes["to"]))
        except (KeyError, TypeError) as error:
            raise self._unfit(node, "it names no type to cast to") from error

    def _require_inference(self, node: Node) -> None:
        mode = node.input(2)
        # Up to opset 6 Dropout drops unless is_test is set; from 7 on it has a mode or none.
        drops = self._graph.opset < 7 and not node.attributes.get("is_test", 0)
        if mode in self._moving or (mode and np.any(self.constant(mode))):
            drops = True
        if drops:
            raise self._refusal(node, "it drops values at random in training mode")

    def _require_shape(self, node: Node, tensor: MovingTensor, shape: tuple[int, ...]) -> None:
        if tensor.shape != shape:
            raise self._unfit(node, f"C does not broadcast to {list(shape)}")

    def _refusal(self, node: Node, reason: str) -> UnsupportedLayerError:
        return UnsupportedLayerError(
            f"load needs a network that is piecewise linear in its input; got {self._graph.path} "
            f"with {node.label}: {reason}. Supported: {', '.join(SUPPORTED)}.",
            layer=node.operator,
            supported=SUPPORTED,
        )

    def _unfit(self, node: Node, reason: str) -> FormatError:
        return self._format_error(
            f"operators that fit their tensors; got {node.label}: {reason}", "Export it again."
        )

    def _format_error(self, text: str, advice: str) -> FormatError:
        path = self._graph.path
        return FormatError(f"load needs {text} in {path}. {advice}", path=path)


def _exact(array: Array) -> Array:
    """Floats and integers as float64 where that is exact, otherwise as Fractions."""
    if array.dtype.kind == "O":
        return array
    floats = array.astype(np.float64)
    if array.dtype.kind in "fb" or bool(np.all(np.abs(floats) <= 2.0**53)):
        return floats
    return np.asarray(_integer_to_fraction(array), dtype=object)


def _matmul(left: Array, right: Array) -> Array:
    left, right = _exact(left), _exact(right)
    if left.ndim == 2 and right.ndim == 2:
        product = float64_matrix_product(left, right)
        if product is not None:
            return product
    product_of_fractions = np.matmul(as_fractions(left), as_fractions(right))
    # A sum with zero brings the entries to float64 where they are float64 exactly.
    return exact_sum(product_of_fractions, np.zeros(1))


def _flattened(array: Array, axis: int) -> Array:
    if not -array.ndim <= axis <= array.ndim:
        raise ValueError(f"axis {axis} of a tensor with {array.ndim} axes")
    axis = axis + array.ndim if axis < 0 else axis
    rows = int(np.prod(array.shape[:axis], dtype=np.int64))
    return array.reshape(rows, -1)


def _reshaped(array: Array, wanted: list[int], keeps_zero: bool) -> Array:
    shape = list(wanted)
    if not keeps_zero:
        for k, size in enumerate(shape):
            if size == 0:
                if k >= array.ndim:
                    raise ValueError(
                        f"0 in place {k} of the shape of a tensor of {array.ndim} axes"
                    )
                shape[k] = array.shape[k]
    return array.reshape(shape)
