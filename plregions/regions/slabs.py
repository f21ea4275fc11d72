"""How near are two parallel hyperplanes that hold a cell between them?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plregions.kernels.chords import narrow_slabs
from plregions.kernels.slabs import slab_widths
from plregions.kernels.vertices import MOST_ROWS
from plregions.regions.float_cells import THIN, FloatCells, exact_heights

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["cell_widths", "width_bounds"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Vertices whose incidences are spread out at once; an interrupt is seen between such batches.
BATCH_SIZE = 2**12
# Corners of a polyhedron that there is room for at first.
CORNERS = 64
SEED = 2026
N_DIRECTIONS = 64
# Numbers of rows between two looks for an interrupt, where there are no vertices.
STEP = 2**14


def cell_widths(complex: RegionComplex, cells: FloatCells, regions: Sequence[int]) -> FloatArray:
    """Return the widths of bounded regions: the least distances of parallel hyperplanes around.

    Parameters
    ----------
    complex : RegionComplex
    cells : FloatCells
        Of the same complex.
    regions : sequence of int
        Some of those that have vertices there.

    Returns
    -------
    ndarray of float64, shape (len(regions),)

    Algorithm
    ---------
    The hyperplanes are normal to two faces whose dimensions sum to d - 1, one of them of dimension
    d - k or more with k = (d + 1) // 2. So a normal is a combination, not negative, of those of k
    facets that hold one face of dimension d - k. For each such set of facets the least width over
    these combinations is a concave minimum in k variables, found by outer approximation: the
    corners of a polyhedron bound it from below, and the worst one is cut off by the vertex that is
    farthest across.

    Exactness
    ---------
    Floats, from vertices with proved incidences; the distances of vertices from the facets of an
    extremely thin region are rounded exact ones. All sets are looked at, and nothing narrower is
    left out but by 1e-13 of the width.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions.regions.float_cells import float_cells
    >>> net = plr.Network([([[2, 0, 0, 0, 0]], [-1]), ([[1]], [0])])
    >>> regions = plr.enumerate_regions(net, plr.hypercube(5))
    >>> cell_widths(regions, float_cells(regions), [0, 1])
    array([0.5, 0.5])
    """
    row_offsets, dim = complex.graph.offsets, complex.domain.dim
    counts, n_facets = np.diff(cells.offsets), complex.graph.n_facets
    k = (dim + 1) // 2
    most = int(counts.max(initial=1)), int(n_facets.max(initial=1))
    scratch = (
        np.zeros((most[1], most[0] + 2)), np.zeros((most[1], dim)),
        np.zeros((k + 1, most[0]), dtype=np.int64), *np.zeros((3, k + 1), dtype=np.int64),
    )  # fmt: skip
    capacity = CORNERS
    found = [np.zeros(0)]
    step = max(1, BATCH_SIZE // most[0])
    for batch in (np.array(regions[i : i + step]) for i in range(0, len(regions), step)):
        first = np.concatenate([[0], np.cumsum(counts[batch])])
        columns = first, row_offsets[batch], row_offsets[batch + 1]
        spread = _spread(complex, cells, batch, most[1])
        out = np.zeros(len(batch))
        done = 0
        while True:
            corners = (
                np.zeros((capacity, k)), np.zeros((capacity, k), dtype=np.int64),
                *np.zeros((2, capacity)),
            )  # fmt: skip
            done = slab_widths(done, *columns, *spread, cells.rows, dim, k, *scratch, *corners, out)
            if done == len(batch):
                break
            capacity *= 2
        found.append(out)
    return np.concatenate(found)


def _spread(
    complex: RegionComplex, cells: FloatCells, batch: IntArray, most: int
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return for each vertex of some cells how far it is from each facet, and which hold it."""
    heights, incidences = [], []
    bits = np.arange(min(most, MOST_ROWS))
    for r in batch.tolist():
        points = cells.points[cells.offsets[r] : cells.offsets[r + 1]]
        rows = cells.rows[complex.graph.offsets[r] : complex.graph.offsets[r + 1]]
        height, on = np.zeros((len(points), most)), np.zeros((len(points), most), dtype=np.bool_)
        height[:, : len(rows)] = points @ rows[:, :-1].T + rows[:, -1]
        if r in cells.large:
            for v, (_, mask) in enumerate(cells.exact[r]):
                on[v] = [(mask >> i) & 1 for i in range(most)]
        else:
            tight = cells.tight[cells.offsets[r] : cells.offsets[r + 1]]
            on[:, : len(bits)] = (tight[:, None] >> bits) & 1
        tops = height[:, : len(rows)].max(axis=0)
        if r in cells.exact and not tops.min() > THIN * tops.max():
            height[:, : len(rows)] = exact_heights(complex, cells, r)
        height[on] = 0.0
        heights.append(np.maximum(height, 0.0))
        incidences.append(on)
    return np.concatenate(heights), np.concatenate(incidences)


