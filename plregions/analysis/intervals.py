"""Between which bounds do pre-activations lie? Interval arithmetic in integers, nothing rounded."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from flint import fmpz_mat

from plregions.network.layer import Layer

__all__ = ["Interval", "post_activation", "pre_activation"]

Interval = tuple[Fraction, Fraction]


def pre_activation(layer: Layer, inputs: Sequence[Interval]) -> list[Interval]:
    """Return the exact range of each unit's pre-activation over a box of inputs.

    Parameters
    ----------
    layer : Layer
    inputs : sequence of (lower, upper), length n_in

    Returns
    -------
    list of (lower, upper), length n_out

    Algorithm
    ---------
    W c + b - |W| r and W c + b + |W| r with the centre c and the radius r of the box: two integer
    matrix-vector products.

    Exactness
    ---------
    Exact: both ends are attained on the box.

    Examples
    --------
    >>> low, high = pre_activation(Layer([[1, -2]], [1]), [(Fraction(0), Fraction(1))] * 2)[0]
    >>> int(low), int(high)
    (-1, 2)
    """
    common = lcm(*(2 * end.denominator for pair in inputs for end in pair))
    middles = [int((low + high) * common) // 2 for low, high in inputs]
    radii = [int((high - low) * common) // 2 for low, high in inputs]
    matrix = layer.integer_form.matrix
    sizes = fmpz_mat(matrix.nrows(), matrix.ncols(), [abs(v) for v in matrix.entries()])
    n = len(inputs) + 1
    centres = (matrix * fmpz_mat(n, 1, [*middles, common])).entries()
    spreads = (sizes * fmpz_mat(n, 1, [*radii, 0])).entries()
    scale = int(centres[-1])
    return [
        (Fraction(int(c - s), scale), Fraction(int(c + s), scale))
        for c, s in zip(centres[:-1], spreads[:-1], strict=True)
    ]


def post_activation(layer: Layer, ranges: Sequence[Interval]) -> list[Interval]:
    """Return the exact range of each unit's output over a range of its pre-activation.

    Parameters
    ----------
    layer : Layer
    ranges : sequence of (lower, upper), length n_out
        Of the pre-activations.

    Returns
    -------
    list of (lower, upper), length n_out

    Exactness
    ---------
    Exact: a unit is linear on both sides of 0, so its extremes lie at the ends or at 0.

    Examples
    --------
    >>> post_activation(Layer([[1]], slopes=(-1, 1)), [(Fraction(-3), Fraction(2))])
    [(Fraction(0, 1), Fraction(3, 1))]
    """
    *slopes, (common, _) = layer.integer_form.slopes
    result = []
    for (negative, positive), (low, high) in zip(slopes, ranges, strict=True):
        ends = [low, high, Fraction(0)] if low < 0 < high else [low, high]
        values = [v * Fraction(positive if v > 0 else negative, common) for v in ends]
        result.append((min(values), max(values)))
    return result
