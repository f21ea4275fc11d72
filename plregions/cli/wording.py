"""How are counts, options and the end of a run put into words?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from plregions.regions import Outcome

__all__ = ["NOUNS", "Status", "flag", "listed", "plural", "status_of"]

# What is counted, by the kind of count.
NOUNS = {
    "activation": "activation region",
    "linear": "linear region",
    "maps": "distinct affine map",
}


class Status(NamedTuple):
    """How a run ended: in words, and as the members of a JSON answer."""

    complete: bool
    stopped_by: str | None
    words: str


def status_of(outcome: Outcome) -> Status:
    """Return what an outcome says."""
    if outcome.name == "COMPLETE":
        return Status(True, None, "complete")
    if outcome.name == "INTERRUPTED":
        return Status(False, "interrupt", "incomplete: interrupted")
    return Status(False, outcome.which, f"incomplete: stopped at {flag(outcome.which)}")


def flag(option: str | None) -> str:
    """Return ``--max-regions`` for "max_regions"."""
    return f"--{option.replace('_', '-')}" if option else "a limit"


def plural(noun: str, n: int) -> str:
    """Return ``1 region`` or ``2 regions``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def listed(items: Iterable[object], separator: str = " ") -> str:
    """Return the items as one text."""
    return separator.join(map(str, items))
