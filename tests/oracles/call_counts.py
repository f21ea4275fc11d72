"""How much work is done, in calls and not in seconds: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import plregions

(FOLDER,) = plregions.__path__


def n_calls(work: Callable[[], Any]) -> int:
    """How many functions of the package the work calls; loops in C or compiled do not count."""
    n = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal n
        n += event == "call" and frame.f_code.co_filename.startswith(FOLDER)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return n
