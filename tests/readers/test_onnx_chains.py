"""Random chains of operators: the network must equal the file in Fractions, bit by bit."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from onnx.reference import ReferenceEvaluator
from oracles.exact_onnx import exact_run
from readers.small_onnx import node, saved, small_model

from plregions.errors import FormatError
from plregions.readers import load
from plregions.readers import onnx as reader
from plregions.readers.affine_chain import AffineChain
from plregions.readers.moving_tensor import MovingTensor
from plregions.readers.onnx_graph import Node
from plregions.readers.onnx_operators import Walk

STEPS = (
    "gemm gemm_left matmul left add sub sub_from mul div relu leaky flatten transpose reshape "
    "squeeze unsqueeze identity enlarge"
).split()


def chain_model(
    steps: list[str], seed: int, kind: type, free_batch: bool
) -> tuple[onnx.ModelProto, list[int]]:
    """A chain of these steps with random tensors; steps that do not fit the shape are left out."""
    rng = np.random.default_rng(seed)
    shape = [1, *rng.integers(1, 4, size=rng.integers(1, 3)).tolist()]
    given: list[Any] = [None if free_batch else 1, *shape[1:]]
    tensors: dict[str, Any] = {}
    nodes = [node("Identity", "x", to="t0")]

    def tensor(*sizes: int) -> str:
        name = f"c{len(tensors)}"
        # Few digits in some, as in quantised or hand-made networks: sums and ties happen.
        values = rng.standard_normal(sizes)
        tensors[name] = np.round(values * 4) / 4 if rng.random() < 0.4 else values
        return name

    def integers(*values: int) -> str:
        name = f"c{len(tensors)}"
        tensors[name] = np.array(values, dtype=np.int64)
        return name

    def put(operator: str, *inputs: str, after: list[int], **attributes: Any) -> None:
        nodes.append(node(operator, *inputs, to=f"t{len(nodes)}", **attributes))
        shape[:] = after

    for step in steps:
        here, n, last = f"t{len(nodes) - 1}", int(np.prod(shape)), shape[-1]
        rank = len(shape)
        width = int(rng.integers(1, 4))
        if step == "gemm" and rank == 2:
            flips = {"transB": int(rng.integers(2))}
            sizes = (width, last) if flips["transB"] else (last, width)
            factors = {"alpha": float(rng.choice([1, 0.5, 0.6])), "beta": float(rng.choice([1, 2]))}
            bias = [tensor(*rng.choice([1, width], 1))] if rng.random() < 0.7 else []
            put("Gemm", here, tensor(*sizes), *bias, after=[1, width], **flips, **factors)
        elif step == "gemm_left" and rank == 2 and not free_batch:
            put("Gemm", tensor(width, last), here, after=[width, 1], transB=1, alpha=0.25)
            put("Transpose", f"t{len(nodes) - 1}", after=[1, width])
        elif step == "matmul":
            put("MatMul", here, tensor(last, width), after=[*shape[:-1], width])
        elif step == "left" and rank > 2:
            put("MatMul", tensor(width, shape[-2]), here, after=[*shape[:-2], width, last])
        elif step in ("add", "sub", "mul"):
            put(step.capitalize(), here, tensor(*shape[-int(rng.integers(1, rank)) :]), after=shape)
        elif step == "sub_from":
            put("Sub", tensor(last), here, after=shape)
        elif step == "div":
            name = tensor(last)
            tensors[name] = np.where(tensors[name] == 0, 3.0, tensors[name])
            put("Div", here, name, after=shape)
        elif step == "relu":
            put("Relu", here, after=shape)
        elif step == "leaky":
            put("LeakyRelu", here, after=shape, alpha=float(rng.choice([0.01, 0.5, -1, 1])))
        elif step == "flatten":
            put("Flatten", here, after=[1, n])
        elif step == "reshape":
            rows = int(rng.choice([k for k in range(1, n + 1) if n % k == 0]))
            put("Reshape", here, integers(0, rows, -1), after=[1, rows, n // rows])
        elif step == "transpose":
            order = [0, *(1 + rng.permutation(rank - 1)).tolist()]
            put("Transpose", here, after=[shape[k] for k in order], perm=order)
        elif step == "unsqueeze":
            put("Unsqueeze", here, integers(1), after=[1, 1, *shape[1:]])
        elif step == "squeeze" and rank > 2 and shape[1] == 1:
            put("Squeeze", here, integers(1), after=[1, *shape[2:]])
        elif step == "enlarge" and last == 1:
            put("Add", here, tensor(width), after=[*shape[:-1], width])
        elif step == "identity":
            put("Identity", here, after=shape)
    return small_model(nodes, given, kind=kind, **tensors), [size or 1 for size in given]


def assert_equal_to_file(model: onnx.ModelProto, shape: list[int], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        net = load(saved(model, Path(folder)))
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((3, *shape)) * 2
    points[0] = np.round(points[0])
    for x in points:
        assert net.exact(x.ravel()) == tuple(exact_run(model, x).ravel())


@settings(max_examples=60)
@given(
    steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=9),
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from([np.float32, np.float64]),
    free_batch=st.booleans(),
)
@example(["div", "gemm", "relu", "mul", "gemm", "div"], 0, np.float32, True)
@example(["enlarge", "transpose", "reshape", "left", "relu", "flatten", "gemm"], 1, float, True)
@example(["gemm", "div", "enlarge", "matmul"], 52, np.float32, False)
def test_chain_is_exact(steps: list[str], seed: int, kind: type, free_batch: bool) -> None:
    kind = np.float64 if kind is float else kind
    model, shape = chain_model(steps, seed, kind, free_batch)
    assert_equal_to_file(model, shape, seed)


def test_chain_in_float16(tmp_path: Path) -> None:
    steps = ["gemm", "relu", "gemm", "leaky", "sub_from"]
    model, shape = chain_model(steps, 5, np.float16, True)
    assert_equal_to_file(model, shape, 5)


def test_oracle_agrees_with_onnx() -> None:
    """The plain evaluator in Fractions is itself right, by onnx's own evaluator."""
    for seed in range(40):
        steps = np.random.default_rng(seed).permutation(STEPS).tolist()
        model, shape = chain_model(steps, seed, np.float64, bool(seed % 2))
        x = np.random.default_rng(seed).standard_normal(shape)
        found = ReferenceEvaluator(model).run(None, {"x": x})[0]
        expected = exact_run(model, x).astype(float)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


