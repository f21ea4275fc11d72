"""A second checker of proof files, in Fractions and by recursion: the format is all it shares."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

import numpy as np

Layers = list[tuple[Any, Any, Any]]  # arrays (weight, bias, slopes) of float64 or of Fractions
Row = list[Fraction]

# What a file that is no proof may lead to.
WRONG = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def judge(path: Any, layers: Layers) -> tuple[bool, bool, int]:
    """(ok, complete, regions) of a proof file about a network."""
    try:
        replay = Replay(dict(np.load(path, allow_pickle=False)), layers)
        replay.cell((), [], {}, 0, len(replay.leaves))
        need(not replay.steps)
    except WRONG:
        return False, False, 0
    return True, len(replay.leaves) == len(replay.points), len(replay.points)


def need(condition: Any) -> None:
    if not condition:
        raise ValueError("not a proof")


class Replay:
    def __init__(self, a: dict[str, Any], layers: Layers) -> None:
        need((str(a["format"]), int(a["version"])) == ("plregions-proof", 1))
        facts = json.loads(str(a["header"]))
        self.layers = [tuple(exact(part) for part in layer) for layer in layers]
        self.places = [
            (k, u)
            for k, (_, _, slopes) in enumerate(self.layers)
            for u, (low, high) in enumerate(slopes)
            if low != high
        ]
        n_bits = len(self.places)
        need(facts["network"] == fingerprint(layers))
        self.start, self.walls, text = domain_of(facts["domain"])
        need(facts["domain_fingerprint"] == hashlib.sha256(text.encode()).hexdigest())
        need((facts["n_bits"], facts["n_walls"]) == (n_bits, len(self.walls)))
        bits = np.unpackbits(a["patterns"], axis=1)
        need(bits.shape[1] == (n_bits + 7) // 8 * 8 and not bits[:, n_bits:].any())
        self.leaves = [tuple(row[:n_bits].tolist()) for row in bits]
        for row, depth in zip(
            np.unpackbits(a["open_patterns"], axis=1), a["open_depth"].tolist(), strict=True
        ):
            need(depth <= n_bits and not row[depth:].any())
            self.leaves.append(tuple(row[:depth].tolist()))
        n = len(bits)
        need(self.leaves and all(a < b for a, b in zip(self.leaves, self.leaves[1:], strict=False)))
        need(facts["complete"] is (len(self.leaves) == n))
        need(facts["outcome"] != "COMPLETE" or facts["complete"])
        self.points = [point_of(u, facts) for u in points(a)]
        self.steps: dict[tuple[int, int], list[tuple[int, list[int]]]] = {}
        need(a["step_count"].sum() == len(a["step_bit"]) and len(a["step_count"]) == n)
        regions = np.repeat(np.arange(n), a["step_count"]).tolist()
        order = list(zip(regions, a["step_depth"].tolist(), a["step_bit"].tolist(), strict=True))
        need(order == sorted(set(order)))
        for (region, depth, bit), row in zip(order, a["step_rows"].tolist(), strict=True):
            numbers = [v for v in row if v != n_bits + len(self.walls)]
            need(numbers == sorted(set(numbers)))
            self.steps.setdefault((region, depth), []).append((bit, numbers))
        self.kept: dict[Any, list[Row]] = {}

    def rows(self, layer: int, bits: tuple[int, ...]) -> list[Row]:
        """Pre-activations of a layer under the bits of the layers before."""
        key = layer, tuple(bits[: sum(k < layer for k, _ in self.places)])
        if key not in self.kept:
            below = self.start
            if layer:
                slopes = self.layers[layer - 1][2]
                on = {u: b for (k, u), b in zip(self.places, bits, strict=False) if k == layer - 1}
                rows = enumerate(self.rows(layer - 1, bits))
                below = [[slopes[u][on.get(u, 0)] * v for v in row] for u, row in rows]
            weight, bias, _ = self.layers[layer]
            self.kept[key] = [affine(w, c, below) for w, c in zip(weight, bias, strict=True)]
        return self.kept[key]

    def cell(
        self, bits: tuple[int, ...], rows: list[Row], known: dict[int, int], lo: int, hi: int
    ) -> None:
        """Check the cell of some bits, which holds leaves lo .. hi - 1."""
        depth = len(bits)
        need(hi > lo)
        if len(self.leaves[lo]) == depth:
            need(hi == lo + 1)
            if lo < len(self.points):
                self.point(bits, self.points[lo])
            return
        known = dict(known)
        for bit, numbers in self.steps.pop((lo, depth), []):
            layer, unit = self.places[bit]
            first = sum(k < layer for k, _ in self.places)
            need(first <= depth <= bit and bit not in known)
            own = self.rows(layer, bits)[unit]
            known[bit] = self.leaves[lo][bit]
            if not any(own[:-1]):
                continue
            need(all(k < depth or k >= len(self.places) for k in numbers))
            named = [rows[k] if k < depth else self.walls[k - len(self.places)] for k in numbers]
            need(all(any(row[:-1]) for row in named))
            need(exclude([*named, [-v for v in own] if known[bit] else own]))
        layer, unit = self.places[depth]
        row = self.rows(layer, bits)[unit]
        constant = None if any(row[:-1]) else int(row[-1] > 0)
        only = known.get(depth) if constant is None else constant
        middle = next((i for i in range(lo, hi) if self.leaves[i][depth]), hi)
        if only != 1:
            self.cell((*bits, 0), [*rows, [-v for v in row]], known, lo, middle)
        if only != 0:
            self.cell((*bits, 1), [*rows, row], known, middle, hi)
        need(only is None or middle == (hi if only == 0 else lo))

    def point(self, bits: tuple[int, ...], x: Row) -> None:
        need(len(x) == len(self.start[0]) - 1 and all(value(row, x) > 0 for row in self.walls))
        for (layer, unit), bit in zip(self.places, bits, strict=True):
            row = self.rows(layer, bits)[unit]
            at = value(row, x)
            need(at > 0 if bit else at < 0 or not any(row))


def exact(array: Any) -> Any:
    return [exact(v) for v in array] if np.ndim(array) else Fraction(array)


def value(row: Row, x: Row) -> Fraction:
    return sum((a * v for a, v in zip(row, x, strict=False)), row[-1])


def affine(weights: Row, bias: Fraction, rows: list[Row]) -> Row:
    total = [Fraction(0)] * (len(rows[0]) - 1) + [bias]
    for w, row in zip(weights, rows, strict=True):
        total = [t + w * v for t, v in zip(total, row, strict=True)] if w else total
    return total


def exclude(rows: list[Row]) -> bool:
    """Whether the multipliers that the rows determine prove that not all can be positive."""
    d = len(rows[0]) - 1
    for height in (d, d + 1):
        y = only_solution([[row[k] for row in rows] for k in range(height)], len(rows))
        if y is not None:
            sign = 1 if max(y) > 0 else -1
            total = sum(v * row[-1] for v, row in zip(y, rows, strict=True))
            return min(v * sign for v in y) >= 0 and total * sign <= 0
    return False


def only_solution(equations: list[Row], n: int) -> Row | None:
    """The solution up to scale of homogeneous equations, None if there is not exactly one."""
    lines, pivots = [list(line) for line in equations], []
    for column in range(n):
        lead = next((i for i in range(len(pivots), len(lines)) if lines[i][column]), None)
        if lead is None:
            continue
        top = len(pivots)
        lines[top], lines[lead] = lines[lead], lines[top]
        lines[top] = [v / lines[top][column] for v in lines[top]]
        for i, line in enumerate(lines):
            if i != top and line[column]:
                factor = line[column]
                lines[i] = [v - factor * w for v, w in zip(line, lines[top], strict=True)]
        pivots.append(column)
    free = [column for column in range(n) if column not in pivots]
    if len(free) != 1:
        return None
    y = [Fraction(int(column == free[0])) for column in range(n)]
    for line, column in zip(lines, pivots, strict=False):
        y[column] = -line[free[0]]
    return y


def points(a: dict[str, Any]) -> list[Row]:
    """The regions' local points."""
    need(len(a["points"]) == len(a["patterns"]) and a["points"].dtype == np.float64)
    index = a["exact_index"].tolist()
    need(index == sorted(set(index)) and all(0 <= i < len(a["points"]) for i in index))
    texts = dict(zip(index, a["exact_points"].tolist(), strict=True))
    return [exact(texts.get(i, u)) for i, u in enumerate(a["points"].tolist())]


