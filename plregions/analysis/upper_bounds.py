"""How many regions can a network of these widths have at most? The bounds of the literature.

All of them bound the activation regions, hence the linear regions and the affine maps, too; in any
convex domain, for a domain holds no more regions than the whole space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from math import prod
from typing import NamedTuple

from plregions.analysis.general_position import binomials, zaslavsky
from plregions.analysis.widths import check_work, hidden_widths, layer_steps, whole
from plregions.errors import InvalidInputError
from plregions.network import Layer, Network
from plregions.network.network import check_networks

__all__ = [
    "LayerSizes",
    "hinz_bound",
    "layer_sizes",
    "montufar_2017_bound",
    "naive_bound",
    "network_bound",
    "serra_bound",
    "trivial_bound",
]


class LayerSizes(NamedTuple):
    """What a bound needs to know of a layer.

    Attributes
    ----------
    n_kinks : int
        Units with two different slopes.
    n_carried : int
        Units whose value never vanishes on a half-space: two slopes other than 0.
    n_units : int
        Units that are not 0 everywhere.
    rank : int
        That of the weight.
    """

    n_kinks: int
    n_carried: int
    n_units: int
    rank: int


def trivial_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return 2^N for N hidden neurons: there are no more patterns.

    Parameters
    ----------
    input_dim : int
        Not used but checked, so that all bounds take the same arguments.
    hidden : sequence of int
        Widths of the hidden layers.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1, or so large that it would take minutes.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> trivial_bound(2, [4, 4])
    256
    """
    _, hidden = hidden_widths("trivial_bound", input_dim, hidden)
    check_work("trivial_bound", 1, sum(hidden))
    return 1 << sum(hidden)


def naive_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return the product over layers of zaslavsky(n_l, n_0).

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1, or so large that it would take minutes.

    Exactness
    ---------
    Exact.

    References
    ----------
    M. Raghu et al., "On the expressive power of deep neural networks" (2017), Theorem 1.

    Examples
    --------
    >>> naive_bound(4, [2, 4])
    64
    """
    input_dim, hidden = hidden_widths("naive_bound", input_dim, hidden)
    return prod(zaslavsky(n, input_dim) for n in hidden)


def montufar_2017_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return the product over layers of sum_{j <= min(n_0, ..., n_l)} C(n_l, j).

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1, or so large that it would take minutes.

    Exactness
    ---------
    Exact.

    References
    ----------
    G. Montufar, "Notes on the number of linear regions of deep neural networks" (2017),
    Proposition 3.

    Examples
    --------
    >>> montufar_2017_bound(4, [2, 4])
    44
    """
    least, hidden = hidden_widths("montufar_2017_bound", input_dim, hidden)
    bound = 1
    for n in hidden:
        least = min(least, n)
        bound *= zaslavsky(n, least)
    return bound


