"""How far is the run? One line on a terminal, and nothing anywhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from plregions.enumeration import Progress

__all__ = ["Meter", "meter_on_terminal"]


@contextmanager
def meter_on_terminal() -> Iterator[Meter | None]:
    """Give a meter if stderr is a terminal; clear its line at the end, whatever happens."""
    meter = Meter(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
    try:
        yield meter
    finally:
        if meter is not None:
            meter.clear()


class Meter:
    """Progress on one line of a terminal: nothing in the first half second, then five a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = time.monotonic() + 0.5
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Show a report, if one is due."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.2
        rate = progress.n_regions / progress.seconds if progress.seconds > 0 else 0
        bound = progress.upper_bound
        most = f"{bound:,}" if bound < 10**12 else f"about 10^{bound.bit_length() * 0.30103:.0f}"
        self.show(
            f"{progress.n_regions:,} regions so far, {rate:,.0f}/s,"
            f" {progress.share_done:.0%} of the tree, at most {most}"
        )

    def show(self, text: str) -> None:
        """Replace the line."""
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            columns = 80
        text = text[: columns - 1]
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def clear(self) -> None:
        """Leave an empty line."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
