"""The archive of a complex: round trips, and damage that is always noticed."""

from __future__ import annotations

import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_cases import case

import plregions as plr

SQUARE = plr.hypercube(2, -1, 1)


def assert_same(a: plr.RegionComplex, b: plr.RegionComplex) -> None:
    assert a == b
    assert (a.outcome, a.statistics) == (b.outcome, b.statistics)
    assert np.array_equal(a.interior_points, b.interior_points)
    assert [r.exact_point for r in a] == [r.exact_point for r in b]
    assert [r.rows() for r in a] == [r.rows() for r in b]


@pytest.mark.parametrize("with_graph", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_round_trip(tmp_path: Path, seed: int, with_graph: bool) -> None:
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    if with_graph:
        _ = regions.graph
    regions.save(tmp_path / "a.npz")
    again = plr.RegionComplex.load(tmp_path / "a.npz")
    assert ("graph" in again.__dict__) == with_graph
    assert_same(regions, again)
    for name in ("offsets", "labels", "neighbours"):
        assert np.array_equal(getattr(regions.graph, name), getattr(again.graph, name))
    assert regions.graph.several == again.graph.several


def test_rational_points_survive(tmp_path: Path) -> None:
    third, width = Fraction(1, 3), Fraction(1, 10**30)
    net = plr.Network([([[1], [1]], [-third, -third - width]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(net, plr.hypercube(1))
    assert regions.exact_points
    regions.save(tmp_path / "a.npz")
    assert_same(regions, plr.RegionComplex.load(tmp_path / "a.npz"))


@pytest.mark.parametrize("limit", [1, 5])
def test_partial_complexes_stay_partial(tmp_path: Path, limit: int) -> None:
    regions = plr.enumerate_regions(plr.mlp("2-6-5-1"), SQUARE, max_regions=limit)
    regions.save(str(tmp_path / "a.NPZ"))
    again = plr.RegionComplex.load(str(tmp_path / "a.NPZ"))
    assert_same(regions, again)
    assert not again.is_complete and again.outcome.which == "max_regions"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    regions = plr.enumerate_regions(plr.mlp("2-6-5-1"), SQUARE)
    _ = regions.graph
    regions.save(tmp_path / "a.npz")
    return tmp_path / "a.npz"


def test_it_holds_arrays_and_no_pickle(saved: Path) -> None:
    with np.load(saved, allow_pickle=False) as archive:
        assert {archive[name].dtype.kind for name in archive.files} <= set("Uiuf")
        assert str(archive["format"]) == "plregions-region-complex"


def rewritten(path: Path, **changes: Any) -> Path:
    """The archive with some arrays changed; None drops one."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays |= changes
    other = path.with_name("b.npz")
    np.savez(other, **{name: array for name, array in arrays.items() if array is not None})
    return other


def test_unchanged_arrays_load(saved: Path) -> None:
    assert plr.RegionComplex.load(rewritten(saved)) == plr.RegionComplex.load(saved)


@pytest.mark.parametrize(
    "name",
    [
        "format", "version", "network", "domain", "packed_patterns", "local_points",
        "exact_index", "exact_points", "outcome", "statistics", "facet_labels",
        "facet_neighbours", "several_facet", "several_flips",
    ],
)  # fmt: skip
def test_a_missing_array(saved: Path, name: str) -> None:
    with pytest.raises(plr.FormatError, match=r"RegionComplex\.load needs") as caught:
        plr.RegionComplex.load(rewritten(saved, **{name: None}))
    assert caught.value.path.endswith("b.npz")


WRONG: dict[str, Any] = {
    "another format": {"format": "something else"},
    "a later version": {"version": 99},
    "patterns of another width": {"packed_patterns": np.zeros((48, 9), np.uint8)},
    "patterns of another type": {"packed_patterns": np.zeros((48, 2), np.int64)},
    "too few points": {"local_points": np.zeros((3, 2))},
    "points of another dimension": {"local_points": np.zeros((48, 3))},
    "a network that is no network": {"network": "{}"},
    "a domain that is no domain": {"domain": '{"type": "ball"}'},
    "a domain of another dimension": {"domain": '{"type": "box", "lower": ["0"], "upper": ["1"]}'},
    "an empty box": {"domain": '{"type": "box", "lower": ["1", "1"], "upper": ["0", "0"]}'},
    "an unknown outcome": {"outcome": np.array(["FINE", ""])},
    "neighbours that are not there": {"facet_neighbours": np.full(3, 10**6)},
    "text in place of numbers": {"statistics": "not JSON"},
    "objects": {"packed_patterns": np.array([{}], dtype=object)},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG.keys())
def test_arrays_that_do_not_fit(saved: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(plr.FormatError, match=r"RegionComplex\.load needs"):
        plr.RegionComplex.load(rewritten(saved, **changes))


def test_truncated_files(saved: Path) -> None:
    data = saved.read_bytes()
    for length in range(0, len(data), 97):
        saved.write_bytes(data[:length])
        with pytest.raises(plr.FormatError):
            plr.RegionComplex.load(saved)


def test_damaged_bytes_give_a_format_error_or_the_same_complex(saved: Path) -> None:
    """numpy, zipfile and zlib raise a dozen types; one of ours comes out."""
    data = saved.read_bytes()
    whole = plr.RegionComplex.load(saved)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for place in rng.integers(0, len(data), rng.integers(1, 6)):
            damaged[place] ^= int(rng.integers(1, 256))
        saved.write_bytes(bytes(damaged))
        try:
            assert plr.RegionComplex.load(saved) == whole
        except plr.FormatError:
            refused += 1
    assert refused > 200


def test_other_files(tmp_path: Path) -> None:
    for content in (b"", b"hello", b"PK\x03\x04", b"\x93NUMPY\x01\x00"):
        path = tmp_path / "a.npz"
        path.write_bytes(content)
        with pytest.raises(plr.FormatError):
            plr.RegionComplex.load(path)
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(plr.FormatError):
        plr.RegionComplex.load(tmp_path / "b.npz")
    plr.mlp("2-3-1").save(tmp_path / "net.npz")
    with pytest.raises(plr.FormatError):
        plr.RegionComplex.load(tmp_path / "net.npz")
    with pytest.raises(OSError):
        plr.RegionComplex.load(tmp_path / "absent.npz")


def test_a_failed_save_leaves_the_old_file(saved: Path) -> None:
    regions = plr.RegionComplex.load(saved)
    with pytest.raises(plr.InvalidInputError, match=r"ends in \.npz; got .*a\.json"):
        regions.save(saved.with_suffix(".json"))
    with pytest.raises(OSError):
        regions.save(saved.parent / "no such folder" / "a.npz")
    assert plr.RegionComplex.load(saved) == regions
    assert [path.name for path in saved.parent.iterdir()] == ["a.npz"]
