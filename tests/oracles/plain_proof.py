"""A second checker of proof files, in Fractions and by recursion: the format is all it shares."""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np

exact = np.vectorize(Fraction, otypes=[object])  # a row is an array of Fractions, its constant last


def judge(path: Any, net: Any) -> tuple[bool, bool, int]:
    """(ok, complete, regions) of a proof file about a network."""
    try:
        return True, *replayed(dict(np.load(path, allow_pickle=False)), net)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return False, False, 0


def replayed(a: dict[str, Any], net: Any) -> tuple[bool, int]:
    """(complete, regions) of a proof; an error if it is none."""
    assert (str(a["format"]), int(a["version"])) == ("plregions-proof", 1)
    facts = json.loads(str(a["header"]))
    domain, n_bits, outcome = [facts[name] for name in ("domain", "n_bits", "outcome")]
    assert facts["network"] == net.fingerprint
    assert facts["domain_fingerprint"] == sha256(json.dumps(domain).encode()).hexdigest()
    layers = [tuple(map(exact, (layer.weight, layer.bias, layer.slopes))) for layer in net.layers]
    assert n_bits == sum(low != high for *_, slopes in layers for low, high in slopes)
    n_inputs, rows = len(domain["inputs"]), exact([*domain["inputs"], *domain["walls"]])
    inputs, walls, dim = rows[:n_inputs], rows[n_inputs:], rows.shape[1] - 1
    assert 0 < dim <= n_inputs == layers[0][0].shape[1] and walls[:, :-1].any(axis=1).all()
    # The leaves of the tree: n regions, then open branches.
    packed, n = np.concatenate([a["patterns"], a["open_patterns"]]), len(a["patterns"])
    depths = [n_bits] * n + a["open_depth"].tolist()
    pairs = list(zip(np.unpackbits(packed, axis=1).tolist(), depths, strict=True))
    assert packed.shape[1] == (n_bits + 7) // 8 and not any(any(bits[d:]) for bits, d in pairs)
    leaves = [tuple(bits[:d]) for bits, d in pairs]
    assert leaves == sorted(set(leaves)) and n == len(a["points"]) == len(a["step_count"])
    assert isinstance(outcome, str) and (len(leaves) == n or outcome != "COMPLETE")
    # The regions' points as (x, 1) times a positive number.
    u, index = a["points"].astype(object), a["exact_index"].tolist()
    assert a["points"].dtype == np.float64 and index == sorted({i for i in index if i >= 0})
    assert a["exact_points"].shape == u[index].shape
    u[index] = a["exact_points"]
    u, (middle, scale) = exact(u), exact([facts["middle"], facts["scale"]])
    weight = u[:, dim:].prod(axis=1, keepdims=True)  # the last coordinate, or 1
    assert dim == len(scale) and u.shape[1] in (dim, dim + 1) and (weight > 0).all()
    points = np.hstack([middle * weight + scale * u[:, :dim], weight])
    # The rows that each step names, by region, depth and bit.
    place = np.c_[np.repeat(np.arange(n), a["step_count"]), a["step_depth"], a["step_bit"]]
    steps = dict(zip(map(tuple, place.tolist()), a["step_rows"].tolist(), strict=True))
    assert list(steps) == sorted(steps) and len(steps) == len(place)

    def check(bits: Any, group: list[int], rows: Any, held: dict[int, Any], known: Any) -> None:
        """See that the cell of some bits holds the leaves of a group and no other region."""
        # rows: the neurons'; held: those positive in the cell, by number; known: bits with a step.
        depth, first = len(bits), group[0]
        if leaves[first] == bits:
            assert group == [first]
            assert first >= n or all(row @ points[first] > 0 for row in held.values())
            return
        rows = rows if depth < len(rows) else rows_under(bits, inputs, layers)
        for k in [k for k in range(depth, len(rows)) if (first, depth, k) in steps]:
            numbers = [i for i in steps.pop((first, depth, k)) if i != n_bits + len(walls)]
            assert k not in known
            known = {**known, k: leaves[first][k]}
            if rows[k][:-1].any():
                assert numbers == sorted(set(numbers))
                assert exclude([*[held[i] for i in numbers], -rows[k] if known[k] else rows[k]])
        row, varies = rows[depth], rows[depth][:-1].any()  # a constant has one sign, proves nothing
        only = known.get(depth) if varies else int(row[-1] > 0)
        sides = {0, 1} if only is None else {only}
        assert {leaves[i][depth] for i in group} == sides
        for bit in sides:
            more = {depth: row if bit else -row} if varies else {}
            side = [i for i in group if leaves[i][depth] == bit]
            check((*bits, bit), side, rows, held | more, known)

    check((), list(range(len(leaves))), [], dict(enumerate(walls, n_bits)), {})
    assert not steps
    return len(leaves) == n, n


def rows_under(bits: tuple[int, ...], inputs: Any, layers: Any) -> list[Any]:
    """The neurons' rows, up to those of the first layer that the bits do not fill."""
    found, below, given = [], inputs, iter(bits)
    for weight, bias, slopes in layers:
        rows = weight @ below
        rows[:, -1] += bias
        units = list(zip(rows, slopes, strict=True))
        found += [row for row, (low, high) in units if low != high]
        if len(found) > len(bits):
            break
        below = [row * (high if low != high and next(given) else low) for row, (low, high) in units]
    return found


def exclude(rows: list[Any]) -> bool:
    """Whether the multipliers that the rows determine prove that not all can be positive."""
    width = len(rows[0])
    left = list(np.c_[rows, np.eye(len(rows), dtype=object)])  # combinations and their multipliers
    for c in range(width):
        if c < width - 1 or len(left) > 1:
            zero, other = [v for v in left if not v[c]], [v for v in left if v[c]]
            left = zero + [v - other[0] * (v[c] / other[0][c]) for v in other[1:]]
    [line] = left  # an error where they are not determined
    return any((s * line[width:] >= 0).all() and s * line[width - 1] <= 0 for s in (1, -1))
