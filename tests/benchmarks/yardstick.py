"""How many regions are found in the time of one scipy.optimize.linprog call?

Run ``python tests/benchmarks/yardstick.py``. The yardstick is one call of linprog (HiGHS) on a
random linear program with 20 rows and 4 variables, in the same process; every row has a process of
its own. CPU seconds, one thread, best of 5, kernels warm; points and emptiness are proved in every
run. Every run has a network and a domain of its own, for what is made of them is kept with them.
Ratios hold on a shared machine where seconds do not, for what they compare is measured in turn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.optimize import linprog

import plregions as plr

Work = Callable[..., object]
Given = Callable[[], tuple[Any, ...]]  # what a run is given, made outside the timed part

N_PROGRAMS = 20


def mean_seconds(work: Work, given: Given, runs: int) -> float:
    """Return the CPU time of one of some runs.

    What each run is given is made before the clock starts; it stops when the results are there, and
    they are freed before it goes on.
    """
    arguments = [given() for _ in range(runs)]
    start = time.process_time()
    results = [work(*own) for own in arguments]
    seconds = time.process_time() - start
    del results
    return seconds / runs


def cpu_seconds(*tasks: tuple[Work, Given], repeats: int = 5) -> list[float]:
    """Return the least CPU time of each task, all of them in turn, again and again.

    Each time is the mean of as many runs as last 20 ms; the first run of all is not counted.
    """
    all_runs = []
    for work, given in tasks:
        work(*given())
        all_runs.append(max(1, round(0.02 / max(mean_seconds(work, given, 1), 1e-9))))
    rounds = [
        [mean_seconds(*task, runs) for task, runs in zip(tasks, all_runs, strict=True)]
        for _ in range(repeats)
    ]
    return [min(seconds) for seconds in zip(*rounds, strict=True)]


def new(net: plr.Network, domain: plr.Box) -> Given:
    """Return what makes the network and the domain anew, with nothing kept from other runs."""
    return lambda: (plr.Network(net.layers), plr.Box(domain.lower, domain.upper))


def networkx_graph(net: plr.Network, domain: plr.Box) -> object:
    """Return the region graph."""
    return plr.enumerate_regions(net, domain).to_networkx()


def yardstick() -> tuple[Work, Given]:
    """Return the task of `N_PROGRAMS` linprog calls."""
    rng = np.random.default_rng(0)
    programs = [
        (rng.normal(size=4), rng.normal(size=(20, 4)), rng.uniform(0.5, 1.0, 20))
        for _ in range(N_PROGRAMS)
    ]

    def solve_all() -> None:
        for c, A, b in programs:
            linprog(c, A_ub=A, b_ub=b, bounds=(None, None), method="highs")

    return solve_all, tuple


def zero_bias(net: plr.Network) -> plr.Network:
    """Return the network without biases."""
    return plr.Network([(layer.weight, 0 * layer.bias) for layer in net.layers])


def repeated(net: plr.Network, factor: float) -> plr.Network:
    """Return the network with each hidden layer's second half a multiple of its first."""
    layers: list[Any] = []
    for layer in net.layers[:-1]:
        half = len(layer.bias) // 2
        layers.append(
            [
                np.concatenate([v[: len(v) - half], factor * v[:half]])
                for v in (layer.weight, layer.bias)
            ]
        )
    return plr.Network([*map(tuple, layers), (net.layers[-1].weight, net.layers[-1].bias)])


DEGENERATE: dict[str, Callable[[plr.Network], plr.Network]] = {
    "zero-bias": zero_bias,
    "duplicated": lambda net: repeated(net, 1.0),
    "opposite": lambda net: repeated(net, -1.0),
}


DEGENERATE_ROWS = (
    "2-32-32-1", "2-64-64-1", "2-128-128-128-1", "3-32-32-1", "4-16-16-1", "5-10-10-1", "6-12-12-1",
    "10-15-1",
)  # fmt: skip


def cube_with(n: int, net: plr.Network) -> plr.Box:
    """Return a cube around 0 on which a network has about ``n`` regions, by bisection."""
    low, high = 0.0, 2.0
    cubes: list[tuple[int, float]] = []
    for _ in range(16):
        middle = (low + high) / 2
        found = int(plr.count_regions(net, plr.hypercube(net.input_dim, -middle, middle)))
        cubes.append((abs(found - n), middle))
        low, high = (middle, high) if found < n else (low, middle)
    side = min(cubes)[1]
    return plr.hypercube(net.input_dim, -side, side)


