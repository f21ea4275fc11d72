"""How far is a network from a function of the norm, at most and at least?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from plregions.analysis.radial_functions import RadialFunction
from plregions.analysis.radial_minorants import (
    CellValues,
    Minorant,
    propose,
    repaired,
    rise,
    tangent,
)
from plregions.analysis.simplex_integrals import as_fraction, rounded
from plregions.domain import Box, Polytope, Slice
from plregions.enumeration import enumerate_regions
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.network import Network
from plregions.network.network import check_networks
from plregions.regions import RegionComplex

__all__ = ["RadialError", "radial_error"]

# Cells that one cone program is about.
BATCH = 64

Point = tuple[Fraction, ...]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RadialError:
    """Proven bounds of the largest abs(N(x) - rho(||x||)) over a domain.

    Attributes
    ----------
    lower, upper : float
        Rounded outwards: the largest error lies between them.
    at : tuple of Fraction
        A point where the error is at least `lower`, in the domain's coordinates.
    is_above : bool
        Whether the network is above rho there.
    below, above : float
        Upper bounds of the largest rho - N and of the largest N - rho, rounded up.
    n_programs : int
        Cells that the solver was asked about.
    rho : RadialFunction
    regions : RegionComplex
        The regions of the network; ``len(error.regions)`` counts the cells.
    minorants : tuple of Minorant
        The evidence for `above`: for each region an affine function below rho(||x||).

    Examples
    --------
    >>> from plregions.analysis.radial_functions import euclidean_norm
    >>> from plregions.constructions import l1_norm
    >>> from plregions.domain import hypercube
    >>> error = radial_error(l1_norm(2), euclidean_norm(), hypercube(2, -1, 1))
    >>> error, [str(v) for v in error.at], error.is_above, error.verify()
    (RadialError(0.585786437627 in 4 regions, gap 1.1e-16), ['-1', '-1'], True, True)
    """

    lower: float
    upper: float
    at: Point
    is_above: bool
    below: float
    above: float
    n_programs: int
    rho: RadialFunction
    regions: RegionComplex
    minorants: tuple[Minorant, ...]

    @property
    def gap(self) -> float:
        """How far the bounds are apart."""
        return self.upper - self.lower

    def verify(self) -> bool:
        """Tell whether regions, vertices and minorants prove `upper`, and the point `lower`.

        Returns
        -------
        bool

        Algorithm
        ---------
        Each minorant proves itself to be below rho(||x||); its distance to the network is largest
        at a vertex. rho(||x||) - N is convex on a region, so largest at a vertex as well. No
        solver takes part. The regions and vertices are those of `regions`.

        Exactness
        ---------
        Exact.
        """
        cells = _Cells(self.regions, self.rho)
        sound = self.regions.is_complete and len(self.minorants) == len(self.regions)
        if not sound or not all(minorant.is_below(self.rho) for minorant in self.minorants):
            return False
        rises = [
            rise(cells.cell(i), minorant, self.rho) for i, minorant in enumerate(self.minorants)
        ]
        highest = max(*map(as_fraction, rises), cells.highest_below())
        domain, net = self.regions.domain, self.regions.network
        inner = domain.domain if isinstance(domain, Slice) else domain
        reached, _ = cells.error_at(self.at, net.exact(domain.embed_exact(self.at))[0])
        is_reached = self.lower <= 0 or reached >= self.lower
        return inner.contains(self.at) and highest <= self.upper and is_reached

    def __repr__(self) -> str:
        middle = (self.lower + self.upper) / 2
        return f"RadialError({middle:.12g} in {len(self.regions)} regions, gap {self.gap:.1e})"


def radial_error(
    net: Network,
    rho: RadialFunction,
    domain: Box | Polytope | Slice,
    *,
    tolerance: float = 1e-9,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> RadialError:
    """Bound the largest error of a network as an approximation of rho(||x||), from both sides.

    Parameters
    ----------
    net : Network
        With one output.
    rho : RadialFunction
        Convex and growing: `euclidean_norm()`, `shifted_norm(c)`, or any maximum of lines in the
        norm.
    domain : Box, Polytope or Slice
        Bounded. On a slice the norm is that of the network's input.
    tolerance : float
        A region that can raise the bounds by no more than this is not looked at more closely.
    workers, max_regions, time_limit
        Of the enumeration, as for `enumerate_regions`.

    Returns
    -------
    RadialError

    Raises
    ------
    InvalidInputError
        Several outputs, another kind of function, an unbounded domain, a negative tolerance.
    BudgetExhaustedError
        A budget of the enumeration ran out.

    Algorithm
    ---------
    On a region N is affine and rho(||x||) is convex. So rho - N is largest at a vertex. N - rho is
    bounded by N minus an affine minorant of rho, which is largest at a vertex too: first the best
    of some tangents of rho; then, for the regions where that bound is above what is reached by a
    point, in the order of the bounds, the minorant that a second-order cone program finds. Its
    multipliers give the point where N - rho is largest, and so `lower`.

    Exactness
    ---------
    Both bounds are proved. Vertices are rational; the solver's slopes and weights are made to
    fulfil the conditions for a minorant exactly; square roots are enclosed. How close the bounds
    are depends on the solver, that they are bounds does not.

    References
    ----------
    Section "Conic duality" in A. Ben-Tal, A. Nemirovski, "Lectures on modern convex optimization",
    SIAM 2001.

    Examples
    --------
    Eight directions in the plane; the largest error on the square is sqrt(2) tan(pi / 32)^2:

    >>> from plregions.analysis.radial_functions import euclidean_norm
    >>> from plregions.constructions import norm_ridges
    >>> from plregions.domain import Box
    >>> error = radial_error(norm_ridges(2, 8), euclidean_norm(), Box([-1, -1], [1, 1]))
    >>> abs(error.lower - 2**0.5 * math.tan(math.pi / 32) ** 2) < 1e-9, error.gap < 1e-9
    (True, True)
    """
    _check(net, rho, domain, tolerance)
    regions = enumerate_regions(
        net, domain, workers=workers, max_regions=max_regions, time_limit=time_limit
    )
    if not regions.is_complete:
        raise BudgetExhaustedError(
            f"radial_error needs all regions; got {regions.outcome}. Give a larger budget, or a "
            "smaller domain.",
            partial=regions,
        )
    search = _Search(_Cells(regions, rho), Fraction(tolerance))
    search.run()
    below, above = search.cells.highest_below(), max(search.bounds)
    lower, at, is_above = search.best
    return RadialError(
        lower=_rounded_down(max(lower, Fraction(0))),
        upper=_rounded_up(max(below, above)),
        at=at,
        is_above=is_above,
        below=_rounded_up(below),
        above=_rounded_up(above),
        n_programs=search.n_programs,
        rho=rho,
        regions=regions,
        minorants=tuple(search.minorants),
    )


def _check(net: Network, rho: RadialFunction, domain: object, tolerance: float) -> None:
    if not isinstance(rho, RadialFunction):
        raise InvalidInputError(
            "radial_error needs a RadialFunction such as euclidean_norm() or shifted_norm(1); got "
            f"{rho!r:.60}."
        )
    check_networks("radial_error", net)
    if net.output_dim != 1:
        raise InvalidInputError(f"radial_error needs one output; got {net.output_dim}.")
    if not isinstance(domain, Box | Polytope | Slice) or not domain.is_bounded:
        raise InvalidInputError(
            f"radial_error needs a bounded domain; got {domain!r:.80}. Use Box(lower, upper)."
        )
    is_real = isinstance(tolerance, int | float | Fraction | np.number)
    if not is_real or not 0 <= tolerance < math.inf:
        raise InvalidInputError(
            f"radial_error needs a tolerance of at least 0; got {tolerance!r:.60}."
        )


class _Cells:
    """The regions with exact vertices and heights; bounds of the error at points."""

    def __init__(self, regions: RegionComplex, rho: RadialFunction) -> None:
        self.rho = rho
        self.regions = regions
        self.points = regions.vertices.points
        inputs = [regions.domain.embed_exact(point) for point in self.points]
        self.heights = [regions.network.exact(x)[0] for x in inputs]
        self._vertices = [tuple([_flint(v) for v in x]) for x in inputs]
        self._flint_heights = [_flint(v) for v in self.heights]
        rows = zip(inputs, self.heights, strict=True)
        self._floats = np.array(
            [[rounded(v.numerator, v.denominator) for v in (*x, height)] for x, height in rows]
        )

    def cell(self, index: int) -> CellValues:
        """Return the vertices of a region."""
        ids = self.regions.vertices.of(index)
        return CellValues(
            tuple([self._vertices[i] for i in ids]),
            tuple([self._flint_heights[i] for i in ids]),
            self._floats[ids],
        )

    def error_at(self, point: Point, height: Fraction) -> tuple[Fraction, bool]:
        """Return a lower bound of abs(N - rho) at a point and whether N is above there."""
        low, high = self._bounds(point)
        return max((height - high, True), (low - height, False))

    def highest_below(self) -> Fraction:
        """Return an upper bound of rho - N over all vertices, and so over the domain."""
        pairs = zip(self.points, self.heights, strict=True)
        return max(self._bounds(point)[1] - height for point, height in pairs)

    def mixture(self, index: int, shares: FloatArray) -> tuple[Point, Fraction]:
        """Return a convex combination of a region's vertices, and the network there."""
        ids = self.regions.vertices.of(index)
        parts = [_flint(Fraction(float(v))) for v in shares]
        size = sum(parts, fmpq(0))
        rows = [[*map(_flint, self.points[i]), self._flint_heights[i]] for i in ids]
        *point, height = [
            as_fraction(sum(map(fmpq.__mul__, parts, column), fmpq(0)) / size)
            for column in zip(*rows, strict=True)
        ]
        return tuple(point), height

    def _bounds(self, point: Point) -> tuple[Fraction, Fraction]:
        x = self.regions.domain.embed_exact(point)
        return self.rho.bounds(sum([v * v for v in x], Fraction(0)))


