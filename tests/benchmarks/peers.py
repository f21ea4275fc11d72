"""How much CPU time do other packages need for the same regions?

Run ``python tests/benchmarks/peers.py``, after ``pip install regioncam affinitree relucent torch``;
a package that is not installed is skipped. Each row counts the regions of one random network,
ours and theirs in turn on the same weights, one thread each. CPU seconds of the process and of
the processes it starts, best of 5, each the mean of as many runs as last 20 ms; networks and
domains are built outside the timed part. We keep with them what we make of them: the first time is
that of new ones for each run, the second, "again", that of ones that have been counted before.
regioncam rounds the weights to float32, the only kind that it takes. relucent joins cells whose
patterns differ in one bit, also where their common facet lies outside the cube: it has more edges.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

import plregions as plr

Run = Callable[[], str]
Work = Callable[[], Run]  # makes a run ready, outside the timed part

SHORTEST = 0.02  # seconds that a measurement lasts at least
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True)
class Row:
    """One network and domain, the peer, and how many times faster than it we mean to be."""

    name: str
    widths: str
    peer: str
    bar: float
    strategy: str = "auto"
    graph: bool = False
    is_bounded: bool = True

    @property
    def net(self) -> plr.Network:
        return plr.mlp(self.widths)

    def __str__(self) -> str:
        d = self.widths.partition("-")[0]
        domain = f"[-1,1]^{d}" if self.is_bounded else f"R^{d}"
        return f"{self.name} on {domain}{', with the graph' if self.graph else ''}"


ROWS = (
    Row("2-32-32", "2-32-32-1", "regioncam", 4),
    Row("2-64x3", "2-64-64-64-1", "regioncam", 6),
    Row("2-128x3", "2-128-128-128-1", "regioncam", 6),
    Row("4-16-16", "4-16-16-1", "affinitree", 50, "tree"),
    Row("5-16-16", "5-16-16-1", "affinitree", 50, "tree"),
    Row("3-16-16", "3-16-16-1", "relucent", 200, graph=True),
)
# regioncam takes 39 s and 10 GB.
WIDE = (Row("2-256x4", "2-256-256-256-256-1", "regioncam", 4),)
WHOLE_SPACE = (
    Row("8-20", "8-20-1", "affinitree", 15, "tree", is_bounded=False),
    Row("10-15", "10-15-1", "affinitree", 8, "tree", is_bounded=False),
)


def hidden_layers(net: plr.Network) -> list[tuple[Any, Any]]:
    return [(np.array(layer.weight), np.array(layer.bias)) for layer in net.layers[:-1]]


def plregions_works(row: Row) -> tuple[Work, Work]:
    """Return the work on new networks and domains, and that on the same ones again and again."""
    layers = row.net.layers
    d = layers[0].n_in

    def ready() -> Run:
        net = plr.Network(layers)
        domain: Any = plr.hypercube(d, -1, 1) if row.is_bounded else plr.WholeSpace(d)

        def count() -> str:
            found = plr.count_regions(net, domain, strategy=row.strategy)
            return f"{int(found)}" if found.is_complete else f"{found}"

        def graph() -> str:
            made = plr.enumerate_regions(net, domain, strategy=row.strategy).to_networkx()
            return f"{made.number_of_nodes()} and {made.number_of_edges()} edges"

        return graph if row.graph else count

    run = ready()
    return ready, lambda: run


def regioncam_work(row: Row) -> Work:
    regioncam = importlib.import_module("regioncam")
    layers = [
        (np.ascontiguousarray(w.T).astype(np.float32), b.astype(np.float32))
        for w, b in hidden_layers(row.net)
    ]

    def count() -> str:
        cells = regioncam.Regioncam(size=1.0)  # the square [-1, 1]^2
        for weight, bias in layers:
            cells.linear(weight, bias)
            cells.relu()
        return str(cells.num_faces)

    return lambda: count


def affinitree_work(row: Row) -> Work:
    affinitree = importlib.import_module("affinitree")
    net = row.net
    d = net.input_dim
    layers = affinitree.Architecture(d)
    for weight, bias in hidden_layers(net):
        layers.linear(affinitree.AffFunc.from_mats(weight, bias))
        layers.relu()
    inside: tuple[Any, ...] = ()
    if row.is_bounded:
        box = affinitree.Polytope.hyperrectangle(d, [(-1.0, 1.0)] * d)
        inside = (affinitree.AffTree.from_poly(box, affinitree.AffFunc.identity(d), None),)

    def count() -> str:
        with silence():
            return str(affinitree.builder.from_layers(layers, *inside).num_terminals())

    return lambda: count


def relucent_work(row: Row) -> Work:
    relucent = importlib.import_module("relucent")
    net = row.net
    layers = [(np.array(layer.weight), np.array(layer.bias)) for layer in net.layers]
    converted = relucent.convert(layers)
    start = np.zeros((1, net.input_dim))

    def graph() -> str:
        cells = relucent.Complex(converted)
        cells.bfs(start, cube_radius=1.0, cube_mode="clipped", nworkers=1, verbose=0)
        made = cells.dual_graph(relabel=True)
        return f"{made.number_of_nodes()} and {made.number_of_edges()} edges"

    return lambda: graph


PEERS: dict[str, Callable[[Row], Work]] = {
    "regioncam": regioncam_work,
    "affinitree": affinitree_work,
    "relucent": relucent_work,
}


@contextmanager
def silence() -> Iterator[None]:
    """Send what compiled code prints to nowhere."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def cpu_now() -> float:
    """CPU seconds so far of this process and of those that it started and that have ended."""
    import resource  # absent from Windows, where this file is collected all the same

    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def timed(work: Work, runs: int = 1) -> tuple[str, float]:
    """Return the answer and the mean time of some runs."""
    ready = [work() for _ in range(runs)]
    start = cpu_now()
    for run in ready:
        answer = run()
    return answer, (cpu_now() - start) / runs


