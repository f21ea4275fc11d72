"""Random networks that everybody can make again from their widths and a seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plregions.errors import InvalidInputError
from plregions.network.network import Network

__all__ = ["mlp"]


def mlp(widths: str | Sequence[int], seed: int = 0) -> Network:
    """Return a random fully connected ReLU network with He weights.

    Layer by layer the weight is normal with mean 0 and variance 2 / n_in, then the bias is
    uniform on (-1/2, 1/2).

    Parameters
    ----------
    widths : sequence of int, or str
        Input dimension, widths of the hidden layers, output dimension: ``[2, 32, 32, 1]`` or
        ``"2-32-32-1"``.
    seed : int
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    Network
        ReLU after every layer but the last.

    Raises
    ------
    InvalidInputError
        Fewer than two widths, or one that is not a positive integer.

    Algorithm
    ---------
    ``rng.normal(0, sqrt(2 / n_in), (n_out, n_in))``, then ``rng.uniform(-0.5, 0.5, n_out)``.

    Exactness
    ---------
    The numbers depend on widths and seed only (as long as numpy keeps its streams).

    Examples
    --------
    >>> mlp("2-32-32-1")
    Network(2-32-32-1, 64 neurons)
    >>> mlp([2, 3, 1], seed=7) == mlp("2-3-1", seed=7)
    True
    """
    parts = widths.split("-") if isinstance(widths, str) else list(widths)
    try:
        sizes = [int(part) for part in parts]
    except (TypeError, ValueError):
        sizes = []
    if len(sizes) < 2 or min(sizes) < 1 or [str(size) for size in sizes] != list(map(str, parts)):
        raise InvalidInputError(
            f"mlp needs two or more positive widths such as [2, 32, 1] or '2-32-1'; got {widths!r}."
        )
    rng = np.random.default_rng(seed)
    layers = []
    for n_in, n_out in zip(sizes, sizes[1:], strict=False):
        weight = rng.normal(0.0, np.sqrt(2.0 / n_in), (n_out, n_in))
        layers.append((weight, rng.uniform(-0.5, 0.5, n_out)))
    return Network(layers)
