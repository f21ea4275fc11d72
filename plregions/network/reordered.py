"""Do two networks differ only in the order and the scale of their neurons?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.exact.integers import split_content
from plregions.network.layer import Layer
from plregions.network.network import Network, check_networks

__all__ = ["Equivalence", "equivalence", "is_equivalent"]

Numbers = tuple[Fraction, ...]
Key: TypeAlias = tuple[tuple[Fraction, ...], tuple[int, ...]]
Member: TypeAlias = tuple[int, Fraction]
Match: TypeAlias = tuple[tuple[int, ...], Numbers]

# Each trial compares one layer; only repeated neurons make more than one a layer.
MOST_TRIALS = 20_000


@dataclass(frozen=True)
class Equivalence:
    """How the hidden units of one network are those of another, permuted and scaled.

    Attributes
    ----------
    holds : bool
    permutations : tuple of tuples of int, or None
        For each hidden layer and each unit of g the unit of f that it is; -1 for a unit that is
        0 everywhere because it has no bias and no weights but on such units.
    scales : tuple of tuples of Fraction, or None
        The positive factor between them: unit of g = scale * unit of f. 1 where there is none.

    Examples
    --------
    >>> f = Network([([[1], [2]], [0, 1]), ([[3, 4]], [0])])
    >>> g = Network([([[4], [1]], [2, 0]), ([[2, 3]], [0])])
    >>> equivalence(f, g)
    Equivalence(holds=True, permutations=((1, 0),), scales=((Fraction(2, 1), Fraction(1, 1)),))
    """

    holds: bool
    permutations: tuple[tuple[int, ...], ...] | None
    scales: tuple[Numbers, ...] | None

    def verify(self, f: Network, g: Network) -> bool:
        """Tell whether permutations and scales turn f into g, by one product a layer."""
        if not self.holds or self.permutations is None or self.scales is None:
            return False
        columns = [(j, Fraction(1)) for j in range(f.input_dim)]
        last = len(f.layers) - 1
        if not _has_same_ends(f, g) or len(self.permutations) != last:
            return False
        for k, (a, b) in enumerate(zip(f.layers, g.layers, strict=True)):
            if k < last:
                rows = list(zip(self.permutations[k], self.scales[k], strict=True))
                if len(rows) != b.n_out or any(s <= 0 for _, s in rows):
                    return False
            else:
                rows = [(i, Fraction(1)) for i in range(a.n_out)]
            read_f = [p for p, _ in columns if p >= 0]
            read_g = [c for c, (p, _) in enumerate(columns) if p >= 0]
            used = sorted(i for i, _ in rows if i >= 0)
            if used != [i for i in range(a.n_out) if k == last or not _is_zero(a, i, read_f)]:
                return False
            if not all(
                _is_zero(b, i, read_g) if j < 0 else _is_multiple(a, b, i, j, scale, columns)
                for i, (j, scale) in enumerate(rows)
            ):
                return False
            columns = rows
        return True


def is_equivalent(f: Network, g: Network) -> bool:
    """Tell whether permuting and positively scaling hidden units turns f into g.

    See `equivalence`, which also returns the permutations and scales.

    Parameters
    ----------
    f, g : Network

    Returns
    -------
    bool

    Raises
    ------
    InvalidInputError
        As for `equivalence`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> f = Network([([[1], [2]], [0, 1]), ([[3, 4]], [0])])
    >>> is_equivalent(f, f), is_equivalent(f, Network([([[1], [2]], [0, 1]), ([[3, 5]], [0])]))
    (True, False)
    """
    return equivalence(f, g).holds


def equivalence(f: Network, g: Network) -> Equivalence:
    """Decide whether permuting and positively scaling the hidden units of f gives g.

    A unit of g is then a positive multiple of one of f, with the same slopes, and what reads it
    has the weight divided by the same number. Both networks are one function, with the same
    regions; the converse does not hold. Units that are 0 everywhere because they have no bias and
    no weights, but on such units, are left out.

    Parameters
    ----------
    f, g : Network

    Returns
    -------
    Equivalence

    Raises
    ------
    InvalidInputError
        So many neurons are repeated that 20,000 ways to pair them do not decide it.

    Algorithm
    ---------
    Layer by layer: under the pairing of the layer before, units match whose rows have the same
    primitive integer form. Only units with equal forms, which are multiples of each other, leave
    a choice; those that also have the same outgoing weights are interchangeable, the others are
    tried one way after another.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> f = Network([([[1], [2]], [0, 1]), ([[3, 4]], [0])])
    >>> g = Network([([[1], [1]], ["1/2", 0]), ([[8, 3]], [0])])
    >>> found = equivalence(f, g)
    >>> found.holds, found.verify(f, g)
    (True, True)
    """
    check_networks("equivalence", f, g)
    if not _has_same_ends(f, g):
        return Equivalence(False, None, None)
    search = _Search(f, g)
    found = search.match(0, tuple(range(f.input_dim)), (Fraction(1),) * f.input_dim)
    if found is None:
        return Equivalence(False, None, None)
    return Equivalence(True, tuple(m[0] for m in found), tuple(m[1] for m in found))


class _Search:
    """A walk over the pairings that are possible, layer by layer."""

    def __init__(self, f: Network, g: Network) -> None:
        self._f, self._g = f.layers, g.layers
        self._trials = 0

    def match(self, k: int, pairs: tuple[int, ...], scales: Numbers) -> list[Match] | None:
        """Return the pairings of layer k and later, given the one before; None if there is none."""
        self._trials += 1
        if self._trials > MOST_TRIALS:
            raise InvalidInputError(
                f"equivalence needs neurons that are not repeated; got so many equal ones that "
                f"{MOST_TRIALS} pairings do not decide it. Merge them with collapse first."
            )
        ours = _rows(self._f[k], pairs, scales)
        theirs = _rows(self._g[k], tuple(-1 if j < 0 else i for i, j in enumerate(pairs)), None)
        if k == len(self._f) - 1:
            same = ours == theirs and bool((self._f[k].slopes == self._g[k].slopes).all())
            return [] if same else None
        groups_f, groups_g = _groups(self._f[k], ours), _groups(self._g[k], theirs)
        if {key: len(v) for key, v in groups_f.items()} != {
            key: len(v) for key, v in groups_g.items()
        }:
            return None
        keys = list(groups_g)
        for chosen in _each_order([groups_f[key] for key in keys], self._f[k + 1]):
            here = [-1] * self._g[k].n_out
            factors = [Fraction(1)] * self._g[k].n_out
            for key, members in zip(keys, chosen, strict=True):
                for (i, size), (j, other) in zip(groups_g[key], members, strict=True):
                    here[i], factors[i] = j, size / other
            rest = self.match(k + 1, tuple(here), tuple(factors))
            if rest is not None:
                return [(tuple(here), tuple(factors)), *rest]
        return None


def _rows(layer: Layer, pairs: tuple[int, ...], scales: Numbers | None) -> list[list[Fraction]]:
    """Return the rows (weights, bias) with columns permuted, divided by scales, -1 left out."""
    weight, bias = fractions_of(layer.weight), fractions_of(layer.bias)
    factors = (Fraction(1),) * len(pairs) if scales is None else scales
    used = [(j, s) for j, s in zip(pairs, factors, strict=True) if j >= 0]
    return [[*[row[j] / s for j, s in used], b] for row, b in zip(weight, bias, strict=True)]


def _groups(layer: Layer, rows: list[list[Fraction]]) -> dict[Key, list[Member]]:
    """Return the units by slopes and primitive row, each with the factor of its row."""
    groups: dict[Key, list[Member]] = {}
    slopes = fractions_of(layer.slopes)
    for i, row in enumerate(rows):
        if any(row):
            content, primitive = split_content(row)
            key = tuple(slopes[i]), tuple(primitive)
            groups.setdefault(key, []).append((i, Fraction(content)))
    return groups


def _each_order(groups: list[list[Member]], following: Layer) -> Iterator[list[list[Member]]]:
    """Yield the groups in all orders of their members that are not one for what reads them."""
    if not groups:
        yield []
        return
    first, *others = groups
    by_column: dict[Numbers, list[Member]] = {}
    for i, size in first:
        column = tuple(size * v for v in fractions_of(following.weight[:, i]))
        by_column.setdefault(column, []).append((i, size))
    for order in _arranged(list(by_column.values())):
        for rest in _each_order(others, following):
            yield [order, *rest]


def _arranged(classes: list[list[Member]]) -> Iterator[list[Member]]:
    """Yield all sequences of the members in which those of one class keep their order."""
    if not any(classes):
        yield []
        return
    for c, members in enumerate(classes):
        if members:
            for rest in _arranged([*classes[:c], members[1:], *classes[c + 1 :]]):
                yield [members[0], *rest]


def _has_same_ends(f: Network, g: Network) -> bool:
    return (f.input_dim, f.output_dim, f.depth) == (g.input_dim, g.output_dim, g.depth)


def _is_zero(layer: Layer, unit: int, inputs: list[int]) -> bool:
    """Tell whether a unit has no bias and no weight on these inputs; the others are 0."""
    return bool((layer.weight[unit, inputs] == 0).all() and layer.bias[unit] == 0)


def _is_multiple(
    a: Layer, b: Layer, i: int, j: int, scale: Fraction, columns: list[Member]
) -> bool:
    """Tell whether unit i of b is the multiple of unit j of a that the columns ask for."""
    ours, theirs = fractions_of(a.weight[j]), fractions_of(b.weight[i])
    return (
        all(p < 0 or theirs[c] * s == scale * ours[p] for c, (p, s) in enumerate(columns))
        and fractions_of(b.bias)[i] == scale * fractions_of(a.bias)[j]
        and fractions_of(a.slopes[j]) == fractions_of(b.slopes[i])
    )
