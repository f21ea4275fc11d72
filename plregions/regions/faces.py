"""The faces of the complex: which are there, what bounds what, and which neurons vanish on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.feasibility.prepare import Prepared
from plregions.network import Network
from plregions.regions.complex import RegionComplex, check_complex
from plregions.regions.simplices import facets_of
from plregions.regions.vertex_signs import neuron_signs, wall_signs
from plregions.regions.vertices import Vertices

__all__ = ["FaceLattice", "Ridges", "face_lattice", "faces"]

IntArray = NDArray[np.int64]
Face = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class FaceLattice:
    """All faces of a complex over a bounded domain: closed polytopes, each known by its vertices.

    The faces of dimension k are numbered from 0: vertices as in ``complex.vertices``, the cells,
    of dimension dim, as the regions, the others in the order of their first regions.

    Attributes
    ----------
    network, domain
        Without slices: in the coordinates of the vertices.
    vertices : Vertices
    corners : tuple of csr_array, one for each k = 0 .. dim, shape (f_k, f_0)
        Which face has which vertices, entries 1 (int8).
    boundaries : tuple of csr_array, one for each k = 1 .. dim, shape (f_{k-1}, f_k)
        ``boundaries[k - 1]`` tells which (k-1)-face bounds which k-face, entries 1 (int8): the
        boundary map over GF(2).

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[1]], [0])])
    >>> lattice = faces(plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1])))
    >>> lattice.f_vector, lattice.euler_characteristic
    ((4, 5, 2), 1)
    >>> lattice.signs(1)[~lattice.is_on_boundary(1)].tolist()
    [[0]]
    """

    network: Network
    domain: Domain
    vertices: Vertices
    corners: tuple[csr_array, ...]
    boundaries: tuple[csr_array, ...]

    @property
    def dim(self) -> int:
        """Dimension of the complex."""
        return len(self.boundaries)

    @cached_property
    def f_vector(self) -> tuple[int, ...]:
        """Number of faces of each dimension: (f_0, ..., f_dim)."""
        return tuple(int(matrix.shape[0]) for matrix in self.corners)

    @property
    def euler_characteristic(self) -> int:
        """The alternating sum f_0 - f_1 + f_2 - ...: 1 for a complete complex."""
        return sum((-1) ** k * count for k, count in enumerate(self.f_vector))

    def corners_of(self, k: int, face: int) -> IntArray:
        """Return the vertices of a k-face, ascending."""
        matrix = self.corners[self._checked(k)]
        part = matrix.indices[matrix.indptr[face] : matrix.indptr[face + 1]]
        return np.sort(part).astype(np.int64)

    def incidence(self, low: int, high: int) -> csr_array:
        """Return which faces of one dimension lie in which of another.

        Parameters
        ----------
        low, high : int
            Dimensions, low < high.

        Returns
        -------
        csr_array of int8, shape (f_low, f_high)
            Entry 1 iff the face of dimension `low` is a face of that of dimension `high`.
        """
        if not 0 <= low < high <= self.dim:
            raise InvalidInputError(
                f"incidence needs dimensions 0 <= low < high <= {self.dim}; got {low} and {high}."
            )
        matrix = self.boundaries[low].astype(np.int64)
        for k in range(low + 1, high):
            matrix = csr_array(matrix @ self.boundaries[k].astype(np.int64))
            matrix.data[:] = 1
        matrix = csr_array(matrix.astype(np.int8))
        matrix.sort_indices()
        return matrix

    def signs(self, k: int) -> NDArray[np.int8]:
        """Return the sign vector of each k-face, shape (f_k, N): -1, 0 or 1 for each neuron.

        The sign of a neuron's pre-activation in the relative interior of the face: 0 iff it is 0
        on the whole face. In cells -1 and 0 are the bit 0.
        """
        return self._summed(k, self._neurons)

    def wall_signs(self, k: int) -> NDArray[np.int8]:
        """Return for each k-face where it lies on rows of the domain (0) or inside (1)."""
        return self._summed(k, self._walls)

    def is_on_boundary(self, k: int) -> NDArray[np.bool_]:
        """Tell which k-faces lie in the boundary of the domain, shape (f_k,)."""
        return np.asarray((self.wall_signs(k) == 0).any(axis=1), dtype=np.bool_)

    def point_in(self, k: int, face: int) -> tuple[Fraction, ...]:
        """Return a rational point in the relative interior of a k-face: the mean of its corners."""
        points = [self.vertices.points[i] for i in self.corners_of(k, face)]
        return tuple(sum(column) / len(points) for column in zip(*points, strict=True))

    @cached_property
    def ridges(self) -> Ridges:
        """The faces of codimension 2 with the facets and the cells around them.

        Raises
        ------
        InvalidInputError
            The domain has dimension 1.
        """
        if self.dim < 2:
            raise InvalidInputError(
                f"ridges need a domain of dimension 2 or more; got dimension {self.dim}."
            )
        facets, cells = self.boundaries[self.dim - 2], self.incidence(self.dim - 2, self.dim)
        return Ridges(
            facets.indptr.astype(np.int64),
            facets.indices.astype(np.int64),
            cells.indptr.astype(np.int64),
            cells.indices.astype(np.int64),
            ~self.is_on_boundary(self.dim - 2),
        )

    def facet_cells(self) -> IntArray:
        """Return the two cells on the sides of each facet, shape (f_{dim-1}, 2), ascending.

        -1 in second place where there is one cell only: on the domain's boundary, or where the
        complex is not complete.
        """
        matrix = self.boundaries[self.dim - 1]
        counts = np.diff(matrix.indptr)
        cells = np.full((matrix.shape[0], 2), -1, dtype=np.int64)
        cells[:, 0] = matrix.indices[matrix.indptr[:-1]]
        both = np.flatnonzero(counts == 2)
        cells[both, 1] = matrix.indices[matrix.indptr[both] + 1]
        return cells

    @cached_property
    def _neurons(self) -> NDArray[np.int8]:
        return neuron_signs(self.network, self.vertices.homogeneous)

    @cached_property
    def _walls(self) -> NDArray[np.int8]:
        return wall_signs(self.domain, self.vertices.homogeneous)

    def _summed(self, k: int, signs: NDArray[np.int8]) -> NDArray[np.int8]:
        # A neuron is affine on a face and has one sign or 0 at its vertices.
        total = self.corners[self._checked(k)].astype(np.int32) @ signs.astype(np.int32)
        return np.asarray(np.sign(total), dtype=np.int8)

    def _checked(self, k: int) -> int:
        if not 0 <= k <= self.dim:
            raise InvalidInputError(f"A face needs a dimension from 0 to {self.dim}; got {k}.")
        return k


@dataclass(frozen=True, eq=False)
class Ridges:
    """The faces of codimension 2, numbered as in the lattice, with what lies around them.

    Attributes
    ----------
    facet_offsets, facets : ndarray of int64
        The facets (faces of codimension 1) that hold ridge i are
        ``facets[facet_offsets[i]:facet_offsets[i + 1]]``, ascending.
    cell_offsets, cells : ndarray of int64
        Likewise the regions around it.
    is_inner : ndarray of bool
        Whether the ridge meets the interior of the domain: then as many facets as cells hold it.
    """

    facet_offsets: IntArray
    facets: IntArray
    cell_offsets: IntArray
    cells: IntArray
    is_inner: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.is_inner)

    def facets_of(self, ridge: int) -> IntArray:
        """Return the facets that hold a ridge."""
        return self.facets[self.facet_offsets[ridge] : self.facet_offsets[ridge + 1]]

    def cells_of(self, ridge: int) -> IntArray:
        """Return the regions that hold a ridge."""
        return self.cells[self.cell_offsets[ridge] : self.cell_offsets[ridge + 1]]


def faces(complex: RegionComplex) -> FaceLattice:
    """Find all faces of a complex, of every dimension.

    Parameters
    ----------
    complex : RegionComplex
        Over a bounded domain; need not be complete.

    Returns
    -------
    FaceLattice

    Raises
    ------
    InvalidInputError
        The domain is not bounded, or a region has too many vertices for exact arithmetic.

    Algorithm
    ---------
    From the exact vertices of each region and the facets that meet in them: a face is known by its
    vertices, and its facets are the largest parts that a further facet of the region cuts out of
    it. Regions meet face to face, so equal sets of vertices are one face, which is taken apart
    once. Linear in the number of pairs of faces and their facets.

    Exactness
    ---------
    Exact, for degenerate complexes as well.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 0]), ([[1, 1, 1]], [0])])
    >>> faces(plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))).f_vector
    (9, 14, 6)

    References
    ----------
    Grigsby and Lindsey 2022 and Masden 2022, on the canonical polyhedral complex and its ternary
    sign vectors.
    """
    check_complex("faces", complex)
    if not complex.domain.is_bounded:
        raise InvalidInputError(
            f"faces need a bounded domain; got {complex.domain!r}. Enumerate the regions of a "
            "box: Box(lower, upper)."
        )
    return face_lattice(complex.prepared, complex.vertices)


def face_lattice(prepared: Prepared, vertices: Vertices) -> FaceLattice:
    """Find all faces of cells, given their vertices; see `faces`.

    Parameters
    ----------
    prepared : Prepared
        Over a bounded domain.
    vertices : Vertices

    Returns
    -------
    FaceLattice
    """
    work = _Lattice(prepared.domain.dim, len(vertices))
    for region in range(len(vertices.is_bounded)):
        work.add(tuple(vertices.of(region).tolist()), vertices.tight_of(region))
    corners, boundaries = work.matrices()
    return FaceLattice(prepared.network, prepared.domain, vertices, corners, boundaries)


class _Lattice:
    """Work in progress: for each dimension the faces so far, with their facets."""

    def __init__(self, dim: int, n_vertices: int) -> None:
        self._facets: list[dict[Face, list[Face]]] = [{} for _ in range(dim + 1)]
        self._facets[0] = {(v,): [] for v in range(n_vertices)}

    def add(self, cell: Face, tight: Sequence[int]) -> None:
        """Take a cell apart, given the facets that meet in each of its vertices."""
        meeting = dict(zip(cell, tight, strict=True))
        level = [cell]
        for k in range(len(self._facets) - 1, 0, -1):
            below: list[Face] = []
            for face in level:
                if face not in self._facets[k]:
                    parts = _facets(face, k, meeting)
                    self._facets[k][face] = parts
                    below += parts
            level = below

    def matrices(self) -> tuple[tuple[csr_array, ...], tuple[csr_array, ...]]:
        """Return the faces by their vertices, and by their facets."""
        numbers = [{face: i for i, face in enumerate(level)} for level in self._facets]
        corners = tuple(_matrix(list(level), len(self._facets[0])) for level in self._facets)
        boundaries = []
        for k in range(1, len(self._facets)):
            below = numbers[k - 1]
            parts = [[below[part] for part in parts] for parts in self._facets[k].values()]
            matrix = csr_array(_matrix(parts, len(below)).T)
            matrix.sort_indices()
            boundaries.append(matrix)
        return corners, tuple(boundaries)


def _facets(face: Face, k: int, meeting: Mapping[int, int]) -> list[Face]:
    """Return the facets of a k-face of a cell."""
    if len(face) == k + 1:
        return [face[:i] + face[i + 1 :] for i in range(len(face))]
    return [tuple(part) for part in facets_of(face, meeting)]


def _matrix(lists: Sequence[Sequence[int]], width: int) -> csr_array:
    """Return the matrix with ones in the listed columns of each row."""
    offsets = np.cumsum([0, *map(len, lists)])
    columns = np.fromiter((v for line in lists for v in line), np.int64, int(offsets[-1]))
    ones = np.ones(len(columns), dtype=np.int8)
    return csr_array((ones, columns, offsets), shape=(len(lists), width))
