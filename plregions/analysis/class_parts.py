"""Into which convex parts do the outputs cut the regions: which output is largest where?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import ge, mul
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.analysis.enclosed_vertices import enclosed_at, float_bounds
from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.enumeration import enumerate_regions
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.exact.arrays import integers_of
from plregions.exact.cone import IntVector, cut_cone
from plregions.network import Network
from plregions.regions import RegionComplex
from plregions.regions.simplices import facets_of

__all__ = [
    "ClassParts",
    "Scores",
    "check_question",
    "class_parts",
    "classes_of",
    "complete_regions",
]

IntArray = NDArray[np.int64]
AnyDomain = Box | Polytope | WholeSpace | Slice
Ray = tuple[IntVector, int]


@dataclass(frozen=True, eq=False)
class Scores:
    """What is compared: the outputs with each other, or one output with a level.

    Attributes
    ----------
    regions : RegionComplex
    output : int or None
        None: the classes are the outputs. Else class 0 is "above": this output; class 1 "below":
        the level.
    level : Fraction
    """

    regions: RegionComplex
    output: int | None = None
    level: Fraction = Fraction(0)

    @property
    def n_classes(self) -> int:
        """Number of scores."""
        return self.regions.network.output_dim if self.output is None else 2

    def rows(self, region: int) -> list[IntVector]:
        """Return the scores on a region as rows (a, c), all times one positive integer."""
        network = self.regions.prepared.network
        weight, bias = network.affine_map(self.regions.patterns[region], exact=True)
        table = np.concatenate([weight, bias[:, None]], axis=1)
        if self.output is not None:
            level = [Fraction(0)] * (table.shape[1] - 1) + [self.level]
            table = np.array([table[self.output].tolist(), level], dtype=object)
        numbers, _ = integers_of(table)
        width = table.shape[1]
        return [tuple(numbers[i : i + width]) for i in range(0, len(numbers), width)]

    def name(self, label: Sequence[int]) -> str:
        """Return some classes in words: "3", "0=1", or of a level set "above", "level", "below"."""
        if self.output is None:
            return "=".join(map(str, label))
        return "level" if len(label) > 1 else ("above", "below")[label[0]]

    def at(self, point: Sequence[Fraction]) -> tuple[int, ...]:
        """Return the classes with the largest score at a point, ascending."""
        values = self.regions.prepared.network.exact(point)
        if self.output is not None:
            values = (values[self.output], self.level)
        top = max(values)
        return tuple(k for k, v in enumerate(values) if v == top)


@dataclass(frozen=True, eq=False)
class ClassParts:
    """The regions cut into closed polytopes on which the same classes have the largest score.

    Part p lies in region ``regions[p]``; the classes of the bit set ``labels[p]`` are equal on it
    and larger than all others inside. Parts have the dimension of the domain, meet face to face
    and fill it.

    Attributes
    ----------
    scores : Scores
    points : tuple of tuples of int, length dim + 1
        The corners of all parts, each once: first the vertices of the complex. Numerators and,
        last, their positive common denominator.
    ties : tuple of int
        The bit set of the classes with the largest score at each point.
    regions : ndarray of int64, shape (n_parts,)
    labels : tuple of int
    corners : tuple of tuples of int
        The corners of each part, ascending positions in `points`.
    tight : tuple of tuples of int
        For each corner of a part the bit set of the part's rows that are 0 there.

    Exactness
    ---------
    Exact.
    """

    scores: Scores
    points: tuple[IntVector, ...]
    ties: tuple[int, ...]
    regions: IntArray
    labels: tuple[int, ...]
    corners: tuple[tuple[int, ...], ...]
    tight: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def facets(self) -> dict[tuple[int, ...], list[int]]:
        """The facets of all parts by their corners, each with the one or two parts around it."""
        found: dict[tuple[int, ...], list[int]] = {}
        for part, (corners, tight) in enumerate(zip(self.corners, self.tight, strict=True)):
            meeting = dict(zip(corners, tight, strict=True))
            for facet in facets_of(corners, meeting):
                found.setdefault(tuple(facet), []).append(part)
        return found

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The points rounded to float64, shape (n_points, dim)."""
        numbers = [[v / point[-1] for v in point[:-1]] for point in self.points]
        array = np.array(numbers, dtype=np.float64)
        array.setflags(write=False)
        return array

    def point(self, index: int) -> tuple[Fraction, ...]:
        """Return a point in the domain's coordinates."""
        point = self.points[index]
        return tuple([Fraction(v, point[-1]) for v in point[:-1]])

    def centre(self, corners: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the mean of some points: it lies in the relative interior of their hull."""
        points = [self.point(index) for index in corners]
        return tuple([sum(column) / len(points) for column in zip(*points, strict=True)])

    def tied(self, corners: Sequence[int]) -> int:
        """Return the classes with the largest score on the whole hull of some points."""
        common = -1
        for index in corners:
            common &= self.ties[index]
        return common


def class_parts(scores: Scores) -> ClassParts:
    """Cut the regions of a complex where the largest score changes.

    Parameters
    ----------
    scores : Scores
        Of a complex over a bounded domain.

    Returns
    -------
    ClassParts

    Raises
    ------
    InvalidInputError
        The domain is not bounded, or a region has too many vertices for exact arithmetic.

    Algorithm
    ---------
    The scores are affine on a region. Where floats with error bounds prove that one class is
    largest at all vertices of a region, the region is one part. Otherwise exact rows decide: a
    class whose score another one reaches at all vertices has no part in it; the parts of the
    others are cut out by their differences, one step of the double description method each. The
    parts are the cells of an upper envelope of affine functions, so they meet face to face.

    Exactness
    ---------
    Exact.
    """
    if not scores.regions.domain.is_bounded:
        raise InvalidInputError(
            f"Parts of one class need a bounded domain; got {scores.regions.domain!r}. Enumerate "
            "the regions of a box: Box(lower, upper)."
        )
    work = _Cutter(scores)
    for region in range(scores.regions.n_regions):
        work.cut(region)
    regions = np.array(work.regions, dtype=np.int64)
    regions.setflags(write=False)
    return ClassParts(
        scores,
        tuple(work.numbers),
        tuple(work.ties),
        regions,
        tuple(work.labels),
        tuple(work.corners),
        tuple(work.tight),
    )


class _Cutter:
    """Work in progress: the parts and points so far."""

    def __init__(self, scores: Scores) -> None:
        self._scores = scores
        self._vertices = scores.regions.vertices
        self._n_facets = scores.regions.graph.n_facets.tolist()
        self._winners = _proved_winners(scores)
        known = self._vertices.homogeneous
        self.numbers = {point: index for index, point in enumerate(known)}
        self.ties = [0] * len(known)
        self.regions: list[int] = []
        self.labels: list[int] = []
        self.corners: list[tuple[int, ...]] = []
        self.tight: list[tuple[int, ...]] = []

    def cut(self, region: int) -> None:
        """Add the parts of one region."""
        ids = self._vertices.of(region).tolist()
        winners = self._winners[ids]
        if winners[0] >= 0 and (winners == winners[0]).all():
            label = 1 << int(winners[0])
            for index in ids:
                self.ties[index] = label
            self._note(region, label, tuple(ids), self._vertices.tight_of(region))
            return
        rows = self._scores.rows(region)
        points = [self._vertices.homogeneous[index] for index in ids]
        values = fmpz_mat([list(r) for r in rows]) * fmpz_mat([list(p) for p in points]).transpose()
        table: list[list[Any]] = values.tolist()
        for index, column in zip(ids, zip(*table, strict=True), strict=True):
            if not self.ties[index]:
                self.ties[index] = _largest(column)
        groups: dict[IntVector, int] = {}
        leading: dict[IntVector, list[Any]] = {}
        for k, row in enumerate(rows):
            groups[row] = groups.get(row, 0) | 1 << k
            leading[row] = table[k]
        # A class that another one reaches everywhere has no part here.
        chosen = [
            row
            for row, heights in leading.items()
            if not any(
                other is not row and all(map(ge, leading[other], heights)) for other in leading
            )
        ]
        cell = list(zip(points, self._vertices.tight_of(region), strict=True))
        for row in chosen:
            rays = self._part(cell, row, chosen, self._n_facets[region])
            if rays:
                self._add(region, groups[row], rays, rows)

    def _part(
        self, cell: list[Ray], row: IntVector, chosen: list[IntVector], first: int
    ) -> list[Ray]:
        """Return the part of a cell where one score is largest; empty if it has no interior."""
        rays = cell
        for k, other in enumerate(chosen):
            if other is row:
                continue
            difference = tuple([a - b for a, b in zip(row, other, strict=True)])
            if not any(sum(map(mul, difference, ray)) > 0 for ray, _ in rays):
                return []
            rays = cut_cone(rays, difference, 1 << (first + k))
        return rays

    def _add(self, region: int, label: int, rays: list[Ray], rows: list[IntVector]) -> None:
        entries = []
        for ray, tight in rays:
            index = self.numbers.setdefault(ray, len(self.numbers))
            if index == len(self.ties):
                self.ties.append(_largest([sum(map(mul, row, ray)) for row in rows]))
            entries.append((index, tight))
        entries.sort()
        corners, meeting = zip(*entries, strict=True)
        self._note(region, label, corners, meeting)

    def _note(
        self, region: int, label: int, corners: tuple[int, ...], tight: tuple[int, ...]
    ) -> None:
        self.regions.append(region)
        self.labels.append(label)
        self.corners.append(corners)
        self.tight.append(tight)


def _proved_winners(scores: Scores) -> IntArray:
    """Return for each vertex the class that floats prove to be the only largest one, or -1."""
    vertices, network = scores.regions.vertices, scores.regions.prepared.network
    low, high = enclosed_at(network, vertices)
    if scores.output is not None:
        level = float_bounds(scores.level)
        low, high = (
            np.stack([bound[:, scores.output], np.full(len(bound), end)], axis=1)
            for bound, end in zip((low, high), level, strict=True)
        )
    best = low.argmax(axis=1)[:, None]
    floor = np.take_along_axis(low, best, axis=1)[:, 0]
    np.put_along_axis(high, best, -np.inf, axis=1)
    return np.where(floor > high.max(axis=1), best[:, 0], -1)


def _largest(values: Sequence[Any]) -> int:
    """Return the bit set of the positions with the largest value."""
    top = max(values)
    return sum(1 << k for k, v in enumerate(values) if v == top)


def classes_of(label: int) -> tuple[int, ...]:
    """Return the members of a bit set, ascending.

    Examples
    --------
    >>> classes_of(0b1010)
    (1, 3)
    """
    return tuple(k for k in range(label.bit_length()) if label >> k & 1)


def check_question(verb: str, network: object, domain: object) -> tuple[Network, AnyDomain]:
    """Return a network and a domain, and refuse what is none.

    Parameters
    ----------
    verb : str
        Who asks, for the error.
    network, domain : object

    Returns
    -------
    network : Network
    domain : Box, Polytope, WholeSpace or Slice

    Raises
    ------
    InvalidInputError
        Something else.
    """
    if not isinstance(network, Network) or not isinstance(domain, AnyDomain):
        raise InvalidInputError(
            f"{verb} needs a network and a domain; got {type(network).__name__} and "
            f"{type(domain).__name__}. Give Box(lower, upper)."
        )
    return network, domain


def complete_regions(
    verb: str,
    given: RegionComplex | Network,
    domain: AnyDomain | None,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> RegionComplex:
    """Return the complex that a question is about: the one given, or that of a network.

    Parameters
    ----------
    verb : str
        Who asks, for error messages.
    given : RegionComplex or Network
    domain : Domain or None
        For a network.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    RegionComplex
        Complete.

    Raises
    ------
    InvalidInputError
        Neither, a network without a domain, a complex with one, or an incomplete complex.
    BudgetExhaustedError
        A budget ran out.
    KeyboardInterrupt
        The enumeration was interrupted.
    """
    if isinstance(given, RegionComplex):
        if domain is not None:
            raise InvalidInputError(
                f"{verb} needs a network and a domain, or regions alone; got regions and {domain!r}"
                ". Leave out the domain."
            )
        if not given.is_complete:
            raise InvalidInputError(
                f"{verb} needs a complete complex; got {given.outcome}. Enumerate with a larger "
                "budget."
            )
        return given
    network, where = check_question(verb, given, domain)
    if not where.is_bounded:
        raise InvalidInputError(
            f"{verb} needs a bounded domain; got {where!r}. Use Box(lower, upper)."
        )
    found = enumerate_regions(
        network, where, workers=workers, max_regions=max_regions, time_limit=time_limit
    )
    if found.outcome.name == "INTERRUPTED":
        raise KeyboardInterrupt
    if not found.is_complete:
        raise BudgetExhaustedError(
            f"{verb} needs all regions; got {found.n_regions} within the {found.outcome.which}. "
            "Give a larger one, or a smaller domain.",
            partial=found,
        )
    return found
