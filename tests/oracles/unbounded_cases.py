"""Small networks over unbounded domains by seed, and boxes that hold all that there is to see.

The networks are those of `random_cases`; the domain's rows are some of theirs, or none.
"""

from __future__ import annotations

from fractions import Fraction

from oracles.random_cases import case

from plregions.domain import Polytope, Slice, WholeSpace
from plregions.network import Network, restrict

# Numbers in these networks have few digits or lie well apart: their vertices are far nearer.
REACH = 10**15


def unbounded_case(seed: int) -> tuple[Network, Polytope | WholeSpace | Slice]:
    """The network of a seed, and an unbounded domain of at most as many rows as dimensions."""
    _, net, domain = case(seed)
    inner = domain.domain if isinstance(domain, Slice) else domain
    open_ended: Polytope | WholeSpace = WholeSpace(inner.dim)
    if isinstance(inner, Polytope):
        n = 1 + seed % inner.dim
        open_ended = Polytope(inner.A[:n], inner.b[:n])
    if isinstance(domain, Slice):
        return net, Slice(domain.origin, domain.directions, open_ended)
    return net, open_ended


def in_a_large_box(
    net: Network, domain: Polytope | WholeSpace | Slice, reach: int = REACH
) -> tuple[Network, Polytope]:
    """The same question without embedding, the domain's rows first and then those of a box."""
    inner, base = restrict(net, domain)
    d = base.dim
    rows = [[-v for v in row[:-1]] for row in base.exact_rows()]
    right = [row[-1] for row in base.exact_rows()]
    for k in range(d):
        for sign in (-1, 1):
            rows.append([Fraction(sign * int(i == k)) for i in range(d)])
            right.append(Fraction(reach))
    return inner, Polytope(rows, right)
