"""Regions in the plane as GeoJSON, for QGIS, geopandas, D3, Leaflet and other programs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from typing import Any

import shapely

from plregions.network.saving import write_whole
from plregions.regions import RegionComplex
from plregions.writers.plane_shapes import plane_shapes
from plregions.writers.region_rows import Kind, facts_of, region_rows

__all__ = ["write_geojson"]


def write_geojson(
    complex: RegionComplex, path: str | os.PathLike[str], *, kind: Kind = "activation"
) -> None:
    """Write regions in the plane as a GeoJSON FeatureCollection.

    Each feature is a region: its polygon, and as properties the columns of `write_csv` without
    ``is_complete``, and ``is_rounded`` (see Exactness). The member ``plregions`` of the collection
    tells kind, completeness, the network's fingerprint and the domain.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain of dimension 2.
    path : str or PathLike
        The file to write; an existing file is replaced.
    kind : {"activation", "linear"}
        One feature for each activation region (default), or for each linear region, with its holes.

    Raises
    ------
    InvalidInputError
        No complex, another kind or another domain.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    One line a feature, into a temporary file beside `path`, which then replaces it. Shells are
    counter-clockwise, holes clockwise (RFC 7946). Coordinates are those of the domain; programs
    that take them for longitude and latitude should be told otherwise (geopandas:
    ``set_crs(None, allow_override=True)``).

    Exactness
    ---------
    Corners and numbers have the digits that give the same float64 back; what is no finite number is
    null. All shapes are valid. ``is_rounded`` is true for a region so thin that rounding makes its
    polygon cross itself: its shape is what is left of it, perhaps a MultiPolygon, perhaps empty.

    Examples
    --------
    >>> import json, tempfile, pathlib
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[3]], [1])])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.geojson")
    ...     write_geojson(regions, path)
    ...     feature = json.loads(path.read_text())["features"][1]
    >>> feature["geometry"]["coordinates"]
    [[[-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]]
    >>> feature["properties"]["pattern"], feature["properties"]["weight_0_0"]
    ('1', 3.0)
    """
    shapes, is_rounded = plane_shapes(complex, kind, "write_geojson")
    columns = region_rows(complex, kind) | {"is_rounded": is_rounded}
    lines = _lines(shapely.to_geojson(shapes).tolist(), columns, facts_of(complex, kind))
    write_whole(path, lambda file: file.writelines(line.encode("ascii") for line in lines))


def _lines(geometries: list[str], columns: dict[str, Any], facts: dict[str, Any]) -> Iterator[str]:
    yield f'{{"type": "FeatureCollection", "plregions": {_text(facts)}, "features": [\n'
    values = [
        column if isinstance(column, list) else column.tolist() for column in columns.values()
    ]
    last = len(geometries) - 1
    for place, (geometry, row) in enumerate(
        zip(geometries, zip(*values, strict=True), strict=True)
    ):
        properties = dict(zip(columns, map(_finite, row), strict=True))
        comma = "," if place < last else ""
        yield (
            f'{{"type": "Feature", "geometry": {geometry}, '
            f'"properties": {_text(properties)}}}{comma}\n'
        )
    yield "]}\n"


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, allow_nan=False)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
