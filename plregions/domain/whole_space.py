"""The whole space: every input there is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from plregions.domain.base import Domain, set_parts, text_of
from plregions.errors import InvalidDomainError

__all__ = ["WholeSpace"]


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class WholeSpace(Domain):
    """All of R^d.

    Parameters
    ----------
    d : int
        At least 1.

    Raises
    ------
    InvalidDomainError
        d is no whole number of at least 1.

    Exactness
    ---------
    Exact: no radius takes part.

    Examples
    --------
    >>> plane = WholeSpace(2)
    >>> plane, plane.is_bounded, plane.contains([1e300, -1e300])
    (WholeSpace(2), False, True)
    """

    def __init__(self, d: Any) -> None:
        dim = getattr(d, "__index__", None)
        if isinstance(d, bool) or dim is None or dim() < 1:
            raise InvalidDomainError(
                f"WholeSpace needs the number of coordinates, 1 or more; got {d!r}."
            )
        set_parts(self, _inside=(Fraction(0),) * dim(), _box=None, _rows=(), _slanted=())

    def row_label(self, i: int, symbol: str = "x") -> str:
        """Raise IndexError: the whole space has no rows."""
        raise IndexError(f"a whole space has no rows; got row {i}")

    def _text(self) -> str:
        return text_of("WholeSpace", [Fraction(self.dim)])

    def __repr__(self) -> str:
        return f"WholeSpace({self.dim})"
