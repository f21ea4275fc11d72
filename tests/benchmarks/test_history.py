"""Our own speed from version to version: ``python -m pytest tests/benchmarks --benchmark-only``.

Add ``--benchmark-autosave`` to keep a run and ``--benchmark-compare`` to set the next one beside
it. Every benchmark checks its answer. For other packages see peers.py, for a unit that does not
depend on the machine yardstick.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.arrangements import resonance
from oracles.small_networks import without_bias

import plregions as plr

# CPU seconds, so that other work on the machine counts as little as possible.
pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=True, warmup_iterations=1)


def one_layer(rows: Any) -> plr.Network:
    rows = np.array(rows, dtype=float)
    return plr.Network([(rows[:, :-1], rows[:, -1]), (np.ones((1, len(rows))), [0])])


COUNTS = {
    "2-64-64": (plr.mlp([2, 64, 64, 1]), 5775),
    "3-32-32": (plr.mlp([3, 32, 32, 1]), 18874),
    "4-16-16": (plr.mlp([4, 16, 16, 1]), 20349),
    "10-15": (plr.mlp([10, 15, 1]), 19558),
    "zero bias 3-16-16": (without_bias(plr.mlp([3, 16, 16, 1])), 838),
    # All hyperplanes through one point: most decisions are exact.
    "resonance 4": (one_layer(resonance(4)), 370),
}


@pytest.mark.parametrize("name", COUNTS)
def test_count(name: str, benchmark: Callable[..., Any]) -> None:
    net, n_regions = COUNTS[name]
    box = plr.hypercube(net.input_dim, -1, 1)
    assert int(benchmark(plr.count_regions, net, box)) == n_regions


@pytest.mark.parametrize("name", ["2-64-64", "4-16-16"])
def test_graph(name: str, benchmark: Callable[..., Any]) -> None:
    net, n_regions = COUNTS[name]
    box = plr.hypercube(net.input_dim, -1, 1)
    made = benchmark(lambda: plr.enumerate_regions(net, box).to_networkx())
    assert made.number_of_nodes() == n_regions


def test_verify(benchmark: Callable[..., Any]) -> None:
    net, n_regions = COUNTS["4-16-16"]
    box = plr.hypercube(4, -1, 1)
    proof = plr.enumerate_regions(net, box, proof=True).proof
    assert benchmark(plr.verify, proof, net).regions == n_regions


def test_exact_pattern(benchmark: Callable[..., Any]) -> None:
    net = plr.mlp("2-256-256-256-256-1")
    assert len(benchmark(net.pattern_at, [0.1, 0.2])) == 1024


def test_read_onnx(root: Path, benchmark: Callable[..., Any]) -> None:
    pytest.importorskip("onnx")
    assert benchmark(plr.load, root / "data" / "moons.onnx").input_dim == 2
