"""How steep is the network on each region? The linear parts of its affine maps, and their norms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.network import Network

__all__ = ["affine_parts", "linear_parts", "operator_norms"]

FloatArray = NDArray[np.float64]

REGIONS_A_BATCH = 2048


def linear_parts(network: Network, patterns: NDArray[np.bool_]) -> FloatArray:
    """Return the linear parts of the affine maps of activation patterns, in float64.

    Parameters
    ----------
    network : Network
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of float64, shape (n, output_dim, input_dim)

    Algorithm
    ---------
    See `affine_parts`.

    Exactness
    ---------
    float64.
    """
    return affine_parts(network, patterns)[:, :, :-1]


def affine_parts(network: Network, patterns: NDArray[np.bool_]) -> FloatArray:
    """Return the affine maps of activation patterns, in float64, constants last.

    Parameters
    ----------
    network : Network
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of float64, shape (n, output_dim, input_dim + 1)

    Algorithm
    ---------
    One product of matrices a layer, in batches.

    Exactness
    ---------
    float64.
    """
    width = network.input_dim + 1
    found = np.zeros((len(patterns), network.output_dim, width))
    for start in range(0, len(patterns), REGIONS_A_BATCH):
        bits = patterns[start : start + REGIONS_A_BATCH]
        maps: FloatArray = np.eye(network.input_dim, width)[None]
        for layer, part in zip(network.layers, network.bit_slices, strict=True):
            form = layer.float_form
            on = np.zeros((len(bits), layer.n_out), dtype=np.int64)
            on[:, layer.has_bit] = bits[:, part]
            slopes = form.slopes[np.arange(layer.n_out), on]
            maps = form.weight @ maps
            maps[:, :, -1] += form.bias
            maps = maps * slopes[:, :, None]
        found[start : start + len(bits)] = maps
    return found


def operator_norms(maps: FloatArray, order: float) -> FloatArray:
    """Return the norms of linear maps that the 1-norm, 2-norm or maximum norm of vectors induces.

    Parameters
    ----------
    maps : ndarray of float64, shape (n, m, d)
    order : {1, 2, inf}

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> operator_norms(np.array([[[3.0, 4.0]]]), 2).tolist()
    [5.0]
    """
    if maps.shape[1] == 1 and order == 2:
        return np.asarray(np.linalg.norm(maps[:, 0], axis=1), dtype=np.float64)
    return np.asarray(np.linalg.norm(maps, order, axis=(1, 2)), dtype=np.float64)
