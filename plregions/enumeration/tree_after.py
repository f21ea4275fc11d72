"""Where a walk over polygons gets stuck, the tree takes over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.planar import PlanarWalk
from plregions.enumeration.tree import Leaves, TreeWalk
from plregions.feasibility.prepare import Prepared

__all__ = ["TreeAfter"]


class TreeAfter:
    """The regions of a walk over polygons and, once it is stuck, the tree's; as one walk.

    Both come in the same order. The regions that are known are therefore those of the tree before
    the first one in the cell where the walk is stuck, whoever found them. ``within`` are the bits
    that all regions of a subtree have in common, when the walk is of a subtree alone.
    """

    def __init__(
        self,
        prepared: Prepared,
        cells: PlanarWalk,
        within: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None,
    ) -> None:
        self._prepared = prepared
        self._cells = cells
        self._within = within
        self._tree: TreeWalk | None = None
        self._is_behind = False

    @property
    def done(self) -> bool:
        """Whether everything was found."""
        return self._cells.done if self._tree is None else self._tree.done

    def advance(self, seconds: float = 0.05) -> None:
        """Walk for about ``seconds``, or until there is something to take or to split off."""
        self._cells.advance(seconds)
        # What the walk over polygons still holds comes first.
        if self._cells.is_stuck and not self._cells.n_waiting:
            if self._tree is None:
                self._tree = TreeWalk(self._prepared)
            self._tree.advance(seconds)

    def take(self) -> Leaves:
        """Remove the regions found since the last call and return them."""
        if self._tree is None or self._cells.n_waiting:
            return self._cells.take()
        return self._new_ones(self._tree.take())

    def split_off(self) -> TreeAfter:
        """Return a walk of the current subtree alone, and go on behind it."""
        within = self._cells.decided_bits()
        return TreeAfter(self._prepared, self._cells.split_off(), within)

    def close(self) -> None:
        """Stop what runs in the background."""
        self._cells.close()

    @property
    def at_subtree(self) -> bool:
        """Whether the walk waits for `split_off`."""
        return self._cells.at_subtree

    @property
    def is_divided(self) -> bool:
        """Whether the walk stops at cells for other threads."""
        return self._cells.is_divided

    @property
    def depth(self) -> int:
        """Number of splits above the current cell."""
        return self._cells.depth

    @property
    def share_done(self) -> float:
        """Share of the binary tree that lies behind the walk, between 0 and 1."""
        return (self._tree or self._cells).share_done

    @property
    def statistics(self) -> dict[str, int]:
        """How many decisions were taken so far, and how."""
        found = self._cells.statistics
        if self._tree is not None:
            for name, value in self._tree.statistics.items():
                found[name] = found.get(name, 0) + value
        return found

    def _new_ones(self, leaves: Leaves) -> Leaves:
        """Leave out the tree's regions that are known, and those outside the subtree."""
        is_new = np.ones(len(leaves), dtype=np.bool_)
        if self._within is not None:
            is_new = _have(leaves, *self._within)
        if not self._is_behind:
            (places,) = np.nonzero(_have(leaves, *self._cells.decided_bits()))
            is_new[: places[0] if len(places) else len(leaves)] = False
            self._is_behind = len(places) > 0
        places = np.flatnonzero(is_new)
        return Leaves(
            leaves.packed[places],
            leaves.kept[places],
            leaves.points[places],
            {i: leaves.exact[r] for i, r in enumerate(places.tolist()) if r in leaves.exact},
        )


def _have(leaves: Leaves, mask: NDArray[np.uint8], bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell of each region whether it has these packed bits where the mask has ones."""
    found: NDArray[np.bool_] = ((leaves.packed & mask) == bits).all(axis=1)
    return found
