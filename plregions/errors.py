"""The errors of plregions: one root, few leaves, facts as attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "AmbiguousPointError",
    "BudgetExhaustedError",
    "FlushToZeroError",
    "FormatError",
    "InvalidDomainError",
    "InvalidInputError",
    "InvalidNetworkError",
    "MissingExtraError",
    "PLRegionsError",
    "UnsupportedLayerError",
]


class PLRegionsError(Exception):
    """Root of every error that plregions raises on purpose."""


class InvalidNetworkError(PLRegionsError, ValueError):
    """Weights that do not form a network: shapes that do not chain, NaN, infinities."""


class InvalidDomainError(PLRegionsError, ValueError):
    """A domain that is empty, flat, unbounded or of the wrong dimension."""


class InvalidInputError(PLRegionsError, ValueError):
    """A point, pattern or option that does not fit the question."""


class UnsupportedLayerError(PLRegionsError, TypeError):
    """A layer that is not piecewise linear, or that no reader here understands.

    Attributes
    ----------
    layer : str
        The layer or operator as the file names it.
    supported : tuple of str
        What can be read instead.
    """

    def __init__(self, message: str, *, layer: str = "", supported: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.layer = layer
        self.supported = tuple(supported)


class AmbiguousPointError(PLRegionsError, ValueError):
    """A point on the zero set of some neuron: it belongs to more than one region.

    Attributes
    ----------
    neurons : tuple of (int, int)
        The neurons that are zero there, as (layer, unit).
    """

    def __init__(self, message: str, *, neurons: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__(message)
        self.neurons = tuple(neurons)


class BudgetExhaustedError(PLRegionsError):
    """A budget ran out and the caller asked for an error.

    Attributes
    ----------
    partial : object
        What had been found by then, marked incomplete.
    """

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class FlushToZeroError(PLRegionsError, ArithmeticError):
    """The processor counts subnormal numbers as zero, so that no proof in floats holds."""


class FormatError(PLRegionsError, ValueError):
    """A file that cannot be read: missing parts, damage, an unknown format.

    Attributes
    ----------
    path : str
        The file.
    """

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class MissingExtraError(PLRegionsError, ImportError):
    """An optional library is needed and not installed.

    Attributes
    ----------
    extra : str
        The name to put in ``pip install plregions[...]``.
    """

    def __init__(self, message: str, *, extra: str = "") -> None:
        super().__init__(message)
        self.extra = extra

    @classmethod
    def of(cls, verb: str, needed: str, extra: str) -> MissingExtraError:
        """Return the error of a verb that needs, say, "the pandas library"."""
        return cls(
            f"{verb} needs {needed}; it is not installed. Do `pip install plregions[{extra}]`.",
            extra=extra,
        )
