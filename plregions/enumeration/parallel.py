"""Subtrees on threads: the same regions in the same order for any number of workers.

One walk over the top of the tree hands out the cells below so many splits. A subtree's results
depend on its cell alone, and results are given out in the order of the cells, so nothing depends
on which thread was faster. The kernels run without the interpreter's lock; exact decisions hold it.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait

from flint import ctx

from plregions.enumeration.cell_walk import CellWalk
from plregions.enumeration.tree import Leaves, TreeWalk, joined, no_leaves
from plregions.enumeration.tree_after import TreeAfter
from plregions.feasibility.prepare import Prepared

__all__ = ["ParallelWalk"]

SUBTREES_A_WORKER = 32
SLICE = 0.05


class _Part:
    """A stretch of the result: chunks that are there already, and whether more will come."""

    def __init__(self, depth: int) -> None:
        self.weight = 0.5**depth
        self.chunks: deque[Leaves] = deque()
        self.future: Future[None] | None = None

    @property
    def is_done(self) -> bool:
        return self.future is None or self.future.done()


class ParallelWalk:
    """A walk whose subtrees run on threads; the surface of `TreeWalk`.

    ``top`` is the walk that hands them out, by default a `TreeWalk`; ``recording`` is its.
    """

    def __init__(
        self,
        prepared: Prepared,
        workers: int,
        keep: bool = True,
        top: TreeWalk | CellWalk | TreeAfter | None = None,
        recording: bool = False,
    ) -> None:
        nothing = no_leaves(prepared)
        self._nothing = nothing if keep else nothing.without_columns()
        self._keep = keep
        if top is None:
            depth = (SUBTREES_A_WORKER * workers - 1).bit_length()
            top = TreeWalk(prepared, deepest=depth, recording=recording)
        self._top = top
        self._parts: deque[_Part] = deque()
        self._share = 0.0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._totals: dict[str, int] = {}
        self._workers: Executor = ThreadPoolExecutor(workers, thread_name_prefix="plregions")

    @property
    def done(self) -> bool:
        """Whether everything was found and taken."""
        return self._top.done and not self._parts

    def advance(self, seconds: float = SLICE) -> None:
        """Hand out subtrees, or wait for results, for about ``seconds``."""
        if not self._top.done:
            self._top.advance(seconds)
            leaves = self._top.take()
            if not leaves.is_empty:
                part = _Part(self._top.depth)
                part.weight = 0.0
                part.chunks.append(leaves if self._keep else leaves.without_columns())
                self._parts.append(part)
            if self._top.at_subtree:
                part = _Part(self._top.depth)
                part.future = self._workers.submit(self._walk_part, [self._top.split_off()], part)
                self._parts.append(part)
        elif self._parts and not self._parts[0].chunks:
            future = self._parts[0].future
            if future is not None:
                wait([future], timeout=seconds)

    def take(self) -> Leaves:
        """Remove what was found up to the first part that is still running, and return it."""
        chunks: list[Leaves] = []
        while self._parts:
            part = self._parts[0]
            is_done = part.is_done  # asked before the chunks are emptied
            while part.chunks:
                chunks.append(part.chunks.popleft())
            if not is_done:
                break
            if part.future is not None:
                part.future.result()
            self._share += part.weight
            self._parts.popleft()
        return joined(chunks, self._nothing)

    def close(self) -> None:
        """Stop the threads and wait for them; what they found so far stays."""
        self._stop.set()
        self._workers.shutdown(wait=True, cancel_futures=True)

    @property
    def share_done(self) -> float:
        """Share of the binary tree that lies behind, between 0 and 1."""
        return 1.0 if self.done else min(self._share, 1.0)

    @property
    def statistics(self) -> dict[str, int]:
        """How many decisions each rung took so far, finished subtrees and the top."""
        with self._lock:
            top = self._top.statistics
            names = dict.fromkeys([*top, *self._totals])
            return {name: top.get(name, 0) + self._totals.get(name, 0) for name in names}

    def _walk_part(self, walks: list[TreeWalk | CellWalk | TreeAfter], part: _Part) -> None:
        """Do the walk, and take it from the list, which is all that holds it."""
        walk = walks.pop()
        while not walk.done and not self._stop.is_set():
            walk.advance(SLICE)
            leaves = walk.take()
            if not leaves.is_empty:
                part.chunks.append(leaves if self._keep else leaves.without_columns())
        with self._lock:
            for name, value in walk.statistics.items():
                self._totals[name] = self._totals.get(name, 0) + value
        # FLINT keeps room for the integers of a thread, once they are gone, and would never free it
        # when the thread ends.
        del walk
        ctx.cleanup()
