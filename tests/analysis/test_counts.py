"""`depth_profile`: each row against the verbs, further columns, budgets, forms."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

import plregions as plr
from plregions.analysis import counts
from plregions.analysis.counts import COLUMNS, DepthProfile, depth_profile
from plregions.analysis.equal_size import Member, random_family
from plregions.analysis.upper_bounds import serra_bound
from plregions.errors import InvalidInputError

SQUARE = plr.hypercube(2, -1, 1)


@pytest.fixture(scope="module")
def profile() -> DepthProfile:
    return depth_profile(random_family(2, 1, [2, 3, 4], seeds=3, neurons=9), SQUARE)


def disagreements(profile: DepthProfile) -> list[str]:
    """Columns that differ from the verbs' answers, for networks of `mlp`."""
    found = []
    for row in profile.rows:
        net = plr.mlp([2, *row.widths, 1], row.seed or 0)
        for kind in ("activation", "linear", "maps"):
            if row.value(kind) != int(plr.count_regions(net, profile.domain, kind=kind)):
                found.append(kind)
        sizes = plr.describe(net)
        expected = (sizes.depth, sizes.n_neurons, sizes.n_parameters)
        if (row.depth, row.neurons, row.parameters) != expected:
            found.append("sizes")
        if row.upper != serra_bound(2, row.widths):
            found.append("upper")
    return found


def test_rows(profile: DepthProfile) -> None:
    assert disagreements(profile) == []
    assert profile.depths == (2, 3, 4)
    assert profile.is_complete
    assert profile.column("depth") == (2, 2, 2, 3, 3, 3, 4, 4, 4)
    assert set(profile.column("neurons")) == {9}
    for row in profile.rows:
        assert row.maps is not None and row.linear is not None
        assert row.maps <= row.linear <= row.activation <= row.upper
        assert row.lower <= row.upper


def test_verbs_see_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    half = plr.Box([-1, -1], [0, 1])
    monkeypatch.setattr(
        counts, "enumerate_regions", lambda net, _, **limits: plr.enumerate_regions(net, half)
    )
    wrong = depth_profile(random_family(2, 1, [3], seeds=2, neurons=9), SQUARE)
    assert "activation" in disagreements(wrong)


def test_three_counts_differ() -> None:
    """The catalogue's median and a tent on the line."""
    hat = plr.Network([([[1], [1], [1]], ["-1/4", "-1/2", "-3/4"]), ([[1, -2, 1]], [0])])
    row = depth_profile([hat], plr.Box([0], [1])).rows[0]
    assert (row.activation, row.linear, row.maps) == (4, 4, 3)
    dead = plr.Network([([[1, 0], [0, 1]], None), ([[1, 0]], [0])])
    row = depth_profile([dead], SQUARE).rows[0]
    assert (row.activation, row.linear, row.maps) == (4, 2, 2)


def test_no_hidden_layer() -> None:
    row = depth_profile([plr.mlp("2-3")], SQUARE).rows[0]
    assert (row.depth, row.widths, row.activation, row.upper, row.lower) == (1, (), 1, 1, 1)
    assert "| none |" in depth_profile([plr.mlp("2-3")], SQUARE).to_markdown()


def test_slices_and_whole_spaces() -> None:
    net = plr.mlp("3-5-5-1")
    line = plr.slice_through([[0, 0, 0], [1, 1, 1]])
    row = depth_profile([net], line).rows[0]
    assert row.upper == 36
    assert row.activation == int(plr.count_regions(net, line))
    row = depth_profile([net], plr.WholeSpace(3)).rows[0]
    assert row.activation == int(plr.count_regions(net, plr.WholeSpace(3)))


def test_further_columns() -> None:
    nets = [plr.mlp("2-4-1", seed) for seed in range(2)]

    def gap(net: plr.Network, first: plr.Network, domain: Any) -> Fraction:
        point = domain.interior_point()
        return abs(net.exact(point)[0] - first.exact(point)[0])

    profile = depth_profile(nets, SQUARE, measures={"gap": gap, "same": lambda f, g, _: f == g})
    assert profile.columns == (*COLUMNS, "gap", "same")
    assert profile.column("same") == (True, False)
    assert profile.rows[0].value("gap") == 0 < profile.rows[1].value("gap")
    rows = json.loads(profile.to_json())["rows"]
    assert Fraction(rows[1]["gap"]) == profile.rows[1].value("gap")
    with pytest.raises(InvalidInputError, match="names of their own"):
        depth_profile(nets, SQUARE, measures={"linear": gap})
    with pytest.raises(InvalidInputError, match="columns"):
        profile.column("nobody")


