"""Kernels as plain Python, so that a bound or a limit can be taken out of them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def plain_kernel(function: Any, **others: Any) -> Callable[..., Any]:
    """A kernel, and those it calls, as plain Python; it sees other values of some names."""
    code = getattr(function, "py_func", function)
    called = {name: code.__globals__.get(name) for name in code.__code__.co_names}
    inner = {k: plain_kernel(kernel) for k, kernel in called.items() if hasattr(kernel, "py_func")}
    scope = {**code.__globals__, **inner, **others}
    return FunctionType(code.__code__, scope, None, code.__defaults__, code.__closure__)
