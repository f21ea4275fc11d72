"""Each figure is measured at a small size, and says so when what it measures is false."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from benchmarks import figures

import plregions as plr


def verdicts(found: Iterable[figures.Finding]) -> list[bool]:
    return [finding.holds for finding in found]


def spoil(monkeypatch: pytest.MonkeyPatch, verb: str, change: Any) -> None:
    """Let a verb of the package return something else."""
    honest = getattr(plr, verb)
    monkeypatch.setattr(plr, verb, lambda *args, **options: change(honest(*args, **options)))


NETWORKS = [("plane", plr.mlp([2, 6, 1])), ("four", plr.mlp([4, 5, 1]))]
CLASSES = plr.mlp([2, 6, 6, 3], seed=2)
CUBE = plr.mlp([3, 5, 5, 3])


def test_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = figures.volumes(NETWORKS)
    assert found.holds
    assert "of 1 networks sum to the domain's exactly" in str(found)
    assert str(found).endswith("; wrong: none: holds")

    def a_little_more(columns: Any) -> Any:
        volume = columns["volume"].copy()
        volume[0] += Fraction(1, 10**20) if volume.dtype == object else 0.0
        return {"volume": volume}

    spoil(monkeypatch, "measure", a_little_more)
    (found,) = figures.volumes(NETWORKS)
    assert str(found).endswith("; wrong: plane: FALSE")


def test_sums_of_fractions() -> None:
    numbers = [Fraction(1, k) for k in range(1, 8)]
    for n in range(8):
        assert figures.exact_sum(numbers[:n]) == sum(numbers[:n])


def test_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdicts(figures.segments(CLASSES, 20)) == [True, True, True]

    def without_a_piece(found: Any) -> Any:
        keep = slice(1, None)
        columns = found.corners[keep], found.neighbours[keep], found.tied[keep]
        return dataclasses.replace(
            found, **dict(zip(("corners", "neighbours", "tied"), columns, strict=True))
        )

    spoil(monkeypatch, "decision_boundary", without_a_piece)
    assert verdicts(figures.segments(CLASSES, 200)) == [True, True, False]


def test_acas(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdicts(figures.acas(CUBE, Fraction(1, 2), 100)) == [True] * 5

    def lower(found: Any) -> Any:
        upper = (found.upper[0] - Fraction(1, 10**9), *found.upper[1:])
        return dataclasses.replace(found, upper=upper)

    spoil(monkeypatch, "output_range", lower)
    assert verdicts(figures.acas(CUBE, Fraction(1, 2), 100))[1] is False


def test_samples_notice_a_share_and_a_range_that_are_wrong() -> None:
    box = plr.hypercube(3, -1, 1)
    regions = plr.enumerate_regions(CUBE, box)
    limits, parts = plr.output_range(CUBE, box), plr.argmax_partition(regions)
    shares = {k: float(v) / 8 for k, v in zip(parts.labels, parts.volumes, strict=True)}
    assert figures.samples_agree(CUBE, regions, limits, parts, shares, 500).holds
    far = {label: (share + 1) / 2 for label, share in shares.items()}
    assert not figures.samples_agree(CUBE, regions, limits, parts, far, 500).holds
    narrow = dataclasses.replace(limits, upper=limits.lower)
    assert not figures.samples_agree(CUBE, regions, narrow, parts, shares, 500).holds


def test_exports() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert verdicts(figures.exports(["2-5-1", "3-4-1"])) == [True] * 6
    (late,) = figures.exports(["2-5-1"], {"npz": 0.0})
    assert str(late).endswith(" (bar 0 s): FALSE")


def test_columns() -> None:
    assert verdicts(figures.columns(["3-4-1"], 1)) == [True]
    assert verdicts(figures.columns(["3-4-1"], 1e12)) == [False]


@pytest.mark.filterwarnings("ignore")  # those of libraries that we do not choose
def test_tll() -> None:
    pytest.importorskip("geopandas", exc_type=ImportError)
    net = plr.constructions.l1_norm(2)
    assert verdicts(figures.tll(net, (4, 4))) == [True, True, True]
    assert verdicts(figures.tll(net, (4, 3))) == [False, True, False]


def test_what_is_missing_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(figures, "SHARED", tmp_path)
    lines: list[str] = []
    assert figures.report(["volumes", "segments", "acas", "tll"], lines.append)
    skipped = [line for line in lines if "skipped, it needs the folder ../shared beside" in line]
    assert len(skipped) == 4


def test_a_false_figure_is_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for holds in (True, False):
        monkeypatch.setattr(
            figures,
            "BARS",
            {"one": lambda: iter([figures.Finding("1 of 2", holds)])},  # noqa: B023
        )
        assert figures.main(["one"]) == (0 if holds else 1)
    assert "one: 1 of 2: FALSE" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        figures.main(["two"])
    assert "no figure two; there are one" in capsys.readouterr().err
