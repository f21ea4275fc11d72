"""Which layer cuts the domain where? The regions of a network that ends after some layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["cutting_layers", "facet_layers", "groups_after", "last_cuts"]

IntArray = NDArray[np.int64]


def cutting_layers(complex: RegionComplex) -> list[int]:
    """Return the layers that have neurons with a kink, ascending, counted from 0."""
    return [k for k, part in enumerate(complex.network.bit_slices) if part.stop > part.start]


def groups_after(complex: RegionComplex, layer: int) -> IntArray:
    """Number the regions that the layers up to this one tell apart.

    Parameters
    ----------
    complex : RegionComplex
    layer : int
        Counted from 0; -1 for no layer.

    Returns
    -------
    ndarray of int64, shape (n,)
        The region of the network truncated after `layer` that holds each region, numbered in
        the order of patterns.

    Algorithm
    ---------
    Patterns are in lexicographic order, so equal beginnings stand next to each other.
    """
    stop = complex.network.bit_slices[layer].stop if layer >= 0 else 0
    begun = complex.patterns[:, :stop]
    numbers = np.zeros(len(begun), dtype=np.int64)
    if len(begun):
        numbers[1:] = np.cumsum((begun[1:] != begun[:-1]).any(axis=1))
    return numbers


def facet_layers(complex: RegionComplex) -> IntArray:
    """Return the layer that cut along each facet of the region graph; -1 on the domain's walls.

    Returns
    -------
    ndarray of int64, shape (n_facets,)
        Where neurons of several layers flip, the first of these layers.
    """
    labels = complex.graph.labels
    layers = np.append(complex.network.neurons[:, 0], -1)
    return layers[np.where(labels >= 0, labels, -1)]


def last_cuts(complex: RegionComplex) -> IntArray:
    """Return the layer that cut each region last; -1 for a region that is the whole domain.

    Returns
    -------
    ndarray of int64, shape (n,)

    Algorithm
    ---------
    A layer that cuts a region off a larger one leaves a facet on it: the last layer of the
    region's facets.

    Exactness
    ---------
    Exact, as the facets are; complete or not.
    """
    if not len(complex):
        return np.zeros(0, dtype=np.int64)
    layers: IntArray = np.maximum.reduceat(facet_layers(complex), complex.graph.offsets[:-1])
    return layers
