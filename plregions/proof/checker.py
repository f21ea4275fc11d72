"""Is a proof right? The independent checker: no solver, no kernel, only integers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.exact.notation import number_from_str
from plregions.proof.integer_rows import domain_from_json
from plregions.proof.replay import Claim, RefusalError, Stretch, replay

if TYPE_CHECKING:
    from plregions.network import Network

__all__ = ["Verification", "verify"]

# Leaves in one stretch: small enough to share among workers, large enough to be worth a process.
LARGEST_STRETCH = 4096
SMALLEST_STRETCH = 128
STRETCHES_A_WORKER = 8

# What comes of reading a header that is anything else.
_DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

# What each column is: its name, the kind of its numbers, its dimensions.
COLUMNS = (
    ("patterns", "u1", 2),
    ("points", "f8", 2),
    ("exact_index", "i8", 1),
    ("exact_points", "U", 2),
    ("step_count", "u", 1),
    ("step_depth", "u", 1),
    ("step_bit", "u", 1),
    ("step_rows", "u", 2),
    ("open_depth", "u", 1),
    ("open_patterns", "u1", 2),
)


@dataclass(frozen=True)
class Verification:
    """What the checker found.

    Attributes
    ----------
    ok : bool
        Whether everything that the proof says is proved.
    complete : bool
        Whether it proves that its regions are all there are; False where ``ok`` is.
    regions : int
        Regions proved; 0 where ``ok`` is False.
    reason : str
        In words: what was proved, or the first thing that is wrong.

    Examples
    --------
    >>> Verification(True, True, 8, "8 activation regions, and no others").complete
    True
    """

    ok: bool
    complete: bool
    regions: int
    reason: str


def verify(
    proof: Any, net: Network, *, workers: int = 1, executor: Executor | None = None
) -> Verification:
    """Check a proof, or the proof of a complex, against a network.

    Parameters
    ----------
    proof : Proof or RegionComplex
        From ``enumerate_regions(..., proof=True)`` or `load_proof`. Of a complex also the domain,
        the patterns and the points are compared with those in its proof.
    net : Network
        The network that the proof should be about.
    workers : int
        Processes, started by spawn, that check stretches of the tree at the same time.
    executor : concurrent.futures.Executor, optional
        Checks the stretches instead.

    Returns
    -------
    Verification
        With ``ok`` False, and why, for anything that is wrong with the proof.

    Raises
    ------
    InvalidInputError
        Something else than a proof and a network, or a complex without a proof.

    Algorithm
    ---------
    Walks through the tree that the patterns span. Rows are carried along as integer matrices; a
    step costs one null space of a small integer matrix, a region one product of matrix and
    vector for each layer. About 0.2 ms a region for 32 neurons in four dimensions.

    Exactness
    ---------
    Integer arithmetic throughout. It shares no code with the enumeration but the data types and
    the reader of numbers: no simplex method, no compiled kernel, no floats.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.mlp([2, 4, 1])
    >>> proof = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), proof=True).proof
    >>> verify(proof, net)
    Verification(ok=True, complete=True, regions=8, reason='8 activation regions, and no others')
    >>> verify(proof, plr.mlp([2, 4, 1], seed=1)).reason
    'the proof is about another network'
    """
    columns, complex_ = _columns_of(proof)
    if not hasattr(net, "layers") or not hasattr(net, "fingerprint"):
        raise InvalidInputError(f"verify needs a Network; got {type(net).__name__}. Load it first.")
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise InvalidInputError(f"workers needs a whole number of at least 1; got {workers!r}.")
    try:
        for name, kinds, ndim in COLUMNS:
            _check_array(getattr(columns, name), kinds, ndim, name)
        if complex_ is not None:
            _check_complex(complex_, columns)
        claim = _claim(columns, net)
        leaves = _Leaves(columns, claim)
        _check_stretches(claim, leaves, int(workers), executor)
    except RefusalError as refusal:
        return Verification(False, False, 0, str(refusal))
    n, n_open = len(columns.patterns), len(columns.open_depth)
    noun = "activation region" if n == 1 else "activation regions"
    branches = "branch" if n_open == 1 else "branches"
    rest = f"others only in {n_open} open {branches}" if n_open else "no others"
    return Verification(True, n_open == 0, n, f"{n} {noun}, and {rest}")


def _columns_of(proof: Any) -> tuple[Any, Any]:
    """Return the proof and, if that was given, the complex around it."""
    if hasattr(proof, "packed_patterns"):
        if proof.proof is None:
            raise InvalidInputError(
                "verify needs a proof; got a complex without one. Enumerate with proof=True."
            )
        return proof.proof, proof
    if not hasattr(proof, "step_rows"):
        raise InvalidInputError(
            f"verify needs a Proof or a RegionComplex; got {type(proof).__name__}. Use load_proof "
            "for a file."
        )
    return proof, None


def _check_complex(complex_: Any, columns: Any) -> None:
    """Check that a complex is the one that its proof is about."""
    same = (
        complex_.domain.fingerprint == columns.facts.get("domain_fingerprint")
        and complex_.network.fingerprint == columns.facts.get("network")
        and np.array_equal(complex_.packed_patterns, columns.patterns)
        and np.array_equal(complex_.local_points, columns.points)
        and complex_.is_complete <= (len(columns.open_depth) == 0)
    )
    if not same:
        raise RefusalError("the proof is about another complex")


def _claim(columns: Any, net: Any) -> Claim:
    """Check what the header says about network and domain."""
    facts = columns.facts
    if facts.get("network") != net.fingerprint:
        raise RefusalError("the proof is about another network")
    layers = tuple((layer.weight, layer.bias, layer.slopes) for layer in net.layers)
    n_bits = sum(int((slopes[:, 0] != slopes[:, 1]).sum()) for _, _, slopes in layers)
    try:
        domain = domain_from_json(facts["domain"], layers[0][0].shape[1])
        claim = Claim(
            layers=layers,
            domain=facts["domain"],
            middle=[number_from_str(v) for v in facts["middle"]],
            scale=[number_from_str(v) for v in facts["scale"]],
            n_bits=n_bits,
            n_walls=len(domain.rows),
        )
        fits = (
            facts["domain_fingerprint"] == domain.fingerprint
            and len(claim.middle) == len(claim.scale) == domain.dim
            and facts["n_bits"] == n_bits
            and columns.points.shape[1] - domain.dim in (0, 1)
        )
    # The header is text from a file: whatever it holds, it is not a claim that can be checked.
    except _DAMAGE as error:
        words = " ".join(str(error).split())
        raise RefusalError(f"the header is damaged ({type(error).__name__}: {words})") from None
    if not fits:
        raise RefusalError("the header's numbers do not fit its domain or the network")
    return claim


class _Leaves:
    """The leaves of the tree, regions and then open branches, once their order is checked."""

    def __init__(self, columns: Any, claim: Claim) -> None:
        n, n_bits = len(columns.patterns), claim.n_bits
        n_open, n_bytes = len(columns.open_depth), (n_bits + 7) // 8
        n_steps = len(columns.step_bit)
        lengths = {
            "patterns": (n, n_bytes),
            "open_patterns": (n_open, n_bytes),
            "points": (n, columns.points.shape[1]),
            "step_count": (n,),
            "step_depth": (n_steps,),
            "step_rows": (n_steps, columns.step_rows.shape[1]),
            "exact_points": (len(columns.exact_index), columns.points.shape[1]),
        }
        for name, shape in lengths.items():
            if getattr(columns, name).shape != shape:
                raise RefusalError(f"{name} has a length that does not fit the other columns")
        if (columns.step_count > n_steps).any() or (columns.open_depth > n_bits).any():
            raise RefusalError("step_count or open_depth has numbers that are too large")
        self.packed = np.concatenate([columns.patterns, columns.open_patterns])
        depths = columns.open_depth.astype(np.int64)
        self.lengths = np.concatenate([np.full(n, n_bits), depths])
        self.common = _common_prefixes(self.packed, self.lengths)
        self.points = columns.points
        self.exact = _exact_points(columns, n)
        self._first_step = np.concatenate([[0], np.cumsum(columns.step_count, dtype=np.int64)])
        if int(self._first_step[-1]) != n_steps:
            raise RefusalError("step_count does not fit the number of steps")
        self._place = np.stack([columns.step_depth, columns.step_bit], axis=1).astype(np.int64)
        _check_step_order(self._place, np.repeat(np.arange(n), columns.step_count))
        self._rows = columns.step_rows
        self._filler = n_bits + claim.n_walls
        outcome = columns.facts.get("outcome")
        if not isinstance(outcome, str) or (outcome == "COMPLETE" and n_open):
            raise RefusalError("the header's outcome does not fit the open branches")

    def stretches(self, size: int) -> Iterator[Stretch]:
        """Cut the leaves into stretches."""
        for first in range(0, len(self.packed), size):
            yield self._stretch(first, min(first + size, len(self.packed)))

    def _stretch(self, first: int, last: int) -> Stretch:
        n = len(self.points)
        start = int(self._first_step[min(first, n)])
        end = int(self._first_step[min(last, n)])
        filler = self._filler
        return Stretch(
            first=first,
            patterns=self.packed[first:last],
            lengths=self.lengths[first:last].tolist(),
            common=self.common[first : last + 1].tolist(),
            points=self.points[first:last],
            exact={i - first: self.exact[i] for i in self.exact if first <= i < last},
            step_count=np.diff(self._first_step[first : last + 1]).tolist(),
            step_place=[(depth, bit) for depth, bit in self._place[start:end].tolist()],
            step_rows=[[v for v in row if v != filler] for row in self._rows[start:end].tolist()],
            settled=self._settled_above(first),
        )

    def _settled_above(self, first: int) -> list[tuple[int, int, int]]:
        """Return the steps on cells that hold a leaf but were opened by earlier ones."""
        settled = []
        leaf, shared = first, int(self.common[first])
        while shared >= 0:
            leaf -= 1
            # Leaf `leaf` opened the cells of more bits than it shares with the one before it.
            opened = int(self.common[leaf])
            if opened < shared:
                here = self._first_step[leaf : leaf + 2].tolist()
                for step in range(*here) if leaf < len(self.points) else ():
                    depth, bit = self._place[step].tolist()
                    if depth <= shared:
                        # A bit behind the pattern is refused with its own stretch.
                        byte = self.packed[leaf, bit >> 3] if bit >> 3 < self.packed.shape[1] else 0
                        settled.append((depth, bit, int(byte) >> (7 - (bit & 7)) & 1))
                shared = opened
        return sorted(settled)


def _check_array(array: Any, kind: str, ndim: int, name: str) -> None:
    fits = isinstance(array, np.ndarray) and array.ndim == ndim
    if not fits or kind not in (array.dtype.kind, array.dtype.str[1:]):
        raise RefusalError(f"{name} has a wrong type or shape")


def _common_prefixes(packed: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many bits each leaf shares with the one before; -1 at both ends.

    Refuses leaves in disorder, leaves in one another, and bits behind the end of a leaf.
    """
    n = len(packed)
    if not n:
        raise RefusalError("there is neither a region nor an open branch")
    common = np.full(n + 1, -1, dtype=np.int64)
    rows = np.arange(n)
    byte, rest = lengths // 8, lengths % 8
    if packed.shape[1]:
        partly = packed[rows, np.minimum(byte, packed.shape[1] - 1)] << rest.astype(np.uint8)
        behind = np.arange(packed.shape[1]) > byte[:, None]
        if (partly[(rest > 0) | (byte < packed.shape[1])].any()) or (packed * behind).any():
            raise RefusalError("a pattern has bits behind its end")
    if n > 1:
        differs = packed[1:] != packed[:-1]
        column = differs.argmax(axis=1) if packed.shape[1] else np.zeros(n - 1, dtype=np.int64)
        if not differs.any(axis=1).all():
            raise RefusalError("a region is there twice, or a branch lies in another")
        before, after = packed[rows[:-1], column], packed[rows[1:], column]
        if not (before < after).all():
            raise RefusalError("regions and open branches are not in lexicographic order")
        top = np.frexp((before ^ after).astype(np.float64))[1]
        common[1:n] = 8 * column + 8 - top
        if (common[1:n] >= np.minimum(lengths[1:], lengths[:-1])).any():
            raise RefusalError("a region is there twice, or a branch lies in another")
    return common


