"""The facets of regions and the patterns beyond them, decided exactly where floats fail."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.exact.lp import maximise
from plregions.feasibility.exact_rows import ExactRows, over_common_denominator, value_at
from plregions.feasibility.exact_rung import ExactRung, Point, point_above
from plregions.feasibility.prepare import IntRow, Prepared
from plregions.kernels import layout
from plregions.kernels.facets import region_facets
from plregions.kernels.layout import Facets
from plregions.network.propagate import activate

__all__ = ["FacetFinder", "pattern_beyond"]

# Points of cones are looked at about 2**-8 from the apex: rays from there meet the cone's own
# rows before the box that cuts it off.
DEPTH_OF_CONES = 8


class FacetFinder:
    """Finds the facets of regions of one prepared network, in batches."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._scratch = _scratch(prepared)
        self._rung: ExactRung | None = None

    @cached_property
    def several(self) -> dict[int, tuple[int, ...]]:
        """For bits whose neurons have multiples: the bits that flip where they flip."""
        bit = self._prepared.units.bit
        found: dict[int, list[int]] = {}
        for unit, first in enumerate(self._scratch.first.tolist()):
            if first >= 0:
                group = found.setdefault(int(bit[first]), [int(bit[first])])
                group.append(int(bit[unit]))
        return {b: tuple(group) for b, group in found.items()}

    @cached_property
    def masks(self) -> NDArray[np.uint8]:
        """What a facet's label changes in a packed pattern, shape (n_bits, n_bytes)."""
        flips = np.eye(self._prepared.n_bits, dtype=np.bool_)
        for b, group in self.several.items():
            flips[b, list(group)] = True
        return np.packbits(flips, axis=1)

    def batch(
        self,
        packed: NDArray[np.uint8],
        kept: NDArray[np.uint8],
        points: NDArray[np.float64],
        exact: dict[int, Point],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], list[tuple[int, NDArray[np.bool_]]]]:
        """Return facets of a batch of regions.

        Returns
        -------
        offsets : (n + 1,) int64
            Region r's facets are offsets[r] .. offsets[r + 1].
        labels : (n_facets,) int32
            Bit of the neuron on whose zero set the facet lies (the first of those that flip), or
            -1 - i for row i of the domain. Artificial walls carry none.
        special : list of (facet, bits)
            The pattern beyond facets that were decided exactly. Across all others the labelled
            neuron flips, with its multiples, which are in ``several`` and ``masks``.
        """
        p = self._prepared
        has_cones = len(p.walls[0]) > p.n_walls
        if has_cones:
            points = _near_apex(points)
        n = len(packed)
        n_rows = len(p.walls[0]) + p.n_bits
        usable = np.ones(n, dtype=np.uint8)
        usable[list(exact)] = 0
        offsets = np.zeros(n + 1, dtype=np.int64)
        label = np.empty(n * n_rows, dtype=np.int32)
        kind = np.empty(n * n_rows, dtype=np.int8)
        count = region_facets(
            p.units, p.walls, self._scratch, p.n_walk, packed, kept, points, usable,
            offsets, label, kind,
        )  # fmt: skip
        label, kind = label[:count].copy(), kind[:count]
        special: list[tuple[int, NDArray[np.bool_]]] = []
        if has_cones:
            # The artificial walls have done their work: whether they carry facets is no question.
            is_real = _is_real(label, p.n_walls)
            offsets = _counted(is_real)[offsets]
            label, kind = label[is_real], kind[is_real]
        if (kind == layout.MAYBE_FACET).any():
            offsets, label, special = self._settle(
                packed, kept, points, exact, offsets, label, kind
            )
        if has_cones:
            return _without_artificial(offsets, label, special, p.n_walls)
        return offsets, label, special

    def _settle(
        self,
        packed: NDArray[np.uint8],
        kept: NDArray[np.uint8],
        points: NDArray[np.float64],
        exact: dict[int, Point],
        offsets: NDArray[np.int64],
        label: NDArray[np.int32],
        kind: NDArray[np.int8],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], list[tuple[int, NDArray[np.bool_]]]]:
        """Decide the doubtful rows and put the columns together again."""
        p = self._prepared
        new_offsets = np.zeros_like(offsets)
        new_label: list[int] = []
        special: list[tuple[int, NDArray[np.bool_]]] = []
        for r in range(len(packed)):
            low, high = int(offsets[r]), int(offsets[r + 1])
            doubtful = [int(label[f]) for f in range(low, high) if kind[f] == layout.MAYBE_FACET]
            found: list[tuple[int, NDArray[np.bool_] | None]] = [
                (int(label[f]), None) for f in range(low, high) if kind[f] == layout.SURE_FACET
            ]
            if doubtful:
                bits = np.unpackbits(packed[r], count=p.n_bits).astype(np.bool_)
                rows = np.unpackbits(kept[r], count=p.n_bits + len(p.walls[0]))
                point = exact.get(r) or tuple(Fraction(float(v)) for v in points[r])
                found += self._exact_facets(bits, rows, point, doubtful)
                found.sort(key=lambda item: (item[0] < 0, abs(item[0])))
            for name, beyond in found:
                if beyond is not None:
                    special.append((len(new_label), beyond))
                new_label.append(name)
            new_offsets[r + 1] = len(new_label)
        return new_offsets, np.array(new_label, dtype=np.int32), special

    def _exact_facets(
        self, bits: NDArray[np.bool_], kept: NDArray[np.uint8], point: Point, doubtful: list[int]
    ) -> list[tuple[int, NDArray[np.bool_] | None]]:
        p = self._prepared
        if self._rung is None:
            self._rung = ExactRung(ExactRows(p), p.wall_rows)
        unit_of_bit = np.flatnonzero(p.units.bit >= 0)
        bits8 = bits.astype(np.uint8)
        rows: dict[int, IntRow] = {}
        for b in np.flatnonzero(kept):
            label = int(b) if b < p.n_bits else p.n_bits - 1 - int(b)
            unit = int(unit_of_bit[b]) if b < p.n_bits else label
            rows[label] = self._rung.constraint(unit, bits8)
        found: list[tuple[int, NDArray[np.bool_] | None]] = []
        done: set[IntRow] = set()
        for name in doubtful:
            row = rows[name]
            if row in done:
                continue
            done.add(row)
            others = [other for other in set(rows.values()) if other != row]
            at = _point_on_facet(row, others, point)
            if at is None:
                continue
            walls = [other for other in rows if other < 0 and rows[other] == row]
            if walls:
                found.append((max(walls), None))
                continue
            beyond = pattern_beyond(p, at, [Fraction(-v) for v in row[:-1]])
            flips = np.flatnonzero(beyond != bits)
            found.append((int(flips[0]), beyond))
        return found