# Faults planted in the reader. Both guards must see each: the comparison of 32 points that `load`
# makes, and, when that is switched off, the exact evaluation above.
def _silent_transpose(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MovingTensor.multiply_right

    def wrong(self: MovingTensor, constant: Any) -> None:
        right(self, constant.T if constant.shape[0] == constant.shape[-1] else constant)

    monkeypatch.setattr(MovingTensor, "multiply_right", wrong)


def _ignored_factor(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        right = Walk._factor
        monkeypatch.setattr(
            Walk,
            "_factor",
            lambda self, node, key: np.float64(1) if key == name else right(self, node, key),
        )

    return plant


def _order_of_sub(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Walk._move_elementwise

    def wrong(self: Walk, node: Node, tensor: MovingTensor, place: int) -> None:
        right(self, replace(node, inputs=node.inputs[::-1]), tensor, 1 - place)

    monkeypatch.setattr(Walk, "_move_elementwise", wrong)


def _lost_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walk, "_leak", lambda self, node: 0.0)


def _column_order(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MovingTensor._take

    def wrong(self: MovingTensor, index: Any, shape: Any, axis: int | None = None) -> None:
        right(self, index.reshape(shape, order="F").ravel(), shape, axis)

    monkeypatch.setattr(MovingTensor, "_take", wrong)


def _lost_shift(monkeypatch: pytest.MonkeyPatch) -> None:
    right = AffineChain.apply_matrix

    def wrong(self: AffineChain, matrix: Any) -> None:
        self._shift = np.zeros(self.size)
        right(self, matrix)

    monkeypatch.setattr(AffineChain, "apply_matrix", wrong)


W = np.array([[1.0, 2.0], [3.0, 4.0]])
FAULTS: dict[str, tuple[Any, list[onnx.NodeProto]]] = {
    "silent transpose": (_silent_transpose, [node("MatMul", "x", "W")]),
    "ignored alpha": (_ignored_factor("alpha"), [node("Gemm", "x", "W", "b", alpha=0.5)]),
    "ignored beta": (_ignored_factor("beta"), [node("Gemm", "x", "W", "b", beta=0.5)]),
    "x - c for c - x": (_order_of_sub, [node("Sub", "b", "x")]),
    "lost leak": (_lost_leak, [node("LeakyRelu", "x")]),
    "column order": (
        _column_order,
        [node("Reshape", "x", "s", to="a"), node("MatMul", "W", "a", to="m"), node("Flatten", "m")],
    ),
    "lost shift": (_lost_shift, [node("Sub", "x", "b", to="d"), node("MatMul", "d", "W")]),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_planted_fault_is_seen(
    fault: str, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, nodes = FAULTS[fault]
    n = 4 if fault == "column order" else 2
    tensors = {"W": W, "b": [0.25, -3.0], "s": np.array([0, 2, 2])}
    model = small_model(nodes, [None, n], kind=kind, **tensors)
    assert_equal_to_file(model, [1, n], 0)
    plant(monkeypatch)
    with pytest.raises(FormatError, match="points differ"):
        load(saved(model, tmp_path))
    monkeypatch.setattr(reader, "check_against_reference", lambda *arguments: None)
    with pytest.raises(AssertionError):
        assert_equal_to_file(model, [1, n], 0)


def test_last_bits_are_not_a_fault(tmp_path: Path) -> None:
    """Large numbers that cancel: float32 is far off, and the comparison allows for it."""
    nodes = [
        node("Add", "x", "big", to="a"),
        node("Sub", "a", "big", to="b"),
        node("MatMul", "b", "W"),
    ]
    model = small_model(nodes, [None, 2], big=[1e7, 3e6], W=W)
    net = load(saved(model, tmp_path))
    assert net.exact([0.125, 1]) == (3.125, 4.25)
