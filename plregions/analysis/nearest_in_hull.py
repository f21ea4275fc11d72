"""Which point of the convex hull of some points is nearest in the Euclidean norm, exactly?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from plregions.errors import InvalidInputError, PLRegionsError
from plregions.exact.linear import solve

__all__ = ["nearest_in_hull"]

Point = tuple[Fraction, ...]


def nearest_in_hull(x: Sequence[Fraction], points: Sequence[Sequence[Fraction]]) -> Point:
    """Return the point of a convex hull that is nearest to x in the Euclidean norm.

    Parameters
    ----------
    x : sequence of Fraction, length d
    points : sequence of sequences of Fraction, length d
        One or more.

    Returns
    -------
    tuple of Fraction

    Raises
    ------
    InvalidInputError
        There are no points.

    Algorithm
    ---------
    Wolfe's method. A simplex of some of the points holds the nearest point y of their affine hull
    in its interior. If (p - y).(y - x) >= 0 for all points p, then y is nearest of all: a
    separating hyperplane. Else the point with the least product joins the simplex, and
    members that stand in the way of the new nearest point leave it. The distance falls with every
    simplex, so none comes twice. A system of at most d + 2 equations a step.

    Exactness
    ---------
    Exact: the numbers are rationals, and the answer is rational.

    References
    ----------
    P. Wolfe, "Finding the nearest point in a polytope", Math. Programming 11 (1976).

    Examples
    --------
    >>> zero, one = Fraction(0), Fraction(1)
    >>> nearest_in_hull((zero, zero), [(one, zero), (zero, one), (one, one)])
    (Fraction(1, 2), Fraction(1, 2))
    """
    if not points:
        raise InvalidInputError("nearest_in_hull needs one point or more; got none.")
    # Seen from x, which is the origin from here on.
    seen = [[a - b for a, b in zip(point, x, strict=True)] for point in points]
    sizes = [_product(p, p) for p in seen]
    simplex = [sizes.index(min(sizes))]
    weights = [Fraction(1)]
    y = seen[simplex[0]]
    while True:
        products = [_product(p, y) for p in seen]
        least = min(products)
        if least >= _product(y, y):
            return tuple([a + b for a, b in zip(x, y, strict=True)])
        simplex.append(products.index(least))
        weights.append(Fraction(0))
        while True:
            affine = _affine_weights([seen[k] for k in simplex])
            if min(affine) > 0:
                weights = affine
                break
            # As far towards the affine minimum as all weights stay non-negative.
            step = min(
                w / (w - a) for w, a in zip(weights, affine, strict=True) if a <= 0 and w != a
            )
            weights = [w + step * (a - w) for w, a in zip(weights, affine, strict=True)]
            simplex = [k for k, w in zip(simplex, weights, strict=True) if w]
            weights = [w for w in weights if w]
        columns = zip(*[seen[k] for k in simplex], strict=True)
        y = [_product(weights, column) for column in columns]


def _affine_weights(points: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return weights of sum 1 for the point of an affine hull that is nearest to the origin."""
    one, zero = Fraction(1), Fraction(0)
    matrix = [[*[_product(p, q) for q in points], one] for p in points]
    matrix.append([*[one] * len(points), zero])
    solution = solve(matrix, [*[zero] * len(points), one])
    if solution is None:
        raise PLRegionsError(
            "nearest_in_hull needs independent members of a simplex; got others. This is a fault "
            "of plregions: please report it with the points."
        )
    return solution[:-1]


def _product(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    return sum([a * b for a, b in zip(p, q, strict=True)], Fraction(0))
