"""A network on a slice: the same function in the slice's own coordinates."""

from __future__ import annotations

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.domain import Box, Polytope, Slice, WholeSpace
from plregions.errors import InvalidDomainError
from plregions.exact.arrays import integers_of
from plregions.network.layer import Layer
from plregions.network.network import Network, check_networks
from plregions.network.propagate import homogeneous_fractions

__all__ = ["restrict"]


def restrict(
    net: Network, domain: Box | Polytope | WholeSpace | Slice
) -> tuple[Network, Box | Polytope | WholeSpace]:
    """Return a network and a domain without embedding that ask the same question.

    For a slice x = origin + s @ directions the first layer is composed with the embedding:
    ``W x + b = (W directions^T) s + (W origin + b)``. Neurons, slopes and the other layers stay,
    so the patterns are those of the network itself.

    Parameters
    ----------
    net : Network
        With input dimension D.
    domain : Box, Polytope, WholeSpace or Slice
        In R^D.

    Returns
    -------
    net : Network
        With input dimension k for a slice of dimension k; otherwise `net` itself.
    domain : Box, Polytope or WholeSpace
        The slice's inner domain in R^k; otherwise `domain` itself.

    Raises
    ------
    InvalidDomainError
        The domain is not in R^D.

    Algorithm
    ---------
    One product of integer matrices.

    Exactness
    ---------
    Exact: weights that are no longer float64 numbers become Fractions.

    Examples
    --------
    >>> from plregions.domain import Slice, hypercube
    >>> net = Network([([[1, 1], [1, -1]], [0, 0]), ([[1, 1]], [0])])
    >>> line, interval = restrict(net, Slice([0, 1], [[1, 0]], hypercube(1)))
    >>> line.exact(["1/3"]) == net.exact(["1/3", 1])
    True
    """
    check_networks("restrict", net)
    if domain.ambient_dim != net.input_dim:
        raise InvalidDomainError(
            f"restrict needs a domain in dimension {net.input_dim}, that of the network's inputs; "
            f"got one in dimension {domain.ambient_dim}."
        )
    if not isinstance(domain, Slice):
        return net, domain
    first = net.layers[0]
    rows = homogeneous_fractions(first.integer_form.matrix * _embedding(domain))
    composed = Layer(
        [row[:-1] for row in rows], [row[-1] for row in rows], first.slopes, verb="restrict"
    )
    return Network([composed, *net.layers[1:]]), domain.domain


def _embedding(domain: Slice) -> fmpz_mat:
    """Return x = origin + s @ directions in homogeneous coordinates: shape (D + 1, k + 1)."""
    columns: NDArray[np.object_] = np.concatenate(
        [np.asarray(domain.directions).T, np.asarray(domain.origin)[:, None]], axis=1
    )
    n_rows, n_columns = columns.shape
    numerators, denominator = integers_of(columns)
    return fmpz_mat(n_rows + 1, n_columns, numerators + [0] * (n_columns - 1) + [denominator])
