"""Two networks on the same inputs: both outputs, their sum, their difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.network.composition import is_linear, merge
from plregions.network.layer import Layer
from plregions.network.network import Network, check_networks
from plregions.network.pad import pad_depth

__all__ = ["add", "side_by_side", "subtract"]


def side_by_side(f: Network, g: Network) -> Network:
    """Return the network x -> (f(x), g(x)).

    The networks may have different depths: the shallower one is padded, where it is narrowest, by
    units that carry values and cut nothing. The neurons are those of f and g: in each layer those
    of f come first.

    Parameters
    ----------
    f, g : Network
        With equal input dimensions.

    Returns
    -------
    Network
        With the outputs of f, then those of g; its depth is the larger of the two.

    Raises
    ------
    InvalidInputError
        Different input dimensions.

    Algorithm
    ---------
    Block diagonal weights; the first layers are stacked.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> both = side_by_side(Network([([[1]], [0], "relu")]), Network([([[2]], [1])]))
    >>> both.exact([-3])
    (Fraction(0, 1), Fraction(-5, 1))
    """
    _check_inputs("side_by_side", f, g)
    depth = max(f.depth, g.depth)
    deep_f, deep_g = (pad_depth(net, depth - net.depth).layers for net in (f, g))
    pairs = enumerate(zip(deep_f, deep_g, strict=True))
    return Network([_joined(a, b, share_inputs=k == 0) for k, (a, b) in pairs])


def add(f: Network, g: Network) -> Network:
    """Return the network x -> f(x) + g(x).

    Parameters
    ----------
    f, g : Network
        With equal input dimensions and equal output dimensions; depths may differ.

    Returns
    -------
    Network
        With the neurons of f and g and no others. Its depth is the larger of the two, or one
        more if an output layer has a kink.

    Raises
    ------
    InvalidInputError
        Different dimensions.

    Algorithm
    ---------
    `side_by_side`, then one product of matrices.

    Exactness
    ---------
    Exact: weights that are no longer float64 numbers become Fractions.

    Examples
    --------
    >>> up, down = Network([([[1]], [0], "relu")]), Network([([[-1]], [0], "relu")])
    >>> add(up, down).exact([-3])
    (Fraction(3, 1),)
    """
    return _combined("add", f, g, 1)


def subtract(f: Network, g: Network) -> Network:
    """Return the network x -> f(x) - g(x).

    The two networks are the same function on a domain iff the affine map of this network is zero
    in every activation region.

    Parameters
    ----------
    f, g : Network
        With equal input dimensions and equal output dimensions; depths may differ.

    Returns
    -------
    Network
        With the neurons of f and g and no others. Its depth is the larger of the two, or one
        more if an output layer has a kink.

    Raises
    ------
    InvalidInputError
        Different dimensions.

    Algorithm
    ---------
    `side_by_side`, then one product of matrices.

    Exactness
    ---------
    Exact: weights that are no longer float64 numbers become Fractions.

    Examples
    --------
    >>> tent = Network([([[1], [1]], [0, -0.5]), ([[2, -4]], [0])])
    >>> line = Network([([[1]], [0])])
    >>> subtract(tent, line).exact(["3/4"])
    (Fraction(-1, 4),)
    """
    return _combined("subtract", f, g, -1)


def _combined(verb: str, f: Network, g: Network, sign: int) -> Network:
    _check_inputs(verb, f, g)
    if f.output_dim != g.output_dim:
        raise InvalidInputError(
            f"{verb} needs networks with equal numbers of outputs; got {f.output_dim} and "
            f"{g.output_dim}."
        )
    both = side_by_side(f, g)
    one = np.eye(f.output_dim)
    total = Layer(np.concatenate([one, sign * one], axis=1), None, "identity")
    last = both.layers[-1]
    if is_linear(last):
        return Network([*both.layers[:-1], merge(total, last)])
    return Network([*both.layers, total])


def _check_inputs(verb: str, f: Network, g: Network) -> None:
    check_networks(verb, f, g)
    if f.input_dim != g.input_dim:
        raise InvalidInputError(
            f"{verb} needs networks with equal numbers of inputs; got {f.input_dim} and "
            f"{g.input_dim}."
        )


def _joined(a: Layer, b: Layer, *, share_inputs: bool) -> Layer:
    bias, slopes = _concatenated(a.bias, b.bias), _concatenated(a.slopes, b.slopes)
    if share_inputs:
        return Layer(_concatenated(a.weight, b.weight), bias, slopes)
    weight = np.zeros((a.n_out + b.n_out, a.n_in + b.n_in), dtype=_type_of(a.weight, b.weight))
    weight[: a.n_out, : a.n_in] = a.weight
    weight[a.n_out :, a.n_in :] = b.weight
    return Layer(weight, bias, slopes)


def _concatenated(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    kind = _type_of(a, b)
    return np.concatenate([a.astype(kind), b.astype(kind)])


def _type_of(a: NDArray[Any], b: NDArray[Any]) -> Any:
    return np.result_type(a.dtype, b.dtype)
