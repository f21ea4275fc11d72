"""What does a row of a table say about a region, or about a linear region?"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError, MissingExtraError
from plregions.regions import RegionComplex
from plregions.regions.geometry import measure
from plregions.regions.linear_measures import measure_linear
from plregions.regions.polygons import region_polygons
from plregions.regions.steepness import affine_maps
from plregions.regions.table import region_columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Kind",
    "facts_of",
    "region_rows",
    "region_table",
    "require_complex",
    "require_library",
]

Kind = Literal["activation", "linear"]
Columns = dict[str, Any]

FORMAT = "plregions-region-table"
VERSION = 1

# Volumes in more dimensions take longer than all the rest; longer maps would drown it.
MOST_DIMENSIONS = 3
MOST_NUMBERS = 100


def region_rows(complex: RegionComplex, kind: Kind) -> Columns:
    """Return the columns of a table of regions: plain ints, floats, bools and texts.

    Parameters
    ----------
    complex : RegionComplex
    kind : {"activation", "linear"}
        One row for each activation region, or for each linear region.

    Returns
    -------
    dict of str to ndarray or list, each of length n
        ``region`` (its number), ``pattern``, ``n_facets``, ``n_neighbours``, the interior point
        ``x0``, ``x1``, ..., the labels ``linear`` (of the linear region) and ``map`` (of the affine
        map), ``is_bounded``; ``volume``, over bounded domains of up to 3 dimensions (in the plane
        that of the polygon with rounded corners, elsewhere as `measure` has it); and the affine
        map, ``weight_i_j`` for output i and input j and ``bias_i``, if it has at most 100 numbers
        and the weights fit in float64. For linear regions: ``linear``, ``map``, ``n_cells``,
        ``first_region`` (the number of the first activation region in it), an interior point of
        that, ``is_bounded``, and the rest alike.

    Exactness
    ---------
    Patterns, counts, labels and flags are exact. Points, volumes and maps are float64; rows with
    one ``map`` label have the same map bit by bit.
    """
    n_rows = complex.n_regions if kind == "activation" else complex.linear.n_regions
    if kind == "activation":
        columns = {"region": np.arange(n_rows), **region_columns(complex)}
        chosen = np.arange(n_rows)
    else:
        chosen = np.unique(complex.linear.labels, return_index=True)[1]
        points = complex.interior_points[chosen]
        columns = {
            "linear": np.arange(n_rows),
            "map": complex.map_labels[chosen],
            **measure_linear(complex, "n_cells"),
            "first_region": chosen,
            **{f"x{k}": points[:, k] for k in range(points.shape[1])},
        }
    measured = measure if kind == "activation" else measure_linear
    columns |= measured(complex, "is_bounded")
    if complex.domain.is_bounded and complex.domain.dim == 2:
        areas = np.maximum(region_polygons(complex).areas, 0.0)  # far quicker than any dimension's
        is_linear = kind == "linear"
        columns["volume"] = np.bincount(complex.linear.labels, areas) if is_linear else areas
    elif complex.domain.is_bounded and complex.domain.dim <= MOST_DIMENSIONS:
        columns |= measured(complex, "volume")
    return columns | _map_columns(complex, chosen)


def _map_columns(complex: RegionComplex, chosen: NDArray[np.int64]) -> Columns:
    """Return the affine maps of the chosen regions, computed once for each distinct map."""
    network = complex.prepared.network
    if network.output_dim * (network.input_dim + 1) > MOST_NUMBERS:
        return {}
    labels = complex.map_labels
    _, first = np.unique(labels, return_index=True)
    try:
        maps = affine_maps(network, complex.patterns[first])[labels[chosen]]
    except OverflowError:
        return {}
    columns = {}
    for i in range(network.output_dim):
        for j in range(network.input_dim):
            columns[f"weight_{i}_{j}"] = maps[:, i, j].copy()
        columns[f"bias_{i}"] = maps[:, i, -1].copy()
    return columns


def facts_of(complex: RegionComplex, kind: Kind) -> dict[str, Any]:
    """Return what a file says about all of its rows: plain scalars.

    Parameters
    ----------
    complex : RegionComplex
    kind : {"activation", "linear"}

    Returns
    -------
    dict of str to str, int or bool
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "complete": complex.is_complete,
        "n_regions": complex.n_regions if kind == "activation" else complex.linear.n_regions,
        "network": complex.network.fingerprint,
        "domain": repr(complex.domain),
    }


def region_table(complex: RegionComplex, kind: Kind, verb: str) -> pd.DataFrame:
    """Return `region_rows` as a pandas table whose ``attrs`` are `facts_of`.

    Parameters
    ----------
    complex : RegionComplex
    kind : {"activation", "linear"}
    verb : str
        Who asks, for messages.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    MissingExtraError
        pandas is not installed.
    """
    require_complex(complex, kind, verb)
    require_library("pandas", verb)
    import pandas as pd

    frame = pd.DataFrame(region_rows(complex, kind))
    if "pattern" in frame:  # text, even if there are no rows to tell
        frame["pattern"] = frame["pattern"].astype("str")
    frame.attrs = facts_of(complex, kind)
    return frame


def require_library(name: str, verb: str) -> None:
    """Refuse to begin a table that cannot be written.

    Parameters
    ----------
    name : str
        A library of the extra ``tables``.
    verb : str
        Who asks, for the message.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    if find_spec(name) is None:
        raise MissingExtraError(
            f"{verb} needs the {name} library; it is not installed. "
            "Do `pip install plregions[tables]`.",
            extra="tables",
        )


def require_complex(complex: object, kind: object, verb: str) -> None:
    """Refuse what has no rows.

    Parameters
    ----------
    complex, kind : object
        What a caller gave for them.
    verb : str
        Who asks, for messages.

    Raises
    ------
    InvalidInputError
        No `RegionComplex`, or an unknown kind.
    """
    if not isinstance(complex, RegionComplex):
        raise InvalidInputError(
            f"{verb} needs a RegionComplex; got {type(complex).__name__}. "
            "Give what enumerate_regions returns."
        )
    if kind not in ("activation", "linear"):
        raise InvalidInputError(
            f"{verb} needs the kind 'activation' or 'linear'; got {kind!r:.60}. Take one of these."
        )
