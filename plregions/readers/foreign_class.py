"""Which class of another library does an object have, and does it behave as that class does?

The library itself is never imported: names and modules of classes decide.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

__all__ = ["LibraryClass", "library_class"]


@dataclass(frozen=True)
class LibraryClass:
    """The nearest class of a library above an object.

    Attributes
    ----------
    name, module : str
        Its own name and the module that defines it.
    overridden : str
        The first of the methods asked for that a class below it, or the object, replaces;
        "" when there is none.
    """

    name: str
    module: str
    overridden: str


def library_class(
    thing: Any, library: str, methods: Collection[str], passed_over: Collection[str] = ()
) -> LibraryClass | None:
    """Return the nearest class of a library that an object belongs to.

    Parameters
    ----------
    thing : object
    library : str
        The top-level name of the library.
    methods : collection of str
        The methods that make the object behave as the class does.
    passed_over : collection of str
        Modules of the library whose classes change none of these methods.

    Returns
    -------
    LibraryClass or None
        None when no class of the object comes from the library.

    Algorithm
    ---------
    The method resolution order, from the object's own class upwards.

    Exactness
    ---------
    Names can be forged, and a method can be replaced in other ways; the readers therefore compare
    values too.

    Examples
    --------
    >>> from collections import OrderedDict
    >>> class Sorted(OrderedDict):
    ...     def keys(self):
    ...         return sorted(super().keys())
    >>> library_class(Sorted(), "collections", ["items", "keys"])
    LibraryClass(name='OrderedDict', module='collections', overridden='keys')
    >>> library_class(Sorted(), "torch", []) is None
    True
    """
    own = set(getattr(thing, "__dict__", ()))
    for base in type(thing).__mro__:
        if base.__module__ in passed_over:
            continue
        if base.__module__.split(".")[0] == library:
            overridden = next((name for name in methods if name in own), "")
            return LibraryClass(base.__name__, base.__module__, overridden)
        own |= set(vars(base))
    return None
