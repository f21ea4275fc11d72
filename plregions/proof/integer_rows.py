"""The checker's own reading of networks and domains: affine rows in integers, nothing shared.

A matrix maps homogeneous coordinates (x, 1), times any positive integer, to homogeneous
coordinates; its last row carries the denominator. So rows are known up to a positive factor, which
is all that signs need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import lcm
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.exact.notation import number_from_str, number_to_str

__all__ = ["CheckedDomain", "CheckedLayer", "checked_layers", "domain_from_json"]


@dataclass(frozen=True)
class CheckedLayer:
    """One layer in integers; ``first`` is the number of its first bit.

    ``bits[u]`` is the number of unit u's bit, or None for a unit without a kink, and
    ``slopes[u]`` the pair (negative, positive); the last pair belongs to the denominator.
    """

    matrix: fmpz_mat
    slopes: list[tuple[int, int]]
    bits: list[int | None]
    first: int
    end: int

    def rows(self, below: fmpz_mat) -> fmpz_mat:
        """Return the pre-activations as functions of the input."""
        return self.matrix * below

    def activated(self, rows: fmpz_mat, pattern: Sequence[int]) -> fmpz_mat:
        """Return the layer's values where its bits are those of the pattern."""
        n = rows.ncols()
        flat = rows.entries()
        entries: list[Any] = []
        for u, (negative, positive) in enumerate(self.slopes):
            bit = self.bits[u] if u < len(self.bits) else None
            factor = positive if bit is None or pattern[bit] else negative
            line = flat[u * n : (u + 1) * n]
            entries += line if factor == 1 else [v * factor for v in line] if factor else [0] * n
        return fmpz_mat(rows.nrows(), n, entries)


def checked_layers(arrays: Iterable[tuple[Any, Any, Any]]) -> list[CheckedLayer]:
    """Return the layers of a network given as (weight, bias, slopes)."""
    layers = []
    first = 0
    for weight, bias, slopes in arrays:
        n_out, n_in = weight.shape
        entries, denominator = _integers(np.concatenate([weight, bias[:, None]], axis=1))
        entries += [0] * n_in + [denominator]
        pairs, common = _integers(slopes)
        both = [*zip(pairs[::2], pairs[1::2], strict=True), (common, common)]
        bits: list[int | None] = []
        end = first
        for negative, positive in both[:-1]:
            bits.append(end if negative != positive else None)
            end += negative != positive
        layers.append(CheckedLayer(fmpz_mat(n_out + 1, n_in + 1, entries), both, bits, first, end))
        first = end
    return layers


def _integers(array: NDArray[Any]) -> tuple[list[int], int]:
    """Return the exact entries times their common denominator, and that denominator."""
    pairs = [v.as_integer_ratio() for v in array.ravel().tolist()]
    denominator = lcm(*[q for _, q in pairs])
    return [p * (denominator // q) for p, q in pairs], denominator


@dataclass(frozen=True)
class CheckedDomain:
    """A domain: its rows a.x + c in its own coordinates and the way to the network's inputs."""

    dim: int
    rows: list[list[int]]
    embedding: fmpz_mat
    fingerprint: str


def domain_from_json(data: Any, n_inputs: int) -> CheckedDomain:
    """Read a domain among so many inputs as `plregions.domain.as_json` writes it.

    ValueError, TypeError, LookupError or AttributeError when it is damaged.
    """
    rows, dim, text = _rows_of(data["domain"] if data["type"] == "slice" else data)
    if not 1 <= dim <= n_inputs:
        raise ValueError("a domain of a dimension that does not fit the network")
    unit = [int(i % (dim + 2) == 0) for i in range((dim + 1) ** 2)]
    embedding = fmpz_mat(dim + 1, dim + 1, unit)
    if data["type"] == "slice":
        origin, *directions = [_numbers(v) for v in (data["origin"], *data["directions"])]
        if len(directions) != dim or any(len(v) != len(origin) for v in directions):
            raise ValueError("a slice whose parts do not fit")
        columns = [*directions, origin]
        denominator = lcm(*[v.denominator for column in columns for v in column])
        entries = [int(column[k] * denominator) for k in range(len(origin)) for column in columns]
        entries += [0] * dim + [denominator]
        embedding = fmpz_mat(len(origin) + 1, dim + 1, entries)
        text = _text("Slice", origin, *directions) + text
    if embedding.nrows() != n_inputs + 1:
        raise ValueError("a domain among other inputs")
    fingerprint = sha256(text.encode("ascii")).hexdigest()
    return CheckedDomain(dim, [_whole(row) for row in rows], embedding, fingerprint)


def _rows_of(data: Any) -> tuple[list[list[Fraction]], int, str]:
    kind = data["type"]
    if kind == "box":
        lower, upper = _numbers(data["lower"]), _numbers(data["upper"])
        d = len(lower)
        rows = []
        for k, (low, high) in enumerate(zip(lower, upper, strict=True)):
            unit = [Fraction(i == k) for i in range(d)]
            rows += [[*unit, -low], [*[-v for v in unit], high]]
        return rows, d, _text("Box", lower, upper)
    d = data["dim"]
    if type(d) is not int or d < 1:
        raise ValueError("a dimension that is no whole number")
    if kind == "whole_space":
        return [], d, _text("WholeSpace", [Fraction(d)])
    if kind != "polytope":
        raise ValueError("a domain of another type")
    right = _numbers(data["b"])
    rows = [
        [*[-v for v in _numbers(normal)], c] for normal, c in zip(data["A"], right, strict=True)
    ]
    if any(len(row) != d + 1 for row in rows):
        raise ValueError("a polytope whose parts do not fit")
    return rows, d, _text("Polytope", *rows) if rows else f"Polytope R^{d}"


def _numbers(texts: Any) -> list[Fraction]:
    return [number_from_str(text) for text in texts]


def _whole(row: Sequence[Fraction]) -> list[int]:
    denominator = lcm(*[v.denominator for v in row])
    return [int(v * denominator) for v in row]


def _text(name: str, *vectors: Sequence[Fraction]) -> str:
    return f"{name} {' '.join(' '.join(['', *map(number_to_str, v)]) for v in vectors)}"
