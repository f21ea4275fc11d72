"""`summarise`: against the standard library and scipy, and how often intervals hold the mean."""

from __future__ import annotations

import json
import statistics
from typing import Any

import numpy as np
import pytest
from scipy import stats

import plregions as plr
from plregions.analysis import summary
from plregions.analysis.counts import DepthProfile, DepthRow
from plregions.analysis.summary import summarise
from plregions.errors import InvalidInputError


def profile_of(values: dict[int, list[Any]], family: str = "f") -> DepthProfile:
    """A profile with these activation regions at each depth."""
    rows = tuple(
        DepthRow(family, k, depth, (1,) * (depth - 1), 1, 1, None, n, n, n, 99, 1, True)
        for depth, numbers in values.items()
        for k, n in enumerate(numbers)
    )
    return DepthProfile(rows, plr.hypercube(2))


VALUES = {2: [7, 9, 12, 4, 8], 3: [20, 21], 4: [5]}


def test_statistics() -> None:
    found = summarise(profile_of(VALUES), ["activation"], levels=(0.1, 0.5))
    assert [(r.depth, r.n) for r in found.rows] == [(2, 5), (3, 2), (4, 1)]
    for row in found.rows[:2]:
        values = VALUES[row.depth]
        assert row.mean == statistics.mean(values)
        assert row.std == pytest.approx(statistics.stdev(values))
        assert row.quantiles[1] == statistics.median(values)
        interval = stats.t.interval(0.95, len(values) - 1, row.mean, stats.sem(values))
        assert (row.low, row.high) == pytest.approx(interval)
    assert found.rows[0].quantiles[0] == pytest.approx(5.2)
    last = found.rows[2]
    assert (last.mean, last.std, last.low, last.high, last.quantiles) == (
        5,
        None,
        None,
        None,
        (5, 5),
    )


def share_of_intervals_that_hold(method: Any) -> float:
    rng = np.random.default_rng(2)
    hits = 0
    for k in range(300):
        values = rng.poisson(30, 12).tolist()
        row = summarise(
            profile_of({2: values}), ["activation"], method=method, n_resamples=200, seed=k
        ).rows[0]
        assert row.low is not None and row.high is not None
        hits += row.low <= 30 <= row.high
    return hits / 300


@pytest.mark.parametrize(("method", "least"), [("t", 0.92), ("bootstrap", 0.87)])
def test_intervals_hold_the_mean_as_often_as_they_say(method: str, least: float) -> None:
    assert least < share_of_intervals_that_hold(method) < 0.98


def test_coverage_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    true = summary._student
    monkeypatch.setattr(summary, "_student", lambda v, std, c: true(v, std / 2, c))
    assert share_of_intervals_that_hold("t") < 0.8


def test_bootstrap_depends_on_its_seed_only() -> None:
    profile = profile_of({2: [7, 9, 12, 4, 8, 30]})
    one, again = (summarise(profile, method="bootstrap", seed=3) for _ in range(2))
    assert one == again
    assert one != summarise(profile, method="bootstrap", seed=4)
    row = one.rows[0]
    assert row.low is not None and row.high is not None
    assert 4 <= row.low < row.mean < row.high <= 30


def test_missing_values_and_families() -> None:
    rows = profile_of({2: [7, 9]}).rows + profile_of({2: [1, None], 3: [None]}, "g").rows
    found = summarise(DepthProfile(rows, plr.hypercube(2)), ["linear"])
    assert [(r.family, r.depth, r.n, r.mean) for r in found.rows] == [
        ("f", 2, 2, 8),
        ("g", 2, 1, 1),
    ]


def test_bools_and_rationals() -> None:
    nets = [plr.mlp("2-3-1", seed) for seed in range(3)]
    measures = {"same": lambda net, first, _: net == first}
    profile = plr.analysis.counts.depth_profile(nets, plr.hypercube(2), measures=measures)
    assert summarise(profile, ["same"]).rows[0].mean == pytest.approx(1 / 3)


def test_forms() -> None:
    found = summarise(profile_of(VALUES))
    assert len(found.rows) == 9
    assert found.to_markdown().splitlines()[0].endswith("| low | high | q0.25 | q0.5 | q0.75 |")
    assert len(str(found).splitlines()) == 10
    assert repr(found) == "DepthSummary(9 rows, 95% intervals by 't')"
    assert "95% confidence intervals (t)" in found._repr_html_()
    answer = json.loads(found.to_json())
    assert (answer["method"], answer["confidence"], answer["levels"]) == (
        "t",
        0.95,
        [0.25, 0.5, 0.75],
    )
    assert answer["rows"][0]["mean"] == 8
    pytest.importorskip("pandas")
    frame = found.to_frame()
    assert frame["n"].tolist()[:3] == [5, 2, 1]


def test_wrong_questions() -> None:
    profile = profile_of(VALUES)
    wrong: list[dict[str, Any]] = [
        {"confidence": 1},
        {"confidence": "x"},
        {"levels": [2]},
        {"method": "z"},
        {"n_resamples": 0},
        {"seed": -1},
        {"columns": ["nobody"]},
        {"columns": ["family"]},
        {"columns": ["widths"]},
    ]
    for options in wrong:
        with pytest.raises(InvalidInputError):
            summarise(profile, **options)
    huge = profile_of({2: [10**400]})
    with pytest.raises(InvalidInputError, match="range of float64"):
        summarise(huge, ["activation"])
