"""The affine maps of many patterns at once, modulo primes: which of them are zero, exactly?

Residues are whole numbers below 2**21 in float64 arrays, so that a layer is one matrix product
for all patterns. An affine map whose numerators are 0 modulo primes with a product beyond their
largest possible size is 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plregions.network.layer import Layer
from plregions.network.network import Network

__all__ = ["is_zero_map", "largest_numerator", "map_residues", "primes_for"]

# Below 2**21, so that sums of 2**11 products of two residues are exact in float64.
LARGEST_PRIME = 2**21
PRODUCTS_A_SUM = 2**11
PATTERNS_A_BATCH = 2048


def is_zero_map(network: Network, patterns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell for each pattern whether the network's affine map under it is 0.

    Parameters
    ----------
    network : Network
        With N neurons.
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of bool, shape (n,)
        True iff weight and bias of ``affine_map(pattern)`` are 0 in every entry.

    Algorithm
    ---------
    The maps are computed modulo one prime after another; a residue other than 0 shows that the
    map is not 0. The others are done with when the product of the primes passes
    `largest_numerator`: a whole number divisible by the product and smaller than it is 0. About
    log2(largest numerator) / 21 passes, each of d + 1 float64 forward passes a pattern.

    Exactness
    ---------
    Exact in both directions.

    Examples
    --------
    >>> net = Network([([[1], [-1]], [0, 0]), ([[1, 0]], [0])])
    >>> is_zero_map(net, np.array([[True, False], [False, True]])).tolist()
    [False, True]
    """
    zero = np.ones(len(patterns), dtype=np.bool_)
    left = largest_numerator(network)
    for prime in primes_for(network):
        candidates = np.flatnonzero(zero)
        if left == 0 or not candidates.size:
            break
        zero[candidates] = ~map_residues(network, patterns[candidates], prime).any(axis=1)
        left //= prime
    return zero


def largest_numerator(network: Network) -> int:
    """Return a bound for the numerators of affine maps over the product of all denominators.

    Parameters
    ----------
    network : Network

    Returns
    -------
    int
        Under every pattern, each entry of weight and bias times the product of the least common
        denominators of all layers and their slopes is a whole number of at most this size.

    Algorithm
    ---------
    The sum of magnitudes along all paths, one product with a matrix a layer.

    Exactness
    ---------
    Exact integers.
    """
    bounds = [1] * (network.input_dim + 1)
    for layer in network.layers:
        form = layer.integer_form
        rows = form.matrix.tolist()
        bounds = [
            sum(abs(int(w)) * b for w, b in zip(row, bounds, strict=True))
            * max(abs(pair[0]), abs(pair[1]))
            for row, pair in zip(rows, form.slopes, strict=True)
        ]
    return max(bounds)


def primes_for(network: Network) -> Iterator[int]:
    """Yield primes below 2**21, downwards, that divide no denominator of the network."""
    denominators = [
        int(layer.integer_form.matrix[layer.n_out, layer.n_in]) for layer in network.layers
    ]
    denominators += [int(layer.integer_form.slopes[-1][0]) for layer in network.layers]
    for candidate in range(LARGEST_PRIME - 1, 2, -2):
        is_prime = all(candidate % q for q in range(3, int(candidate**0.5) + 1, 2))
        if is_prime and all(v % candidate for v in denominators):
            yield candidate


def map_residues(network: Network, patterns: NDArray[np.bool_], prime: int) -> NDArray[np.int64]:
    """Return the affine maps of patterns modulo a prime.

    Parameters
    ----------
    network : Network
        With N neurons, d inputs and m outputs.
    patterns : ndarray of bool, shape (n, N)
    prime : int
        One of `primes_for`.

    Returns
    -------
    ndarray of int64, shape (n, m * (d + 1))
        The rows (weight, bias) of each output, one after another.

    Algorithm
    ---------
    One matrix product for each layer and batch of patterns.

    Exactness
    ---------
    Exact: sums of products stay below 2**53.
    """
    d = network.input_dim
    layers = [_layer_residues(layer, prime) for layer in network.layers]
    out: list[NDArray[np.int64]] = []
    for start in range(0, len(patterns), PATTERNS_A_BATCH):
        bits = patterns[start : start + PATTERNS_A_BATCH]
        maps: NDArray[np.float64] = np.broadcast_to(np.eye(d + 1), (len(bits), d + 1, d + 1))
        for layer, part, (matrix, slopes) in zip(
            network.layers, network.bit_slices, layers, strict=True
        ):
            chosen = np.zeros((len(bits), layer.n_out), dtype=np.int64)
            chosen[:, layer.has_bit] = bits[:, part]
            factors = slopes[np.arange(layer.n_out), chosen]
            rows = _product(matrix, maps, prime) * factors[:, :, None] % prime
            # The last row carries the constant 1 on.
            maps = np.concatenate(
                [rows, np.broadcast_to(np.eye(d + 1)[d:], (len(bits), 1, d + 1))], 1
            )
        out.append(maps[:, :-1].reshape(len(bits), -1).astype(np.int64))
    width = network.output_dim * (d + 1)
    return np.concatenate(out) if out else np.zeros((0, width), dtype=np.int64)


def _product(
    matrix: NDArray[np.float64], maps: NDArray[np.float64], prime: int
) -> NDArray[np.float64]:
    """Multiply residues exactly: partial sums stay below 2**53."""
    total = np.zeros((len(maps), len(matrix), maps.shape[2]))
    for k in range(0, matrix.shape[1], PRODUCTS_A_SUM):
        end = k + PRODUCTS_A_SUM
        part: NDArray[np.float64] = matrix[:, k:end] @ maps[:, k:end]
        total = (total + part % prime) % prime
    return total


def _layer_residues(layer: Layer, prime: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return [weight | bias] and the slopes modulo a prime, as float64."""
    form = layer.integer_form
    inverse = pow(int(form.matrix[layer.n_out, layer.n_in]) % prime, -1, prime)
    entries = [int(v) % prime * inverse % prime for v in form.matrix.entries()]
    matrix = np.array(entries, dtype=np.float64).reshape(layer.n_out + 1, layer.n_in + 1)[:-1]
    scale = pow(int(form.slopes[-1][0]) % prime, -1, prime)
    slopes = [[int(v) % prime * scale % prime for v in pair] for pair in form.slopes[:-1]]
    return matrix, np.array(slopes, dtype=np.float64).reshape(layer.n_out, 2)
