"""Does a complex stand up to independent arguments that it is right and complete?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Literal

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from plregions.domain import Box, Domain
from plregions.errors import AmbiguousPointError, InvalidInputError, PLRegionsError
from plregions.exact.arrays import number_to_str
from plregions.regions import RegionComplex
from plregions.regions.complex import check_complex
from plregions.regions.extremes import volume_of
from plregions.regions.faces import face_lattice
from plregions.regions.graph import RegionGraph, region_graph
from plregions.regions.simplices import polytope_volume
from plregions.regions.vertices import Vertices, find_vertices

__all__ = ["CHECKS", "AuditCheck", "AuditReport", "audit"]

#: The checks, in the order in which they are made.
CHECKS = ("points", "patterns", "edges", "closure", "volumes", "euler")

MOST_DIMENSIONS = 4
MOST_REGIONS = 20_000
# Regions that are named in a report.
NAMED = 10

State = Literal["passed", "failed", "not applicable"]


@dataclass(frozen=True)
class AuditCheck:
    """One check of an audit.

    Attributes
    ----------
    name : str
        One of `CHECKS`.
    state : {"passed", "failed", "not applicable"}
    reason : str
        What was found, or why the check does not apply.
    figures : dict of str to int, float, Fraction or tuple

    Examples
    --------
    >>> print(AuditCheck("euler", "passed", "1 as it must be"))
    euler: passed: 1 as it must be
    """

    name: str
    state: State
    reason: str
    figures: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}: {self.state}: {self.reason}"


@dataclass(frozen=True)
class AuditReport:
    """What an audit found.

    Attributes
    ----------
    checks : tuple of AuditCheck

    Examples
    --------
    >>> report = AuditReport((AuditCheck("volumes", "failed", "1/2 is missing"),))
    >>> report.ok, report.failed, report["volumes"].reason
    (False, ('volumes',), '1/2 is missing')
    """

    checks: tuple[AuditCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return all(check.state != "failed" for check in self.checks)

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return tuple(check.name for check in self.checks if check.state == "failed")

    def __getitem__(self, name: str) -> AuditCheck:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; rationals are strings such as ``"13/90"``."""
        return {
            "ok": self.ok,
            "checks": [
                {
                    "name": check.name,
                    "state": check.state,
                    "reason": check.reason,
                    "figures": {key: _plain(value) for key, value in check.figures.items()},
                }
                for check in self.checks
            ],
        }

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))


def audit(
    complex: RegionComplex, checks: Sequence[str] | str = CHECKS, *, thorough: bool = False
) -> AuditReport:
    """Test a complex by arguments that do not rest on how it was found.

    Parameters
    ----------
    complex : RegionComplex
    checks : sequence of str
        ``points``: each region's point lies inside the domain and has the region's pattern,
        strictly. ``patterns``: they are distinct, in lexicographic order. ``edges``: each edge of
        the region graph, which is made anew, is found from both sides, with the same neurons.
        ``closure``: the region beyond each facet inside the domain is known, and the graph is
        connected; since the domain is, no region is missing. ``volumes``: the exact volumes of the
        regions sum to the domain's. ``euler``: the alternating number of faces is 1.
    thorough : bool
        Make ``volumes`` and ``euler`` in more than 4 dimensions and of more than 20,000 regions.

    Returns
    -------
    AuditReport
        All checks but ``points`` and ``patterns`` rest on these two and are not made where they
        fail.

    Raises
    ------
    InvalidInputError
        An unknown check.

    Algorithm
    ---------
    One exact evaluation a region; the facets of all regions; their exact vertices, pulled
    triangulations and faces: about 2 ms a region in three dimensions.

    Exactness
    ---------
    Exact. Regions are convex, have distinct patterns and so no common interior point: volumes that
    sum to the domain's prove completeness by themselves.

    Examples
    --------
    >>> import plregions as plr
    >>> regions = plr.enumerate_regions(plr.mlp([2, 4, 1]), plr.hypercube(2, -1, 1))
    >>> report = audit(regions)
    >>> report.ok, report["volumes"].figures["domain"]
    (True, Fraction(4, 1))
    """
    check_complex("audit", complex)
    wanted = list(checks) if isinstance(checks, Iterable) and type(checks) is not str else [checks]
    for name in wanted:
        if not isinstance(name, str) or name not in CHECKS:
            raise InvalidInputError(
                f"audit needs checks among {', '.join(CHECKS)}; got {name!r}. Take some of these."
            )
    work = _Audit(complex, thorough)
    return AuditReport(tuple(work.check(name) for name in CHECKS if name in wanted))


