"""How big, how round, how steep are the regions? Columns for the whole complex."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import factorial, hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.exact.cone import IntVector
from plregions.exact.lp import maximise
from plregions.kernels.solids import inscribed_balls, volumes, widths
from plregions.regions.boundedness import bounded_flags
from plregions.regions.complex import RegionComplex, check_complex
from plregions.regions.float_cells import THIN, FloatCells, float_cells, unit_rows
from plregions.regions.simplices import checked_vertices, exact_moments, exact_volume
from plregions.regions.slabs import cell_widths, width_bounds
from plregions.regions.star_volume import star_volume
from plregions.regions.steepness import linear_parts, operator_norms

__all__ = ["QUANTITIES", "measure"]

Columns = dict[str, NDArray[Any]]
FloatArray = NDArray[np.float64]

# Beyond it cells have too many vertices.
MOST_DIMENSIONS = 8

#: What `measure` knows.
QUANTITIES = (
    "is_bounded",
    "n_vertices",
    "volume",
    "centroid",
    "inradius",
    "chebyshev_centre",
    "width",
    "bounding_box",
    "lipschitz",
    "operator_norm_1",
    "operator_norm_inf",
)
EXACT_QUANTITIES = ("is_bounded", "n_vertices", "volume", "centroid", "bounding_box")


def measure(
    complex: RegionComplex, quantities: Sequence[str] | str, *, exact: bool = False
) -> dict[str, NDArray[Any]]:
    """Measure all regions of a complex: one column a quantity, or one for each coordinate.

    Parameters
    ----------
    complex : RegionComplex
    quantities : str or sequence of str
        ``is_bounded``; ``n_vertices``; ``volume`` (length, area, ..., infinite for an unbounded
        region); ``centroid`` (columns ``centroid_0``, ``centroid_1``, ...); ``inradius`` and
        ``chebyshev_centre_0``, ... of a largest ball inside; ``width``, the least distance of two
        parallel hyperplanes around the region; ``bounding_box`` (columns ``lower_0``, ...,
        ``upper_0``, ...); ``lipschitz``, the Lipschitz constant of the region's affine map in
        Euclidean norms (its largest singular value); ``operator_norm_1`` and ``operator_norm_inf``,
        those in the 1-norm and the maximum norm.
    exact : bool
        Fractions (dtype object) in place of float64, for bounded regions; not for ``inradius``,
        ``chebyshev_centre``, ``width`` and norms, which are not rational in general.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        In the order of the quantities; `pandas.DataFrame` takes it as it is. In more than 8
        dimensions volumes are estimates, and a column ``volume_error`` after ``volume`` holds their
        standard errors; ``width`` is that of two hyperplanes that were found, and the least lies
        between ``width - width_error`` and it. NaN stands for a centroid, centre or width that an
        unbounded region does not have.

    Raises
    ------
    InvalidInputError
        An unknown quantity, one that is not exact, or one that needs fewer dimensions.

    Algorithm
    ---------
    Vertices with proved incidences, see `float_cells`; volumes and centroids by pulling, see
    `simplices`; inscribed balls by a simplex walk in d + 1 variables; widths in up to 3
    dimensions over facets and pairs of edges, else see `cell_widths`. Volumes of extremely thin
    regions are rounded exact ones. Over unbounded domains vertices are exact; balls in regions that
    contain lines are found by HiGHS. In more than 8 dimensions see `star_volume`, from the
    Chebyshev centre, and `width_bounds`. In three dimensions 20,000 regions a second and more, once
    the region graph is there; in 8 dimensions one or two, for widths fifty.

    Exactness
    ---------
    With ``exact=True`` all columns are exact. Float columns come from vertices that are right to
    2**-34 of the domain and 2**-24 of the region's least height, in practice near the rounding of
    float64; the inradius of a region thinner than that rounding says no more than this, nor does
    its width in more than 8 dimensions. In fewer nothing narrower than the width is left out but
    by 1e-13 of it.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[3]], [0])])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> measure(regions, ["volume", "lipschitz"])
    {'volume': array([2., 2.]), 'lipschitz': array([0.        , 4.24264069])}
    >>> measure(regions, "centroid", exact=True)["centroid_0"]
    array([Fraction(-1, 3), Fraction(1, 3)], dtype=object)
    """
    check_complex("measure", complex)
    is_several = isinstance(quantities, Iterable) and not isinstance(quantities, str)
    names: list[Any] = list(quantities) if is_several else [quantities]
    allowed = EXACT_QUANTITIES if exact else QUANTITIES
    for name in names:
        if not isinstance(name, str) or name not in allowed:
            kind = "exact quantities" if exact else "quantities"
            raise InvalidInputError(
                f"measure needs {kind} among {', '.join(allowed)}; got {name!r}. "
                + ("Leave out exact=True." if name in QUANTITIES else "Take one of these.")
            )
    work = _Measures(complex)
    found: Columns = {}
    for name in names:
        found |= work.exact(name) if exact else work.floats(name)
    return found


class _Measures:
    """Work in progress: what several quantities share is made once."""

    def __init__(self, complex: RegionComplex) -> None:
        self._complex = complex
        self._dim = complex.domain.dim
        self._n = complex.n_regions

    def floats(self, name: str) -> Columns:
        """Return the float columns of one quantity."""
        if name in _NORMS:
            return {name: operator_norms(self._linear_parts, _NORMS[name])}
        found: Columns = getattr(self, f"_{name}")()
        return found

    def exact(self, name: str) -> Columns:
        """Return the exact columns of one quantity."""
        if name in ("is_bounded", "n_vertices"):
            return self.floats(name)
        rows = [_EXACT[name](self._complex, r) for r in range(self._n)]
        width = {"volume": 1, "centroid": self._dim, "bounding_box": 2 * self._dim}[name]
        table = np.empty((self._n, width), dtype=object)
        for r, row in enumerate(rows):
            table[r] = row
        return {"volume": table[:, 0]} if name == "volume" else self._columns(name, table)

    @cached_property
    def _bounded(self) -> NDArray[np.bool_]:
        if self._complex.domain.is_bounded:
            return np.ones(self._n, dtype=np.bool_)
        regions = self._complex
        return bounded_flags(regions.prepared, regions.packed_patterns, regions.packed_rows)[0]

    @cached_property
    def _linear_parts(self) -> FloatArray:
        return linear_parts(self._complex.prepared.network, self._complex.patterns)

    @cached_property
    def _cells(self) -> FloatCells:
        return float_cells(self._complex)

    @cached_property
    def _frame(self) -> tuple[FloatArray, FloatArray]:
        """The origin and the facets' rows."""
        if "_cells" in vars(self):
            return self._cells.origin, self._cells.rows
        return unit_rows(self._complex)

    @cached_property
    def _moments(self) -> FloatArray:
        """Volume times dim! and first moments relative to each region's first vertex."""
        cells, d = self._cells, self._dim
        out = np.zeros((self._n, d + 1))
        most = int(np.diff(cells.offsets).max(initial=1))
        n_facets = self._complex.graph.n_facets.copy()
        n_facets[cells.large] = 0
        scratch = (
            np.zeros((d + 2, most), dtype=np.int64), *np.zeros((4, d + 2), dtype=np.int64),
            np.zeros((d, d)),
        )  # fmt: skip
        # In short steps, so that an interrupt is seen: simplices grow as d!.
        step = max(1, 2**14 // factorial(d))
        for start in range(0, self._n, step):
            stop = min(start + step, self._n)
            columns = cells.offsets, cells.points, cells.tight, n_facets
            volumes(start, stop, *columns, d, *scratch, out)
        for r, rays in cells.exact.items():
            if not out[r, 0] > THIN * self._extent(r).prod():
                out[r] = self._exact_moments(r, rays)
        return out

    def _exact_moments(self, r: int, rays: list[tuple[IntVector, int]]) -> list[float]:
        """Return the moments of a region that is too thin for floats, or has too many facets."""
        cells, d = self._cells, self._dim
        vectors = [ray for ray, _ in rays]
        volume, centroid = exact_moments(vectors, [mask for _, mask in rays], d)
        size = float(volume * factorial(d) * Fraction(2) ** sum(cells.exponent))
        moments = []
        for k in range(d):
            shift = (centroid[k] - Fraction(vectors[0][k], vectors[0][-1])) * (d + 1)
            moments.append(size * float(shift * Fraction(2) ** cells.exponent[k]))
        return [size, *moments]

    @cached_property
    def _balls(self) -> FloatArray:
        """Centre and radius of a largest ball in each region, relative to the origin."""
        origin, rows = self._frame
        d, graph = self._dim, self._complex.graph
        most = int(graph.n_facets.max(initial=1))
        out = np.zeros((self._n, d + 1))
        inscribed_balls(
            graph.offsets, rows, self._starts(origin), d, np.zeros((most, d + 2)),
            np.zeros((d + 1 + most, d + 3), order="F"), np.zeros(d + 1, dtype=np.int64),
            np.zeros(most, dtype=np.int64), np.zeros(d + 1), out,
        )  # fmt: skip
        for r in np.flatnonzero(np.isnan(out[:, d])):
            out[r] = _ball_beside_lines(rows[graph.offsets[r] : graph.offsets[r + 1]], out[r, :d])
        return out

    def _starts(self, origin: FloatArray) -> FloatArray:
        """Return a point inside each region: the mean of its vertices where they are known."""
        points = self._complex.interior_points - origin
        if self._dim <= MOST_DIMENSIONS and self._complex.domain.is_bounded:
            cells = self._cells
            counts = np.diff(cells.offsets)
            points = np.add.reduceat(cells.points, cells.offsets[:-1]) / counts[:, None]
        return points

    def _columns(self, name: str, table: NDArray[Any]) -> Columns:
        """Name the columns of a quantity with coordinates."""
        if name == "bounding_box":
            names = [f"{side}_{k}" for side in ("lower", "upper") for k in range(self._dim)]
        else:
            names = [f"{name}_{k}" for k in range(self._dim)]
        return {column: np.ascontiguousarray(table[:, k]) for k, column in enumerate(names)}

    def _require(self, name: str, most: int) -> None:
        if self._dim > most:
            raise InvalidInputError(
                f"measure needs a domain of at most {most} dimensions for {name!r}; got "
                f"{self._dim}. Take a slice of fewer dimensions."
            )

    def _is_bounded(self) -> Columns:
        return {"is_bounded": self._bounded}

    def _n_vertices(self) -> Columns:
        if not self._complex.domain.is_bounded:
            return {"n_vertices": np.diff(self._complex.vertices.offsets)}
        self._require("n_vertices", MOST_DIMENSIONS)
        return {"n_vertices": np.diff(self._cells.offsets)}

    def _volume(self) -> Columns:
        if self._dim > MOST_DIMENSIONS:
            volume, error = np.full(self._n, np.inf), np.zeros(self._n)
            offsets, (_, rows) = self._complex.graph.offsets, self._frame
            for r in np.flatnonzero(self._bounded).tolist():
                part = rows[offsets[r] : offsets[r + 1]]
                volume[r], error[r] = star_volume(part, self._balls[r, :-1])
            return {"volume": volume, "volume_error": error}
        volume = self._moments[:, 0] / factorial(self._dim)
        return {"volume": np.where(self._bounded, volume, np.inf)}

    def _centroid(self) -> Columns:
        self._require("centroid", MOST_DIMENSIONS)
        cells, moments = self._cells, self._moments
        table = np.full((self._n, self._dim), np.nan)
        here = self._bounded
        first = cells.points[cells.offsets[:-1][here]]
        shift = moments[here, 1:] / (moments[here, :1] * (self._dim + 1))
        table[here] = cells.origin + first + shift
        return self._columns("centroid", table)

    def _inradius(self) -> Columns:
        return {"inradius": self._balls[:, -1].copy()}

    def _chebyshev_centre(self) -> Columns:
        centres = self._balls[:, :-1] + self._frame[0]
        centres[np.isinf(self._balls[:, -1])] = np.nan
        return self._columns("chebyshev_centre", centres)

    def _width(self) -> Columns:
        offsets = self._complex.graph.offsets
        if self._dim > MOST_DIMENSIONS:
            balls = self._balls.copy()
            balls[~self._bounded, -1] = np.inf
            width, error = width_bounds(offsets, self._frame[1], balls, self._diameter())
            return {"width": width, "width_error": error}
        cells, out = self._cells, np.full(self._n, np.nan)
        here = np.flatnonzero(self._bounded).tolist()
        if self._dim <= 3 and not cells.large:
            widths(cells.offsets, cells.points, cells.tight, offsets, cells.rows, self._dim, out)
            out[~self._bounded] = np.nan
            here = [r for r in cells.exact if not out[r] > THIN * self._extent(r).max()]
        out[here] = cell_widths(self._complex, cells, here)
        return {"width": out}

    def _diameter(self) -> float:
        """Return that of a box around the domain, or infinity."""
        if not self._complex.domain.is_bounded:
            return np.inf
        lower, upper = self._complex.domain.bounding_box()
        return hypot(*(float(b - a) for a, b in zip(lower, upper, strict=True)))

    def _extent(self, r: int) -> FloatArray:
        """Return the sides of the box around a region with vertices."""
        cells = self._cells
        sides: FloatArray = np.ptp(cells.points[cells.offsets[r] : cells.offsets[r + 1]], axis=0)
        return sides

    def _bounding_box(self) -> Columns:
        self._require("bounding_box", MOST_DIMENSIONS)
        cells, d = self._cells, self._dim
        table = np.zeros((self._n, 2 * d))
        here = np.flatnonzero(self._bounded)
        if len(here):
            starts = cells.offsets[:-1][here]
            table[here, :d] = np.minimum.reduceat(cells.points, starts) + cells.origin
            table[here, d:] = np.maximum.reduceat(cells.points, starts) + cells.origin
        for r in np.flatnonzero(~self._bounded).tolist():
            table[r] = _unbounded_box(self._complex, r)
        return self._columns("bounding_box", table)


def _ball_beside_lines(rows: FloatArray, point: FloatArray) -> FloatArray:
    """Return a largest ball in a cell that contains a line, by HiGHS."""
    from scipy.optimize import linprog

    d = rows.shape[1] - 1
    if not len(rows):
        return np.array([*point, np.inf])
    result = linprog(
        [0.0] * d + [-1.0],
        A_ub=np.column_stack([-rows[:, :d], np.ones(len(rows))]),
        b_ub=rows[:, d],
        bounds=[(None, None)] * d + [(0, None)],
    )
    return np.array([*point, np.inf]) if result.x is None else np.asarray(result.x)


def _unbounded_box(complex: RegionComplex, index: int) -> list[float]:
    """Return the bounds of the coordinates of a region that may never end, by exact programs."""
    rows = [row for row, _ in complex.rows_of(index)]
    found = []
    for sign in (-1, 1):
        for k in range(complex.domain.dim):
            goal = [0] * (complex.domain.dim + 1)
            goal[k] = sign
            result = maximise(goal, rows)
            value = float("inf") if result.value is None else float(result.value)
            found.append(sign * value + 0.0)
    return found


def _exact_volume(complex: RegionComplex, index: int) -> list[Fraction]:
    return [exact_volume(complex, index)]


def _exact_centroid(complex: RegionComplex, index: int) -> list[Fraction]:
    vertices, dim = checked_vertices("measure", complex, index), complex.domain.dim
    corners = [vertices.homogeneous[i] for i in vertices.of(index).tolist()]
    return exact_moments(corners, vertices.tight_of(index), dim)[1]


def _exact_box(complex: RegionComplex, index: int) -> list[Fraction]:
    vertices = checked_vertices("measure", complex, index)
    columns = list(zip(*[vertices.points[i] for i in vertices.of(index)], strict=True))
    return [*map(min, columns), *map(max, columns)]


_NORMS = {"lipschitz": 2.0, "operator_norm_1": 1.0, "operator_norm_inf": np.inf}
_EXACT: dict[str, Callable[[RegionComplex, int], list[Fraction]]] = {
    "volume": _exact_volume,
    "centroid": _exact_centroid,
    "bounding_box": _exact_box,
}
