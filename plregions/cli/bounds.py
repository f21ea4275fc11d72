"""``plregions bounds``: how many regions can networks of some widths have?"""

from __future__ import annotations

import argparse

from plregions.cli.streams import DONE

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout: one JSON object or a table."""
    from plregions.analysis.bounds import bounds_table

    table = bounds_table(options.widths)
    return DONE, table.to_json() if options.json else str(table)
