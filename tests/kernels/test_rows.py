"""The rows of a layer and their proved errors, against the same rows in exact arithmetic.

Every check is made of two halves: the kernel passes it, and a kernel with a part of its bound
taken out does not. The second half shows that the check can see the mistake.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracles.plain_kernels import plain_kernel

from plregions.kernels import rows as kernel
from plregions.kernels.layout import Units

ULP = 2.0**-53


class Case(NamedTuple):
    """A layer of floats, the true numbers behind them, and what is known of the layer before."""

    weight: Any  # (1, width)
    bias: float
    weight_error: float
    bias_error: float
    slope: Any  # (width,)
    rows: Any  # (width, d + 1)
    error: Any
    true_weight: list[Fraction]
    true_bias: Fraction
    true_slope: list[Fraction]
    true_rows: list[list[Fraction]]


def norm(row: list[Fraction]) -> Fraction:
    return sum((abs(v) for v in row), Fraction(0))


def make(seed: int) -> Case:
    """Layers where errors of one kind outweigh all others, each kind in turn."""
    rng = np.random.default_rng(seed)
    width, d = int(rng.choice([1, 2, 3, 40, 120])), int(rng.integers(1, 4))
    kind = seed % 5
    weight = rng.uniform(-1, 1, width) / width
    bias = float(rng.uniform(-1, 1))
    slope = rng.choice([0.0, 1.0, -1.0, 0.01], width)
    rows = rng.uniform(-1, 1, (width, d + 1)) / (d + 1)
    error = np.zeros(width)
    weight_error = bias_error = 0.0
    true_slope = [Fraction(float(v)) for v in slope]
    true_rows = [[Fraction(float(v)) for v in row] for row in rows]
    if kind == 0:  # many terms, each of which is lost beside the bias
        bias, slope = 0.75, np.ones(width)
        weight, rows = np.full(width, 0.5 * ULP), np.zeros((width, d + 1))
        rows[:, d] = 0.5
        true_slope = [Fraction(1)] * width
        true_rows = [[Fraction(float(v)) for v in row] for row in rows]
    true_weight = [Fraction(float(v)) for v in weight]
    true_bias = Fraction(bias)
    if kind == 1:  # weights and biases that were rounded
        weight_error, bias_error = 2.0**-40, 2.0**-41
        true_weight = [w + Fraction(weight_error) * int(rng.choice([-1, 1])) for w in true_weight]
        true_bias += Fraction(bias_error)
    if kind == 2:  # rows that are not exact themselves
        error = rng.uniform(0, 2.0**-38, width)
        for row, e in zip(true_rows, error, strict=True):
            row[int(rng.integers(d + 1))] += Fraction(float(e)) * int(rng.choice([-1, 1]))
    if kind == 3:  # slopes that are no floats
        exact = [Fraction(int(n), int(m)) for n, m in rng.integers(1, 9, (width, 2))]
        true_slope = [v / 8 for v in exact]
        slope = np.array([float(v) for v in true_slope])
    return Case(
        weight[None, :], bias, weight_error, bias_error, slope, rows, error,
        true_weight, true_bias, true_slope, true_rows,
    )  # fmt: skip


def one_unit(weight: Any, bias: float, weight_error: float, bias_error: float) -> Units:
    """Return a network whose layer 1 is one unit that hears ``width`` units of layer 0."""
    width = weight.size

    def column(value: float) -> Any:
        return np.append(np.zeros(width), value)

    index = np.zeros(width + 1, dtype=np.int64)
    return Units(
        layer_first=np.array([0, width, width + 1]),
        layer_of=np.append(index[:width], 1),
        weight_first=np.zeros(2, dtype=np.int64),
        weight=np.ascontiguousarray(weight, dtype=np.float64).ravel(),
        bias=column(bias),
        weight_error=column(weight_error),
        bias_error=column(bias_error),
        bit=index,
        negative=column(0.0),
        positive=column(1.0),
    )


def run(function: Any, case: Case) -> tuple[Any, float, float, int]:
    """Return the row, its error, its size and its flags as the kernel sees them."""
    width, columns = case.rows.shape
    rows = np.zeros((width + 1, columns))
    rows[:width] = case.rows
    error, size = np.zeros(width + 1), np.zeros(width + 1)
    error[:width] = case.error
    size[:width] = np.abs(case.rows).sum(axis=1) * (1 + 1e-14)
    flags = np.zeros(width + 1, dtype=np.int64)
    slope = np.append(case.slope, 1.0)
    net = one_unit(case.weight, case.bias, case.weight_error, case.bias_error)
    function(net, 1, columns - 1, slope, rows, error, size, flags)
    return rows[width], float(error[width]), float(size[width]), int(flags[width])


def is_bounded(case: Case, found: tuple[Any, float, float, int]) -> bool:
    """Tell whether the error bounds the distance to the true row, and the size the row."""
    row, error, size, _ = found
    true = [Fraction(0)] * (len(row) - 1) + [case.true_bias]
    for w, s, below in zip(case.true_weight, case.true_slope, case.true_rows, strict=True):
        true = [t + w * s * b for t, b in zip(true, below, strict=True)]
    exact = [Fraction(float(v)) for v in row]
    distance = norm([a - b for a, b in zip(exact, true, strict=True)])
    return distance <= Fraction(error) and norm(exact) <= Fraction(size)


@pytest.mark.parametrize("kind", range(5))
def test_error_bounds_the_distance_to_the_true_row(kind: int) -> None:
    for seed in range(kind, 200, 5):
        case = make(seed)
        assert is_bounded(case, run(kernel.layer_rows, case)), f"seed {seed}"


def test_bias_takes_part_in_every_rounding() -> None:
    width = 64
    rows = np.zeros((width, 2))
    rows[:, 1] = 1.0
    weight, bias = np.full((1, width), 0.5 * ULP), 0.9
    case = Case(
        weight, bias, 0.0, 0.0, np.ones(width), rows, np.zeros(width),
        [Fraction(0.5 * ULP)] * width, Fraction(bias), [Fraction(1)] * width,
        [[Fraction(0), Fraction(1)]] * width,
    )  # fmt: skip
    assert is_bounded(case, run(kernel.layer_rows, case))


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (0, {"EPS": 0.0}),
        (4, {"EPS": 0.0}),
        (1, {"weight_error": 0.0}),
        (1, {"bias_error": 0.0}),
        (2, {"error": 0.0}),
    ],
)
def test_a_bound_without_one_of_its_parts_is_caught(kind: int, fault: dict[str, float]) -> None:
    caught = 0
    for seed in range(kind, 100, 5):
        case = make(seed)
        if "EPS" in fault:
            found = run(plain_kernel(kernel.layer_rows, **fault), case)
        else:
            given: dict[str, Any] = dict(fault)
            if "error" in given:
                given["error"] = np.zeros(len(case.error))
            found = run(kernel.layer_rows, case._replace(**given))
        caught += not is_bounded(case, found)
    assert caught > 0


def test_underflow_is_covered() -> None:
    tiny = 2.0**-600
    case = Case(
        np.array([[tiny, tiny]]), 0.0, 0.0, 0.0, np.ones(2),
        np.array([[tiny, 0.0], [0.0, -tiny]]), np.zeros(2),
        [Fraction(tiny)] * 2, Fraction(0), [Fraction(1)] * 2,
        [[Fraction(tiny), Fraction(0)], [Fraction(0), Fraction(-tiny)]],
    )  # fmt: skip
    assert is_bounded(case, run(kernel.layer_rows, case))
    assert not is_bounded(case, run(plain_kernel(kernel.layer_rows, TINY=0.0), case))


def test_product_of_a_tiny_weight_and_a_slope_proves_nothing_false() -> None:
    # The product is subnormal or 0 in floats; the row below has the size 1.
    least = 2.0**-1074
    for slope in (1.0, 0.7, 0.01):
        case = Case(
            np.array([[least]]), 0.0, 0.0, 0.0, np.array([slope]), np.array([[1.0, 0.0]]),
            np.zeros(1), [Fraction(least)], Fraction(0), [Fraction(slope)],
            [[Fraction(1), Fraction(0)]],
        )  # fmt: skip
        found = run(kernel.layer_rows, case)
        assert found[1] == np.inf or is_bounded(case, found)


def test_unknown_error_below_is_never_forgotten() -> None:
    for error in (np.inf, np.nan):
        case = make(0)._replace(error=np.full(len(make(0).error), error))
        found = run(kernel.layer_rows, case)
        assert not found[1] < 1.0


def test_flags_are_true_of_the_exact_row() -> None:
    both = kernel.LINEAR_ZERO | kernel.VALUE_ZERO
    d, before = 2, np.array([0, kernel.LINEAR_ZERO, kernel.VALUE_ZERO, both], dtype=np.int64)

    def flags_of(weight: list[float], bias: float, bias_error: float, slope: list[float]) -> int:
        rows, flags = np.zeros((5, d + 1)), np.append(before, 0)
        net = one_unit(np.array([weight], dtype=np.float64), bias, 0.0, bias_error)
        kernel.layer_rows(net, 1, d, np.array([*slope, 1.0]), rows, np.zeros(5), np.zeros(5), flags)
        return int(flags[4])

    ones = [1.0] * 4
    assert flags_of([0, 0, 0, 0], 0.0, 0.0, ones) == both
    assert flags_of([0, 0, 0, 1], 0.0, 0.0, ones) == both
    assert flags_of([0, 0, 1, 1], 0.0, 0.0, ones) == kernel.VALUE_ZERO
    assert flags_of([0, 1, 0, 1], 0.0, 0.0, ones) == kernel.LINEAR_ZERO
    assert flags_of([0, 0, 1, 1], 1.0, 0.0, ones) == 0
    assert flags_of([0, 0, 0, 0], 0.0, 2.0**-60, ones) == kernel.LINEAR_ZERO
    assert flags_of([5e-324, 0, 0, 0], 0.0, 0.0, ones) == 0
    assert flags_of([1, 1, 0, 1], 0.0, 0.0, [0.0, 1.0, 1.0, 1.0]) == kernel.LINEAR_ZERO


def test_put_row_scales_by_a_power_of_two_and_keeps_the_bound() -> None:
    rng = np.random.default_rng(3)
    d = 3
    for exponent in (-899, -500, -30, 0, 40, 600, 898):
        for sign in (1.0, -1.0):
            row = np.ldexp(rng.uniform(-1, 1, d + 1), exponent + rng.integers(-170, 1, d + 1))
            row[0] = np.ldexp(0.75, exponent)
            size = float(np.abs(row).sum()) * (1 + 1e-15)
            error = float(np.ldexp(rng.random(), exponent - 45))
            C, E, S = np.zeros((2, d + 1)), np.zeros(2), np.zeros(2)
            Z = np.zeros(2, dtype=np.int64)
            kernel.put_row(
                row[None, :], np.array([error]), np.array([size]), np.array([2]), 0, sign, d, 1,
                C, E, S, Z,
            )  # fmt: skip
            scale = Fraction(float(C[1, 0])) / (Fraction(float(row[0])) * int(sign))
            assert scale.numerator == 1 or scale.denominator == 1
            true = [Fraction(float(v)) * int(sign) * scale for v in row]
            moved = norm([Fraction(float(v)) - t for v, t in zip(C[1], true, strict=True)])
            assert moved + Fraction(error) * scale <= Fraction(float(E[1]))
            assert norm([Fraction(float(v)) for v in C[1]]) <= Fraction(float(S[1]))
            assert 0.5 <= S[1] < 1.0
            assert Z[1] == 2


@pytest.mark.parametrize("size", [0.0, 2.0**-1000, 2.0**901, np.inf, np.nan])
def test_put_row_trusts_no_row_out_of_range(size: float) -> None:
    C, E, S, Z = np.zeros((1, 2)), np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64)
    row = np.array([[1.0, 0.5]])
    kernel.put_row(row, np.zeros(1), np.array([size]), Z, 0, 1.0, 1, 0, C, E, S, Z)
    assert np.isinf(E[0])


def near_zero(seed: int) -> tuple[Any, Any, Fraction]:
    """A row, a point where it nearly vanishes, and its exact value there."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    row, point = rng.uniform(-1, 1, d + 1) / (d + 1), rng.uniform(-1, 1, d)
    row[d] = -float(row[:d] @ point) + float(rng.integers(-3, 4)) * ULP / 8
    value = Fraction(float(row[d])) + sum(
        Fraction(float(a)) * Fraction(float(p)) for a, p in zip(row[:d], point, strict=True)
    )
    return row, point, value


