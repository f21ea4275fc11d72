"""How do the networks of a depth profile compare with its first one, and with depth 3?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from plregions.analysis.counts import Measure
from plregions.analysis.distances import distance
from plregions.analysis.first_layer_width import first_layer_width_bound
from plregions.analysis.same_function import agreement
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.network import Network

__all__ = ["comparisons"]


def comparisons(
    names: Sequence[str] = ("agrees", "l2_squared"),
    *,
    exact: bool = True,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> dict[str, Measure]:
    """Return further columns for `depth_profile`, which compare functions instead of sizes.

    Parameters
    ----------
    names : sequence of str
        Which columns, in which order:

        "agrees"
            Whether it equals the first network at every point of the domain.
        "agrees_at_vertices"
            Whether it equals the first network at every corner of the domain, a box.
        "l2_squared"
            The integral of the squared difference to the first network; None in a domain without
            bounds.
        "first_layer"
            Every network of depth 3 that equals this one inside the domain has at least so many
            different first-layer hyperplanes that meet it: the lower bound of
            `first_layer_width_bound`, which is tau unless a limit was met. None in a domain
            without bounds.
    exact : bool
        Whether "l2_squared" is a rational. Between networks with float64 weights that rational is
        long and slow; otherwise it is rounded, as in `distance`.
    workers, max_regions, time_limit
        For each entry, as in `enumerate_regions`. An entry that a budget leaves undecided is None.

    Returns
    -------
    dict of str to function
        For the `measures` of `depth_profile`.

    Raises
    ------
    InvalidInputError
        Unknown names. When the columns are made: networks of different dimensions, vertices of
        another domain than a box.

    Algorithm
    ---------
    `agreement` and `distance`, each an enumeration of the difference of the two networks;
    `first_layer_width_bound`, an enumeration of the network.

    Exactness
    ---------
    As these.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions.constructions import parity_shallow, parity_tent, parity_xor_tree
    >>> nets = [parity_shallow(4), parity_tent(4), parity_xor_tree(2)]
    >>> names = ["agrees", "agrees_at_vertices", "l2_squared"]
    >>> profile = plr.depth_profile(nets, plr.hypercube(4), measures=comparisons(names))
    >>> for name in names:
    ...     print(name, *profile.column(name))
    agrees True True False
    agrees_at_vertices True True True
    l2_squared 0 0 13/90
    """
    limits: dict[str, Any] = {
        "workers": workers,
        "max_regions": max_regions,
        "time_limit": time_limit,
    }

    def agrees(net: Network, first: Network, domain: Any) -> bool | None:
        found = agreement(net, first, domain, gap=False, **limits)
        if found.stopped_by == "interrupt":
            raise KeyboardInterrupt  # for `depth_profile`, which then returns the rows it has
        return found.holds

    def agrees_at_vertices(net: Network, first: Network, domain: Any) -> bool | None:
        return agreement(net, first, domain, on="vertices").holds

    def l2_squared(net: Network, first: Network, domain: Any) -> Fraction | float | None:
        if not domain.is_bounded:
            return None
        try:
            return distance(net, first, domain, exact=exact, **limits).l2_squared
        except BudgetExhaustedError:
            return None

    def first_layer(net: Network, first: Network, domain: Any) -> int | None:
        if not domain.is_bounded:
            return None
        try:
            return first_layer_width_bound(net, domain, **limits).lower_bound
        except BudgetExhaustedError as error:
            if error.partial.outcome.name == "INTERRUPTED":
                raise KeyboardInterrupt from error
            return None

    known: dict[str, Measure] = {
        "agrees": agrees,
        "agrees_at_vertices": agrees_at_vertices,
        "l2_squared": l2_squared,
        "first_layer": first_layer,
    }
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in known:
            raise InvalidInputError(f"comparisons needs names of {', '.join(known)}; got {name!r}.")
    return {name: known[name] for name in chosen}
