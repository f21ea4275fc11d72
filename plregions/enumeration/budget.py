"""What a run may cost, and what it tells while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plregions.errors import InvalidInputError

__all__ = ["Budget", "Progress", "ProgressCallback"]

SECONDS_BETWEEN_REPORTS = 0.1


@dataclass(frozen=True)
class Progress:
    """A report from a running enumeration.

    Attributes
    ----------
    n_regions : int
        Regions found so far.
    seconds : float
        Wall-clock time so far.
    upper_bound : int
        No network of these widths has more regions.
    share_done : float
        Share of the search tree that lies behind, between 0 and 1; regions are not spread evenly
        over the tree.

    Examples
    --------
    >>> Progress(n_regions=1200, seconds=0.5, upper_bound=6_330_256, share_done=0.25).n_regions
    1200
    """

    n_regions: int
    seconds: float
    upper_bound: int
    share_done: float


ProgressCallback = Callable[[Progress], object]


class Budget:
    """A clock with limits."""

    def __init__(
        self, max_regions: int | None, time_limit: float | None, progress: ProgressCallback | None
    ) -> None:
        if max_regions is not None and not (
            isinstance(max_regions, int | np.integer)
            and not isinstance(max_regions, bool)
            and max_regions >= 1
        ):
            raise InvalidInputError(
                f"max_regions needs a whole number of at least 1, or None; got {max_regions!r}."
            )
        if time_limit is not None and not (
            isinstance(time_limit, int | float | np.number)
            and not isinstance(time_limit, bool)
            and time_limit > 0
        ):
            raise InvalidInputError(
                f"time_limit needs a positive number of seconds, or None; got {time_limit!r}."
            )
        if progress is not None and not callable(progress):
            raise InvalidInputError(
                f"progress needs a function that takes a Progress, or None; got {progress!r}."
            )
        self.max_regions = max_regions
        self._time_limit = time_limit
        self._progress = progress
        self._start = time.monotonic()
        self._next_report = self._start + SECONDS_BETWEEN_REPORTS

    @property
    def seconds(self) -> float:
        """Wall-clock time since the start."""
        return time.monotonic() - self._start

    def exhausted(self, n_regions: int) -> str | None:
        """Return the name of the budget that has run out, or None."""
        if self.max_regions is not None and n_regions > self.max_regions:
            return "max_regions"
        if self._time_limit is not None and self.seconds >= self._time_limit:
            return "time_limit"
        return None

    def slice_seconds(self) -> float:
        """Return how long to work before looking at the budget again."""
        if self._time_limit is None:
            return SECONDS_BETWEEN_REPORTS / 2
        return min(SECONDS_BETWEEN_REPORTS / 2, max(self._time_limit - self.seconds, 0.0))

    @property
    def report_is_due(self) -> bool:
        """Whether somebody wants a report and the last one is a while ago."""
        return self._progress is not None and time.monotonic() >= self._next_report

    def report(self, n_regions: int, upper_bound: int, share_done: float) -> None:
        """Tell the caller how far the run is."""
        now = time.monotonic()
        self._next_report = now + SECONDS_BETWEEN_REPORTS
        if self._progress is not None:
            self._progress(Progress(n_regions, now - self._start, upper_bound, share_done))
