"""The verbs: enumerate the regions, stream them, or count them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from plregions.domain import Domain
from plregions.enumeration.brute_force import BruteForce
from plregions.enumeration.budget import Budget, ProgressCallback
from plregions.enumeration.intervals import IntervalWalk, has_intervals
from plregions.enumeration.parallel import ParallelWalk
from plregions.enumeration.planar import PlanarWalk
from plregions.enumeration.proofs import proof_of
from plregions.enumeration.spatial import SpatialWalk
from plregions.enumeration.tree import Leaves, TreeWalk, joined, no_leaves
from plregions.enumeration.tree_after import TreeAfter
from plregions.enumeration.upper_bound import upper_bound
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.feasibility.prepare import Prepared, prepare
from plregions.network import Network
from plregions.regions import Outcome, Region, RegionComplex
from plregions.regions.outcome import COMPLETE, INTERRUPTED, budget_exhausted
from plregions.regions.table import count_html

__all__ = ["RegionCount", "count_regions", "enumerate_regions", "iter_regions"]

STRATEGIES = ("auto", "tree", "planar", "spatial", "brute_force")

KINDS = ("activation", "linear", "maps")

Kind = Literal["activation", "linear", "maps"]
OnBudget = Literal["partial", "raise"]


class Walk(Protocol):
    """What every strategy offers: work in slices of time, results in chunks of columns."""

    @property
    def done(self) -> bool:
        """Whether everything was found and taken."""
        ...

    def advance(self, seconds: float = ...) -> None:
        """Work for about so many seconds."""
        ...

    def take(self) -> Leaves:
        """Return what was found since the last call."""
        ...

    def close(self) -> None:
        """Stop what runs in the background."""
        ...

    @property
    def share_done(self) -> float:
        """Share of the search behind."""
        ...

    @property
    def statistics(self) -> dict[str, int]:
        """How decisions were taken."""
        ...


@dataclass(frozen=True)
class RegionCount:
    """A number of regions and what was proved about it.

    Attributes
    ----------
    n_regions : int
        Regions found.
    kind : str
        "activation", "linear" or "maps": what was counted.
    outcome : Outcome
        Whether these are all.
    statistics : dict of str to int
        How the decisions were taken.
    seconds : float
        Wall-clock time.

    Examples
    --------
    >>> import plregions as plr
    >>> count = plr.count_regions(plr.mlp([2, 4, 1]), plr.hypercube(2, -1, 1))
    >>> int(count), count.kind, count.is_complete
    (8, 'activation', True)
    """

    n_regions: int
    kind: str
    outcome: Outcome
    statistics: dict[str, int]
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether the number is proved to be that of all regions."""
        return self.outcome.is_complete

    def __repr__(self) -> str:
        return f"RegionCount({self})"

    def _repr_html_(self) -> str:
        return count_html(self)

    def __int__(self) -> int:
        return self.n_regions

    def __index__(self) -> int:
        return self.n_regions

    def __str__(self) -> str:
        noun = "affine map" if self.kind == "maps" else f"{self.kind} region"
        noun = noun if self.n_regions == 1 else f"{noun}s"
        state = "complete" if self.is_complete else f"incomplete: {self.outcome}"
        return f"{self.n_regions} {noun}, {state}"


