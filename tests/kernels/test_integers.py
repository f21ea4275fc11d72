"""What the compiled exact rung claims, against rational arithmetic, with its limits and without."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_kernels import plain_kernel

from plregions.exact.integers import primitive_row
from plregions.exact.lp import check_interior
from plregions.feasibility.exact_rung import multipliers_of
from plregions.feasibility.grains import row_grains
from plregions.kernels import integers
from plregions.kernels.layout import Units
from plregions.kernels.rows import layer_rows
from plregions.kernels.simplex import refactor, set_row

INF = float("inf")


EMPTY = plain_kernel(integers.empty_by_integers)


def cell(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    """Return constraint columns C, S, Z of exact rows, as the walk stores them."""
    table = np.array(rows, dtype=float)
    n, d = len(rows), len(rows[0]) - 1
    size = np.abs(table).sum(axis=1)
    C, E, S, Z = np.zeros((n, d + 1)), np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)
    put = plain_kernel(integers.put_whole_row)
    zeros = np.zeros(n, dtype=np.int64)
    for i in range(n):
        put(table, np.zeros(n), size, zeros, row_grains(table), i, 1.0, d, i, C, E, S, Z)
    return C, S, Z


def claims(rows: list[list[int]], T: Any, function: Any = EMPTY) -> bool:
    """Ask about the last row, over the others, of which the first d are the basis."""
    d, m = len(rows[0]) - 1, len(rows) - 1
    C, S, Z = cell(rows)
    return bool(function(T, C, S, Z, np.arange(d), d, m, m, 1.0, np.zeros(d + 1)))


def dictionary(rows: list[list[int]]) -> Any:
    """Return the dictionary of a basis of the first d rows; None when they are dependent."""
    d, m = len(rows[0]) - 1, len(rows)
    C, _, _ = cell(rows)
    T, col = np.zeros((d + m, d + 1), order="F"), np.append(np.arange(d), np.full(m - d, -1))
    if round(np.linalg.det(np.array([row[:d] for row in rows[:d]], dtype=float))) == 0:
        return None
    done = refactor(T, C, np.arange(d), col, d, m - 1, np.zeros((d, 2 * d)))
    set_row(T, C, np.arange(d), col, d, m - 1)
    return T if done else None


@st.composite
def cells(draw: Any, largest: int = 4) -> list[list[int]]:
    """A basis of small integer rows and a goal, often minus a combination of them."""
    d = draw(st.integers(1, largest))
    entry = st.integers(-4, 4)
    rows = [draw(st.lists(entry, min_size=d + 1, max_size=d + 1)) for _ in range(d)]
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 3), min_size=d, max_size=d))
        goal = [
            -sum(w * row[k] for w, row in zip(weights, rows, strict=True)) for k in range(d + 1)
        ]
        goal[-1] += draw(st.integers(-2, 1))
    else:
        goal = draw(st.lists(entry, min_size=d + 1, max_size=d + 1))
    return [*rows, goal]


@settings(max_examples=2000, deadline=None)
@given(cells())
def test_decides_as_the_rational_solve_of_the_basis(rows: list[list[int]]) -> None:
    T = dictionary(rows)
    if T is None or not any(rows[-1][:-1]):
        return
    assert claims(rows, T) == (multipliers_of([tuple(rows[-1])], rows[:-1]) != [None])


def test_both_answers_are_common() -> None:
    """Four thousand random cells."""
    rng = np.random.default_rng(0)
    found = [0, 0]
    for _ in range(4000):
        d = int(rng.integers(1, 5))
        basis = rng.integers(-3, 4, (d, d + 1))
        goal = -rng.integers(0, 3, d) @ basis
        goal[-1] -= rng.integers(-1, 2)
        rows = [*basis.tolist(), goal.tolist()]
        T = dictionary(rows)
        if T is not None and goal[:-1].any():
            right = multipliers_of([tuple(rows[-1])], rows[:-1]) != [None]
            assert claims(rows, T) == right
            found[right] += 1
    assert min(found) > 500


@settings(max_examples=1000, deadline=None)
@given(cells(), st.lists(st.sampled_from([-1.0, 0.0, 1e-20, 0.5, 1.0, 3.0, INF]), min_size=4))
def test_a_dictionary_that_lies_proves_nothing_false(rows: list[list[int]], y: list[float]) -> None:
    """Whatever multipliers are proposed, a branch that is called empty is."""
    d = len(rows[0]) - 1
    T = np.zeros((d + len(rows), d + 1), order="F")
    T[-1, :d] = [-v for v in y[:d]]
    if any(rows[-1][:-1]) and claims(rows, T):
        assert check_interior([tuple(row) for row in rows if any(row)]).point is None


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_without_the_magnitude_check_a_false_proof_is_made() -> None:
    """The goal 2**50 x - 4 y over y >= 0 is positive at (1, 0); 2**14 * 2**50 wraps to 0."""
    C = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -(2.0**-50), 0.0]])
    S = np.abs(C).sum(axis=1)
    Z = (np.array([0, 0, 50]) + 1) << integers.GRAIN_SHIFT
    T = np.zeros((5, 3), order="F")
    # In integers: D (2**50, -1) + y (0, 1) with D = y = 2**14.
    T[4, 0] = -(2.0**-50)
    arguments = (T, C, S, Z, np.arange(2), 2, 2, 2, 1.0, np.zeros(3))
    proposal = {"_denominator": lambda _: 2.0**14}
    careless = plain_kernel(integers.empty_by_integers, INTEGER_LIMIT=INF, **proposal)
    assert careless(*arguments)
    assert not plain_kernel(integers.empty_by_integers, **proposal)(*arguments)


def two_layers(rng: Any, bits: int) -> tuple[Units, Any, list[list[Fraction]]]:
    """A layer of dyadic rows and one unit that hears them; its true row."""
    width, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    top = 1 << bits
    rows = rng.integers(-top, top + 1, (width, d + 1)) / float(2 * top * (d + 1))
    weight = rng.integers(-top, top + 1, width) / float(2 * top * width)
    bias = float(rng.integers(-top, top + 1)) / (2 * top)
    zeros = np.zeros(width + 1)
    net = Units(
        layer_first=np.array([0, width, width + 1]),
        layer_of=np.append(np.zeros(width, dtype=np.int64), 1),
        weight_first=np.zeros(2, dtype=np.int64),
        weight=weight,
        bias=np.append(np.zeros(width), bias),
        weight_error=zeros,
        bias_error=zeros,
        bit=np.zeros(width + 1, dtype=np.int64),
        negative=zeros,
        positive=zeros + 1,
    )
    true = [Fraction(0)] * d + [Fraction(bias)]
    for w, row in zip(weight, rows, strict=True):
        true = [t + Fraction(float(w)) * Fraction(float(v)) for t, v in zip(true, row, strict=True)]
    return net, rows, [true]


def false_claims(function: Any) -> tuple[int, int]:
    """Count the deep rows that are called exact, and those of them that are not."""
    rng = np.random.default_rng(1)
    called = false = 0
    for _ in range(1500):
        net, first, (true,) = two_layers(rng, int(rng.integers(1, 40)))
        width, d = len(first), len(true) - 1
        rows = np.vstack([first, np.zeros(d + 1)])
        error, size = np.zeros(width + 1), np.zeros(width + 1)
        size[:width] = np.abs(first).sum(axis=1) * (1 + 1e-14)
        flags = np.zeros(width + 1, dtype=np.int64)
        slope = np.ones(width + 1)
        layer_rows(net, 1, d, slope, rows, error, size, flags)
        weights = np.append(net.weight, net.bias[width])[None, :]
        unit = np.append(row_grains(first), row_grains(weights))
        grain = np.append(unit[:width], integers.ROUNDED)
        no_slope = np.zeros(width + 1, dtype=np.int64)
        function(net, unit, no_slope, 1, d, slope, rows, error, size, flags, grain)
        if grain[width] >= 0:
            called += 1
            exact = [Fraction(float(v)) for v in rows[width]]
            is_grain = all((v * 2 ** int(grain[width])).denominator == 1 for v in exact)
            zeros = (not any(true[:-1])) | (not true[-1]) << 1
            false += exact != true or not is_grain or flags[width] != zeros
    return called, false


def test_rows_called_exact_are() -> None:
    called, false = false_claims(plain_kernel(integers.keep_exact_rows))
    assert called > 300
    assert false == 0


def test_rows_that_are_rounded_are_caught() -> None:
    careless = plain_kernel(integers.keep_exact_rows, FLOAT_LIMIT=INF, DEEPEST=1000)
    with np.errstate(invalid="ignore"):
        assert false_claims(careless)[1] > 0


def test_a_row_without_a_grain_proves_nothing() -> None:
    rows = [[1, 0, 0], [0, 1, 0], [-1, -2, 0]]
    T = dictionary(rows)
    assert claims(rows, T)
    C, S, Z = cell(rows)
    for i in range(3):
        flags = Z.copy()
        flags[i] = 0
        assert not EMPTY(T, C, S, flags, np.arange(2), 2, 2, 2, 1.0, np.zeros(3))
    for basis in ([-1, 1], [0, 2]):
        assert not EMPTY(T, C, S, Z, np.array(basis), 2, 2, 2, 1.0, np.zeros(3))


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=4))
def test_grains_are_the_least(values: list[float]) -> None:
    exact = [Fraction(v) for v in values]
    needed = max(v.denominator.bit_length() - 1 for v in exact)
    expected = needed if needed <= integers.FINEST else integers.ROUNDED
    assert row_grains(np.array([values]))[0] == expected


def test_stored_rows_keep_their_grain() -> None:
    table = np.array([[12.0, -4.0, 0.5]])
    C, E, S, Z = np.zeros((1, 3)), np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64)
    put = plain_kernel(integers.put_whole_row)
    put(table, np.zeros(1), np.array([16.5]), Z, row_grains(table), 0, -1.0, 2, 0, C, E, S, Z)
    grain = int(Z[0] >> integers.GRAIN_SHIFT) - 1
    whole = [int(v * 2**grain) for v in C[0]]
    assert primitive_row(whole) == [-24, 8, -1]
    assert [v / 2**grain for v in whole] == C[0].tolist()
