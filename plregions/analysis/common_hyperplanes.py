"""Which hyperplanes hold two flats of codimension 2, or more of them?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.analysis.kinks import Hyperplane, unit_row
from plregions.analysis.unbalanced_ridges import Flat
from plregions.errors import InvalidInputError
from plregions.exact.integers import primitive_row

__all__ = ["CommonHyperplane", "common_hyperplane", "common_hyperplanes", "holds_flat"]

_PRIME = 2**31 - 1
_ROWS_AT_ONCE = 256

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class CommonHyperplane:
    """A hyperplane and the flats that it holds.

    Attributes
    ----------
    members : tuple of int
        Two or more, ascending: numbers of flats.
    pair : tuple of two Flat
        The first two of them.
    """

    members: tuple[int, ...]
    pair: tuple[Flat, Flat]

    @cached_property
    def row(self) -> Hyperplane:
        """The hyperplane's equation."""
        row = common_hyperplane(*self.pair)
        if row is None:
            raise InvalidInputError(f"A common hyperplane needs two flats in it; got {self.pair}.")
        return row


def common_hyperplane(first: Flat, second: Flat) -> Hyperplane | None:
    """Return the hyperplane that holds two different flats, or None.

    Parameters
    ----------
    first, second : Flat
        Different; neither is empty.

    Returns
    -------
    Hyperplane or None

    Algorithm
    ---------
    The hyperplanes through a flat are the combinations of its two equations. Four equations of
    rank 3 have one relation, which gives the equation that both pairs span; parallel flats are
    no exception.

    Exactness
    ---------
    Exact.

    Examples
    --------
    The points (0, 0) and (1, 2) of the plane, then two skew lines of space:

    >>> a, b = ((1, 0, 0), (0, 1, 0)), ((1, 0, -1), (0, 1, -2))
    >>> [str(v) for v in common_hyperplane(a, b)]
    ['1', '-1/2', '0']
    >>> common_hyperplane(((1, 0, 0, 0), (0, 1, 0, 0)), ((1, 0, 0, -1), (0, 0, 1, 0))) is None
    True
    """
    rows = [primitive_row(row) for row in (*first, *second)]
    relations, nullity = fmpz_mat([list(column) for column in zip(*rows, strict=True)]).nullspace()
    if int(nullity) != 1:
        return None
    a, b = int(relations[0, 0]), int(relations[1, 0])
    return unit_row([a * v + b * w for v, w in zip(rows[0], rows[1], strict=True)])


def holds_flat(row: Hyperplane, flat: Flat) -> bool:
    """Tell whether a hyperplane holds a flat.

    Parameters
    ----------
    row : Hyperplane
    flat : Flat
        In reduced echelon form.

    Returns
    -------
    bool

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> holds_flat((1, 1, -3), ((1, 0, -1), (0, 1, -2)))
    True
    """
    first, second = flat
    a, b = row[_pivot(first)], row[_pivot(second)]
    return all(v == a * p + b * q for v, p, q in zip(row, first, second, strict=True))


def common_hyperplanes(flats: Sequence[Flat], *, least: int = 2) -> list[CommonHyperplane]:
    """Find all hyperplanes that hold two flats or more.

    Parameters
    ----------
    flats : sequence of Flat
        Different flats of one space, in reduced echelon form.
    least : int
        Leave out hyperplanes that hold fewer flats.

    Returns
    -------
    list of CommonHyperplane
        In the order of their first pairs.

    Algorithm
    ---------
    Two flats share a hyperplane iff their four equations are dependent. A determinant of random
    combinations of their columns modulo a prime is 0 then; where it is not, the pair is done. In
    the plane all pairs of points have a line, and those whose lines differ modulo the prime are
    told apart. The others are decided in rationals. Quadratic in the number of flats.

    Exactness
    ---------
    Exact: residues only rule pairs out.

    Examples
    --------
    Three points on one line and one beside it:

    >>> points = [(0, 0), (1, 1), (2, 2), (0, 1)]
    >>> flats = [((1, 0, -x), (0, 1, -y)) for x, y in points]
    >>> [hyperplane.members for hyperplane in common_hyperplanes(flats)]
    [(0, 1, 2), (0, 3), (1, 3), (2, 3)]
    """
    found: list[CommonHyperplane] = []
    known: dict[int, list[set[int]]] = {}
    residues = _Residues(flats)
    for i, near in residues.dependent():
        # Two hyperplanes through flat i share no further flat.
        done: set[int] = set().union(*known.pop(i, []))
        for group in residues.groups(i, [j for j in near if j not in done]):
            for members in _parted(flats, i, group, residues):
                if len(members) + 1 >= least:
                    pair = flats[i], flats[members[0]]
                    found.append(CommonHyperplane((i, *members), pair))
                for k in members[:-1]:
                    known.setdefault(k, []).append({m for m in members if m > k})
    return found


