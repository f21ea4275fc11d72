"""Walk the activation patterns depth first, one neuron at a time; any number of inputs.

The compiled walk proposes and proves in floats; where it cannot prove, it stops and the exact rung
answers. Regions come in lexicographic order of their patterns.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from plregions.enumeration.steps import Steps, joined_steps
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.exact_rung import ExactRung, Point
from plregions.feasibility.prepare import Prepared
from plregions.feasibility.room import longer
from plregions.kernels import layout
from plregions.kernels.integers import GRAIN_SHIFT, ROUNDED
from plregions.kernels.layout import Tree
from plregions.kernels.proofs import point_is_inside
from plregions.kernels.simplex import crash
from plregions.kernels.tree import leave_subtree, walk

__all__ = ["EVERY_DEPTH", "Leaves", "TreeWalk", "joined", "no_leaves"]

# A few milliseconds of work: how often the walk looks at the clock and lets Python see Ctrl-C.
PIVOTS_A_PAUSE = 4000

FIRST_ROWS = 48

EVERY_DEPTH = 1 << 62


@dataclass(frozen=True)
class Leaves:
    """A chunk of regions as columns, in order.

    ``packed`` (n, ceil(N / 8)) uint8 are the patterns; ``kept`` (n, ceil((N + w) / 8)) uint8 the
    rows that may carry facets, a bit for each neuron and then for each of the domain's w rows;
    the others are redundant. ``points`` (n, d) are local float64 points; ``exact`` gives the
    rational local point of the regions in which no float64 point was found. ``rows_are_facets``
    tells that all rows in ``kept`` carry facets. ``steps`` is there when a proof is recorded.
    """

    packed: NDArray[np.uint8]
    kept: NDArray[np.uint8]
    points: NDArray[np.float64]
    exact: dict[int, Point]
    rows_are_facets: bool = False
    steps: Steps | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is neither a region nor a step."""
        return not len(self) and not self.steps

    def __len__(self) -> int:
        return len(self.packed)

    def without_columns(self) -> Leaves:
        """Return as many regions without anything said of them, for counting."""
        n = len(self)
        return Leaves(np.empty((n, 0), np.uint8), np.empty((n, 0), np.uint8), np.empty((n, 0)), {})


def joined(chunks: list[Leaves], like: Leaves) -> Leaves:
    """Put chunks together; ``like`` tells the columns where there are no chunks."""
    exact: dict[int, Point] = {}
    start = 0
    for chunk in chunks:
        exact.update({start + i: point for i, point in chunk.exact.items()})
        start += len(chunk)
    parts = chunks or [like]
    return Leaves(
        np.concatenate([part.packed for part in parts]),
        np.concatenate([part.kept for part in parts]),
        np.concatenate([part.points for part in parts]),
        exact,
        all(part.rows_are_facets for part in parts),
        joined_steps([part.steps for part in parts], [len(part) for part in parts]),
    )


def no_leaves(p: Prepared) -> Leaves:
    """Return an empty chunk of a prepared network."""
    n_bytes, n_kept = (p.n_bits + 7) // 8, (p.n_bits + len(p.walls[0]) + 7) // 8
    empty = np.empty((0, n_bytes), np.uint8), np.empty((0, n_kept), np.uint8)
    return Leaves(*empty, np.empty((0, p.dim)), {})


