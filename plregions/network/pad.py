"""The same function in more layers: identity layers that only carry values on."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.network.layer import Layer
from plregions.network.network import Network, check_networks

__all__ = ["pad_depth"]

MOST_LAYERS = 10_000

Units = Literal["carry", "relu"]


def pad_depth(
    net: Network, n_layers: int, *, after: int | None = None, units: Units = "carry"
) -> Network:
    """Return the same function with more layers, each of which passes its inputs on.

    Parameters
    ----------
    net : Network
        Of depth L: layers 0 to L - 1.
    n_layers : int
        How many layers to add, 0 or more.
    after : int, optional
        The new layers follow layer `after`; -1 puts them first, before the inputs are used. By
        default they stand where the network is narrowest, as late as possible.
    units : {"carry", "relu"}
        "carry" takes units with slopes (1, 1), which have no bit and cut nothing: no count
        changes. "relu" takes ReLU neurons alone: v itself where no v can be negative, because the
        layer before has ReLU units; else the pair relu(v), relu(-v), whose difference is v. Such
        a pair cuts along v = 0, so that there may be more activation regions; a pair after the
        last layer takes one layer more.

    Returns
    -------
    Network

    Raises
    ------
    InvalidInputError
        A negative number of layers, or no such layer.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> tent = Network([([[1], [1]], [0, -0.5]), ([[2, -4]], [0])])
    >>> pad_depth(tent, 2).widths, pad_depth(tent, 2, after=0, units="relu").widths
    ((2, 1, 1), (2, 2, 2))
    """
    check_networks("pad_depth", net)
    if not _is_whole(n_layers) or not 0 <= n_layers <= MOST_LAYERS:
        raise InvalidInputError(
            f"pad_depth needs n_layers from 0 to {MOST_LAYERS}; got {n_layers!r:.60}."
        )
    if not isinstance(units, str) or units not in ("carry", "relu"):
        raise InvalidInputError(f'pad_depth needs units "carry" or "relu"; got {units!r}.')
    sizes = [net.input_dim, *net.widths, net.output_dim]
    if after is None:
        place = min(range(len(sizes)), key=lambda k: (sizes[k], -k))
    elif _is_whole(after) and -1 <= after < net.depth:
        place = after + 1
    else:
        raise InvalidInputError(
            f"pad_depth needs a layer from -1 to {net.depth - 1}; got {after!r:.60}."
        )
    if n_layers == 0:
        return net
    head, tail = list(net.layers[:place]), list(net.layers[place:])
    size = sizes[place]
    if units == "carry":
        carried = [Layer(np.eye(size), None, "identity")] * n_layers
        return Network([*head, *carried, *tail])
    if head and _is_never_negative(head[-1]):
        carried = [Layer(np.eye(size), None, "relu")] * n_layers
        return Network([*head, *carried, *tail])
    both: NDArray[np.float64] = np.concatenate([np.eye(size), -np.eye(size)])
    pairs = [Layer(both, None, "relu"), *[Layer(np.eye(2 * size), None, "relu")] * (n_layers - 1)]
    if not tail:
        return Network([*head, *pairs, Layer(both.T, None, "identity")])
    joined = np.concatenate([tail[0].weight, -tail[0].weight], axis=1)
    return Network([*head, *pairs, Layer(joined, tail[0].bias, tail[0].slopes), *tail[1:]])


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_never_negative(layer: Layer) -> bool:
    """Tell whether the slopes alone exclude negative outputs."""
    return bool((layer.slopes[:, 0] <= 0).all() and (layer.slopes[:, 1] >= 0).all())
