"""The planar kernels' bounds, against the same numbers in exact arithmetic.

Every check is made of two halves: the kernel passes it, and a kernel with a part of its bound
taken out does not.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.kernel_entries import entry
from oracles.plain_kernels import plain_kernel
from oracles.row_errors import scaled_errors, two_layers

import plregions as plr
from plregions.enumeration.planar import PlanarWalk
from plregions.feasibility.corners import corner, sign_at
from plregions.feasibility.prepare import Prepared, prepare
from plregions.kernels import planar, planar_layout, planar_rows
from plregions.kernels.planar_layout import Planar

SQUARE = plr.hypercube(2, -1, 1)
MAKE_ROWS, FINISH_ROWS = entry(planar_rows.make_rows), entry(planar_rows.finish_rows)
SET_CORNER, ROW_SIGN = entry(planar.set_corner), entry(planar.row_sign)


def state(net: plr.Network, domain: Any = SQUARE) -> tuple[Prepared, Planar]:
    prepared = prepare(net, domain)
    return prepared, PlanarWalk(prepared, 1)._t


def make(prepared: Prepared, t: Planar, layer: int) -> None:
    MAKE_ROWS(
        prepared.units, layer, t.R, t.flags, t.own_flags, t.bits, t.seen, t.applied, t.state,
        t.weight, t.norm, t.dense, t.chosen, t.low, t.ctl,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_updated_rows_stay_within_their_bounds(seed: int) -> None:
    """A thousand changes of slopes, few at a time and now and then many."""
    rng = np.random.default_rng(seed)
    layers = two_layers(rng, 2, seed)
    prepared, t = state(plr.Network(layers), plr.Box([Fraction(-1, 3), -1], [1, Fraction(8, 7)]))
    for step in range(150):
        n = 12 if step % 40 == 39 else int(rng.integers(1, 3))
        t.bits[rng.integers(0, 12, n)] ^= 1
        make(prepared, t, 1)
        slopes = np.where(t.bits[:12], prepared.units.positive[:12], prepared.units.negative[:12])
        assert (t.applied[:12] == slopes).all()
        assert t.state[1, planar_layout.ACTIVE] == np.count_nonzero(slopes)
        if step % 10 == 9:
            distances, bounds = scaled_errors(prepared, t, 1, planar_layout.ERROR)
            assert all(d <= b for d, b in zip(distances, bounds, strict=True))
    assert t.ctl[planar_layout.N_FLIPS] > 50
    assert t.ctl[planar_layout.N_REMADE] > 3


def test_rows_without_their_rounding_are_caught() -> None:
    """The same check fails for rows whose bound leaves out what the updates round."""
    rng = np.random.default_rng(0)
    layers = two_layers(rng, 2, 0)
    prepared, t = state(plr.Network(layers), plr.Box([-1, -1], [1, 2]))
    careless = plain_kernel(planar_rows.make_rows, EPS=0.0, TINY=0.0)
    careless(
        prepared.units, 1, t.R, t.flags, t.own_flags, t.bits, t.seen, t.applied, t.state,
        t.weight, t.norm, t.dense, t.chosen, t.low, t.ctl,
    )  # fmt: skip
    distances, bounds = scaled_errors(prepared, t, 1, planar_layout.ERROR)
    assert any(d > b for d, b in zip(distances, bounds, strict=True))


def test_rows_that_are_zero_by_structure() -> None:
    """Where all that a unit hears is off, its row is its bias, exactly, however it came about."""
    layers = [([[1, 0], [0, 1]], [0.1, 0.3]), ([[0.7, 0], [0.3, 0.9]], [0, 0.25], "relu")]
    prepared, t = state(plr.Network(layers))
    for bits, row in (([1, 1], 0), ([0, 1], 3), ([0, 0], 3), ([1, 0], 0), ([0, 0], 3)):
        t.bits[:2] = bits
        make(prepared, t, 1)
        assert t.flags[2] == row
        assert (t.flags[3] == 1) == (bits == [0, 0])
        if row:
            assert (t.R[:3, 2] == 0).all() and t.R[planar_layout.ERROR, 2] == 0


def random_rows(rng: np.random.Generator, close: float) -> tuple[Any, list[Any]]:
    """Three rows of floats as columns, two of them nearly parallel, and true rows near them."""
    R = np.zeros((planar_layout.R_LENGTH, 3))
    R[:3, 0] = rng.normal(0, 0.4, 3)
    R[:3, 1] = R[:3, 0] + close * rng.normal(0, 1, 3)
    R[:3, 2] = rng.normal(0, 0.4, 3)
    true = []
    for i in range(3):
        error = float(rng.choice([0.0, 1e-16, 1e-12]))
        push = [Fraction(float(v)) for v in rng.choice([-1.0, 0.0, 1.0], 3) * error / 3]
        true.append([Fraction(float(R[k, i])) + push[k] for k in range(3)])
        R[planar_layout.ERROR, i] = error
    FINISH_ROWS(R, np.zeros(3, dtype=np.int64), 0, 3)
    return R, true


def meet(e: list[Fraction], f: list[Fraction]) -> tuple[Fraction, Fraction] | None:
    w = e[0] * f[1] - e[1] * f[0]
    if not w:
        return None
    x, y = (e[1] * f[2] - e[2] * f[1]) / w, (e[2] * f[0] - e[0] * f[2]) / w
    return (x, y) if max(abs(x), abs(y)) <= 1 else None


def wrong_corners(set_corner: Callable[..., Any]) -> int:
    """How many corners of random rows lie farther off than their bound says."""
    rng = np.random.default_rng(5)
    wrong = seen = 0
    while seen < 400:
        R, true = random_rows(rng, 10.0 ** -rng.integers(0, 12))
        point = meet(true[0], true[1])
        if point is None:
            continue
        seen += 1
        V = np.zeros((3, 1))
        set_corner(R, 0, 1, V, 0)
        off = max(abs(Fraction(float(V[k, 0])) - point[k]) for k in range(2))
        wrong += off > Fraction(float(V[2, 0]))
    return wrong


def test_corners_lie_within_their_bounds() -> None:
    assert wrong_corners(SET_CORNER) == 0


def test_corners_without_the_rows_errors_are_caught() -> None:
    """ERROR read from a row of zeros, or no rounding: corners lie outside their bounds."""
    spare = np.zeros((planar_layout.R_LENGTH + 1, 3))

    def careless(R: Any, e: int, f: int, V: Any, k: int) -> None:
        spare[:-1] = R
        spare[planar_layout.ERROR] = 0.0
        SET_CORNER(spare[:-1], e, f, V, k)

    assert wrong_corners(careless) > 50
    assert wrong_corners(plain_kernel(planar.set_corner, EPS=0.0)) > 10


def wrong_signs(row_sign: Callable[..., Any]) -> int:
    """How many signs of rows at corners are not those of the true rows; lines nearly meet."""
    rng = np.random.default_rng(7)
    wrong = seen = 0
    while seen < 400:
        R, true = random_rows(rng, 0.3)
        point = meet(true[0], true[1])
        if point is None:
            continue
        seen += 1
        # The third row is moved to pass very near the corner.
        V = np.zeros((3, 1))
        SET_CORNER(R, 0, 1, V, 0)
        off = float(rng.normal() * 10.0 ** -rng.integers(10, 18))
        R[2, 2] = -R[0, 2] * V[0, 0] - R[1, 2] * V[1, 0] + off
        true[2] = [Fraction(float(v)) for v in R[:3, 2]]
        FINISH_ROWS(R, np.zeros(3, dtype=np.int64), 0, 3)
        sign = row_sign(R, 2, V[0, 0], V[1, 0], V[2, 0])
        value = true[2][0] * point[0] + true[2][1] * point[1] + true[2][2]
        if sign != planar_layout.UNSURE:
            wrong += sign != (value > 0) - (value < 0)
    return wrong


def test_signs_at_corners_are_proved() -> None:
    assert wrong_signs(ROW_SIGN) == 0


def test_signs_without_the_corners_errors_are_caught() -> None:
    def careless(R: Any, u: int, x: float, y: float, radius: float) -> int:
        return int(ROW_SIGN(R, u, x, y, 0.0))

    assert wrong_signs(careless) > 10


def test_exact_signs_do_not_depend_on_the_orientation() -> None:
    rows = [(1, 0, -1), (0, 2, 1), (3, 5, -7)]
    point = corner(rows[0], rows[1])
    assert point == corner(rows[1], rows[0]) == (2, -1, 2)
    assert sign_at(rows[2], point) == -1
    assert sign_at((1, 2, 0), point) == 0
