"""How far is a point from the decision boundary, and what is the nearest point beyond it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from plregions.analysis.boundary import Boundary
from plregions.analysis.class_parts import classes_of
from plregions.analysis.nearest_in_hull import nearest_in_hull
from plregions.domain.base import exact_point_of
from plregions.errors import InvalidInputError, PLRegionsError
from plregions.exact.lp import maximise
from plregions.exact.words import short_text

__all__ = ["NearestPoint", "Norm", "nearest_boundary"]

Point = tuple[Fraction, ...]
Row = tuple[Fraction, ...]
Norm = Literal["linf", "l1", "l2"]

NORMS = ("linf", "l1", "l2")


@dataclass(frozen=True, eq=False, repr=False)
class NearestPoint:
    """The point of a boundary nearest to a point of the domain.

    Attributes
    ----------
    boundary : Boundary
    start : tuple of Fraction
        The given point, in the domain's coordinates.
    norm : {"linf", "l1", "l2"}
    point : tuple of Fraction
        A nearest point of the boundary.
    power : Fraction
        The distance; for "l2" its square, which is rational where the distance need not be.
    piece : int
        A piece of the boundary that holds the point; -1 where `start` is of the asked class.
    label, beyond : tuple of int
        The classes that are largest at `start`, and on the far side of the piece.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions.analysis.boundary import level_set
    >>> diamond = level_set(plr.constructions.l1_norm(2), plr.Box([-1, -1], [1, 1]), "1/2")
    >>> nearest_boundary(diamond, [1, 0], norm="linf")
    NearestPoint(linf distance 1/2 from above to below)
    """

    boundary: Boundary
    start: Point
    norm: Norm
    point: Point
    power: Fraction
    piece: int
    label: tuple[int, ...]
    beyond: tuple[int, ...]

    @property
    def distance(self) -> Fraction | float:
        """The distance: a Fraction, or for "l2" rounded to float64."""
        return math.sqrt(self.power) if self.norm == "l2" else self.power

    def point_beyond(self, step: Fraction = Fraction(1, 2**20)) -> Point:
        """Return a point near the boundary at which exactly the classes `beyond` are largest.

        Parameters
        ----------
        step : Fraction
            How far to go from `point` to the centre of the part beyond, 0 < step <= 1.

        Returns
        -------
        tuple of Fraction
            Its distance from `start` is at most `distance` plus `step` times the diameter of the
            part.
        """
        if self.piece < 0:
            return self.start
        parts = self.boundary.parts
        pair = zip(
            self.boundary.neighbours[self.piece].tolist(),
            self.boundary.sides[self.piece],
            strict=True,
        )
        far = next(part for part, side in pair if side == self.beyond)
        centre = parts.centre(parts.corners[far])
        return tuple([a + step * (b - a) for a, b in zip(self.point, centre, strict=True)])

    def __repr__(self) -> str:
        scores = self.boundary.parts.scores
        word = "class " if scores.output is None else ""
        here, there = (word + scores.name(label) for label in (self.label, self.beyond))
        size = self.distance
        shown = f"{size:.6g}" if isinstance(size, float) else short_text(size)
        return f"NearestPoint({self.norm} distance {shown} from {here} to {there})"


def nearest_boundary(
    boundary: Boundary, point: Sequence[object], *, norm: Norm = "linf", target: int | None = None
) -> NearestPoint | None:
    """Find the point of a boundary that is nearest to a point of the domain, exactly.

    It is also the nearest point of another class: every way out of a class leads through a piece.

    Parameters
    ----------
    boundary : Boundary
    point : sequence of numbers, shape (dim,)
        In the domain's coordinates (for a slice: the slice's own), inside the domain.
    norm : {"linf", "l1", "l2"}
        In these coordinates.
    target : int, optional
        Ask for the nearest point of this class: where it is among the largest on a set of full
        dimension. Default: of any class other than the point's.

    Returns
    -------
    NearestPoint or None
        None where no other class, or not the asked one, is in the domain.

    Raises
    ------
    InvalidInputError
        Another norm, a point outside the domain, no such class.

    Algorithm
    ---------
    The pieces in the order of lower bounds, from boxes around them, until the bound passes the best
    distance. "linf" and "l1": a linear program each over the rows of the part that carries the
    piece, in integers. "l2": Wolfe's method on the corners, in rationals; see `nearest_in_hull`.

    Exactness
    ---------
    Exact: a rational point at the least distance.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions.analysis.boundary import level_set
    >>> diamond = level_set(plr.constructions.l1_norm(2), plr.Box([-1, -1], [1, 1]), "1/2")
    >>> found = nearest_boundary(diamond, [1, 0.5], norm="l2")
    >>> [str(v) for v in found.point], str(found.power)
    (['1/2', '0'], '1/2')
    """
    domain = boundary.complex.prepared.domain
    start = exact_point_of("nearest_boundary", point, domain.dim)
    if norm not in NORMS:
        raise InvalidInputError(
            f"nearest_boundary needs a norm among {', '.join(NORMS)}; got {norm!r}."
        )
    if not domain.contains(start):
        raise InvalidInputError(
            f"nearest_boundary needs a point of {domain!r}; got {[str(v) for v in start]}."
        )
    scores = boundary.parts.scores
    if target is not None and not (
        isinstance(target, int | np.integer) and 0 <= target < scores.n_classes
    ):
        raise InvalidInputError(
            f"nearest_boundary needs a class from 0 to {scores.n_classes - 1}; got {target!r}."
        )
    label = scores.at(start)
    if target in label:
        return NearestPoint(boundary, start, norm, start, Fraction(0), -1, label, label)
    best: tuple[Fraction, Point, int] | None = None
    for bound, piece in _by_bound(boundary, start, norm, target):
        if best is not None and bound >= best[0]:
            break
        if norm == "l2":
            found = nearest_in_hull(start, boundary.points(piece))
            power = sum([(a - b) ** 2 for a, b in zip(start, found, strict=True)], Fraction(0))
        else:
            power, found = _by_program(boundary, piece, start, norm)
        if best is None or power < best[0]:
            best = power, found, piece
    if best is None:
        return None
    power, at, piece = best
    sides = boundary.sides[piece]
    beyond = next(s for s in sides if (target in s if target is not None else s != label))
    return NearestPoint(boundary, start, norm, at, power, piece, label, beyond)


def _by_bound(
    boundary: Boundary, start: Point, norm: Norm, target: int | None
) -> list[tuple[Fraction, int]]:
    """Return the pieces to look at with lower bounds of their powers, the nearest first."""
    floats = boundary.parts.floats
    found = []
    for piece, (corners, sides) in enumerate(zip(boundary.corners, boundary.sides, strict=True)):
        if sides[0] == sides[1]:
            continue
        if target is not None and (target in sides[0]) == (target in sides[1]):
            continue
        points = floats[list(corners)]
        # One step outwards covers the rounding of the corners.
        low = np.nextafter(points.min(axis=0), -np.inf).tolist()
        high = np.nextafter(points.max(axis=0), np.inf).tolist()
        gaps = [
            max(Fraction(a) - v, v - Fraction(b), Fraction(0))
            for a, v, b in zip(low, start, high, strict=True)
        ]
        if norm == "linf":
            bound = max(gaps)
        elif norm == "l1":
            bound = sum(gaps, Fraction(0))
        else:
            bound = sum([gap * gap for gap in gaps], Fraction(0))
        found.append((bound, piece))
    return sorted(found)


def _by_program(boundary: Boundary, piece: int, start: Point, norm: Norm) -> tuple[Fraction, Point]:
    """Return the least distance to a piece and a point where it is attained."""
    d, n_sizes = len(start), 1 if norm == "linf" else len(start)
    zeros, zero = [Fraction(0)] * n_sizes, Fraction(0)
    rows = [[*row[:-1], *zeros, row[-1]] for row in _rows(boundary, piece)]
    for k, v in enumerate(start):
        for sign in (1, -1):
            # The size variable is at least sign * (z_k - v).
            row = [zero] * d + [*zeros, sign * v]
            row[k] = Fraction(-sign)
            row[d + (k if n_sizes > 1 else 0)] = Fraction(1)
            rows.append(row)
    goal = [zero] * d + [Fraction(-1)] * n_sizes + [zero]
    found = maximise(goal, rows)
    if found.value is None or found.point is None:
        raise PLRegionsError(
            f"nearest_boundary needs a piece with a point; got piece {piece}. This is a fault of "
            "plregions: please report it with the network."
        )
    return -found.value, found.point[:d]


def _rows(boundary: Boundary, piece: int) -> list[Row]:
    """Return rows (a, c), a.x + c >= 0, whose common solutions are the points of a piece.

    The piece is a facet of the part on one side: there a class that is not largest inside the part
    ties on it.
    """
    parts = boundary.parts
    tied = set(boundary.tied[piece])
    part = next(p for p in boundary.neighbours[piece].tolist() if parts.labels[p] != _bits(tied))
    own = classes_of(parts.labels[part])
    region = int(parts.regions[part])
    scores = parts.scores.rows(region)
    other = min(tied - set(own))
    rows = [row for row, _ in boundary.complex.rows_of(region)]
    for k in range(len(scores)):
        if k not in own:
            row = [Fraction(a - b) for a, b in zip(scores[own[0]], scores[k], strict=True)]
            rows.append(tuple(row))
            if k == other:
                rows.append(tuple([-v for v in row]))
    return rows


def _bits(classes: set[int]) -> int:
    return sum(1 << k for k in classes)
