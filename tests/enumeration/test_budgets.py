"""Budgets, progress and Ctrl-C: a partial answer is a normal value that says what it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.arrangements import resonance

import plregions as plr
from plregions.enumeration import budget, tree
from plregions.enumeration.budget import Progress

LARGE = plr.mlp("6-40-40-1")  # far more regions than any of these budgets allow
CUBE = plr.hypercube(6, -1, 1)
SMALL = plr.mlp("2-16-16-1")
SQUARE = plr.hypercube(2, -1, 1)
VERBS = {"enumerate": plr.enumerate_regions, "count": plr.count_regions}


@pytest.fixture(scope="module", autouse=True)
def _warm_kernels() -> None:
    plr.count_regions(plr.mlp("6-3-1"), CUBE)


@pytest.mark.parametrize("limit", [1, 2, 7, 344])
@pytest.mark.parametrize("strategy", ["tree", "auto"])
def test_max_regions_gives_a_prefix(limit: int, strategy: str) -> None:
    full = plr.enumerate_regions(SMALL, SQUARE)
    part = plr.enumerate_regions(SMALL, SQUARE, max_regions=limit, strategy=strategy)
    assert len(full) == 345 and len(part) == limit
    assert part.pattern_strings() == full.pattern_strings()[:limit]
    assert not part.is_complete
    assert (part.outcome.name, part.outcome.which) == ("BUDGET_EXHAUSTED", "max_regions")
    assert str(part.outcome) == "BUDGET_EXHAUSTED(max_regions)" and part.outcome.help
    count = plr.count_regions(SMALL, SQUARE, max_regions=limit)
    assert (int(count), count.is_complete, count.outcome) == (limit, False, part.outcome)


def test_a_budget_that_suffices_exactly() -> None:
    for limit in (345, 346):
        part = plr.enumerate_regions(SMALL, SQUARE, max_regions=limit)
        assert len(part) == 345 and part.is_complete and part.outcome.which is None


def test_max_regions_with_brute_force() -> None:
    net = plr.mlp("2-6-1")
    full = plr.enumerate_regions(net, SQUARE).pattern_strings()
    part = plr.enumerate_regions(net, SQUARE, strategy="brute_force", max_regions=3)
    assert part.pattern_strings() == full[:3] and not part.is_complete


def test_partial_complexes_have_graphs() -> None:
    """Facets are right; neighbours that were not found are missing."""
    full = plr.enumerate_regions(SMALL, SQUARE)
    part = plr.enumerate_regions(SMALL, SQUARE, max_regions=100)
    for region, whole in zip(part, full, strict=False):
        assert region.n_facets == whole.n_facets
        known = [r.index for r in whole.neighbours if r.index < 100]
        assert [r.index for r in region.neighbours] == known


class Clock:
    """Goes on by 10 ms whenever the budget or the walk looks at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looks = 0
        for module in (budget, tree):
            monkeypatch.setattr(module, "time", self)

    def monotonic(self) -> float:
        self.looks += 1
        return self.looks / 100


def is_kept(clock: Clock, part: Any) -> bool:
    """Whether a run ended within a few looks after 0.3 s, and did little between two looks."""
    did = part.statistics
    most = {"pivots": tree.PIVOTS_A_PAUSE * clock.looks, "exact_batches": clock.looks}
    return 30 <= clock.looks <= 40 and all(did[name] <= most[name] for name in most)


