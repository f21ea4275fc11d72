"""A network in plain Fractions, written as the definition reads: slow, and independent.

It uses none of the package's arithmetic. Behaviour around a point is found by evaluating at
points so close that no sign that is not 0 can change.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = list[Fraction]


class OnWallError(Exception):
    """The point lies on the zero set of a neuron; the argument lists them as (layer, unit)."""


def plain_layers(net: Any) -> list[tuple[list[Row], Row, list[Row]]]:
    """Weight, bias and slopes of every layer, entry by entry."""
    return [
        (
            [[Fraction(v) for v in row] for row in layer.weight.tolist()],
            [Fraction(v) for v in layer.bias.tolist()],
            [[Fraction(v) for v in pair] for pair in layer.slopes.tolist()],
        )
        for layer in net.layers
    ]


def pre_activations(layers: Any, x: Sequence[Any]) -> tuple[list[Row], Row]:
    """The pre-activations of all layers, and the output."""
    value = [Fraction(v) for v in x]
    all_z = []
    for weight, bias, slopes in layers:
        z = [
            sum((w * v for w, v in zip(row, value, strict=True)), start=b)
            for row, b in zip(weight, bias, strict=True)
        ]
        all_z.append(z)
        value = [pair[1] * s if s > 0 else pair[0] * s for pair, s in zip(slopes, z, strict=True)]
    return all_z, value


def plain_value(net: Any, x: Sequence[Any]) -> Row:
    """The output of a network."""
    return pre_activations(plain_layers(net), x)[1]


def step_below_every_sign(layers: Any, x: Sequence[Any]) -> Fraction:
    """A step so small that along a coordinate no pre-activation that is not 0 changes its sign."""
    all_z, _ = pre_activations(layers, x)
    smallest = min((abs(v) for z in all_z for v in z if v), default=Fraction(1))
    growth = Fraction(1)
    for weight, _, slopes in layers:
        rows = max(sum(abs(v) for v in row) for row in weight)
        growth *= max(rows, 1) * max(max(abs(v) for pair in slopes for v in pair), 1)
    return smallest / (2 * growth)


def nearby(x: Sequence[Any], step: Fraction) -> list[Row]:
    """The points one step away along each coordinate."""
    base = [Fraction(v) for v in x]
    return [[v + step * (i == k) for i, v in enumerate(base)] for k in range(len(base))]


def pattern(layers: Any, x: Sequence[Any]) -> str:
    """The bits at x; OnWallError when a neuron is 0 at x and not around it."""
    step = step_below_every_sign(layers, x)
    here, _ = pre_activations(layers, x)
    around = [pre_activations(layers, y)[0] for y in nearby(x, step)]
    bits = ""
    for k, (_, _, slopes) in enumerate(layers):
        units = [u for u, pair in enumerate(slopes) if pair[0] != pair[1]]
        walls = [(k, u) for u in units if here[k][u] == 0 and any(z[k][u] for z in around)]
        if walls:
            raise OnWallError(walls)
        bits += "".join("1" if here[k][u] > 0 else "0" for u in units)
    return bits


def affine_map(layers: Any, x: Sequence[Any]) -> tuple[list[Row], Row]:
    """The affine map around a point inside a region, from exact differences."""
    step = step_below_every_sign(layers, x)
    _, here = pre_activations(layers, x)
    columns = [
        [(a - b) / step for a, b in zip(pre_activations(layers, y)[1], here, strict=True)]
        for y in nearby(x, step)
    ]
    weight = [list(row) for row in zip(*columns, strict=True)]
    bias = [
        value - sum(a * Fraction(v) for a, v in zip(row, x, strict=True))
        for value, row in zip(here, weight, strict=True)
    ]
    return weight, bias
