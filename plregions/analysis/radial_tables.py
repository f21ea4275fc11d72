"""Error against width, dimension and regions: one row for each network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from plregions.analysis.columns import json_value
from plregions.analysis.radial_errors import radial_error
from plregions.analysis.radial_functions import RadialFunction
from plregions.analysis.radial_means import radial_mse
from plregions.analysis.table_forms import Shown, Table
from plregions.domain import Box, hypercube
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.exact.arrays import fraction
from plregions.exact.words import short_text
from plregions.network import Network

__all__ = ["RadialRow", "RadialTable", "radial_table"]


@dataclass(frozen=True)
class RadialRow:
    """One network against rho(||x||) on [-reach, reach]^dim.

    Attributes
    ----------
    name : str
    dim : int
    depth : int
        Affine maps: hidden layers + 1.
    widths : tuple of int
        Units of the hidden layers.
    neurons : int
    regions, linear : int or None
        Activation regions and linear regions in the box; None where a budget ran out.
    lower, upper : float or None
        Proven bounds of the largest error; None where a budget ran out.
    rms, rms_error : float
        Estimates: the root of the mean squared error, and how far off it may be.
    """

    name: str
    dim: int
    depth: int
    widths: tuple[int, ...]
    neurons: int
    regions: int | None
    linear: int | None
    lower: float | None
    upper: float | None
    rms: float
    rms_error: float


COLUMNS = tuple(field.name for field in fields(RadialRow))


@dataclass(frozen=True)
class RadialTable(Table):
    """The rows of `radial_table`; ``str()`` is a table.

    Attributes
    ----------
    rows : tuple of RadialRow
        In the order of the networks.
    rho : RadialFunction
    reach : Fraction

    Examples
    --------
    >>> from plregions import constructions, euclidean_norm, radial_table
    >>> radial_table([constructions.l1_norm(2)], euclidean_norm()).column("regions")
    (4,)
    """

    rows: tuple[RadialRow, ...]
    rho: RadialFunction
    reach: Fraction

    def column(self, name: str) -> tuple[Any, ...]:
        """Return the entries of a column."""
        if name not in COLUMNS:
            raise InvalidInputError(
                f"RadialTable needs one of the columns {', '.join(COLUMNS)}; got {name!r}."
            )
        return tuple(getattr(row, name) for row in self.rows)

    def _caption(self) -> str:
        reach = short_text(self.reach)
        return f"errors against {self.rho!r} on [-{reach}, {reach}]^d"

    def _shown(self) -> Shown:
        columns = self._columns()
        columns["widths"] = ["-".join(map(str, widths)) for widths in columns["widths"]]
        return COLUMNS, list(zip(*columns.values(), strict=True))

    def _columns(self) -> dict[str, Sequence[Any]]:
        return {name: self.column(name) for name in COLUMNS}

    def _attrs(self) -> dict[str, Any]:
        return {"rho": repr(self.rho), "reach": short_text(self.reach)}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and texts."""
        return {
            "rho": repr(self.rho),
            "reach": json_value(self.reach),
            "rows": self._records(),
        }


def radial_table(
    networks: Mapping[str, Network] | Iterable[Network],
    rho: RadialFunction,
    *,
    reach: Any = 1,
    n_points: int = 2**15,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> RadialTable:
    """Bound and estimate the errors of networks as approximations of rho(||x||): a row for each.

    Parameters
    ----------
    networks : mapping of str to Network, or iterable of Network
        With one output; inputs may differ in number.
    rho : RadialFunction
    reach : int, float, Fraction or str
        Above 0: the domain of a network with d inputs is the box [-reach, reach]^d.
    n_points : int
        For the estimates, as in `radial_mse`.
    workers, max_regions, time_limit
        For each network, as in `enumerate_regions`. A row whose enumeration was stopped has no
        regions and no bounds.

    Returns
    -------
    RadialTable

    Raises
    ------
    InvalidInputError
        No networks, several outputs, a reach that is not above 0.

    Algorithm
    ---------
    `radial_error` and `radial_mse`.

    Exactness
    ---------
    Counts are exact, `lower` and `upper` are proved; `rms` is an estimate.

    Examples
    --------
    >>> from plregions.analysis.radial_functions import euclidean_norm
    >>> from plregions.constructions import norm_ridges
    >>> table = radial_table([norm_ridges(2, k) for k in (2, 4)], euclidean_norm())
    >>> [(row.widths, row.regions, round(row.upper, 4)) for row in table.rows]
    [((4,), 4, 0.2426), ((8,), 8, 0.056)]
    """
    named = networks.items() if isinstance(networks, Mapping) else _unnamed(networks)
    pairs = list(named)
    if not pairs or not all(isinstance(net, Network) for _, net in pairs):
        raise InvalidInputError(
            f"radial_table needs one or more networks; got {networks!r:.60}. Give a list of them."
        )
    try:
        size = fraction(reach)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"radial_table needs a reach; {error}") from None
    if size <= 0:
        raise InvalidInputError(f"radial_table needs a reach above 0; got {size}.")
    limits = {"workers": workers, "max_regions": max_regions, "time_limit": time_limit}
    rows = []
    for name, net in pairs:
        box = hypercube(net.input_dim, -size, size)
        rows.append(_row(str(name), net, rho, box, n_points, limits))
    return RadialTable(tuple(rows), rho, size)


def _unnamed(networks: Any) -> list[tuple[str, Any]]:
    return [("", net) for net in networks] if isinstance(networks, Iterable) else []


def _row(
    name: str, net: Network, rho: RadialFunction, box: Box, n_points: int, limits: dict[str, Any]
) -> RadialRow:
    regions = linear = lower = upper = None
    try:
        error = radial_error(net, rho, box, **limits)
        lower, upper, regions = error.lower, error.upper, len(error.regions)
        linear = error.regions.linear.n_regions
    except BudgetExhaustedError:
        pass  # the estimate needs no regions
    found = radial_mse(net, rho, box, n_points=n_points)
    root = found.root
    return RadialRow(
        name=name,
        dim=net.input_dim,
        depth=net.depth,
        widths=net.widths,
        neurons=net.n_neurons,
        regions=regions,
        linear=linear,
        lower=lower,
        upper=upper,
        rms=root,
        rms_error=found.error / (2 * root) if root else 0.0,
    )