class _Audit:
    """Work in progress: what several checks share is made once, and not taken from the complex."""

    def __init__(self, complex: RegionComplex, thorough: bool) -> None:
        self._complex = complex
        self._prepared = complex.prepared
        self._thorough = thorough
        self._dim = complex.domain.dim

    def check(self, name: str) -> AuditCheck:
        if name == "points":
            return self._points
        if name == "patterns":
            return self._patterns
        if "failed" in (self._points.state, self._patterns.state):
            reason = "the points or patterns, on which this rests, are wrong"
            return AuditCheck(name, "not applicable", reason)
        made: dict[str, Callable[[], AuditCheck]] = {
            "edges": self._edges,
            "closure": self._closure,
            "volumes": self._volumes,
            "euler": self._euler,
        }
        try:
            return made[name]()
        except InvalidInputError as error:  # too many vertices for exact arithmetic
            return AuditCheck(name, "not applicable", str(error))
        except PLRegionsError as error:
            return AuditCheck(name, "failed", str(error))

    @cached_property
    def _points(self) -> AuditCheck:
        regions = self._complex
        wrong = [i for i in range(len(regions)) if not self._has_its_point(i)]
        figures = {
            "regions": len(regions),
            "wrong": len(wrong),
            "first_wrong": tuple(wrong[:NAMED]),
        }
        if wrong:
            reason = f"the points of {len(wrong)} regions do not have their patterns"
            return AuditCheck("points", "failed", f"{reason}, first region {wrong[0]}", figures)
        return AuditCheck("points", "passed", "every point has its pattern", figures)

    def _has_its_point(self, index: int) -> bool:
        network, domain = self._prepared.network, self._prepared.domain
        try:
            point = self._complex.exact_point(index)
            found = network.pattern_at(point)
        except AmbiguousPointError:
            return False
        values = [
            sum((a * v for a, v in zip(row, point, strict=False) if a), row[-1])
            for row in domain.exact_rows()
        ]
        return all(v > 0 for v in values) and found == self._complex[index].pattern

    @cached_property
    def _patterns(self) -> AuditCheck:
        packed = self._complex.packed_patterns
        keys = [row.tobytes() for row in packed]
        falls = [i for i in range(1, len(keys)) if not keys[i - 1] < keys[i]]
        figures = {"regions": len(keys), "distinct": len(set(keys))}
        if falls:
            reason = f"pattern {falls[0]} is not above the one before"
            return AuditCheck("patterns", "failed", reason, figures)
        return AuditCheck("patterns", "passed", "the patterns are distinct and in order", figures)

    @cached_property
    def _graph(self) -> RegionGraph:
        regions = self._complex
        return region_graph(
            self._prepared,
            regions.packed_patterns,
            regions.packed_rows,
            regions.local_points,
            regions.exact_points,
            is_complete=False,
        )

    @cached_property
    def _owners(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self._complex)), self._graph.n_facets)

    def _edges(self) -> AuditCheck:
        graph = self._graph
        inner = np.flatnonzero(graph.neighbours >= 0)
        seen = {
            (int(self._owners[f]), int(graph.neighbours[f])): graph.flips(int(f)) for f in inner
        }
        single = [pair for pair in seen if seen.get(pair[::-1]) != seen[pair]]
        figures = {"edges": len(seen) // 2, "one_sided": len(single)}
        if single:
            a, b = single[0]
            reason = f"region {b} does not see region {a} across the same neurons, which sees it"
            return AuditCheck("edges", "failed", reason, figures)
        return AuditCheck("edges", "passed", "every edge is found from both sides", figures)

    def _closure(self) -> AuditCheck:
        if not self._complex.is_complete:
            return self._incomplete("closure")
        from scipy.sparse.csgraph import connected_components

        graph = self._graph
        unknown = np.flatnonzero((graph.neighbours < 0) & (graph.labels >= 0))
        parts = int(connected_components(graph.to_scipy_sparse(), directed=False)[0])
        figures = {"unknown": len(unknown), "components": parts}
        if len(unknown):
            label, owner = int(graph.labels[unknown[0]]), int(self._owners[unknown[0]])
            reason = f"the region beyond neuron {label} of region {owner} is missing"
            return AuditCheck("closure", "failed", reason, figures)
        if parts != 1:
            reason = f"the graph has {parts} components; the domain is connected"
            return AuditCheck("closure", "failed", reason, figures)
        reason = "the region beyond every inner facet is there, and the graph is connected"
        return AuditCheck("closure", "passed", reason, figures)

    @cached_property
    def _vertices(self) -> Vertices:
        return find_vertices(self._prepared, self._complex.patterns, self._graph)

    def _volumes(self) -> AuditCheck:
        if (reason := self._obstacle()) is not None:
            return AuditCheck("volumes", "not applicable", reason)
        vertices = self._vertices
        sizes = []
        for r in range(len(self._complex)):
            corners = [vertices.homogeneous[v] for v in vertices.of(r).tolist()]
            sizes.append(polytope_volume(corners, vertices.tight_of(r), self._dim))
        whole = _domain_volume(self._prepared.domain)
        missing = fmpq(whole.numerator, whole.denominator) - _sum(sizes)
        share = float(Fraction(int(missing.p), int(missing.q)) / whole)
        figures = {"domain": whole, "missing_share": share}
        if not self._complex.is_complete:
            return AuditCheck("volumes", "not applicable", self._incomplete("").reason, figures)
        if missing != 0:
            reason = f"the volumes sum to the domain's less {share:.3g} of it"
            return AuditCheck("volumes", "failed", reason, figures)
        return AuditCheck("volumes", "passed", "the volumes sum to the domain's, exactly", figures)

    def _euler(self) -> AuditCheck:
        if not self._complex.is_complete:
            return self._incomplete("euler")
        if (reason := self._obstacle()) is not None:
            return AuditCheck("euler", "not applicable", reason)
        lattice = face_lattice(self._prepared, self._vertices)
        number = lattice.euler_characteristic
        figures = {"f_vector": lattice.f_vector, "euler_characteristic": number}
        state: State = "passed" if number == 1 else "failed"
        return AuditCheck("euler", state, f"the Euler characteristic is {number}", figures)

    def _obstacle(self) -> str | None:
        """Say why exact vertices are not asked for, if they are not."""
        if not self._complex.domain.is_bounded:
            return "the domain is not bounded"
        if self._thorough:
            return None
        if self._dim > MOST_DIMENSIONS:
            return f"{self._dim} dimensions; made in up to {MOST_DIMENSIONS}, or with thorough=True"
        if len(self._complex) > MOST_REGIONS:
            return (
                f"{len(self._complex)} regions; made for up to {MOST_REGIONS}, or with "
                "thorough=True"
            )
        return None

    def _incomplete(self, name: str) -> AuditCheck:
        reason = f"the complex is not complete and says so: {self._complex.outcome}"
        return AuditCheck(name, "not applicable", reason)


def _domain_volume(domain: Domain) -> Fraction:
    """Return the volume of a bounded domain, exactly."""
    lower, upper = domain.bounding_box()
    if isinstance(domain, Box):
        return prod((b - a for a, b in zip(lower, upper, strict=True)), start=Fraction(1))
    return volume_of(domain.exact_rows(), domain.dim)


def _sum(numbers: Sequence[Fraction]) -> fmpq:
    """Add many fractions in pairs: their common denominators grow long."""
    parts = [fmpq(v.numerator, v.denominator) for v in numbers] or [fmpq(0)]
    while len(parts) > 1:
        pairs = [parts[i] + parts[i + 1] for i in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[len(parts) - len(parts) % 2 :]
    return parts[0]


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return number_to_str(value)
    return list(value) if isinstance(value, tuple) else value
