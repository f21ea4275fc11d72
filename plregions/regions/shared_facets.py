"""Which two regions share a facet, when the facets' neurons are known? Matched by hashes.

The two sides of a facet across which one neuron flips have patterns that differ in its bit alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.kernels.neighbours import list_facets, match_flips

__all__ = ["facets_of_rows", "match_single_flips"]


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
    offsets = np.empty(len(packed_rows) + 1, dtype=np.int64)
    # Walls that do not count need room too.
    labels = np.empty(int(np.bitwise_count(packed_rows).sum()), dtype=np.int32)
    total = list_facets(_words(packed_rows), n_bits, n_bits + n_walls, offsets, labels)
    return offsets, labels[:total]


def match_single_flips(
    packed: NDArray[np.uint8], offsets: NDArray[np.int64], labels: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the region beyond each facet whose pattern differs in the facet's neuron alone.

    Parameters
    ----------
    packed : ndarray of uint8, shape (n, n_bytes)
        Patterns of the regions.
    offsets : ndarray of int64, shape (n + 1,)
        The facets of region r are ``offsets[r]`` to ``offsets[r + 1]``.
    labels : ndarray of int32, shape (n_facets,)
        The neuron of each facet; negative for walls.

    Returns
    -------
    ndarray of int64, shape (n_facets,)
        -1 for walls, and where no region with this facet fits.

    Algorithm
    ---------
    A table of the patterns' hashes, open addressing. The hash is linear, so that of the pattern
    beyond takes one exclusive or. Expected cost: linear in patterns and facets.

    Exactness
    ---------
    What the hashes propose is compared bit by bit, and leads back. If a region with just this bit
    flipped exists, it is the one beyond the facet: another neuron that flips there too would be 0
    on all of the facet, so its row beyond is a multiple of the facet's row, and one sign of it is
    all that the two patterns leave open: only one of them has a region.
    """
    words = _words(packed)
    single = _single_bits(64 * words.shape[1])
    bits = (2 * len(words) + 1).bit_length()
    table = np.empty(1 << bits, dtype=np.int64)
    neighbours = np.empty(len(labels), dtype=np.int64)
    homes, single_homes = _homes(words, bits), _homes(single, bits)
    match_flips(words, homes, single, single_homes, offsets, labels, table, neighbours)
    return neighbours


def _single_bits(n: int) -> NDArray[np.uint64]:
    """Return n patterns of n bits: in each of them one bit is set."""
    return _words(np.packbits(np.eye(n, dtype=np.bool_), axis=1))


def _homes(words: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    """Return the highest bits of the hashes: they are mixed best."""
    return (_hashes(words) >> np.uint64(64 - bits)).astype(np.int64)


def _words(packed: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return packed bits as rows of words of 64 bits, the first in the highest."""
    n, width = packed.shape
    padded = np.zeros((n, -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = packed
    return padded.view(">u8").astype(np.uint64)


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
