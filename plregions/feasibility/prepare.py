"""A network and a domain, made ready for deciding cells: local coordinates and float images.

Local coordinates ``u`` put the domain inside the box ``|u_k| <= 1``: ``x = middle + 2**h * u``
with integer ``h`` and a middle that is 0 wherever 0 lies between the bounds. Scaling by powers of
two is exact, so float weights stay exact unless the middle moves them. Every unit is scaled by a
power of two as well, so that layers of very large or small weights cost no accuracy.

An unbounded domain has one local coordinate more, and its regions are cones there; see
`plregions.feasibility.homogenise`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from plregions.domain import Box, Domain, Polytope, Slice, WholeSpace
from plregions.errors import InvalidInputError
from plregions.exact.integers import primitive_row
from plregions.exact.subnormals import require_subnormals
from plregions.feasibility.frame import Frame
from plregions.feasibility.grains import Grains, grains_of
from plregions.feasibility.homogenise import (
    HomogeneousFrame,
    box_rows,
    has_cones,
    homogenised,
    horizon,
    scale_for,
)
from plregions.feasibility.kept import kept
from plregions.feasibility.multiples import Multiples
from plregions.feasibility.network_columns import (
    FirstRows,
    NetworkColumns,
    columns_and_first_rows,
)
from plregions.feasibility.walls import Walls, walls_of, walls_of_box
from plregions.kernels.layout import Units
from plregions.network import Network, restrict

__all__ = ["Domain", "Frame", "Prepared", "of_domain", "prepare"]

IntRow = tuple[int, ...]

T = TypeVar("T")

DOMAINS = (Box, Polytope, WholeSpace, Slice)


@dataclass(frozen=True)
class Prepared:
    """A network over a domain in local coordinates, exact and as floats with error bounds.

    ``network`` and ``domain`` are free of slices: a slice has been composed into layer 0.
    ``engine`` is what the cells are decided for: the network itself, or over an unbounded domain
    the homogenised one.
    ``first_rows`` are layer 0's rows with their errors, sizes and flags; ``walls`` the domain's
    constraint rows as kernel columns (C, E, S, Z). The first ``n_walls`` of them are the domain's
    own, the others, ``cut``, are artificial.
    """

    network: Network
    domain: Box | Polytope | WholeSpace
    engine: Network
    frame: Frame | HomogeneousFrame
    columns: NetworkColumns
    first_rows: FirstRows
    walls: Walls
    cut: Sequence[Sequence[Fraction]]

    @property
    def units(self) -> Units:
        """The engine's units as the kernels have them."""
        return self.columns.units

    @property
    def n_walk(self) -> int:
        """The first so many units hold all bits."""
        return self.columns.n_walk

    @cached_property
    def exact_walls(self) -> tuple[Sequence[Fraction], ...]:
        """The walls, exact."""
        return (*map(self.frame.local_row, self.domain.exact_rows()), *self.cut)

    @cached_property
    def wall_rows(self) -> tuple[IntRow, ...]:
        """The walls as primitive integer rows."""
        return tuple(tuple(primitive_row(row)) for row in self.exact_walls)

    @property
    def dim(self) -> int:
        """Number of local coordinates."""
        return len(self.frame.middle)

    @property
    def n_walls(self) -> int:
        """Number of the domain's own rows."""
        return len(self.walls[0]) - len(self.cut)

    @property
    def is_homogeneous(self) -> bool:
        """Whether points of the domain are rays in local coordinates, of one dimension more."""
        return isinstance(self.frame, HomogeneousFrame)

    @cached_property
    def grains(self) -> Grains:
        """Which rows are small integers up to a power of two."""
        return grains_of(self.columns.grains, self.first_rows, self.walls)

    @property
    def multiples(self) -> Multiples:
        """Which units are multiples of others of their layer."""
        return self.columns.multiples

    @property
    def n_bits(self) -> int:
        """Length of an activation pattern."""
        return self.network.n_neurons


def prepare(network: Network, domain: Domain) -> Prepared:
    """Bring a network and a domain into local coordinates.

    Cost is linear in the number of weights, or of those of layer 0 for a network that was prepared
    before. Everything is exact or carries a proved error bound.
    Raises FlushToZeroError where the processor counts subnormal numbers as zero.
    """
    require_subnormals()
    if not isinstance(domain, DOMAINS):
        raise InvalidInputError(
            f"regions need a Box, Polytope, WholeSpace or Slice; got {type(domain).__name__}. "
            "Use Box(lower, upper)."
        )
    if domain.ambient_dim != network.input_dim:
        raise InvalidInputError(
            f"regions need a domain with the network's {network.input_dim} inputs; got one of "
            f"dimension {domain.ambient_dim}. Give a bound for each input, or a Slice that "
            "fixes the others."
        )
    net, base = restrict(network, domain) if isinstance(domain, Slice) else (network, domain)
    engine, frame, cut, walls = _localised(net, base)
    columns, first_rows = columns_and_first_rows(engine, frame)
    return Prepared(net, base, engine, frame, columns, first_rows, walls, cut)


def _localised(
    net: Network, base: Box | Polytope | WholeSpace
) -> tuple[Network, Frame | HomogeneousFrame, Sequence[Sequence[Fraction]], Walls]:
    """Return the network to decide for, its local coordinates, artificial walls, and all walls."""
    if base.is_bounded:
        return net, *kept(base, "walls", lambda: _local_walls(base))
    engine, d = net, base.dim
    local: Frame | HomogeneousFrame
    if has_cones(net, base):
        local, cut = Frame.of_unit_box(d), box_rows(d)
    else:
        engine = kept(net, "homogenised", lambda: homogenised(net))
        local, cut = HomogeneousFrame(d, scale_for(net, base)), [horizon(d), *box_rows(d + 1)]
    return engine, local, cut, walls_of([*map(local.local_row, base.exact_rows()), *cut])


def _local_walls(base: Box | Polytope | WholeSpace) -> tuple[Frame, tuple[()], Walls]:
    """Return local coordinates of a bounded domain, no artificial walls, and the domain's own."""
    found = walls_of_box(base) if isinstance(base, Box) else None
    if found is not None:
        return found[0], (), found[1]
    frame = Frame.around(*base.bounding_box())
    return frame, (), walls_of([*map(frame.local_row, base.exact_rows())])


def of_domain(p: Prepared, name: str, make: Callable[[], T]) -> T:
    """Return what ``make`` gives, which follows from the domain and its local coordinates.

    It is kept with a bounded domain; over others coordinates depend on the network.
    """
    return kept(p.domain, name, make) if p.domain.is_bounded else make()
