"""On which lines do the facets lie? Their rows as floats with proved bounds, and as integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.kernels.layout import layer_weight
from plregions.kernels.rows import EPS, SMALLEST, TINY
from plregions.network.prefixes import runs
from plregions.network.products import rows_times
from plregions.regions.graph import RegionGraph

__all__ = ["ExactFacets", "FacetRows", "facet_rows"]

FloatArray = NDArray[np.float64]

# Numbers in the largest array of a batch.
BATCH_SIZE = 2**18


@dataclass(frozen=True, eq=False)
class FacetRows:
    """The rows of all facets of a complex, in local coordinates, positive inside the region.

    Attributes
    ----------
    rows : ndarray of float64, shape (n_facets, d + 1)
        (a, c) for a.u + c, scaled by powers of two to a 1-norm of at most 1.
    error : ndarray of float64, shape (n_facets,)
        Bound on the 1-norm of the distance to the true row; infinite where floats cannot hold it.
    """

    rows: FloatArray
    error: FloatArray


def facet_rows(prepared: Prepared, patterns: NDArray[np.bool_], graph: RegionGraph) -> FacetRows:
    """Return the rows of all facets in float64.

    Parameters
    ----------
    prepared : Prepared
    patterns : ndarray of bool, shape (n, N)
    graph : RegionGraph
        Of the same regions.

    Returns
    -------
    FacetRows

    Algorithm
    ---------
    Forward passes with d + 1 columns a pattern, as matrix products of whole batches, with the
    bounds of `plregions.kernels.rows` carried along; patterns that follow one another and agree
    below a layer count once there.

    Exactness
    ---------
    The bounds are proved.
    """
    d, walls = prepared.dim, prepared.walls
    owner = np.repeat(np.arange(len(patterns)), graph.n_facets)
    rows = np.zeros((len(owner), d + 1))
    error = np.full(len(owner), np.inf)
    size = np.zeros(len(owner))
    on_wall = np.flatnonzero(graph.labels < 0)
    wall = -1 - graph.labels[on_wall]
    rows[on_wall], error[on_wall], size[on_wall] = walls[0][wall], walls[1][wall], walls[2][wall]

    unit_of_bit = np.flatnonzero(prepared.units.bit >= 0)
    inner = np.flatnonzero(graph.labels >= 0)
    unit = np.zeros(len(owner), dtype=np.int64)
    unit[inner] = unit_of_bit[graph.labels[inner]]
    layer_of = np.where(graph.labels >= 0, prepared.units.layer_of[unit], -1)
    first = prepared.units.layer_first
    step = max(1, BATCH_SIZE // (int(np.diff(first).max()) * (d + 1)))
    for start in range(0, len(patterns), step):
        stop = min(start + step, len(patterns))
        facets = np.arange(graph.offsets[start], graph.offsets[stop])
        # No more layers than have facets: not the outputs.
        below = islice(_layer_rows(prepared, patterns[start:stop]), layer_of.max(initial=-1) + 1)
        for layer, found in enumerate(below):
            chosen = facets[layer_of[facets] == layer]
            run, place = found.members[owner[chosen] - start], unit[chosen] - first[layer]
            rows[chosen] = found.rows[run, :, place]
            error[chosen], size[chosen] = found.error[run, place], found.size[run, place]

    is_off = np.zeros(len(owner), dtype=np.bool_)
    is_off[inner] = ~patterns[owner[inner], graph.labels[inner]]
    rows[is_off] *= -1.0
    exponent = -np.frexp(size)[1]
    in_range = (size > SMALLEST) & (size < 1.0 / SMALLEST)
    rows = np.ldexp(rows, np.where(in_range, exponent, 0)[:, None])
    error = np.where(in_range, np.ldexp(error, np.where(in_range, exponent, 0)) + TINY, np.inf)
    return FacetRows(rows, error)


@dataclass(frozen=True, eq=False)
class _LayerRows:
    """The rows of a layer for k runs of patterns that agree below it, and the run of each pattern.

    Shapes (k, d + 1, units), (k, units), (k, units) and (n,).
    """

    rows: FloatArray
    error: FloatArray
    size: FloatArray
    members: NDArray[np.int64]


def _layer_rows(prepared: Prepared, patterns: NDArray[np.bool_]) -> Iterator[_LayerRows]:
    """Yield the rows of each layer."""
    units, n, d = prepared.units, len(patterns), prepared.dim
    rows, error, size = (column.T[None] for column in prepared.first_rows[:3])
    yield _LayerRows(rows, error, size, np.zeros(n, dtype=np.int64))
    n_layers = len(units.layer_first) - 1
    parts = prepared.network.bit_slices[: n_layers - 1]
    for layer, (starts, agreeing) in enumerate(runs(patterns, parts), start=1):
        before = slice(units.layer_first[layer - 1], units.layer_first[layer])
        part = slice(units.layer_first[layer], units.layer_first[layer + 1])
        width, k = before.stop - before.start, len(starts)
        weight = layer_weight(units, layer)
        bias = units.bias[part]
        gamma = (width + 6) * EPS

        bits = units.bit[before]
        on = np.zeros((k, width), dtype=np.bool_)
        on[:, bits >= 0] = patterns[starts][:, bits[bits >= 0]]
        slope = np.where(on, units.positive[before], units.negative[before])
        steep = np.abs(slope)

        carried = (steep * (size + error)[agreeing]).sum(axis=1, keepdims=True)
        bound = rows_times(steep * (error + gamma * size)[agreeing], np.abs(weight))
        bound += units.bias_error[part] + gamma * np.abs(bias)
        bound += units.weight_error[part] * carried * (1.0 + gamma)
        rows = rows_times(slope[:, None, :] * rows[agreeing], weight)
        rows[:, d] += bias
        error = bound * (1.0 + 2.0 * gamma) + TINY
        size = np.abs(rows).sum(axis=1) * (1.0 + 2.0 * (d + 2) * EPS)
        yield _LayerRows(rows, error, size, np.repeat(np.arange(k), np.diff(starts, append=n)))


class ExactFacets:
    """The rows of facets as primitive integer rows in local coordinates, one at a time."""

    def __init__(self, prepared: Prepared, patterns: NDArray[np.bool_], graph: RegionGraph) -> None:
        self._walls = prepared.wall_rows
        self._patterns = patterns
        self._labels = graph.labels
        self._exact = ExactRows(prepared)
        self._unit_of_bit = np.flatnonzero(prepared.units.bit >= 0)

    def row(self, region: int, facet: int) -> IntRow:
        """Return the row of a region's facet, positive inside the region."""
        label = int(self._labels[facet])
        if label < 0:
            return self._walls[-1 - label]
        bits = self._patterns[region]
        row = self._exact.row(int(self._unit_of_bit[label]), bits)
        return row if bits[label] else tuple(-v for v in row)
