"""Which layers does a chain of affine steps and activations make?

Readers of foreign formats walk through a model and report each step; this module folds the steps
into layers in exact arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.readers.exact_elementwise import (
    as_fractions,
    exact_matrix_vector,
    exact_product,
    exact_quotient,
    exact_sum,
    exact_zeros,
    float64_matrix_product,
)

__all__ = ["AffineChain"]

Array = NDArray[Any]
Slopes = tuple[Any, Any]
LayerParts = tuple[Array, Array, Slopes]

_IDENTITY: Slopes = (1, 1)
# Folding a shift by many different fractions into a bias multiplies their denominators. Past this
# number of bits the shift stays a layer of its own, where its numbers are small.
_MOST_DENOMINATOR_BITS = 256


class AffineChain:
    """Steps of one vector on its way through a network, folded into layers as they come.

    The current vector is ``scale * (matrix @ base)[take] + shift``, where base is the output of
    the last finished layer and matrix may be absent.

    Parameters
    ----------
    input_dim : int
        The number of inputs.

    Algorithm
    ---------
    Shifts, scales and changes of order are folded into the next matrix, or into the one before
    them. A matrix that follows a matrix with no activation in between is folded into it when
    their product is proved to be float64 exactly (selections, sums and differences of a few
    entries are); a product of general matrices would double the digits of every weight and often
    their number, so the first one becomes a layer of units with slopes (1, 1), which carry a
    value on and cut nothing. A shift by fractions whose common denominator passes 256 bits
    becomes such a layer too.

    Exactness
    ---------
    Every weight of the layers is exact.

    Examples
    --------
    >>> chain = AffineChain(2)
    >>> chain.add(np.array([-1.0, 0.0]))
    >>> chain.apply_matrix(np.array([[1.0, 1.0], [1.0, -1.0], [2.0, 0.0]]))
    >>> chain.activate(0, 1)
    >>> [(weight.shape, bias.tolist(), slopes) for weight, bias, slopes in chain.layers()]
    [((3, 2), [-1.0, -1.0, -2.0], (0, 1))]
    """

    def __init__(self, input_dim: int) -> None:
        self._finished: list[LayerParts] = []
        self._base_size = input_dim
        self._matrix: Array | None = None
        self._take: NDArray[np.intp] = np.arange(input_dim)
        self._scale: Array = np.ones(input_dim)
        self._shift: Array = np.zeros(input_dim)

    @property
    def size(self) -> int:
        """The number of entries of the current vector."""
        return int(self._take.size)

    def select(self, index: NDArray[np.intp]) -> None:
        """Put entry ``index[k]`` of the current vector in place k; entries may repeat."""
        self._take = self._take[index]
        self._scale = self._scale[index]
        self._shift = self._shift[index]

    def add(self, values: Array) -> None:
        """Add an exact number to each entry."""
        self._shift = exact_sum(self._shift, values)

    def multiply_by(self, values: Array) -> None:
        """Multiply each entry by an exact number."""
        self._scale = exact_product(self._scale, values)
        self._shift = exact_product(self._shift, values)

    def divide_by(self, values: Array) -> None:
        """Divide each entry by an exact number other than 0."""
        self._scale = exact_quotient(self._scale, values)
        self._shift = exact_quotient(self._shift, values)

    def apply_matrix(self, matrix: Array) -> None:
        """Multiply the current vector by an exact matrix (m, size) from the left."""
        if self._matrix is None:
            if _denominator_bits(self._shift) > _MOST_DENOMINATOR_BITS:
                self._finish(_IDENTITY)
                self._matrix, shift = matrix, np.zeros(matrix.shape[0])
            else:
                shift = exact_matrix_vector(matrix, self._shift)
                is_scaled = not bool(np.all(self._scale == 1))
                scaled = exact_product(matrix, self._scale) if is_scaled else matrix
                self._matrix = self._scattered(scaled)
        else:
            weight = self._weight()
            product = float64_matrix_product(matrix, weight)
            shift = np.zeros(matrix.shape[0])
            if product is not None:
                shift = exact_matrix_vector(matrix, self._shift)
            if product is None or shift.dtype != np.float64:
                self._finish(_IDENTITY)
                product, shift = matrix, np.zeros(matrix.shape[0])
            self._matrix = product
        self._start_anew(matrix.shape[0], shift)

    def activate(self, negative: Any, positive: Any) -> None:
        """Apply the function with these two slopes to each entry: a layer is finished."""
        self._finish((negative, positive))

    def layers(self) -> list[LayerParts]:
        """Return all layers as (weight, bias, (negative slope, positive slope)).

        The last one has slopes (1, 1), unless the chain ends with an activation.
        """
        is_plain = (
            self._matrix is None
            and np.array_equal(self._take, np.arange(self._base_size))
            and bool(np.all(self._scale == 1))
            and not np.any(self._shift)
        )
        if self._finished and is_plain:
            return list(self._finished)
        return [*self._finished, (self._weight(), self._shift, _IDENTITY)]

    def _finish(self, slopes: Slopes) -> None:
        self._finished.append((self._weight(), self._shift, slopes))
        self._base_size = self.size
        self._matrix = None
        self._start_anew(self.size, np.zeros(self.size))

    def _start_anew(self, size: int, shift: Array) -> None:
        self._take = np.arange(size)
        self._scale = np.ones(size)
        self._shift = shift

    def _weight(self) -> Array:
        """The matrix that takes the base to the current vector, its shift left out."""
        if self._matrix is not None:
            weight = self._matrix[self._take]
            is_scaled = not bool(np.all(self._scale == 1))
            return exact_product(weight, self._scale[:, None]) if is_scaled else weight
        weight = exact_zeros((self.size, self._base_size), self._scale)
        weight[np.arange(self.size), self._take] = self._scale
        return weight

    def _scattered(self, columns: Array) -> Array:
        """The columns brought to the entries of the base that they belong to, repeats added."""
        shape = (columns.shape[0], self._base_size)
        if np.unique(self._take).size == self.size:
            weight = exact_zeros(shape, columns)
            weight[:, self._take] = columns
            return weight
        # Column by column: no array may hold floats and Fractions, whose sums would round.
        columns = as_fractions(columns)
        weight = exact_zeros(shape, columns)
        for k, source in enumerate(self._take):
            weight[:, source] += columns[:, k]
        return exact_sum(weight, np.zeros(1))  # float64 again where that is exact


def _denominator_bits(values: Array) -> int:
    """The length of the common denominator of the entries; 0 for float64, which has a short one."""
    if values.dtype == np.float64:
        return 0
    shared = int(np.lcm.reduce([value.denominator for value in values], dtype=object))
    return shared.bit_length()
