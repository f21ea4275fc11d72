"""Which affine map is the network on each region, and how steep is it?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plregions.network import Network
from plregions.network.prefixes import batches, runs
from plregions.network.products import rows_times

__all__ = ["affine_maps", "linear_parts", "operator_norms"]

FloatArray = NDArray[np.float64]


def linear_parts(network: Network, patterns: NDArray[np.bool_]) -> FloatArray:
    """Return the linear parts of the affine maps of activation patterns, in float64.

    Parameters
    ----------
    network : Network
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of float64, shape (n, output_dim, input_dim)

    Exactness
    ---------
    float64.
    """
    return affine_maps(network, patterns)[:, :, :-1]


def affine_maps(network: Network, patterns: NDArray[np.bool_]) -> FloatArray:
    """Return the affine maps of activation patterns, in float64.

    Parameters
    ----------
    network : Network
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of float64, shape (n, output_dim, input_dim + 1)
        The linear parts, and the constants in the last column.

    Algorithm
    ---------
    One product of matrices for each layer and batch of patterns, in which patterns that follow one
    another and agree on the layers before count once.

    Exactness
    ---------
    float64; what float64 cannot hold is infinite or NaN.
    """
    d = network.input_dim
    found = np.zeros((len(patterns), network.output_dim, d + 1))
    for batch in batches(len(patterns), (d + 1) * max(layer.n_out for layer in network.layers)):
        bits = patterns[batch]
        # The columns of a map, one after another; the last one is the bias.
        maps: FloatArray = np.eye(d + 1, d)[None]
        for layer, part, (starts, before) in zip(
            network.layers, network.bit_slices, runs(bits, network.bit_slices), strict=True
        ):
            form = layer.float_form
            on = np.zeros((len(starts), layer.n_out), dtype=np.int64)
            on[:, layer.has_bit] = bits[starts, part]
            slopes = form.slopes[np.arange(layer.n_out), on]
            with np.errstate(over="ignore", invalid="ignore"):
                rows = rows_times(maps, form.weight)
                rows[:, -1] += form.bias
                maps = rows[before] * slopes[:, None, :]
        maps = np.repeat(maps, np.diff(starts, append=len(bits)), axis=0)
        found[batch] = maps.transpose(0, 2, 1)
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
