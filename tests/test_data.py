"""The networks in data/, counted again: by the package, and in the plane by the oracle."""

from __future__ import annotations

import importlib.util
import json
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.rational_polygons import neighbours, polygons

import plregions as plr


@pytest.fixture(scope="module")
def counts(root: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((root / "data" / "counts.json").read_text())
    return entries


@pytest.fixture(scope="module")
def train(root: Path) -> types.ModuleType:
    """The script that made data/, as a module."""
    spec = importlib.util.spec_from_file_location("train", root / "data" / "train.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_same_as_polygons(network: plr.Network, found: plr.RegionComplex) -> None:
    """Compare patterns and pairs of neighbours over [-1, 1]^2 with the oracle."""
    cells = polygons([(layer.weight, layer.bias) for layer in network.layers], [-1, -1], [1, 1])
    graph = found.to_networkx()
    names = {node: data["pattern"] for node, data in graph.nodes(data=True)}
    assert set(names.values()) == set(cells)
    assert {frozenset((names[u], names[v])) for u, v in graph.edges} == neighbours(cells)


def test_counts_lists_every_network(root: Path, counts: list[dict[str, Any]]) -> None:
    files = {path.name for path in (root / "data").iterdir()} - {"__pycache__"}
    others = {"README.md", "counts.json", "train.py"}
    assert sorted(entry["network"] for entry in counts) == sorted(files - others)


def test_counts_are_what_the_script_finds(
    train: types.ModuleType, counts: list[dict[str, Any]]
) -> None:
    assert list(train.counted()) == counts


def test_count_regions_agrees(root: Path, counts: list[dict[str, Any]]) -> None:
    for entry in counts:
        network = plr.load(root / "data" / entry["network"])
        count = plr.count_regions(network, plr.Box(entry["lower"], entry["upper"]))
        assert count.is_complete
        assert int(count) == entry["regions"]


def test_moons_agrees_with_the_polygons(root: Path) -> None:
    network = plr.load(root / "data" / "moons.onnx")
    assert_same_as_polygons(network, plr.enumerate_regions(network, plr.Box([-1, -1], [1, 1])))


def test_polygons_catch_a_changed_weight(root: Path) -> None:
    network = plr.load(root / "data" / "moons.onnx")
    weight, bias = (np.array(part) for part in (network.layers[0].weight, network.layers[0].bias))
    bias[0] += 0.25
    layers = [(weight, bias), *((layer.weight, layer.bias) for layer in network.layers[1:])]
    found = plr.enumerate_regions(plr.Network(layers), plr.Box([-1, -1], [1, 1]))
    with pytest.raises(AssertionError):
        assert_same_as_polygons(network, found)


@pytest.mark.parametrize(("name", "n_right"), [("moons.onnx", 394), ("iris.npz", 148)])
def test_networks_classify(name: str, n_right: int, root: Path, train: types.ModuleType) -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    if name == "moons.onnx":
        points, labels = datasets.make_moons(n_samples=400, noise=0.15, random_state=train.SEED)
    else:
        points, labels = datasets.load_iris(return_X_y=True)
    scores = plr.load(root / "data" / name)(train.scaled(points))
    guesses = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    assert int((guesses == labels).sum()) == n_right
    assert f"| {n_right} of {len(labels)} |" in (root / "data" / "README.md").read_text()
