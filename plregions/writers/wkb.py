"""Regions in the plane as well-known binary, for PostGIS, shapely, R's sf and other programs."""

from __future__ import annotations

import os

import shapely

from plregions.network.saving import write_whole
from plregions.regions import RegionComplex
from plregions.writers.plane_shapes import plane_shapes
from plregions.writers.region_rows import Kind

__all__ = ["write_wkb"]


def write_wkb(
    complex: RegionComplex, path: str | os.PathLike[str], *, kind: Kind = "activation"
) -> None:
    """Write regions in the plane as one GeometryCollection in well-known binary.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain of dimension 2.
    path : str or PathLike
        The file to write; an existing file is replaced.
    kind : {"activation", "linear"}
        One polygon for each activation region (default), or for each linear region, with its holes.

    Raises
    ------
    InvalidInputError
        No complex, another kind or another domain.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    ``shapely.to_wkb`` (ISO, little-endian) into a temporary file beside `path`, which then replaces
    it. The format has room for shapes alone: `write_geojson` writes what is known of them.

    Exactness
    ---------
    Geometry i is region i: ``shapely.from_wkb(path.read_bytes()).geoms[i]``. All are valid, shells
    counter-clockwise; corners are float64. A region so thin that rounding makes its polygon cross
    itself is what is left of it: perhaps two polygons, perhaps an empty one.

    Examples
    --------
    >>> import tempfile, pathlib, shapely
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[3]], [1])])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.wkb")
    ...     write_wkb(regions, path)
    ...     shapely.from_wkb(path.read_bytes())
    <GEOMETRYCOLLECTION (POLYGON ((-1 -1, 1 -1, -1 1, -1 -1)), POLYGON ((-1 1, 1...>
    """
    shapes, _ = plane_shapes(complex, kind, "write_wkb")
    collection = shapely.GeometryCollection(list(shapes))
    content = shapely.to_wkb(collection, flavor="iso", byte_order=1)
    write_whole(path, lambda file: file.write(content))
