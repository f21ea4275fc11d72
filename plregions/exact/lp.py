"""Which point of a polyhedron is best, and is an open polyhedron empty? Decided in integers.

A row (a_1, ..., a_d, c) stands for the affine function a.x + c and, as a constraint, for the
half-space a.x + c >= 0. The variables x are free. Nothing here rounds: answers are rational
points, and multipliers that prove a bound by one weighted sum of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from operator import index, mul
from typing import Literal

from plregions.errors import InvalidInputError
from plregions.exact.dictionary import Dictionary
from plregions.exact.integers import Rational, split_content

__all__ = [
    "Interior",
    "LPResult",
    "check_interior",
    "maximise",
    "verify_empty",
    "verify_multipliers",
]

Status = Literal["optimal", "above", "unbounded", "infeasible"]
Row = Sequence[Rational]


def maximise(
    objective: Row,
    rows: Sequence[Row],
    *,
    basis: Sequence[int] | None = None,
    stop_above: Rational | None = None,
) -> LPResult:
    """Maximise an affine function over the polyhedron of some rows, exactly.

    Parameters
    ----------
    objective : sequence of int or Fraction, length d + 1
        The function a.x + c, written (a, c). It tells the dimension d.
    rows : sequence of such sequences
        The constraints a.x + c >= 0. Any number; zero rows, copies and opposites included.
    basis : sequence of int, optional
        Rows proposed to be tight at the start vertex. Rows that depend on the ones before are
        skipped; a vertex outside the polyhedron is only where the search for a feasible one
        begins. A wrong proposal costs time and nothing else.
    stop_above : int or Fraction, optional
        Stop at the first feasible point where the objective is larger than this.

    Returns
    -------
    LPResult
        "optimal", "above" (only with `stop_above`, where it also replaces "unbounded"),
        "unbounded" or "infeasible", with point, multipliers or ray.

    Raises
    ------
    InvalidInputError
        Rows of different lengths, entries that are not exact numbers, a basis of unknown rows.

    Algorithm
    ---------
    Primal simplex on an integer-preserving dictionary [1]_: the coordinates are integer
    combinations of the nonbasic variables over one common determinant, and every division is
    exact. Free coordinates stay nonbasic until they are needed and never leave once basic. A
    feasible vertex is found row by row: the value of one violated row is maximised under the
    rows that hold, until it holds too; where it cannot, its coefficients prove infeasibility.
    The entering variable has the largest coefficient and, after some pivots at one vertex, the
    least index [2]_ until the vertex changes, which excludes cycles. A pivot costs
    O(m d + d^2) integer operations for m rows.

    Exactness
    ---------
    Exact for all inputs.

    References
    ----------
    .. [1] J. Edmonds, "Systems of distinct representatives and linear algebra", J. Res. Nat.
       Bur. Standards 71B (1967). The same dictionaries are those of D. Avis's lrs.
    .. [2] R. G. Bland, "New finite pivoting rules for the simplex method", Math. Oper. Res. 2
       (1977).

    Examples
    --------
    Maximise x + y over the unit square cut by x + 2 y <= 2:

    >>> rows = [(1, 0, 0), (0, 1, 0), (-1, 0, 1), (0, -1, 1), (-1, -2, 2)]
    >>> result = maximise((1, 1, 0), rows)
    >>> result.status, result.value, result.basis
    ('optimal', Fraction(3, 2), (2, 4))
    >>> verify_multipliers((1, 1, 0), rows, result.multipliers, result.value)
    True
    """
    scale, goal = split_content(objective)
    contents, integer_rows = _split_rows(rows, len(goal))
    dictionary = Dictionary(integer_rows, len(goal) - 1)
    if basis is not None:
        dictionary.enter_rows(_checked_basis(basis, len(rows)))
    while (violated := dictionary.first_violated()) >= 0:
        row = dictionary.express(integer_rows[violated])
        outcome, row = dictionary.climb(row, blocker=violated)
        if outcome == "optimal":
            return LPResult("infeasible", dictionary, row, scale, contents, violated, None)
    limit = None if stop_above is None else Fraction(stop_above) / scale
    outcome, row = dictionary.climb(dictionary.express(goal), limit=limit)
    if outcome == "unbounded" and limit is not None:
        outcome = "above"
    return LPResult(outcome, dictionary, row, scale, contents, -1, limit)


@dataclass(frozen=True, eq=False, repr=False)
class LPResult:
    """What `maximise` found. Read-only; the numbers are made when they are asked for.

    Attributes
    ----------
    status : {"optimal", "above", "unbounded", "infeasible"}
    value : Fraction or None
        The objective at `point`: the maximum for "optimal", more than the limit for "above".
    point : tuple of Fraction, length d, or None
        A feasible point: a best one, one above the limit, or the foot of `ray`.
    basis : tuple of int
        Rows that are tight at `point` and independent, ascending; fewer than d where a free
        direction was not needed. For "infeasible": those of the last vertex.
    multipliers : tuple of Fraction, one for each row, or None
        "optimal": y >= 0 with objective + sum y_i r_i constant and equal to `value`.
        "infeasible": y >= 0 with sum y_i r_i a negative constant.
    ray : tuple of Fraction, length d, or None
        "unbounded": a direction that stays feasible and increases the objective.

    Algorithm
    ---------
    Reads the last dictionary of the simplex method; O(d^2 + m).

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> maximise((1, 0), [(1, -3)])
    LPResult(unbounded, point=(3), ray=(1))
    """

    status: Status
    _dictionary: Dictionary
    _row: list[int]
    _scale: Rational
    _contents: list[Rational]
    _violated: int
    _limit: Fraction | None

    @cached_property
    def value(self) -> Fraction | None:
        """The objective at `point`; None for "unbounded" and "infeasible"."""
        if self.status not in ("optimal", "above"):
            return None
        steps, slope, _ = self._way
        return (Fraction(self._row[-1], self._dictionary.det) + steps * slope) * self._scale

    @cached_property
    def point(self) -> tuple[Fraction, ...] | None:
        """A feasible point; None for "infeasible"."""
        if self.status == "infeasible":
            return None
        foot = tuple([Fraction(row[-1], self._dictionary.det) for row in self._dictionary.x])
        steps, _, ray = self._way
        if not steps:
            return foot
        return tuple([a + steps * b for a, b in zip(foot, ray, strict=True)])

    @cached_property
    def basis(self) -> tuple[int, ...]:
        """Independent rows that are tight at the point."""
        labels = self._dictionary.labels
        column = self._dictionary.ray_column if self.status == "above" else -1
        return tuple(sorted([r for k, r in enumerate(labels) if r >= 0 and k != column]))

    @cached_property
    def multipliers(self) -> tuple[Fraction, ...] | None:
        """The weights that prove "optimal" or "infeasible"; None otherwise."""
        if self.status not in ("optimal", "infeasible"):
            return None
        contents, det = self._contents, self._dictionary.det
        scale = self._scale if self.status == "optimal" else 1
        result = [Fraction(0)] * len(contents)
        for label, weight in zip(self._dictionary.labels, self._row, strict=False):
            if weight:  # nonzero weights stand on slack columns only: free ones would have entered
                result[label] = Fraction(-weight, det) * scale / contents[label]
        if self.status == "infeasible":
            result[self._violated] = 1 / Fraction(contents[self._violated])
        return tuple(result)

    @cached_property
    def ray(self) -> tuple[Fraction, ...] | None:
        """A direction of unbounded increase; None unless "unbounded"."""
        if self.status != "unbounded":
            return None
        return tuple([Fraction(v) for v in self._way[2]])

    @cached_property
    def _way(self) -> tuple[int, Fraction, list[int]]:
        """The ray that nothing stopped, the slope of the primitive objective along it, and how
        often it is added to the vertex to get above the limit.
        """
        column = self._dictionary.ray_column
        if column < 0:
            return 0, Fraction(0), []
        ray = [row[column] * self._dictionary.sign for row in self._dictionary.x]
        common = gcd(*ray)
        slope = Fraction(abs(self._row[column]), common)
        steps = 0
        if self._limit is not None:
            missing = self._limit - Fraction(self._row[-1], self._dictionary.det)
            steps = missing // slope + 1
        return steps, slope, [v // common for v in ray]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LPResult):
            return NotImplemented
        return self._as_tuple() == other._as_tuple()

    def __hash__(self) -> int:
        return hash(self._as_tuple())

    def _as_tuple(self) -> tuple[object, ...]:
        return self.status, self.value, self.point, self.basis, self.multipliers, self.ray

    def __repr__(self) -> str:
        parts = [str(self.status)]
        if self.value is not None:
            parts.append(f"value={self.value}")
        for name in ("point", "ray"):
            numbers = getattr(self, name)
            if numbers is not None:
                parts.append(f"{name}=({', '.join(map(str, numbers))})")
        return f"LPResult({', '.join(parts)})"


@dataclass(frozen=True)
class Interior:
    """Whether an open polyhedron has a point, with the evidence. Exactly one field is set.

    Attributes
    ----------
    point : tuple of Fraction, length d, or None
        A point where every row is positive.
    multipliers : tuple of Fraction, one for each row, or None
        y >= 0, not all zero, with sum y_i r_i a constant <= 0: no point makes all rows positive.

    Examples
    --------
    >>> check_interior([(1, 0), (-1, 1)], deep=True)
    Interior(point=(Fraction(1, 2),), multipliers=None)
    """

    point: tuple[Fraction, ...] | None
    multipliers: tuple[Fraction, ...] | None


def check_interior(rows: Sequence[Row], *, dim: int | None = None, deep: bool = False) -> Interior:
    """Decide whether some point makes every row positive.

    Parameters
    ----------
    rows : sequence of sequences of int or Fraction, length d + 1
        Affine functions a.x + c, written (a, c). The set need not be bounded.
    dim : int, optional
        The dimension d; needed only where there are no rows.
    deep : bool, default False
        Look for the point whose smallest distance to the rows, measured by the largest
        coefficient of each and cut at 1, is largest. Otherwise the first point found.

    Returns
    -------
    Interior
        A rational point with every row > 0, or multipliers that prove that there is none.

    Raises
    ------
    InvalidInputError
        Rows of different lengths, entries that are not exact numbers, no rows and no `dim`.

    Algorithm
    ---------
    Maximise t <= 1 under a_i.x + c_i >= t max|a_i| by the simplex method of `maximise`, which
    here starts from a feasible vertex. By Motzkin's transposition theorem the open set is empty
    iff the maximum is <= 0, and then the last dictionary holds the multipliers. A point found is
    rounded to few binary digits where every row keeps half of its value.

    Exactness
    ---------
    Exact. Half-spaces that only touch leave no interior, however small a gap would give one.

    Examples
    --------
    >>> check_interior([(1, 0, 0), (0, 1, 0), (-1, -1, 1)]).point
    (Fraction(1, 3), Fraction(1, 3))
    >>> check_interior([(2, 0), (-3, 0)]).multipliers
    (Fraction(1, 4), Fraction(1, 6))
    """
    if not rows:
        if dim is None:
            raise InvalidInputError("check_interior needs rows or dim; got neither. Give dim.")
        return Interior((Fraction(0),) * dim, None)
    length = len(rows[0])
    contents, integer_rows = _split_rows(rows, length)
    d = length - 1
    kept: list[int] = []
    extended: list[list[int]] = []
    for i, row in enumerate(integer_rows):
        width = max(map(abs, row[:-1]), default=0)
        if width:
            kept.append(i)
            extended.append([*row[:-1], -width, row[-1]])
        elif row[-1] <= 0:
            multipliers = [Fraction(0)] * len(rows)
            multipliers[i] = Fraction(1)
            return Interior(None, tuple(multipliers))
    start = [Fraction(row[-1], -row[-2]) for row in extended]
    if not extended or min(start) > 0:
        return Interior((Fraction(0),) * d, None)
    extended.append([0] * d + [-1, 1])
    dictionary = Dictionary(extended, d + 1)
    dictionary.enter_rows([start.index(min(start))], column=d)
    depth = dictionary.express([0] * d + [1, 0])
    _, depth = dictionary.climb(depth, limit=None if deep else Fraction(0))
    if depth[-1] > 0:
        numbers = [row[-1] for row in dictionary.x[:d]]
        open_rows = [integer_rows[i] for i in kept]
        return Interior(_short_point(open_rows, numbers, dictionary.det), None)
    result = [Fraction(0)] * len(rows)
    for label, weight in zip(dictionary.labels, depth, strict=False):
        if weight and label < len(kept):
            result[kept[label]] = Fraction(-weight, dictionary.det) / contents[kept[label]]
    return Interior(None, tuple(result))


def verify_multipliers(
    objective: Row, rows: Sequence[Row], multipliers: Sequence[Rational] | None, bound: Rational
) -> bool:
    """Tell whether multipliers prove that an affine function is at most `bound` on a polyhedron.

    Parameters
    ----------
    objective : sequence of int or Fraction, length d + 1
    rows : sequence of such sequences
        The polyhedron a.x + c >= 0.
    multipliers : sequence of int or Fraction, one for each row; None proves nothing
    bound : int or Fraction

    Returns
    -------
    bool
        True iff y >= 0, the linear part of objective + sum y_i r_i is 0, and its constant is at
        most `bound`.

    Algorithm
    ---------
    One weighted sum of rows in Fractions. It shares no code with the solver.

    Exactness
    ---------
    Exact. The verdict is about the proof: False does not say that the bound is wrong.

    Examples
    --------
    On x <= 2, the function 3 x is at most 6 because 3 x + 3 (2 - x) = 6.

    >>> verify_multipliers((3, 0), [(-1, 2)], (3,), 6)
    True
    >>> verify_multipliers((3, 0), [(-1, 2)], (3,), 5)
    False
    """
    if multipliers is None or len(multipliers) != len(rows) or any(y < 0 for y in multipliers):
        return False
    total = [Fraction(v) for v in objective]
    for y, row in zip(multipliers, rows, strict=True):
        if len(row) != len(total):
            return False
        if y:
            total = [t + y * v for t, v in zip(total, row, strict=True)]
    return not any(total[:-1]) and total[-1] <= bound


def verify_empty(
    rows: Sequence[Row], multipliers: Sequence[Rational] | None, *, closed: bool = False
) -> bool:
    """Tell whether multipliers prove that no point makes every row positive.

    Parameters
    ----------
    rows : sequence of sequences of int or Fraction, length d + 1
    multipliers : sequence of int or Fraction, one for each row; None proves nothing
    closed : bool, default False
        Ask for more: that no point makes every row >= 0.

    Returns
    -------
    bool
        True iff y >= 0, y is not zero, and sum y_i r_i is a constant <= 0 (< 0 if `closed`).

    Algorithm
    ---------
    As `verify_multipliers`, with objective 0.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> verify_empty([(1, 0), (-1, 0)], (1, 1)), verify_empty([(1, 0), (-1, 0)], (0, 0))
    (True, False)
    """
    if not rows or multipliers is None or not any(multipliers):
        return False
    zero = [0] * len(rows[0])
    if not verify_multipliers(zero, rows, multipliers, 0):
        return False
    return not closed or sum(y * row[-1] for y, row in zip(multipliers, rows, strict=True)) < 0


def _split_rows(rows: Sequence[Row], length: int) -> tuple[list[Rational], list[list[int]]]:
    contents, integer_rows = [], []
    for i, row in enumerate(rows):
        content, primitive = split_content(row)
        if len(primitive) != length:
            raise InvalidInputError(
                f"An exact LP needs rows of one length; got {length} numbers in the first or in "
                f"the objective and {len(primitive)} in rows[{i}]. Write each row as (a, c)."
            )
        contents.append(content)
        integer_rows.append(primitive)
    return contents, integer_rows


def _checked_basis(basis: Sequence[int], n_rows: int) -> list[int]:
    result = [index(r) for r in basis]
    for r in result:
        if not 0 <= r < n_rows:
            raise InvalidInputError(
                f"maximise needs a basis of row indices 0 .. {n_rows - 1}; got {r}. Leave it out."
            )
    return result


def _short_point(rows: list[list[int]], numbers: list[int], det: int) -> tuple[Fraction, ...]:
    """Round the point numbers / det to few binary digits; each row keeps half of its value."""
    values = [sum(map(mul, row, numbers)) + row[-1] * det for row in rows]
    for bits in (0, 2, 4, 8, 16, 32, 64):
        if bits >= det.bit_length():
            break
        scale = 1 << bits
        rounded = [(2 * v * scale + det) // (2 * det) for v in numbers]
        after = [sum(map(mul, row, rounded)) + row[-1] * scale for row in rows]
        if all(2 * det * new >= old * scale for new, old in zip(after, values, strict=True)):
            return tuple([Fraction(v, scale) for v in rounded])
    return tuple([Fraction(v, det) for v in numbers])
