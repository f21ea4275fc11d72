"""Why must the first layer be that wide? A certificate, and a checker that needs no solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, TypeAlias

from plregions.analysis.common_hyperplanes import common_hyperplane, holds_flat
from plregions.analysis.flag_derivatives import is_hard_beside
from plregions.analysis.kinks import Hyperplane
from plregions.analysis.unbalanced_ridges import Flat
from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.errors import FormatError, InvalidInputError
from plregions.exact.notation import number_from_str, number_to_str
from plregions.network import Network, restrict

__all__ = ["DualWeights", "Split", "WidthCertificate"]

Point: TypeAlias = tuple[Fraction, ...]
AnyDomain: TypeAlias = Box | Polytope | WholeSpace | Slice

FORMAT = "plregions-width-certificate"


@dataclass(frozen=True)
class DualWeights:
    """Weights of flats of which no hyperplane holds more than 1 in all: their sum is a bound.

    Attributes
    ----------
    weights : tuple of (int, Fraction)
        Flats and their positive weights, at most 1 each.
    """

    weights: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Split:
    """Two cases: a cover uses a hyperplane, or it does not.

    Attributes
    ----------
    hyperplane : Hyperplane
    used, unused : DualWeights or Split
        Bounds for the number of further hyperplanes that the rest of the flats needs.
    """

    hyperplane: Hyperplane
    used: Evidence
    unused: Evidence


Evidence: TypeAlias = "DualWeights | Split"


@dataclass(frozen=True)
class WidthCertificate:
    """Bounds for tau: the least number of hyperplanes such that each hard flat lies in one.

    Every network of depth 3 (two hidden layers, any weights, any widths) that equals the function
    on the open domain has at least `lower_bound` different first-layer hyperplanes that meet it.
    The bound is necessary: a network of that width need not exist.

    Attributes
    ----------
    dim : int
        Of the domain.
    flats : tuple of Flat
        The hard flats; see `hard_flats`.
    witnesses : tuple of (tuple of Fraction, Hyperplane)
        For each flat a point on it, and a hyperplane through it across which the gradient jumps
        differently on the flat's two sides near the point.
    lower_bound : int
        At most tau, by the evidence.
    evidence : DualWeights or Split
        For `lower_bound`.
    cover : tuple of Hyperplane
        Such that each flat lies in one: at least tau.

    Exactness
    ---------
    All numbers are rational. `verify` checks the covering bound and the cover; given the function
    and the domain, also that each flat is hard.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 4.1, for points in general position;
    flats and their covers: made for this project.

    Examples
    --------
    Two points of the plane need one line:

    >>> points = tuple(((Fraction(1), Fraction(0), -x), (Fraction(0), Fraction(1), -x))
    ...                for x in map(Fraction, range(2)))
    >>> line = (Fraction(1), Fraction(-1), Fraction(0))
    >>> seen = tuple(((-flat[0][2], -flat[1][2]), line) for flat in points)
    >>> found = WidthCertificate(2, points, seen, 1, DualWeights(((0, Fraction(1)),)), (line,))
    >>> found.verify(), found.tau, found.kind
    (True, 1, 'dual')
    """

    dim: int
    flats: tuple[Flat, ...]
    witnesses: tuple[tuple[Point, Hyperplane], ...]
    lower_bound: int
    evidence: Evidence
    cover: tuple[Hyperplane, ...]

    @property
    def upper_bound(self) -> int:
        """The number of hyperplanes of the cover: at least tau."""
        return len(self.cover)

    @property
    def tau(self) -> int | None:
        """The covering number, where both bounds meet."""
        return self.lower_bound if self.lower_bound == self.upper_bound else None

    @property
    def kind(self) -> str:
        """What proves the lower bound: "dual" weights, or a "branch" tree with such weights."""
        return "dual" if isinstance(self.evidence, DualWeights) else "branch"

    def verify(self, f: Network | None = None, domain: AnyDomain | None = None) -> bool:
        """Tell whether evidence and cover prove the bounds; see `faults`.

        Parameters
        ----------
        f : Network, optional
            With the domain: check as well that the flats are hard flats of this function.
        domain : Box, Polytope or Slice, optional

        Returns
        -------
        bool

        Exactness
        ---------
        Exact; no solver and no enumeration take part.
        """
        return next(self.faults(f, domain), None) is None

    def faults(self, f: Network | None = None, domain: AnyDomain | None = None) -> Iterator[str]:
        """Yield in words what is wrong with the certificate.

        Parameters
        ----------
        f, domain
            As for `verify`.

        Yields
        ------
        str

        Raises
        ------
        InvalidInputError
            A function without a domain or a domain without a function.

        Algorithm
        ---------
        The hyperplanes that hold two flats of positive weight are derived again from all pairs of
        them; of any other hyperplane the weight is that of one flat at most. The bound of a split
        is that of its worse case, and the hyperplane that a case leaves out counts no more there.
        A flat is shown to be hard by four evaluations of f beside its witness.

        Exactness
        ---------
        Exact.
        """
        if (f is None) != (domain is None):
            raise InvalidInputError("verify needs the function and its domain; got one of them.")
        wrong = list(_wrong_flats(self.dim, self.flats))
        yield from wrong
        if wrong:
            return
        yield from _wrong_cover(self.dim, self.flats, self.cover)
        if f is not None and domain is not None:
            yield from _wrong_witnesses(self, *restrict(f, domain))
        checker = _Checker(self.dim, self.flats)
        bound = checker.bound(self.evidence, frozenset(), frozenset())
        yield from checker.wrong
        if not checker.wrong and bound < self.lower_bound:
            yield f"the evidence proves {bound}, not {self.lower_bound}"

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON types; rationals are strings such as "13/90"."""
        return {
            "format": FORMAT,
            "version": 1,
            "dim": self.dim,
            "flats": [[_words(row) for row in flat] for flat in self.flats],
            "witnesses": [[_words(point), _words(row)] for point, row in self.witnesses],
            "lower_bound": self.lower_bound,
            "evidence": _evidence_words(self.evidence),
            "cover": [_words(row) for row in self.cover],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WidthCertificate:
        """Read what `to_dict` wrote; nothing is verified yet.

        Raises
        ------
        FormatError
            Something else.
        """
        try:
            if (data["format"], data["version"]) != (FORMAT, 1):
                raise ValueError(f"format {data['format']!r}, version {data['version']!r}")
            return cls(
                int(data["dim"]),
                tuple([(_row(first), _row(second)) for first, second in data["flats"]]),
                tuple([(_row(point), _row(row)) for point, row in data["witnesses"]]),
                int(data["lower_bound"]),
                _read_evidence(data["evidence"]),
                tuple([_row(row) for row in data["cover"]]),
            )
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise FormatError(
                f"WidthCertificate.from_dict needs what to_dict wrote; got {error!s:.80}."
            ) from None

    def __repr__(self) -> str:
        bounds = (
            f"tau = {self.lower_bound}"
            if self.tau is not None
            else f"{self.lower_bound} <= tau <= {self.upper_bound}"
        )
        flats = "flat" if len(self.flats) == 1 else "flats"
        return f"WidthCertificate({len(self.flats)} {flats}, {bounds}, {self.kind})"


class _Checker:
    """Replays evidence about some flats."""

    def __init__(self, dim: int, flats: Sequence[Flat]) -> None:
        self._dim = dim
        self._flats = flats
        self._common: dict[tuple[int, int], Hyperplane | None] = {}
        self.wrong: list[str] = []

    def bound(self, node: Any, covered: frozenset[int], unused: frozenset[Hyperplane]) -> int:
        """Return how many hyperplanes other than the unused ones the rest of the flats needs."""
        if isinstance(node, Split):
            row = node.hyperplane
            if not _is_hyperplane(row, self._dim):
                self.wrong.append(f"a case splits on {_words(row)}, which is no hyperplane")
                return 0
            members = {i for i, flat in enumerate(self._flats) if holds_flat(row, flat)}
            if len(members) < 2:
                self.wrong.append(f"a case splits on {_words(row)}, which holds no two flats")
                return 0
            return min(
                1 + self.bound(node.used, covered | members, unused),
                self.bound(node.unused, covered, unused | {row}),
            )
        weights = dict(node.weights)
        if len(weights) < len(node.weights):
            self.wrong.append("a flat has two weights")
        for i, weight in weights.items():
            if not 0 <= i < len(self._flats) or i in covered:
                self.wrong.append(f"flat {i} has a weight and is no flat to be covered")
                return 0
            if not 0 < weight <= 1:
                self.wrong.append(f"the weight {weight} of flat {i} is not above 0 and at most 1")
        self._check_hyperplanes(weights, unused)
        return ceil(sum(weights.values(), Fraction(0)))

    def _check_hyperplanes(
        self, weights: dict[int, Fraction], unused: frozenset[Hyperplane]
    ) -> None:
        # Each hyperplane is seen with the first of its flats, and then in full.
        numbers = sorted(weights)
        for place, i in enumerate(numbers):
            totals: dict[Hyperplane, Fraction] = {}
            for j in numbers[place + 1 :]:
                row = self._through(i, j)
                if row is not None and row not in unused:
                    totals[row] = totals.get(row, weights[i]) + weights[j]
            for row, total in totals.items():
                if total > 1:
                    self.wrong.append(f"the hyperplane {_words(row)} holds a weight of {total}")

    def _through(self, i: int, j: int) -> Hyperplane | None:
        if (i, j) not in self._common:
            self._common[i, j] = common_hyperplane(self._flats[i], self._flats[j])
        return self._common[i, j]


def _wrong_flats(dim: int, flats: Sequence[Flat]) -> Iterator[str]:
    for i, (first, second) in enumerate(flats):
        if len(first) != dim + 1 or len(second) != dim + 1:
            yield f"flat {i} is not in dimension {dim}"
            continue
        places = [next((k for k, v in enumerate(row) if v), dim) for row in (first, second)]
        is_echelon = places[0] < places[1] < dim and first[places[1]] == 0
        if not is_echelon or first[places[0]] != 1 or second[places[1]] != 1:
            yield f"flat {i} is not two equations in reduced echelon form"
    if len(set(flats)) < len(flats):
        yield "a flat is listed twice"


def _wrong_witnesses(certificate: WidthCertificate, f: Network, domain: AnyDomain) -> Iterator[str]:
    dim, flats = certificate.dim, certificate.flats
    if domain.dim != dim:
        yield f"the domain has dimension {domain.dim}, not {dim}"
        return
    if len(certificate.witnesses) != len(flats):
        yield f"there are {len(certificate.witnesses)} witnesses for {len(flats)} flats"
        return
    walls = domain.exact_rows()
    for i, (flat, (point, row)) in enumerate(zip(flats, certificate.witnesses, strict=True)):
        if len(point) != dim or any(_value(equation, point) for equation in flat):
            yield f"the witness of flat {i} is no point of it"
        elif any(_value(wall, point) <= 0 for wall in walls):
            yield f"the witness of flat {i} is not inside the domain"
        elif not _is_hyperplane(row, dim) or not holds_flat(row, flat):
            yield f"the witness of flat {i} is about a hyperplane that does not hold it"
        elif not is_hard_beside(f, flat, point, row):
            yield f"flat {i} is not hard at its witness"


def _value(row: Sequence[Fraction], point: Point) -> Fraction:
    return sum([a * v for a, v in zip(row, point, strict=False)], row[-1])


def _wrong_cover(dim: int, flats: Sequence[Flat], cover: Sequence[Hyperplane]) -> Iterator[str]:
    for row in cover:
        if not _is_hyperplane(row, dim):
            yield f"the cover's {_words(row)} is no hyperplane in dimension {dim}"
            return
    for i, flat in enumerate(flats):
        if not any(holds_flat(row, flat) for row in cover):
            yield f"the cover misses flat {i}"


def _is_hyperplane(row: Hyperplane, dim: int) -> bool:
    return len(row) == dim + 1 and any(row[:-1])


def _words(row: Sequence[Fraction]) -> list[str]:
    return [number_to_str(v) for v in row]


def _row(words: Sequence[str]) -> tuple[Fraction, ...]:
    return tuple([number_from_str(word) for word in words])


def _evidence_words(node: Evidence) -> dict[str, Any]:
    if isinstance(node, Split):
        return {
            "hyperplane": _words(node.hyperplane),
            "used": _evidence_words(node.used),
            "unused": _evidence_words(node.unused),
        }
    return {"weights": [[i, number_to_str(weight)] for i, weight in node.weights]}


def _read_evidence(data: Mapping[str, Any]) -> Evidence:
    if "weights" in data:
        return DualWeights(tuple([(int(i), number_from_str(w)) for i, w in data["weights"]]))
    return Split(
        _row(data["hyperplane"]), _read_evidence(data["used"]), _read_evidence(data["unused"])
    )