def _without_artificial(
    offsets: NDArray[np.int64],
    label: NDArray[np.int32],
    special: list[tuple[int, NDArray[np.bool_]]],
    n_walls: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], list[tuple[int, NDArray[np.bool_]]]]:
    """Leave out the facets on walls that are no rows of the domain."""
    is_real = _is_real(label, n_walls)
    before = _counted(is_real)
    moved = [(int(before[facet]), bits) for facet, bits in special]
    return before[offsets], label[is_real], moved


def _is_real(label: NDArray[np.int32], n_walls: int) -> NDArray[np.bool_]:
    """Tell which labels are those of neurons or of the domain's own rows."""
    return label >= -n_walls


def _counted(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many flags are set before each position, and in all."""
    return np.concatenate([[0], np.cumsum(flags)]).astype(np.int64)


def _near_apex(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move points of cones towards 0 by powers of two, away from the artificial walls."""
    exponent = -DEPTH_OF_CONES - np.frexp(np.abs(points).max(axis=1))[1][:, None]
    moved = np.ldexp(points, exponent)
    is_exact = (np.ldexp(moved, -exponent) == points).all(axis=1, keepdims=True)
    return np.where(is_exact, moved, points)


def _point_on_facet(row: IntRow, others: Sequence[IntRow], inside: Point) -> Point | None:
    """Return a point where ``row`` is 0 and all others are positive, or None if there is none.

    Minimises the row over the others; where it can become negative, the segment from the inside
    point crosses its zero set at such a point.
    """
    result = maximise(tuple(-v for v in row), others, stop_above=0)
    if result.status == "optimal":
        return None
    beyond = point_above(result)
    n1, d1 = over_common_denominator(inside)
    n2, d2 = over_common_denominator(beyond)
    here, there = Fraction(value_at(row, n1, d1), d1), Fraction(value_at(row, n2, d2), d2)
    t = here / (here - there)
    return tuple(a + t * (b - a) for a, b in zip(inside, beyond, strict=True))


def pattern_beyond(
    prepared: Prepared, point: Sequence[Fraction], direction: Sequence[Fraction]
) -> NDArray[np.bool_]:
    """Return the bits just beyond a local point in a direction, exactly.

    Values are carried with their derivatives: the sign of value + eps * derivative for all small
    eps > 0 decides a bit; where both vanish the pre-activation is 0 along the way and the bit is
    0. Cost of two exact forward passes.
    """
    d = prepared.dim
    n1, d1 = over_common_denominator(point)
    n2, d2 = over_common_denominator(direction)
    entries: list[int] = []
    for a, b in zip(n1, n2, strict=True):
        entries += [a * d2, b * d1]
    entries += [d1 * d2, 0]
    state: Any = prepared.frame.matrix() * fmpz_mat(d + 1, 2, entries)
    bits: list[NDArray[np.bool_]] = []
    for layer in prepared.engine.layers:
        state = layer.integer_form.matrix * state
        above = np.array(
            [state[i, 0] > 0 or (state[i, 0] == 0 and state[i, 1] > 0) for i in range(layer.n_out)],
            dtype=np.bool_,
        )
        own = above[layer.has_bit]
        bits.append(own)
        state = activate(layer, state, layer.chosen_by(own))
    return np.concatenate(bits)


def _scratch(p: Prepared) -> Facets:
    d = p.dim
    n_units = len(p.units.bias)
    capacity = len(p.walls[0]) + p.n_bits + 1
    i64 = np.int64
    scratch = Facets(
        slope=np.full(n_units, np.nan),
        rows=np.zeros((n_units, d + 1)),
        error=np.zeros(n_units),
        size=np.zeros(n_units),
        flags=np.zeros(n_units, dtype=i64),
        unit_C=np.zeros((n_units, d + 1)),
        unit_E=np.zeros(n_units),
        unit_S=np.zeros(n_units),
        unit_Z=np.zeros(n_units, dtype=i64),
        C=np.zeros((capacity, d + 1)),
        E=np.zeros(capacity),
        S=np.zeros(capacity),
        Z=np.zeros(capacity, dtype=i64),
        label=np.zeros(capacity, dtype=i64),
        state=np.zeros(capacity, dtype=i64),
        inverse=np.zeros(capacity),
        T=np.zeros((d + capacity, d + 2), order="F"),
        nb=np.full(d, -1, dtype=i64),
        col=np.full(capacity, -1, dtype=i64),
        p=np.zeros(d),
        w=np.zeros(d),
        q=np.zeros(d),
        residual=np.zeros(d + 1),
        unneeded=np.zeros(d, dtype=np.uint8),
        first=p.multiples.first,
    )
    n0 = len(p.first_rows[0])
    columns = (scratch.rows, scratch.error, scratch.size, scratch.flags)
    for column, first in zip(columns, p.first_rows, strict=True):
        column[:n0] = first
    return scratch
