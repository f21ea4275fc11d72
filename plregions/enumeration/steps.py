"""The steps of a proof while a walk runs: which neurons do not cut which cells, and why not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Steps", "joined_steps"]


@dataclass(frozen=True)
class Steps:
    """Steps in the order in which the walk took them.

    ``place`` (k, 3) int64: the number of the first region in the cell, counted from the start of
    the chunk; how many of its bits the cell has; the bit that is the same all over the cell.
    ``rows`` (k, w) int32: the cell's constraints that prove it, bits or n_bits + i for the
    domain's row i, filled up with -1.
    """

    place: NDArray[np.int64]
    rows: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.place)


def joined_steps(parts: list[Steps | None], lengths: list[int]) -> Steps | None:
    """Put the steps of chunks of so many regions together; None when nothing was recorded."""
    starts = np.cumsum([0, *lengths]).tolist()
    known = [(part, start) for part, start in zip(parts, starts, strict=False) if part is not None]
    if not known:
        return None
    places = [part.place + np.array([start, 0, 0]) for part, start in known]
    return Steps(np.concatenate(places), np.concatenate([part.rows for part, _ in known]))