def _parted(
    flats: Sequence[Flat], i: int, group: list[int], residues: _Residues
) -> Iterator[list[int]]:
    """Yield the flats of a group that share a hyperplane with flat i, by hyperplane."""
    if len(group) == 1 and residues.is_plane:
        yield group
        return
    while group:
        first, *group = group
        row = common_hyperplane(flats[i], flats[first])
        if row is not None:
            others = {k for k in residues.held(row, group) if holds_flat(row, flats[k])}
            yield [first, *sorted(others)]
            group = [k for k in group if k not in others]


class _Residues:
    """The flats' equations modulo a prime: what is not 0 there is not 0."""

    def __init__(self, flats: Sequence[Flat]) -> None:
        rows = [[primitive_row(row) for row in flat] for flat in flats]
        table = [[[v % _PRIME for v in row] for row in pair] for pair in rows]
        width = len(table[0][0]) if table else 0
        self._rows = np.array(table, dtype=np.int64).reshape(len(flats), 2, width)
        pivots = [[_pivot(row) for row in flat] for flat in flats]
        self._pivots = np.array(pivots, dtype=np.int64).reshape(len(flats), 2)

    def dependent(self) -> Iterator[tuple[int, list[int]]]:
        """Yield each flat with the later ones whose equations may depend on its own."""
        n = len(self._rows)
        p, q = self._mixed[:, 0], self._mixed[:, 1]
        pairs = [(0, 1), (0, 2), (0, 3), (2, 3), (1, 3), (1, 2)]
        minors = [p[:, a] * q[:, b] % _PRIME - p[:, b] * q[:, a] % _PRIME for a, b in pairs]
        for start in range(0, n, _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            total: Integers = np.zeros((len(minors[0][part]), n), dtype=np.int64)
            # Laplace: 01 23 - 02 13 + 03 12 + 23 01 - 13 02 + 12 03.
            for k, sign in enumerate((1, -1, 1, 1, -1, 1)):
                total += sign * (minors[k][part, None] * minors[(k + 3) % 6][None, :] % _PRIME)
            for i, line in enumerate(total % _PRIME == 0, start=start):
                yield i, (np.flatnonzero(line[i + 1 :]) + i + 1).tolist()

    @property
    def is_plane(self) -> bool:
        """Whether the flats are points of the plane, any two of which have a line."""
        return self._rows.shape[2] == 3

    def groups(self, i: int, numbers: list[int]) -> list[list[int]]:
        """Return parts of some flats such that no hyperplane through flat i meets two parts."""
        if not self.is_plane or len(numbers) < 2:
            return [numbers] if numbers else []
        # A line through point i is told by the ratio of the two equations of i along it.
        products = self._rows[i][:, None, :] * self._points[numbers][None, :, :] % _PRIME
        first, second = products.sum(axis=2) % _PRIME
        if not (first | second).all():
            return [numbers]
        keys = np.where(second == 0, _PRIME, first * _inverse(second) % _PRIME)
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order])) + 1
        parts = [np.sort(part).tolist() for part in np.split(np.array(numbers)[order], ends)]
        return sorted(parts)

    @cached_property
    def _points(self) -> Integers:
        """The points of the plane in homogeneous coordinates: cross products of equations."""
        p, q = self._rows[:, 0], self._rows[:, 1]
        columns = [
            p[:, k - 2] * q[:, k - 1] % _PRIME - p[:, k - 1] * q[:, k - 2] % _PRIME
            for k in range(3)
        ]
        return np.stack(columns, axis=1) % _PRIME

    def held(self, row: Hyperplane, numbers: list[int]) -> list[int]:
        """Return those of some flats that may lie in a hyperplane."""
        if not numbers:
            return []
        h = np.array([v % _PRIME for v in primitive_row(row)], dtype=np.int64)
        rows, pivots = self._rows[numbers], self._pivots[numbers]
        lead = np.take_along_axis(rows, pivots[:, :, None], axis=2)[:, :, 0]
        first = h[pivots[:, 0]] * lead[:, 1] % _PRIME
        second = h[pivots[:, 1]] * lead[:, 0] % _PRIME
        left = h[None, :] * (lead[:, 0] * lead[:, 1] % _PRIME)[:, None] % _PRIME
        right = first[:, None] * rows[:, 0] % _PRIME + second[:, None] * rows[:, 1] % _PRIME
        is_held = ((left - right) % _PRIME == 0).all(axis=1)
        return [k for k, held in zip(numbers, is_held.tolist(), strict=True) if held]

    @property
    def _mixed(self) -> Integers:
        """Four random combinations of the columns."""
        weights = np.random.default_rng(0).integers(1, _PRIME, (self._rows.shape[2], 4))
        mixed: Integers = np.zeros((len(self._rows), 2, 4), dtype=np.int64)
        for k, weight in enumerate(weights):
            mixed = (mixed + self._rows[:, :, k, None] * weight % _PRIME) % _PRIME
        return mixed


def _inverse(values: Integers) -> Integers:
    """Return the inverses modulo the prime, by Fermat's theorem."""
    result, power, exponent = np.ones_like(values), values, _PRIME - 2
    while exponent:
        if exponent & 1:
            result = result * power % _PRIME
        power = power * power % _PRIME
        exponent >>= 1
    return result


def _pivot(row: Hyperplane) -> int:
    return next(k for k, v in enumerate(row) if v)
