"""How an enumeration ended."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPLETE", "INTERRUPTED", "Outcome", "budget_exhausted"]


@dataclass(frozen=True)
class Outcome:
    """How an enumeration ended: complete, or why it is not.

    Attributes
    ----------
    name : str
        "COMPLETE", "BUDGET_EXHAUSTED" or "INTERRUPTED".
    which : str or None
        The budget that ran out: "max_regions" or "time_limit".
    help : str
        What it means and what can be done.

    Examples
    --------
    >>> COMPLETE.is_complete, str(budget_exhausted("time_limit"))
    (True, 'BUDGET_EXHAUSTED(time_limit)')
    """

    name: str
    which: str | None
    help: str

    @property
    def is_complete(self) -> bool:
        """Whether every region was found and every other branch proved empty."""
        return self.name == "COMPLETE"

    def __str__(self) -> str:
        return self.name if self.which is None else f"{self.name}({self.which})"


COMPLETE = Outcome(
    "COMPLETE",
    None,
    "Every region of the domain was found, and every other branch was proved empty.",
)
INTERRUPTED = Outcome(
    "INTERRUPTED",
    None,
    "The run was interrupted. The regions found so far are right; others are missing.",
)


def budget_exhausted(which: str) -> Outcome:
    """Return the outcome of a run that a budget stopped.

    Parameters
    ----------
    which : str
        The name of the budget's parameter.

    Returns
    -------
    Outcome
    """
    return Outcome(
        "BUDGET_EXHAUSTED",
        which,
        f"The run stopped at its {which}. The regions found so far are right; others are "
        f"missing. Give a larger {which}, or a smaller domain.",
    )
