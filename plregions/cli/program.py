"""``plregions``: from the words of a command line to an answer and an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from plregions.cli import (
    bounds,
    compare,
    construct,
    count,
    export,
    graph,
    info,
    plot,
    separate,
    verify,
)
from plregions.cli.options import check_options, parse
from plregions.cli.streams import DONE, INCOMPLETE, WRONG_USE, deliver, fail
from plregions.errors import PLRegionsError

__all__ = ["main"]

_ANSWERS = {
    "compare": compare.answer,
    "count": count.answer,
    "export": export.answer,
    "graph": graph.answer,
    "plot": plot.answer,
    "info": info.answer,
    "bounds": bounds.answer,
    "construct": construct.answer,
    "verify": verify.answer,
    "separate": separate.answer,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name; by default those of the process.

    Returns
    -------
    int
        The exit code: 0 done, 1 a wrong proof, 2 wrong use or unreadable input, 3 incomplete.

    Examples
    --------
    >>> main(["--version"])
    plregions ...
    0
    """
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        code, answer = _answer(options)
    except SystemExit as stop:  # argparse has printed help, version or error
        return deliver("", int(stop.code or DONE))
    except KeyboardInterrupt:
        return fail("interrupted before there was a result; nothing was written", INCOMPLETE)
    except PLRegionsError as error:
        return fail(str(error), WRONG_USE)
    except OSError as error:
        reason = error.strerror or str(error)
        return fail(f"{error.filename}: {reason}" if error.filename else reason, WRONG_USE)
    return deliver(answer + "\n", code)


def _answer(options: argparse.Namespace) -> tuple[int, str]:
    check_options(options)
    if options.command == "plot":
        plot.check_plot(options)
    return _ANSWERS[options.command](options)
