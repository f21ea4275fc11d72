"""Is a polyhedron empty, flat or unbounded - and otherwise, how far does it reach?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from plregions.exact.integers import Rational
from plregions.exact.lp import check_interior, maximise

__all__ = ["Polyhedron", "examine"]

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Polyhedron:
    """What kind of polyhedron some rows make, with the evidence.

    Attributes
    ----------
    kind : {"empty", "flat", "unbounded", "solid"}
        "solid" is bounded with interior points; "unbounded" has interior points, too.
    multipliers : tuple of Fraction, one for each row, or None
        "empty": y >= 0 with sum y_i r_i a negative constant. "flat": y >= 0, not zero, with
        sum y_i r_i = 0, so that each row with y_i > 0 is 0 on the whole polyhedron.
    ray : tuple of Fraction, length d, or None
        "unbounded": a direction in which it never ends.
    inside : tuple of Fraction, length d, or None
        "solid" and "unbounded": a point far from all rows.
    lower, upper : tuple of Fraction, length d, or None
        "solid": the minimum and the maximum of each coordinate.

    Examples
    --------
    >>> examine([(1, -2)], 1).ray
    (Fraction(1, 1),)
    """

    kind: Literal["empty", "flat", "unbounded", "solid"]
    multipliers: Vector | None = None
    ray: Vector | None = None
    inside: Vector | None = None
    lower: Vector | None = None
    upper: Vector | None = None


def examine(rows: Sequence[Sequence[Rational]], dim: int) -> Polyhedron:
    """Decide whether a polyhedron is empty, flat, unbounded or solid, and find its extremes.

    Parameters
    ----------
    rows : sequence of sequences of int or Fraction, length dim + 1
        The constraints a.x + c >= 0, written (a, c). A row that is 0 everywhere makes it flat.
    dim : int

    Returns
    -------
    Polyhedron

    Raises
    ------
    InvalidInputError
        Rows of different lengths or entries that are not exact numbers.

    Algorithm
    ---------
    `check_interior`, then 2 dim linear programs, each started at the best vertex of the one
    before.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> triangle = examine([(1, 0, 0), (0, 1, 0), (-1, -2, 1)], 2)
    >>> triangle.kind, triangle.upper
    ('solid', (Fraction(1, 1), Fraction(1, 2)))
    >>> examine([(1, 0), (-1, 0)], 1).kind
    'flat'
    """
    interior = check_interior(rows, dim=dim, deep=True)
    if interior.point is None:
        feasible = maximise([0] * (dim + 1), rows)
        if feasible.status == "infeasible":
            return Polyhedron("empty", multipliers=feasible.multipliers)
        return Polyhedron("flat", multipliers=interior.multipliers)
    bounds: tuple[list[Fraction], list[Fraction]] = [], []
    basis: tuple[int, ...] | None = None
    for k in range(dim):
        for side, sign in zip(bounds, (-1, 1), strict=True):
            goal = [0] * (dim + 1)
            goal[k] = sign
            result = maximise(goal, rows, basis=basis)
            if result.value is None:
                return Polyhedron("unbounded", ray=result.ray, inside=interior.point)
            side.append(sign * result.value)
            basis = result.basis
    return Polyhedron(
        "solid", inside=interior.point, lower=tuple(bounds[0]), upper=tuple(bounds[1])
    )
