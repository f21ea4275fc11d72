"""The bounded cells of a complex in floats: vertices, the facets that meet there, unit normals."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from operator import mul
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plregions.exact.cone import IntVector, extreme_rays
from plregions.exact.integers import primitive_row
from plregions.feasibility.homogenise import HomogeneousFrame
from plregions.feasibility.prepare import Frame
from plregions.kernels.vertices import MOST_ROWS
from plregions.regions.facet_rows import ExactFacets, FacetRows, facet_rows
from plregions.regions.simple_cells import simple_cells
from plregions.regions.vertices import cone_rows

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["THIN", "FloatCells", "exact_heights", "float_cells", "unit_rows"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# A row is taken from floats when its normal is proved to this part of its length.
PART_OF_NORMAL = 2.0**-40
# Of a region's extent: below it, where vertices were found in integers, sizes are, too.
THIN = 2.0**-20
# Binary digits of the square roots of integers.
DIGITS = 64


@dataclass(frozen=True, eq=False)
class FloatCells:
    """The bounded closed regions of a complex as float64 columns.

    Coordinates are y = x - origin, so that a domain far from 0 costs no precision.

    Attributes
    ----------
    origin : ndarray of float64, shape (d,)
    offsets : ndarray of int64, shape (n + 1,)
        The vertices of region r are ``points[offsets[r]:offsets[r + 1]]``.
    points : ndarray of float64, shape (n_entries, d)
        Proved to about 2**-34 of the domain and 2**-24 of the region's least height.
    tight : ndarray of int64, shape (n_entries,)
        Bit i: facet i of the region meets the vertex. Of regions in `large`: see `exact`.
    rows : ndarray of float64, shape (n_facets, d + 1)
        See `unit_rows`.
    exponent : tuple of int
        2**exponent_k is the unit of coordinate k of the vertices in `exact`.
    exact : dict of int to list of (vector, int)
        For the regions whose vertices were found in integers, since floats proved too little:
        these, in homogeneous coordinates, and their bits as Python integers.
    large : list of int
        The regions with more than 62 facets, all of them in `exact`.
    """

    origin: FloatArray
    offsets: IntArray
    points: FloatArray
    tight: IntArray
    rows: FloatArray
    exponent: tuple[int, ...]
    exact: dict[int, list[tuple[IntVector, int]]]
    large: list[int]


def float_cells(complex: RegionComplex) -> FloatCells:
    """Find the vertices of all bounded regions of a complex, in floats.

    Parameters
    ----------
    complex : RegionComplex

    Returns
    -------
    FloatCells
        Without vertices of unbounded regions.

    Raises
    ------
    InvalidInputError
        A region has too many vertices for exact arithmetic.

    Algorithm
    ---------
    The double description method in floats with proved signs, which settles every simple region
    that is not extremely thin; in integers for the others, and over unbounded domains.

    Exactness
    ---------
    Which facets meet in which vertex is proved. Coordinates carry a proved bound.
    """
    prepared, graph, dim = complex.prepared, complex.graph, complex.domain.dim
    frame = prepared.frame
    if isinstance(frame, HomogeneousFrame) or not complex.domain.is_bounded:
        return _from_exact(complex, *unit_rows(complex))
    floats = facet_rows(prepared, complex.patterns, graph)
    origin, rows = unit_rows(complex, floats)
    offsets, local, tight, is_known = simple_cells(graph.offsets, floats, dim)
    exact = ExactFacets(prepared, complex.patterns, graph)
    doubtful = np.flatnonzero(~is_known).tolist()
    found = {r: extreme_rays(cone_rows(exact, graph, r, dim)[:-1]) or [] for r in doubtful}
    if doubtful:
        offsets, local, tight = _with_exact(offsets, local, tight, found)
    points = np.ldexp(local, np.array(frame.exponent))
    large = [r for r in doubtful if graph.n_facets[r] > MOST_ROWS]
    return FloatCells(origin, offsets, points, tight, rows, frame.exponent, found, large)


def unit_rows(
    complex: RegionComplex, floats: FacetRows | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return an origin, and the rows of all facets with unit normals, relative to it.

    Parameters
    ----------
    complex : RegionComplex
    floats : FacetRows, optional
        Those of `facet_rows`, if they are known.

    Returns
    -------
    origin : ndarray of float64, shape (d,)
    rows : ndarray of float64, shape (n_facets, d + 1)
        (a, c) with a.y + c >= 0 in the region for y = x - origin, abs(a) = 1, in the order of the
        region graph.

    Exactness
    ---------
    Normals are right to 2**-40.
    """
    prepared, graph = complex.prepared, complex.graph
    exact = ExactFacets(prepared, complex.patterns, graph)
    owners = np.repeat(np.arange(len(graph.n_facets)), graph.n_facets)
    frame, dim = prepared.frame, complex.domain.dim
    if isinstance(frame, HomogeneousFrame):
        found = [
            _unit_row(_exact_row(frame, exact, r, f), (0,) * dim)
            for f, r in enumerate(owners.tolist())
        ]
        return np.zeros(dim), np.array(found, dtype=np.float64).reshape(len(owners), dim + 1)
    floats = floats or facet_rows(prepared, complex.patterns, graph)
    rows = _unit_rows(floats, np.array(frame.exponent))
    for facet in np.flatnonzero(np.isnan(rows[:, 0])).tolist():
        rows[facet] = _unit_row(exact.row(int(owners[facet]), facet), frame.exponent)
    return np.array([float(v) for v in frame.middle]), rows