def _exact_points(columns: Any, n: int) -> dict[int, list[str]]:
    index, points = columns.exact_index, columns.exact_points
    numbers = index.tolist()
    if numbers != sorted(set(numbers)) or (numbers and not 0 <= numbers[0] <= numbers[-1] < n):
        raise RefusalError("exact_index names regions that are not there, or in disorder")
    return dict(zip(numbers, points.tolist(), strict=True))


def _check_step_order(place: NDArray[np.int64], region: NDArray[np.int64]) -> None:
    same = region[1:] == region[:-1]
    deeper = place[1:, 0] > place[:-1, 0]
    later = (place[1:, 0] == place[:-1, 0]) & (place[1:, 1] > place[:-1, 1])
    if (same & ~deeper & ~later).any():
        raise RefusalError("the steps of a region are in disorder")


def _check_stretches(
    claim: Claim, leaves: _Leaves, workers: int, executor: Executor | None
) -> None:
    if executor is not None:
        _check_with(executor, claim, leaves.stretches(LARGEST_STRETCH // 8))
    elif workers > 1:
        size = len(leaves.packed) // (STRETCHES_A_WORKER * workers)
        size = max(SMALLEST_STRETCH, min(LARGEST_STRETCH, size))
        workers = min(workers, -(-len(leaves.packed) // size) or 1)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            _check_with(pool, claim, leaves.stretches(size))
    else:
        for stretch in leaves.stretches(LARGEST_STRETCH):
            _report(replay(claim, stretch))


def _check_with(executor: Executor, claim: Claim, stretches: Iterator[Stretch]) -> None:
    futures = [executor.submit(replay, claim, stretch) for stretch in stretches]
    try:
        for future in futures:
            _report(future.result())
    finally:
        for future in futures:
            future.cancel()


def _report(reason: str) -> None:
    if reason:
        raise RefusalError(reason)
