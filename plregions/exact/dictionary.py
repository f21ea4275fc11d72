"""How does the simplex method move from vertex to vertex without leaving the integers?

The engine below `plregions.exact.lp`: no class or function here is meant for other callers, and
none checks its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

__all__ = ["Dictionary", "combination"]

# So many pivots for each dimension, in a row at one vertex, are chosen by the largest coefficient,
# which is short in practice; then the least index takes over until the vertex changes, which
# never cycles.
PATIENCE = 6


def combination(vectors: Sequence[Sequence[int]], weights: Sequence[int], size: int) -> list[int]:
    """Return sum weights[k] * vectors[k]; three terms at a time, zero weights skipped."""
    terms = [(v, w) for v, w in zip(vectors, weights, strict=False) if w]
    if not terms:
        return [0] * size
    first = len(terms) % 3 or 3
    if first == 1:
        ((a, p),) = terms[:1]
        total = [i * p for i in a]
    elif first == 2:
        (a, p), (b, q) = terms[:2]
        total = [i * p + j * q for i, j in zip(a, b, strict=True)]
    else:
        (a, p), (b, q), (c, r) = terms[:3]
        total = [i * p + j * q + k * r for i, j, k in zip(a, b, c, strict=True)]
    for n in range(first, len(terms), 3):
        (a, p), (b, q), (c, r) = terms[n : n + 3]
        total = [t + i * p + j * q + k * r for t, i, j, k in zip(total, a, b, c, strict=True)]
    return total


class Dictionary:
    """The coordinates of x as integer combinations of the nonbasic variables.

    ``det * x[k] = x[k][:-1] . nonbasic + x[k][-1]``: `labels` names the nonbasic variables,
    r >= 0 for the value of row r, which is 0 at the present vertex, and -1 - k for x_k, still
    free. det > 0 is the determinant of the tight rows up to sign; each entry is a minor of
    them, which is why each division by det comes out even.
    `slack` holds the values of all rows at the vertex times `slack_det`, which may lag behind
    `det`: a pivot that does not move the vertex does not touch it.
    """

    __slots__ = (
        "columns",
        "det",
        "labels",
        "ray_column",
        "rows",
        "sign",
        "slack",
        "slack_det",
        "x",
    )

    def __init__(self, rows: list[list[int]], d: int) -> None:
        self.rows = rows
        self.columns: list[tuple[int, ...]] = list(zip(*rows, strict=True)) or [()] * (d + 1)
        self.x = [[0] * k + [1] + [0] * (d - k) for k in range(d)]
        self.labels = [-1 - k for k in range(d)]
        self.det = 1
        self.slack: Sequence[int] = self.columns[d]
        self.slack_det = 1
        self.ray_column = -1
        self.sign = 1

    def express(self, row: Sequence[int]) -> list[int]:
        """Return an affine function in terms of the nonbasic variables, times det."""
        result = combination(self.x, row, len(self.x) + 1)
        result[-1] += row[-1] * self.det
        return result

    def first_violated(self) -> int:
        """Return the least row that is negative at the vertex, -1 for none."""
        for i, value in enumerate(self.slack):
            if value < 0:
                return i
        return -1

    def enter_rows(self, basis: Sequence[int], column: int | None = None) -> None:
        """Make rows tight in exchange for free coordinates, or for the free `column` alone.

        A row that depends on those tight already is passed over.
        """
        for r in basis:
            alpha = self.express(self.rows[r])
            free = [(abs(alpha[k]), k) for k, label in enumerate(self.labels) if label < 0]
            free = [(size, k) for size, k in free if size and column in (None, k)]
            if free:
                self._exchange(min(free)[1], r, alpha)
        vertex = [row[-1] for row in self.x]
        vertex.append(self.det)
        self.slack = combination(self.columns, vertex, len(self.rows))
        self.slack_det = self.det

    def climb(
        self, goal: list[int], blocker: int = -1, limit: Fraction | None = None
    ) -> tuple[Literal["optimal", "above", "unbounded"], list[int]]:
        """Increase an expressed affine function as far as the rows that hold allow.

        Rows that are violated do not stop the way, but for `blocker`, whose own row `goal` then
        is: the climb ends with "above" when it reaches 0. Otherwise "above" means above `limit`.
        Returns the goal in terms of the last nonbasic variables.
        """
        full = patience = PATIENCE * (1 + len(self.x))
        while True:
            if limit is not None and goal[-1] * limit.denominator > limit.numerator * self.det:
                return "above", goal
            column = self._entering(goal, patience <= 0)
            if column < 0:
                return "optimal", goal
            self.sign = 1 if goal[column] > 0 else -1
            slopes = combination(self.columns, [row[column] for row in self.x], len(self.rows))
            if self.sign < 0:
                slopes = [-v for v in slopes]
            leaving = self._leaving(slopes, blocker)
            if leaving < 0:
                self.ray_column = column
                return "unbounded", goal
            patience = full if self.slack[leaving] else patience - 1
            goal = self._pivot(column, leaving, slopes, goal)
            if leaving == blocker:
                return "above", goal

    def _entering(self, goal: list[int], by_index: bool) -> int:
        labels = self.labels
        best = -1
        for k, value in enumerate(goal[:-1]):
            if value and labels[k] < 0:
                return k
            if value > 0 and (
                best < 0 or (labels[k] < labels[best] if by_index else value > goal[best])
            ):
                best = k
        return best

    def _leaving(self, slopes: list[int], blocker: int) -> int:
        """Return the row that becomes 0 first on the way, the least of several; -1 for none."""
        slack = self.slack
        best, best_slope, best_slack = -1, 0, 0
        for i, slope in enumerate(slopes):
            if slope < 0:
                value = slack[i]
                # value / -slope < best_slack / -best_slope, without a division
                if value >= 0 and (best < 0 or value * best_slope > best_slack * slope):
                    best, best_slope, best_slack = i, slope, value
        if blocker >= 0 and (
            best < 0 or slack[blocker] * best_slope <= best_slack * slopes[blocker]
        ):
            return blocker
        return best

    def _pivot(self, column: int, leaving: int, slopes: list[int], goal: list[int]) -> list[int]:
        alpha = self.express(self.rows[leaving])
        old = self.det
        step = -alpha[-1] if alpha[column] > 0 else alpha[-1]
        goal = self._exchange(column, leaving, alpha, goal)
        if step:
            step *= self.sign
            q, divisor = self.det, old
            if self.slack_det != old:
                q, step, divisor = q * old, step * self.slack_det, old * self.slack_det
            pairs = zip(self.slack, slopes, strict=True)
            if divisor == 1:
                self.slack = [v * q + f * step for v, f in pairs]
            else:
                self.slack = [(v * q + f * step) // divisor for v, f in pairs]
            self.slack_det = self.det
        return goal

    def _exchange(
        self, column: int, leaving: int, alpha: list[int], goal: list[int] | None = None
    ) -> list[int]:
        """Put row `leaving`, expressed as `alpha`, in the place of a nonbasic variable."""
        det = self.det
        pivot = alpha[column]
        if pivot > 0:
            alpha = [-v for v in alpha]
            alpha[column] = det
            q = pivot
        else:
            alpha[column] = -det
            q = -pivot
        lines = self.x if goal is None else [*self.x, goal]
        after = []
        for line in lines:
            f = line[column]
            if f:
                line[column] = 0
                if det == 1:
                    line = [v * q + f * w for v, w in zip(line, alpha, strict=True)]
                elif q == det:
                    line = [v + f * w // det for v, w in zip(line, alpha, strict=True)]
                else:
                    line = [(v * q + f * w) // det for v, w in zip(line, alpha, strict=True)]
            elif q != det:
                line = [v * q // det for v in line]
            after.append(line)
        self.det = q
        self.labels[column] = leaving
        if goal is None:
            self.x = after
            return alpha
        self.x = after[:-1]
        return after[-1]