class TreeWalk:
    """One walk over the regions of a prepared network; it can be stopped and continued."""

    def __init__(
        self,
        prepared: Prepared,
        chunk_size: int = 4096,
        deepest: int = EVERY_DEPTH,
        recording: bool = False,
    ) -> None:
        self._prepared = prepared
        self._exact_points: dict[int, Point] = {}
        self._next_id = 0
        self._rung: ExactRung | None = None
        self._deepest = deepest
        self._tree = self._new_tree(chunk_size, recording)
        self.done = False
        self.at_subtree = False

    def advance(self, seconds: float = 0.05) -> None:
        """Walk until the leaf buffer is full, about ``seconds`` have passed, or all is done.

        With ``deepest`` given it also stops, with ``at_subtree`` set, at every cell below so many
        splits; `split_off` must then be called before it goes on.
        """
        p = self._prepared
        deadline = time.monotonic() + seconds
        while not (self.done or self.at_subtree):
            status = walk(
                p.units, self._tree, p.n_walk, p.n_bits, p.dim, PIVOTS_A_PAUSE, self._deepest
            )
            if status == layout.DONE:
                self.done = True
            elif status == layout.CHUNK_FULL:
                return
            elif status == layout.SUBTREE:
                self.at_subtree = True
            elif status == layout.NEED_EXACT:
                self._decide_exactly()
            elif status == layout.GROW:
                self._tree = _grown(self._tree, p.dim)
            if time.monotonic() > deadline:
                return

    def take(self) -> Leaves:
        """Remove the regions found since the last call and return them."""
        t = self._tree
        n = int(t.ctl[layout.LEAVES])
        ids = t.leaf_id[:n]
        exact = {int(i): self._exact_points[int(ids[i])] for i in np.flatnonzero(ids >= 0)}
        k = int(t.ctl[layout.STEPS])
        recording = t.ctl[layout.RECORDING]
        leaves = Leaves(
            t.leaf_bits[:n].copy(),
            t.leaf_kept[:n].copy(),
            t.leaf_point[:n].copy(),
            exact,
            steps=Steps(t.step_place[:k].copy(), t.step_rows[:k].copy()) if recording else None,
        )
        t.ctl[layout.LEAVES] = 0
        t.ctl[layout.STEPS] = 0
        if self._exact_points:
            pending = t.frame_int[: int(t.ctl[layout.FRAMES]), 2]
            in_use = {int(i) for i in (t.ctl[layout.POINT_ID], *pending, *t.answer_id)}
            self._exact_points = {i: p for i, p in self._exact_points.items() if i in in_use}
        return leaves

    def split_off(self) -> TreeWalk:
        """Return a walk of the current subtree alone, and go on behind it.

        What the new walk finds depends on its cell alone. To be called at a subtree, with the
        leaf buffer empty.
        """
        t = self._tree
        twin = object.__new__(TreeWalk)
        twin._prepared = self._prepared
        twin._next_id = self._next_id
        number = int(t.ctl[layout.POINT_ID])
        twin._exact_points = {number: self._exact_points[number]} if number >= 0 else {}
        twin._rung = None
        twin._deepest = EVERY_DEPTH
        twin._tree = Tree(*(array.copy(order="K") for array in t))
        twin._tree.ctl[layout.FRAMES] = 0
        twin._tree.ctl[layout.PIVOTS] = 0
        twin._tree.ctl[layout.N_LEAVES : layout.N_PIVOTS + 1] = 0
        twin.done = False
        twin.at_subtree = False
        self.at_subtree = False
        self.done = not leave_subtree(self._prepared.units, t, self._prepared.dim)
        return twin

    @property
    def depth(self) -> int:
        """Number of splits above the current cell."""
        return int(self._tree.ctl[layout.DEPTH])

    def close(self) -> None:
        """Nothing runs in the background."""

    @property
    def share_done(self) -> float:
        """Share of the binary tree that lies behind the walk, between 0 and 1."""
        if self.done:
            return 1.0
        t = self._tree
        depths = [*t.frame_int[: int(t.ctl[layout.FRAMES]), 7], t.ctl[layout.DEPTH]]
        return max(0.0, 1.0 - sum(0.5 ** int(depth) for depth in depths))

    @property
    def statistics(self) -> dict[str, int]:
        """How many decisions each rung took so far.

        ``empty_by_residual``, ``empty_by_multipliers`` and ``empty_by_integers`` are the branches
        cut off by rungs 1, 2 and 3 in the kernel, ``points`` the sides proved by a point,
        ``twins`` the bits read off a repeated neuron; ``exact`` is what was left to rationals, in
        so many ``exact_batches``.
        """
        ctl = self._tree.ctl
        rung = self._rung
        return {
            "tests": int(ctl[layout.N_TESTS]),
            "empty_by_residual": int(ctl[layout.N_RESIDUAL]),
            "empty_by_multipliers": int(ctl[layout.N_MULTIPLIERS]),
            "empty_by_integers": int(ctl[layout.N_INTEGERS]),
            "twins": int(ctl[layout.N_TWINS]),
            "points": int(ctl[layout.N_POINTS]),
            "exact": int(ctl[layout.N_EXACT]),
            "exact_batches": int(ctl[layout.N_BATCHES]),
            "exact_from_memory": rung.n_memo if rung else 0,
            "exact_by_basis": rung.n_basis if rung else 0,
            "exact_by_lp": rung.n_lp if rung else 0,
            "pivots": int(ctl[layout.N_PIVOTS] + ctl[layout.PIVOTS]),
        }

    def _decide_exactly(self) -> None:
        """Decide the current unit, and all others of its layer that are open on the cell.

        Where one of the others has one sign all over the cell, that holds in all parts of it.
        """
        p, t = self._prepared, self._tree
        if self._rung is None:
            self._rung = ExactRung(ExactRows(p), p.wall_rows)
        n, rows = int(t.ctl[layout.ASKED]), int(t.ctl[layout.ROWS])
        units = t.asked[:n].tolist()
        bases = t.asked_basis[:n].tolist()
        bases = [basis if all(0 <= i < rows for i in basis) else [] for basis in bases]
        base = int(t.ctl[layout.BASE])
        labels = t.label[base : base + rows].tolist()
        point = self._current_point()
        first, *others = self._rung.sides(units, t.bits, labels, bases, point)
        if first.zero is not None and first.one is not None:
            for side, found in enumerate((first.zero, first.one)):
                same = found is point
                self._answer_point(side, found, int(t.ctl[layout.POINT_ID]) if same else None)
            t.ctl[layout.ANSWER] = layout.BOTH
        else:
            t.ctl[layout.ANSWER] = layout.ONLY_ONE if first.zero is None else layout.ONLY_ZERO
            self._log(units[0], first.rows)
        for unit, sides in zip(units[1:], others, strict=True):
            if sides.zero is None or sides.one is None:
                t.known[p.units.bit[unit]] = sides.zero is None
                self._log(unit, sides.rows)

    def _log(self, unit: int, labels: tuple[int, ...]) -> None:
        """Log that rows prove a bit to be the same all over the cell; no rows, no need for it."""
        t, bit = self._tree, self._prepared.units.bit
        if t.ctl[layout.RECORDING] and labels:
            k = int(t.ctl[layout.STEPS])
            t.step_place[k] = t.ctl[layout.LEAVES], bit[t.ctl[layout.UNIT]], bit[unit]
            t.step_rows[k] = -1
            t.step_rows[k, : len(labels)] = [
                bit[v] if v >= 0 else self._prepared.n_bits - 1 - v for v in labels
            ]
            t.ctl[layout.STEPS] = k + 1

    def _current_point(self) -> Point:
        number = int(self._tree.ctl[layout.POINT_ID])
        if number >= 0:
            return self._exact_points[number]
        return tuple(Fraction(float(v)) for v in self._tree.point)

    def _answer_point(self, side: int, point: Point, known_id: int | None) -> None:
        t = self._tree
        floats = [float(v) for v in point]
        t.answer_point[side] = floats
        if known_id is not None:
            t.answer_id[side] = known_id
        elif all(Fraction(f) == v for f, v in zip(floats, point, strict=True)):
            t.answer_id[side] = -1
        else:
            t.answer_id[side] = self._remember(point)

    def _remember(self, point: Point) -> int:
        number = self._next_id
        self._next_id += 1
        self._exact_points[number] = point
        return number

    def _new_tree(self, chunk_size: int, recording: bool) -> Tree:
        p = self._prepared
        d = p.dim
        C, E, S, Z = p.walls
        m = len(C)
        capacity = m + min(p.n_bits, FIRST_ROWS) + 2
        frames = min(p.n_bits, FIRST_ROWS) + 1
        steps = 4 * chunk_size + p.n_bits if recording else 0
        t = _allocate(p, chunk_size, capacity, frames, steps)
        t.ctl[layout.RECORDING] = recording
        t.ctl[layout.ROWS] = m
        t.ctl[layout.ANSWER] = layout.NO_ANSWER
        t.C[:m], t.E[:m], t.S[:m], t.Z[:m] = C, E, S, Z
        t.label[:m] = -1 - np.arange(m)
        t.Z[:m] |= (p.grains.wall + 1) << GRAIN_SHIFT
        t.unit_grain[:], t.slope_grain[:] = p.grains.unit, p.grains.slope
        t.twin[:] = p.multiples.twin
        rows, error, size, flags = p.first_rows
        n0 = len(rows)
        t.grain[:n0] = t.unit_grain[:n0]
        t.rows[:n0], t.error[:n0], t.size[:n0], t.flags[:n0] = rows, error, size, flags
        # A unit without a kink keeps its one slope for ever.
        t.slope[:] = p.units.positive
        inside = p.frame.to_local(p.domain.interior_point())
        while not (p.domain.is_bounded or max(map(abs, inside)) < 1):
            # A cone holds all multiples of its points: this one lies in the box as well.
            inside = tuple(v / 2 for v in inside)
        t.point[:] = [float(v) for v in inside]
        t.ctl[layout.POINT_ID] = -1
        if not point_is_inside(t.C, t.E, t.S, d, m, t.point):
            t.ctl[layout.POINT_ID] = self._remember(inside)
        t.ctl[layout.HAS_VERTEX] = int(crash(t.T, t.C, t.nb, t.col, d, m, t.point))
        return t


