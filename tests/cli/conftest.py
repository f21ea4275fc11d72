"""A stand-in for the engine, so that the command line can be tested by itself."""

from __future__ import annotations

import dataclasses
import sys
import types
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cli.endings import Run

from plregions import cli


@dataclasses.dataclass
class Outcome:
    name: str = "COMPLETE"
    which: str | None = None


@dataclasses.dataclass
class Progress:
    n_regions: int = 1200
    seconds: float = 2.0
    upper_bound: int = 1 << 784
    share_done: float = 0.25


class Count:
    seconds = 0.125

    def __init__(self, n: int, kind: str, outcome: Outcome) -> None:
        self.n, self.kind, self.outcome = n, kind, outcome

    def __int__(self) -> int:
        return self.n


class Complex:
    def __init__(self, n: int, outcome: Outcome) -> None:
        self.n, self.outcome = n, outcome
        self.n_edges = n - 1

    def __len__(self) -> int:
        return self.n

    def to_networkx(self) -> nx.Graph:
        complete = self.outcome.name == "COMPLETE"
        graph = nx.Graph(format="plregions-region-graph", version=1, complete=complete)
        graph.add_nodes_from((i, {"pattern": f"{i:06b}", "n_facets": 4}) for i in range(self.n))
        graph.add_edges_from((i, i + 1, {"neurons": "3 7"}) for i in range(self.n - 1))
        return graph

    def save(self, path: str) -> None:
        np.savez(path, n=self.n)


class Engine:
    """Stands in for plregions.readers and plregions.enumeration, and keeps what it was asked."""

    def __init__(self) -> None:
        self.input_dim = 2
        self.n_regions = 71
        self.outcome = Outcome()
        self.error: BaseException | None = None
        self.domain: Any = None
        self.limits: dict[str, Any] = {}
        self.progress = Progress()
        self.n_calls = 0

    def load(self, path: str) -> Any:
        open(path, "rb").close()
        return types.SimpleNamespace(input_dim=self.input_dim, fingerprint="ab12")

    def run(self, network: Any, domain: Any, **limits: Any) -> None:
        self.n_calls += 1
        self.domain, self.limits = domain, limits
        if limits["progress"] is not None:
            limits["progress"](self.progress)
        if self.error is not None:
            raise self.error

    def count_regions(self, network: Any, domain: Any, **limits: Any) -> Count:
        self.run(network, domain, **limits)
        return Count(self.n_regions, limits["kind"], self.outcome)

    def enumerate_regions(self, network: Any, domain: Any, **limits: Any) -> Complex:
        self.run(network, domain, **limits)
        return self.complex()

    def complex(self) -> Complex:
        return Complex(self.n_regions, self.outcome)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine()
    stand_ins = {
        "readers": {"load": engine.load},
        "enumeration": {
            "count_regions": engine.count_regions,
            "enumerate_regions": engine.enumerate_regions,
        },
    }
    for name, members in stand_ins.items():
        module = types.ModuleType(f"plregions.{name}")
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, f"plregions.{name}", module)
    return engine


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in a folder with a network; return code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"network")

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main(list(words))
        return (code, *capsys.readouterr())

    return run