class _Search:
    """The bounds so far: one minorant for each region, one best point."""

    def __init__(self, cells: _Cells, tolerance: Fraction) -> None:
        self.cells = cells
        self.minorants: list[Minorant] = []
        self.bounds: list[Fraction] = []
        self.n_programs = 0
        self._tolerance = tolerance
        self.best: tuple[Fraction, Point, bool] = (Fraction(-1), (), True)
        for point, height in zip(cells.points, cells.heights, strict=True):
            self._try_point(point, height)
        for index in range(len(cells.regions)):
            cell = cells.cell(index)
            corners = cell.floats[:, :-1]
            inside = np.concatenate([corners, (corners + corners.mean(axis=0)) / 2])
            points = np.concatenate([inside, corners.mean(axis=0)[None]])
            minorant = tangent(cell, points, cells.rho)
            self.minorants.append(minorant)
            self.bounds.append(as_fraction(rise(cell, minorant, cells.rho)))

    def run(self) -> None:
        """Ask the solver about the regions that may hold a larger error, the likeliest first."""
        order = sorted(range(len(self.bounds)), key=lambda i: self.bounds[i], reverse=True)
        for start in range(0, len(order), BATCH):
            chosen = [
                i
                for i in order[start : start + BATCH]
                if self.bounds[i] > self.best[0] + self._tolerance
            ]
            if not chosen:
                return
            self._ask(chosen)

    def _ask(self, chosen: Sequence[int]) -> None:
        rho = self.cells.rho
        cells = [self.cells.cell(i) for i in chosen]
        self.n_programs += len(chosen)
        for index, cell, found in zip(chosen, cells, propose(cells, rho), strict=False):
            self._improve(index, cell, repaired(found.slope, found.weights, rho))
            shares = np.where(found.shares > 0, found.shares, 0.0)
            if np.isfinite(shares).all() and shares.any():
                # Where N is affine, its value is the same combination of heights.
                self._try_point(*self.cells.mixture(index, shares))
                near = (shares / shares.sum()) @ cell.floats[:, :-1]
                self._improve(index, cell, tangent(cell, near[None], rho))

    def _improve(self, index: int, cell: CellValues, minorant: Minorant) -> None:
        bound = as_fraction(rise(cell, minorant, self.cells.rho))
        if bound < self.bounds[index]:
            self.bounds[index], self.minorants[index] = bound, minorant

    def _try_point(self, point: Point, height: Fraction) -> None:
        error, is_above = self.cells.error_at(point, height)
        if error > self.best[0]:
            self.best = error, point, is_above


def _flint(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


def _rounded_down(number: Fraction) -> float:
    """Return the largest float64 not above a number that is not negative."""
    near = rounded(number.numerator, number.denominator)
    return near if near <= number else math.nextafter(near, -math.inf)


def _rounded_up(number: Fraction) -> float:
    near = rounded(number.numerator, number.denominator)
    return near if near >= number else math.nextafter(near, math.inf)
