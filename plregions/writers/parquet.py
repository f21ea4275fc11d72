"""Tables of regions as Parquet, for pandas, polars, DuckDB, R and Spark."""

from __future__ import annotations

import os

from plregions.network.saving import write_whole
from plregions.regions import RegionComplex
from plregions.writers.region_rows import Kind, region_table, require_library

__all__ = ["write_parquet"]


def write_parquet(
    complex: RegionComplex, path: str | os.PathLike[str], *, kind: Kind = "activation"
) -> None:
    """Write one row a region as a Parquet file.

    The columns are those of `write_csv` without ``is_complete``: completeness, kind, fingerprint
    and domain stand in the file's metadata, and in ``attrs`` of the table that pandas reads.

    Parameters
    ----------
    complex : RegionComplex
    path : str or PathLike
        The file to write; an existing file is replaced.
    kind : {"activation", "linear"}
        One row for each activation region (default), or for each linear region.

    Raises
    ------
    InvalidInputError
        No complex, or another kind.
    MissingExtraError
        pandas or pyarrow is not installed: ``pip install plregions[tables]``.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    ``pandas.DataFrame.to_parquet`` with pyarrow into a temporary file beside `path`, which then
    replaces it.

    Exactness
    ---------
    ``pandas.read_parquet(path)`` returns the same table, bit by bit and type by type.

    Examples
    --------
    >>> import tempfile, pathlib, pandas
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[3]], [1])])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.parquet")
    ...     write_parquet(regions, path)
    ...     frame = pandas.read_parquet(path)
    >>> frame[["pattern", "volume", "bias_0"]].values.tolist(), frame.attrs["complete"]
    ([['0', 2.0, 1.0], ['1', 2.0, 1.0]], True)
    """
    require_library("pyarrow", "write_parquet")
    frame = region_table(complex, kind, "write_parquet")
    write_whole(path, lambda file: frame.to_parquet(file, engine="pyarrow", index=False))
