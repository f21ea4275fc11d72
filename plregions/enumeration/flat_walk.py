"""What walks over polygons and over intervals have in common: their arrays and their threads."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.cell_walk import CellWalk
from plregions.enumeration.planar_state import first_state, grown, part_of, put_back
from plregions.feasibility.prepare import Prepared
from plregions.kernels import planar_layout
from plregions.kernels.planar_layout import Planar

__all__ = ["WORK_A_PAUSE", "FlatWalk"]

# About a millisecond of work: how often the walk looks at the clock and lets Python see Ctrl-C.
WORK_A_PAUSE = 16000

# Up to 2**7 subtrees; networks of fewer units are done before threads have started. Where all lines
# of layer 0 meet in 0 there are far fewer regions, and rows made anew would take most of the time.
SUBTREE_DEPTH = 7
SUBTREE_DEPTH_WITHOUT_BIAS = 4
LEAST_UNITS = 256


class FlatWalk(CellWalk):
    """A `CellWalk` in one or two local coordinates."""

    _t: Planar

    def __init__(
        self,
        prepared: Prepared,
        chunk_size: int = 4096,
        keep: bool = True,
        divided: bool = False,
    ) -> None:
        super().__init__(prepared, planar_layout, _subtree_depth(prepared), keep, divided)
        self._t = first_state(prepared, self._first_corners(), chunk_size, keep)

    def close(self) -> None:
        """Leave the arrays of a count that is done to the next one."""
        if self.done and not self._keep and not self.is_divided:
            put_back(self._prepared, self._t)

    @abstractmethod
    def _first_corners(self) -> NDArray[np.float64]:
        """Return the corners or ends of the first cell as columns of ``V``; EDGE is a wall."""

    def _make_room(self) -> None:
        self._t = grown(self._t)

    def _part(self, slot: int) -> Planar:
        return part_of(self._t, slot)


def _subtree_depth(p: Prepared) -> int:
    """Return how many splits down the subtrees for threads start."""
    if p.n_walk < LEAST_UNITS:
        return 0
    constants = p.first_rows[0][:, -1]
    return SUBTREE_DEPTH if constants.any() else min(SUBTREE_DEPTH, SUBTREE_DEPTH_WITHOUT_BIAS)
