"""Multipliers that are known to be 0, against systems that are solved in rationals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from oracles.plain_kernels import plain_kernel
from oracles.plain_regions import plain_regions
from oracles.small_networks import without_bias

import plregions as plr
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.prepare import Prepared, prepare
from plregions.kernels import spans
from plregions.kernels.rows import LINEAR_ZERO

SHAPES = [[3, 4, 4, 1], [4, 3, 5, 1], [4, 5, 4, 4, 1], [5, 4, 4, 4, 1], [3, 3, 2, 3, 3, 1]]


def narrow(seed: int) -> plr.Network:
    """A network with layers narrow enough to lose dimensions; every second one without biases."""
    rng = np.random.default_rng(seed)
    widths = SHAPES[seed % len(SHAPES)]
    slopes: list[Any] = [(0, 1), (0, 1), (0.25, 1), (1, 1)] if seed % 3 == 0 else [(0, 1)]
    layers: list[Any] = []
    for n_in, n_out in zip(widths, widths[1:], strict=False):
        weight = (
            rng.integers(-4, 5, (n_out, n_in)) if seed % 5 == 0 else rng.normal(size=(n_out, n_in))
        )
        bias = rng.normal(size=n_out) * (seed % 2)
        chosen = [slopes[int(rng.integers(len(slopes)))] for _ in range(n_out)]
        layers.append((weight, bias, chosen))
    return plr.Network([*layers[:-1], (*layers[-1][:2], [(1, 1)] * widths[-1])])


def exact_multipliers(rows: list[Any], goal: Any) -> list[Any] | None:
    """The y with sum y_j row_j = -goal in the linear parts; None for dependent rows."""
    d = len(rows)
    transposed = fmpq_mat(d, d, [fmpq(int(row[k])) for k in range(d) for row in rows])
    try:
        solved = transposed.solve(fmpq_mat(d, 1, [fmpq(-int(v)) for v in goal[:d]]))
    except ZeroDivisionError:
        return None
    return [solved[j, 0] for j in range(d)]


def marks(p: Prepared, mark: Any, seed: int, n: int) -> list[tuple[set[int], set[int]]]:
    """For random bits and bases, which multipliers are 0 and which are marked."""
    rng = np.random.default_rng(seed)
    exact, units, d = ExactRows(p), p.units, p.dim
    unit_of_bit = np.flatnonzero(units.bit >= 0)
    found = []
    for _ in range(n):
        bits = rng.integers(0, 2, p.n_bits, dtype=np.uint8)
        slope = units.positive.copy()
        own = units.positive[unit_of_bit], units.negative[unit_of_bit]
        slope[unit_of_bit] = np.where(bits, *own)
        unit = int(rng.choice(unit_of_bit))
        below = [int(u) for u in unit_of_bit if u < unit]
        rows = {u: exact.row(u, bits) for u in range(len(slope))}
        flags = np.array([0 if any(row[:-1]) else LINEAR_ZERO for row in rows.values()])
        labels = np.array([*below, *(-1 - i for i in range(len(p.wall_rows)))])
        nb = rng.permutation(len(labels))[:d]
        if len(nb) < d:
            continue
        basis = [rows[k] if k >= 0 else p.wall_rows[-1 - k] for k in labels[nb].tolist()]
        y = exact_multipliers(basis, rows[unit])
        if y is None:
            continue
        T = np.zeros((d + len(labels) + 1, d + 2), order="F")
        unneeded = np.zeros(d, dtype=np.uint8)
        m = len(labels)
        mark(units, units.layer_of[unit], slope, flags, labels, T, nb, d, m, m, 1.0, unneeded)
        found.append(({j for j in range(d) if y[j] == 0}, set(np.flatnonzero(unneeded).tolist())))
    return found


def all_marks(mark: Any) -> list[tuple[set[int], set[int]]]:
    cubes = {d: plr.hypercube(d, -1, 1) for d in (3, 4, 5)}
    nets = [narrow(seed) for seed in range(30)]
    return [
        pair
        for seed, net in enumerate(nets)
        for pair in marks(prepare(net, cubes[net.input_dim]), mark, seed, 60)
    ]


def test_marked_multipliers_are_zero() -> None:
    found = all_marks(plain_kernel(spans.mark_unneeded))
    assert all(marked <= zero for zero, marked in found)
    assert sum(len(marked) for _, marked in found) > 300


@pytest.mark.parametrize("fault", ["inactive rows", "shallow rows"])
def test_rows_counted_that_are_not_spanned_are_caught(fault: str) -> None:
    """Planted faults: inactive rows count as active ones; rows of earlier layers as later ones."""

    def careless(slope: Any, label: Any, i: int, m: int, first: int, last: int) -> bool:
        if fault == "inactive rows":
            return bool(label[i] >= first)
        return bool(label[i] >= 0 and (label[i] >= last or slope[label[i]] != 0.0))

    found = all_marks(plain_kernel(spans.mark_unneeded, _is_spanned=careless))
    assert any(not marked <= zero for zero, marked in found)


def test_large_multipliers_are_not_looked_at() -> None:
    p = prepare(narrow(1), plr.hypercube(4, -1, 1))
    T, unneeded = np.full((20, 6), -1.0, order="F"), np.ones(4, dtype=np.uint8)
    labels, flags = np.arange(10), np.zeros(20, dtype=np.int64)
    mark = plain_kernel(spans.mark_unneeded)
    left = mark(
        p.units, 1, p.units.positive, flags, labels, T, np.arange(4), 4, 10, 10, 1.0, unneeded
    )
    assert left == 4 and not unneeded.any()


@pytest.mark.parametrize("widths", ["4-5-4-1", "3-4-4-1", "4-3-3-3-1"])
def test_narrow_networks_without_biases_need_no_rationals(widths: str) -> None:
    net = without_bias(plr.mlp(widths))
    cube = plr.hypercube(net.input_dim, -1, 1)
    regions = plr.enumerate_regions(net, cube, strategy="tree")
    assert regions.pattern_strings() == sorted(plain_regions(net, cube))
    assert regions.statistics["exact"] == 0
    proved = plr.enumerate_regions(net, cube, proof=True)
    assert proved.proof is not None
    check = plr.verify(proved.proof, net)
    assert (check.ok, check.regions) == (True, len(regions))


def test_multipliers_of_whole_numbers() -> None:
    """A basis by hand: two active rows of layer 1 span row 4 of layer 2; two walls take no part."""
    net = plr.Network([
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, -1]], [0] * 4),
        ([[-1, -1, 5, 7]], [0], "relu"),
    ])  # fmt: skip
    p = prepare(net, plr.hypercube(4, -1, 1))
    slope = np.array([1.0, 1.0, 0.0, 0.0, 1.0])
    labels = np.array([0, 1, 2, 3, -1])
    unneeded = np.zeros(4, dtype=np.uint8)
    T = np.zeros((12, 6), order="F")
    mark = plain_kernel(spans.mark_unneeded)
    flags = np.zeros(5, dtype=np.int64)
    mark(p.units, 1, slope, flags, labels, T, np.arange(4), 4, 5, 5, 1.0, unneeded)
    assert unneeded.tolist() == [0, 0, 1, 1]
    y = exact_multipliers(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, -1], [0, 0, -1, 1]], [-1, -1, 0, 0]
    )
    assert y == [1, 1, 0, 0]
