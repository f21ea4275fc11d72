"""Replays a stretch of a proof's tree in integers, leaf by leaf: is every branch accounted for?

The leaves of the tree, regions and open branches, come in lexicographic order. A leaf opens the
cells that it does not share with the one before; all that the proof says of a cell stands with the
first leaf in it. The state of a walk from leaf to leaf is one path from the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.exact.notation import number_from_str
from plregions.proof.integer_rows import checked_layers, domain_from_json

__all__ = ["Claim", "RefusalError", "Stretch", "replay"]


class RefusalError(Exception):
    """What is wrong with a proof; caught by the checker."""


@dataclass(frozen=True)
class Claim:
    """What all stretches of a proof have in common: network, domain, coordinates of points."""

    layers: tuple[tuple[Any, Any, Any], ...]
    domain: Any
    middle: list[Fraction]
    scale: list[Fraction]
    n_bits: int
    n_walls: int


@dataclass(frozen=True)
class Stretch:
    """Leaves ``first``, ``first + 1``, ...: regions where ``lengths`` are n_bits, else branches.

    ``common[i]`` is the number of bits that leaf i shares with the leaf before, -1 for the first
    leaf of all; there is one more entry, for the leaf behind. ``settled`` lists (depth, bit, value)
    of the steps on cells that earlier leaves opened, by depth.
    """

    first: int
    patterns: NDArray[np.uint8]
    lengths: list[int]
    common: list[int]
    points: NDArray[np.float64]
    exact: dict[int, list[str]]
    step_count: list[int]
    step_place: list[tuple[int, int]]
    step_rows: list[list[int]]
    settled: list[tuple[int, int, int]]


def replay(claim: Claim, stretch: Stretch) -> str:
    """Return what is wrong with a stretch of the tree, "" when all of it is proved."""
    try:
        _Path(claim, stretch.settled).walk(stretch)
    except RefusalError as refusal:
        return str(refusal)
    return ""


class _Path:
    """The path from the root to the current cell."""

    def __init__(self, claim: Claim, settled: list[tuple[int, int, int]]) -> None:
        self._layers = checked_layers(claim.layers)
        domain = domain_from_json(claim.domain, claim.layers[0][0].shape[1])
        self._width = domain.dim + 1
        self._start = domain.embedding
        self._walls = domain.rows
        self._wall_matrix = fmpz_mat(len(domain.rows), self._width, sum(domain.rows, []))
        self._n_bits = claim.n_bits
        self._place = {
            bit: (k, u)
            for k, layer in enumerate(self._layers)
            for u, bit in enumerate(layer.bits)
            if bit is not None
        }
        self._points = _Points(claim)
        self._matrices: list[fmpz_mat] = []  # pre-activations of the layers that the cell fixes
        self._tables: list[list[Any]] = []  # their entries
        self._cell: list[list[Any]] = []  # rows of the bits so far, positive inside
        self._closed: list[bool] = []  # whether the other side of each bit is proved empty
        self._settled = [(depth, bit) for depth, bit, _ in settled]
        self._value = {bit: value for _, bit, value in settled}

    def walk(self, stretch: Stretch) -> None:
        """Check all leaves of the stretch and what lies between them."""
        next_step = 0
        for i, length in enumerate(stretch.lengths):
            number = stretch.first + i
            bits = np.unpackbits(stretch.patterns[i], count=self._n_bits).tolist()
            shared = stretch.common[i]
            self._return_to(shared)
            if i == 0:
                self._follow(bits, shared)
            if shared >= 0:
                self._enter(bits, shared, False)
            last_step = next_step + (stretch.step_count[i] if i < len(stretch.step_count) else 0)
            for depth in range(shared + 1, length):
                while next_step < last_step and stretch.step_place[next_step][0] == depth:
                    bit = stretch.step_place[next_step][1]
                    self._check_step(bits, depth, bit, stretch.step_rows[next_step], number)
                    next_step += 1
                self._enter(bits, depth, self._is_closed(bits, depth, number))
                if bits[depth] and not self._closed[depth]:
                    raise RefusalError(
                        f"nothing is said of the branch with bit {depth} = 0 before region {number}"
                    )
            if next_step != last_step:
                raise RefusalError(
                    f"a step with region {number} is for a cell that is not first there"
                )
            if i < len(stretch.points):
                self._check_point(bits, stretch.points[i], stretch.exact.get(i), number)
            self._check_ends(bits, stretch.common[i + 1], length, number)

    def _return_to(self, shared: int) -> None:
        """Leave the cells that the next leaf is not in: it has ``shared`` bits of the path."""
        keep = sum(layer.first <= shared for layer in self._layers[: len(self._matrices)])
        del self._matrices[keep:], self._tables[keep:]
        del self._cell[max(shared, 0) :], self._closed[max(shared, 0) :]
        while self._settled and self._settled[-1][0] > shared:
            del self._value[self._settled.pop()[1]]

    def _follow(self, bits: Sequence[int], shared: int) -> None:
        """Walk along cells that earlier leaves opened, where others check them."""
        for depth in range(shared):
            is_constant = not any(self._row(bits, depth)[:-1])
            self._enter(bits, depth, is_constant or depth in self._value)

    def _enter(self, bits: Sequence[int], depth: int, closed: bool) -> None:
        row = self._row(bits, depth)
        self._cell.append(row if bits[depth] else [-v for v in row])
        self._closed.append(closed)

    def _is_closed(self, bits: Sequence[int], depth: int, number: int) -> bool:
        """Tell whether the other side of a bit is empty; the leaf must not lie there."""
        row = self._row(bits, depth)
        if not any(row[:-1]):
            if bool(bits[depth]) != bool(row[-1] > 0):
                raise RefusalError(
                    f"bit {depth} of region {number} is not that of a constant neuron"
                )
            return True
        value = self._value.get(depth, bits[depth])
        if value != bits[depth]:
            raise RefusalError(f"region {number} lies in a branch that was proved empty")
        return depth in self._value

    def _row(self, bits: Sequence[int], bit: int) -> list[Any]:
        """Return the row of a bit whose layer the path fixes."""
        layer, unit = self._place[bit]
        while len(self._matrices) <= layer:
            k = len(self._matrices)
            below = self._start
            if k:
                below = self._layers[k - 1].activated(self._matrices[-1], bits)
            self._matrices.append(self._layers[k].rows(below))
            self._tables.append(self._matrices[-1].entries())
        return self._tables[layer][unit * self._width : (unit + 1) * self._width]

    def _check_step(
        self, bits: Sequence[int], depth: int, bit: int, numbers: list[int], number: int
    ) -> None:
        """Check that a bit is that of the leaf ``number`` all over the cell of ``depth`` bits."""
        where = f"the step on bit {bit} in the first {depth} bits of region {number}"
        if not depth <= bit < self._n_bits or self._layers[self._place[bit][0]].first > depth:
            raise RefusalError(f"{where} is on a neuron that the cell does not fix")
        if bit in self._value:
            raise RefusalError(f"{where} is there twice")
        self._settled.append((depth, bit))
        self._value[bit] = bits[bit]
        own = self._row(bits, bit)
        if not any(own[:-1]):
            return  # a constant's sign needs no proof: it is looked at when its bit is reached
        rows = [[-v for v in own] if bits[bit] else own]
        for k in numbers:
            if k < depth and any(self._cell[k][:-1]):
                rows.append(self._cell[k])
            elif self._n_bits <= k < self._n_bits + len(self._walls):
                rows.append(self._walls[k - self._n_bits])
            else:
                raise RefusalError(f"{where} names row {k}, which is none of the cell's walls")
        if numbers != sorted(set(numbers)):
            raise RefusalError(f"{where} names its rows in disorder")
        if not _excluded(rows):
            raise RefusalError(f"{where} does not prove that the other side is empty")

    def _check_point(
        self, bits: Sequence[int], point: NDArray[Any], exact: list[str] | None, number: int
    ) -> None:
        """Check that the region's point lies inside the domain and has the region's pattern."""
        x = self._points.homogeneous(point.tolist() if exact is None else exact)
        if x is None:
            raise RefusalError(f"the point of region {number} is no point of the domain's space")
        if not all(v > 0 for v in (self._wall_matrix * x).entries()):
            raise RefusalError(f"the point of region {number} is not strictly inside the domain")
        for layer, matrix in zip(self._layers, self._matrices, strict=False):
            for bit, value in zip(layer.bits, (matrix * x).entries(), strict=False):
                # A neuron that is constantly 0 has been checked on the way here.
                if bit is not None and (value <= 0 if bits[bit] else value > 0):
                    raise RefusalError(f"the point of region {number} has another bit {bit}")
                if bit is not None and not value and any(self._row(bits, bit)):
                    raise RefusalError(
                        f"the point of region {number} lies on the wall of bit {bit}"
                    )

    def _check_ends(self, bits: Sequence[int], shared: int, length: int, number: int) -> None:
        """Check the branches to the right of a leaf, up to the bit in which the next one differs.

        That bit is free: the next leaf lies on its other side.
        """
        for depth in range(shared + 1, length):
            if not bits[depth] and not self._closed[depth]:
                raise RefusalError(
                    f"nothing is said of the branch with bit {depth} = 1 after region {number}"
                )
        if shared >= 0 and self._closed[shared]:
            raise RefusalError(f"region {number + 1} lies in a branch that was proved empty")


class _Points:
    """The change from the points' local coordinates to homogeneous ones of the domain."""

    def __init__(self, claim: Claim) -> None:
        self._common = lcm(*[v.denominator for v in (*claim.middle, *claim.scale)])
        self._middle = [int(v * self._common) for v in claim.middle]
        self._scale = [int(v * self._common) for v in claim.scale]

    def homogeneous(self, local: list[Any]) -> fmpz_mat | None:
        """Return the exact point as (x, 1) times a positive integer; None when it has none."""
        try:
            values = [number_from_str(v) if isinstance(v, str) else v for v in local]
            pairs = [v.as_integer_ratio() for v in values]
        except (ValueError, OverflowError):
            return None
        denominator = lcm(*[q for _, q in pairs])
        u = [p * (denominator // q) for p, q in pairs]
        weight = u.pop() if len(u) > len(self._scale) else denominator
        if weight <= 0:
            return None
        triples = zip(self._middle, self._scale, u, strict=True)
        x = [m * weight + s * v for m, s, v in triples]
        return fmpz_mat(len(x) + 1, 1, [*x, self._common * weight])


def _excluded(rows: list[list[Any]]) -> bool:
    """Tell whether the multipliers that the rows determine show that they exclude each other.

    Rows a.x + c, all > 0: y >= 0, not all 0, with sum y a = 0 and sum y c <= 0 excludes it.
    """
    d = len(rows[0]) - 1
    for height in (d, d + 1):
        matrix = fmpz_mat(height, len(rows), [row[k] for k in range(height) for row in rows])
        basis, nullity = matrix.nullspace()
        if nullity == 1:
            y = [basis[i, 0] for i in range(len(rows))]
            sign = 1 if any(v > 0 for v in y) else -1
            constant: Any = sum(v * row[-1] for v, row in zip(y, rows, strict=True))
            return all(v * sign >= 0 for v in y) and bool(constant * sign <= 0)
    return False
