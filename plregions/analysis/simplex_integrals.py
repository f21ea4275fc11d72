"""What is the integral of a power of an affine function over a region, exactly?

Numbers are FLINT's rationals here, which are several times as fast as Fractions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz_mat

from plregions.exact.arrays import integers_of
from plregions.network import Network
from plregions.regions import RegionComplex
from plregions.regions.simplices import pull

__all__ = ["CellIntegrals", "as_float", "as_fraction", "cell_integrals", "mean_power", "total"]


def mean_power(values: Sequence[fmpq], power: int) -> fmpq:
    """Return the mean of a power of an affine function over a simplex.

    Parameters
    ----------
    values : sequence of fmpq, length d + 1
        The function at the simplex's vertices.
    power : int
        p, at least 0.

    Returns
    -------
    fmpq

    Algorithm
    ---------
    p! d! / (d + p)! times the complete homogeneous symmetric polynomial of degree p in the
    values: the sum of all products of p of them, with repetition. It is built value by value.

    Exactness
    ---------
    Exact.

    References
    ----------
    V. Baldoni, N. Berline, J. A. De Loera, M. Koeppe, M. Vergne, "How to integrate a polynomial
    over a simplex", Math. Comp. 80 (2011), for powers of linear forms.

    Examples
    --------
    The mean of x^2 over [0, 1], and of (x + y)^3 over the triangle (0, 0), (1, 0), (0, 1):

    >>> mean_power([fmpq(0), fmpq(1)], 2), mean_power([fmpq(0), fmpq(1), fmpq(1)], 3)
    (1/3, 2/5)
    """
    # sums[k] is the polynomial of degree k in the values so far.
    sums = [fmpq(1)] + [fmpq(0)] * power
    for value in values:
        if value:
            for k in range(1, power + 1):
                sums[k] += value * sums[k - 1]
    return sums[power] / math.comb(len(values) - 1 + power, power)


@dataclass(frozen=True)
class CellIntegrals:
    """The outputs of a network on one bounded region, ready to be integrated.

    Attributes
    ----------
    vertices : tuple of int
        The region's vertices, as the complex numbers them.
    values : tuple of tuples of fmpq
        For each output its values at the vertices.
    simplices : tuple of tuples of int
        A triangulation: positions of vertices.
    volumes : tuple of fmpq
        Of the simplices.
    """

    vertices: tuple[int, ...]
    values: tuple[tuple[fmpq, ...], ...]
    simplices: tuple[tuple[int, ...], ...]
    volumes: tuple[fmpq, ...]

    @property
    def volume(self) -> fmpq:
        """The volume of the region."""
        return sum(self.volumes, fmpq(0))

    @property
    def is_zero(self) -> bool:
        """Whether all outputs are 0 on the region."""
        return not any(any(values) for values in self.values)

    def of_power(self, output: int, power: int) -> fmpq:
        """Return the integral of a power of one output over the region."""
        values = self.values[output]
        if power and not any(values):
            return fmpq(0)
        parts = zip(self.simplices, self.volumes, strict=True)
        means = [v * mean_power([values[i] for i in simplex], power) for simplex, v in parts]
        return sum(means, fmpq(0))


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
    vertices, d = chunk.vertices, chunk.domain.dim
    numbers = tuple(vertices.of(index).tolist())
    corners = [vertices.homogeneous[i] for i in numbers]
    weight, bias = network.affine_map(chunk.patterns[index], exact=True)
    values = []
    for normal, constant in zip(weight, bias, strict=True):
        numerators, common = integers_of(normal)
        row = [fmpq(v, common) for v in numerators]
        shift = fmpq(constant.numerator, constant.denominator)
        heights = [
            sum(map(fmpq.__mul__, row, corner[:-1]), fmpq(0)) / corner[-1] for corner in corners
        ]
        values.append(tuple([shift + v for v in heights]))
    simplices = tuple(pull(vertices.tight_of(index), d))
    volumes = tuple([_volume([corners[i] for i in simplex], d) for simplex in simplices])
    return CellIntegrals(numbers, tuple(values), simplices, volumes)


def _volume(corners: Sequence[Sequence[int]], d: int) -> fmpq:
    """Return the volume of a simplex whose corners are homogeneous, denominators last."""
    size = abs(fmpz_mat([list(corner) for corner in corners]).det())
    return fmpq(size, math.factorial(d) * math.prod([corner[-1] for corner in corners]))


def as_fraction(number: fmpq) -> Fraction:
    """Return the same number as Python's own type."""
    return Fraction(int(number.p), int(number.q))


def as_float(number: fmpq) -> float:
    """Return the number rounded to float64; infinite beyond its range."""
    top, bottom = int(number.p), int(number.q)
    try:
        return top / bottom
    except OverflowError:
        return math.inf if top > 0 else -math.inf


def total(parts: Sequence[Any], exact: bool) -> Fraction | float:
    """Return the sum: exactly, or of floats with one rounding.

    Sums of halves first: numerators grow with every term, and are long only at the end.
    """
    if not exact:
        return math.fsum(parts)
    layer = list(parts)
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        layer = [a + b for a, b in pairs] + layer[len(layer) - len(layer) % 2 :]
    return as_fraction(layer[0]) if layer else Fraction(0)
