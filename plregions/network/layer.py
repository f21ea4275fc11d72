"""One layer: an affine map followed by a piecewise linear unit for each output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np
from flint import fmpz_mat
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidNetworkError
from plregions.exact.arrays import exact_array, float_array, integers_of

__all__ = ["FloatForm", "HasLayers", "IntegerForm", "Layer", "bit_slices"]

NAMED_SLOPES = {"relu": (0.0, 1.0), "identity": (1.0, 1.0)}


@dataclass(frozen=True)
class IntegerForm:
    """A layer in integers and homogeneous coordinates: the last coordinate is the denominator.

    Attributes
    ----------
    matrix : fmpz_mat, shape (n_out + 1, n_in + 1)
        ``[[W, b], [0, 1]]`` times the least common denominator of W and b.
    slopes : list of (int, int), length n_out + 1
        (negative, positive) slopes times their least common denominator; the last pair is that
        denominator twice.
    """

    matrix: fmpz_mat
    slopes: list[tuple[int, int]]


@dataclass(frozen=True)
class FloatForm:
    """A layer rounded to float64.

    Attributes
    ----------
    weight, bias, slopes : ndarray of float64
        Each entry is the float64 nearest to the exact one.
    abs_weight, abs_bias : ndarray of float64
        Absolute values.
    is_zero_slope : ndarray of bool, shape (n_out, 2)
        Which slopes are 0 exactly.
    has_unit_slopes : bool
        True iff every slope is -1, 0 or 1, so that multiplying by it does not round.
    """

    weight: NDArray[np.float64]
    bias: NDArray[np.float64]
    slopes: NDArray[np.float64]
    abs_weight: NDArray[np.float64]
    abs_bias: NDArray[np.float64]
    is_zero_slope: NDArray[np.bool_]
    has_unit_slopes: bool


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Layer:
    """An affine map ``z = W x + b``, then ``z -> positive * z if z > 0 else negative * z``.

    Parameters
    ----------
    weight : array_like, shape (n_out, n_in)
        Finite numbers: floats of any width, integers, Fractions, strings such as ``"1/3"``.
    bias : array_like, shape (n_out,), or None
        None means zeros.
    slopes : "relu", "identity", a pair, or array_like of shape (n_out, 2)
        (negative, positive) slope of each unit; "relu" is (0, 1), "identity" is (1, 1). A unit
        with equal slopes carries its value on: it has no bit in an activation pattern.
    verb, name : str
        Words for error messages: who asks, and a prefix such as ``"layer 0, "``.

    Attributes
    ----------
    weight, bias, slopes : ndarray
        Read-only results of `exact_array`: float64 where that is exact, else Fractions.

    Raises
    ------
    InvalidNetworkError
        Shapes that do not fit, or entries that are not finite real numbers.

    Exactness
    ---------
    The layer is exactly the one given; layers that are equal in value are equal.

    Examples
    --------
    >>> Layer([[1, -1]], slopes=(-1, 1))
    Layer(2-1, 1 neurons)
    """

    weight: NDArray[Any]
    bias: NDArray[Any]
    slopes: NDArray[Any]

    def __init__(
        self,
        weight: ArrayLike | Sequence[Any],
        bias: ArrayLike | Sequence[Any] | None = None,
        slopes: str | ArrayLike | Sequence[Any] = "relu",
        *,
        verb: str = "Layer",
        name: str = "",
    ) -> None:
        try:
            matrix = exact_array(weight, 2, verb=verb, noun="weights", name=f"{name}weight")
            n_out, n_in = matrix.shape
            if n_out == 0 or n_in == 0:
                raise ValueError(
                    f"{verb} needs at least one input and one unit in each layer; got "
                    f"{name}weight of shape {matrix.shape}. Leave empty layers out."
                )
            vector = exact_array(
                np.zeros(n_out) if bias is None else bias,
                1,
                verb=verb,
                noun="biases",
                name=f"{name}bias",
            )
            if vector.shape != (n_out,):
                raise ValueError(
                    f"{verb} needs one bias for each of the {n_out} units; got {vector.size} in "
                    f"{name}bias. Give a bias of shape ({n_out},)."
                )
            pairs = _slopes(slopes, n_out, verb, name)
        except (TypeError, ValueError) as error:
            raise InvalidNetworkError(str(error)) from error
        object.__setattr__(self, "weight", matrix)
        object.__setattr__(self, "bias", vector)
        object.__setattr__(self, "slopes", pairs)

    @property
    def n_in(self) -> int:
        """The number of inputs."""
        return int(self.weight.shape[1])

    @property
    def n_out(self) -> int:
        """The number of units."""
        return int(self.weight.shape[0])

    @cached_property
    def has_bit(self) -> NDArray[np.bool_]:
        """Which units have a kink, and so a bit in a pattern: shape (n_out,), read-only."""
        result = np.asarray(self.slopes[:, 0] != self.slopes[:, 1], dtype=np.bool_)
        result.setflags(write=False)
        return result

    @cached_property
    def n_neurons(self) -> int:
        """The number of units with a kink: bits in a pattern."""
        return int(np.count_nonzero(self.has_bit))

    @cached_property
    def slopes_name(self) -> str | None:
        """Return "relu" or "identity" when all units have these slopes, else None."""
        for name, pair in NAMED_SLOPES.items():
            if self.slopes.dtype == np.float64 and bool((self.slopes == pair).all()):
                return name
        return None

    @cached_property
    def integer_form(self) -> IntegerForm:
        """The layer in integers, made on first use."""
        n_out, n_in = self.weight.shape
        joined = np.concatenate([self.weight, self.bias[:, None]], axis=1)
        numerators, denominator = integers_of(joined)
        numerators += [0] * n_in + [denominator]
        slopes, common = integers_of(self.slopes)
        pairs = list(zip(slopes[::2], slopes[1::2], strict=True))
        return IntegerForm(fmpz_mat(n_out + 1, n_in + 1, numerators), [*pairs, (common, common)])

    @cached_property
    def float_form(self) -> FloatForm:
        """The layer rounded to float64, made on first use; OverflowError beyond 1.8e308."""
        weight, bias, slopes = map(float_array, (self.weight, self.bias, self.slopes))
        unit = np.isin(slopes, (-1.0, 0.0, 1.0)) & (slopes == self.slopes)
        return FloatForm(
            weight=weight,
            bias=bias,
            slopes=slopes,
            abs_weight=np.abs(weight),
            abs_bias=np.abs(bias),
            is_zero_slope=np.asarray(self.slopes == 0, dtype=np.bool_),
            has_unit_slopes=bool(unit.all()),
        )

    def chosen_by(self, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for every unit whether its positive slope acts, given the bits of this layer.

        Parameters
        ----------
        bits : ndarray of bool, shape (number of units with a bit,)
            The layer's part of an activation pattern.

        Returns
        -------
        ndarray of bool, shape (n_out,)
            False for units without a bit, whose slopes are equal.
        """
        chosen = np.zeros(self.n_out, dtype=np.bool_)
        chosen[self.has_bit] = bits
        return chosen

    def __eq__(self, other: object) -> bool:
        """Tell whether both layers have the same weights, biases and slopes in value."""
        if not isinstance(other, Layer):
            return NotImplemented
        mine, theirs = (
            (self.weight, self.bias, self.slopes),
            (
                other.weight,
                other.bias,
                other.slopes,
            ),
        )
        return all(
            a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True)
        )

    def __hash__(self) -> int:
        """Hash by value."""
        return hash((self.weight.shape, _key(self.weight), _key(self.bias), _key(self.slopes)))

    def __repr__(self) -> str:
        """Show the sizes only."""
        return f"Layer({self.n_in}-{self.n_out}, {self.n_neurons} neurons)"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, which freezes the arrays again."""
        return Layer, (self.weight, self.bias, self.slopes)


class HasLayers(Protocol):
    """Anything that holds layers that chain: a Network."""

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers, first to last."""
        ...