def _allocate(p: Prepared, chunk_size: int, capacity: int, frames: int, steps: int) -> Tree:
    d, n, n_bits = p.dim, len(p.units.bias), p.n_bits
    n_bytes = (n_bits + 7) // 8
    i64, u8 = np.int64, np.uint8
    return Tree(
        ctl=np.zeros(layout.CTL_LENGTH, dtype=i64),
        slope=np.zeros(n),
        rows=np.zeros((n, d + 1)),
        error=np.zeros(n),
        size=np.zeros(n),
        flags=np.zeros(n, dtype=i64),
        grain=np.full(n, ROUNDED, dtype=i64),
        unit_grain=np.zeros(n, dtype=i64),
        slope_grain=np.zeros(n, dtype=i64),
        twin=np.zeros(n, dtype=i64),
        bits=np.zeros(max(n_bits, 1), dtype=u8),
        known=np.full(max(n_bits, 1), 2, dtype=np.int8),
        C=np.zeros((capacity, d + 1)),
        E=np.zeros(capacity),
        S=np.zeros(capacity),
        Z=np.zeros(capacity, dtype=i64),
        label=np.zeros(capacity, dtype=i64),
        T=np.zeros((d + capacity, d + 2), order="F"),
        nb=np.full(d, -1, dtype=i64),
        col=np.full(capacity, -1, dtype=i64),
        point=np.zeros(d),
        frame_int=np.zeros((frames, 8), dtype=i64),
        frame_point=np.zeros((frames, d)),
        frame_known=np.zeros((frames, max(n_bits, 1)), dtype=np.int8),
        frame_dictionary=np.zeros((frames, d + 1, d + capacity)),
        frame_nb=np.zeros((frames, d), dtype=i64),
        asked=np.zeros(n, dtype=i64),
        asked_basis=np.zeros((n, d), dtype=i64),
        answer_point=np.zeros((2, d)),
        answer_id=np.full(2, -1, dtype=i64),
        leaf_bits=np.zeros((chunk_size, n_bytes), dtype=u8),
        leaf_kept=np.zeros((chunk_size, (n_bits + len(p.walls[0]) + 7) // 8), dtype=u8),
        leaf_point=np.zeros((chunk_size, d)),
        leaf_id=np.full(chunk_size, -1, dtype=i64),
        step_place=np.zeros((steps, 3), dtype=i64),
        step_rows=np.zeros((steps, d), dtype=np.int32),
        q=np.zeros(d),
        v=np.zeros(d),
        values=np.zeros(capacity),
        residual=np.zeros(d + 1),
        unneeded=np.zeros(d, dtype=np.uint8),
        work=np.zeros((d, 2 * d)),
        state=np.zeros(capacity, dtype=i64),
    )


def _grown(t: Tree, d: int) -> Tree:
    """Return the same state with room for twice the rows and frames."""
    rows = 2 * len(t.C)
    frames = 2 * len(t.frame_int)

    return t._replace(
        C=longer(t.C, rows),
        E=longer(t.E, rows),
        S=longer(t.S, rows),
        Z=longer(t.Z, rows),
        label=longer(t.label, rows),
        T=longer(t.T.T, d + 2, d + rows).T,
        col=longer(t.col, rows),
        values=longer(t.values, rows),
        state=longer(t.state, rows),
        frame_int=longer(t.frame_int, frames),
        frame_point=longer(t.frame_point, frames),
        frame_known=longer(t.frame_known, frames),
        frame_dictionary=longer(t.frame_dictionary, frames, d + 1, d + rows),
        frame_nb=longer(t.frame_nb, frames),
    )
