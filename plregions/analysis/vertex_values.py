"""A network on all corners of {0, 1}^d, exactly, a chunk of corners at a time.

Where bounds show that every sum stays below 2^53, whole numbers in float64 arrays are exact. Else
floats with proven error bounds settle what they can, and integers of any size the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.network import Layer, Network
from plregions.network.enclose import forward_enclosed

__all__ = [
    "MOST_INPUTS",
    "VertexComparison",
    "compare_vertices",
    "exact_numerators",
    "integer_steps",
    "vertex_chunks",
]

# 2^24 corners of a small network take some seconds, each input more twice as long.
MOST_INPUTS = 24
VERTICES_A_CHUNK = 2**13
LARGEST_EXACT = 2**53

Steps = list[tuple[NDArray[np.float64], NDArray[np.float64]]]
Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class VertexComparison:
    """Two networks on all corners of {0, 1}^d.

    Attributes
    ----------
    n_vertices, n_different, n_ties : int
        Corners; those where the networks differ; those where one of them has a tie.
    witness : tuple of Fraction or None
        The first corner, in binary order, where they differ.
    gap : Fraction or None
        The largest difference in absolute value; None for labels.
    gap_at : tuple of Fraction or None
        A corner where it is attained; None where the gap is 0.
    n_in_integers, n_by_bounds, n_in_rationals : int
        How the corners were compared.
    """

    n_vertices: int
    n_different: int
    n_ties: int
    witness: Point | None
    gap: Fraction | None
    gap_at: Point | None
    n_in_integers: int
    n_by_bounds: int
    n_in_rationals: int


def compare_vertices(both: Network, *, of_labels: bool) -> VertexComparison:
    """Compare two networks on all corners.

    Parameters
    ----------
    both : Network
        The difference f - g; for labels the network x -> (f(x), g(x)).
    of_labels : bool
        Compare the sets of largest outputs.

    Returns
    -------
    VertexComparison

    Raises
    ------
    InvalidInputError
        More than 24 inputs.

    Algorithm
    ---------
    One forward pass for each chunk of 8192 corners; see this module's first lines.

    Exactness
    ---------
    Exact.
    """
    tally = _Tally(both, of_labels)
    for start, bits in vertex_chunks(both.input_dim):
        tally.take(start, bits)
    return tally.result()


def vertex_chunks(d: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the corners of {0, 1}^d in binary order, the first coordinate the highest digit.

    Parameters
    ----------
    d : int
        At most 24.

    Yields
    ------
    start : int
        The number of the chunk's first corner.
    corners : ndarray of float64, shape (n, d)

    Raises
    ------
    InvalidInputError
        More than 24 dimensions.
    """
    if d > MOST_INPUTS:
        raise InvalidInputError(
            f"Agreement on the vertices needs at most {MOST_INPUTS} inputs; got {d}, with 2^{d} "
            "vertices. Take a face of the box: a Slice of fewer dimensions."
        )
    shifts = np.arange(d - 1, -1, -1)
    for start in range(0, 2**d, VERTICES_A_CHUNK):
        numbers = np.arange(start, min(start + VERTICES_A_CHUNK, 2**d))
        yield start, ((numbers[:, None] >> shifts) & 1).astype(np.float64)


def integer_steps(net: Network) -> Steps | None:
    """Return the layers as whole numbers in float64, if no sum on {0, 1}^d can pass 2^53.

    Parameters
    ----------
    net : Network

    Returns
    -------
    list of (matrix, slopes) or None
        matrix (n_out + 1, n_in + 1) in homogeneous coordinates, slopes (n_out + 1, 2).

    Exactness
    ---------
    Exact: the bounds are integers.
    """
    bounds = [1] * (net.input_dim + 1)
    steps = []
    for layer in net.layers:
        form = layer.integer_form
        rows = [[int(v) for v in row] for row in form.matrix.tolist()]
        sums = [sum(abs(w) * b for w, b in zip(row, bounds, strict=True)) for row in rows]
        slopes = form.slopes
        bounds = [s * max(abs(a), abs(b)) for s, (a, b) in zip(sums, slopes, strict=True)]
        # Entries that meet a 0 do not show in the sums, but must be exact themselves.
        sizes = [abs(v) for row in (*rows, *slopes) for v in row]
        if max(*sums, *bounds, *sizes) >= LARGEST_EXACT:
            return None
        steps.append((np.array(rows, dtype=np.float64), np.array(slopes, dtype=np.float64)))
    return steps


def exact_numerators(net: Network, steps: Steps | None, bits: NDArray[np.float64]) -> NDArray[Any]:
    """Return the outputs at corners as whole numbers over one denominator.

    Parameters
    ----------
    net : Network
        With m outputs.
    steps : list or None
        The result of `integer_steps`.
    bits : ndarray of float64, shape (n, d)
        Corners.

    Returns
    -------
    ndarray, shape (m + 1, n)
        Numerators; the last row is the denominator, the same positive number for all corners.
        float64 with `steps`, else Python integers.

    Exactness
    ---------
    Exact.
    """
    if steps is None:
        return _big_numerators(net.layers, bits)
    state = np.concatenate([bits.T, np.ones((1, len(bits)))])
    for matrix, slopes in steps:
        state = matrix @ state
        state *= np.where(state > 0, slopes[:, 1:], slopes[:, :1])
    return state


