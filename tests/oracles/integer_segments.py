"""The decision of a network along a segment, in whole numbers: quick enough for thousands.

Nothing of the package but the numbers of the network. Every quantity is a function a t + c of the
way t, with whole a and c over one denominator a layer: two columns of a matrix of python-flint. The
way is cut where a unit of the first layer changes its sign; what that unit adds to the second is
taken away there, and so on through the layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

from flint import fmpq, fmpz_mat
from oracles.plain_network import plain_layers

Label = tuple[int, ...]


class IntegerWalk:
    """A network in whole numbers, ready for segments."""

    def __init__(self, net: Any) -> None:
        self._matrices: list[fmpz_mat] = []
        self._columns: list[list[fmpz_mat]] = []
        self._slopes: list[list[tuple[int, int]]] = []
        layers = plain_layers(net)
        if any(a != b for a, b in layers[-1][2]):
            m = len(layers[-1][1])
            units = [[Fraction(i == k) for i in range(m)] for k in range(m)]
            layers.append((units, [Fraction(0)] * m, [[Fraction(1)] * 2] * m))
        for weight, bias, slopes in layers:
            table = [[*row, b] for row, b in zip(weight, bias, strict=True)]
            common = lcm(*(v.denominator for row in table for v in row))
            whole = [[int(v * common) for v in row] for row in table]
            # The last row carries the denominator on.
            whole.append([0] * len(weight[0]) + [common])
            self._matrices.append(fmpz_mat(whole))
            self._columns.append([fmpz_mat([[v] for v in c]) for c in zip(*whole, strict=True)])
            steep = lcm(*(v.denominator for pair in slopes for v in pair))
            pairs = [(int(a * steep), int(b * steep)) for a, b in slopes]
            self._slopes.append([*pairs, (steep, steep)])

    def labels(self, p: Sequence[Fraction], q: Sequence[Fraction]) -> list[tuple[Fraction, Label]]:
        """Where each label on the way from p to q begins: the largest outputs between there."""
        found: list[tuple[Any, Label]] = []
        common = lcm(*(v.denominator for v in (*p, *q)))
        start = [[int((b - a) * common), int(a * common)] for a, b in zip(p, q, strict=True)]
        first = self._matrices[0] * fmpz_mat([*start, [0, common]])
        for low, high, outputs in self._outputs(0, first, fmpq(0), fmpq(1)):
            for t, label in _largest(outputs, low, high):
                if not found or found[-1][1] != label:
                    found.append((t, label))
        return [(Fraction(int(t.p), int(t.q)), label) for t, label in found]

    def _outputs(self, layer: int, z: Any, low: Any, high: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Intervals of the way, with the outputs; z are the pre-activations of a layer."""
        slopes = self._slopes[layer]
        is_on, turns = _signs(z, low, high)
        factors = [pair[on] for pair, on in zip(slopes, is_on, strict=True)]
        scaled = [v * factors[k // 2] for k, v in enumerate(z.entries())]
        values = fmpz_mat(len(factors), 2, scaled)
        if layer + 1 == len(self._matrices):
            yield low, high, values
            return
        following = self._matrices[layer + 1] * values
        for t0, t1 in pairwise([low, *sorted(turns), high]):
            for unit in turns.get(t0, ()):
                step = (slopes[unit][1] - slopes[unit][0]) * (-1 if is_on[unit] else 1)
                row = fmpz_mat([[z[unit, 0] * step, z[unit, 1] * step]])
                following += self._columns[layer + 1][unit] * row
            yield from self._outputs(layer + 1, following, t0, t1)


def _signs(z: Any, low: Any, high: Any) -> tuple[list[bool], dict[Any, list[int]]]:
    """Which functions are positive just after `low`, and which change their sign where."""
    ends = z * fmpz_mat([[low.p, high.p], [low.q, high.q]])
    values = ends.entries()
    is_on, turns = [], dict[Any, list[int]]()
    for unit, (first, last) in enumerate(zip(values[::2], values[1::2], strict=True)):
        is_on.append(bool(first > 0 or (first == 0 and last > 0)))
        if (first > 0 and last < 0) or (first < 0 and last > 0):
            turns.setdefault(fmpq(-z[unit, 1], z[unit, 0]), []).append(unit)
    return is_on, turns


def _largest(outputs: Any, low: Any, high: Any) -> Iterator[tuple[Any, Label]]:
    """Where each label begins on an interval where the outputs are affine: their upper envelope."""
    lines = [(outputs[k, 0], outputs[k, 1]) for k in range(outputs.nrows() - 1)]
    t = low
    while True:
        # Just after t the largest is the steepest of those that are largest at t.
        best = max(lines, key=lambda line: (line[0] * t.p + line[1] * t.q, line[0]))
        yield t, tuple(k for k, line in enumerate(lines) if line == best)
        top = best[0] * high.p + best[1] * high.q
        if all(a * high.p + c * high.q <= top for a, c in lines):
            return
        t = min(fmpq(best[1] - c, a - best[0]) for a, c in lines if a > best[0])
