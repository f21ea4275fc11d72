"""Sound complexes pass every check that applies; each planted fault is caught by the right one."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from oracles.planted_complexes import with_flipped_bit, with_moved_point, without
from oracles.random_cases import case
from oracles.unbounded_cases import unbounded_case

import plregions as plr
from plregions.analysis import audit as module
from plregions.analysis.audit import CHECKS, audit


@pytest.fixture(scope="module")
def regions() -> plr.RegionComplex:
    return plr.enumerate_regions(plr.mlp("3-6-4-1", seed=2), plr.hypercube(3, -1, 1))


@pytest.mark.parametrize("seed", range(40))
def test_sound_complexes_pass(seed: int) -> None:
    report = audit(plr.enumerate_regions(*case(seed)[1:]))
    assert report.ok, str(report)
    assert [check.state for check in report.checks] == ["passed"] * len(CHECKS)


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_unbounded_domains_have_no_volume(seed: int) -> None:
    report = audit(plr.enumerate_regions(*unbounded_case(seed)))
    assert report.ok, str(report)
    states = {check.name: check.state for check in report.checks}
    assert states == dict.fromkeys(CHECKS, "passed") | dict.fromkeys(
        ("volumes", "euler"), "not applicable"
    )
    assert report["volumes"].reason == "the domain is not bounded"


def test_a_region_that_is_missing(regions: plr.RegionComplex) -> None:
    on_boundary = {int(r) for r in np.flatnonzero([
        (regions.graph.labels[regions.graph.offsets[r] : regions.graph.offsets[r + 1]] < 0).any()
        for r in range(len(regions))
    ])}  # fmt: skip
    inner = next(r for r in range(len(regions)) if r not in on_boundary)
    report = audit(without(regions, inner))
    assert report.failed == ("closure", "volumes", "euler")
    assert report["closure"].figures["unknown"] == regions.graph.n_facets[inner]
    share = report["volumes"].figures["missing_share"]
    assert np.isclose(share * 8, float(regions[inner].volume()))
    # At the boundary the rest may be contractible; volumes and closure see it.
    report = audit(without(regions, min(on_boundary)))
    assert {"closure", "volumes"} <= set(report.failed)


def test_a_point_that_was_moved(regions: plr.RegionComplex) -> None:
    report = audit(with_moved_point(regions, 3, 4))
    assert report.failed == ("points",)
    assert report["points"].figures["first_wrong"] == (3,)
    assert report["volumes"].state == "not applicable" and "points" in report["volumes"].reason
    outside = regions.local_points.copy()
    outside[5] *= 100
    wrong = with_moved_point(regions, 3, 3)
    object.__setattr__(wrong, "local_points", outside)
    assert audit(wrong)["points"].figures["first_wrong"] == (5,)


def test_a_pattern_that_was_changed(regions: plr.RegionComplex) -> None:
    for bit in range(regions.n_bits):
        assert "points" in audit(with_flipped_bit(regions, 7, bit)).failed


def test_patterns_twice_or_out_of_order(regions: plr.RegionComplex) -> None:
    order = np.arange(len(regions))
    order[[2, 3]] = 3, 2
    swapped = with_moved_point(regions, 0, 0)
    for name in ("packed_patterns", "packed_rows", "local_points"):
        object.__setattr__(swapped, name, getattr(regions, name)[order])
    assert audit(swapped).failed == ("patterns",)
    twice = without(regions, 2)
    for name in ("packed_patterns", "packed_rows", "local_points"):
        column = getattr(regions, name).copy()
        column[2] = column[3]
        object.__setattr__(twice, name, column)
    report = audit(twice)
    assert report.failed == ("patterns",)
    assert report["patterns"].figures["distinct"] == len(regions) - 1


def test_an_edge_from_one_side(regions: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch) -> None:
    make = module.region_graph

    def torn(*arguments: object, is_complete: bool) -> object:
        graph = make(*arguments, is_complete=is_complete)
        neighbours = graph.neighbours.copy()
        neighbours[np.flatnonzero(neighbours >= 0)[0]] = -1
        object.__setattr__(graph, "neighbours", neighbours)
        return graph

    monkeypatch.setattr(module, "region_graph", torn)
    report = audit(regions, ["edges"])
    assert report.failed == ("edges",) and report["edges"].figures["one_sided"] == 1


def test_incomplete_complexes_are_not_blamed() -> None:
    net = plr.mlp("2-8-8-1", seed=1)
    regions = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), max_regions=9)
    report = audit(regions)
    assert report.ok and not regions.is_complete
    assert report["closure"].reason.endswith("BUDGET_EXHAUSTED(max_regions)")
    assert 0 < report["volumes"].figures["missing_share"] < 1


def test_limits_and_refusals() -> None:
    regions = plr.enumerate_regions(plr.mlp("5-3-1", seed=1), plr.hypercube(5))
    assert audit(regions)["euler"].reason.startswith("5 dimensions")
    assert audit(regions, thorough=True)["euler"].state == "passed"
    with pytest.raises(plr.InvalidInputError, match="audit needs checks among points.*'areas'"):
        audit(regions, ["areas"])
    with pytest.raises(KeyError):
        audit(regions, ["points"])["edges"]


def test_report_as_plain_data() -> None:
    triangle = plr.Polytope([[-1, 0], [0, -1], [3, 1]], [0, 0, Fraction(1)])
    net = plr.Network([([[1, -1]], [0]), ([[1]], [0])])
    report = audit(plr.enumerate_regions(net, triangle))
    data = json.loads(json.dumps(report.to_dict()))
    assert data["ok"] and [check["name"] for check in data["checks"]] == list(CHECKS)
    assert data["checks"][4]["figures"]["domain"] == "1/6"
    assert data["checks"][5]["figures"]["f_vector"] == [4, 5, 2]
    assert str(report).count("passed") == len(CHECKS)


def box_rows(shared: Path, least: int, most: int) -> list[str]:
    with (shared / "cases" / "counts.csv").open() as file:
        return [
            row["net"]
            for row in csv.DictReader(file)
            if row["domain"] == "[-1,1]^d" and least < int(row["activation_regions"]) <= most
        ]


def failures(shared: Path, names: list[str]) -> tuple[int, list[str]]:
    seen, found = 0, []
    for name in names:
        net = plr.load(shared / "cases" / f"{name}.npz")
        if net.input_dim <= 3:
            regions = plr.enumerate_regions(net, plr.hypercube(net.input_dim, -1, 1))
            report = audit(regions)
            seen += 1
            if {check.state for check in report.checks} != {"passed"}:
                found.append(f"{name}: {report}")
    return seen, found


def test_volumes_of_shared_cases_sum_exactly(shared: Path) -> None:
    seen, found = failures(shared, box_rows(shared, 0, 1500))
    assert seen > 55 and found == []


@pytest.mark.slow
def test_volumes_of_large_shared_cases_sum_exactly(shared: Path) -> None:
    seen, found = failures(shared, box_rows(shared, 1500, 20000))
    assert seen > 4 and found == []