def bit_slices(layers: Sequence[Layer]) -> tuple[slice, ...]:
    """Return for each layer the part of an activation pattern that holds its bits.

    Parameters
    ----------
    layers : sequence of Layer
        All layers of a network.

    Returns
    -------
    tuple of slice
        One for each layer; empty slices for layers without kinks.

    Examples
    --------
    >>> bit_slices([Layer([[1], [2]]), Layer([[1, 1]], slopes="identity")])
    (slice(0, 2, None), slice(2, 2, None))
    """
    return tuple(slice(a, b) for a, b in pairwise([0, *accumulate(a.n_neurons for a in layers)]))


def _slopes(slopes: Any, n_out: int, verb: str, name: str) -> NDArray[Any]:
    if isinstance(slopes, str):
        if slopes not in NAMED_SLOPES:
            raise ValueError(
                f"{verb} needs slopes 'relu', 'identity', a pair or an array of pairs; got "
                f"{slopes!r} in {name}slopes."
            )
        slopes = NAMED_SLOPES[slopes]
    try:
        axes = 1 if np.ndim(slopes) == 1 else 2
    except ValueError:  # ragged: let exact_array say so
        axes = 2
    pairs = exact_array(slopes, axes, verb=verb, noun="slopes", name=f"{name}slopes")
    if pairs.shape == (2,):
        pairs = np.tile(pairs, (n_out, 1))
        pairs.setflags(write=False)
    if pairs.shape != (n_out, 2):
        raise ValueError(
            f"{verb} needs slopes of shape (2,) or ({n_out}, 2), (negative, positive) for each "
            f"unit; got shape {pairs.shape} in {name}slopes."
        )
    return pairs


def _key(array: NDArray[Any]) -> Any:
    return array.tobytes() if array.dtype == np.float64 else tuple(array.ravel())