def enumerate_regions(
    net: Network,
    domain: Domain,
    *,
    strategy: str = "auto",
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
    on_budget: OnBudget = "partial",
    proof: bool = False,
) -> RegionComplex:
    """Find all activation regions of a network in a domain.

    An activation region is the set of points of the domain with one activation pattern, when it
    has an interior.

    Parameters
    ----------
    net : Network
        Any finite weights; N neurons.
    domain : Box, Polytope, WholeSpace or Slice
        Of the network's input dimension.
    strategy : {"auto", "tree", "planar", "spatial", "brute_force"}
        "tree" walks the patterns neuron by neuron, in any dimension; "planar" cuts polygons, in
        two dimensions, or intervals, in one; "spatial" cuts polyhedra, in bounded domains of three
        dimensions and unbounded ones of two; "brute_force" tests all 2**N patterns exactly
        (N <= 20). All give the same regions; "auto" takes "planar" or "spatial" where it can,
        else "tree".
    workers : int
        Threads that walk subtrees at the same time; "planar" uses them from 256 neurons on,
        "spatial" from 96 on. The result is the same for any number.
    max_regions : int, optional
        Stop when more regions than this have been found.
    time_limit : float, optional
        Stop after so many seconds.
    progress : callable, optional
        Called about ten times a second with a `Progress`.
    on_budget : {"partial", "raise"}
        What to do when a budget runs out: return the regions found so far, marked incomplete,
        or raise.
    proof : bool
        Keep the search tree as a log, in the complex's ``proof``, that `verify` checks. Only
        "tree" has one; "auto" then takes it.

    Returns
    -------
    RegionComplex
        Regions in lexicographic order of their patterns. ``outcome`` tells whether they are all;
        Ctrl-C returns what was found so far, marked INTERRUPTED.

    Raises
    ------
    InvalidInputError
        Wrong dimensions or options.
    BudgetExhaustedError
        With ``on_budget="raise"``; the regions so far are in ``.partial``.

    Algorithm
    ---------
    Depth-first over the neurons, layer by layer. In each cell a neuron's pre-activation is
    affine; a simplex walk that starts where the last one stopped looks for a point on its other
    side. About two pivots of cost (d + m) d a test, m the constraints of the cell; memory is that
    of the result. In one to three dimensions cells are intervals, polygons or polyhedra
    instead: a neuron cuts a cell when it has opposite signs at two corners.

    Exactness
    ---------
    Every region is proved by a point with proved signs, every branch cut off by multipliers with
    error bounds, or in rational arithmetic where floats cannot tell. No tolerance takes part.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.mlp([2, 8, 8, 1])
    >>> regions = plr.enumerate_regions(net, plr.Box([-1, -1], [1, 1]))
    >>> len(regions), regions.is_complete
    (61, True)
    """
    run = _Run(
        net, domain, strategy, workers, max_regions, time_limit, progress, on_budget, proof=proof
    )
    chunks = list(run.chunks())
    complex_ = run.complex(chunks, run.outcome)
    run.check(complex_)
    return complex_