def signs(function: Any, error: float, claimed: float) -> tuple[int, int]:
    """Count right and wrong signs when rows are off by ``error`` and said to be by ``claimed``."""
    right = wrong = 0
    for seed in range(400):
        row, point, value = near_zero(seed)
        size = float(np.abs(row).sum()) * (1 + 1e-15)
        sign = function(row[None, :], np.array([claimed]), np.array([size]), 0, point, len(point))
        if sign:
            # The true row may have any value within the error.
            ok = sign * value > Fraction(error)
            right, wrong = right + ok, wrong + (not ok)
    return right, wrong


def test_proved_signs_are_true() -> None:
    for error in (0.0, 2.0**-54, 2.0**-50):
        assert signs(kernel.proved_sign, error, error)[1] == 0
    row, point = np.array([[0.5, -0.25]]), np.array([0.75])
    assert kernel.proved_sign(row, np.zeros(1), np.array([0.75]), 0, point, 1) == 1
    assert kernel.proved_sign(-row, np.zeros(1), np.array([0.75]), 0, point, 1) == -1


def test_signs_without_a_part_of_the_bound_are_caught() -> None:
    assert signs(plain_kernel(kernel.proved_sign, EPS=0.0), 0.0, 0.0)[1] > 0
    assert signs(kernel.proved_sign, 2.0**-48, 0.0)[1] > 0


def test_signs_in_spite_of_underflow() -> None:
    least = 2.0**-1074
    row, point = np.array([[least, -least, -least, 0.0]]), np.array([0.51, 0.49, 0.49])
    size = np.array([3 * least])
    assert kernel.proved_sign(row, np.zeros(1), size, 0, point, 3) == 0
    assert plain_kernel(kernel.proved_sign, TINY=0.0)(row, np.zeros(1), size, 0, point, 3) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_prove_no_sign(bad: float) -> None:
    row, good = np.array([[1.0, 1.0]]), np.array([0.5])
    one, zero = np.ones(1), np.zeros(1)
    assert kernel.proved_sign(row, np.array([bad]), one, 0, good, 1) == 0
    assert kernel.proved_sign(row, zero, np.array([bad]), 0, good, 1) == 0
