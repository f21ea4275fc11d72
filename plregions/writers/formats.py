"""Which file format does a name ask for? One verb for all of them."""

from __future__ import annotations

import os

from plregions.errors import InvalidInputError
from plregions.regions import RegionComplex
from plregions.writers.csv import write_csv
from plregions.writers.geojson import write_geojson
from plregions.writers.gexf import write_gexf
from plregions.writers.graphml import write_graphml
from plregions.writers.json import write_json
from plregions.writers.parquet import write_parquet
from plregions.writers.plane_shapes import require_plane
from plregions.writers.region_rows import Kind, require_complex, require_library
from plregions.writers.wkb import write_wkb

__all__ = ["FORMATS", "check_export", "export"]

#: The formats; each is also the suffix of its files.
FORMATS = ("csv", "geojson", "gexf", "graphml", "json", "npz", "parquet", "wkb")
_GRAPHS = {"gexf": write_gexf, "graphml": write_graphml, "json": write_json}
_ROWS = {
    "csv": write_csv,
    "geojson": write_geojson,
    "parquet": write_parquet,
    "wkb": write_wkb,
}
_LIBRARIES = {"csv": ("pandas",), "parquet": ("pandas", "pyarrow")}


def export(
    complex: RegionComplex,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    kind: Kind = "activation",
) -> None:
    """Write the regions to a file that other programs read.

    =========  =====================================================================
    format     what the file holds, and who reads it
    =========  =====================================================================
    graphml    the region graph: Gephi, yEd, Cytoscape, igraph, networkx
    gexf       the region graph: Gephi, sigma.js, networkx
    json       the region graph as node-link JSON: `read_json`, networkx, D3
    csv        a table, one row a region: spreadsheets, pandas, R, MATLAB
    parquet    the same table: pandas, polars, DuckDB, R, Spark
    geojson    polygons with that table: QGIS, geopandas, web maps (2 dimensions)
    wkb        polygons alone: PostGIS, shapely, R's sf (2 dimensions)
    npz        everything: `RegionComplex.load`, numpy
    =========  =====================================================================

    Parameters
    ----------
    complex : RegionComplex
        Also an incomplete one, or one without regions.
    path : str or PathLike
        The file to write; an existing file is replaced.
    format : str, optional
        One of the formats above; by default the suffix of `path`.
    kind : {"activation", "linear"}
        For tables and polygons: whether a row is an activation region (default) or a linear region.

    Raises
    ------
    InvalidInputError
        An unknown format or kind; linear regions as a graph or archive; polygons in other than
        two dimensions or without bounds; an attribute that the format cannot keep.
    MissingExtraError
        A library that the format needs is not installed; the error tells how to install it.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    See the writers of the formats in `plregions.writers`. Written to a temporary file beside
    `path`, which then replaces it: a reader sees the old file or the new one, never a part.

    Exactness
    ---------
    Graphs, tables and archives come back bit by bit; polygons have corners rounded to float64.
    Whether the complex is complete stands in every file but a WKB file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import plregions as plr
    >>> regions = plr.enumerate_regions(plr.mlp([2, 4, 1]), plr.hypercube(2, -1, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("cells.gexf", "cells.csv", "cells.geojson"):
    ...         plr.export(regions, pathlib.Path(folder, name))
    ...     sorted(path.name for path in pathlib.Path(folder).iterdir())
    ['cells.csv', 'cells.geojson', 'cells.gexf']
    >>> plr.export(regions, "cells.shp")
    Traceback (most recent call last):
    plregions.errors.InvalidInputError: export needs a format among csv, geojson, gexf, graphml, json, npz, parquet, wkb; got 'shp'. Give path one of these suffixes, or name the format.
    """  # noqa: E501, an error is one line
    require_complex(complex, kind, "export")
    chosen = _format_of(path, format)
    check_export(chosen, kind, complex.domain.dim, complex.domain.is_bounded)
    if chosen in _GRAPHS:
        _GRAPHS[chosen](complex, path)
    elif chosen in _ROWS:
        _ROWS[chosen](complex, path, kind=kind)
    else:
        complex.save(path)


def check_export(format: str, kind: str, dim: int, is_bounded: bool) -> None:
    """Refuse what cannot be written, before any long work.

    Parameters
    ----------
    format : str
        One of `FORMATS`.
    kind : {"activation", "linear"}
    dim : int
        The domain's dimension.
    is_bounded : bool
        Whether the domain is bounded.

    Raises
    ------
    InvalidInputError
        The format holds no linear regions, or no regions of such a domain.
    MissingExtraError
        A library that the format needs is not installed.
    """
    if kind == "linear" and format not in _ROWS:
        raise InvalidInputError(
            f"export needs one of the formats {', '.join(_ROWS)} for linear regions; got "
            f"{format!r}. Leave out the kind for the graph of activation regions."
        )
    if format in ("geojson", "wkb"):
        require_plane(dim, is_bounded, f"export to {format}")
    for library in _LIBRARIES.get(format, ()):
        require_library(library, f"export to {format}")


def _format_of(path: str | os.PathLike[str], format: str | None) -> str:
    suffix = os.path.splitext(os.fspath(path))[1].removeprefix(".").lower()
    chosen = suffix if format is None else str(format).lower()
    if chosen not in FORMATS:
        raise InvalidInputError(
            f"export needs a format among {', '.join(FORMATS)}; got {chosen!r:.60}. Give path one "
            "of these suffixes, or name the format."
        )
    return chosen
