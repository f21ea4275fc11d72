"""How big are linear regions? The measures of their cells, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.regions.geometry import measure

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["LINEAR_QUANTITIES", "measure_linear"]

Columns = dict[str, NDArray[Any]]

#: What `measure_linear` knows.
LINEAR_QUANTITIES = (
    "n_cells",
    "is_bounded",
    "volume",
    "centroid",
    "bounding_box",
    "lipschitz",
    "operator_norm_1",
    "operator_norm_inf",
)
EXACT_QUANTITIES = ("n_cells", "is_bounded", "volume", "centroid", "bounding_box")


def measure_linear(
    complex: RegionComplex, quantities: Sequence[str] | str, *, exact: bool = False
) -> Columns:
    """Measure all linear regions of a complex: one column a quantity, or one for each coordinate.

    Parameters
    ----------
    complex : RegionComplex
        In an incomplete complex the linear regions are those of the cells that were found.
    quantities : str or sequence of str
        ``n_cells``, the number of activation regions; and, as `measure` has them, ``is_bounded``,
        ``volume``, ``centroid``, ``bounding_box`` and the norms of the region's affine map:
        ``lipschitz``, ``operator_norm_1``, ``operator_norm_inf``.
    exact : bool
        Fractions (dtype object) in place of float64; not for norms.

    Returns
    -------
    dict of str to ndarray, shape (n_linear,)
        In the order of ``complex.linear``; `pandas.DataFrame` takes it as it is.

    Raises
    ------
    InvalidInputError
        An unknown quantity, or one that is not exact.

    Algorithm
    ---------
    `measure` for the cells, then sums of volumes and first moments, and extremes of bounds. Cells
    overlap in their faces only.

    Exactness
    ---------
    With ``exact=True`` all columns are exact; otherwise sums of float64 columns of `measure`. An
    estimated volume has in ``volume_error`` the standard error of the sum.

    Examples
    --------
    >>> import plregions as plr
    >>> diamond = plr.Network([
    ...     ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 0, 0]),
    ...     ([[-1, -1, -1, -1]], ["1/2"]),
    ...     ([[1]], [0]),
    ... ])
    >>> regions = plr.enumerate_regions(diamond, plr.hypercube(2, -1, 1))
    >>> measure_linear(regions, "n_cells")
    {'n_cells': array([4, 1, 1, 1, 1])}
    >>> [str(area) for area in measure_linear(regions, "volume", exact=True)["volume"]]
    ['7/2', '1/8', '1/8', '1/8', '1/8']
    """
    names = [quantities] if isinstance(quantities, str) else list(quantities)
    allowed = EXACT_QUANTITIES if exact else LINEAR_QUANTITIES
    for name in names:
        if name not in allowed:
            kind = "exact quantities" if exact else "quantities"
            raise InvalidInputError(
                f"measure_linear needs {kind} among {', '.join(allowed)}; got {name!r}. "
                + ("Leave out exact=True." if name in LINEAR_QUANTITIES else "Take one of these.")
            )
    labels = complex.linear.labels
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(complex.linear.n_regions))
    wanted = [name for name in names if name != "n_cells"]
    if "centroid" in wanted:
        wanted.append("volume")
    cells = {name: column[order] for name, column in measure(complex, wanted, exact=exact).items()}
    found: Columns = {}
    for name in names:
        if name == "n_cells":
            found[name] = np.bincount(labels, minlength=len(starts))
        else:
            found |= _joined(name, cells, starts)
    return found


def _joined(name: str, cells: Columns, starts: NDArray[np.int64]) -> Columns:
    """Return the columns of one quantity out of those of the cells, which stand in groups."""

    def columns(prefix: str) -> Columns:
        return {key: column for key, column in cells.items() if key.startswith(prefix)}

    if name == "is_bounded":
        return {name: np.logical_and.reduceat(cells[name], starts)}
    if name == "volume":
        result = {name: np.add.reduceat(cells[name], starts)}
        if "volume_error" in cells:
            squares = np.add.reduceat(cells["volume_error"] ** 2, starts)
            result["volume_error"] = np.sqrt(squares)
        return result
    if name == "centroid":
        volume = cells["volume"]
        with np.errstate(invalid="ignore"):  # NaN, where a cell is not bounded
            return {
                key: np.add.reduceat(column * volume, starts) / np.add.reduceat(volume, starts)
                for key, column in columns("centroid_").items()
            }
    if name == "bounding_box":
        lower = {k: np.minimum.reduceat(c, starts) for k, c in columns("lower_").items()}
        return lower | {k: np.maximum.reduceat(c, starts) for k, c in columns("upper_").items()}
    return {name: cells[name][starts]}  # all cells of a region have the same map
