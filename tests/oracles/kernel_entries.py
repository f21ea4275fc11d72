"""Kernels that are there for other kernels alone, so that Python can call them."""

from __future__ import annotations

from typing import Any

import numba


def entry(inlined: Any) -> Any:
    """The same function compiled by itself; or as it is, where nothing is compiled."""
    compiled: Any = numba.njit(error_model="numpy")
    return compiled(inlined.py_func) if hasattr(inlined, "py_func") else inlined
