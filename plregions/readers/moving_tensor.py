"""What has become of the input by now: which affine numbers, in which shape, how large?

A tensor that depends on the input is followed as a flat vector, so that a change of shape is a
change of order and nothing else. Its batch axis, where it has one, is followed beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.readers.affine_chain import AffineChain
from plregions.readers.exact_elementwise import exact_zeros, magnitudes

__all__ = ["BatchMixedError", "MovingTensor"]

Array = NDArray[Any]

# A batch of free length is tried with this one, which no shape in a file should name by chance.
_TRIAL_BATCH = 37


class BatchMixedError(Exception):
    """A step that does not treat each row of the batch alone.

    Attributes
    ----------
    node : object
        The operator, once it is known.
    """

    node: Any = None


class MovingTensor:
    """A tensor that depends on the input, for one row of the batch.

    Parameters
    ----------
    shape : tuple of int
        Shape of the input, the batch axis counted as 1.
    batch_axis : int or None
        Where the batch lies; None when every axis belongs to the one input vector.
    batch_size : int or None
        Length of the batch axis in the file; None when it is free.
    points : ndarray (k, n) of float64
        Points whose magnitudes are carried along.
    floor : float
        Added to a majorant for each product. With the least normal number of the float type, the
        majorant times eps also covers what products below the normal range lose.

    Attributes
    ----------
    chain : AffineChain
        The exact affine steps so far.
    majorant : ndarray (k, size) of float64
        For each point and entry, an upper bound (up to rounding) of the absolute values that a
        float evaluation adds up: sums of absolute weights times majorants.
    n_steps : int
        How many of the steps round in float arithmetic.

    Algorithm
    ---------
    A change of shape is applied to the numbers of the entries instead of the entries. With a
    batch, it is applied to the entries of a whole batch, and must leave one axis that counts the
    rows, with the same order inside each.

    Exactness
    ---------
    The chain is exact; the majorant is float64.

    Examples
    --------
    >>> tensor = MovingTensor((2, 3), None, None, np.ones((1, 6)))
    >>> tensor.rearrange(np.transpose)
    >>> tensor.shape, tensor.chain.layers()[0][0].argmax(axis=1).tolist()
    ((3, 2), [0, 3, 1, 4, 2, 5])
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        batch_axis: int | None,
        batch_size: int | None,
        points: NDArray[np.float64],
        floor: float = 0.0,
    ) -> None:
        self.shape = shape
        self.batch_axis = batch_axis
        self._batch_size = batch_size or _TRIAL_BATCH
        self.chain = AffineChain(int(np.prod(shape)))
        self.majorant = np.abs(points)
        self.n_steps = 0
        self._floor = floor

    @property
    def batch_from_right(self) -> int:
        """The batch axis counted from the last axis, which is 1; 0 when there is no batch."""
        return 0 if self.batch_axis is None else len(self.shape) - self.batch_axis

    def rearrange(self, function: Callable[[Array], Array]) -> None:
        """Apply a function that changes the shape or order of an array but none of its entries.

        Raises BatchMixedError when it does not keep the rows of the batch apart, and ValueError
        when it does not fit the shape.
        """
        entries = np.arange(self.chain.size).reshape(self.shape)
        if self.batch_axis is None:
            after = function(entries)
            self._take(after.ravel(), after.shape)
            return
        places = [1] * len(self.shape)
        places[self.batch_axis] = self._batch_size
        rows = np.arange(self._batch_size).reshape(places)
        try:
            after = function(entries + self.chain.size * rows)
        except ValueError as error:
            raise BatchMixedError("its shape fits one length of the batch axis only") from error
        for axis in range(after.ndim):
            if after.shape[axis] == self._batch_size:
                row, entry = np.divmod(np.moveaxis(after, axis, 0), self.chain.size)
                expected = np.arange(self._batch_size).reshape((-1,) + (1,) * (after.ndim - 1))
                if np.array_equal(row, np.broadcast_to(expected, row.shape)) and bool(
                    np.all(entry == entry[:1])
                ):
                    shape = list(after.shape)
                    shape[axis] = 1
                    self._take(entry[0].ravel(), tuple(shape), axis)
                    return
        raise BatchMixedError("it mixes the batch axis with others")

    def broadcast(self, constant: Array) -> Array:
        """Bring the tensor and a constant to their common shape; return the constant, flat."""
        shape = np.broadcast_shapes(self.shape, constant.shape)
        from_right = self.batch_from_right
        self._refuse_batch_of(constant, from_right)
        if shape != self.shape:
            entries = np.arange(self.chain.size).reshape(self.shape)
            axis = len(shape) - from_right if from_right else None
            self._take(np.broadcast_to(entries, shape).ravel(), shape, axis)
        return np.broadcast_to(constant, shape).ravel()

    def add(self, values: Array) -> None:
        """Add exact numbers, one for each entry."""
        self.chain.add(values)
        self._step(self.majorant + magnitudes(values))

    def multiply_by(self, values: Array) -> None:
        """Multiply each entry by an exact number."""
        self.chain.multiply_by(values)
        self._step(self.majorant * magnitudes(values))

    def divide_by(self, values: Array) -> None:
        """Divide each entry by an exact number other than 0."""
        self.chain.divide_by(values)
        self._step(self.majorant / magnitudes(values))

    def activate(self, negative: Any, positive: Any) -> None:
        """Apply the function with these two slopes to each entry."""
        self.chain.activate(negative, positive)
        largest = max(abs(float(negative)), abs(float(positive)))
        self._step(self.majorant * max(1.0, largest))

    def round(self) -> None:
        """Count a rounding to another float type, which exact arithmetic leaves out."""
        self._step(self.majorant)

    def multiply_right(self, constant: Array) -> None:
        """Become ``matmul(tensor, constant)``."""
        from_right = self.batch_from_right
        if from_right == 1:
            raise BatchMixedError("it sums over the batch axis")
        if from_right >= 3:
            self._refuse_batch_of(constant, from_right)
        # A constant vector takes the last axis away.
        after = from_right - (constant.ndim == 1) if from_right else 0
        is_row = constant.ndim == 2 and self.chain.size == self.shape[-1]
        self._apply(
            lambda tensor, codes: np.matmul(tensor, codes),
            constant,
            constant.T if is_row else None,
            after,
        )

    def multiply_left(self, constant: Array) -> None:
        """Become ``matmul(constant, tensor)``."""
        from_right = self.batch_from_right
        if from_right == 2 or (from_right == 1 and len(self.shape) == 1):
            raise BatchMixedError("it sums over the batch axis")
        if from_right >= 3:
            self._refuse_batch_of(constant, from_right)
        # A constant vector takes the axis before the last away.
        after = from_right - (constant.ndim == 1 and from_right >= 3)
        length = self.shape[0] if len(self.shape) == 1 else self.shape[-2]
        is_column = constant.ndim == 2 and self.chain.size == length
        self._apply(
            lambda tensor, codes: np.matmul(codes, tensor),
            constant,
            constant if is_column else None,
            after,
        )

    def _apply(
        self,
        product: Callable[[Array, Array], Array],
        constant: Array,
        matrix: Array | None,
        from_right: int,
    ) -> None:
        """Apply a product that is linear in both factors; `matrix` is given where it is known."""
        shape = product(np.zeros(self.shape), np.zeros(constant.shape)).shape
        if matrix is None:
            # Column j is the product of unit vector j with the constant: each of its entries is
            # one entry of the constant, found by its number, or 0.
            codes = np.arange(1.0, constant.size + 1).reshape(constant.shape)
            columns = [
                product(unit.reshape(self.shape), codes).ravel() for unit in np.eye(self.chain.size)
            ]
            entries = np.concatenate([exact_zeros((1,), constant), constant.ravel()])
            matrix = entries[np.array(columns, dtype=np.intp).T]
        self.chain.apply_matrix(matrix)
        largest = magnitudes(matrix)
        with np.errstate(over="ignore", invalid="ignore"):
            self._step(self.majorant @ largest.T + matrix.shape[1] * self._floor)
        self.shape = shape
        self.batch_axis = len(shape) - from_right if from_right else None

    def _refuse_batch_of(self, constant: Array, from_right: int) -> None:
        if from_right and constant.ndim >= from_right and constant.shape[-from_right] != 1:
            raise BatchMixedError("its constant has an own entry for each row of the batch")

    def _take(
        self, index: NDArray[np.intp], shape: tuple[int, ...], batch_axis: int | None = None
    ) -> None:
        self.chain.select(index)
        self.majorant = self.majorant[:, index]
        self.shape = shape
        self.batch_axis = batch_axis

    def _step(self, majorant: NDArray[np.float64]) -> None:
        self.majorant = majorant + self._floor
        self.n_steps += 1
