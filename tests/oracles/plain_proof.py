"""A second checker of proof files, in Fractions and by recursion: the format is all it shares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

Layers = list[tuple[Any, Any, Any]]  # arrays (weight, bias, slopes) of float64 or of Fractions
Bits = tuple[int, ...]

# What a file that is no proof may lead to.
WRONG = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
exact = np.vectorize(Fraction, otypes=[object])  # a row is an array of Fractions, its constant last


def judge(path: Any, net: Any) -> tuple[bool, bool, int]:
    """(ok, complete, regions) of a proof file about a network."""
    layers = [(layer.weight, layer.bias, layer.slopes) for layer in net.layers]
    try:
        return True, *replayed(dict(np.load(path, allow_pickle=False)), layers)
    except WRONG:
        return False, False, 0


def need(condition: Any) -> None:
    if not condition:
        raise ValueError("not a proof")


def replayed(a: dict[str, Any], layers: Layers) -> tuple[bool, int]:
    """(complete, regions) of a proof; an error if it is none."""
    need((str(a["format"]), int(a["version"])) == ("plregions-proof", 1))
    facts = json.loads(str(a["header"]))
    need(facts["network"] == fingerprint(layers))
    start, walls, text = domain_of(facts["domain"])
    need(facts["domain_fingerprint"] == hashlib.sha256(text.encode()).hexdigest())
    net = [tuple(map(exact, layer)) for layer in layers]
    n_bits = sum(low != high for *_, slopes in net for low, high in slopes)
    need((facts["n_bits"], facts["n_walls"]) == (n_bits, len(walls)))
    points = points_of(a, facts, start.shape[1] - 1)
    n = len(points)
    leaves = prefixes(a["patterns"], [n_bits] * n, n_bits)
    leaves += prefixes(a["open_patterns"], a["open_depth"].tolist(), n_bits)
    need(leaves and leaves == sorted(set(leaves)))
    need(facts["complete"] is (len(leaves) == n))
    need(facts["outcome"] != "COMPLETE" or facts["complete"])
    need(len(a["step_count"]) == n and a["step_count"].sum() == len(a["step_bit"]))
    columns = np.repeat(np.arange(n), a["step_count"]), a["step_depth"], a["step_bit"]
    order = list(zip(*[column.tolist() for column in columns], strict=True))
    need(order == sorted(set(order)))
    steps = dict(zip(order, a["step_rows"].tolist(), strict=True))

    def check(bits: Bits, held: dict[int, Any], known: Any, rows: Any, lo: int, hi: int) -> None:
        """See that the cell of some bits holds the leaves lo .. hi - 1 and no other region.

        `held`: the rows that are positive in it, by number; `known`: bits that steps have proved.
        """
        depth = len(bits)
        need(lo < hi)
        if len(leaves[lo]) == depth:
            need(hi == lo + 1 and (lo >= n or inside(points[lo], held.values())))
            return
        rows = rows if depth < len(rows) else rows_under(bits, start, net)
        for k in range(depth, len(rows)):
            if (lo, depth, k) in steps:
                need(k not in known)
                known = {**known, k: leaves[lo][k]}
                numbers = [i for i in steps.pop((lo, depth, k)) if i != n_bits + len(walls)]
                need(numbers == sorted(set(numbers)))
                if rows[k][:-1].any():
                    named = [held[i] for i in numbers]
                    need(all(row[:-1].any() for row in named))
                    need(exclude([*named, -rows[k] if known[k] else rows[k]]))
        own = rows[depth]
        only = known.get(depth) if own[:-1].any() else int(own[-1] > 0)
        middle = next((i for i in range(lo, hi) if leaves[i][depth]), hi)
        for bit, row, first, last in ((0, -own, lo, middle), (1, own, middle, hi)):
            if only in (None, bit):
                more = {depth: row} if own[:-1].any() else {}  # constants prove nothing
                check((*bits, bit), held | more, known, rows, first, last)
            else:
                need(first == last)

    check((), dict(enumerate(walls, n_bits)), {}, [], 0, len(leaves))
    need(not steps)
    return len(leaves) == n, n


def rows_under(bits: Bits, start: Any, net: Any) -> list[Any]:
    """The neurons' rows, up to those of the first layer that the bits do not fill."""
    found: list[Any] = []
    below, given = start, iter(bits)
    for weight, bias, slopes in net:
        rows = weight @ below
        rows[:, -1] += bias
        units = list(zip(rows, slopes, strict=True))
        found += [row for row, (low, high) in units if low != high]
        if len(found) > len(bits):
            break
        below = [row * (high if low != high and next(given) else low) for row, (low, high) in units]
    return found


