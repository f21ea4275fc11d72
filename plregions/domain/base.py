"""What every domain answers, and how the numbers that it is made from are read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidDomainError, InvalidInputError
from plregions.exact.arrays import exact_array, fraction, number_to_str

__all__ = [
    "KEPT",
    "Domain",
    "Row",
    "array_of",
    "description_of",
    "exact_point_of",
    "set_parts",
    "text_of",
    "value_of",
]

Row = tuple[Fraction, ...]

# How the names begin under which other parts of the package keep what they made of a domain.
KEPT = "_kept_"


class Domain(ABC):
    """What all domains answer: `Box`, `Polytope`, `WholeSpace` and `Slice` are those there are.

    Two domains are equal when they are of one type and were made from the same exact numbers.
    """

    # The bounding box (None: unbounded), a point inside, all rows, and the rows that the box does
    # not imply.
    _box: tuple[list[Fraction], list[Fraction]] | None
    _inside: Row
    _rows: tuple[Row, ...]
    _slanted: tuple[Row, ...]

    @abstractmethod
    def row_label(self, i: int, symbol: str = "x") -> str:
        """Return row i in words such as ``x[0] >= -1.0``."""

    @abstractmethod
    def _text(self) -> str:
        """Return the exact numbers that the domain was made from."""

    def _inputs(self) -> list[Row]:
        """Return the network's inputs as rows (a, c): input i is a.x + c at the point x."""
        zero = [Fraction(0)] * self.dim
        return [(*zero[:k], Fraction(1), *zero[k:]) for k in range(self.dim)]

    def _type(self) -> str:
        return type(self).__name__

    @property
    def dim(self) -> int:
        """Number of coordinates that vary: those of rows, points and bounding boxes."""
        return len(self._inside)

    @property
    def ambient_dim(self) -> int:
        """Number of coordinates of the network's inputs."""
        return self.dim

    @cached_property
    def A(self) -> NDArray[Any]:
        """Outward normals, shape (m, dim), read-only."""
        normals = [-v for row in self._rows for v in row[:-1]]
        return exact_array(normals, 1).reshape(len(self._rows), self.dim)

    @cached_property
    def b(self) -> NDArray[Any]:
        """Right-hand sides of ``A @ x <= b``, shape (m,), read-only."""
        return exact_array([row[-1] for row in self._rows], 1)

    def exact_rows(self) -> list[Row]:
        """Return the rows (a, c) with a.x + c >= 0 on the domain, in the order of A and b."""
        return list(self._rows)

    @property
    def is_bounded(self) -> bool:
        """Whether some box holds the domain, proved."""
        return self._box is not None

    def bounding_box(self) -> tuple[list[Fraction], list[Fraction]]:
        """Return the exact minima and maxima of the coordinates.

        Raises
        ------
        InvalidDomainError
            The domain is not bounded.
        """
        if self._box is None:
            raise InvalidDomainError(
                f"bounding_box needs a bounded domain; got {self!r}. See is_bounded."
            )
        return list(self._box[0]), list(self._box[1])

    def interior_point(self) -> Row:
        """Return a point where every row is positive."""
        return self._inside

    def contains(self, x: Any) -> bool:
        """Tell whether a point (dim,) lies in the closed domain, exactly."""
        point = exact_point_of("contains", x, self.dim)
        if self._box is not None:
            triples = zip(self._box[0], point, self._box[1], strict=True)
            if not all(low <= v <= high for low, v, high in triples):
                return False
        return all(value_of(row, point) >= 0 for row in self._slanted)

    def embed_exact(self, point: Any) -> Row:
        """Return the network's input that belongs to a point (dim,), exactly."""
        return exact_point_of("embed_exact", point, self.dim)

    def embed(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return the inputs (n, ambient_dim) that belong to points (n, dim), rounded."""
        result = np.asarray(points, dtype=np.float64)
        if result.ndim != 2 or result.shape[1] != self.dim:
            raise InvalidInputError(f"embed needs shape (n, {self.dim}); got {result.shape}.")
        return result

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of type, inputs and rows, in hexadecimal: equal domains, equal fingerprints."""
        return sha256(json.dumps(description_of(self)).encode("ascii")).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of copies and pickles what was kept for speed."""
        return {name: v for name, v in vars(self).items() if not name.startswith(KEPT)}

    # By the numbers given: the rows of a box in many coordinates are many more.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self._text() == other._text()

    def __hash__(self) -> int:
        return hash(self._text())

    def __setstate__(self, state: dict[str, Any]) -> None:
        for part in state.values():  # pickle forgets that arrays are read-only
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
        self.__dict__.update(state)


def set_parts(target: Domain, /, **attributes: Any) -> None:
    """Set attributes of a frozen domain while it is being made."""
    for name, value in attributes.items():
        object.__setattr__(target, name, value)


def description_of(domain: Domain) -> dict[str, Any]:
    """Return what a proof says of a domain: its type; the inputs and its rows as exact texts."""

    def texts(rows: list[Row]) -> list[list[str]]:
        return [["0" if not v else number_to_str(v) for v in row] for row in rows]  # most are 0

    inputs, walls = texts(domain._inputs()), texts(domain.exact_rows())
    return {"type": domain._type(), "inputs": inputs, "walls": walls}


def text_of(name: str, *vectors: Sequence[Fraction]) -> str:
    """Return exact numbers as a text that tells domains apart."""
    return f"{name} {' '.join(' '.join(['', *map(number_to_str, v)]) for v in vectors)}"


def array_of(verb: str, name: str, values: Any, ndim: int) -> NDArray[Any]:
    """Return what a user gave as an exact array."""
    try:
        return exact_array(values, ndim, verb=verb, name=name)
    except (TypeError, ValueError) as error:
        raise InvalidDomainError(str(error)) from None


def exact_point_of(verb: str, point: Any, dim: int) -> Row:
    """Return what a user gave as an exact point."""
    try:
        result = tuple([fraction(v) for v in point])
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{verb} needs a point of finite numbers; {error}") from None
    if len(result) != dim:
        raise InvalidInputError(f"{verb} needs {dim} coordinates; got {len(result)}.")
    return result


def value_of(row: Row, point: Row) -> Fraction:
    """Return a.x + c."""
    return sum([a * v for a, v in zip(row, point, strict=False) if a], row[-1])