def _big_numerators(layers: tuple[Layer, ...], bits: NDArray[np.float64]) -> NDArray[Any]:
    columns, zero = len(bits), fmpz(0)
    entries = [int(v) for v in bits.T.ravel()] + [1] * columns
    state = fmpz_mat(bits.shape[1] + 1, columns, entries)
    for layer in layers:
        form = layer.integer_form
        state = form.matrix * state
        values = state.entries()
        for k, (negative, positive) in enumerate(form.slopes):
            part = slice(k * columns, (k + 1) * columns)
            if (negative, positive) == (0, 1):
                values[part] = [v if v > 0 else zero for v in values[part]]
            elif (negative, positive) != (1, 1):
                values[part] = [positive * v if v > 0 else negative * v for v in values[part]]
        state = fmpz_mat(state.nrows(), columns, values)
    result = np.array([int(v) for v in state.entries()], dtype=object)
    return result.reshape(state.nrows(), columns)


class _Tally:
    """What has been found on the chunks so far."""

    def __init__(self, both: Network, of_labels: bool) -> None:
        self._both = both
        self._of_labels = of_labels
        self._steps = integer_steps(both)
        self._counts = dict.fromkeys(("vertices", "different", "ties"), 0)
        self._ways = dict.fromkeys(("integers", "bounds", "rationals"), 0)
        self._first: int | None = None
        self._gap = Fraction(0)
        self._gap_at: int | None = None

    def take(self, start: int, bits: NDArray[np.float64]) -> None:
        """Compare the networks on one chunk."""
        n = len(bits)
        different, tied = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        unsure = np.ones(n, dtype=np.bool_)
        if self._steps is None:
            different, unsure = self._by_bounds(start, bits)
        chosen = np.flatnonzero(unsure)
        self._ways["bounds"] += n - len(chosen)
        self._ways["rationals" if self._steps is None else "integers"] += len(chosen)
        if len(chosen):
            values = exact_numerators(self._both, self._steps, bits[chosen])
            if self._of_labels:
                different[chosen], tied[chosen] = _labels(values[:-1])
            else:
                different[chosen] = (values[:-1] != 0).any(axis=0)
                self._raise_gap(values, start + chosen)
        self._counts["vertices"] += n
        self._counts["different"] += int(different.sum())
        self._counts["ties"] += int(tied.sum())
        if self._first is None and different.any():
            self._first = start + int(np.argmax(different))

    def _by_bounds(
        self, start: int, bits: NDArray[np.float64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return where floats prove that the networks differ, and where they prove nothing."""
        n = len(bits)
        try:
            values, bounds = forward_enclosed(self._both.layers, bits)
        except OverflowError:
            return np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
        is_finite = np.isfinite(values).all(axis=1) & np.isfinite(bounds).all(axis=1)
        if self._of_labels:
            different, is_sure = _labels_in_floats(values, bounds)
            return different & is_finite, ~(is_sure & is_finite)
        different = np.asarray((np.abs(values) > bounds).any(axis=1) & is_finite, dtype=np.bool_)
        highest = np.nextafter(np.abs(values) + bounds, np.inf).max(axis=1)
        # What may pass the gap so far is evaluated exactly, the most promising corners first.
        for k in np.argsort(-np.where(different, highest, -1.0)):
            if not different[k] or float(highest[k]) <= self._gap:
                break
            self._raise_gap(exact_numerators(self._both, None, bits[k : k + 1]), start + k[None])
        return different, ~different

    def _raise_gap(self, values: NDArray[Any], numbers: NDArray[np.int64]) -> None:
        sizes = np.abs(values[:-1]).max(axis=0)
        k = int(np.argmax(sizes))
        gap = Fraction(int(sizes[k]), int(values[-1, k]))
        if gap > self._gap:
            self._gap, self._gap_at = gap, int(numbers[k])

    def result(self) -> VertexComparison:
        """Return what was found."""
        return VertexComparison(
            self._counts["vertices"],
            self._counts["different"],
            self._counts["ties"],
            self._corner(self._first),
            None if self._of_labels else self._gap,
            self._corner(self._gap_at),
            self._ways["integers"],
            self._ways["bounds"],
            self._ways["rationals"],
        )

    def _corner(self, number: int | None) -> Point | None:
        if number is None:
            return None
        d = self._both.input_dim
        return tuple(Fraction(number >> k & 1) for k in range(d - 1, -1, -1))


def _labels(values: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where the sets of largest outputs differ, and where one has more than one member."""
    m = len(values) // 2
    of_f, of_g = (part == part.max(axis=0) for part in (values[:m], values[m:]))
    different = np.asarray((of_f != of_g).any(axis=0), dtype=np.bool_)
    tied = np.asarray((of_f.sum(axis=0) > 1) | (of_g.sum(axis=0) > 1), dtype=np.bool_)
    return different, tied


def _labels_in_floats(
    values: NDArray[np.float64], bounds: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where both networks have one largest output for sure, and differ; and where so."""
    m = values.shape[1] // 2
    labels, is_sure = [], np.ones(len(values), dtype=np.bool_)
    rows = np.arange(len(values))
    for part in (slice(0, m), slice(m, None)):
        label = values[:, part].argmax(axis=1)
        low = np.nextafter(values - bounds, -np.inf)[:, part]
        high = np.nextafter(values + bounds, np.inf)[:, part]
        others = high.copy()
        others[rows, label] = -np.inf
        is_sure &= low[rows, label] > others.max(axis=1)
        labels.append(label)
    return is_sure & (labels[0] != labels[1]), is_sure