def inside(x: Any, rows: Iterable[Any]) -> bool:
    return all(row @ [*x, 1] > 0 for row in rows)


def exclude(rows: list[Any]) -> bool:
    """Whether the multipliers that the rows determine prove that not all can be positive."""
    n, width = len(rows), len(rows[0])
    for columns in (range(width - 1), range(width)):
        left = list(np.hstack([rows, np.eye(n, dtype=object)]))
        for c in columns:
            lead = next((line for line in left if line[c]), None)
            if lead is not None:
                left = [v - lead * (v[c] / lead[c]) for v in left if v is not lead]
        if len(left) == 1:  # the one combination of the rows that is 0 in these columns
            line = left[0] if max(left[0][width:]) > 0 else -left[0]
            return bool(min(line[width:]) >= 0 and line[width - 1] <= 0)
    return False


def prefixes(packed: Any, depths: list[int], n_bits: int) -> list[Bits]:
    rows = np.unpackbits(packed, axis=1)
    need(rows.shape[1] == (n_bits + 7) // 8 * 8)
    pairs = list(zip(rows.tolist(), depths, strict=True))
    need(all(depth <= n_bits and not any(bits[depth:]) for bits, depth in pairs))
    return [tuple(bits[:depth]) for bits, depth in pairs]


def points_of(a: dict[str, Any], facts: dict[str, Any], dim: int) -> Any:
    """The regions' points in the domain's coordinates."""
    u, index = a["points"].astype(object), a["exact_index"].tolist()
    need(a["points"].dtype == np.float64 and index == sorted({i for i in index if i >= 0}))
    need(a["exact_points"].shape == u[index].shape)
    u[index] = a["exact_points"]
    u, middle, scale = map(exact, (u, facts["middle"], facts["scale"]))
    has_weight = facts["projective"]
    need(isinstance(has_weight, bool) and u.shape[1] == dim + has_weight)
    need(middle.shape == scale.shape == (dim,) and (u[:, dim:] > 0).all())
    return middle + scale * u[:, :dim] / (u[:, dim:] if has_weight else 1)


def domain_of(data: dict[str, Any]) -> tuple[Any, Any, str]:
    """Inputs as functions of the domain's coordinates, its rows, the text of its fingerprint."""
    inner = data["domain"] if data["type"] == "slice" else data
    d = len(inner["lower"]) if inner["type"] == "box" else inner["dim"]
    start = np.eye(d, d + 1, dtype=object)
    if inner["type"] == "box":
        lower, upper = exact(inner["lower"]), exact(inner["upper"])
        below, above = np.c_[start[:, :d], -lower], np.c_[-start[:, :d], upper]
        walls, text = np.hstack([below, above]).reshape(-1, d + 1), spelt("Box", lower, upper)
    elif inner["type"] == "polytope":
        walls = np.c_[-exact(inner["A"]).reshape(-1, d), exact(inner["b"])]
        text = spelt("Polytope", *walls) if len(walls) else f"Polytope R^{d}"
    else:
        need(inner["type"] == "whole_space")
        walls, text = start[:0], spelt("WholeSpace", [d])
    if data["type"] == "slice":
        origin, directions = exact(data["origin"]), exact(data["directions"])
        need(len(directions) == d)
        start, text = np.c_[directions.T, origin], spelt("Slice", origin, *directions) + text
    return start, walls, text


def spelt(name: str, *vectors: Any) -> str:
    return name + "".join("  " + " ".join(map(str, vector)) for vector in vectors)


def fingerprint(layers: Layers) -> str:
    digest = hashlib.sha256(b"plregions-network 1\n")
    for array in (part for layer in layers for part in layer):
        digest.update(f"{array.dtype.kind}{array.shape}\n".encode())
        floats = array.dtype == np.float64
        digest.update(array.tobytes() if floats else "\n".join(map(str, array.flat)).encode())
    return digest.hexdigest()
