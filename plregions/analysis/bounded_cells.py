"""The regions of a network in a bounded domain, one by one, ready to be integrated over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from plregions.analysis.cell_stream import Cells, Limits
from plregions.analysis.simplex_integrals import CellIntegrals, cell_integrals
from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.network import Network, restrict
from plregions.regions import RegionComplex

__all__ = ["Cell", "bounded_cells"]


@dataclass(frozen=True)
class Cell:
    """A region and the outputs on it.

    Attributes
    ----------
    chunk : RegionComplex
    index : int
    integrals : CellIntegrals
    """

    chunk: RegionComplex
    index: int
    integrals: CellIntegrals

    def point(self, place: int) -> tuple[Fraction, ...]:
        """Return one of the region's vertices in the domain's coordinates."""
        return self.chunk.vertices.points[self.integrals.vertices[place]]


def bounded_cells(
    verb: str, network: Network, domain: Box | Polytope | WholeSpace | Slice, limits: Limits
) -> Iterator[Cell]:
    """Yield the regions of a network with their integrals.

    Parameters
    ----------
    verb : str
        Who asks, for error messages.
    network : Network
    domain : Box, Polytope or Slice
        Bounded.
    limits : Limits

    Yields
    ------
    Cell

    Raises
    ------
    InvalidInputError
        An unbounded domain.
    BudgetExhaustedError
        A budget ran out before all regions were seen.
    KeyboardInterrupt
        As it comes.

    Algorithm
    ---------
    The enumeration's chunks; vertices are found for a chunk at a time.

    Exactness
    ---------
    Exact.
    """
    if not isinstance(domain, Box | Polytope | WholeSpace | Slice) or not domain.is_bounded:
        raise InvalidInputError(
            f"{verb} needs a bounded domain; got {domain!r:.80}. Use Box(lower, upper)."
        )
    local, base = restrict(network, domain)
    cells = Cells(local, base, limits)
    for chunk in cells:
        for index in range(chunk.n_regions):
            cells.check_time()
            if cells.stopped_by is not None:
                break
            yield Cell(chunk, index, cell_integrals(local, chunk, index))
    if cells.stopped_by == "interrupt":
        raise KeyboardInterrupt
    if cells.stopped_by is not None:
        raise BudgetExhaustedError(
            f"{verb} needs more than the {cells.stopped_by} allows. Give a larger one, or a "
            "smaller domain."
        )
