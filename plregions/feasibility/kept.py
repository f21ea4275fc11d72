"""What was made of a network or a domain before, kept with it as long as it lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from plregions.domain.base import KEPT

__all__ = ["kept"]

T = TypeVar("T")


def kept(owner: Any, name: str, make: Callable[[], T]) -> T:
    """Return what ``make`` gives, which follows from the frozen value ``owner`` and never changes.

    It is no part of the value: copies and pickles are made without it. Two threads that ask at the
    same time may both make it.
    """
    store, key = vars(owner), KEPT + name
    if key not in store:
        store[key] = make()
    found: T = store[key]
    return found
