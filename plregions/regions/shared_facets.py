"""Which two regions share a facet, when the facets' neurons are known? Matched by hashes.

The two sides of a facet across which one neuron flips have patterns that differ in its bit. So
the pattern with this bit cleared and the number of the neuron are the same for both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["facets_of_rows", "match_single_flips"]

UNKNOWN = -1


def facets_of_rows(
    packed_rows: NDArray[np.uint8], n_bits: int, n_walls: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return facets as columns (offsets, labels), for regions all of whose rows are facets.

    Parameters
    ----------
    packed_rows : ndarray of uint8, shape (n, n_bytes)
        A bit for each neuron, then one for each wall.
    n_bits, n_walls : int
        Neurons, and walls that count: bits behind them are left out.

    Returns
    -------
    offsets : ndarray of int64, shape (n + 1,)
    labels : ndarray of int32, shape (n_facets,)
        As in `RegionGraph`.
    """
    n = len(packed_rows)
    bits = np.unpackbits(packed_rows, axis=1, count=n_bits + n_walls).view(np.bool_)
    found = np.flatnonzero(bits)
    owner = found // max(1, bits.shape[1])
    labels = found - owner * bits.shape[1]
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=n), out=offsets[1:])
    labels = np.where(labels < n_bits, labels, n_bits - 1 - labels)
    return offsets, labels.astype(np.int32)


def match_single_flips(
    packed: NDArray[np.uint8], owner: NDArray[np.int64], labels: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the region beyond each facet whose pattern differs in the facet's neuron alone.

    Parameters
    ----------
    packed : ndarray of uint8, shape (n, n_bytes)
        Patterns of the regions.
    owner : ndarray of int64, shape (n_facets,)
        The region of each facet.
    labels : ndarray of int32, shape (n_facets,)
        Its neuron; negative for walls.

    Returns
    -------
    ndarray of int64, shape (n_facets,)
        -1 for walls, and where no other facet fits.

    Algorithm
    ---------
    One sort of hashes: both sides of a facet have one hash, and stand side by side.

    Exactness
    ---------
    Each pair that the hashes propose is compared bit by bit, and leads back. If a region with
    just this bit flipped exists, it is the one beyond the facet: another neuron that flips there
    too would be 0 on all of the facet, so its row beyond is a multiple of the facet's row, and one
    sign of it is all that the two patterns leave open: only one of them has a region.
    """
    inner = np.flatnonzero(labels >= 0)
    bit, own = labels[inner], owner[inner]
    words = _words(packed)
    width = 64 * words.shape[1]
    alone = _words(np.packbits(np.eye(width, dtype=np.bool_), axis=1))
    is_on = packed[own, bit >> 3] >> (7 - (bit & 7)).astype(np.uint8) & 1
    # The hash of a neuron whose bit is set is taken out again; then its name is added.
    off = np.where(is_on, _hashes(alone)[bit], np.uint64(0))
    keys = _hashes(words)[own] ^ off ^ _names(width)[bit]
    order = np.argsort(keys)
    ranked = keys[order]
    first = np.flatnonzero(ranked[1:] == ranked[:-1])
    one, two = order[first], order[first + 1]
    fits = bit[one] == bit[two]
    for word, single in zip(words.T, alone.T, strict=True):
        fits &= word[own[one]] ^ word[own[two]] == single[bit[one]]
    one, two = inner[one[fits]], inner[two[fits]]
    mate = np.full(len(labels), UNKNOWN, dtype=np.int64)
    mate[one], mate[two] = two, one
    is_pair = mate[mate[inner]] == inner  # of three equal hashes only two can make a pair
    mate[inner[~is_pair]] = UNKNOWN
    return np.where(mate >= 0, owner[mate], UNKNOWN)


def _words(packed: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return packed patterns as rows of words of 64 bits."""
    n, width = packed.shape
    padded = np.zeros((n, -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = packed
    return padded.view(np.uint64)


def _names(n: int) -> NDArray[np.uint64]:
    """Return n numbers of 64 bits that look random and are always the same (splitmix64)."""
    z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _hashes(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return for each row a hash that is linear: that of x ^ y is hash(x) ^ hash(y).

    Shifts and exclusive ors, Marsaglia's xorshift, between words.
    """
    found = np.zeros(len(words), dtype=np.uint64)
    for k in range(words.shape[1]):
        found ^= words[:, k]
        for shift in (13, 7, 17, 13, 7, 17):
            found ^= found >> np.uint64(7) if shift == 7 else found << np.uint64(shift)
    return found
