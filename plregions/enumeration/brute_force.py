"""All 2**N patterns, one exact linear program each: the oracle for small networks."""

from __future__ import annotations

import itertools
import time
from fractions import Fraction
from typing import Any

import numpy as np

from plregions.enumeration.tree import Leaves
from plregions.errors import InvalidInputError
from plregions.exact.lp import check_interior
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import IntRow, Prepared

__all__ = ["MOST_NEURONS", "BruteForce"]

MOST_NEURONS = 20


class BruteForce:
    """Tests every pattern on its own; shares nothing with the tree but the exact rows."""

    def __init__(self, prepared: Prepared) -> None:
        if prepared.n_bits > MOST_NEURONS:
            raise InvalidInputError(
                f'strategy="brute_force" needs at most {MOST_NEURONS} neurons, for it tests all '
                f'2**N patterns; got {prepared.n_bits}. Use strategy="tree".'
            )
        self._prepared = prepared
        self._rows = ExactRows(prepared)
        self._units = [int(u) for u in np.flatnonzero(prepared.units.bit >= 0)]
        self._patterns = itertools.product((0, 1), repeat=prepared.n_bits)
        self._found: list[tuple[tuple[int, ...], list[int], Point]] = []
        self._tested = 0
        self.done = False

    def advance(self, seconds: float = 0.05) -> None:
        """Test patterns until about ``seconds`` have passed or all is done."""
        deadline = time.monotonic() + seconds
        for pattern in self._patterns:
            self._tested += 1
            self._test(pattern)
            if time.monotonic() > deadline:
                return
        self.done = True

    def _test(self, pattern: tuple[int, ...]) -> None:
        bits = np.array(pattern, dtype=np.uint8)
        rows: list[IntRow] = list(self._prepared.wall_rows)
        kept: list[int] = []
        for unit, bit in zip(self._units, pattern, strict=True):
            row = self._rows.row(unit, bits)
            # In a homogenised network the constant stands before the last entry.
            kept.append(int(any(row[:-2] if self._prepared.is_homogeneous else row[:-1])))
            if not any(row):
                if bit:
                    return
                continue
            rows.append(row if bit else tuple(-v for v in row))
        point = check_interior(rows).point
        if point is not None:
            self._found.append((pattern, kept, point))

    def take(self) -> Leaves:
        """Remove the regions found since the last call and return them."""
        found, self._found = self._found, []
        n, d = len(found), self._prepared.dim
        shape = (n, self._prepared.n_bits)
        bits = np.array([f[0] for f in found], dtype=np.uint8).reshape(shape)
        kept = np.ones((n, shape[1] + len(self._prepared.walls[0])), dtype=np.uint8)
        kept[:, : shape[1]] = np.array([f[1] for f in found], dtype=np.uint8).reshape(shape)
        points = np.array([[float(v) for v in f[2]] for f in found]).reshape(n, d)
        exact = {i: f[2] for i, f in enumerate(found) if any(Fraction(float(v)) != v for v in f[2])}
        return Leaves(np.packbits(bits, axis=1), np.packbits(kept, axis=1), points, exact)

    def close(self) -> None:
        """Nothing runs in the background."""

    @property
    def share_done(self) -> float:
        """Share of the patterns tested."""
        return self._tested / float(2**self._prepared.n_bits)

    @property
    def statistics(self) -> dict[str, Any]:
        """How many patterns were tested."""
        return {"patterns_tested": self._tested}
