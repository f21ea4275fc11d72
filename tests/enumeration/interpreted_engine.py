"""The engine with its kernels interpreted, so that a fault can be planted inside them.

Run as a program with NUMBA_DISABLE_JIT=1: the fault's name, the strategy, then the seeds of the
cases or names of questions; prints the patterns of each case, and how the decisions were taken, as
JSON.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import signal
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from oracles.random_cases import case

import plregions as plr
from plregions import kernels
from plregions.errors import PLRegionsError

# The third and later neurons are combinations of the first two; the second layer subtracts the same
# combinations and leaves 0 where all are on. In floats rounding errors are left instead.
FIRST = [[Fraction(1, 3), Fraction(1, 7), 1], [Fraction(-1, 7), Fraction(1, 3), 1]]
MIXES = [(Fraction(1, k), Fraction(1, 12 - k)) for k in range(1, 9)]
ROWS = FIRST + [[a * u + b * v for u, v in zip(*FIRST, strict=True)] for a, b in MIXES]
BACK = [[a, b] + [-int(i == k) for i in range(8)] for k, (a, b) in enumerate(MIXES)]
CANCELLING = plr.Network(
    [([row[:2] for row in ROWS], [row[2] for row in ROWS]), (BACK, [0] * 8, "relu")]
)
OFF_CENTRE = plr.Box([-1, -1], [0.5, 0.75])
# At a corner, along an edge, and along a face of a cube: one region.
TOUCHING = plr.Network([([[1, 1, 1], [1, 1, 0], [1, 0, 0]], [-3, -2, -1]), ([[1, 2, 3]], [0])])


def cancelling_in_space() -> plr.Network:
    """The same with a third input."""
    one, other = (
        [*row[:2], Fraction(1, k), row[2]] for k, row in zip((11, 13), FIRST, strict=True)
    )
    mixed = [[a * u + b * v for u, v in zip(one, other, strict=True)] for a, b in MIXES]
    rows = [one, other, *mixed]
    return plr.Network([([row[:3] for row in rows], [row[3] for row in rows]),
                        (BACK, [0] * 8, "relu")])  # fmt: skip


NAMED = {
    "cancelling": (CANCELLING, OFF_CENTRE),
    "touching planes": (TOUCHING, plr.hypercube(3, -1, 1)),
    "cancelling in space": (cancelling_in_space(), plr.Box([-1, -1, -1], [0.5, 0.75, 0.5])),
}


def everywhere(name: str, value: Any) -> None:
    """Replace a name in every kernel module that knows it."""
    found = 0
    for info in pkgutil.iter_modules(kernels.__path__):
        module = importlib.import_module(f"plregions.kernels.{info.name}")
        if hasattr(module, name):
            setattr(module, name, value)
            found += 1
    if not found:
        raise LookupError(f"no kernel module knows {name}")


def unsure(*_: Any) -> bool:
    return False


def no_error_bounds() -> None:
    """Rounded weights, rows and sums count as exact."""
    everywhere("EPS", 0.0)
    everywhere("TINY", 0.0)
    module = importlib.import_module("plregions.feasibility.scaled_units")
    module.HALF_ULP = 0.0


def unproved_signs_are_believed() -> None:
    """The sign of a row at a point is that of its float value; 0 counts as positive."""

    def careless(rows: Any, error: Any, size: Any, u: int, point: Any, d: int) -> int:
        value = rows[u, d]
        for j in range(d):
            value += rows[u, j] * point[j]
        return 1 if value >= 0 else -1

    everywhere("proved_sign", careless)


def rungs_1_and_2_are_unsure() -> None:
    everywhere("empty_by_residual", unsure)
    everywhere("empty_by_multipliers", unsure)


def zeros_of_whole_numbers_are_sides() -> None:
    module = importlib.import_module("plregions.kernels.spatial")
    real = module.whole_sign
    everywhere("whole_sign", lambda *arguments: real(*arguments) or 1)


def wrong_adjacency() -> None:
    """The points of a cut are joined in the order in which they were found, on any facet."""

    def careless(t: Any, f: int, corner: int, zero: int, one: int, unit: int) -> None:
        module = importlib.import_module("plregions.kernels.spatial")
        if t.open_end[unit] < 0:
            t.open_end[unit] = corner
            return
        for child in (zero, one):
            module._add_edge(t, child, t.open_end[unit], corner, f, unit)
        t.open_end[unit] = -1

    everywhere("_meet", careless)


def rungs_1_to_3_are_unsure() -> None:
    rungs_1_and_2_are_unsure()
    everywhere("empty_by_integers", unsure)


FAULTS: dict[str, Callable[[], None]] = {
    "none": lambda: None,
    "rung 1 unsure": lambda: everywhere("empty_by_residual", unsure),
    "rungs 1 and 2 unsure": rungs_1_and_2_are_unsure,
    "rungs 1 to 3 unsure": rungs_1_to_3_are_unsure,
    "no error bounds": no_error_bounds,
    "unproved signs believed": unproved_signs_are_believed,
    "zeros of whole numbers are sides": zeros_of_whole_numbers_are_sides,
    "wrong adjacency": wrong_adjacency,
}


def patterns(name: str, strategy: str) -> dict[str, Any]:
    """The answer to a case; None when it takes two seconds of the processor or ends in an error."""
    net, domain = NAMED[name] if name in NAMED else case(int(name))[1:]
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGVTALRM, too_long)
        signal.setitimer(signal.ITIMER_VIRTUAL, 2)
    try:
        regions = plr.enumerate_regions(net, domain, strategy=strategy)
    except (TimeoutError, PLRegionsError):
        return {"patterns": None, "statistics": {}}
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return {"patterns": regions.pattern_strings(), "statistics": regions.statistics}


def too_long(*_: Any) -> None:
    raise TimeoutError


def main(fault: str, strategy: str, names: list[str]) -> None:
    FAULTS[fault]()
    with np.errstate(all="ignore"):
        found = {name: patterns(name, strategy) for name in names}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
