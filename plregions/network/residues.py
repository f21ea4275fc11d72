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
from plregions.network.prefixes import batches, runs
from plregions.network.products import rows_times

__all__ = ["is_zero_map", "largest_numerator", "map_residues", "primes_for"]

# Below 2**21, so that sums of 2**11 products of two residues are exact in float64.
LARGEST_PRIME = 2**21
PRODUCTS_A_SUM = 2**11

Residues = NDArray[np.float64]


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
    One matrix product for each layer and batch of patterns, in which patterns that follow one
    another and agree on the layers before count once.

    Exactness
    ---------
    Exact: sums of products stay below 2**53.
    """
    d = network.input_dim
    layers = [_layer_residues(layer, prime) for layer in network.layers]
    out = np.zeros((len(patterns), network.output_dim * (d + 1)), dtype=np.int64)
    for batch in batches(len(patterns), (d + 1) * max(layer.n_out for layer in network.layers)):
        bits = patterns[batch]
        # The columns of a map, one after another; the last one is the bias.
        maps: Residues = np.eye(d + 1, d)[None]
        for layer, part, (starts, before), (weight, bias, slopes) in zip(
            network.layers, network.bit_slices, runs(bits, network.bit_slices), layers, strict=True
        ):
            chosen = np.zeros((len(starts), layer.n_out), dtype=np.int64)
            chosen[:, layer.has_bit] = bits[starts, part]
            factors = slopes[np.arange(layer.n_out), chosen]
            rows = _product(weight, bias, maps, prime)
            maps = _reduced(rows[before] * factors[:, None, :], prime)
        maps = np.repeat(maps, np.diff(starts, append=len(bits)), axis=0)
        out[batch] = maps.transpose(0, 2, 1).reshape(len(bits), -1)
    return out


def _product(weight: Residues, bias: Residues, maps: Residues, prime: int) -> Residues:
    """Apply a layer to residues exactly: partial sums stay below 2**53."""
    total = np.zeros((*maps.shape[:2], len(weight)))
    total[:, -1] = bias
    for k in range(0, weight.shape[1], PRODUCTS_A_SUM):
        part = slice(k, k + PRODUCTS_A_SUM)
        total = _reduced(total + rows_times(maps[:, :, part], weight[:, part]), prime)
    return total


def _reduced(values: Residues, prime: int) -> Residues:
    """Return whole numbers from 0 to 2**53 modulo a prime."""
    whole = values.astype(np.uint64)  # divided several times as fast as floats
    multiples = whole // np.uint64(prime)
    multiples *= np.uint64(prime)
    whole -= multiples
    return whole.astype(np.float64)


def _layer_residues(layer: Layer, prime: int) -> tuple[Residues, Residues, Residues]:
    """Return weight, bias and slopes modulo a prime."""
    form = layer.integer_form
    inverse = pow(int(form.matrix[layer.n_out, layer.n_in]) % prime, -1, prime)
    entries = [int(v) % prime * inverse % prime for v in form.matrix.entries()]
    matrix = np.array(entries, dtype=np.float64).reshape(layer.n_out + 1, layer.n_in + 1)[:-1]
    scale = pow(int(form.slopes[-1][0]) % prime, -1, prime)
    pairs = [[int(v) % prime * scale % prime for v in pair] for pair in form.slopes[:-1]]
    slopes = np.array(pairs, dtype=np.float64).reshape(layer.n_out, 2)
    return matrix[:, :-1], matrix[:, -1], slopes
