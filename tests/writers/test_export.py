"""One verb for all formats: each is read back by the library that users read it with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.cli.options import SUFFIXES
from plregions.writers import formats
from plregions.writers.formats import FORMATS

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

Make = Callable[[str], plr.RegionComplex]

# How many regions a file holds, as its usual reader counts them.
COUNTS: dict[str, Callable[[Path], int]] = {
    "csv": lambda path: len(pd.read_csv(path)),
    "geojson": lambda path: len(json.loads(path.read_bytes())["features"]),
    "gexf": lambda path: len(nx.read_gexf(path, node_type=int)),
    "graphml": lambda path: len(nx.read_graphml(path, node_type=int)),
    "json": lambda path: len(nx.node_link_graph(json.loads(path.read_bytes()), edges="edges")),
    "npz": lambda path: len(plr.RegionComplex.load(path)),
    "parquet": lambda path: len(pd.read_parquet(path)),
    "wkb": lambda path: len(shapely.get_parts(shapely.from_wkb(path.read_bytes()))),
}


@pytest.mark.parametrize("name", ["nothing", "one", "part", "diamond"])
@pytest.mark.parametrize("format", FORMATS)
def test_every_format(format: str, name: str, tmp_path: Path, make_regions: Make) -> None:
    regions = make_regions(name)
    path = tmp_path / f"r.{format.upper()}"
    plr.export(regions, path)
    assert os.listdir(tmp_path) == [path.name]
    assert COUNTS[format](path) == len(regions)
    content = path.read_bytes()
    if format != "npz":  # which demands its suffix, and holds the time of writing
        plr.export(regions, tmp_path / "other", format)
        assert (tmp_path / "other").read_bytes() == content


def test_another_number_would_be_noticed(
    tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions, less = make_regions("diamond"), make_regions("one")
    for table in (formats._GRAPHS, formats._ROWS):
        for format, write in table.items():
            monkeypatch.setitem(
                table,  # type: ignore[arg-type]
                format,
                lambda _, path, write=write, **options: write(less, path, **options),
            )
    monkeypatch.setattr(plr.RegionComplex, "save", lambda _, path, f=less.save: f(path))
    for format in FORMATS:
        path = tmp_path / f"r.{format}"
        plr.export(regions, path)
        with pytest.raises(AssertionError):
            assert COUNTS[format](path) == len(regions)


@pytest.mark.parametrize("format", ["csv", "geojson", "parquet", "wkb"])
def test_linear_regions(format: str, tmp_path: Path, make_regions: Make) -> None:
    plr.export(make_regions("diamond"), tmp_path / "r", format, kind="linear")
    assert COUNTS[format](tmp_path / "r") == 5


def test_graphs_hold_plain_scalars_alone(tmp_path: Path, make_regions: Make) -> None:
    plr.export(make_regions("plane"), tmp_path / "r.gexf")
    graph = nx.read_gexf(tmp_path / "r.gexf", node_type=int)
    expected = make_regions("plane").to_networkx(same_map=True)
    for node, attributes in expected.nodes(data=True):
        assert graph.nodes[node] == attributes | {"label": str(node)}
    for u, v, attributes in expected.edges(data=True):
        assert graph.edges[u, v].items() >= attributes.items()


@pytest.mark.parametrize(
    ("path", "format", "got"),
    [
        ("r.shp", None, "'shp'"),
        ("r", None, "''"),
        ("r.csv", "gml", "'gml'"),
        ("r.csv.gz", None, "gz"),
    ],
)
def test_unknown_formats_name_the_known(
    path: str, format: str | None, got: str, tmp_path: Path, make_regions: Make
) -> None:
    message = f"among csv, geojson, gexf, graphml, json, npz, parquet, wkb; got .*{got}"
    with pytest.raises(plr.InvalidInputError, match=message):
        plr.export(make_regions("one"), tmp_path / path, format)
    assert os.listdir(tmp_path) == []


def test_what_a_format_cannot_hold(tmp_path: Path, make_regions: Make) -> None:
    for format in ("gexf", "graphml", "json", "npz"):
        with pytest.raises(plr.InvalidInputError, match="for linear regions; got"):
            plr.export(make_regions("one"), tmp_path / f"r.{format}", kind="linear")
    for name, message in (("solid", "two dimensions"), ("space", "bounded")):
        with pytest.raises(plr.InvalidInputError, match=f"export to wkb needs .*{message}"):
            plr.export(make_regions(name), tmp_path / "r.wkb")
    with pytest.raises(plr.InvalidInputError, match="export needs a RegionComplex; got Graph"):
        plr.export(nx.Graph(), tmp_path / "r.json")  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("format", "library"), [("csv", "pandas"), ("parquet", "pyarrow")])
def test_missing_libraries_are_named(
    format: str, library: str, tmp_path: Path, make_regions: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    message = rf"export to {format} needs the {library} library; .*pip install plregions\[tables\]"
    with pytest.raises(plr.MissingExtraError, match=message):
        plr.export(make_regions("one"), tmp_path / f"r.{format}")


@pytest.mark.parametrize("format", FORMATS)
def test_names_with_control_characters(format: str, tmp_path: Path, make_regions: Make) -> None:
    """A file's name may hold what XML may not; it is no part of the content."""
    path = tmp_path / f"a\x1b[0m\n\t\x7f.{format}"
    plr.export(make_regions("one"), path)
    assert COUNTS[format](path) == 1


@pytest.mark.parametrize("format", FORMATS)
def test_no_folder_no_file(format: str, tmp_path: Path, make_regions: Make) -> None:
    with pytest.raises(FileNotFoundError):
        plr.export(make_regions("one"), tmp_path / "no" / f"r.{format}")


def test_the_command_line_knows_the_same_formats() -> None:
    assert SUFFIXES["export"] == tuple(f".{format}" for format in FORMATS)


@pytest.mark.slow
def test_a_hundred_thousand_regions(tmp_path: Path) -> None:
    """A grid of 47^3 boxes, whose numbers and volumes are known."""
    k = 46
    rows = np.repeat(np.eye(3, dtype=int), k, axis=0)
    grid = plr.Network([(rows, -np.tile(np.arange(1, k + 1), 3)), ([[1] * 3 * k], [0])])
    regions = plr.enumerate_regions(grid, plr.Box([0] * 3, [k + 1] * 3))
    n, n_edges = (k + 1) ** 3, 3 * k * (k + 1) ** 2
    for format in ("npz", "parquet", "graphml"):
        plr.export(regions, tmp_path / f"r.{format}")
    assert COUNTS["npz"](tmp_path / "r.npz") == n
    frame = pd.read_parquet(tmp_path / "r.parquet")
    assert (len(frame), frame["n_neighbours"].sum()) == (n, 2 * n_edges)
    assert frame["volume"].to_numpy() == pytest.approx(1)
    graph = nx.read_graphml(tmp_path / "r.graphml", node_type=int)
    assert (len(graph), graph.number_of_edges()) == (n, n_edges)
