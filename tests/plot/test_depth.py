"""The picture of counts against depth shows the numbers of the profile."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

import plregions as plr
from plregions import plot
from plregions.analysis.counts import DepthProfile, depth_profile
from plregions.analysis.equal_size import random_family
from plregions.analysis.summary import summarise
from plregions.errors import InvalidInputError, MissingExtraError

SQUARE = plr.hypercube(2, -1, 1)


@pytest.fixture(scope="module")
def profile() -> DepthProfile:
    return depth_profile(random_family(2, 1, [2, 3], seeds=4, neurons=8), SQUARE)


def marks(ax: Axes) -> list[list[tuple[float, float]]]:
    """The points of each scatter, in the order drawn."""
    drawn = [c for c in ax.collections if isinstance(c, PathCollection)]
    return [[tuple(map(float, p)) for p in np.asarray(c.get_offsets())] for c in drawn]


def line(ax: Axes) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in ax.lines[0].get_xydata()]  # type: ignore[union-attr]


def test_marks_means_and_bars(profile: DepthProfile) -> None:
    ax = plot.depth_profile(profile, ax=Figure().subplots(), column="linear", bounds=False)
    assert marks(ax)[0] == list(zip(profile.column("depth"), profile.column("linear"), strict=True))
    rows = summarise(profile, ["linear"]).rows
    assert line(ax) == [(r.depth, r.mean) for r in rows]
    (bars,) = ax.containers
    segments = bars[2][0].get_segments()
    for row, segment in zip(rows, segments, strict=True):
        assert (segment[0][1], segment[1][1]) == pytest.approx((row.low, row.high))
    assert ax.get_ylabel() == "linear regions"
    assert ax.get_title() == "8 networks"
    assert ax.get_yscale() == "linear"


def test_points_see_a_fault(profile: DepthProfile) -> None:
    wrong = dataclasses.replace(profile, rows=profile.rows[::-1])
    ax = plot.depth_profile(wrong, ax=Figure().subplots(), bounds=False)
    expected = list(zip(profile.column("depth"), profile.column("activation"), strict=True))
    assert marks(ax)[0] != expected


def test_bounds(profile: DepthProfile) -> None:
    ax = plot.depth_profile(profile, ax=Figure().subplots())
    shown = marks(ax)
    for name in ("upper", "lower"):
        best = {d: max(r.value(name) for r in profile.rows if r.depth == d) for d in (2, 3)}
        assert [(float(d), float(v)) for d, v in best.items()] in shown
    assert ax.get_yscale() == "log"
    texts = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert texts == [
        "no such network has more",
        "some such network has so many",
        "random: mean, 95% interval",
    ]


def test_families_stand_side_by_side(profile: DepthProfile) -> None:
    others = [dataclasses.replace(row, family="trained") for row in profile.rows]
    both = dataclasses.replace(profile, rows=(*profile.rows, *others))
    ax = plot.depth_profile(both, ax=Figure().subplots(), bounds=False)
    first, second = marks(ax)
    assert len(first) == len(second) == 8
    assert {x for x, _ in first}.isdisjoint(x for x, _ in second)
    assert [y for _, y in first] == [y for _, y in second]


def test_bounds_of_families_are_drawn_once(profile: DepthProfile) -> None:
    others = [dataclasses.replace(row, family="trained", upper=3) for row in profile.rows]
    both = dataclasses.replace(profile, rows=(*others, *profile.rows))
    drawn = marks(plot.depth_profile(both, ax=Figure().subplots()))
    best = {d: max(r.upper for r in profile.rows if r.depth == d) for d in (2, 3)}
    assert len(drawn) == 4  # two families, two bounds
    assert [(float(d), float(v)) for d, v in best.items()] in drawn


def test_huge_bounds_and_single_networks() -> None:
    rows = depth_profile([plr.mlp("2-3-1")], SQUARE).rows
    row = dataclasses.replace(rows[0], upper=10**500)
    ax = plot.depth_profile(DepthProfile((row,), SQUARE), ax=Figure().subplots())
    assert len(line(ax)) == 1
    assert ax.get_title() == "1 network"
    ax.figure.savefig(io.BytesIO(), format="png")  # type: ignore[call-arg]


def test_further_columns_and_incomplete_counts() -> None:
    nets = [plr.mlp("2-9-9-1", seed) for seed in range(2)]
    measures: dict[str, Any] = {"zero": lambda net, first, domain: 0}
    profile = depth_profile(nets, SQUARE, measures=measures, max_regions=5)
    ax = plot.depth_profile(profile, ax=Figure().subplots(), column="zero")
    assert ax.get_ylabel() == "zero"
    assert ax.get_title() == "2 networks (incomplete)"
    assert ax.get_yscale() == "linear"
    with pytest.raises(InvalidInputError, match="'linear', which has none"):
        plot.depth_profile(profile, column="linear")


def test_new_figure(profile: DepthProfile) -> None:
    import matplotlib.pyplot as plt

    ax = plot.depth_profile(profile)
    assert plt.fignum_exists(ax.figure.number)  # type: ignore[union-attr]
    assert matplotlib.get_backend().lower() == "agg"


def test_wrong_questions(profile: DepthProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInputError, match="DepthProfile"):
        plot.depth_profile([profile])  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="columns"):
        plot.depth_profile(profile, column="nobody")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="plot.depth_profile needs the matplotlib library"):
        plot.depth_profile(profile)
