"""What is the integral of a power of an affine function over a region, exactly?

All numbers of one region are put over one denominator, so that its sums are sums of integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq, fmpz, fmpz_mat

from plregions.exact.arrays import integers_of
from plregions.network import Network
from plregions.regions import RegionComplex
from plregions.regions.simplices import pull

__all__ = ["CellIntegrals", "as_fraction", "cell_integrals", "rounded", "symmetric_sum", "total"]

Corner = Sequence[int]


def symmetric_sum(values: Sequence[Any], power: int) -> Any:
    """Return the complete homogeneous symmetric polynomial of some numbers.

    Over a simplex of dimension d on whose vertices an affine function has these d + 1 values, the
    mean of its p-th power is p! d! / (d + p)! times this polynomial of degree p.

    Parameters
    ----------
    values : sequence of numbers of one type
    power : int
        The degree p, at least 0.

    Returns
    -------
    number
        The sum of all products of p of the values, with repetition.

    Algorithm
    ---------
    Value by value: p multiplications each.

    Exactness
    ---------
    That of the numbers' own arithmetic.

    References
    ----------
    V. Baldoni, N. Berline, J. A. De Loera, M. Koeppe, M. Vergne, "How to integrate a polynomial
    over a simplex", Math. Comp. 80 (2011), for powers of linear forms.

    Examples
    --------
    x^2 + x y + y^2, and from it the mean of t^2 over [2, 3], 19/3:

    >>> symmetric_sum([2, 3], 2)
    19
    """
    # sums[k] is the polynomial of degree k in the values so far.
    sums: list[Any] = [1] + [0] * power
    for value in values:
        if value:
            for k in range(1, power + 1):
                sums[k] += value * sums[k - 1]
    return sums[power]


@dataclass(frozen=True)
class CellIntegrals:
    """The outputs of a network on one bounded region, ready to be integrated.

    Attributes
    ----------
    vertices : tuple of int
        The region's vertices, as the complex numbers them.
    denominators : tuple of int
        Of the vertices.
    heights : tuple of tuples of int
        For each output its values at the vertices, times `common` and the vertex's denominator.
    common : int
        The common denominator of the affine map.
    simplices : tuple of tuples of int
        A triangulation: positions of vertices.
    contents : tuple of int
        Of each simplex the volume times d! and the product of its vertices' denominators.
    """

    vertices: tuple[int, ...]
    denominators: tuple[int, ...]
    heights: tuple[tuple[int, ...], ...]
    common: int
    simplices: tuple[tuple[int, ...], ...]
    contents: tuple[int, ...]

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.simplices[0]) - 1

    @property
    def is_zero(self) -> bool:
        """Whether all outputs are 0 on the region."""
        return not any(any(heights) for heights in self.heights)

    def value(self, output: int, place: int) -> Fraction:
        """Return an output at one of the vertices."""
        return Fraction(self.heights[output][place], self.common * self.denominators[place])

    def highest(self) -> tuple[Fraction, int]:
        """Return the largest value of any output, and the vertex where it is attained."""
        places = [(i, k) for i in range(len(self.heights)) for k in range(len(self.vertices))]
        i, k = max(places, key=lambda place: self.value(*place))
        return self.value(i, k), k

    @cached_property
    def _own_products(self) -> list[int]:
        """Return for each simplex the product of its vertices' denominators."""
        return [math.prod([self.denominators[i] for i in simplex]) for simplex in self.simplices]

    @cached_property
    def _cofactors(self) -> list[fmpz]:
        """Return for each simplex the product of the denominators of all other vertices."""
        whole = fmpz(math.prod(self.denominators))
        return [whole // product for product in self._own_products]

    @cached_property
    def _floats(self) -> tuple[list[list[float]], list[float]]:
        """Return the outputs' values and the simplices' volumes, each rounded once."""
        size = math.factorial(self.dim)
        volumes = [
            rounded(content, size * product)
            for content, product in zip(self.contents, self._own_products, strict=True)
        ]
        bottoms = [self.common * v for v in self.denominators]
        values = [
            [rounded(v, b) for v, b in zip(heights, bottoms, strict=True)]
            for heights in self.heights
        ]
        return values, volumes

    def volumes(self) -> list[fmpq]:
        """Return the volumes of the simplices."""
        size = math.factorial(self.dim)
        pairs = zip(self.contents, self._own_products, strict=True)
        return [fmpq(content, size * product) for content, product in pairs]

    def volume(self) -> fmpq:
        """Return the volume of the region."""
        return self.of_power(0, 0)

    def of_power(self, output: int, power: int) -> fmpq:
        """Return the integral of a power of one output over the region."""
        heights = self.heights[output]
        if power and not any(heights):
            return fmpq(0)
        top = fmpz(0)
        for simplex, content, product, rest in zip(
            self.simplices, self.contents, self._own_products, self._cofactors, strict=True
        ):
            # Over the simplex's own denominator first, then over that of the region.
            values = [heights[i] * (product // self.denominators[i]) for i in simplex]
            top += content * symmetric_sum(values, power) * rest ** (power + 1)
        whole = self._cofactors[0] * self._own_products[0]
        bottom = math.factorial(self.dim) * math.comb(self.dim + power, power)
        return fmpq(top, bottom * whole * (self.common * whole) ** power)

    def rounded_volume(self) -> float:
        """Return the volume from the rounded volumes of the simplices."""
        return math.fsum(self._floats[1])

    def rounded_power(self, output: int, power: int) -> float:
        """Return the integral of a power from rounded values and volumes."""
        values, volumes = self._floats
        means = [
            volume * symmetric_sum([values[output][i] for i in simplex], power)
            for simplex, volume in zip(self.simplices, volumes, strict=True)
        ]
        return math.fsum(means) / math.comb(self.dim + power, power)


def cell_integrals(network: Network, chunk: RegionComplex, index: int) -> CellIntegrals:
    """Evaluate a network at the vertices of one region and triangulate it.

    Parameters
    ----------
    network : Network
        Of the chunk, in the domain's own coordinates.
    chunk : RegionComplex
        Over a bounded domain.
    index : int

    Returns
    -------
    CellIntegrals

    Algorithm
    ---------
    The region's affine map at its exact vertices; the first vertex is pulled.

    Exactness
    ---------
    Exact.
    """
    vertices = chunk.vertices
    numbers = tuple(vertices.of(index).tolist())
    corners = [vertices.homogeneous[i] for i in numbers]
    weight, bias = network.affine_map(chunk.patterns[index], exact=True)
    width = len(corners[0])
    numerators, common = integers_of(np.concatenate([weight, bias[:, None]], axis=1))
    rows = [numerators[k : k + width] for k in range(0, len(numerators), width)]
    heights = tuple(
        tuple([sum([a * v for a, v in zip(row, corner, strict=True)]) for corner in corners])
        for row in rows
    )
    simplices = tuple(pull(vertices.tight_of(index), width - 1))
    contents = tuple([_content([corners[i] for i in simplex]) for simplex in simplices])
    denominators = tuple([corner[-1] for corner in corners])
    return CellIntegrals(numbers, denominators, heights, common, simplices, contents)


def _content(corners: Sequence[Corner]) -> int:
    return abs(int(fmpz_mat([list(corner) for corner in corners]).det()))


def rounded(top: int, bottom: int) -> float:
    """Return the quotient rounded to float64; infinite beyond its range."""
    try:
        return top / bottom
    except OverflowError:
        return math.inf if (top > 0) == (bottom > 0) else -math.inf


def total(parts: Sequence[Any], exact: bool) -> Fraction | float:
    """Return the sum: of rationals exactly, or of floats with one rounding.

    Sums of halves first: numerators grow with every term, and are long only at the end.
    """
    if not exact:
        return math.fsum(parts)
    layer = list(parts)
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        layer = [a + b for a, b in pairs] + layer[len(layer) - len(layer) % 2 :]
    return as_fraction(layer[0]) if layer else Fraction(0)


def as_fraction(number: fmpq) -> Fraction:
    """Return the same number as Python's own type."""
    return Fraction(int(number.p), int(number.q))
