"""Steps folded into layers, against the same steps taken one by one in Fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plregions.network.network import Network
from plregions.readers import affine_chain
from plregions.readers.affine_chain import AffineChain

STEPS = ("select", "repeat", "add", "multiply", "divide", "matrix", "selection", "activate")


def walked(steps: list[str], seed: int) -> tuple[AffineChain, list[Fraction], list[Fraction]]:
    """A chain of random steps; a point, and what the steps make of it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    chain = AffineChain(n)
    point = [Fraction(int(k), 4) for k in rng.integers(-9, 10, n)]
    x = list(point)

    def numbers(*sizes: int) -> Any:
        values = rng.integers(1, 5, sizes) if rng.random() < 0.5 else rng.standard_normal(sizes)
        return values.astype(np.float64)

    for step in steps:
        n = len(x)
        assert chain.size == n
        if step in ("select", "repeat"):
            index = rng.permutation(n) if step == "select" else rng.integers(0, n, n + 1)
            chain.select(index)
            x = [x[k] for k in index]
        elif step in ("matrix", "selection"):
            matrix = numbers(int(rng.integers(1, 4)), n)
            if step == "selection":
                matrix = np.sign(np.round(rng.standard_normal(matrix.shape)))
            chain.apply_matrix(matrix)
            x = [sum(Fraction(a) * b for a, b in zip(row, x, strict=True)) for row in matrix]
        elif step == "activate":
            negative, positive = (Fraction(int(k), 3) for k in rng.integers(-3, 4, 2))
            chain.activate(negative, positive)
            x = [(positive if value > 0 else negative) * value for value in x]
        else:
            values = numbers(n)
            exact = [Fraction(value) for value in values]
            if step == "add":
                chain.add(values)
                x = [a + b for a, b in zip(x, exact, strict=True)]
            elif step == "multiply":
                chain.multiply_by(values)
                x = [a * b for a, b in zip(x, exact, strict=True)]
            else:
                chain.divide_by(values)
                x = [a / b for a, b in zip(x, exact, strict=True)]
    return chain, point, x


@given(st.lists(st.sampled_from(STEPS), max_size=8), st.integers(0, 2**32 - 1))
def test_layers_do_what_the_steps_do(steps: list[str], seed: int) -> None:
    chain, point, expected = walked(steps, seed)
    layers = chain.layers()
    assert Network(layers).exact(point) == tuple(expected)
    for weight, bias, _ in layers:
        for array in (weight, bias):
            # A float among Fractions would make later sums round.
            assert array.dtype == np.float64 or {type(v) for v in array.flat} == {Fraction}


@pytest.mark.parametrize("fault", ["as_fractions", "float64_matrix_product"])
def test_planted_fault(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats added in floats, and general matrices folded in floats, are both seen."""
    wrong = {
        "as_fractions": lambda values: values.astype(np.float64).astype(object),
        "float64_matrix_product": lambda left, right: left @ right,
    }[fault]
    steps = ["repeat", "divide", "matrix", "matrix", "activate", "matrix"]
    n_wrong = 0
    for seed in range(30):
        monkeypatch.setattr(affine_chain, fault, wrong)
        chain, point, expected = walked(steps, seed)
        n_wrong += Network(chain.layers()).exact(point) != tuple(expected)
        monkeypatch.undo()
        chain, point, expected = walked(steps, seed)
        assert Network(chain.layers()).exact(point) == tuple(expected)
    assert n_wrong > 5


def test_number_of_layers() -> None:
    """Nothing is folded over an activation; what changes order alone makes no layer."""
    chain = AffineChain(2)
    chain.activate(0, 1)
    assert len(chain.layers()) == 1
    chain.select(np.array([1, 0]))
    assert len(chain.layers()) == 2
    chain.select(np.array([1, 0]))
    assert len(chain.layers()) == 1
    chain.activate(0, 1)
    assert [slopes for _, _, slopes in chain.layers()] == [(0, 1), (0, 1)]
    weight, bias, _ = AffineChain(2).layers()[0]
    assert weight.tolist() == [[1, 0], [0, 1]] and bias.tolist() == [0, 0]
