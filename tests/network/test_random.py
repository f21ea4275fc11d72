"""Random networks are the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plregions.errors import InvalidInputError
from plregions.network import Network, load_npz, mlp

SHARED = {
    "2-32-32-1": "2-32-32-1",
    "2-64-64-1": "2-64-64-1",
    "3-16-16-1": "3-16-16-1",
    "4-16-16-1": "4-16-16-1",
    "8-20-1": "8-20-1",
    "10-15-1": "10-15-1",
    "geo_2-64-64-64-1": "2-64-64-64-1",
    "geo_2-128-128-128-1": "2-128-128-128-1",
}


@pytest.mark.parametrize("name", SHARED)
def test_same_numbers_as_the_shared_cases(name: str, shared: Path) -> None:
    net = load_npz(shared / "cases" / f"{name}.npz")
    made = mlp(SHARED[name])
    assert made == net
    for ours, theirs in zip(made.layers, net.layers, strict=True):
        assert ours.weight.tobytes() == theirs.weight.tobytes()
    assert mlp(SHARED[name], seed=1) != net


def test_recipe() -> None:
    rng = np.random.default_rng(5)
    layers = []
    for n_in, n_out in [(3, 4), (4, 2)]:
        weight = rng.normal(0, np.sqrt(2 / n_in), (n_out, n_in))
        layers.append((weight, rng.uniform(-0.5, 0.5, n_out)))
    assert mlp([3, 4, 2], seed=5) == mlp("3-4-2", seed=5) == Network(layers)


def test_first_numbers_are_pinned() -> None:
    weight = mlp([2, 2, 1]).layers[0].weight
    assert weight[0] == pytest.approx([0.12573022, -0.13210486], abs=1e-8)


@pytest.mark.parametrize(
    "widths", ["", "2", [2], [], "2--1", "2-x-1", [2, 0, 1], [2, -1], [2.5, 1], "2-03-1", [None, 1]]
)
def test_refuses(widths: Any) -> None:
    with pytest.raises(InvalidInputError, match="^mlp needs two or more positive widths"):
        mlp(widths)
