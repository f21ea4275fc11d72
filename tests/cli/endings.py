"""What a call of the command line leaves behind: its code, its answer, its one line of error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

# Runs the program with these words; returns the exit code, stdout and stderr.
Run = Callable[..., tuple[int, str, str]]


def is_one_line(text: str) -> bool:
    return text.endswith("\n") and text.count("\n") == 1 and "Traceback" not in text


def facts_of(answer: tuple[int, str, str]) -> dict[str, Any]:
    """What --json prints when all went well, without the seconds."""
    code, out, err = answer
    assert (code, err, out.count("\n")) == (0, "", 1)
    facts: dict[str, Any] = json.loads(out)
    assert facts.pop("seconds") >= 0
    return facts
