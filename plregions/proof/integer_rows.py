"""The checker's own reading of networks and domains: affine rows in integers, nothing shared.

A matrix maps homogeneous coordinates (x, 1), times any positive integer, to homogeneous
coordinates; its last row carries the denominator. So rows are known up to a positive factor, which
is all that signs need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import lcm
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.exact.notation import number_from_str

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
    """Read a domain among so many inputs as the header of a proof describes it.

    ValueError, TypeError, LookupError or AttributeError when it is damaged.
    """
    inputs, rows = [
        [[number_from_str(text) for text in row] for row in data[name]]
        for name in ("inputs", "walls")
    ]
    width = len(inputs[0])
    if len(inputs) != n_inputs or any(len(row) != width for row in inputs + rows):
        raise ValueError("a domain whose rows do not fit")
    if not all(any(row[:-1]) for row in rows):
        raise ValueError("a wall that is constant")
    if not 1 <= width - 1 <= n_inputs:
        raise ValueError("a domain of a dimension that does not fit the network")
    entries = _whole(
        [v for row in inputs for v in row] + [Fraction(0)] * (width - 1) + [Fraction(1)]
    )
    return CheckedDomain(
        dim=width - 1,
        rows=[_whole(row) for row in rows],
        embedding=fmpz_mat(n_inputs + 1, width, entries),
        fingerprint=sha256(json.dumps(data).encode("ascii")).hexdigest(),
    )


def _whole(row: Sequence[Fraction]) -> list[int]:
    """Return numbers times their common denominator."""
    denominator = lcm(*[v.denominator for v in row])
    return [int(v * denominator) for v in row]
