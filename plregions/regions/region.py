"""One activation region: a view on a complex."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import exact_array, float_array
from plregions.network import ActivationPattern
from plregions.regions.boundedness import normals_of, recession_of
from plregions.regions.extremes import rays_of, vertices_of, volume_of
from plregions.regions.table import region_html

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["Region"]


@dataclass(frozen=True)
class Region:
    """An activation region: the closed convex cell of one activation pattern.

    Coordinates are those of the domain (for a slice: the slice's own).

    Attributes
    ----------
    complex : RegionComplex
        The complex it belongs to.
    index : int
        Its number there.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1.0, 1.0]], [0.0]), ([[1.0]], [0.0])])
    >>> region = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))[1]
    >>> str(region.pattern), region.n_facets
    ('1', 3)
    >>> region.labels
    ('x[0] <= 1.0', 'x[1] <= 1.0', 'neuron 0')
    """

    complex: RegionComplex
    index: int

    @property
    def pattern(self) -> ActivationPattern:
        """The activation pattern."""
        return ActivationPattern.from_packed(
            self.complex.packed_patterns[self.index], self.complex.n_bits
        )

    @property
    def interior_point(self) -> NDArray[np.float64]:
        """A point inside, shape (dim,), rounded to float64; see `exact_point`."""
        point: NDArray[np.float64] = self.complex.interior_points[self.index]
        return point

    @property
    def exact_point(self) -> tuple[Fraction, ...]:
        """The rational point at which the region's signs are proved."""
        return self.complex.exact_point(self.index)

    def rows(self) -> list[tuple[tuple[Fraction, ...], str]]:
        """Return the constraint rows (a, c), a.x + c >= 0, exactly, each with its label.

        First the domain's rows, then the neurons' pre-activations (negated where the bit is 0);
        rows that were proved to be redundant on the way are left out. Not every row that is
        left carries a facet.
        """
        return self.complex.rows_of(self.index)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each row of A and b comes from."""
        return tuple(label for _, label in self.rows())

    @property
    def A(self) -> NDArray[np.float64]:
        """Outward normals of the constraints A x <= b, shape (m, dim), rounded to float64."""
        rows = [[-v for v in row[:-1]] for row, _ in self.rows()]
        return float_array(exact_array(rows, 2))

    @property
    def b(self) -> NDArray[np.float64]:
        """Right-hand sides of A x <= b, shape (m,), rounded to float64."""
        return float_array(exact_array([row[-1] for row, _ in self.rows()], 1))

    def affine_map(self, exact: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return (weight, bias) of the network on this region.

        Parameters
        ----------
        exact : bool
            Fractions in place of float64.

        Returns
        -------
        weight : ndarray, shape (output_dim, dim)
        bias : ndarray, shape (output_dim,)
        """
        network = self.complex.prepared.network
        if exact:
            return network.affine_map(self.pattern, exact=True)
        return network.affine_map(self.pattern)

    @property
    def n_facets(self) -> int:
        """Number of facets, those on the domain's boundary included."""
        return int(self.complex.graph.n_facets[self.index])

    @property
    def is_bounded(self) -> bool:
        """Whether the region ends in every direction, exactly: one linear program."""
        regions, part = self.complex, slice(self.index, self.index + 1)
        if regions.domain.is_bounded:
            return True
        packed, kept = regions.packed_patterns[part], regions.packed_rows[part]
        (normals,) = normals_of(regions.prepared, packed, kept)
        return recession_of(normals, regions.domain.dim).is_bounded

    def vertices(self) -> list[tuple[Fraction, ...]]:
        """Return the vertices of the closed region, exactly, in lexicographic order.

        Returns
        -------
        list of tuple of Fraction
            In the domain's coordinates. Empty for a region that contains a line.

        Raises
        ------
        InvalidInputError
            There are too many of them for exact arithmetic: many rows in many dimensions.

        Algorithm
        ---------
        The double description method on the region's rows; those of all regions at once, and
        shared between them, are in ``complex.vertices``.
        """
        return vertices_of([row for row, _ in self.rows()], self.complex.domain.dim)

    def rays(self) -> list[tuple[int, ...]]:
        """Return directions in which the region never ends, exactly: its extreme rays.

        The closed region is the convex hull of its `vertices` plus all sums of non-negative
        multiples of these directions, unless it contains a line.

        Returns
        -------
        list of tuple of int
            Coprime entries, in lexicographic order; none for a bounded region. A region that
            contains lines has a basis of their directions and the opposites of these first, and
            then the rays orthogonal to all lines.

        Raises
        ------
        InvalidInputError
            As for `vertices`.

        Algorithm
        ---------
        The double description method on the normals of the region's rows.

        Examples
        --------
        >>> import plregions as plr
        >>> net = plr.Network([([[1, 0], [0, 1]], [0, -2]), ([[1, 1]], [0])])
        >>> region = plr.enumerate_regions(net, plr.WholeSpace(2)).find("11")
        >>> region.is_bounded, region.vertices(), region.rays()
        (False, [(Fraction(0, 1), Fraction(2, 1))], [(0, 1), (1, 0)])
        """
        return rays_of([row for row, _ in self.rows()], self.complex.domain.dim)

    def volume(self) -> Fraction:
        """Return the volume of the region (in one dimension its length, ...), exactly.

        Returns
        -------
        Fraction

        Raises
        ------
        InvalidInputError
            The region is not bounded, or has too many vertices for exact arithmetic.

        Algorithm
        ---------
        The vertices and a triangulation; `measure` does all regions at once.
        """
        return volume_of([row for row, _ in self.rows()], self.complex.domain.dim)

    @property
    def neighbours(self) -> tuple[Region, ...]:
        """The regions that share a facet with this one, as far as they are in the complex."""
        graph = self.complex.graph
        part = graph.neighbours[graph.offsets[self.index] : graph.offsets[self.index + 1]]
        return tuple(Region(self.complex, int(i)) for i in np.sort(part[part >= 0]))

    def __repr__(self) -> str:
        text = str(self.pattern)
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        return f"Region({self.index}, pattern={shown!r})"

    def _repr_html_(self) -> str:
        return region_html(self)
