"""What walks have in common that keep every cell whole: an interval, polygon or polyhedron.

The compiled walk splits cells by the neurons that cut them, in order, and stops when something has
to be done outside. All of its state lives in arrays ``t``: the cells that are pending, the regions
that were found, and numbers in ``t.ctl``. ``at`` is the layout that tells where in them they stand.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from fractions import Fraction
from functools import cache, cached_property
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.tree import EVERY_DEPTH, Leaves
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.kernels import layout

__all__ = ["CellWalk"]


class CellWalk(ABC):
    """One walk over the regions of a prepared network; it can be stopped and continued.

    Without ``keep`` regions are proved and counted, and nothing is said of them. With ``divided``
    the walk stops at every cell below ``subtree_depth`` splits, which may then go to other threads.
    Divided or not, rows are made anew down to that depth, so that what is found there depends on
    the cell alone. A depth of 0 stands for a network that is too small for all this.
    """

    _t: Any

    def __init__(
        self, prepared: Prepared, at: ModuleType, subtree_depth: int, keep: bool, divided: bool
    ) -> None:
        self._prepared = prepared
        self._at = at
        self._units = prepared.units
        self._n_units = len(prepared.units.bias)
        n = prepared.n_walk
        self._n_layers = int(prepared.units.layer_of[n - 1]) + 1 if n else 0
        self._keep = keep
        self._anew = subtree_depth
        self._deepest = subtree_depth if divided and subtree_depth else EVERY_DEPTH
        self._exact: dict[int, Point] = {}
        self._n_exact_points = 0
        self.done = False
        self.at_subtree = False
        self.is_stuck = False

    @abstractmethod
    def _walk_on(self) -> int:
        """Let the kernel walk until something has to be done; returns the status."""

    @abstractmethod
    def _make_room(self) -> None:
        """Let the arrays grow, or set ``is_stuck`` where they cannot."""

    @abstractmethod
    def _part(self, slot: int) -> Any:
        """Return a state of its own for the cell in a slot."""

    @abstractmethod
    def _decide_exactly(self) -> None:
        """Replace all signs of the current question that are not proved by exact ones."""

    @abstractmethod
    def _inner_point(self) -> Point:
        """Return a point that is proved to lie inside the current cell."""

    def advance(self, seconds: float = 0.05) -> None:
        """Walk until the leaf buffer is full, about ``seconds`` have passed, or all is done.

        A walk that is divided also stops, with ``at_subtree`` set, at every cell for other threads;
        `split_off` must then be called before it goes on. A walk that ``is_stuck`` never goes on.
        """
        deadline = time.monotonic() + seconds
        while not (self.done or self.at_subtree or self.is_stuck):
            status = self._walk_on()
            if status == layout.DONE:
                self.done = True
            elif status == layout.SUBTREE:
                self.at_subtree = True
            elif status == layout.CHUNK_FULL:
                return
            elif status == layout.NEED_EXACT:
                self._decide_exactly()
            elif status == self._at.NEED_POINT:
                self._find_point()
            elif status == layout.GROW:
                self._make_room()
            if time.monotonic() > deadline:
                return

    def take(self) -> Leaves:
        """Remove the regions found since the last call; the rows kept are exactly the facets."""
        t, p = self._t, self._prepared
        n = self.n_waiting
        t.ctl[self._at.LEAVES] = 0
        exact, self._exact = self._exact, {}
        if not self._keep:
            return Leaves(t.leaf_bits[:n], t.leaf_kept[:n], t.leaf_point[:n, :0], {}, True)
        bits = t.leaf_bits[:n]
        if p.n_bits < p.n_walk:
            bits = bits[:, self._unit_of_bit]
        kept, points = t.leaf_kept[:n].copy(), t.leaf_point[:n, : p.dim].copy()
        return Leaves(np.packbits(bits, axis=1), kept, points, exact, rows_are_facets=True)

    def split_off(self) -> Self:
        """Return a walk of the current subtree alone, and go on behind it.

        What the new walk finds depends on its cell alone. To be called at a subtree, with the
        leaf buffer empty.
        """
        twin = copy(self)
        twin._t = self._part(self._slot)
        twin.__dict__.pop("_exact_rows", None)  # they remember the last cell
        twin._exact = {}
        twin._n_exact_points = 0
        twin._deepest = EVERY_DEPTH
        twin.at_subtree = self.at_subtree = False
        self._t.ctl[self._at.STAGE] = self._at.POP
        return twin

    @property
    def is_divided(self) -> bool:
        """Whether the walk stops at cells for other threads."""
        return self._deepest != EVERY_DEPTH

    @property
    def n_waiting(self) -> int:
        """Number of regions that were found and not taken yet."""
        return int(self._t.ctl[self._at.LEAVES])

    @property
    def depth(self) -> int:
        """Number of splits above the current cell."""
        return int(self._t.cell[self._slot, self._at.DEPTH])

    @property
    def share_done(self) -> float:
        """Share of the binary tree of splits that lies behind the walk, between 0 and 1."""
        if self.done:
            return 1.0
        t, at = self._t, self._at
        top = int(t.ctl[at.TOP])
        if t.ctl[at.STAGE] != at.POP:
            top += 1
        depths = t.cell[t.slots[:top], at.DEPTH]
        return max(0.0, 1.0 - sum(0.5 ** int(depth) for depth in depths))

    @property
    def statistics(self) -> dict[str, int]:
        """How many decisions were taken so far, and how."""
        ctl, at = self._t.ctl, self._at
        return {
            "splits": int(ctl[at.N_SPLITS]),
            "layers_opened": int(ctl[at.N_OPENED]),
            "layers_remade": int(ctl[at.N_REMADE]),
            "slopes_updated": int(ctl[at.N_FLIPS]),
            "exact": int(ctl[at.N_ASKED]),
            "exact_points": self._n_exact_points,
        }

    @property
    def _slot(self) -> int:
        """Where in the arrays the current cell stands."""
        return int(self._t.slots[self._t.ctl[self._at.TOP]])

    @cached_property
    def _unit_of_bit(self) -> NDArray[np.int64]:
        return np.flatnonzero(self._prepared.units.bit >= 0)

    @cached_property
    def _exact_rows(self) -> ExactRows:
        return ExactRows(self._prepared)

    def _rows_here(self) -> Callable[[int], IntRow]:
        """Return what gives the exact rows of units and walls under the current bits."""
        bits = self._t.bits[self._unit_of_bit]
        return cache(lambda number: self._exact_row(number, bits))

    def _exact_row(self, number: int, bits: NDArray[np.uint8]) -> IntRow:
        """Return the exact row of a unit or wall under the bits given."""
        if number < self._n_units:
            return self._exact_rows.row(number, bits)
        return self._prepared.wall_rows[number - self._n_units]

    def _find_point(self) -> None:
        """Give the newest leaf an exact point."""
        leaf = self.n_waiting - 1
        point = self._inner_point()
        floats = [float(v) for v in point]
        self._t.leaf_point[leaf, : self._prepared.dim] = floats
        if any(Fraction(f) != v for f, v in zip(floats, point, strict=True)):
            self._exact[leaf] = point
            self._n_exact_points += 1