def width_bounds(
    row_offsets: IntArray, rows: FloatArray, balls: FloatArray, diameter: float
) -> tuple[FloatArray, FloatArray]:
    """Return for each cell the width of a narrow slab around it, and how much less may do.

    Parameters
    ----------
    row_offsets : ndarray of int64, shape (n + 1,)
        The facets of cell r are ``rows[row_offsets[r]:row_offsets[r + 1]]``.
    rows : ndarray of float64, shape (n_facets, d + 1)
        (a, c) for a.y + c >= 0, with abs(a) = 1.
    balls : ndarray of float64, shape (n, d + 1)
        Centre and radius of a largest ball in each cell.
    diameter : float
        No two points of a cell are farther apart; infinite where that is not known.

    Returns
    -------
    width, error : ndarray of float64, shape (n,)
        The least width of a slab around the cell lies between width - error and width. NaN for both
        where balls have no end; NaN and infinity for a cell that is so thin that floats find no
        point inside, or no slab around it.

    Algorithm
    ---------
    From below: the ball. From above: a longest chord of the cell in some direction, found by a
    simplex walk in d + 1 variables, has parallel hyperplanes around the cell at its two ends, no
    farther apart than the chord is long. Their normal is the next direction, until that gains
    nothing; from each facet's normal and from 64 directions with a fixed seed in turn, as long as
    that takes no more than seconds a cell: hundreds of dimensions allow one or two walks. What is
    found is nearly always the width itself, but to prove that all faces would have to be looked at.

    Exactness
    ---------
    Floats, to their rounding: that of a walk's result is measured and added to the width.

    Examples
    --------
    A triangle of heights 2.4, 3 and 4, in which a circle of radius 1 fits:

    >>> triangle = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.8, -0.6, 2.4]])
    >>> width, error = width_bounds(np.array([0, 3]), triangle, np.array([[1.0, 1.0, 1.0]]), 5.0)
    >>> width.round(12).tolist(), error.round(12).tolist()
    ([2.4], [0.4])
    """
    n, d = len(row_offsets) - 1, rows.shape[1] - 1
    most = int(np.diff(row_offsets).max(initial=1))
    scratch = (
        np.zeros(most), *np.zeros((2, d)), np.zeros((2 * most, d + 2)),
        np.zeros((d + 1 + 2 * most, d + 3), order="F"), np.zeros(d + 1, dtype=np.int64),
        np.zeros(2 * most, dtype=np.int64), np.zeros(d + 1),
    )  # fmt: skip
    directions = np.random.default_rng(SEED).normal(size=(N_DIRECTIONS, d))
    width = np.full(n, np.nan)
    step = max(1, STEP // (most * d))
    for start in range(0, n, step):
        stop = min(start + step, n)
        narrow_slabs(
            start, stop, row_offsets, rows, balls, directions, diameter, d, *scratch, width
        )
    error = np.maximum(width - 2 * balls[:, -1], 0.0)
    error[np.isnan(width)] = np.inf
    error[np.isinf(balls[:, -1])] = np.nan
    return width, error
