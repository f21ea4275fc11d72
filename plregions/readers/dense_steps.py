"""What becomes of a vector on its way through dense layers and activations?

Readers of formats that list their layers one after another make `Dense` and `Activation` steps of
them; this module checks that they chain and follows them exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidNetworkError
from plregions.exact.arrays import exact_array, fraction
from plregions.network.network import Network
from plregions.readers.moving_tensor import MovingTensor

__all__ = ["Activation", "Dense", "exact_numbers", "exact_slope", "follow", "network_of", "start"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Dense:
    """A map ``x -> weight @ x + bias``.

    Attributes
    ----------
    label : str
        How messages call it.
    weight : ndarray (n_out, n_in)
        Exact numbers, see `exact_numbers`.
    bias : ndarray (n_out,) or None
        None for zeros.
    """

    label: str
    weight: Array
    bias: Array | None


@dataclass(frozen=True)
class Activation:
    """A function with two slopes, applied to each entry.

    Attributes
    ----------
    negative, positive : number
        The slopes below and above 0.
    """

    negative: Any
    positive: Any


def exact_numbers(values: Any, ndim: int, *, verb: str, name: str) -> Array:
    """Return the weights of a foreign model as exact numbers.

    Parameters
    ----------
    values : array_like
    ndim : int
        The number of axes that they must have.
    verb, name : str
        Who asks, and the name of `values`, for messages.

    Returns
    -------
    ndarray
        See `plregions.exact.arrays.exact_array`.

    Raises
    ------
    InvalidNetworkError
        NaN, infinities, complex numbers, another number of axes.

    Algorithm
    ---------
    One copy.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> exact_numbers(np.float32([[0.5]]), 2, verb="read", name="W")
    array([[0.5]])
    """
    try:
        return exact_array(values, ndim, verb=verb, noun="weights", name=name)
    except (ValueError, TypeError) as error:
        raise InvalidNetworkError(str(error)) from error


def exact_slope(slope: Any, *, verb: str, name: str) -> Fraction:
    """Return the slope of a foreign activation as an exact number.

    Raises InvalidNetworkError when it is no finite number.

    Examples
    --------
    >>> exact_slope(0.5, verb="read", name="leaky")
    Fraction(1, 2)
    """
    try:
        return fraction(slope)
    except (ValueError, TypeError) as error:
        raise InvalidNetworkError(
            f"{verb} needs a finite slope; got {slope!r} for {name}. Give a number."
        ) from error


def start(size: int, points: NDArray[np.float64] | None = None, floor: float = 0.0) -> MovingTensor:
    """Return an input vector, ready to be followed.

    Parameters
    ----------
    size : int
        The number of inputs.
    points : ndarray (k, size) of float64, optional
        Points whose magnitudes are carried along for a later comparison.
    floor : float
        The least normal number of the model's float type.

    Returns
    -------
    MovingTensor

    Algorithm
    ---------
    A vector without a batch axis.

    Exactness
    ---------
    Exact, but for the magnitudes.

    Examples
    --------
    >>> start(3).shape
    (3,)
    """
    if points is None:
        points = np.zeros((0, size))
    return MovingTensor((size,), None, None, points, floor)


def follow(steps: Iterable[Dense | Activation], tensor: MovingTensor, *, verb: str) -> None:
    """Carry a vector through the steps.

    Parameters
    ----------
    steps : iterable of Dense or Activation
        In the order of evaluation.
    tensor : MovingTensor
        A vector, see `start`; it is changed.
    verb : str
        Who asks, for messages.

    Raises
    ------
    InvalidNetworkError
        A layer takes another number of values than there are, or has a bias of another length.

    Algorithm
    ---------
    See `MovingTensor` and `AffineChain`.

    Exactness
    ---------
    Exact, but for the magnitudes.

    Examples
    --------
    >>> tensor = start(1)
    >>> follow([Dense("first", np.eye(1), np.ones(1)), Activation(0, 1)], tensor, verb="read")
    >>> Network(tensor.chain.layers())
    Network(1-1, 1 neurons)
    """
    before = f"{tensor.chain.size} inputs"
    for step in steps:
        if isinstance(step, Activation):
            tensor.activate(step.negative, step.positive)
            continue
        n_out, n_in = step.weight.shape
        if n_in != tensor.chain.size:
            raise InvalidNetworkError(
                f"{verb} needs layers that chain; got {step.label} with weight of shape "
                f"{step.weight.shape} after {before}. Give it a weight of shape "
                f"(n_out, {tensor.chain.size})."
            )
        if step.bias is not None and step.bias.shape != (n_out,):
            raise InvalidNetworkError(
                f"{verb} needs one bias a unit; got {step.bias.size} of them for {step.label} "
                f"with {n_out} units. Give a bias of shape ({n_out},)."
            )
        tensor.multiply_left(step.weight)
        if step.bias is not None:
            tensor.add(step.bias)
        before = f"the {n_out} units of {step.label}"


def network_of(steps: list[Dense | Activation], *, verb: str) -> Network:
    """Return the network that the steps make; at least one of them is a `Dense`.

    Parameters
    ----------
    steps : list of Dense or Activation
        In the order of evaluation.
    verb : str
        Who asks, for messages.

    Returns
    -------
    Network

    Raises
    ------
    InvalidNetworkError
        The layers do not chain, or none has a weight.

    Algorithm
    ---------
    `follow` from the number of inputs of the first `Dense`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> network_of([Dense("only", np.eye(2), None)], verb="read")
    Network(2-2, 0 neurons)
    """
    first = next((step for step in steps if isinstance(step, Dense)), None)
    if first is None:
        raise InvalidNetworkError(f"{verb} needs at least one layer with a weight; got none.")
    tensor = start(first.weight.shape[1])
    follow(steps, tensor, verb=verb)
    return Network(tensor.chain.layers())
