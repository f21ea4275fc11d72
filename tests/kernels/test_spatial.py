"""The spatial kernels' bounds, against the same numbers in exact arithmetic.

Every check is made of two halves: the kernel passes it, and a kernel with a part of its bound
taken out does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.lp_vertices import solve_square, value
from oracles.plain_kernels import plain_kernel
from oracles.row_errors import scaled_errors, two_layers

import plregions as plr
from plregions.enumeration.spatial import SpatialWalk
from plregions.feasibility.prepare import Prepared, prepare
from plregions.kernels import spatial_layout, spatial_rows, spatial_signs
from plregions.kernels.rows import VALUE_ZERO
from plregions.kernels.spatial_layout import Spatial

CUBE = plr.hypercube(3, -1, 1)
OFF_CENTRE = plr.Box([Fraction(-1, 3), -1, 0], [1, Fraction(8, 7), 2])


def state(net: plr.Network, domain: Any = CUBE) -> tuple[Prepared, Spatial]:
    prepared = prepare(net, domain)
    return prepared, SpatialWalk(prepared, 1)._t


@pytest.mark.parametrize("seed", range(10))
def test_updated_rows_stay_within_their_bounds(seed: int) -> None:
    """A hundred changes of slopes, few at a time and now and then many."""
    rng = np.random.default_rng(seed)
    layers = two_layers(rng, 3, seed)
    prepared, t = state(plr.Network(layers), OFF_CENTRE)
    for step in range(100):
        n = 12 if step % 40 == 39 else int(rng.integers(1, 3))
        t.bits[rng.integers(0, 12, n)] ^= 1
        spatial_rows.make_rows(prepared.units, 1, t)
        if step % 10 == 9:
            distances, bounds = scaled_errors(prepared, t, 1, spatial_layout.ERROR)
            assert all(d <= b for d, b in zip(distances, bounds, strict=True))
    assert t.ctl[spatial_layout.N_FLIPS] > 40
    assert t.ctl[spatial_layout.N_REMADE] > 2


def test_rows_without_their_rounding_are_caught() -> None:
    """The same check fails for rows whose bound leaves out what the updates round."""
    rng = np.random.default_rng(0)
    layers = two_layers(rng, 3, 0)
    prepared, t = state(plr.Network(layers), OFF_CENTRE)
    plain_kernel(spatial_rows.make_rows, EPS=0.0, TINY=0.0)(prepared.units, 1, t)
    distances, bounds = scaled_errors(prepared, t, 1, spatial_layout.ERROR)
    assert any(d > b for d, b in zip(distances, bounds, strict=True))


def whole_layers(digits: int) -> tuple[list[Any], int]:
    """Four layers whose weights are multiples of 2**-digits, with slopes of both kinds."""
    rng = np.random.default_rng(digits)
    top = 2**digits
    layers, n_in = [], 3
    for width, slopes in ((8, (0, 1)), (8, (-1, 1)), (6, (0, 1)), (6, (0, 1))):
        weight = rng.integers(-top, top + 1, (width, n_in)) / top
        layers.append((weight, rng.integers(-top, top + 1, width) / top, slopes))
        n_in = width
    return layers, int(rng.integers(1000))


def rows_that_claim_to_be_exact(digits: int, make: Callable[..., Any]) -> tuple[int, int]:
    """How many rows with a unit there are after some changes, and how many of them are wrong."""
    layers, seed = whole_layers(digits)
    rng = np.random.default_rng(seed)
    prepared, t = state(plr.Network(layers))
    claims = wrong = 0
    for _ in range(30):
        t.bits[rng.integers(0, 28, 3)] ^= 1
        for layer in (1, 2, 3):
            make(prepared.units, layer, t)
            first, last = prepared.units.layer_first[layer : layer + 2]
            distances, _ = scaled_errors(prepared, t, layer, spatial_layout.ERROR)
            units = t.R[spatial_layout.UNIT, first:last]
            errors = t.R[spatial_layout.ERROR, first:last]
            assert (errors[units > 0] == 0).all()
            for u, distance in zip(range(first, last), distances, strict=True):
                unit = Fraction(float(t.R[spatial_layout.UNIT, u]))
                if unit:
                    claims += 1
                    multiples = [Fraction(float(t.R[k, u])) / unit for k in range(4)]
                    wrong += distance != 0 or any(v.denominator > 1 for v in multiples)
    return claims, wrong


def test_rows_of_whole_numbers_have_no_error() -> None:
    claims, wrong = rows_that_claim_to_be_exact(2, spatial_rows.make_rows)
    assert claims == 30 * 20 and wrong == 0
    claims, wrong = rows_that_claim_to_be_exact(12, spatial_rows.make_rows)
    assert 0 < claims < 30 * 20 and wrong == 0


def test_rows_of_too_many_digits_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spatial_rows, "MOST_UNITS", math.inf)
    monkeypatch.setattr(spatial_rows, "LEAST_UNIT", 0.0)
    claims, wrong = rows_that_claim_to_be_exact(18, plain_kernel(spatial_rows.make_rows))
    assert claims > 0 and wrong > 0


def test_rounded_numbers_have_no_unit() -> None:
    """A third is rounded to a number of many digits, 1 + 2**-60 to one of few."""
    for number in (Fraction(1, 3), 1 + Fraction(1, 2**60)):
        layers = [([[1, 0, 0], [0, 1, 1]], [0, 0]), ([[number, 1]], [0], "relu")]
        prepared, t = state(plr.Network(layers))
        spatial_rows.make_rows(prepared.units, 1, t)
        assert t.R[spatial_layout.UNIT, 2] == 0.0 < t.R[spatial_layout.ERROR, 2]
        prepared, t = state(plr.Network([([[number, 1, 0]], [0], "relu")]))
        unit, size = t.R[spatial_layout.UNIT, 0], t.R[spatial_layout.SIZE, 0]
        assert unit == 0.0 or size / unit > 2.0**50
        layers = [([[1, 0, 0], [0, 1, 1]], [0, 0], (0, number)), ([[1, 1]], [0], "relu")]
        prepared, t = state(plr.Network(layers))
        spatial_rows.make_rows(prepared.units, 1, t)
        assert t.R[spatial_layout.UNIT, 2] == 0.0


def test_rows_that_are_zero_by_structure() -> None:
    """Where all that a unit hears is off, its row is its bias, exactly, however it came about."""
    layers = [
        ([[1, 0, 0], [0, 1, 1]], [0.1, 0.3]),
        ([[0.7, 0], [0.3, 0.9]], [0, 0.25], "relu"),
    ]
    prepared, t = state(plr.Network(layers))
    for bits, flag in (([1, 1], 0), ([0, 1], 3), ([0, 0], 3), ([1, 0], 0), ([0, 0], 3)):
        t.bits[:2] = bits
        spatial_rows.make_rows(prepared.units, 1, t)
        assert t.flags[2] == flag
        assert (t.flags[3] == 1) == (bits == [0, 0])
        if flag:
            assert (t.R[:4, 2] == 0).all() and t.R[spatial_layout.ERROR, 2] == 0


NO_FLAGS = np.zeros(4, dtype=np.int64)


def random_rows(rng: np.random.Generator, close: float) -> tuple[Any, list[Any]]:
    """Four rows of floats as columns, two of them nearly parallel, and true rows near them."""
    R = np.zeros((spatial_layout.R_LENGTH, 4))
    R[:4] = rng.normal(0, 0.4, (4, 4))
    R[:4, 1] = R[:4, 0] + close * rng.normal(0, 1, 4)
    true = []
    for i in range(4):
        error = float(rng.choice([0.0, 1e-16, 1e-12]))
        push = [Fraction(float(v)) for v in rng.choice([-1.0, 0.0, 1.0], 4) * error / 4]
        true.append([Fraction(float(R[k, i])) + push[k] for k in range(4)])
        R[spatial_layout.ERROR, i] = error
    spatial_rows.finish_rows(R, NO_FLAGS, 0, 4)
    return R, true


def meet(rows: list[list[Fraction]]) -> tuple[Fraction, ...] | None:
    point = solve_square([row[:-1] for row in rows], [-row[-1] for row in rows])
    return point if point is not None and max(map(abs, point)) <= 1 else None


def wrong_corners(set_corner: Callable[..., Any]) -> int:
    """How many corners of random rows lie farther off than their bound says."""
    rng = np.random.default_rng(5)
    wrong = seen = 0
    while seen < 400:
        R, true = random_rows(rng, 10.0 ** -rng.integers(0, 12))
        point = meet(true[:3])
        if point is None:
            continue
        seen += 1
        V = np.zeros((1, 4))
        set_corner(R, NO_FLAGS, 0, 1, 2, V, 0)
        off = max(abs(Fraction(float(V[0, k])) - point[k]) for k in range(3))
        wrong += off > Fraction(float(V[0, 3]))
    return wrong


def test_corners_lie_within_their_bounds() -> None:
    assert wrong_corners(spatial_signs.set_corner) == 0


def test_corners_without_the_rows_errors_are_caught() -> None:
    """ERROR read as 0, or no rounding: corners lie outside their bounds."""

    def careless(R: Any, *others: Any) -> None:
        spare = R.copy()
        spare[spatial_layout.ERROR] = 0.0
        spatial_signs.set_corner(spare, *others)

    assert wrong_corners(careless) > 50
    assert wrong_corners(plain_kernel(spatial_signs.set_corner, EPS=0.0)) > 3


def wrong_signs(row_sign: Callable[..., Any]) -> int:
    """How many signs of rows at corners are not those of the true rows; planes nearly meet."""
    rng = np.random.default_rng(7)
    wrong = seen = 0
    while seen < 400:
        R, true = random_rows(rng, 0.3)
        point = meet(true[:3])
        if point is None:
            continue
        seen += 1
        # The fourth row is moved to pass very near the corner.
        V = np.zeros((1, 4))
        spatial_signs.set_corner(R, NO_FLAGS, 0, 1, 2, V, 0)
        off = float(rng.normal() * 10.0 ** -rng.integers(10, 18))
        R[3, 3] = off - float(R[:3, 3] @ V[0, :3])
        true[3] = [Fraction(float(v)) for v in R[:4, 3]]
        spatial_rows.finish_rows(R, NO_FLAGS, 0, 4)
        sign = row_sign(R, NO_FLAGS, 3, *V[0])
        if sign != spatial_signs.UNSURE:
            exact = value(true[3], point)
            wrong += sign != (exact > 0) - (exact < 0)
    return wrong


def test_signs_at_corners_are_proved() -> None:
    assert wrong_signs(spatial_signs.row_sign) == 0


def test_signs_without_the_corners_errors_are_caught() -> None:
    def careless(R: Any, flags: Any, u: int, x: float, y: float, z: float, radius: float) -> int:
        return int(spatial_signs.row_sign(R, flags, u, x, y, z, 1e-300))

    assert wrong_signs(careless) > 10


def test_rows_without_a_constant_meet_in_0() -> None:
    """There a fourth one is 0 as well, whatever its errors; one with a constant is not."""
    R, _ = random_rows(np.random.default_rng(3), 0.1)
    flags = np.full(4, VALUE_ZERO)
    spatial_rows.finish_rows(R, flags, 0, 4)
    V = np.zeros((1, 4))
    spatial_signs.set_corner(R, flags, 0, 1, 2, V, 0)
    assert (V == 0).all()
    assert spatial_signs.row_sign(R, flags, 3, 0.0, 0.0, 0.0, 0.0) == 0
    flags[3], R[3, 3] = 0, 1e-17
    spatial_rows.finish_rows(R, flags, 0, 4)
    assert spatial_signs.row_sign(R, flags, 3, 0.0, 0.0, 0.0, 0.0) == spatial_signs.UNSURE
    spatial_signs.set_corner(R, flags, 0, 1, 3, V, 0)
    assert V[0, 3] > 0


def wrong_whole_signs(whole_sign: Callable[..., Any], most: int) -> tuple[int, int, int]:
    """Signs that are wrong, zeros among the right ones, and refusals, for rows of integers."""
    rng = np.random.default_rng(most)
    wrong = zeros = refused = 0
    for _ in range(400):
        rows = rng.integers(-most, most + 1, (4, 4))
        shifts = rng.integers(-40, 40, 4)
        if rng.integers(2):  # through the corner
            rows[3] = rows[:3].T @ rng.integers(-2, 3, 3)
        true = [[Fraction(int(v)) for v in row] for row in rows]
        point = solve_square([row[:-1] for row in true[:3]], [-row[-1] for row in true[:3]])
        if point is None:
            continue
        R = np.zeros((spatial_layout.R_LENGTH, 4))
        R[:4] = np.ldexp(rows.astype(float), shifts[:, None]).T
        R[spatial_layout.UNIT] = np.ldexp(1.0, shifts)
        spatial_rows.finish_rows(R, NO_FLAGS, 0, 4)
        exact = value(true[3], point)
        sign = whole_sign(R, 0, 1, 2, 3)
        refused += sign == spatial_signs.UNSURE
        zeros += sign == exact == 0
        wrong += sign not in (spatial_signs.UNSURE, (exact > 0) - (exact < 0))
    return wrong, zeros, refused


def test_signs_of_whole_rows() -> None:
    wrong, zeros, refused = wrong_whole_signs(spatial_signs.whole_sign, 20)
    assert wrong == 0 and zeros > 100 and refused < 5
    wrong, zeros, refused = wrong_whole_signs(spatial_signs.whole_sign, 10**6)
    assert wrong == 0 and refused > 300


def test_signs_of_rows_that_are_too_long_are_caught() -> None:
    careless = plain_kernel(spatial_signs.whole_sign, MOST_WHOLE=math.inf)
    assert wrong_whole_signs(careless, 10**6)[0] > 50
