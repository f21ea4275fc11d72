"""How many activation regions can a network of these widths have at most?"""

from __future__ import annotations

from math import comb

from plregions.network import Network

__all__ = ["upper_bound"]


def upper_bound(network: Network) -> int:
    """Return a bound on the number of activation regions in any domain.

    Parameters
    ----------
    network : Network
        With input dimension d.

    Returns
    -------
    int
        The product over layers of sum_{j <= r} C(n, j), for n neurons with a kink in the layer
        and r the least of d and all earlier layers' widths.

    Algorithm
    ---------
    In a region of the layers before, a layer's kinks are n hyperplanes in a space on which the
    layer's input has rank at most r. Cost O(n) a layer.

    Exactness
    ---------
    An integer; a bound for every choice of slopes.

    References
    ----------
    Montufar, "Notes on the number of linear regions of deep neural networks" (2017),
    Proposition 3.

    Examples
    --------
    >>> from plregions.network import mlp
    >>> upper_bound(mlp([2, 6, 6, 1]))
    484
    """
    rank = network.input_dim
    bound = 1
    for layer in network.layers:
        n = layer.n_neurons
        bound *= sum(comb(n, j) for j in range(min(rank, n) + 1))
        rank = min(rank, layer.n_out)
    return bound
