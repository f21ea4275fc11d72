"""The cells of a network, chunk by chunk, until a limit is reached."""

from __future__ import annotations

from collections.abc import Iterator

from plregions.domain import Box, Polytope, WholeSpace
from plregions.enumeration import iter_regions
from plregions.enumeration.budget import Budget
from plregions.errors import BudgetExhaustedError
from plregions.network import Network
from plregions.regions import RegionComplex

__all__ = ["Cells", "Limits"]

# A time limit must be positive, also when it has just passed.
LEAST_SECONDS = 1e-6


class Limits:
    """What one question may cost, over all the enumerations that it takes.

    Parameters
    ----------
    workers, max_regions, time_limit
        As for `enumerate_regions`; the clock starts now.

    Attributes
    ----------
    workers : int
    max_regions : int or None

    Raises
    ------
    InvalidInputError
        Limits that are not positive.
    """

    def __init__(self, workers: int, max_regions: int | None, time_limit: float | None) -> None:
        self.workers = workers
        self.max_regions = max_regions
        self._time_limit = time_limit
        self._budget = Budget(max_regions, time_limit, None)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, above 0; None without one."""
        if self._time_limit is None:
            return None
        return max(self._time_limit - self._budget.seconds, LEAST_SECONDS)

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self._budget.exhausted(0) is not None


class Cells:
    """The regions of a network in a domain as a stream of chunks, within limits.

    Iterating ends when all were seen or a limit was reached: then `stopped_by` says which, as it
    does when the consumer sets it.

    Parameters
    ----------
    network : Network
    domain : Box, Polytope or WholeSpace
    limits : Limits
    count_matters : bool
        Whether `max_regions` applies.
    """

    def __init__(
        self,
        network: Network,
        domain: Box | Polytope | WholeSpace,
        limits: Limits,
        *,
        count_matters: bool = True,
    ) -> None:
        self._limits = limits
        self._stream = iter_regions(
            network,
            domain,
            workers=limits.workers,
            max_regions=limits.max_regions if count_matters else None,
            time_limit=limits.seconds_left,
        )
        self.stopped_by: str | None = None

    def __iter__(self) -> Iterator[RegionComplex]:
        before = None
        try:
            for region in self._stream:
                if region.complex is not before:
                    before = region.complex
                    yield before
                    if self.stopped_by is not None:
                        return
        except BudgetExhaustedError:
            self.stopped_by = "time_limit" if self._limits.is_late else "max_regions"
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"

    def check_time(self) -> None:
        """Stop if the time is over."""
        if self._limits.is_late:
            self.stopped_by = "time_limit"
