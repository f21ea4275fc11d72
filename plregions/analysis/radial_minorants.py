"""Affine functions below a function of the norm: how far can a network rise above it on a cell?

rho(||x||) = max_k (a_k ||x|| + b_k) is at least <q, x> + sum_k l_k b_k for all weights l_k >= 0
of sum 1 and every q with ||q|| <= sum_k l_k a_k. On a cell the network N is affine, so N minus such
a minorant is largest at a vertex: that bounds N(x) - rho(||x||) on the cell from above. The best
minorant solves a second-order cone program; its multipliers at the vertices are weights of the
point where N - rho is largest. Floats propose both; here they are made exact.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from plregions.analysis.radial_functions import RadialFunction, root_bounds
from plregions.analysis.simplex_integrals import as_fraction

__all__ = ["CellValues", "Minorant", "Proposal", "propose", "repaired", "rise", "tangent"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CellValues:
    """A network at the vertices of one of its regions.

    Attributes
    ----------
    vertices : tuple of tuples of fmpq
        Points of the input space.
    heights : tuple of fmpq
        The network's values there.
    floats : ndarray of float64, shape (n, d + 1)
        Both rounded, the height last.
    """

    vertices: tuple[tuple[fmpq, ...], ...]
    heights: tuple[fmpq, ...]
    floats: FloatArray


@dataclass(frozen=True)
class Minorant:
    """An affine function <slope, x> + sum_k weights_k b_k that should lie below rho(||x||).

    Attributes
    ----------
    slope : tuple of fmpq
    weights : tuple of fmpq
    """

    slope: tuple[fmpq, ...]
    weights: tuple[fmpq, ...]

    def is_below(self, rho: RadialFunction) -> bool:
        """Tell whether it proves itself: weights of sum 1, none negative, a short enough slope."""
        steepest = self._mean(rho.slopes)
        square = sum([v * v for v in self.slope], fmpq(0))
        return min(self.weights) >= 0 and sum(self.weights) == 1 and square <= steepest * steepest

    def constant(self, rho: RadialFunction) -> fmpq:
        """Return the value at 0."""
        return self._mean(rho.constants)

    def _mean(self, numbers: Sequence[Fraction]) -> fmpq:
        pairs = zip(self.weights, numbers, strict=True)
        return sum([w * fmpq(v.numerator, v.denominator) for w, v in pairs], fmpq(0))


def rise(cell: CellValues, minorant: Minorant, rho: RadialFunction) -> fmpq:
    """Return the largest value of N minus a minorant on a cell, exactly: at some vertex."""
    highest = max(
        height - sum(map(fmpq.__mul__, minorant.slope, vertex), fmpq(0))
        for vertex, height in zip(cell.vertices, cell.heights, strict=True)
    )
    return highest - minorant.constant(rho)


def repaired(slope: FloatArray, weights: FloatArray, rho: RadialFunction) -> Minorant:
    """Return the exact minorant next to a proposed one.

    Parameters
    ----------
    slope : ndarray of float64, shape (d,)
    weights : ndarray of float64, shape (n,)
        Of sum 1 and not negative, up to errors of a solver. Numbers that are not finite count as 0.

    Returns
    -------
    Minorant
        It is below rho: `Minorant.is_below`.

    Algorithm
    ---------
    Negative weights become 0, the others are divided by their sum; a slope that is too long is
    shortened by a rational factor a little below the quotient of the lengths.

    Exactness
    ---------
    Exact, whatever was proposed.
    """
    parts = [_exact(v) if v > 0 else fmpq(0) for v in weights]
    if not any(parts):
        parts = [fmpq(1) for _ in parts]
    size = sum(parts, fmpq(0))
    shares = tuple([v / size for v in parts])
    short = Minorant((), shares)
    steepest = short._mean(rho.slopes)
    numbers = [_exact(v) for v in slope]
    square = sum([v * v for v in numbers], fmpq(0))
    if square > steepest * steepest:
        length = root_bounds(as_fraction(square))[1]
        factor = steepest / fmpq(length.numerator, length.denominator)
        numbers = [v * factor for v in numbers]
    return Minorant(tuple(numbers), shares)


def tangent(cell: CellValues, points: FloatArray, rho: RadialFunction) -> Minorant:
    """Return the best of the tangents of rho(||x||) at some points, judged in floats.

    Parameters
    ----------
    cell : CellValues
    points : ndarray of float64, shape (n, d)

    Returns
    -------
    Minorant
        It touches rho(||x||) at one of the points, up to rounding.
    """
    with np.errstate(all="ignore"):  # numbers beyond float64 make a bad choice, no wrong one
        radii = np.linalg.norm(points, axis=1)
        pieces = radii[:, None] * rho.float_slopes + rho.float_constants
        active = pieces.argmax(axis=1)
        slopes = rho.float_slopes[active, None] * points / np.where(radii > 0, radii, 1.0)[:, None]
        rises = (cell.floats[:, -1] - slopes @ cell.floats[:, :-1].T).max(axis=1)
        best = int(np.argmin(rises - rho.float_constants[active]))
    return repaired(slopes[best], np.eye(len(rho.slopes))[active[best]], rho)


@dataclass(frozen=True)
class Proposal:
    """What a solver says about one cell: nothing of it is trusted.

    Attributes
    ----------
    slope, weights : ndarray of float64
        Of a minorant.
    shares : ndarray of float64
        Multipliers of the vertices: not negative and of sum 1, up to errors.
    """

    slope: FloatArray
    weights: FloatArray
    shares: FloatArray


def propose(cells: Sequence[CellValues], rho: RadialFunction) -> list[Proposal]:
    """Look for the best minorant on each of some cells, and for the point where N - rho is largest.

    Parameters
    ----------
    cells : sequence of CellValues
    rho : RadialFunction

    Returns
    -------
    list of Proposal
        One for each cell, or none at all where the solver found nothing.

    Algorithm
    ---------
    One cone program for all cells together: minimise sum_i t_i such that t_i >= N(v) - <q_i, v> -
    sum_k l_ik b_k at all vertices v of cell i, ||q_i|| <= sum_k l_ik a_k, and l_i in the simplex;
    with cvxpy and Clarabel. Lengths and heights are scaled to about 1.

    Exactness
    ---------
    None: see `repaired`.
    """
    import cvxpy
    from scipy.sparse import csr_array

    cp: Any = cvxpy  # its functions carry no types
    counts = [len(cell.floats) for cell in cells]
    owners = np.repeat(np.arange(len(cells)), counts)
    table = np.concatenate([cell.floats for cell in cells])
    if not np.isfinite(table).all():
        return []
    length = float(np.abs(table[:, :-1]).max()) or 1.0
    rises, starts = rho.float_slopes, rho.float_constants
    height = float(max(rises.max() * length, np.abs(table[:, -1]).max(), np.abs(starts).max()))
    height = height or 1.0
    n, d = len(table), table.shape[1] - 1
    rows = np.arange(n)
    picked = csr_array((np.ones(n), (rows, owners)), shape=(n, len(cells)))
    places = owners[:, None] + len(cells) * np.arange(d)
    lifted = csr_array(
        ((table[:, :-1] / length).ravel(), (np.repeat(rows, d), places.ravel())),
        shape=(n, d * len(cells)),
    )
    top, slope = cp.Variable(len(cells)), cp.Variable((len(cells), d))
    weights = cp.Variable((len(cells), len(rises)), nonneg=True)
    is_above = picked @ (top + weights @ (starts / height)) + lifted @ cp.vec(slope, order="F") >= (
        table[:, -1] / height
    )
    limits = [
        is_above,
        cp.norm(slope, axis=1) <= weights @ (rises * (length / height)),
        cp.sum(weights, axis=1) == 1,
    ]
    problem = cp.Problem(cp.Minimize(cp.sum(top)), limits)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of inaccurate solutions; they are repaired
            problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    except cp.error.SolverError:
        return []
    if slope.value is None or weights.value is None or is_above.dual_value is None:
        return []
    ends = np.cumsum(counts)[:-1]
    shares = np.split(np.asarray(is_above.dual_value, dtype=np.float64), ends)
    steep = slope.value * (height / length)
    return [Proposal(*parts) for parts in zip(steep, weights.value, shares, strict=True)]


def _exact(value: Any) -> fmpq:
    number = float(value)
    if not np.isfinite(number):
        return fmpq(0)
    top, bottom = number.as_integer_ratio()
    return fmpq(top, bottom)
