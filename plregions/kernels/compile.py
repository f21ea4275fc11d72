"""How kernels are compiled: cached on disk, under a key that covers every file of this folder.

Numba keeps compiled code beside the source, or else in the user's cache; where neither can be
written, it stays in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

import numba
from numba.core.caching import FunctionCache, NullCache

__all__ = [
    "fused_kernel",
    "inlined_kernel",
    "inner_kernel",
    "kernel",
    "summing_kernel",
]


def _folder_hash() -> str:
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_KEY = _folder_hash()

# Kernels allocate nothing, so numba's reference counts can go; with them every view of an array
# costs two atomic operations, a third of the time of a walk.
# The stubs leave out what is used here.
_njit: Any = numba.njit
_config: Any = numba.config
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
_NO_ENTRY: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_INLINED: dict[str, Any] = {"forceinline": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on first use, with IEEE arithmetic and without exceptions for 1 / 0."""
    return _compiled(function, _OPTIONS)


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only other kernels call: no entry for Python, which takes longest."""
    return _compiled(function, _OPTIONS | _NO_ENTRY)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function into all kernels that call it, in the end.

    For short functions, and those that are called from one place: an array is handed over as seven
    numbers, and where each step hands over dozens of arrays that takes longer than the step.
    """
    return _compiled(function, _OPTIONS | _NO_ENTRY | _INLINED)


def summing_kernel(function: Callable[..., Any]) -> Any:
    """Do the same with a function that may add up its sums in any order, eight terms at a time.

    Only for sums of which a bound holds in every order, and for numbers that are never NaN.
    """
    return _compiled(
        function, _OPTIONS | _NO_ENTRY | _INLINED | {"fastmath": {"reassoc", "nsz", "nnan"}}
    )


def fused_kernel(function: Callable[..., Any]) -> Any:
    """Put a function's code into the kernels that call it, before it is compiled.

    For what is called from one place and hands on a whole state: where there are many such
    functions it compiles faster than `inlined_kernel`, where they are large far slower.
    """
    if _config.DISABLE_JIT:
        return function
    return _njit(inline="always", **_OPTIONS)(function)


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Compile under a key that holds the hash of all kernels.

    Numba's cache looks at a function's own file only, and would miss an edit in a function that
    is called from another file; but it does look at closures. The code with the added closure is
    only ever compiled, never run by Python.
    """
    if _config.DISABLE_JIT:
        return function
    code = function.__code__.replace(co_freevars=("_KEY",))
    closure = (CellType(_KEY),)
    keyed = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    keyed.__doc__ = function.__doc__
    keyed.__module__ = function.__module__
    keyed.__qualname__ = function.__qualname__
    dispatcher = _njit(**options)(keyed)
    dispatcher._cache = _cache_of(keyed)
    dispatcher.py_func = function
    return dispatcher


class _DiskCache(FunctionCache):
    """Numba's cache on disk; a file that cannot be read or written costs time, never the answer.

    A full disk, a quota or another user's file would otherwise end the first enumeration.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


def _cache_of(function: FunctionType) -> Any:
    """Return a cache on disk, or none where numba finds no folder that it may write."""
    try:
        return _DiskCache(function)
    except RuntimeError:  # "cannot cache function ...: no locator available for file ..."
        return NullCache()
