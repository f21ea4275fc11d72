"""Does this thread's processor keep subnormal numbers, or read and write them as zero?"""

from __future__ import annotations

from sys import float_info

from plregions.errors import FlushToZeroError

__all__ = ["require_subnormals", "subnormals_are_kept"]


def subnormals_are_kept() -> bool:
    """Return whether 2**-1023 is told from zero, as a result and as an operand.

    Some libraries switch this off in the processor, for the thread that loads or calls them and
    for those it starts. Cost one multiplication: cheap enough to ask before every question.
    """
    return float_info.min * 0.5 > 0.0  # read at run time, so that no compiler does the product


def require_subnormals() -> None:
    """Raise FlushToZeroError unless subnormal numbers are kept.

    Error bounds would cover results that underflow to zero. But a weight that is read as zero
    looks like one that is zero, and that is a fact on which proofs rest.
    """
    if not subnormals_are_kept():
        raise FlushToZeroError(
            "regions need subnormal numbers; got a processor state in which they count as zero "
            "(flush-to-zero), set by a library in this thread: torch.set_flush_denormal(True), or "
            "code built with -ffast-math. Switch it off, with torch.set_flush_denormal(False), or "
            "work in a process that does not load that library."
        )
