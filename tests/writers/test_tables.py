"""CSV and Parquet tables against the regions themselves, read by pandas and pyarrow."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.regions.geometry import measure
from plregions.writers import region_rows, write_csv, write_parquet

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

Make = Callable[[str], plr.RegionComplex]
NAMES = ["nothing", "one", "diamond", "thin", "space", "solid", "part", "plane"]


def read_csv(path: Path) -> Any:
    """Read as the docstring says."""
    is_old = int(pd.__version__.split(".")[0]) < 3
    options = {"float_precision": "round_trip"} if is_old else {}
    return pd.read_csv(path, dtype={"pattern": str}, **options)


def check_cells(frame: Any, regions: plr.RegionComplex) -> None:
    """Each row against its region."""
    assert len(frame) == len(regions)
    d = regions.domain.dim
    for region, row in zip(regions, frame.to_dict("records"), strict=True):
        weight, bias = region.affine_map()
        assert row["region"] == region.index
        assert row["pattern"] == str(region.pattern)
        assert row["n_facets"] == region.n_facets
        assert row["n_neighbours"] == len(region.neighbours)
        assert [row[f"x{k}"] for k in range(d)] == region.interior_point.tolist()
        assert row["linear"] == regions.linear.labels[region.index]
        assert row["map"] == regions.map_labels[region.index]
        assert row["is_bounded"] == region.is_bounded
        for i in range(len(bias)):
            found = [row[f"weight_{i}_{j}"] for j in range(d)]
            assert found == pytest.approx(weight[i], abs=1e-12)
            assert row[f"bias_{i}"] == pytest.approx(bias[i], abs=1e-12)
    if regions.domain.is_bounded:
        assert frame["volume"].to_numpy() == pytest.approx(measure(regions, "volume")["volume"])
    else:
        assert "volume" not in frame


def check_linear(frame: Any, regions: plr.RegionComplex) -> None:
    """Each row against the cells of its linear region."""
    assert len(frame) == regions.linear.n_regions
    cells = measure(regions, "volume")["volume"] if regions.domain.is_bounded else None
    for index, row in enumerate(frame.to_dict("records")):
        members = regions.linear.members(index)
        assert (row["linear"], row["n_cells"]) == (index, len(members))
        assert row["map"] == regions.map_labels[members[0]]
        assert row["first_region"] == members[0]
        assert row["x0"] == regions.interior_points[members[0], 0]
        assert row["is_bounded"] == all(regions[int(i)].is_bounded for i in members)
        weight, _ = regions[int(members[0])].affine_map()
        assert row["weight_0_0"] == pytest.approx(weight[0, 0], abs=1e-12)
        if cells is not None:
            assert row["volume"] == pytest.approx(cells[members].sum())


CHECKS = {"activation": check_cells, "linear": check_linear}


@pytest.mark.parametrize("kind", ["activation", "linear"])
@pytest.mark.parametrize("name", NAMES)
def test_both_tables(name: str, kind: Any, tmp_path: Path, make_regions: Make) -> None:
    regions = make_regions(name)
    write_parquet(regions, tmp_path / "r.parquet", kind=kind)
    write_csv(regions, tmp_path / "r.csv", kind=kind)
    assert sorted(os.listdir(tmp_path)) == ["r.csv", "r.parquet"]
    frame = pd.read_parquet(tmp_path / "r.parquet")
    CHECKS[kind](frame, regions)
    assert frame.attrs == {
        "format": "plregions-region-table",
        "version": 1,
        "kind": kind,
        "complete": name not in ("nothing", "part"),
        "n_regions": len(frame),
        "network": regions.network.fingerprint,
        "domain": repr(regions.domain),
    }
    table = read_csv(tmp_path / "r.csv")
    assert table.pop("is_complete").tolist() == [regions.is_complete] * len(frame)
    if len(frame):
        pd.testing.assert_frame_equal(table, frame, check_exact=True)
    else:
        assert list(table.columns) == list(frame.columns)


def test_pyarrow_and_plain_types(tmp_path: Path, make_regions: Make) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("plane", "nothing"):
        write_parquet(make_regions(name), tmp_path / "r.parquet")
        table = pq.read_table(tmp_path / "r.parquet")
        assert {*map(str, table.schema.types)} <= {
            "int64",
            "double",
            "bool",
            "string",
            "large_string",
        }
        kind = table.schema.field("pattern").type
        assert pa.types.is_string(kind) or pa.types.is_large_string(kind)


def test_equal_maps_have_equal_numbers(make_regions: Make) -> None:
    rows = region_rows.region_rows(make_regions("diamond"), "activation")
    maps = np.column_stack([rows["weight_0_0"], rows["weight_0_1"], rows["bias_0"]])
    for label in range(5):
        assert len(np.unique(maps[rows["map"] == label], axis=0)) == 1


def test_long_maps_and_many_dimensions_are_left_out() -> None:
    net = plr.Network([(np.eye(2, 60), [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    rows = region_rows.region_rows(plr.enumerate_regions(net, plr.hypercube(60, -1, 1)), "linear")
    assert not [name for name in rows if name.startswith(("weight", "bias", "volume"))]
    huge = plr.Network([([[1]], [0]), ([[10**400]], [0])])
    rows = region_rows.region_rows(plr.enumerate_regions(huge, plr.Box([-1], [1])), "activation")
    assert "volume" in rows
    assert "bias_0" not in rows


@pytest.mark.parametrize("check", ["activation", "linear"])
def test_planted_faults_are_seen(
    check: str, tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = region_rows.affine_maps
    monkeypatch.setattr(region_rows, "affine_maps", lambda *a: np.nextafter(honest(*a), 9) + 1e-9)
    write_parquet(make_regions("plane"), tmp_path / "r.parquet", kind=check)  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        CHECKS[check](pd.read_parquet(tmp_path / "r.parquet"), make_regions("plane"))


def test_missing_libraries_are_named(
    tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions = make_regions("one")
    for library, write in (("pyarrow", write_parquet), ("pandas", write_csv)):
        monkeypatch.setitem(sys.modules, library, None)
        line = rf"needs the {library} library; .*`pip install plregions\[tables\]`"
        with pytest.raises(plr.MissingExtraError, match=line) as caught:
            write(regions, tmp_path / "r")
        assert caught.value.extra == "tables"
    assert os.listdir(tmp_path) == []


def test_failure_leaves_the_old_file(
    tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(self: Any, file: Any, **_: Any) -> None:
        file.write(b"region,pat")
        raise OSError("disk full")

    path = tmp_path / "r.csv"
    path.write_text("old")
    monkeypatch.setattr(pd.DataFrame, "to_csv", half)
    monkeypatch.setattr(pd.DataFrame, "to_parquet", half)
    for write in (write_csv, write_parquet):
        with pytest.raises(OSError, match="disk full"):
            write(make_regions("one"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.csv"]


def test_wrong_arguments(tmp_path: Path, make_regions: Make) -> None:
    with pytest.raises(plr.InvalidInputError, match="write_csv needs a RegionComplex; got str"):
        write_csv("regions", tmp_path / "r")  # type: ignore[arg-type]
    with pytest.raises(plr.InvalidInputError, match="write_parquet needs the kind .* got 'maps'"):
        write_parquet(make_regions("one"), tmp_path / "r", kind="maps")  # type: ignore[arg-type]
