"""The network: layers that chain, as an exact mathematical object."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidInputError, InvalidNetworkError
from plregions.exact.arrays import number_to_str
from plregions.network.evaluate import exact_output, forward, pattern_bits
from plregions.network.html import html_table
from plregions.network.layer import Layer, bit_slices
from plregions.network.pattern import ActivationPattern, PatternLike
from plregions.network.propagate import affine_map, affine_map_exact
from plregions.network.saving import save_network

__all__ = ["Network", "check_networks"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Network:
    """A piecewise linear network with finite weights, kept exactly.

    The network is the function ``x -> f_L(... f_1(x))``, where layer k maps v to its slopes
    applied to ``W_k v + b_k``. Every weight stands for the rational number that it is; float32
    and float64 networks lose nothing.

    Parameters
    ----------
    layers : sequence of (weight, bias), (weight, bias, slopes) or Layer
        weight (n_out, n_in); bias (n_out,) or None for zeros; slopes "relu", "identity", a pair
        (negative, positive) or an array (n_out, 2). Without slopes: ReLU after every layer but
        the last. Numbers are floats of any width, integers, Fractions or strings like "1/3".

    Attributes
    ----------
    layers : tuple of Layer
        First to last.

    Raises
    ------
    InvalidNetworkError
        No layers, shapes that do not chain, NaN, infinities, complex numbers. The message names
        the layer.

    Algorithm
    ---------
    Checks and one copy of the arrays; integer and float forms are made on first use.

    Exactness
    ---------
    The stored numbers are the given ones. Networks equal in value are equal and have one hash
    and one fingerprint, whatever the types of the numbers they were made from.

    Examples
    --------
    >>> tent = Network([([[1], [1]], [0, -0.5]), ([[2, -4]], [0])])
    >>> tent
    Network(1-2-1, 2 neurons)
    >>> tent([0.75]), tent.exact(["1/3"]), str(tent.pattern_at([0.75]))
    (array([0.5]), (Fraction(2, 3),), '11')
    """

    layers: tuple[Layer, ...]

    def __init__(self, layers: Iterable[Any]) -> None:
        try:
            entries = list(layers)
        except TypeError:
            raise InvalidNetworkError(
                f"Network needs a sequence of layers; got an object of type "
                f"{type(layers).__name__}. Give [(W0, b0), (W1, b1), ...]."
            ) from None
        if not entries:
            raise InvalidNetworkError(
                "Network needs at least one layer; got none. Give [(W0, b0), (W1, b1), ...]."
            )
        last = len(entries) - 1
        made = tuple(
            _layer(entry, k, "identity" if k == last else "relu") for k, entry in enumerate(entries)
        )
        for k in range(last):
            if made[k].n_out != made[k + 1].n_in:
                raise InvalidNetworkError(
                    f"Network needs layers that chain; got {made[k].n_out} units in layer {k} and "
                    f"weight of shape {made[k + 1].weight.shape} in layer {k + 1}. Give layer "
                    f"{k + 1} a weight of shape (n_out, {made[k].n_out})."
                )
        object.__setattr__(self, "layers", made)

    @property
    def input_dim(self) -> int:
        """The dimension d of the inputs."""
        return self.layers[0].n_in

    @property
    def output_dim(self) -> int:
        """The dimension m of the outputs."""
        return self.layers[-1].n_out

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of units of every layer but the last."""
        return tuple(layer.n_out for layer in self.layers[:-1])

    @property
    def depth(self) -> int:
        """The number of affine maps: hidden layers + 1."""
        return len(self.layers)

    @property
    def n_neurons(self) -> int:
        """The number of units with two different slopes, in all layers: bits of a pattern."""
        return sum(layer.n_neurons for layer in self.layers)

    @cached_property
    def bit_slices(self) -> tuple[slice, ...]:
        """For each layer the part of a pattern that holds its bits."""
        return bit_slices(self.layers)

    @cached_property
    def neurons(self) -> NDArray[np.int64]:
        """(layer, unit) of every bit, in the order of the bits: shape (n_neurons, 2)."""
        pairs = [(k, int(u)) for k, a in enumerate(self.layers) for u in np.flatnonzero(a.has_bit)]
        result = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        result.setflags(write=False)
        return result

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the exact numbers, in hexadecimal: equal networks, equal fingerprints."""
        digest = hashlib.sha256(b"plregions-network 1\n")
        for layer in self.layers:
            for array in (layer.weight, layer.bias, layer.slopes):
                digest.update(f"{array.dtype.kind}{array.shape}\n".encode("ascii"))
                if array.dtype == np.float64:
                    digest.update(array.astype("<f8").tobytes())
                else:
                    digest.update("\n".join(map(number_to_str, array.flat)).encode("ascii"))
        return digest.hexdigest()

    def __call__(self, x: ArrayLike | Sequence[Any]) -> NDArray[np.float64]:
        """Evaluate the network in float64.

        Parameters
        ----------
        x : array_like, shape (d,) or (n, d)
            One point or a row for each point.

        Returns
        -------
        ndarray of float64, shape (m,) or (n, m)
            The outputs.

        Raises
        ------
        InvalidInputError
            Points of another dimension, NaN, infinities.

        Exactness
        ---------
        Rounded; `exact` gives the exact value.
        """
        return forward(self.layers, x)

    def exact(self, x: Sequence[Any] | NDArray[Any]) -> tuple[Fraction, ...]:
        """Evaluate the network at one point in exact arithmetic.

        Parameters
        ----------
        x : sequence of float, int, Fraction or str, shape (d,)
            A float stands for its exact value.

        Returns
        -------
        tuple of Fraction, length m
            The outputs.

        Raises
        ------
        InvalidInputError
            A point of another dimension, NaN, infinities.

        Algorithm
        ---------
        One integer matrix-vector product for each layer.

        Exactness
        ---------
        Exact.
        """
        return exact_output(self.layers, x)

    def pattern_at(self, x: Sequence[Any] | NDArray[Any]) -> ActivationPattern:
        """Return the pattern of the activation region that a point lies inside.

        Parameters
        ----------
        x : sequence of float, int, Fraction or str, shape (d,)
            A float stands for its exact value.

        Returns
        -------
        ActivationPattern
            Bit 1 iff the pre-activation is positive; a neuron that is identically 0 around x has
            bit 0.

        Raises
        ------
        AmbiguousPointError
            The point lies on a wall between regions; `neurons` lists the (layer, unit) of the
            first layer with a wall there.
        InvalidInputError
            A point of another dimension, NaN, infinities.

        Algorithm
        ---------
        A float64 pass with a proved error bound; exact arithmetic where it leaves a sign open.

        Exactness
        ---------
        Exact.
        """
        return ActivationPattern(pattern_bits(self.layers, x))

    @overload
    def affine_map(
        self, pattern: PatternLike, exact: Literal[False] = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

    @overload
    def affine_map(
        self, pattern: PatternLike, exact: bool
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...

    def affine_map(
        self, pattern: PatternLike, exact: bool = False
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the affine function that the network is under a pattern.

        Parameters
        ----------
        pattern : ActivationPattern, str or sequence of n_neurons bits
            Need not belong to a region.
        exact : bool
            True for Fractions, False (default) for float64.

        Returns
        -------
        weight : ndarray, shape (m, d)
            The linear part.
        bias : ndarray, shape (m,)
            The constant part: ``net(x) == weight @ x + bias`` on the pattern's region.

        Raises
        ------
        InvalidInputError
            The pattern does not have n_neurons bits.

        Algorithm
        ---------
        One matrix product for each layer.

        Exactness
        ---------
        Exact with ``exact=True``; otherwise rounded float64 arithmetic.
        """
        function = affine_map_exact if exact else affine_map
        return function(self.layers, pattern)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file: ``.json`` for any network, ``.npz`` for float64 ones.

        Parameters
        ----------
        path : str or path-like
            Ends in .json or .npz.

        Raises
        ------
        InvalidInputError
            Another suffix, or rational weights and .npz.
        OSError
            The file cannot be written; a file that was there stays as it was.

        Algorithm
        ---------
        Written under a temporary name in the same folder, then renamed.

        Exactness
        ---------
        The file holds exactly this network; see `plregions.network.saving` for the formats.
        """
        save_network(self, path)

    def __eq__(self, other: object) -> bool:
        """Tell whether both networks have the same layers in value."""
        if not isinstance(other, Network):
            return NotImplemented
        return self.layers == other.layers

    def __hash__(self) -> int:
        """Hash by value."""
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        """Show the sizes only: input, hidden widths, output, neurons."""
        sizes = "-".join(map(str, (self.input_dim, *self.widths, self.output_dim)))
        return f"Network({sizes}, {self.n_neurons} neurons)"

    def _repr_html_(self) -> str:
        """Show a row for each layer."""
        columns = ["layer", "inputs", "units", "neurons", "slopes"]
        rows = [
            (k, a.n_in, a.n_out, a.n_neurons, a.slopes_name or "others")
            for k, a in enumerate(self.layers)
        ]
        return html_table(repr(self), columns, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, which freezes the arrays again."""
        return Network, (self.layers,)


def check_networks(verb: str, *nets: Any) -> None:
    """Refuse what is no Network: a path, weights, a module of another library.

    Raises
    ------
    InvalidInputError
        One of `nets` is something else.
    """
    for net in nets:
        if not isinstance(net, Network):
            raise InvalidInputError(
                f"{verb} needs a Network; got {type(net).__name__}. Use plregions.load for a file, "
                "or Network([(W0, b0), ...])."
            )


def _layer(entry: Any, index: int, default_slopes: str) -> Layer:
    if isinstance(entry, Layer):
        return entry
    if not isinstance(entry, tuple | list) or not 1 < len(entry) < 4:
        got = f"{len(entry)} entries" if isinstance(entry, tuple | list) else type(entry).__name__
        raise InvalidNetworkError(
            f"Network needs (weight, bias) or (weight, bias, slopes) for each layer; got {got} in "
            f"layer {index}."
        )
    weight, bias, *rest = entry
    slopes = rest[0] if rest and rest[0] is not None else default_slopes
    return Layer(weight, bias, slopes, verb="Network", name=f"layer {index}, ")
