"""The decision of a network along a segment, in plain Fractions: where do the labels change?

Nothing of the package but the numbers of the network. Pre-activations are functions a t + c of the
way t in [0, 1]; each layer cuts the intervals where a unit changes its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from oracles.plain_network import plain_layers

Line = tuple[Fraction, Fraction]
Interval = tuple[Fraction, Fraction, list[Line]]
Label = tuple[int, ...]


def outputs_along(net: Any, p: Sequence[Fraction], q: Sequence[Fraction]) -> list[Interval]:
    """Intervals of [0, 1], in order, with the outputs as functions of the way from p to q."""
    start = [(b - a, a) for a, b in zip(p, q, strict=True)]
    intervals: list[Interval] = [(Fraction(0), Fraction(1), start)]
    for weight, bias, slopes in plain_layers(net):
        done = []
        for low, high, lines in intervals:
            z = [
                (
                    sum((w * a for w, (a, _) in zip(row, lines, strict=True)), Fraction(0)),
                    sum((w * c for w, (_, c) in zip(row, lines, strict=True)), b),
                )
                for row, b in zip(weight, bias, strict=True)
            ]
            for t0, t1 in _between(low, high, z):
                middle = (t0 + t1) / 2
                factors = [pair[a * middle + c > 0] for (a, c), pair in zip(z, slopes, strict=True)]
                values = [(f * a, f * c) for f, (a, c) in zip(factors, z, strict=True)]
                done.append((t0, t1, values))
        intervals = done
    return intervals


def labels_along(
    net: Any,
    p: Sequence[Fraction],
    q: Sequence[Fraction],
    level: tuple[int, Fraction] | None = None,
) -> list[tuple[Fraction, Label]]:
    """Where each label begins: the largest outputs, or 0 above and 1 below (output, level)."""
    found: list[tuple[Fraction, Label]] = []
    for low, high, outputs in outputs_along(net, p, q):
        lines = outputs if level is None else [outputs[level[0]], (Fraction(0), level[1])]
        differences = [(a - b, c - d) for a, c in lines for b, d in lines]
        for t0, t1 in _between(low, high, differences):
            values = [a * (t0 + t1) / 2 + c for a, c in lines]
            label = tuple(k for k, v in enumerate(values) if v == max(values))
            if not found or found[-1][1] != label:
                found.append((t0, label))
    return found


def _between(low: Fraction, high: Fraction, lines: list[Line]) -> list[Line]:
    """The parts of an interval between the zeros of some functions."""
    zeros = {-c / a for a, c in lines if a}
    return list(pairwise([low, *sorted(t for t in zeros if low < t < high), high]))
