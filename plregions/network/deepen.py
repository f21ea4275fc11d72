"""The same function with one neuron in each layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.network.layer import Layer
from plregions.network.network import Network, check_networks

__all__ = ["one_by_one"]


def one_by_one(net: Network) -> Network:
    """Return the same function as a deep and narrow network: one neuron a layer.

    Each hidden unit gets a layer of its own. Beside it stand units that only carry: what later
    units still read, and for each unit of the next layer the sum of what it has received so far.
    A network with one hidden layer of n units, d inputs and m outputs becomes one of n hidden
    layers of at most d + m + 1 units, one of them with a kink.

    Parameters
    ----------
    net : Network

    Returns
    -------
    Network
        With the same neurons in the same order: activation patterns, and all counts, are those of
        `net`. Output units stay together in the last layer.

    Algorithm
    ---------
    Weights are moved; nothing is computed but the sums of the definition.

    Exactness
    ---------
    Exact.

    References
    ----------
    Z. Lu et al., "The expressive power of neural networks: a view from the width", NeurIPS 2017;
    G. Vardi, G. Yehudai, O. Shamir, "Width is less important than depth in ReLU neural networks",
    COLT 2022. Carrying units make it hold for inputs of any sign.

    Examples
    --------
    >>> net = Network([([[1, 1], [1, -1], [0, 1]], [0, 0, -1]), ([[1, 2, 3]], [4])])
    >>> deep = one_by_one(net)
    >>> deep, deep.exact([-3, "1/2"]) == net.exact([-3, "1/2"])
    (Network(2-3-4-2-1, 3 neurons), True)
    """
    check_networks("one_by_one", net)
    layers: list[Layer] = []
    # Everything that is still to be read, as linear forms of the last layer made.
    waiting: NDArray[Any] = np.eye(net.input_dim, dtype=np.int64).astype(object)
    for k, (layer, following) in enumerate(zip(net.layers, net.layers[1:], strict=False)):
        sums = waiting[:0]
        for unit in range(layer.n_out):
            if k == 0:
                reads = layer.weight[unit].astype(object) @ waiting
                waiting = waiting if unit < layer.n_out - 1 else waiting[:0]
            else:
                reads, waiting = waiting[0], waiting[1:]
            rows = np.concatenate([reads[None], waiting, sums])
            carried = len(rows) - 1
            layers.append(
                Layer(
                    rows,
                    [layer.bias[unit], *[0] * carried],
                    [tuple(layer.slopes[unit]), *[(1, 1)] * carried],
                )
            )
            forms: NDArray[Any] = np.eye(len(rows), dtype=np.int64).astype(object)
            sums = _plus(forms[1 + len(waiting) :], following.weight[:, unit], forms[0])
            waiting = forms[1 : 1 + len(waiting)]
        waiting = sums
    last = net.layers[-1]
    weight = last.weight if net.depth == 1 else waiting
    return Network([*layers, Layer(weight, last.bias, last.slopes)])


def _plus(sums: NDArray[Any], weights: NDArray[Any], unit: NDArray[Any]) -> NDArray[Any]:
    """Add the share of a unit to the sums; there are none yet for the first one."""
    share = np.outer(weights.astype(object), unit)
    return share if not len(sums) else sums + share