@pytest.mark.parametrize("verb", VERBS)
def test_time_limit_is_kept(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    part = VERBS[verb](LARGE, CUBE, time_limit=0.3)
    assert is_kept(clock, part)
    assert part.n_regions > 100
    assert (part.outcome.name, part.outcome.which) == ("BUDGET_EXHAUSTED", "time_limit")


def test_time_limit_is_kept_where_every_decision_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resonance arrangement moved off the origin: 1,066,044 regions, no float can tell."""
    rows = np.array([row[:-1] for row in resonance(6)], dtype=float)
    # Thirds are no floats, and so the compiled exact rung cannot tell either.
    bias = [Fraction(-int(row.sum()), 24) for row in rows]
    net = plr.Network([(rows, bias), (np.ones((1, len(rows))), [0])])
    clock = Clock(monkeypatch)
    part = plr.count_regions(net, plr.hypercube(6, -1, 1), time_limit=0.3)
    assert is_kept(clock, part)
    assert not part.is_complete
    assert part.statistics["exact"] > 10


def test_a_walk_that_seldom_looks_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on for ten times as many pivots as it may without a look."""
    real, pause = tree.walk, tree.PIVOTS_A_PAUSE

    def long(*arguments: Any) -> Any:
        return real(*(10 * v if v is pause else v for v in arguments))

    monkeypatch.setattr(tree, "walk", long)
    clock = Clock(monkeypatch)
    assert not is_kept(clock, plr.count_regions(LARGE, CUBE, time_limit=0.3))


@pytest.mark.parametrize("verb", VERBS)
def test_on_budget_raise(verb: str) -> None:
    with pytest.raises(plr.BudgetExhaustedError, match="max_regions") as caught:
        VERBS[verb](SMALL, SQUARE, max_regions=5, on_budget="raise")
    assert caught.value.partial.n_regions == 5
    assert not caught.value.partial.is_complete
    assert VERBS[verb](SMALL, SQUARE, max_regions=345, on_budget="raise").n_regions == 345


def test_a_stream_says_that_it_was_cut_off() -> None:
    stream = plr.iter_regions(SMALL, SQUARE, max_regions=5)
    first = [str(next(stream).pattern) for _ in range(5)]
    assert first == plr.enumerate_regions(SMALL, SQUARE).pattern_strings()[:5]
    with pytest.raises(plr.BudgetExhaustedError):
        next(stream)


def interrupt(reports: list[Progress]) -> Callable[[Progress], object]:
    def progress(report: Progress) -> None:
        reports.append(report)
        if len(reports) == 2:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("verb", VERBS)
def test_interrupt_in_a_callback(verb: str) -> None:
    reports: list[Progress] = []
    part = VERBS[verb](LARGE, CUBE, progress=interrupt(reports))
    assert (part.outcome.name, part.is_complete) == ("INTERRUPTED", False)
    assert part.n_regions >= reports[-1].n_regions > 0


def test_an_interrupted_complex_is_a_prefix() -> None:
    part = plr.enumerate_regions(LARGE, CUBE, progress=interrupt([]))
    longer = plr.enumerate_regions(LARGE, CUBE, max_regions=len(part))
    assert part.pattern_strings() == longer.pattern_strings()


def test_interrupt_in_a_stream_reaches_the_caller() -> None:
    with pytest.raises(KeyboardInterrupt):
        for _ in plr.iter_regions(LARGE, CUBE, progress=interrupt([])):
            pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
@pytest.mark.parametrize("verb", VERBS)
def test_sigint_while_kernels_run(verb: str) -> None:
    def raise_sigint(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, raise_sigint)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        part = VERBS[verb](LARGE, CUBE)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert part.outcome.name == "INTERRUPTED" and part.n_regions > 0


PROCESS = """
import plregions as plr
plr.count_regions(plr.mlp("6-3-1"), plr.hypercube(6, -1, 1))
print("warm", flush=True)
regions = plr.enumerate_regions(plr.mlp("6-40-40-1"), plr.hypercube(6, -1, 1))
print(regions.outcome, len(regions) > 0, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent to another process")
def test_sigint_from_outside() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROCESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "warm\n"
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        # Uninterrupted it would go on for long: the timeout ends a run that did not hear.
        out, err = process.communicate(timeout=60)
    assert out == "INTERRUPTED True\n", err


def test_progress_reports() -> None:
    reports: list[Progress] = []
    plr.count_regions(LARGE, CUBE, time_limit=0.6, progress=reports.append)
    assert len(reports) >= 3
    for attribute in ("n_regions", "seconds", "share_done"):
        values = [getattr(report, attribute) for report in reports]
        assert values == sorted(values), attribute
    assert all(0 <= report.share_done <= 1 for report in reports)
    assert all(report.upper_bound == reports[0].upper_bound for report in reports)
    assert reports[-1].n_regions < reports[-1].upper_bound


def test_share_done_ends_near_one() -> None:
    reports: list[Progress] = []
    net = plr.mlp("4-24-16-1")
    count = plr.count_regions(net, plr.hypercube(4, -1, 1), progress=reports.append)
    assert count.is_complete
    shares = [report.share_done for report in reports]
    assert shares == sorted(shares) and all(share <= 1 for share in shares)


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_counting_and_streaming_take_constant_memory() -> None:
    """Ten times the regions, the same memory: chunks are dropped when they are used."""
    net = plr.mlp("6-20-20-1")

    def stream(limit: int) -> None:
        try:
            for _ in plr.iter_regions(net, CUBE, max_regions=limit):
                pass
        except plr.BudgetExhaustedError:
            pass

    few = peak_bytes(lambda: plr.count_regions(net, CUBE, max_regions=10_000))
    many = peak_bytes(lambda: plr.count_regions(net, CUBE, max_regions=100_000))
    assert many < 1.3 * few
    assert many < 0.3 * peak_bytes(lambda: plr.enumerate_regions(net, CUBE, max_regions=100_000))
    few, many = peak_bytes(lambda: stream(10_000)), peak_bytes(lambda: stream(40_000))
    assert many < 1.3 * few


def test_b34_rows_are_not_copied_into_regions() -> None:
    """200 neurons and 10,000 regions: full rows would be 10,000 * 200 * 3 * 8 bytes = 48 MB."""
    net = plr.mlp("2-200-1", seed=1)
    regions: list[Any] = []
    used = peak_bytes(lambda: regions.append(plr.enumerate_regions(net, plr.hypercube(2, -1, 1))))
    assert len(regions[0]) > 5_000
    assert used < 12e6


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "max_regions 0": ({"max_regions": 0}, "max_regions needs .*; got 0"),
    "max_regions 1.5": ({"max_regions": 1.5}, "max_regions needs .*; got 1.5"),
    "max_regions True": ({"max_regions": True}, "max_regions needs .*; got True"),
    "time_limit 0": ({"time_limit": 0}, "time_limit needs .*; got 0"),
    "time_limit NaN": ({"time_limit": float("nan")}, "time_limit needs .*; got nan"),
    "time_limit text": ({"time_limit": "1"}, "time_limit needs .*; got '1'"),
    "progress": ({"progress": 3}, "progress needs .*; got 3"),
    "strategy": ({"strategy": "walk"}, "strategy needs .*tree.*; got 'walk'"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("verb", [*VERBS.values(), plr.iter_regions])
def test_wrong_options(verb: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(plr.InvalidInputError, match=message):
        verb(SMALL, SQUARE, **options)


@pytest.mark.parametrize("verb", [*VERBS.values(), plr.iter_regions])
def test_wrong_network_and_domain(verb: Any) -> None:
    with pytest.raises(plr.InvalidInputError, match=r"need a Network; got str.*plregions\.load"):
        verb("net.onnx", SQUARE)
    with pytest.raises(plr.InvalidInputError, match=r"got list.*Box\(lower, upper\)"):
        verb(SMALL, [-1, 1])
    with pytest.raises(plr.InvalidInputError, match="2 inputs; got one of dimension 3"):
        verb(SMALL, plr.hypercube(3))


@pytest.mark.parametrize("verb", VERBS.values())
def test_wrong_on_budget(verb: Any) -> None:
    with pytest.raises(plr.InvalidInputError, match="on_budget needs .*; got 'ignore'"):
        verb(SMALL, SQUARE, on_budget="ignore")


def test_brute_force_refuses_what_it_cannot_do() -> None:
    with pytest.raises(plr.InvalidInputError, match='20 neurons.*got 32.*strategy="tree"'):
        plr.count_regions(SMALL, SQUARE, strategy="brute_force")


def test_a_count_is_a_number_and_a_sentence() -> None:
    count = plr.count_regions(SMALL, SQUARE)
    assert (int(count), count.kind, range(345)[-1] + 1) == (345, "activation", count.__index__())
    assert str(count) == "345 activation regions, complete"
    assert count.seconds > 0 and count.statistics["splits"] == 344