def first_and_again(net: plr.Network, domain: plr.Box) -> list[tuple[Work, Given]]:
    """Return the tasks of a first count and of one of a network and a domain that were built."""
    return [(plr.count_regions, new(net, domain)), (plr.count_regions, lambda: (net, domain))]


def degenerate_ratios(widths: str) -> str:
    """Say how much longer a region of degenerate networks takes than one of the generic network.

    Degenerate networks have fewer regions, and what a count takes before the first one weighs more
    on a few. So the generic network is counted on a cube where it has as many, and also on the same
    cube: there for the first time, and again, which is the best of 5 of a network and a domain that
    were built before.
    """
    generic = plr.mlp(widths)
    cube = plr.hypercube(generic.input_dim, -1, 1)
    ratios = []
    for name, change in DEGENERATE.items():
        net = change(generic)
        n = int(plr.count_regions(net, cube))
        small = cube_with(n, generic)
        seconds = cpu_seconds(
            *first_and_again(generic, cube),
            *first_and_again(net, cube),
            (plr.count_regions, new(generic, small)),
        )
        n_generic, n_small = (int(plr.count_regions(generic, box)) for box in (cube, small))
        numbers = n_generic, n_generic, n, n, n_small
        each = [s / m for s, m in zip(seconds, numbers, strict=True)]
        first, later, own, own_later, counterpart = each
        ratios.append(
            f"{name} {own / counterpart:.1f} ({own / first:.1f}, again {own_later / later:.1f}; "
            f"{n} regions)"
        )
    return (
        f"{widths}, time a region over that of the generic network with as many regions "
        f"(on the same cube): {', '.join(ratios)}"
    )


NETS: dict[str, Callable[[], plr.Network]] = {
    "4-16-16": lambda: plr.mlp([4, 16, 16, 1]),
    "10-15": lambda: plr.mlp([10, 15, 1]),
    "zero-bias 3-16-16": lambda: zero_bias(plr.mlp([3, 16, 16, 1])),
    "3-32-32": lambda: plr.mlp([3, 32, 32, 1]),
    "2-64-64": lambda: plr.mlp([2, 64, 64, 1]),
    "2-32-32": lambda: plr.mlp([2, 32, 32, 1]),
    "2-64x3": lambda: plr.mlp([2, 64, 64, 64, 1]),
    "2-128x3": lambda: plr.mlp([2, 128, 128, 128, 1]),
}


def regions_a_yardstick(name: str) -> str:
    """Measure a network's count and its graph, in units of the yardstick of this process."""
    net = NETS[name]()
    domain = plr.hypercube(net.input_dim, -1, 1)
    n = int(plr.count_regions(net, domain))
    works = [plr.count_regions, networkx_graph][: 2 if net.input_dim <= 4 else 1]
    seconds = cpu_seconds(yardstick(), *((work, new(net, domain)) for work in works))
    unit, count = seconds[0] / N_PROGRAMS, seconds[1]
    line = (
        f"{name}: {n} regions, {count:.4f} s, {n / count * unit:.0f} a yardstick "
        f"of {unit * 1e3:.3f} ms"
    )
    for graph in seconds[2:]:
        line += f"; as a networkx graph {graph:.4f} s, {n / graph * unit:.0f} a yardstick"
    return line


def bytes_a_region(name: str) -> str:
    """Say what the regions and their graph take in memory."""
    net = NETS[name]()
    regions = plr.enumerate_regions(net, plr.hypercube(net.input_dim, -1, 1))
    facets = regions.graph
    arrays: list[Any] = [regions.packed_patterns, regions.packed_rows, regions.local_points]
    arrays += [facets.offsets, facets.labels, facets.neighbours]
    size = sum(array.nbytes for array in arrays) / len(regions)
    return f"{name} with its graph: {size:.0f} bytes a region"


def in_a_new_process(row: Callable[[str], str], names: Iterable[str]) -> Iterator[str]:
    """Measure rows one after the other, so that none finds the memory as another left it."""
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        yield from pool.imap(row, names, chunksize=1)


def report(write: Callable[[str], object]) -> None:
    """Measure all rows."""
    for row, names in (
        (regions_a_yardstick, NETS),
        (bytes_a_region, ["4-16-16"]),
        (degenerate_ratios, DEGENERATE_ROWS),
    ):
        for line in in_a_new_process(row, names):
            write(line + "\n")


if __name__ == "__main__":
    report(sys.stdout.write)
