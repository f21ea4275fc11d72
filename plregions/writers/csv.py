"""Tables of regions as CSV, for spreadsheets, R, MATLAB, Julia and pandas."""

from __future__ import annotations

import os

from plregions.network.saving import write_whole
from plregions.regions import RegionComplex
from plregions.writers.region_rows import Kind, region_table

__all__ = ["write_csv"]


def write_csv(
    complex: RegionComplex, path: str | os.PathLike[str], *, kind: Kind = "activation"
) -> None:
    """Write one line a region as comma-separated values.

    The columns are ``region``, ``pattern``, ``n_facets``, ``n_neighbours``, the interior point
    ``x0``, ``x1``, ..., ``linear``, ``map``, ``is_bounded``, ``volume`` (of bounded domains of up
    to 3 dimensions), the affine map ``weight_i_j`` and ``bias_i`` (of up to 100 numbers), and
    ``is_complete``, which is the same in all lines: whether these are all regions of the domain.

    Parameters
    ----------
    complex : RegionComplex
    path : str or PathLike
        The file to write; an existing file is replaced.
    kind : {"activation", "linear"}
        One line for each activation region (default), or for each linear region: then ``linear``,
        ``map``, ``n_cells`` and ``first_region`` stand in place of the first columns.

    Raises
    ------
    InvalidInputError
        No complex, or another kind.
    MissingExtraError
        pandas is not installed: ``pip install plregions[tables]``.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    ``pandas.DataFrame.to_csv`` into a temporary file beside `path`, which then replaces it.

    Exactness
    ---------
    Numbers have the digits that give the same float64 back. A pattern is a text that looks like a
    number, so ``pandas.read_csv`` has to be told: with ``dtype={"pattern": str}``, and before
    pandas 3 ``float_precision="round_trip"``, it returns the same table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[3]], [1])])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.csv")
    ...     write_csv(regions, path, kind="linear")
    ...     lines = path.read_text().splitlines()
    >>> lines[0]
    'linear,map,n_cells,first_region,x0,x1,is_bounded,volume,weight_0_0,weight_0_1,bias_0,is_complete'
    """
    frame = region_table(complex, kind, "write_csv")
    frame["is_complete"] = complex.is_complete
    write_whole(path, lambda file: frame.to_csv(file, index=False, lineterminator="\n"))
