"""Pre-activations as affine rows under a pattern that need not be a region, in Fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oracles.plain_network import plain_layers

Row = tuple[Fraction, ...]


def forced_rows(net: Any, bits: Sequence[Any]) -> list[Row]:
    """The rows (a, c) of the neurons with a bit, in bit order, when the bits choose the slopes."""
    d = net.input_dim
    inputs: list[Row] = [tuple(Fraction(i == k) for i in range(d + 1)) for k in range(d)]
    rows: list[Row] = []
    for weight, bias, slopes in plain_layers(net):
        outputs: list[Row] = []
        for w, b, (negative, positive) in zip(weight, bias, slopes, strict=True):
            row = [sum((f * r[k] for f, r in zip(w, inputs, strict=True)), Fraction(0))
                   for k in range(d + 1)]  # fmt: skip
            row[-1] += b
            slope = positive
            if negative != positive:
                slope = positive if int(bits[len(rows)]) else negative
                rows.append(tuple(row))
            outputs.append(tuple(slope * v for v in row))
        inputs = outputs
    return rows


def same_direction(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether one row is a positive multiple of the other, or both are 0."""
    lead = next((k for k, v in enumerate(a) if v), None)
    if lead is None:
        return not any(b)
    if not b[lead] or (a[lead] > 0) != (b[lead] > 0):
        return False
    ratio = Fraction(a[lead]) / Fraction(b[lead])
    return all(v == ratio * w for v, w in zip(a, b, strict=True))
