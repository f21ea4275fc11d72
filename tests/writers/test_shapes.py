"""GeoJSON and WKB hold valid polygons, counter-clockwise, with their holes; shapely reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.regions.linear_polygons import linear_polygons
from plregions.regions.polygons import shapely_polygons
from plregions.writers import geojson, plane_shapes, write_geojson, write_wkb
from plregions.writers.region_rows import region_rows

Make = Callable[[str], plr.RegionComplex]
KINDS: list[Any] = ["activation", "linear"]


def read_wkb(path: Path) -> list[Any]:
    return list(shapely.from_wkb(path.read_bytes()).geoms)


def read_geojson(path: Path) -> tuple[list[Any], list[dict[str, Any]], dict[str, Any]]:
    """Shapes, properties and facts; numbers must be finite JSON."""

    def refuse(text: str) -> Any:
        raise AssertionError(text)

    data = json.loads(path.read_text(encoding="ascii"), parse_constant=refuse)
    assert (data["type"], set(data)) == ("FeatureCollection", {"type", "features", "plregions"})
    assert all(feature["type"] == "Feature" for feature in data["features"])
    shapes = [shapely.from_geojson(json.dumps(f["geometry"])) for f in data["features"]]
    return shapes, [feature["properties"] for feature in data["features"]], data["plregions"]


def expected(regions: plr.RegionComplex, kind: str) -> list[Any]:
    return list((shapely_polygons if kind == "activation" else linear_polygons)(regions))


def check(found: list[Any], regions: plr.RegionComplex, kind: str) -> None:
    """Valid, of one orientation, and corner by corner those of the complex."""
    for shape in found:
        assert shapely.is_valid(shape)
        assert shape.exterior.is_ccw
        assert not any(hole.is_ccw for hole in shape.interiors)
    wanted = expected(regions, kind)
    assert [shape.wkb for shape in found] == [shape.wkb for shape in wanted]
    if regions.is_complete:
        assert shapely.area(found).sum() == pytest.approx(4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["nothing", "one", "diamond", "part", "plane"])
def test_both_formats(name: str, kind: Any, tmp_path: Path, make_regions: Make) -> None:
    regions = make_regions(name)
    write_wkb(regions, tmp_path / "r.wkb", kind=kind)
    write_geojson(regions, tmp_path / "r.geojson", kind=kind)
    assert sorted(os.listdir(tmp_path)) == ["r.geojson", "r.wkb"]
    check(read_wkb(tmp_path / "r.wkb"), regions, kind)
    shapes, properties, facts = read_geojson(tmp_path / "r.geojson")
    check(shapes, regions, kind)
    columns = region_rows(regions, kind) | {"is_rounded": [False] * len(shapes)}
    assert properties == [
        {name: np.asarray(column)[i].item() for name, column in columns.items()}
        for i in range(len(shapes))
    ]
    assert (facts["kind"], facts["complete"]) == (kind, regions.is_complete)
    assert facts["network"] == regions.network.fingerprint


def test_the_hole_is_kept(tmp_path: Path, make_regions: Make) -> None:
    write_geojson(make_regions("diamond"), tmp_path / "d.geojson", kind="linear")
    shapes, properties, _ = read_geojson(tmp_path / "d.geojson")
    assert [(s.area, len(s.interiors)) for s in shapes] == [(3.5, 1)] + [(0.125, 0)] * 4
    assert [row["n_cells"] for row in properties] == [4, 1, 1, 1, 1]


def test_a_region_thinner_than_float64(tmp_path: Path, make_regions: Make) -> None:
    regions = make_regions("thin")
    assert len(regions) == 3
    write_geojson(regions, tmp_path / "r.geojson")
    write_wkb(regions, tmp_path / "r.wkb")
    shapes, properties, _ = read_geojson(tmp_path / "r.geojson")
    assert all(map(shapely.is_valid, shapes))
    assert shapely.area(shapes).sum() == pytest.approx(4)
    assert sum(row["is_rounded"] for row in properties) == 1
    assert [s.wkb for s in read_wkb(tmp_path / "r.wkb")] == [s.wkb for s in shapes]


def test_what_is_left_of_a_polygon_that_crosses_itself() -> None:
    bow = plane_shapes._valid(shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]))
    assert (bow.geom_type, bow.area, shapely.is_valid(bow)) == ("MultiPolygon", 0.5, True)
    assert all(part.exterior.is_ccw for part in bow.geoms)
    flag = plane_shapes._valid(shapely.Polygon([(0, 0), (1, 0), (1, 1), (1, 0), (2, 0), (0, 2)]))
    assert (flag.geom_type, shapely.is_valid(flag)) == ("Polygon", True)
    assert plane_shapes._valid(shapely.Polygon([(0, 0), (1, 1), (1, 1)])).is_empty


def test_infinite_numbers_become_null() -> None:
    values = [1.0, np.inf, -np.inf, np.nan, True, 3, "inf"]
    assert [geojson._finite(v) for v in values] == [1.0, None, None, None, True, 3, "inf"]


@pytest.mark.filterwarnings("ignore")  # those of libraries that we do not choose
def test_geopandas_reads_it(tmp_path: Path, make_regions: Make, shared: Path) -> None:
    geopandas = pytest.importorskip("geopandas", exc_type=ImportError)
    pytest.importorskip("onnx")
    (path,) = (shared / "real_nets").glob("vnncomp2022/tllBench_n=2_N=M=8*.onnx")
    regions = plr.enumerate_regions(plr.load(path), plr.hypercube(2, -2, 2))
    for kind, n in (("activation", 433), ("linear", 5)):
        write_geojson(regions, tmp_path / "t.geojson", kind=kind)  # type: ignore[arg-type]
        frame = geopandas.read_file(tmp_path / "t.geojson").set_crs(None, allow_override=True)
        assert len(frame) == n
        assert frame.is_valid.all()
        assert frame.area.sum() == pytest.approx(16, abs=1e-12)
        assert frame["volume"].sum() == pytest.approx(16, abs=1e-12)


def test_a_network_that_others_trained(tmp_path: Path, shared: Path) -> None:
    pytest.importorskip("onnx")
    (path,) = (shared / "real_nets").glob("vnncomp2022/tllBench_n=2_N=M=8*.onnx")
    regions = plr.enumerate_regions(plr.load(path), plr.hypercube(2, -2, 2))
    write_geojson(regions, tmp_path / "t.geojson", kind="linear")
    shapes, properties, _ = read_geojson(tmp_path / "t.geojson")
    assert all(map(shapely.is_valid, shapes))
    assert (len(shapes), sum(row["n_cells"] for row in properties)) == (5, 433)
    assert shapely.area(shapes).sum() == pytest.approx(16, abs=1e-12)


@pytest.mark.parametrize("write", [write_wkb, write_geojson])
def test_only_bounded_planes(write: Any, tmp_path: Path, make_regions: Make) -> None:
    for name, message in (("solid", "two dimensions; got a domain of dimension 3"),
                          ("space", "a bounded domain")):  # fmt: skip
        with pytest.raises(plr.InvalidInputError, match=f"{write.__name__} needs .*{message}"):
            write(make_regions(name), tmp_path / "r")
    assert os.listdir(tmp_path) == []


def test_turned_and_filled_polygons_would_be_noticed(
    tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions = make_regions("diamond")
    for spoil in (shapely.reverse, lambda s: np.array([shapely.Polygon(p.exterior) for p in s])):
        monkeypatch.setattr(plane_shapes, "linear_polygons", lambda c: spoil(linear_polygons(c)))  # noqa: B023
        write_wkb(regions, tmp_path / "r.wkb", kind="linear")
        with pytest.raises(AssertionError):
            check(read_wkb(tmp_path / "r.wkb"), regions, "linear")


def test_failure_leaves_the_old_file(
    tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(values: Any) -> Any:
        raise RuntimeError("broken off")

    path = tmp_path / "r.geojson"
    path.write_text("old")
    monkeypatch.setattr(geojson, "_finite", break_off)  # after the first line
    with pytest.raises(RuntimeError, match="broken off"):
        write_geojson(make_regions("one"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.geojson"]
