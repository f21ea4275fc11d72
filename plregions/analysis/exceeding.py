"""Can one output exceed another on this domain? A rational witness, or a proof that none can."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plregions.analysis.cell_stream import Cells, Limits
from plregions.analysis.class_parts import AnyDomain, check_question
from plregions.analysis.output_ranges import linear_forms
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.exact.lp import maximise, verify_multipliers
from plregions.exact.words import short_text
from plregions.network import ActivationPattern, Network, compose, pre_activation_rows, restrict
from plregions.regions import RegionComplex

__all__ = ["Exceeding", "RegionBound", "can_exceed"]

Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class RegionBound:
    """The proof that a difference of outputs is at most `bound` on one region.

    Attributes
    ----------
    pattern : ActivationPattern
        Of the region.
    bound : Fraction
        The difference plus the multiples of the region's rows is this constant.
    multipliers : tuple of (str, Fraction)
        Labels of rows as in `Region.rows`, and positive weights.
    """

    pattern: ActivationPattern
    bound: Fraction
    multipliers: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, repr=False)
class Exceeding:
    """Whether output i exceeds output j by more than a margin somewhere in a domain.

    Attributes
    ----------
    holds : bool or None
        True: it does at `witness`. False: it does nowhere, proved. None: a budget ran out first.
    i, j : int
    margin : Fraction
    witness : tuple of Fraction or None
        An input of the network where f_i - f_j > margin.
    at : tuple of Fraction or None
        The same point in the domain's coordinates; differs from `witness` for a slice only.
    gap : Fraction or None
        f_i - f_j at the witness; otherwise its maximum over the regions looked at.
    proofs : tuple of RegionBound
        For each region looked at where the bound is at most the margin.
    stopped_by : str or None
        "time_limit", "max_regions" or "interrupt".

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1], [-1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> answer = can_exceed(net, 0, 1, plr.Box([-1], [1]))
    >>> answer.holds, answer.witness, answer.verify(net, plr.Box([-1], [1]))
    (True, (Fraction(1, 2),), True)
    """

    holds: bool | None
    i: int
    j: int
    margin: Fraction
    witness: Point | None
    at: Point | None
    gap: Fraction | None
    proofs: tuple[RegionBound, ...]
    stopped_by: str | None

    def __bool__(self) -> bool:
        """Whether a witness was found."""
        return self.holds is True

    @property
    def evidence(self) -> str:
        """What proves the answer, in words."""
        if self.holds:
            return "exact evaluation at the witness"
        n = f"{len(self.proofs)} region" + ("" if len(self.proofs) == 1 else "s")
        if self.holds is None:
            return f"multipliers bound the difference in {n}; others are missing"
        return f"a complete enumeration, and multipliers that bound the difference in {n}"

    def verify(self, network: Network, domain: AnyDomain) -> bool:
        """Replay what this answer claims, by exact sums and without a solver.

        Parameters
        ----------
        network : Network
        domain : Domain
            As they were given to `can_exceed`.

        Returns
        -------
        bool
            True iff the witness, if there is one, lies in the domain and exceeds the margin, and
            for each region of `proofs` the weighted sum of rows is the bound, at most the margin.
            That these are all regions is the enumeration's claim, which is not replayed.
        """
        if self.holds:
            if self.at is None or not domain.contains(self.at):
                return False
            values = network.exact(domain.embed_exact(self.at))
            gap = values[self.i] - values[self.j]
            return self.witness == domain.embed_exact(self.at) and self.margin < gap == self.gap
        local, base = restrict(_difference(network, self.i, self.j), domain)
        walls = {base.row_label(i): row for i, row in enumerate(base.exact_rows())}
        for proof in self.proofs:
            (normal,), (constant,) = local.affine_map(proof.pattern, exact=True)
            rows = [_row(local, proof.pattern, name, walls) for name, _ in proof.multipliers]
            weights = [y for _, y in proof.multipliers]
            goal = (*normal.tolist(), constant)
            if proof.bound > self.margin or None in rows:
                return False
            known = [row for row in rows if row is not None]
            if not verify_multipliers(goal, known, weights, proof.bound):
                return False
        return True

    def __repr__(self) -> str:
        words = {True: "yes", False: "no", None: "unknown"}[self.holds]
        gap = "" if self.gap is None else f", f[{self.i}] - f[{self.j}] "
        if self.gap is not None:
            gap += f"{'=' if self.holds else '<='} {short_text(self.gap)}"
        stopped = "" if self.stopped_by is None else f", stopped by {self.stopped_by}"
        return f"Exceeding({words}{gap}; {self.evidence}{stopped})"


def can_exceed(
    network: Network,
    i: int,
    j: int,
    domain: AnyDomain,
    *,
    margin: Any = 0,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Exceeding:
    """Decide whether f_i(x) - f_j(x) > margin for some x in a domain.

    Parameters
    ----------
    network : Network
        With two outputs or more.
    i, j : int
        Two different outputs.
    domain : Box, Polytope, WholeSpace or Slice
    margin : float, int, Fraction or str, default 0
    workers, max_regions, time_limit
        As for `enumerate_regions`. Where they end the search before it is decided, ``holds`` is
        None.

    Returns
    -------
    Exceeding

    Raises
    ------
    InvalidInputError
        No such outputs, a margin that is no number, sizes that do not fit.

    Algorithm
    ---------
    The regions as they are found. Interior points are tried first, in floats that are then checked
    exactly; else one exact linear program a region, which ends at the first point above the
    margin. The first witness ends the search.

    Exactness
    ---------
    Exact. Reaching the margin is not exceeding it.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1], [-1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> can_exceed(net, 0, 1, plr.Box([-1], [1]), margin=1)
    ... # doctest: +NORMALIZE_WHITESPACE
    Exceeding(no, f[0] - f[1] <= 1;
              a complete enumeration, and multipliers that bound the difference in 2 regions)
    """
    check_question("can_exceed", network, domain)
    m = network.output_dim
    for output in (i, j):
        if not isinstance(output, int | np.integer) or not 0 <= output < m or i == j:
            raise InvalidInputError(
                f"can_exceed needs two different outputs from 0 to {m - 1}; got {i!r} and {j!r}."
            )
    try:
        limit = fraction(margin)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"can_exceed needs a number as margin; {error}") from None
    local, base = restrict(_difference(network, i, j), domain)
    cells = Cells(local, base, Limits(workers, max_regions, time_limit))
    proofs: list[RegionBound] = []
    try:
        found = _search(local, cells, limit, proofs)
    except KeyboardInterrupt:
        found, cells.stopped_by = None, "interrupt"
    if found is not None:
        gap, witness = local.exact(found)[0], domain.embed_exact(found)
        return Exceeding(True, i, j, limit, witness, found, gap, tuple(proofs), None)
    gap_so_far = max([proof.bound for proof in proofs], default=None)
    holds = False if cells.stopped_by is None else None
    return Exceeding(holds, i, j, limit, None, None, gap_so_far, tuple(proofs), cells.stopped_by)


def _difference(network: Network, i: int, j: int) -> Network:
    form = [(k == i) - (k == j) for k in range(network.output_dim)]
    return compose(linear_forms(network, form), network)


def _search(
    local: Network, cells: Cells, limit: Fraction, proofs: list[RegionBound]
) -> Point | None:
    """Return a point above the limit, or note for each region the proof that there is none."""
    for chunk in cells:
        found = _by_points(local, chunk, limit)
        for index in range(chunk.n_regions):
            cells.check_time()
            if found is not None or cells.stopped_by is not None:
                break
            found = _by_program(local, chunk, index, limit, proofs)
        if found is not None:
            return found
    return None


def _by_points(local: Network, chunk: RegionComplex, limit: Fraction) -> Point | None:
    """Return an interior point above the limit, if floats find one that is."""
    values = local(chunk.interior_points)[:, 0]
    if not len(values) or np.isnan(values).all():
        return None
    point = chunk.exact_point(int(np.nanargmax(values)))
    return point if local.exact(point)[0] > limit else None


def _by_program(
    local: Network, chunk: RegionComplex, index: int, limit: Fraction, proofs: list[RegionBound]
) -> Point | None:
    """Return a point of a region above the limit, or note the proof that there is none."""
    (normal,), (constant,) = local.affine_map(chunk.patterns[index], exact=True)
    labelled = chunk.rows_of(index)
    found = maximise((*normal.tolist(), constant), [r for r, _ in labelled], stop_above=limit)
    if found.value is None or found.multipliers is None:
        return found.point
    names = [label for _, label in labelled]
    weights = [(name, y) for name, y in zip(names, found.multipliers, strict=True) if y]
    proofs.append(RegionBound(chunk[index].pattern, found.value, tuple(weights)))
    return None


def _row(
    local: Network, pattern: ActivationPattern, label: str, walls: dict[str, Point]
) -> Point | None:
    """Return the row that a label stands for, from the network or the domain."""
    if not label.startswith("neuron "):
        return walls.get(label)
    bit = int(label.removeprefix("neuron "))
    layer, unit = (int(v) for v in local.neurons[bit])
    (row,) = pre_activation_rows(local, pattern, layer, [unit])
    return tuple(row) if pattern.bits[bit] else tuple([-v for v in row])
