"""What goes to standard output and standard error, and what if they cannot take it?"""

from __future__ import annotations

import os
import sys

__all__ = ["DONE", "INCOMPLETE", "WRONG_PROOF", "WRONG_USE", "deliver", "fail", "one_line"]

DONE, WRONG_PROOF, WRONG_USE, INCOMPLETE = 0, 1, 2, 3


def deliver(text: str, code: int) -> int:
    """Write `text` to stdout; return `code`, or WRONG_USE when stdout cannot take it."""
    if sys.stdout is None:  # closed by the caller
        return code
    try:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer goes nowhere, else Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a reader that has seen enough is no fault
            return fail(f"standard output: {error.strerror}", WRONG_USE)
    return code


def fail(message: str, code: int) -> int:
    """Write one line to stderr and return `code`."""
    if sys.stderr is not None:
        sys.stderr.write(f"plregions: {one_line(message)}\n")
    return code


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())