def iter_regions(
    net: Network,
    domain: Domain,
    *,
    strategy: str = "auto",
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> Iterator[Region]:
    """Stream the activation regions of a network in a domain, in constant memory.

    Parameters
    ----------
    net, domain, strategy, workers, max_regions, time_limit, progress
        As for `enumerate_regions`.

    Yields
    ------
    Region
        In lexicographic order of patterns. Its complex is a chunk of the stream, marked
        incomplete: facets are right, neighbours outside the chunk are missing.

    Raises
    ------
    InvalidInputError
        Wrong dimensions or options, at once.
    BudgetExhaustedError
        When a budget runs out before all regions were found: a stream has no other way to say
        that it is not complete.

    Algorithm
    ---------
    That of `enumerate_regions`.

    Exactness
    ---------
    That of `enumerate_regions`.

    Examples
    --------
    >>> import plregions as plr
    >>> stream = plr.iter_regions(plr.mlp([2, 4, 1]), plr.hypercube(2, -1, 1))
    >>> str(next(stream).pattern)
    '0010'
    """
    run = _Run(net, domain, strategy, workers, max_regions, time_limit, progress, "raise")
    return _stream(run)


def _stream(run: _Run) -> Iterator[Region]:
    for chunk in run.chunks(interruptible=False):
        yield from run.complex([chunk], budget_exhausted("chunk"))
    run.check(None)


def count_regions(
    net: Network,
    domain: Domain,
    *,
    kind: Kind = "activation",
    strategy: str = "auto",
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
    on_budget: OnBudget = "partial",
) -> RegionCount:
    """Count the regions of a network in a domain.

    Parameters
    ----------
    net, domain
        As for `enumerate_regions`.
    kind : {"activation", "linear", "maps"}
        Activation regions; linear regions (facet-connected unions of them with one affine map);
        or distinct affine maps. Activation regions are counted in constant memory.
    strategy, workers, max_regions, time_limit, progress, on_budget
        As for `enumerate_regions`; budgets are those of the enumeration.

    Returns
    -------
    RegionCount
        ``int(count)`` is the number; ``count.is_complete`` tells whether it is proved to be that
        of all regions.

    Raises
    ------
    InvalidInputError
        Wrong dimensions or options.
    BudgetExhaustedError
        With ``on_budget="raise"``; the count so far is in ``.partial``.

    Algorithm
    ---------
    That of `enumerate_regions`; activation regions are dropped as soon as they are counted. The
    other kinds need all of them, linear regions the region graph too.

    Exactness
    ---------
    That of `enumerate_regions`.

    Examples
    --------
    >>> import plregions as plr
    >>> print(plr.count_regions(plr.mlp([4, 16, 16, 1]), plr.hypercube(4, -1, 1)))
    20349 activation regions, complete
    >>> hat = plr.Network([([[1], [1], [1]], ["-1/4", "-1/2", "-3/4"]), ([[1, -2, 1]], [0])])
    >>> [int(plr.count_regions(hat, plr.Box([0], [1]), kind=k)) for k in ("linear", "maps")]
    [4, 3]
    """
    if kind not in KINDS:
        names = ", ".join(f'"{name}"' for name in KINDS)
        raise InvalidInputError(f"kind needs one of {names}; got {kind!r}.")
    keep = kind != "activation"
    run = _Run(
        net, domain, strategy, workers, max_regions, time_limit, progress, on_budget, keep=keep
    )
    if kind == "activation":
        for _ in run.chunks():
            pass
        n = run.n_regions
    else:
        found = run.complex(list(run.chunks()), run.outcome)
        n = found.linear.n_regions if kind == "linear" else found.n_maps
    count = RegionCount(n, kind, run.outcome, run.statistics, run.budget.seconds)
    run.check(count)
    return count


class _Run:
    """One enumeration: a walk under a budget."""

    def __init__(
        self,
        net: Network,
        domain: Domain,
        strategy: str,
        workers: int,
        max_regions: int | None,
        time_limit: float | None,
        progress: ProgressCallback | None,
        on_budget: OnBudget,
        *,
        keep: bool = True,
        proof: bool = False,
    ) -> None:
        if not isinstance(net, Network):
            raise InvalidInputError(
                f"regions need a Network; got {type(net).__name__}. Use plregions.load for a "
                "file, or Network([(W0, b0), ...])."
            )
        if on_budget not in ("partial", "raise"):
            raise InvalidInputError(f'on_budget needs "partial" or "raise"; got {on_budget!r}.')
        self._net = net
        self._domain = domain
        self._on_budget = on_budget
        self.budget = Budget(max_regions, time_limit, progress)
        self._prepared = prepare(net, domain)
        self._proof = bool(proof)
        self._walk = _walk(self._prepared, strategy, workers, keep, self._proof)
        self.n_regions = 0
        self.outcome = INTERRUPTED

    @cached_property
    def _bound(self) -> int:
        return upper_bound(self._net)

    @property
    def statistics(self) -> dict[str, int]:
        """How the decisions were taken."""
        return dict(self._walk.statistics)

    def chunks(self, interruptible: bool = True) -> Iterator[Leaves]:
        """Yield the regions found, until all are or a budget runs out; sets the outcome."""
        try:
            while True:
                self._walk.advance(self.budget.slice_seconds())
                leaves = self._walk.take()
                self.n_regions += len(leaves)
                which = None if self._walk.done else self.budget.exhausted(self.n_regions)
                limit = self.budget.max_regions
                if limit is not None and self.n_regions > limit:
                    which = "max_regions"
                    leaves = _first(leaves, len(leaves) - (self.n_regions - limit))
                    self.n_regions = limit
                if not leaves.is_empty:
                    yield leaves
                if which is not None:
                    self.outcome = budget_exhausted(which)
                    return
                if self._walk.done:
                    self.outcome = COMPLETE
                    return
                if self.budget.report_is_due:
                    self.budget.report(self.n_regions, self._bound, self._walk.share_done)
        except KeyboardInterrupt:
            if not interruptible:
                raise
        finally:
            self._walk.close()

    def complex(self, chunks: list[Leaves], outcome: Outcome) -> RegionComplex:
        """Put chunks together."""
        p = self._prepared
        leaves = joined(chunks, no_leaves(p))
        made = RegionComplex(
            self._net,
            self._domain,
            leaves.packed,
            leaves.kept,
            leaves.points,
            leaves.exact,
            outcome,
            self.statistics,
            leaves.rows_are_facets,
            proof_of(self._net, self._domain, p, leaves, outcome) if self._proof else None,
        )
        made.__dict__["prepared"] = p
        return made

    def check(self, partial: RegionComplex | RegionCount | None) -> None:
        """Raise if a budget ran out and the caller wants an error."""
        if self._on_budget == "raise" and self.outcome.name == "BUDGET_EXHAUSTED":
            raise BudgetExhaustedError(
                f"regions need more than the {self.outcome.which} allows; got "
                f"{self.n_regions} so far. {self.outcome.help}",
                partial=partial,
            )


def _walk(prepared: Prepared, strategy: str, workers: int, keep: bool, proof: bool) -> Walk:
    if strategy not in STRATEGIES:
        names = ", ".join(f'"{name}"' for name in STRATEGIES)
        raise InvalidInputError(f"strategy needs one of {names}; got {strategy!r}.")
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise InvalidInputError(f"workers needs a whole number of at least 1; got {workers!r}.")
    if strategy == "auto":
        by_dim = {} if proof else {1: "planar", 2: "planar", 3: "spatial"}
        strategy = by_dim.get(prepared.dim, "tree")
    elif strategy != "tree" and proof:
        raise InvalidInputError(
            f'proof=True needs strategy="tree" or "auto"; got "{strategy}", which keeps no log. '
            "Leave the strategy out."
        )
    elif strategy == "brute_force" and workers > 1:
        raise InvalidInputError(
            f'strategy="brute_force" needs workers=1; got {workers}. Use strategy="tree".'
        )
    if strategy == "brute_force":
        return BruteForce(prepared)
    if strategy == "tree":
        if workers == 1:
            return TreeWalk(prepared, recording=proof)
        return ParallelWalk(prepared, int(workers), keep, recording=proof)
    walk: SpatialWalk | IntervalWalk | TreeAfter
    if strategy == "spatial":
        walk = SpatialWalk(prepared, keep=keep, divided=workers > 1)
    elif prepared.dim > 2:
        raise InvalidInputError(
            f'strategy="planar" needs a domain of one or two dimensions; got {prepared.dim}. Use '
            'strategy="tree", or a Slice.'
        )
    elif has_intervals(prepared, keep):
        walk = IntervalWalk(prepared, keep=keep, divided=workers > 1)
    else:
        walk = TreeAfter(prepared, PlanarWalk(prepared, keep=keep, divided=workers > 1))
    return ParallelWalk(prepared, int(workers), keep, walk) if walk.is_divided else walk


def _first(leaves: Leaves, n: int) -> Leaves:
    return replace(
        leaves,
        packed=leaves.packed[:n],
        kept=leaves.kept[:n],
        points=leaves.points[:n],
        exact={i: point for i, point in leaves.exact.items() if i < n},
    )