def test_budgets() -> None:
    nets = [plr.mlp("2-20-20-1"), plr.mlp("2-2-1")]
    profile = depth_profile(nets, SQUARE, max_regions=50)
    first, second = profile.rows
    assert (first.complete, first.activation, first.linear, first.maps) == (False, 50, None, None)
    assert second.complete and second.linear is not None
    assert not profile.is_complete
    assert json.loads(profile.to_json())["complete"] is False


def test_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    nets = [plr.mlp("2-4-1", seed) for seed in range(4)]

    def stops(net: plr.Network, *_: Any) -> int:
        if net == nets[2]:
            raise KeyboardInterrupt
        return 1

    part = depth_profile(nets, SQUARE, measures={"one": stops})
    assert (len(part.rows), part.n_left_out, part.is_complete) == (2, 2, False)
    assert str(part).startswith("2 networks in Box([-1, -1], [1, 1]), interrupted: 2 left out\n")
    assert json.loads(part.to_json())["left_out"] == 2

    def interrupted(net: plr.Network, domain: Any, **_: Any) -> plr.RegionComplex:
        def stop(report: plr.Progress) -> None:
            raise KeyboardInterrupt

        return plr.enumerate_regions(plr.mlp("4-60-60-1"), plr.hypercube(4), progress=stop)

    monkeypatch.setattr(counts, "enumerate_regions", interrupted)
    none = depth_profile(nets, SQUARE)
    assert (none.rows, none.n_left_out, none.is_complete) == ((), 4, False)
    assert str(none).startswith("0 networks")


def test_forms(profile: DepthProfile) -> None:
    page = profile.to_markdown().splitlines()
    assert len(page) == 11
    assert page[0].startswith(
        "| family | seed | depth | widths | neurons | parameters | activation"
    )
    assert "score" not in page[0]  # nothing stands there
    assert page[-1].startswith("| random | 2 | 4 | 3-3-3 | 9 |")
    text = str(profile)
    assert text.startswith("9 networks in Box(")
    assert repr(profile) == "DepthProfile(9 networks in Box([-1, -1], [1, 1]))"
    assert len(text.splitlines()) == 11
    assert len(ElementTree.fromstring(profile._repr_html_()).findall(".//tr")) == 10
    answer = json.loads(profile.to_json())
    assert answer["rows"][0]["widths"] == [9]
    assert [row["activation"] for row in answer["rows"]] == list(profile.column("activation"))


def test_frame(profile: DepthProfile) -> None:
    pytest.importorskip("pandas")
    frame = profile.to_frame()
    assert tuple(frame.columns) == COLUMNS
    assert frame["activation"].tolist() == list(profile.column("activation"))
    assert frame.groupby("depth")["activation"].count().tolist() == [3, 3, 3]
    assert frame.attrs == {"domain": repr(SQUARE), "complete": True}


def test_scores_are_shown() -> None:
    member = Member(plr.mlp("2-3-1"), "trained", 4, 0.75)
    profile = depth_profile([member], SQUARE)
    assert profile.rows[0].score == 0.75
    assert "| trained | 4 | 2 | 3 | 3 | 13 | 0.75 |" in profile.to_markdown()


def test_wrong_questions() -> None:
    net = plr.mlp("2-3-1")
    for networks in ([], net, [3], None):
        with pytest.raises(InvalidInputError, match="depth_profile needs"):
            depth_profile(networks, SQUARE)  # type: ignore[arg-type]
    for domain in (plr.hypercube(3), "box"):
        with pytest.raises(InvalidInputError, match="regions need a"):
            depth_profile([net], domain)  # type: ignore[arg-type]


def test_profiles_are_values(profile: DepthProfile) -> None:
    again = depth_profile(
        random_family(2, 1, [2, 3, 4], seeds=3, neurons=9), SQUARE, measures={"zero": lambda *_: 0}
    )
    assert again != profile
    assert pickle.loads(pickle.dumps(again)) == again
    assert hash(again) == hash(pickle.loads(pickle.dumps(again)))
