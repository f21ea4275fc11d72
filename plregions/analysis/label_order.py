"""Which outputs are largest? The order of two networks' outputs as bits of one pattern."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from plregions.network import Layer, Network, compose, side_by_side

__all__ = ["label_network", "labels_of"]


def label_network(f: Network, g: Network) -> Network:
    """Return a network whose last bits tell which output of f, and of g, is larger than which.

    Parameters
    ----------
    f, g : Network
        With d inputs and m outputs each.

    Returns
    -------
    Network
        Its last layer has a ReLU neuron for f_i - f_j, for each ordered pair (i, j) of different
        outputs, and then the same for g: 2 m (m - 1) bits.

    Exactness
    ---------
    Exact.
    """
    m = f.output_dim
    rows = []
    for start in (0, m):
        for i, j in permutations(range(m), 2):
            row = [0] * (2 * m)
            row[start + i], row[start + j] = 1, -1
            rows.append(row)
    return compose(Network([Layer(rows, None, "relu")]), side_by_side(f, g))


def labels_of(patterns: NDArray[np.bool_], m: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which outputs are largest in each cell of a `label_network`.

    Parameters
    ----------
    patterns : ndarray of bool, shape (n, N)
    m : int
        The number of outputs.

    Returns
    -------
    of_f, of_g : ndarray of bool, shape (n, m)
        True for the outputs that no other one exceeds in the interior of the cell.

    Algorithm
    ---------
    The bit of f_i - f_j is 1 iff f_i is larger inside the cell, so that j is not largest.

    Examples
    --------
    >>> labels_of(np.array([[True, False, False, False]]), 2)
    (array([[ True, False]]), array([[ True,  True]]))
    """
    n_pairs = m * (m - 1)
    pairs = list(permutations(range(m), 2))
    result = []
    for part in (patterns[:, -2 * n_pairs : -n_pairs], patterns[:, -n_pairs:]):
        largest = np.ones((len(patterns), m), dtype=np.bool_)
        for k, (_, j) in enumerate(pairs):
            largest[:, j] &= ~part[:, k]
        result.append(largest)
    return result[0], result[1]
