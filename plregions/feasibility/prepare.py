"""A network and a domain, made ready for deciding cells: local coordinates and float images.

Local coordinates ``u`` put the domain inside the box ``|u_k| <= 1``: ``x = middle + 2**h * u``
with integer ``h`` and a middle that is 0 wherever 0 lies between the bounds. Scaling by powers of
two is exact, so float weights stay exact unless the middle moves them. Every unit is scaled by a
power of two as well, so that layers of very large or small weights cost no accuracy.

An unbounded domain has one local coordinate more, and its regions are cones there; see
`plregions.feasibility.homogenise`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.domain import Box, Domain, Polytope, Slice, WholeSpace
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of, is_float64
from plregions.exact.integers import primitive_row
from plregions.exact.subnormals import require_subnormals
from plregions.feasibility.grains import Grains, grains_of
from plregions.feasibility.homogenise import (
    HomogeneousFrame,
    box_rows,
    has_cones,
    homogenised,
    horizon,
    scale_for,
)
from plregions.feasibility.multiples import Multiples, multiples
from plregions.kernels.layout import Units
from plregions.kernels.rows import TINY, measure_rows, put_rows, scale_rows
from plregions.network import Network, restrict

__all__ = ["Domain", "Frame", "Prepared", "prepare"]

FloatArray = NDArray[np.float64]
IntRow = tuple[int, ...]

HALF_ULP = 2.0**-53
SUBNORMAL = 2.0**-1074


@dataclass(frozen=True)
class Frame:
    """The affine change of coordinates x_k = middle_k + 2**exponent_k * u_k, exact."""

    middle: tuple[Fraction, ...]
    exponent: tuple[int, ...]

    @classmethod
    def around(cls, lower: Sequence[Fraction], upper: Sequence[Fraction]) -> Frame:
        """Return a frame in which the box lies inside the unit box."""
        middle: list[Fraction] = []
        exponent: list[int] = []
        for low, high in zip(lower, upper, strict=True):
            if low <= 0 <= high:
                centre, reach = Fraction(0), max(-low, high)
            else:
                centre = _short_middle(low, high)
                reach = max(centre - low, high - centre)
            middle.append(centre)
            exponent.append(_log2_ceil(reach))
        return cls(tuple(middle), tuple(exponent))

    def to_global(self, u: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the exact point x of the exact local point u."""
        return tuple(
            c + v * Fraction(2) ** h for c, h, v in zip(self.middle, self.exponent, u, strict=True)
        )

    def to_local(self, x: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the exact local point u of the exact point x."""
        return tuple(
            (v - c) / Fraction(2) ** h
            for c, h, v in zip(self.middle, self.exponent, x, strict=True)
        )

    def local_row(self, row: Sequence[Fraction]) -> list[Fraction]:
        """Rewrite the row a.x + c as a row of u, exactly."""
        linear = [
            a * Fraction(2) ** h if a and h else a
            for a, h in zip(row[:-1], self.exponent, strict=True)
        ]
        constant = row[-1]
        for a, c in zip(row[:-1], self.middle, strict=True):
            if a and c:
                constant += a * c
        return [*linear, constant]

    def global_row(self, row: Sequence[int]) -> tuple[Fraction, ...]:
        """Rewrite a row of u as a row a.x + c, exactly."""
        linear = [Fraction(a) / Fraction(2) ** h for a, h in zip(row, self.exponent, strict=False)]
        moved = sum((a * c for a, c in zip(linear, self.middle, strict=True)), Fraction(0))
        return (*linear, row[-1] - moved)

    def matrix(self) -> fmpz_mat:
        """Return u -> x in homogeneous integer coordinates, shape (d + 1, d + 1)."""
        scales = [Fraction(2) ** h for h in self.exponent]
        common = math.lcm(*(v.denominator for v in (*scales, *self.middle)))
        d = len(scales)
        entries = [0] * ((d + 1) * (d + 1))
        for k in range(d):
            entries[k * (d + 1) + k] = int(scales[k] * common)
            entries[k * (d + 1) + d] = int(self.middle[k] * common)
        entries[-1] = common
        return fmpz_mat(d + 1, d + 1, entries)

    def points(self, u: FloatArray) -> FloatArray:
        """Return float64 points x of the local points u, rounded."""
        out = np.empty_like(u)
        for k, (c, h) in enumerate(zip(self.middle, self.exponent, strict=True)):
            if max(abs(c), Fraction(2) ** h) >= 2**1022:
                raise InvalidInputError(
                    f"interior_points need coordinates within the range of float64; got a domain "
                    f"that passes it in coordinate {k}. Use exact_point."
                )
            out[:, k] = float(c) + np.ldexp(u[:, k], h)
        return out


@dataclass(frozen=True)
class Prepared:
    """A network over a domain in local coordinates, exact and as floats with error bounds.

    ``network`` and ``domain`` are free of slices: a slice has been composed into layer 0.
    ``engine`` is what the cells are decided for: the network itself, or over an unbounded domain
    the homogenised one.
    ``first_rows`` are layer 0's rows with their errors, sizes and flags; ``walls`` the domain's
    constraint rows as kernel columns (C, E, S, Z); ``exact_walls`` the same, exact. The first
    ``n_walls`` of them are the domain's own, the others artificial.
    """

    network: Network
    domain: Box | Polytope | WholeSpace
    engine: Network
    frame: Frame | HomogeneousFrame
    units: Units
    first_rows: tuple[Any, Any, Any, Any]
    walls: tuple[Any, Any, Any, Any]
    exact_walls: tuple[Sequence[Fraction], ...]
    n_walk: int

    @cached_property
    def wall_rows(self) -> tuple[IntRow, ...]:
        """The walls as primitive integer rows."""
        return tuple(tuple(primitive_row(row)) for row in self.exact_walls)

    @property
    def dim(self) -> int:
        """Number of local coordinates."""
        return len(self.frame.middle)

    @property
    def n_walls(self) -> int:
        """Number of the domain's own rows."""
        return len(self.domain.exact_rows())

    @property
    def is_homogeneous(self) -> bool:
        """Whether points of the domain are rays in local coordinates, of one dimension more."""
        return isinstance(self.frame, HomogeneousFrame)

    @cached_property
    def grains(self) -> Grains:
        """Which rows are small integers up to a power of two."""
        return grains_of(self.engine, self.units, self.first_rows[0], self.walls[0], self.wall_rows)

    @cached_property
    def multiples(self) -> Multiples:
        """Which units are multiples of others of their layer."""
        return multiples(self)

    @property
    def n_bits(self) -> int:
        """Length of an activation pattern."""
        return self.network.n_neurons


def prepare(network: Network, domain: Domain) -> Prepared:
    """Bring a network and a domain into local coordinates.

    Cost is linear in the number of weights. Everything is exact or carries a proved error bound.
    Raises FlushToZeroError where the processor counts subnormal numbers as zero.
    """
    require_subnormals()
    if not isinstance(domain, Box | Polytope | WholeSpace | Slice):
        raise InvalidInputError(
            f"regions need a Box, Polytope, WholeSpace or Slice; got {type(domain).__name__}. "
            "Use Box(lower, upper)."
        )
    if domain.ambient_dim != network.input_dim:
        raise InvalidInputError(
            f"regions need a domain with the network's {network.input_dim} inputs; got one of "
            f"dimension {domain.ambient_dim}. Give a bound for each input, or a Slice that "
            "fixes the others."
        )
    net, base = restrict(network, domain)
    frame: Frame | HomogeneousFrame
    engine, d, cut = net, base.dim, []
    if base.is_bounded:
        frame = Frame.around(*base.bounding_box())
    elif has_cones(net, base):
        frame, cut = Frame((Fraction(0),) * d, (0,) * d), box_rows(d)
    else:
        engine, frame = homogenised(net), HomogeneousFrame(d, scale_for(net, base))
        cut = [horizon(d), *box_rows(d + 1)]
    units, first_rows = _units(engine, frame)
    exact_walls = (*map(frame.local_row, base.exact_rows()), *cut)
    walls = _walls(exact_walls)
    bits = np.flatnonzero(units.bit >= 0)
    n_walk = int(bits[-1]) + 1 if len(bits) else 0
    return Prepared(net, base, engine, frame, units, first_rows, walls, exact_walls, n_walk)


def _short_middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a dyadic number near the middle of [low, high] with few digits."""
    width = high - low
    grid = Fraction(2) ** (_log2_ceil(width) - 3)
    return round((low + high) / 2 / grid) * grid


def _log2_ceil(value: Fraction) -> int:
    """Return the least h with value <= 2**h."""
    top, bottom = value.numerator, value.denominator
    h = top.bit_length() - bottom.bit_length() - 1
    while top << max(-h, 0) > bottom << max(h, 0):
        h += 1
    return h


def _split_floats(array: Any) -> tuple[FloatArray, NDArray[np.int64], NDArray[np.bool_]]:
    """Return mantissas, binary exponents and whether rounding was needed, entry by entry."""
    if array.dtype == np.float64:
        mantissa, exponent = np.frexp(array)
        return mantissa, exponent.astype(np.int64), np.zeros(array.shape, dtype=np.bool_)
    mantissa = np.zeros(array.shape)
    exponent64 = np.zeros(array.shape, dtype=np.int64)
    rounded = np.zeros(array.shape, dtype=np.bool_)
    for index in np.ndindex(array.shape):
        value = array[index]
        if not value:
            continue
        top, bottom = value.numerator, value.denominator
        e = top.bit_length() - bottom.bit_length()
        scaled = Fraction(top, bottom << e) if e >= 0 else Fraction(top << -e, bottom)
        m = scaled.numerator / scaled.denominator
        rounded[index] = Fraction(m) != scaled
        fraction, shift = math.frexp(m)
        mantissa[index] = fraction
        exponent64[index] = e + shift
    return mantissa, exponent64, rounded


def _scaled_layer(
    weight: Any, bias: Any, column_exponent: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray | float, FloatArray | float, NDArray[np.int64]]:
    """Scale each row [weight | bias] by a power of two to a 1-norm of about 1 and round it.

    ``column_exponent`` is added to the exponent of each weight's column. Returns rows, error bounds
    of their weights and of their biases (one a row) and the exponent by which each was scaled.
    """
    if weight.dtype == np.float64 and bias.dtype == np.float64:
        found = _scaled_floats(weight, bias, column_exponent)
        if found is not None:
            return found
    wm, we, wr = _split_floats(weight)
    bm, be, br = _split_floats(bias)
    we = we + column_exponent[None, :]
    mantissa = np.concatenate([wm, bm[:, None]], axis=1)
    exponent = np.concatenate([we, be[:, None]], axis=1)
    lowest = np.iinfo(np.int64).min // 2
    top = np.where(mantissa != 0.0, exponent, lowest).max(axis=1)
    top = np.where(top == lowest, 0, top)
    scaled = _ldexp(mantissa, exponent - top[:, None])
    norm = np.abs(scaled).sum(axis=1)
    extra = np.frexp(np.maximum(norm, 0.5))[1].astype(np.int64)
    shift = -(top + extra)
    scaled = _ldexp(mantissa, exponent + shift[:, None])
    flushed = (mantissa != 0.0) & (np.abs(scaled) < 2.0**-1021)
    # A non-zero number must not look like a structural zero.
    scaled = np.where((mantissa != 0.0) & (scaled == 0.0), np.copysign(SUBNORMAL, mantissa), scaled)
    error = np.where(np.concatenate([wr, br[:, None]], axis=1), np.abs(scaled) * HALF_ULP * 2, 0.0)
    error = error + np.where(flushed, SUBNORMAL * 2, 0.0)
    return scaled, error[:, :-1].max(axis=1), error[:, -1], shift


def _scaled_floats(
    weight: FloatArray, bias: FloatArray, column_exponent: NDArray[np.int64]
) -> tuple[FloatArray, float, float, NDArray[np.int64]] | None:
    """Do the same where all numbers are 0 or of usual size, so that every step is exact.

    None where the numbers are not like that.
    """
    rows = np.empty((len(bias), weight.shape[1] + 1))
    rows[:, :-1] = weight
    rows[:, -1] = bias
    exponent = np.empty(len(bias), dtype=np.int64)
    if not scale_rows(rows, column_exponent, np.empty(weight.shape[1]), exponent):
        return None
    return rows, 0.0, 0.0, -exponent


def _scaled_slopes(slopes: Any) -> tuple[FloatArray, NDArray[np.int64]]:
    """Scale each pair of slopes by a power of two to at most 1; returns the power taken out."""
    mantissa, exponent, _ = _split_floats(slopes)
    # Powers of two become 1 and not 1/2, so the slopes of ReLU stay as they are.
    power = np.abs(mantissa) == 0.5
    mantissa = np.where(power, 2.0 * mantissa, mantissa)
    exponent = exponent - power
    lowest = np.iinfo(np.int64).min // 2
    top = np.where(mantissa != 0.0, exponent, lowest).max(axis=1)
    top = np.where(top == lowest, 0, top)
    scaled = _ldexp(mantissa, exponent - top[:, None])
    scaled = np.where((mantissa != 0.0) & (scaled == 0.0), np.copysign(SUBNORMAL, mantissa), scaled)
    return scaled, top


def _ldexp(mantissa: FloatArray, exponent: NDArray[np.int64]) -> FloatArray:
    return np.ldexp(mantissa, np.clip(exponent, -1200, 1000).astype(np.int32))


def _units(
    net: Network, frame: Frame | HomogeneousFrame
) -> tuple[Units, tuple[Any, Any, Any, Any]]:
    """Return the kernel's unit columns and the rows of layer 0."""
    counts = [layer.weight.shape[0] for layer in net.layers]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    n = int(first[-1])
    bias = np.zeros(n)
    weight_error = np.zeros(n)
    bias_error = np.zeros(n)
    weights: list[FloatArray] = []
    weight_first = np.zeros(len(counts), dtype=np.int64)
    column = np.array(frame.exponent, dtype=np.int64)
    rows0: tuple[Any, Any, Any, Any] | None = None
    offset = 0
    scaled_slopes: list[FloatArray] = []
    for index, layer in enumerate(net.layers):
        layer_bias = layer.bias
        if index == 0 and any(frame.middle):
            layer_bias = _moved_bias(layer.weight, layer.bias, frame.middle)
        rows, we, be, shift = _scaled_layer(layer.weight, layer_bias, column)
        part = slice(int(first[index]), int(first[index + 1]))
        bias[part], weight_error[part], bias_error[part] = rows[:, -1], we, be
        if index == 0:
            rows0 = _first_rows(rows, we, be)
        else:
            weight_first[index] = offset
            weights.append(rows[:, :-1].ravel())
            offset += layer.weight.size
        if layer.slopes_name is not None:  # the slopes of all such layers are 0 or 1
            scaled_slopes.append(layer.slopes)
            column = -shift
        else:
            pair, top = _scaled_slopes(layer.slopes)
            scaled_slopes.append(pair)
            column = top - shift
    negative, positive = np.ascontiguousarray(np.concatenate(scaled_slopes).T)
    bent = np.concatenate([layer.has_bit for layer in net.layers])
    bit = np.where(bent, np.cumsum(bent) - 1, -1).astype(np.int64)
    units = Units(
        layer_first=first,
        layer_of=np.repeat(np.arange(len(counts)), counts).astype(np.int64),
        weight_first=weight_first,
        weight=np.concatenate(weights) if weights else np.zeros(0),
        bias=bias,
        weight_error=weight_error,
        bias_error=bias_error,
        bit=bit,
        negative=negative,
        positive=positive,
    )
    if rows0 is None:
        raise InvalidInputError("prepare needs a network with a layer; got none.")
    return units, rows0


def _moved_bias(weight: Any, bias: Any, middle: tuple[Fraction, ...]) -> Any:
    moved = np.empty(len(bias), dtype=object)
    w, b = fractions_of(weight), fractions_of(bias)
    for i in range(len(moved)):
        moved[i] = b[i] + sum((a * c for a, c in zip(w[i], middle, strict=True)), Fraction(0))
    return moved


def _first_rows(
    rows: FloatArray, weight_error: FloatArray | float, bias_error: FloatArray | float
) -> tuple[Any, Any, Any, Any]:
    n, d = len(rows), rows.shape[1] - 1
    error = np.empty(n)
    error[:] = (weight_error * d + bias_error) * (1 + 1e-12) + TINY
    size, flags = np.empty(n), np.empty(n, dtype=np.int64)
    measure_rows(rows, size, flags)
    return rows, error, size, flags


def _walls(exact: Sequence[Sequence[Fraction]]) -> tuple[Any, Any, Any, Any]:
    d = len(exact[0]) - 1
    numbers = [v for row in exact for v in row]
    array: Any
    if all(map(is_float64, numbers)):
        array = np.array([v.numerator / v.denominator for v in numbers])
    else:
        array = np.array(numbers, dtype=object)
    array = array.reshape(len(exact), d + 1)
    scaled, we, be, _ = _scaled_layer(array[:, :-1], array[:, -1], np.zeros(d, dtype=np.int64))
    rows, error, size, flags = _first_rows(scaled, we, be)
    m = len(exact)
    C, E, S = np.zeros((m, d + 1)), np.zeros(m), np.zeros(m)
    Z = np.zeros(m, dtype=np.int64)
    put_rows(rows, error, size, flags, d, m, C, E, S, Z)
    return C, E, S, Z
