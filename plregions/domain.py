"""On which set of inputs is a network studied? Boxes, polytopes and slices, all exact.

Every domain is closed, bounded and has interior points; that is proved when it is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidDomainError, InvalidInputError
from plregions.exact.arrays import exact_array, float_array, fraction, fractions_of, number_to_str
from plregions.exact.linear import nullspace
from plregions.exact.polyhedron import Polyhedron, examine
from plregions.exact.words import MANY, float_text, inequality_text, number_text, vector_text

__all__ = ["Box", "Domain", "Polytope", "Slice", "hypercube", "slice_through"]

Row = tuple[Fraction, ...]


class Domain(ABC):
    """What all domains answer; `Box`, `Polytope` and `Slice` are the domains there are.

    Two domains are equal when they are of one type and were made from the same exact numbers.
    """

    # The bounding box, a point inside, all rows, and those rows that the box does not imply.
    _box: tuple[list[Fraction], list[Fraction]]
    _inside: Row
    _rows: tuple[Row, ...]
    _slanted: tuple[Row, ...]

    @abstractmethod
    def row_label(self, i: int, symbol: str = "x") -> str:
        """Return row i in words such as ``x[0] >= -1.0``."""

    @abstractmethod
    def _text(self) -> str:
        """Return the exact numbers that the domain was made from."""

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

    def bounding_box(self) -> tuple[list[Fraction], list[Fraction]]:
        """Return the exact minima and maxima of the coordinates."""
        return list(self._box[0]), list(self._box[1])

    def interior_point(self) -> Row:
        """Return a point where every row is positive."""
        return self._inside

    def contains(self, x: Any) -> bool:
        """Tell whether a point (dim,) lies in the closed domain, exactly."""
        point = _exact_point("contains", x, self.dim)
        triples = zip(self._box[0], point, self._box[1], strict=True)
        in_box = all(low <= v <= high for low, v, high in triples)
        return in_box and all(_value(row, point) >= 0 for row in self._slanted)

    def embed_exact(self, point: Any) -> Row:
        """Return the network's input that belongs to a point (dim,), exactly."""
        return _exact_point("embed_exact", point, self.dim)

    def embed(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return the inputs (n, ambient_dim) that belong to points (n, dim), rounded."""
        result = np.asarray(points, dtype=np.float64)
        if result.ndim != 2 or result.shape[1] != self.dim:
            raise InvalidInputError(f"embed needs shape (n, {self.dim}); got {result.shape}.")
        return result

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the exact numbers, in hexadecimal digits."""
        return sha256(self._text().encode("ascii")).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for part in state.values():  # pickle forgets that arrays are read-only
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
        self.__dict__.update(state)


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Box(Domain):
    """All x with lower <= x <= upper in every coordinate.

    Parameters
    ----------
    lower, upper : array_like, shape (d,)
        Floats, integers, Fractions or strings such as ``"1/3"``; lower < upper everywhere.

    Attributes
    ----------
    lower, upper : ndarray, shape (d,), read-only

    Raises
    ------
    InvalidDomainError
        Bounds that are not finite, of different lengths, equal or in the wrong order.

    Exactness
    ---------
    Exact for the numbers given.

    Examples
    --------
    >>> box = Box([-1, 0], [1, "1/3"])
    >>> box.row_label(0), box.row_label(3)
    ('x[0] >= -1.0', 'x[1] <= 1/3')
    >>> box.contains([1.0, 0.25]), box.interior_point()
    (True, (Fraction(0, 1), Fraction(1, 6)))
    """

    lower: NDArray[Any]
    upper: NDArray[Any]

    def __init__(self, lower: Any, upper: Any) -> None:
        given = _array("Box", "lower", lower, 1), _array("Box", "upper", upper, 1)
        box = fractions_of(given[0]), fractions_of(given[1])
        if len(box[0]) != len(box[1]) or not box[0]:
            raise InvalidDomainError(
                "Box needs lower and upper of one length, 1 or more; got "
                f"{len(box[0])} and {len(box[1])} numbers."
            )
        _check_order(*box)
        centre = tuple([(low + high) / 2 for low, high in zip(*box, strict=True)])
        _set(self, lower=given[0], upper=given[1], _box=box, _inside=centre, _slanted=())

    @cached_property
    def A(self) -> NDArray[Any]:
        """Outward normals, shape (2 d, d), read-only: -e_0, e_0, -e_1, e_1, ..."""
        normals = np.kron(np.eye(self.dim), [[-1.0], [1.0]]) + 0.0
        normals.setflags(write=False)
        return normals

    @cached_property
    def _rows(self) -> tuple[Row, ...]:  # type: ignore[override]
        """x_0 - lower_0, upper_0 - x_0, x_1 - lower_1, ...: made when they are needed."""
        zero = [Fraction(0)] * self.dim
        rows = []
        for k, (low, high) in enumerate(zip(*self._box, strict=True)):
            rows.append((*zero[:k], Fraction(1), *zero[k + 1 :], -low))
            rows.append((*zero[:k], Fraction(-1), *zero[k + 1 :], high))
        return tuple(rows)

    def row_label(self, i: int, symbol: str = "x") -> str:
        """Return row i in words: ``x[0] >= -1.0``, ``x[0] <= 1.0``, ``x[1] >= ...``."""
        k, is_upper = divmod(i, 2)
        return f"{symbol}[{k}] {'<=' if is_upper else '>='} {float_text(self._box[is_upper][k])}"

    def _text(self) -> str:
        return _text("Box", *self._box)

    def __repr__(self) -> str:
        return f"Box({vector_text(self._box[0])}, {vector_text(self._box[1])})"


def hypercube(d: int, lower: Any = 0, upper: Any = 1) -> Box:
    """Return the box with the same bounds in each of d coordinates; [0, 1]^d by default.

    Parameters
    ----------
    d : int
        At least 1.
    lower, upper : float, int, Fraction or str

    Returns
    -------
    Box

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> hypercube(2)
    Box([0, 0], [1, 1])
    """
    return Box([lower] * d, [upper] * d)


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Polytope(Domain):
    """All x with ``A @ x <= b``: a bounded set with interior points.

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

    Raises
    ------
    InvalidDomainError
        The set is empty (the message names rows that contradict each other), flat (rows that
        force equality) or unbounded (a ray inside it).

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
    """

    def __init__(self, A: Any, b: Any) -> None:
        normals = _array("Polytope", "A", A, 2)
        right = _array("Polytope", "b", b, 1)
        if len(normals) != len(right) or not normals.shape[1]:
            raise InvalidDomainError(
                "Polytope needs A of shape (m, d), d >= 1, and b of shape (m,); got shapes "
                f"{normals.shape} and {right.shape}."
            )
        given = zip(fractions_of(normals), fractions_of(right), strict=True)
        rows = [(*[-v for v in a], c) for a, c in given if any(a) or c < 0]
        _set(self, _rows=tuple(rows), _slanted=tuple(rows))
        found = examine(rows, normals.shape[1])
        if found.inside is None or found.lower is None or found.upper is None:
            raise InvalidDomainError(self._what_is_wrong(found))
        _set(self, _inside=found.inside, _box=(list(found.lower), list(found.upper)))

    def _what_is_wrong(self, found: Polyhedron) -> str:
        if found.ray is not None:
            return (
                "Polytope needs a bounded set; got one that holds the ray "
                f"{vector_text(found.ray)} from each of its points. Add rows that bound it."
            )
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
        return _text("Polytope", *self._rows)

    def __repr__(self) -> str:
        return f"Polytope(dim={self.dim}, {len(self._rows)} rows)"


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Slice(Domain):
    """The inputs x = origin + s @ directions for s in a domain of fewer coordinates.

    The points, rows and boxes of a slice are in its own coordinates s; `embed` gives the inputs.

    Parameters
    ----------
    origin : array_like, shape (D,)
        The input at s = 0.
    directions : array_like, shape (k, D)
        Independent vectors, k >= 1.
    domain : Box or Polytope
        Of dimension k.

    Attributes
    ----------
    origin : ndarray, shape (D,), read-only
    directions : ndarray, shape (k, D), read-only
    domain : Box or Polytope

    Raises
    ------
    InvalidDomainError
        Shapes that do not fit, or directions that depend on each other.

    Exactness
    ---------
    Exact for the numbers given. `embed` rounds, `embed_exact` does not.

    Examples
    --------
    >>> diagonal = Slice([0, 0, 0], [[1, 1, 1]], hypercube(1))
    >>> diagonal
    Slice(Box([0], [1]) in 3 coordinates)
    >>> diagonal.embed([[0.5]])
    array([[0.5, 0.5, 0.5]])
    """

    origin: NDArray[Any]
    directions: NDArray[Any]
    domain: Box | Polytope

    def __init__(self, origin: Any, directions: Any, domain: Box | Polytope) -> None:
        start = _array("Slice", "origin", origin, 1)
        vectors = _array("Slice", "directions", directions, 2)
        if not isinstance(domain, Box | Polytope):
            raise InvalidDomainError(
                f"Slice needs a Box or a Polytope as its domain; got {type(domain).__name__}."
            )
        k, width = vectors.shape
        if width != len(start) or k != domain.dim:
            raise InvalidDomainError(
                "Slice needs origin (D,), directions (k, D) and a domain of dimension k; "
                f"got shapes {start.shape} and {vectors.shape} and dimension {domain.dim}."
            )
        # The vectors y with y @ vectors = 0.
        relations = nullspace(list(zip(*fractions_of(vectors), strict=True)), k)
        if relations:
            terms = [f"{number_text(v)} * directions[{i}]" for i, v in enumerate(relations[0]) if v]
            got = f"got {' + '.join(terms)} = 0. Remove one of them."
            raise InvalidDomainError(f"Slice needs independent directions; {got}")
        _set(self, origin=start, directions=vectors, domain=domain)
        _set(self, _box=domain._box, _inside=domain._inside)
        _set(self, _rows=domain._rows, _slanted=domain._slanted)

    @property
    def ambient_dim(self) -> int:
        """Number of coordinates of the origin."""
        return len(self.origin)

    def row_label(self, i: int, symbol: str = "s") -> str:
        """Return row i of the inner domain in words: ``s[0] >= 0.0``."""
        return self.domain.row_label(i, symbol)

    def embed_exact(self, point: Any) -> Row:
        """Return origin + point @ directions, exactly."""
        s = _exact_point("embed_exact", point, self.dim)
        columns = zip(*fractions_of(self.directions), fractions_of(self.origin), strict=True)
        return tuple([_value(column, s) for column in columns])

    def embed(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return origin + points @ directions, shape (n, D), rounded."""
        s = super().embed(points)
        return np.asarray(s @ float_array(self.directions) + float_array(self.origin))

    def _text(self) -> str:
        vectors = fractions_of(self.origin), *fractions_of(self.directions)
        return _text("Slice", *vectors) + self.domain._text()

    def __repr__(self) -> str:
        return f"Slice({self.domain!r} in {self.ambient_dim} coordinates)"


def slice_through(points: Any, *, margin: Any = 0) -> Slice:
    """Return the slice through k + 1 points: a segment, a parallelogram, a parallelepiped.

    Its coordinates are s = 0 at ``points[0]`` and the unit vector e_i at ``points[i + 1]``; its
    domain is the box [0, 1]^k of s, or a larger one.

    Parameters
    ----------
    points : array_like, shape (k + 1, D)
        In general position: not all on one flat of fewer than k dimensions.
    margin : float, int, Fraction or str, default 0
        The box of s is [-margin, 1 + margin]^k.

    Returns
    -------
    Slice
        With origin ``points[0]`` and directions ``points[i + 1] - points[0]``.

    Raises
    ------
    InvalidDomainError
        Fewer than two points, points on a flat of fewer dimensions, margin <= -1/2.

    Exactness
    ---------
    The differences are exact, also where float64 would round them.

    Examples
    --------
    >>> square = slice_through([[0, 0, 1], [2, 0, 1], [0, 2, 1]])
    >>> square.embed_exact(["1/2", 1])
    (Fraction(1, 1), Fraction(2, 1), Fraction(1, 1))
    """
    array = _array("slice_through", "points", points, 2)
    if len(array) < 2:
        raise InvalidDomainError(f"slice_through needs at least 2 points; got {len(array)}.")
    origin, *others = fractions_of(array)
    directions = [[v - o for v, o in zip(x, origin, strict=True)] for x in others]
    (extra,) = fractions_of(_array("slice_through", "margin", [margin], 1))
    if 2 * extra <= -1:
        raise InvalidDomainError(f"slice_through needs margin > -1/2; got {number_text(extra)}.")
    return Slice(origin, directions, hypercube(len(others), -extra, 1 + extra))


def _set(target: Domain, /, **attributes: Any) -> None:
    """Set attributes of a frozen domain while it is being made."""
    for name, value in attributes.items():
        object.__setattr__(target, name, value)


def _text(name: str, *vectors: Sequence[Fraction]) -> str:
    return f"{name} {' '.join(' '.join(['', *map(number_to_str, v)]) for v in vectors)}"


def _array(verb: str, name: str, values: Any, ndim: int) -> NDArray[Any]:
    try:
        return exact_array(values, ndim, verb=verb, name=name)
    except (TypeError, ValueError) as error:
        raise InvalidDomainError(str(error)) from None


def _exact_point(verb: str, point: Any, dim: int) -> Row:
    try:
        result = tuple([fraction(v) for v in point])
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{verb} needs a point of finite numbers; {error}") from None
    if len(result) != dim:
        raise InvalidInputError(f"{verb} needs {dim} coordinates; got {len(result)}.")
    return result


def _value(row: Row, point: Row) -> Fraction:
    return sum([a * v for a, v in zip(row, point, strict=False) if a], row[-1])


def _check_order(lower: list[Fraction], upper: list[Fraction]) -> None:
    pairs = list(zip(lower, upper, strict=True))
    fixed = {k for k, (low, high) in enumerate(pairs) if low >= high}
    for k, (low, high) in enumerate(pairs):
        if low >= high:
            low_text = f"{number_text(low)} > " if low > high else ""
            end = "Swap them." if low > high else _advice(pairs, fixed)
            raise InvalidDomainError(
                "Box needs lower < upper in every coordinate; got "
                f"lower[{k}] = {low_text}upper[{k}] = {number_text(high)}. {end}"
            )


def _advice(pairs: Sequence[Row], fixed: set[int]) -> str:
    """Say how a box with fixed coordinates is written as a slice."""
    d = len(pairs)
    varying = [i for i in range(d) if i not in fixed]
    if not varying:
        return "No coordinate varies: evaluate the network at this point instead."
    if d > MANY:
        return (
            "Take a slice instead, with varying = lower < upper: Slice(np.where(varying, 0, "
            "lower), np.eye(d)[varying], Box(lower[varying], upper[varying]))."
        )
    origin = vector_text([pair[0] if i in fixed else Fraction(0) for i, pair in enumerate(pairs)])
    units = [[int(i == j) for i in range(d)] for j in varying]
    box = ", ".join(vector_text([pairs[j][side] for j in varying]) for side in (0, 1))
    return f"Take a slice instead: Slice({origin}, {units}, Box({box}))."