def runs_to_measure(work: Work) -> int:
    """Return how many runs last 20 ms, after one that is not counted."""
    work()()
    return max(1, round(SHORTEST / max(timed(work)[1], 1e-9)))


def compare(row: Row, repeats: int) -> str:
    """Measure one row; a peer that is missing or fails is reported."""
    title = f"{row} vs {row.peer}"
    try:
        theirs = PEERS[row.peer](row)
    except ImportError as error:
        return f"{title}: skipped, {row.peer} is not installed ({error})"
    ours = [(work, runs_to_measure(work)) for work in plregions_works(row)]
    best_ours, best_theirs, their_runs = [float("inf")] * len(ours), float("inf"), 0
    our_answer = their_answer = ""
    for _ in range(repeats):
        for i, (work, runs) in enumerate(ours):
            our_answer, seconds = timed(work, runs)
            best_ours[i] = min(best_ours[i], seconds)
        our_times = ", again ".join(f"{best * 1e3:.3f} ms" for best in best_ours)
        try:
            their_runs = their_runs or runs_to_measure(theirs)
            their_answer, seconds = timed(theirs, their_runs)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
            return f"{title}: {our_answer} in {our_times}; {row.peer} fails: {error!r}"
        best_theirs = min(best_theirs, seconds)
    same = "" if our_answer == their_answer else ", another answer"
    ratios = ", again ".join(f"{best_theirs / best:.1f}x" for best in best_ours)
    return (
        f"{title}: {our_answer} in {our_times}; {their_answer} in "
        f"{best_theirs * 1e3:.3f} ms{same}: {ratios} (bar {row.bar:g}x)"
    )


def installed_version(name: str) -> str:
    try:
        return version(name)
    except importlib.metadata.PackageNotFoundError:
        return "absent" if name != "plregions" else "from source"


def main() -> None:
    """Measure the rows asked for and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", choices=tuple(PEERS), help="this peer alone")
    parser.add_argument("--wide", action="store_true", help="2-256x4 too")
    parser.add_argument("--whole-space", action="store_true", help="8-20 and 10-15 on R^d too")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in THREADS):
        # Libraries read these when they are loaded, numpy among them.
        os.execve(
            sys.executable,
            [sys.executable, *sys.argv],
            {**os.environ, **dict.fromkeys(THREADS, "1")},
        )
    rows = ROWS + WIDE * options.wide + WHOLE_SPACE * options.whole_space
    names = ("plregions", *PEERS, "numpy", "numba", "gurobipy")
    versions = ", ".join(f"{name} {installed_version(name)}" for name in names)
    sys.stdout.write(f"python {' '.join(sys.argv)}\n")
    sys.stdout.write(f"Python {platform.python_version()}, {versions}\n")
    sys.stdout.write(f"CPU seconds, one thread, best of {options.repeats}\n")
    for row in rows:
        if options.peer not in (None, row.peer):
            continue
        if not row.is_bounded and not hasattr(plr, "WholeSpace"):
            line = f"{row} vs {row.peer}: skipped, this version has no WholeSpace"
        else:
            line = compare(row, options.repeats)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
