"""Does a network compute a Boolean function on the corners of {0, 1}^d?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.vertex_values import exact_numerators, integer_steps, vertex_chunks
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.network import Network
from plregions.network.network import check_networks

__all__ = ["BooleanAgreement", "boolean_agreement"]

Corner = tuple[int, ...]
Bits = NDArray[np.int64]


@dataclass(frozen=True)
class BooleanAgreement:
    """How far a network is a Boolean function on all corners of {0, 1}^d.

    Attributes
    ----------
    n_vertices : int
        2^d.
    n_equal : int
        Corners where the output is exactly 0 or 1 as the function says.
    n_on_its_side : int
        Corners where the output is above the threshold and the function 1, or below and 0.
    threshold : Fraction
        An output that is equal to it is on neither side.
    first_unequal, first_on_wrong_side : tuple of int or None
        The first corners, in binary order with the first input as the highest digit, that fail.

    Examples
    --------
    >>> net = Network([([[1, 1], [1, 1]], [0, -1]), ([[1, -2]], [0])])
    >>> answer = boolean_agreement(net, "parity")
    >>> answer.is_equal, answer.n_equal
    (True, 4)
    """

    n_vertices: int
    n_equal: int
    n_on_its_side: int
    threshold: Fraction
    first_unequal: Corner | None
    first_on_wrong_side: Corner | None

    @property
    def is_equal(self) -> bool:
        """Whether the network is the function on all corners."""
        return self.n_equal == self.n_vertices

    @property
    def is_separated(self) -> bool:
        """Whether the threshold separates the corners with value 1 from those with value 0."""
        return self.n_on_its_side == self.n_vertices


def boolean_agreement(
    net: Network,
    function: str | Callable[[Corner], Any] | Sequence[Any],
    *,
    threshold: Any = "1/2",
) -> BooleanAgreement:
    """Compare a network with a Boolean function on all corners of {0, 1}^d.

    Parameters
    ----------
    net : Network
        With one output and d <= 24 inputs.
    function : str, callable or sequence
        "parity" (sum x mod 2), "majority" (1 iff more than d / 2 inputs are 1), "inner_product"
        (sum x_i x_(i + d/2) mod 2, d even); or a function of a tuple of d integers that returns
        0 or 1; or a truth table of 2^d entries 0 and 1, in binary order with the first input as
        the highest digit.
    threshold : float, int, Fraction or str
        What an output has to pass to count as 1.

    Returns
    -------
    BooleanAgreement

    Raises
    ------
    InvalidInputError
        Another number of outputs, more than 24 inputs, a table of another length, values other
        than 0 and 1, an unknown name.

    Algorithm
    ---------
    Forward passes in whole numbers, 8192 corners at a time.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> net = Network([([[1, 1]], [0])])
    >>> answer = boolean_agreement(net, lambda x: x[0] and x[1], threshold="3/2")
    >>> answer.n_equal, answer.first_unequal, answer.is_separated
    (1, (0, 1), True)
    """
    check_networks("boolean_agreement", net)
    if net.output_dim != 1:
        raise InvalidInputError(
            f"boolean_agreement needs a network with one output; got {net.output_dim}."
        )
    try:
        limit = fraction(threshold)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"boolean_agreement needs a finite threshold; {error}") from None
    d = net.input_dim
    chunks = vertex_chunks(d)
    rule = _rule(function, d)
    steps = integer_steps(net)
    n_equal = n_on_its_side = 0
    failures: dict[str, Corner] = {}
    for start, corners in chunks:
        bits = corners.astype(np.int64)
        wanted = rule(start, bits)
        values, denominators = exact_numerators(net, steps, corners)
        equal = values == wanted * denominators
        sides = _sides(values, denominators, limit)
        on_its_side = sides == np.where(wanted, 1, -1)
        n_equal += int(equal.sum())
        n_on_its_side += int(on_its_side.sum())
        for name, good in (("unequal", equal), ("side", on_its_side)):
            if name not in failures and not good.all():
                failures[name] = tuple(bits[int(np.argmin(good))].tolist())
    return BooleanAgreement(
        2**d, n_equal, n_on_its_side, limit, failures.get("unequal"), failures.get("side")
    )


def _sides(
    values: NDArray[Any], denominators: NDArray[Any], threshold: Fraction
) -> NDArray[np.int64]:
    """Return 1 above the threshold, -1 below, 0 on it."""
    # value * q - p * denominator decides; Python's integers cannot overflow.
    left = np.array([int(v) for v in values], dtype=object) * threshold.denominator
    right = int(denominators[0]) * threshold.numerator
    return (left > right).astype(np.int64) - (left < right).astype(np.int64)


def _rule(function: Any, d: int) -> Callable[[int, Bits], Bits]:
    if isinstance(function, str):
        return _named(function, d)
    if callable(function):
        return lambda _, bits: _zeros_and_ones([function(tuple(x)) for x in bits.tolist()])
    try:
        table = _zeros_and_ones(list(function))
    except TypeError:
        raise InvalidInputError(
            "boolean_agreement needs a name, a function of a corner or a truth table; got an "
            f"object of type {type(function).__name__}."
        ) from None
    if len(table) != 2**d:
        raise InvalidInputError(
            f"boolean_agreement needs a truth table of 2^{d} = {2**d} entries; got {len(table)}."
        )
    return lambda start, bits: table[start : start + len(bits)]


def _named(name: str, d: int) -> Callable[[int, Bits], Bits]:
    rules: dict[str, Callable[[int, Bits], Bits]] = {
        "parity": lambda _, bits: bits.sum(axis=1) % 2,
        "majority": lambda _, bits: (2 * bits.sum(axis=1) > d).astype(np.int64),
        "inner_product": lambda _, bits: (bits[:, : d // 2] * bits[:, d // 2 :]).sum(axis=1) % 2,
    }
    if name not in rules:
        names = ", ".join(f'"{known}"' for known in rules)
        raise InvalidInputError(f"boolean_agreement needs one of {names}; got {name!r}.")
    if name == "inner_product" and d % 2:
        raise InvalidInputError(
            f"boolean_agreement needs an even number of inputs for the inner product; got {d}."
        )
    return rules[name]


def _zeros_and_ones(values: list[Any]) -> Bits:
    wrong = next((v for v in values if v not in (0, 1)), None)
    if wrong is not None:
        raise InvalidInputError(
            f"boolean_agreement needs values 0 and 1; got {wrong!r} from the function."
        )
    return np.array(values, dtype=np.int64)