def exact_heights(complex: RegionComplex, cells: FloatCells, region: int) -> FloatArray:
    """Return the distances of a region's vertices from its facets, however thin it is.

    Parameters
    ----------
    complex : RegionComplex
    cells : FloatCells
    region : int
        One whose vertices were found in integers.

    Returns
    -------
    ndarray of float64, shape (n_vertices, n_facets)

    Exactness
    ---------
    Rounded exact numbers.
    """
    prepared, graph = complex.prepared, complex.graph
    exact = ExactFacets(prepared, complex.patterns, graph)
    columns = []
    for facet in range(int(graph.offsets[region]), int(graph.offsets[region + 1])):
        row = _exact_row(prepared.frame, exact, region, facet)
        length, shift = _length(row, cells.exponent)
        columns.append([
            (sum(map(mul, row, ray)) << shift) / (ray[-1] * length)
            for ray, _ in cells.exact[region]
        ])  # fmt: skip
    return np.array(columns, dtype=np.float64).T


def _exact_row(
    frame: Frame | HomogeneousFrame, exact: ExactFacets, region: int, facet: int
) -> IntVector:
    """Return a facet's row in the coordinates of the vertices that are found in integers."""
    row = exact.row(region, facet)
    if isinstance(frame, HomogeneousFrame):
        return tuple(primitive_row(frame.global_row(row)))
    return row


def _from_exact(complex: RegionComplex, origin: FloatArray, rows: FloatArray) -> FloatCells:
    """Return the bounded regions from the exact vertices of the complex."""
    vertices, n_facets = complex.vertices, complex.graph.n_facets
    chosen = np.repeat(vertices.is_bounded, np.diff(vertices.offsets))
    counts = np.where(vertices.is_bounded, np.diff(vertices.offsets), 0)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    exact = {
        r: [
            (vertices.homogeneous[v], mask)
            for v, mask in zip(vertices.of(r).tolist(), vertices.tight_of(r), strict=True)
        ]
        for r in np.flatnonzero(vertices.is_bounded).tolist()
    }
    dim = complex.domain.dim
    points = vertices.floats[vertices.ids[chosen]].reshape(-1, dim) - origin
    masks = np.array([_narrow(mask) for mask in vertices.tight], dtype=np.int64)[chosen]
    large = [r for r in exact if n_facets[r] > MOST_ROWS]
    return FloatCells(origin, offsets, points, masks, rows, (0,) * dim, exact, large)


def _with_exact(
    offsets: IntArray,
    local: FloatArray,
    tight: IntArray,
    found: dict[int, list[tuple[IntVector, int]]],
) -> tuple[IntArray, FloatArray, IntArray]:
    """Put the regions that were described in integers between the others."""
    counts = np.diff(offsets)
    owners = np.repeat(np.arange(len(counts)), counts)
    points = [local]
    masks = [tight]
    for rays in found.values():
        points.append(np.array([[v / ray[-1] for v in ray[:-1]] for ray, _ in rays]))
        masks.append(np.array([_narrow(mask) for _, mask in rays], dtype=np.int64))
    owners = np.concatenate([owners, np.repeat(list(found), list(map(len, found.values())))])
    order = np.argsort(owners, kind="stable")
    ends = np.searchsorted(owners[order], np.arange(len(counts) + 1)).astype(np.int64)
    return ends, np.concatenate(points)[order], np.concatenate(masks)[order]


def _narrow(mask: int) -> int:
    """Return bits that an int64 holds; of more facets none are told."""
    return 0 if mask >> MOST_ROWS else mask


def _unit_rows(floats: FacetRows, exponent: NDArray[np.int64]) -> FloatArray:
    """Return the rows in the domain's scale with normals of length 1; NaN where not proved well."""
    rows = floats.rows.copy()
    rows[:, :-1] = np.ldexp(rows[:, :-1], -exponent)
    shortest = np.abs(floats.rows[:, :-1]).max(axis=1, initial=0.0)
    # In the domain's scale an error of one coefficient counts by the largest of the scales.
    spread = float(2.0 ** (int(exponent.max()) - int(exponent.min())))
    is_poor = ~(floats.error * spread <= PART_OF_NORMAL * shortest)
    length = np.linalg.norm(rows[:, :-1], axis=1)
    is_poor |= ~((length > 1e-150) & (length < 1e150))
    scaled: FloatArray = rows / np.where(is_poor, np.nan, length)[:, None]
    return scaled


def _unit_row(row: IntVector, exponent: tuple[int, ...]) -> list[float]:
    """Return one exact row in the same way."""
    top = max(exponent)
    length, shift = _length(row, exponent)
    # 2**top times the normal, and its length, in integers times 2**max(-top, 0).
    scaled = [a << (top - h + max(-top, 0)) for a, h in zip(row[:-1], exponent, strict=True)]
    return [*[(a << DIGITS) / length for a in scaled], (row[-1] << shift) / length]


def _length(row: IntVector, exponent: tuple[int, ...]) -> tuple[int, int]:
    """Return integers n and s: n / 2**s is the length of an exact row's normal."""
    top = max(exponent)
    squares = sum((a << (top - h)) ** 2 for a, h in zip(row[:-1], exponent, strict=True))
    return isqrt(squares << (2 * DIGITS)) << max(-top, 0), DIGITS + max(top, 0)
