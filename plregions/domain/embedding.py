"""Slices: domains of fewer coordinates, placed among the inputs by an affine map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.domain.base import (
    Domain,
    Row,
    array_of,
    exact_point_of,
    set_parts,
    text_of,
    value_of,
)
from plregions.domain.box import Box, hypercube
from plregions.domain.polytope import Polytope
from plregions.domain.whole_space import WholeSpace
from plregions.errors import InvalidDomainError
from plregions.exact.arrays import float_array, fractions_of
from plregions.exact.linear import nullspace
from plregions.exact.words import number_text

__all__ = ["Slice", "slice_through"]


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Slice(Domain):
    """The inputs x = origin + s @ directions for s in a domain of fewer coordinates.

    The points, rows and boxes of a slice are in its own coordinates s; `embed` gives the inputs.

    Parameters
    ----------
    origin : array_like, shape (D,)
        The input at s = 0.
    directions : array_like, shape (k, D)
        Independent vectors, k >= 1.
    domain : Box, Polytope or WholeSpace
        Of dimension k.

    Attributes
    ----------
    origin : ndarray, shape (D,), read-only
    directions : ndarray, shape (k, D), read-only
    domain : Box, Polytope or WholeSpace

    Raises
    ------
    InvalidDomainError
        Shapes that do not fit, or directions that depend on each other.

    Exactness
    ---------
    Exact for the numbers given. `embed` rounds, `embed_exact` does not.

    Examples
    --------
    >>> diagonal = Slice([0, 0, 0], [[1, 1, 1]], hypercube(1))
    >>> diagonal
    Slice(Box([0], [1]) in 3 coordinates)
    >>> diagonal.embed([[0.5]])
    array([[0.5, 0.5, 0.5]])
    """

    origin: NDArray[Any]
    directions: NDArray[Any]
    domain: Box | Polytope | WholeSpace

    def __init__(self, origin: Any, directions: Any, domain: Box | Polytope | WholeSpace) -> None:
        start = array_of("Slice", "origin", origin, 1)
        vectors = array_of("Slice", "directions", directions, 2)
        if not isinstance(domain, Box | Polytope | WholeSpace):
            raise InvalidDomainError(
                "Slice needs a Box, a Polytope or a WholeSpace as its domain; got "
                f"{type(domain).__name__}."
            )
        k, width = vectors.shape
        if width != len(start) or k != domain.dim:
            raise InvalidDomainError(
                "Slice needs origin (D,), directions (k, D) and a domain of dimension k; "
                f"got shapes {start.shape} and {vectors.shape} and dimension {domain.dim}."
            )
        # The vectors y with y @ vectors = 0.
        relations = nullspace(list(zip(*fractions_of(vectors), strict=True)), k)
        if relations:
            terms = [f"{number_text(v)} * directions[{i}]" for i, v in enumerate(relations[0]) if v]
            got = f"got {' + '.join(terms)} = 0. Remove one of them."
            raise InvalidDomainError(f"Slice needs independent directions; {got}")
        set_parts(self, origin=start, directions=vectors, domain=domain)
        set_parts(self, _box=domain._box, _inside=domain._inside)
        set_parts(self, _rows=domain._rows, _slanted=domain._slanted)

    @property
    def ambient_dim(self) -> int:
        """Number of coordinates of the origin."""
        return len(self.origin)

    def row_label(self, i: int, symbol: str = "s") -> str:
        """Return row i of the inner domain in words: ``s[0] >= 0.0``."""
        return self.domain.row_label(i, symbol)

    def embed_exact(self, point: Any) -> Row:
        """Return origin + point @ directions, exactly."""
        s = exact_point_of("embed_exact", point, self.dim)
        return tuple([value_of(row, s) for row in self._inputs()])

    def embed(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return origin + points @ directions, shape (n, D), rounded."""
        s = super().embed(points)
        return np.asarray(s @ float_array(self.directions) + float_array(self.origin))

    def _inputs(self) -> list[Row]:
        return list(zip(*fractions_of(self.directions), fractions_of(self.origin), strict=True))

    def _type(self) -> str:
        return f"Slice of {self.domain._type()}"

    def _text(self) -> str:
        vectors = fractions_of(self.origin), *fractions_of(self.directions)
        return text_of("Slice", *vectors) + self.domain._text()

    def __repr__(self) -> str:
        return f"Slice({self.domain!r} in {self.ambient_dim} coordinates)"


def slice_through(points: Any, *, margin: Any = 0) -> Slice:
    """Return the slice through k + 1 points: a segment, a parallelogram, a parallelepiped.

    Its coordinates are s = 0 at ``points[0]`` and the unit vector e_i at ``points[i + 1]``; its
    domain is the box [0, 1]^k of s, or a larger one.

    Parameters
    ----------
    points : array_like, shape (k + 1, D)
        In general position: not all on one flat of fewer than k dimensions.
    margin : float, int, Fraction or str, default 0
        The box of s is [-margin, 1 + margin]^k.

    Returns
    -------
    Slice
        With origin ``points[0]`` and directions ``points[i + 1] - points[0]``.

    Raises
    ------
    InvalidDomainError
        Fewer than two points, points on a flat of fewer dimensions, margin <= -1/2.

    Exactness
    ---------
    The differences are exact, also where float64 would round them.

    Examples
    --------
    >>> square = slice_through([[0, 0, 1], [2, 0, 1], [0, 2, 1]])
    >>> square.embed_exact(["1/2", 1])
    (Fraction(1, 1), Fraction(2, 1), Fraction(1, 1))
    """
    array = array_of("slice_through", "points", points, 2)
    if len(array) < 2:
        raise InvalidDomainError(f"slice_through needs at least 2 points; got {len(array)}.")
    origin, *others = fractions_of(array)
    directions = [[v - o for v, o in zip(x, origin, strict=True)] for x in others]
    (extra,) = fractions_of(array_of("slice_through", "margin", [margin], 1))
    if 2 * extra <= -1:
        raise InvalidDomainError(f"slice_through needs margin > -1/2; got {number_text(extra)}.")
    return Slice(origin, directions, hypercube(len(others), -extra, 1 + extra))
