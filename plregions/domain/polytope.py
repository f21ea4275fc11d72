"""Polytopes: the points that meet some linear inequalities, bounded or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from plregions.domain.base import Domain, array_of, set_parts, text_of
from plregions.errors import InvalidDomainError
from plregions.exact.arrays import fractions_of
from plregions.exact.polyhedron import Polyhedron, examine
from plregions.exact.words import inequality_text

__all__ = ["Polytope"]


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Polytope(Domain):
    """All x with ``A @ x <= b``: a set with interior points, bounded or not.

    Parameters
    ----------
    A : array_like, shape (m, d)
        Outward normals.
    b : array_like, shape (m,)
        Right-hand sides. Floats, integers, Fractions or strings such as ``"1/3"``.

    Attributes
    ----------
    A : ndarray, shape (m, d), read-only
    b : ndarray, shape (m,), read-only
        As given, without the rows 0 <= b[i] that hold everywhere. Redundant rows stay.

    is_bounded : bool
        Proved. `bounding_box` of an unbounded set raises InvalidDomainError.

    Raises
    ------
    InvalidDomainError
        The set is empty (the message names rows that contradict each other) or flat (rows that
        force equality).

    Algorithm
    ---------
    2 d + 1 exact linear programs: a point deep inside, the extremes of each coordinate.

    Exactness
    ---------
    Exact for the numbers given.

    Examples
    --------
    >>> triangle = Polytope([[-1, 0], [0, -1], [1, 2]], [0, 0, 1])
    >>> triangle.bounding_box()[1]
    [Fraction(1, 1), Fraction(1, 2)]
    >>> triangle.row_label(2)
    'x[0] + 2.0 x[1] <= 1.0'
    >>> Polytope([[-1, 0], [0, -1]], [0, 0])
    Polytope(dim=2, 2 rows, unbounded)
    """

    def __init__(self, A: Any, b: Any) -> None:
        normals = array_of("Polytope", "A", A, 2)
        right = array_of("Polytope", "b", b, 1)
        if len(normals) != len(right) or not normals.shape[1]:
            raise InvalidDomainError(
                "Polytope needs A of shape (m, d), d >= 1, and b of shape (m,); got shapes "
                f"{normals.shape} and {right.shape}."
            )
        given = zip(fractions_of(normals), fractions_of(right), strict=True)
        rows = [(*[-v for v in a], c) for a, c in given if any(a) or c < 0]
        set_parts(self, _rows=tuple(rows), _slanted=tuple(rows))
        found = examine(rows, normals.shape[1])
        if found.inside is None:
            raise InvalidDomainError(self._what_is_wrong(found))
        box = None
        if found.lower is not None and found.upper is not None:
            box = list(found.lower), list(found.upper)
        set_parts(self, _inside=found.inside, _box=box)

    def _what_is_wrong(self, found: Polyhedron) -> str:
        used = [i for i, y in enumerate(found.multipliers or ()) if y]
        rows = [f"{i} ({self.row_label(i)})" for i in used]
        listed = f"{'rows' if len(used) > 1 else 'row'} {' and '.join(rows)}"
        if found.kind == "empty":
            return f"Polytope needs a point inside; got an empty set: no point meets {listed}."
        got = f"Polytope needs interior points; got a flat set: {listed} force equality."
        return f"{got} Take a slice instead: Slice(origin, directions, domain)."

    def row_label(self, i: int, symbol: str = "x") -> str:
        """Return row i in words: ``x[0] + 2.0 x[1] <= 1.0``."""
        *normal, right = self._rows[i]
        return inequality_text([-v for v in normal], right, symbol, f"A[{i}]")

    def _text(self) -> str:
        # Without rows only the dimension tells two of them apart.
        return text_of("Polytope", *self._rows) if self._rows else f"Polytope R^{self.dim}"

    def __repr__(self) -> str:
        extent = "" if self.is_bounded else ", unbounded"
        return f"Polytope(dim={self.dim}, {len(self._rows)} rows{extent})"