def point_of(u: Row, facts: dict[str, Any]) -> Row:
    weight = Fraction(1)
    need(isinstance(facts["projective"], bool))
    if facts["projective"]:
        *u, weight = u
        need(weight > 0)
    middle, scale = exact(facts["middle"]), exact(facts["scale"])
    return [m + s * v / weight for m, s, v in zip(middle, scale, u, strict=True)]


def domain_of(data: dict[str, Any]) -> tuple[list[Row], list[Row], str]:
    """Inputs as functions of the domain's coordinates, its rows, the text of its fingerprint."""
    inner = data["domain"] if data["type"] == "slice" else data
    if inner["type"] == "box":
        lower, upper = exact(inner["lower"]), exact(inner["upper"])
        d = len(lower)
        walls = [
            w for k in range(d) for w in ([*unit(d, k), -lower[k]], [*unit(d, k, -1), upper[k]])
        ]
        text = spelt("Box", lower, upper)
    elif inner["type"] == "polytope":
        d = inner["dim"]
        pairs = zip(exact(inner["A"]), exact(inner["b"]), strict=True)
        walls = [[*[-v for v in normal], right] for normal, right in pairs]
        text = spelt("Polytope", *walls) if walls else f"Polytope R^{d}"
    else:
        need(inner["type"] == "whole_space")
        d, walls = inner["dim"], []
        text = spelt("WholeSpace", [Fraction(d)])
    need(all(len(wall) == d + 1 for wall in walls))
    start = [[*unit(d, k), Fraction(0)] for k in range(d)]
    if data["type"] == "slice":
        origin, directions = exact(data["origin"]), exact(data["directions"])
        start = [[*[v[k] for v in directions], c] for k, c in enumerate(origin)]
        text = spelt("Slice", origin, *directions) + text
        need(len(directions) == d)
    return start, walls, text


def unit(d: int, k: int, entry: int = 1) -> Row:
    return [Fraction(entry * int(i == k)) for i in range(d)]


def spelt(name: str, *vectors: Row) -> str:
    return f"{name} " + " ".join(" ".join(["", *map(str, vector)]) for vector in vectors)


def fingerprint(layers: Layers) -> str:
    digest = hashlib.sha256(b"plregions-network 1\n")
    for array in (part for layer in layers for part in layer):
        digest.update(f"{array.dtype.kind}{array.shape}\n".encode())
        floats = array.dtype == np.float64
        digest.update(array.tobytes() if floats else "\n".join(map(str, array.flat)).encode())
    return digest.hexdigest()
