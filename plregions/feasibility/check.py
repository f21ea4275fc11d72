"""Is this pattern a region of the network in the domain? Answered exactly, with evidence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.exact.integers import primitive_row
from plregions.exact.lp import check_interior
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.prepare import IntRow, prepare
from plregions.feasibility.proposers import propose
from plregions.network import Network, as_bits
from plregions.network.pattern import PatternLike

__all__ = ["CellCheck", "check_pattern"]


@dataclass(frozen=True)
class CellCheck:
    """Whether a pattern is an activation region, and the evidence.

    Attributes
    ----------
    is_region : bool
    point : tuple of Fraction, or None
        A point of the open region, in the domain's coordinates.
    multipliers : dict of str to Fraction, or None
        Positive weights of constraint rows (row i of the domain: "domain i", neuron with bit b:
        "neuron b") whose sum is a constant <= 0: no point makes all rows positive. The rows are
        those of `rows`.
    rows : dict of str to tuple of Fraction
        The constraint rows (a, c), a.x + c > 0, by the same names.
    reason : str
        One line in words.
    solver : str
        Who gave the evidence: "plregions" or the proposer's name.
    proposal : str or None
        What the proposer said before the check: "region", "empty" or "unsure".

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1]], [0]), ([[1]], [0])])
    >>> check = plr.check_pattern(net, "1", plr.Box([-2], [-1]))
    >>> bool(check), check.reason
    (False, 'no region: domain 1, neuron 0 cannot all be positive')
    """

    is_region: bool
    point: tuple[Fraction, ...] | None
    multipliers: dict[str, Fraction] | None
    rows: dict[str, tuple[Fraction, ...]]
    reason: str
    solver: str = "plregions"
    proposal: str | None = None

    def __bool__(self) -> bool:
        return self.is_region


def check_pattern(
    net: Network, pattern: PatternLike, domain: Domain, *, solver: str = "plregions"
) -> CellCheck:
    """Tell whether a pattern is an activation region of a network in a domain.

    Parameters
    ----------
    net : Network
        N neurons.
    pattern : ActivationPattern, str, or sequence of 0 and 1, length N
    domain : Box, Polytope, WholeSpace or Slice
        Of the network's input dimension.
    solver : str
        "plregions", or a reference that proposes the answer: "scipy" (HiGHS), "cvxpy" or
        "cvxpy:NAME". A proposal is checked exactly; where the check fails, plregions decides.

    Returns
    -------
    CellCheck
        True in a condition iff the pattern is a region; with a point inside or multipliers.

    Raises
    ------
    InvalidInputError
        Wrong dimensions, or a pattern of another length.

    Algorithm
    ---------
    The affine rows of all pre-activations under the pattern, then one linear program in integer
    arithmetic: Motzkin's alternative of an interior point or multipliers. A pre-activation that
    is identically 0 needs bit 0.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1], [1]], [0, -1]), ([[1, 1]], [0])])
    >>> plr.check_pattern(net, "10", plr.Box([-2], [2])).point
    (Fraction(1, 2),)
    >>> check = plr.check_pattern(net, "01", plr.Box([-2], [2]))
    >>> check.is_region, sorted(check.multipliers)
    (False, ['neuron 0', 'neuron 1'])
    """
    if not isinstance(net, Network):
        raise InvalidInputError(
            "check_pattern needs a Network, a pattern and a domain, in this order; got "
            f"{type(net).__name__}, {type(pattern).__name__}, {type(domain).__name__}."
        )
    prepared = prepare(net, domain)
    bits = as_bits(pattern, prepared.n_bits).astype(np.uint8)
    exact = ExactRows(prepared)
    own_walls = prepared.wall_rows[: prepared.n_walls]
    local: dict[str, IntRow] = {f"domain {i}": row for i, row in enumerate(own_walls)}
    vanished = ""
    for unit in np.flatnonzero(prepared.units.bit >= 0):
        name = f"neuron {int(prepared.units.bit[unit])}"
        row = exact.row(int(unit), bits)
        on = exact.bit_of(int(unit), bits)
        if any(row) or on:
            local[name] = row if on else tuple(-v for v in row)
        if on and not any(row):
            vanished = name
    rows = {name: prepared.frame.global_row(row) for name, row in local.items()}
    if vanished:
        reason = f"{vanished} is identically 0 under the earlier bits, so its bit is 0"
        return CellCheck(False, None, {vanished: Fraction(1)}, rows, reason)
    if prepared.is_homogeneous:
        # One pattern needs no bounded cell, and so no cone.
        local = {name: tuple(primitive_row(row)) for name, row in rows.items()}
        rows = {name: tuple(map(Fraction, row)) for name, row in local.items()}
    proposal = (
        None
        if isinstance(solver, str) and solver == "plregions"
        else propose(list(local.values()), solver)
    )
    said = proposal.said if proposal else None
    if proposal is not None and (proposal.point or proposal.multipliers):
        inside, weights = proposal.point, proposal.multipliers
    else:
        found = check_interior(list(local.values()), dim=domain.dim)
        inside, weights, solver = found.point, found.multipliers, "plregions"
    if inside is not None:
        point = inside if prepared.is_homogeneous else prepared.frame.to_global(inside)
        reason = "a region: every row is positive at the point"
        return CellCheck(True, point, None, rows, reason, solver, said)
    used = {name: Fraction(w) for name, w in zip(local, weights or (), strict=True) if w}
    reason = f"no region: {', '.join(used)} cannot all be positive"
    return CellCheck(False, None, used, rows, reason, solver, said)
