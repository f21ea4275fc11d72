"""Which neurons and which of the domain's rows are zero at each vertex, exactly?"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.domain import Domain
from plregions.exact.cone import IntVector
from plregions.exact.integers import primitive_row
from plregions.network import Network

__all__ = ["neuron_signs", "wall_signs"]

Signs = NDArray[np.int8]

POINTS_A_BATCH = 256


def neuron_signs(network: Network, points: Sequence[IntVector]) -> Signs:
    """Return the signs of all neurons' pre-activations at rational points.

    Parameters
    ----------
    network : Network
    points : sequence of tuples of int, length input_dim + 1
        Homogeneous coordinates; the last one is positive.

    Returns
    -------
    ndarray of int8, shape (n_points, N)
        -1, 0 or 1 for each neuron with a kink.

    Algorithm
    ---------
    A forward pass in integers, a batch of points at a time.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> net = Network([([[1, 1], [1, -1]], [0, 0]), ([[1, 1]], [0])])
    >>> neuron_signs(net, [(1, 2, 3), (1, 1, 2), (0, 0, 1)]).tolist()
    [[1, -1], [1, 0], [0, 0]]
    """
    found = np.zeros((len(points), network.n_neurons), dtype=np.int8)
    for start in range(0, len(points), POINTS_A_BATCH):
        part = points[start : start + POINTS_A_BATCH]
        columns = [entry for row in zip(*part, strict=True) for entry in row]
        state: Any = fmpz_mat(network.input_dim + 1, len(part), columns)
        for layer, bits in zip(network.layers, network.bit_slices, strict=True):
            entries = (layer.integer_form.matrix * state).entries()
            signs = np.array([(v > 0) - (v < 0) for v in entries], dtype=np.int8)
            signs = signs.reshape(layer.n_out + 1, len(part))
            found[start : start + len(part), bits] = signs[:-1][layer.has_bit].T
            slopes = layer.integer_form.slopes
            positive = (signs > 0).ravel().tolist()
            acted = [
                v * slopes[k // len(part)][on]
                for k, (v, on) in enumerate(zip(entries, positive, strict=True))
            ]
            state = fmpz_mat(layer.n_out + 1, len(part), acted)
    return found


def wall_signs(domain: Domain, points: Sequence[IntVector]) -> Signs:
    """Return the signs of the domain's rows at rational points.

    Parameters
    ----------
    domain : Domain
    points : sequence of tuples of int, length dim + 1
        Homogeneous coordinates; the last one is positive.

    Returns
    -------
    ndarray of int8, shape (n_points, number of rows)
        0 on the hyperplane of a row, 1 inside, -1 outside.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> from plregions.domain import Box
    >>> wall_signs(Box([0], [1]), [(0, 1), (1, 2)]).tolist()
    [[0, 1], [1, 1]]
    """
    rows = [primitive_row(row) for row in domain.exact_rows()]
    values = [[sum(map(mul, row, point)) for row in rows] for point in points]
    signs = np.array([[(v > 0) - (v < 0) for v in line] for line in values], dtype=np.int8)
    return signs.reshape(len(points), len(rows))
