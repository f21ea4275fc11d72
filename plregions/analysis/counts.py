"""How do the numbers of regions change with depth? One row for each network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from plregions.analysis.equal_size import Member, as_members
from plregions.analysis.lower_bounds import best_lower_bound
from plregions.analysis.table_forms import Shown, Table
from plregions.analysis.upper_bounds import network_bound
from plregions.domain import Domain
from plregions.enumeration import enumerate_regions
from plregions.errors import InvalidInputError
from plregions.network import Network
from plregions.regions import RegionComplex

__all__ = ["DepthProfile", "DepthRow", "Measure", "depth_profile"]

# What a further column may hold.
Entry = int | float | bool | str | Fraction | None
# Of the network of a row, the first network and the domain.
Measure = Callable[[Network, Network, Domain], Entry]


@dataclass(frozen=True)
class DepthRow:
    """What is known of one network.

    Attributes
    ----------
    family : str
    seed : int or None
    depth : int
        Affine maps: hidden layers + 1.
    widths : tuple of int
        Units of the hidden layers.
    neurons : int
        Units with a kink.
    parameters : int
        Entries of all weights and biases, zeros included.
    score : float or None
        How well a trained network fits its data.
    activation : int
        Activation regions in the domain; where `complete` is False, those found.
    linear, maps : int or None
        Linear regions and distinct affine maps; None where `complete` is False.
    upper : int
        No network with layers of these widths and ranks has more activation regions, in any domain
        of this dimension: `network_bound`.
    lower : int
        Some ReLU network of these widths, whatever its ranks, has so many linear regions on the
        whole space; 1 where no construction is known: `best_lower_bound`.
    complete : bool
        Whether the counts are proved to be those of all regions.
    more : tuple of (str, int, float, bool, str, Fraction or None)
        Name and entry of the further columns that were asked for.

    Examples
    --------
    >>> import plregions as plr
    >>> row = depth_profile([plr.mlp("2-4-1")], plr.hypercube(2, -1, 1)).rows[0]
    >>> row.activation, row.linear, row.maps, row.upper
    (8, 8, 8, 11)
    """

    family: str
    seed: int | None
    depth: int
    widths: tuple[int, ...]
    neurons: int
    parameters: int
    score: float | None
    activation: int
    linear: int | None
    maps: int | None
    upper: int
    lower: int
    complete: bool
    more: tuple[tuple[str, Entry], ...] = ()

    def value(self, column: str) -> Any:
        """Return the entry of a column, one of the fields or of the further ones."""
        if column in COLUMNS:
            return getattr(self, column)
        further = dict(self.more)
        if column not in further:
            names = ", ".join([*COLUMNS, *further])
            raise InvalidInputError(f"A row needs one of the columns {names}; got {column!r}.")
        return further[column]


COLUMNS = tuple(f.name for f in fields(DepthRow) if f.name != "more")


@dataclass(frozen=True, repr=False)
class DepthProfile(Table):
    """The rows of `depth_profile`; ``str()`` is a table.

    Attributes
    ----------
    rows : tuple of DepthRow
        In the order of the networks.
    domain : Domain
    n_left_out : int
        Networks at the end of the list that an interrupt left out.

    Examples
    --------
    >>> import plregions as plr
    >>> nets = [plr.mlp("1-4-1"), plr.mlp("1-2-2-1")]
    >>> profile = depth_profile(nets, plr.Box([-1], [1]))
    >>> profile.columns[:4], profile.column("depth")
    (('family', 'seed', 'depth', 'widths'), (2, 3))
    """

    rows: tuple[DepthRow, ...]
    domain: Domain
    n_left_out: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*COLUMNS, *(name for name, _ in (self.rows[0].more if self.rows else ())))

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths that occur, ascending."""
        return tuple(sorted({row.depth for row in self.rows}))

    @property
    def is_complete(self) -> bool:
        """Whether no network is left out and all counts are proved to be those of all regions."""
        return self.n_left_out == 0 and all(row.complete for row in self.rows)

    def column(self, name: str) -> tuple[Any, ...]:
        """Return the entries of a column."""
        return tuple(row.value(name) for row in self.rows)

    def __repr__(self) -> str:
        return f"DepthProfile({self._title()})"

    def _title(self) -> str:
        left_out = f", interrupted: {self.n_left_out} left out" if self.n_left_out else ""
        n = len(self.rows)
        return f"{n} {'network' if n == 1 else 'networks'} in {self.domain!r}{left_out}"

    def _caption(self) -> str:
        return f"Depth profile in {self.domain!r}"

    def _shown(self) -> Shown:
        """Return heads and rows without the columns in which nothing stands."""
        columns = {n: c for n, c in self._columns().items() if any(v not in (None, "") for v in c)}
        if "widths" in columns:
            columns["widths"] = ["-".join(map(str, w)) or "none" for w in columns["widths"]]
        return list(columns), list(zip(*columns.values(), strict=True))

    def _columns(self) -> dict[str, Sequence[Any]]:
        return {name: self.column(name) for name in self.columns}

    def _attrs(self) -> dict[str, Any]:
        return {"domain": repr(self.domain), "complete": self.is_complete}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and texts; rationals as "13/90"."""
        return {**self._attrs(), "left_out": self.n_left_out, "rows": self._records()}


def depth_profile(
    networks: Iterable[Network | Member],
    domain: Domain,
    *,
    measures: Mapping[str, Measure] | None = None,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> DepthProfile:
    """Count the regions of networks in one domain, beside sizes and bounds: a row for each.

    Parameters
    ----------
    networks : iterable of Network or Member
        Of one input dimension, that of the domain. `random_family` makes members; so does
        `trained_family` in `plregions.readers.trained_family`.
    domain : Domain
    measures : mapping of str to function, optional
        Further columns: each function takes the network of the row, the first network and the
        domain, and returns a number, a bool, a text or None.
    workers, max_regions, time_limit
        For each network, as in `plregions.enumerate_regions`. A row whose enumeration was stopped
        says so and has no linear regions and maps.

    Returns
    -------
    DepthProfile
        After an interrupt (Ctrl-C) the rows of the networks that were done.

    Raises
    ------
    InvalidInputError
        No networks, other things than networks, a domain that does not fit their inputs, names of
        measures that are columns already.

    Algorithm
    ---------
    One enumeration for each network gives all three counts.

    Exactness
    ---------
    Counts and bounds are exact.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions.analysis.equal_size import random_family
    >>> members = random_family(2, 1, [2, 3], neurons=8, seeds=2)
    >>> print(depth_profile(members, plr.hypercube(2, -1, 1)).to_markdown())
    | family | seed | depth | widths | neurons | parameters | activation | ...
    """
    members = as_members("depth_profile", networks)
    further = {} if measures is None else measures
    if not isinstance(further, Mapping) or not all(map(callable, further.values())):
        raise InvalidInputError(
            "depth_profile needs measures as a dict of functions of (network, first network, "
            f"domain); got {measures!r:.60}."
        )
    taken = [name for name in further if name in COLUMNS]
    if taken:
        raise InvalidInputError(
            f"depth_profile needs measures with names of their own; got {taken[0]!r}, which is a"
            " column already."
        )
    limits = {"workers": workers, "max_regions": max_regions, "time_limit": time_limit}
    first = members[0].network
    rows: list[DepthRow] = []
    try:
        for member in members:
            regions = enumerate_regions(member.network, domain, **limits)  # type: ignore[arg-type]
            if regions.outcome.name == "INTERRUPTED":
                break
            row = _row(member, regions)
            more = [(name, f(member.network, first, domain)) for name, f in further.items()]
            rows.append(replace(row, more=tuple(more)))
    except KeyboardInterrupt:
        pass  # the rows so far are right
    return DepthProfile(tuple(rows), domain, len(members) - len(rows))


def _row(member: Member, regions: RegionComplex) -> DepthRow:
    net, complete = member.network, regions.is_complete
    return DepthRow(
        family=member.family,
        seed=member.seed,
        depth=net.depth,
        widths=net.widths,
        neurons=net.n_neurons,
        parameters=sum(layer.weight.size + layer.bias.size for layer in net.layers),
        score=member.score,
        activation=len(regions),
        linear=regions.linear.n_regions if complete else None,
        maps=regions.n_maps if complete else None,
        upper=network_bound(net, min(regions.domain.dim, net.input_dim)),
        lower=best_lower_bound(net.input_dim, net.widths),
        complete=complete,
    )
