"""The command line, one sub-command a question.

Our own modules that load numpy or more are imported inside the functions that need them, so that
``--help`` and wrong options are answered at once.
"""

from __future__ import annotations

from plregions.cli.program import main

__all__ = ["main"]
