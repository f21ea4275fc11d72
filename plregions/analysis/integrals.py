"""Integral, mean and variance of a network on a bounded domain, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from plregions.analysis.bounded_cells import bounded_cells
from plregions.analysis.cell_stream import Limits
from plregions.analysis.simplex_integrals import total
from plregions.domain import Box, Polytope, Slice
from plregions.errors import InvalidInputError
from plregions.exact.words import short_text
from plregions.network import Network
from plregions.network.network import check_networks

__all__ = ["Moments", "moments"]

Numbers: TypeAlias = tuple[Fraction | float, ...]


@dataclass(frozen=True)
class Moments:
    """Integrals of the powers of a network's outputs over a bounded domain.

    Attributes
    ----------
    volume : Fraction, or float with ``exact=False``
        Of the domain, in its own coordinates.
    integrals : tuple of tuples of Fraction or float
        ``integrals[p - 1][i]`` is the integral of the p-th power of output i.
    n_cells : int

    Examples
    --------
    >>> tent = Network([([[1], [1]], [0, "-1/2"]), ([[2, -4]], [0])])
    >>> found = moments(tent, Box([0], [1]))
    >>> str(found.integral[0]), str(found.integrals[1][0]), str(found.variance[0])
    ('1/2', '1/3', '1/12')
    """

    volume: Fraction | float
    integrals: tuple[Numbers, ...]
    n_cells: int

    @property
    def integral(self) -> Numbers:
        """The integral of each output."""
        return self.integrals[0]

    @property
    def mean(self) -> Numbers:
        """The mean of each output under the uniform distribution."""
        return tuple(v / self.volume for v in self.integrals[0])

    @property
    def variance(self) -> Numbers:
        """The variance of each output under the uniform distribution."""
        squares = (v / self.volume for v in self.integrals[1])
        return tuple(v - a * a for v, a in zip(squares, self.mean, strict=True))

    def __repr__(self) -> str:
        mean = ", ".join(map(short_text, self.mean))
        return f"Moments(mean=({mean}), {self.n_cells} cells)"


def moments(
    net: Network,
    domain: Box | Polytope | Slice,
    *,
    power: int = 2,
    exact: bool = True,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Moments:
    """Integrate the first powers of a network's outputs over a bounded domain.

    Parameters
    ----------
    net : Network
    domain : Box, Polytope or Slice
        Bounded.
    power : int
        The highest power, at least 2.
    exact : bool
        Integrate in rational arithmetic; otherwise the exact values at the vertices and the exact
        volumes of the simplices are rounded first.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    Moments

    Raises
    ------
    InvalidInputError
        An unbounded domain or a power below 2.
    BudgetExhaustedError
        A budget ran out.

    Algorithm
    ---------
    Each region is triangulated from one of its exact vertices; over a simplex the mean of the
    p-th power of an affine function is p! d! / (d + p)! times the complete homogeneous symmetric
    polynomial of its values at the vertices.

    Exactness
    ---------
    Exact. With ``exact=False`` the error is at most (d + 4 p) 2^-52 times the integral of the
    largest magnitudes of the power on each cell.

    Examples
    --------
    >>> import plregions as plr
    >>> tent = plr.constructions.tent_power(3)
    >>> found = plr.moments(tent, plr.Box([0], [1]))
    >>> found.mean, found.variance
    ((Fraction(1, 2),), (Fraction(1, 12),))
    """
    check_networks("moments", net)
    if isinstance(power, bool) or not isinstance(power, int | np.integer) or not 2 <= power <= 1000:
        raise InvalidInputError(f"moments needs a power from 2 to 1000; got {power!r:.60}.")
    m = net.output_dim
    kept: list[list[Any]] = []
    for cell in bounded_cells("moments", net, domain, Limits(workers, max_regions, time_limit)):
        parts = cell.integrals
        powers = [(i, p) for p in range(1, power + 1) for i in range(m)]
        if exact:
            kept.append([parts.volume(), *[parts.of_power(i, p) for i, p in powers]])
        else:
            kept.append([parts.rounded_volume(), *[parts.rounded_power(i, p) for i, p in powers]])
    volume, *sums = [total(column, exact) for column in zip(*kept, strict=True)]
    integrals = tuple(tuple(sums[p * m : (p + 1) * m]) for p in range(power))
    return Moments(volume, integrals, len(kept))