def serra_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return the bound of Serra, Tjandraatmadja and Ramalingam.

    It is the sum, over all 0 <= j_l <= min(n_0, n_1 - j_1, ..., n_{l-1} - j_{l-1}, n_l), of
    prod_l C(n_l, j_l): where j neurons of a layer are off, what follows sees dimension n - j.

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1, or so large that it would take minutes.

    Algorithm
    ---------
    V_l(D) = sum_{j <= min(D, n_l)} C(n_l, j) V_{l+1}(min(D, n_l - j)), V_{L+1} = 1; the answer is
    V_1(n_0). Computed from the last layer for the D that can occur: n_0^2 L additions at most.

    Exactness
    ---------
    Exact.

    References
    ----------
    T. Serra, C. Tjandraatmadja, S. Ramalingam, "Bounding and counting linear regions of deep
    neural networks" (2018), Theorem 1.

    Examples
    --------
    >>> serra_bound(4, [2, 4]), serra_bound(2, [2, 2, 2])
    (22, 30)
    """
    input_dim, hidden = hidden_widths("serra_bound", input_dim, hidden)
    check_work("serra_bound", layer_steps(input_dim, hidden), sum(hidden))
    return _recursion(input_dim, [LayerSizes(n, 0, n, n) for n in hidden])


def hinz_bound(input_dim: int, hidden: Sequence[int]) -> int:
    """Return the bound of Hinz and van de Geer, with binomial coefficients: Serra's number.

    A histogram over the dimension D of a region's image goes through the layers: an entry at D
    adds C(n, j) times itself at min(D, n - j), for j <= D. The bound is the sum of the last one.

    Parameters
    ----------
    input_dim : int
        n_0.
    hidden : sequence of int
        n_1, ..., n_L.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Not whole numbers of at least 1, or so large that it would take minutes.

    Algorithm
    ---------
    One product of a vector by a triangular matrix for each layer: n_0^2 L additions at most.

    Exactness
    ---------
    Exact.

    References
    ----------
    P. Hinz, S. van de Geer, "A framework for the construction of upper bounds on the number of
    affine linear regions of ReLU feed-forward neural networks", IEEE Transactions on Information
    Theory 65 (2019).

    Examples
    --------
    >>> hinz_bound(4, [2, 4]), hinz_bound(3, [4, 2, 4])
    (22, 302)
    """
    input_dim, hidden = hidden_widths("hinz_bound", input_dim, hidden)
    check_work("hinz_bound", layer_steps(input_dim, hidden), sum(hidden))
    histogram = {input_dim: 1}
    for n in hidden:
        after: dict[int, int] = {}
        weights = list(islice(binomials(n), input_dim + 1))
        for dim, count in histogram.items():
            for j, weight in enumerate(weights[: dim + 1]):
                left = min(dim, n - j)
                after[left] = after.get(left, 0) + weight * count
        histogram = after
    return sum(histogram.values())


def network_bound(net: Network, input_dim: int | None = None) -> int:
    """Return Serra's bound for one network: with the ranks of its weights and all its slopes.

    Where j neurons of a layer are off, what follows sees a dimension of at most n - j, of at most
    the rank of the layer's weight, and of at most what the layer saw. A unit with two slopes other
    than 0 (leaky, absolute value, or one that only carries a value on) is a carried unit and, if it
    has a kink, a ReLU beside it: it is never off.

    Parameters
    ----------
    net : Network
        Any slopes; layers with a kink after the last affine map count like the others.
    input_dim : int, optional
        The dimension of the domain where it is smaller than the network's input: that of a slice.

    Returns
    -------
    int
        At most `serra_bound` of the widths, for a ReLU network.

    Raises
    ------
    InvalidInputError
        `input_dim` is not between 1 and the network's, or it would take minutes.

    Algorithm
    ---------
    As `serra_bound`; one exact rank for each layer.

    Exactness
    ---------
    Exact.

    References
    ----------
    Serra, Tjandraatmadja, Ramalingam (2018), Theorem 1 and the remark on ranks.

    Examples
    --------
    >>> first, second = ([[1, 0], [0, 1], [1, 1]], [0, 0, 1]), ([[1, 1, 1]] * 2, [0, 1])
    >>> network_bound(Network([first, second, ([[1, 1]], [0])])), serra_bound(2, [3, 2])
    (21, 25)
    """
    check_networks("network_bound", net)
    dim = net.input_dim if input_dim is None else whole("network_bound", "input_dim", input_dim, 1)
    if dim > net.input_dim:
        raise InvalidInputError(
            f"network_bound needs input_dim to be at most the network's {net.input_dim}; got {dim}."
        )
    layers = [layer_sizes(layer) for layer in net.layers]
    kinks = [sizes.n_kinks for sizes in layers]
    check_work("network_bound", sum(dim * min(dim, n) for n in kinks), sum(kinks))
    return _recursion(dim, layers)


def layer_sizes(layer: Layer) -> LayerSizes:
    """Count the kinds of units of a layer, and the rank of its weight.

    Parameters
    ----------
    layer : Layer

    Returns
    -------
    LayerSizes

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> layer_sizes(Layer([[1, 2], [2, 4], [0, 1]], [0, 0, 1], [(0, 1), (1, 1), (-1, 1)]))
    LayerSizes(n_kinks=2, n_carried=2, n_units=3, rank=2)
    """
    rank = int(layer.integer_form.matrix.rank()) - 1  # the row (0, ..., 0, 1) is independent
    is_zero = layer.slopes == 0
    return LayerSizes(
        layer.n_neurons,
        int((~is_zero).all(axis=1).sum()),
        int((~is_zero).any(axis=1).sum()),
        rank,
    )


def _recursion(input_dim: int, layers: Iterable[LayerSizes]) -> int:
    """Send the histogram over dimensions backwards: V_l(D) for all D that can occur."""
    layers = list(layers)
    largest = [input_dim]
    for layer in layers:
        largest.append(min(largest[-1], layer.rank, layer.n_units))
    values = [1] * (largest[-1] + 1)
    for layer, most in zip(reversed(layers), reversed(largest[:-1]), strict=True):
        n = layer.n_kinks
        weights = list(islice(binomials(n), min(most, layer.rank) + 1))
        before = []
        for dim in range(most + 1):
            seen = min(dim, layer.rank)
            passed = min(seen, layer.n_units)
            total = 0
            for j, weight in enumerate(weights[: seen + 1]):
                total += weight * values[min(passed, n - j + layer.n_carried)]
            before.append(total)
        values = before
    return values[input_dim]
