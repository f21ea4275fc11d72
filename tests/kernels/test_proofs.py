"""What the float proofs claim, against exact arithmetic, with the truth planted.

Each case is built so that the claim is false by a hair: a proof is then a mistake, whatever the
dictionary says. Kernels without one part of their bound make that mistake; the same cases must
show it, or they would show nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpz_mat
from oracles.kernel_entries import entry
from oracles.lp_vertices import value
from oracles.plain_kernels import plain_kernel

from plregions.kernels import proofs
from plregions.kernels.rows import VALUE_ZERO
from plregions.kernels.simplex import refactor

ULP = 2.0**-53


def exact(values: Any) -> list[Fraction]:
    return [Fraction(float(v)) for v in values]


def at_least(bound: Fraction) -> float:
    """Return a float that is not below an exact number."""
    rounded = float(bound)
    return rounded if Fraction(rounded) >= bound else float(np.nextafter(rounded, np.inf))


class Rows(NamedTuple):
    """Float rows with their bounds, as the kernels take them, and the true rows."""

    C: Any
    E: Any
    S: Any
    true: list[list[Fraction]]


def rounded(true: list[list[Fraction]], noise: list[list[Fraction]] | None = None) -> Rows:
    """Return true rows as floats, moved by ``noise``, with the errors that this makes."""
    moved = noise or [[Fraction(0)] * len(row) for row in true]
    floats = np.array(
        [
            [float(a + b) for a, b in zip(t, m, strict=True)]
            for t, m in zip(true, moved, strict=True)
        ]
    )
    E, S = np.zeros(len(true)), np.zeros(len(true))
    for i, row in enumerate(true):
        known = exact(floats[i])
        E[i] = at_least(sum((abs(a - b) for a, b in zip(known, row, strict=True)), Fraction(0)))
        S[i] = at_least(sum((abs(a) for a in known), Fraction(0)))
    return Rows(floats, E, S, true)


def random_rows(rng: np.random.Generator, n: int, columns: int) -> list[list[Fraction]]:
    return [exact(row) for row in rng.uniform(-1, 1, (n, columns)) / columns]


# --- points -----------------------------------------------------------------------------------


def point_case(seed: int) -> tuple[Rows, Any]:
    """Rows through a point of the box up to a rounding, some of them with an error."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    point = rng.uniform(-1, 1, d)
    true = random_rows(rng, m, d + 1)
    noise = [[Fraction(0)] * (d + 1) for _ in true]
    for row, move in zip(true, noise, strict=True):
        row[-1] = Fraction(0)
        row[-1] = Fraction(float(-value(row, exact(point)))) + Fraction(
            float(rng.integers(-2, 8)) * ULP / 8
        )
        if seed % 2:
            move[int(rng.integers(d + 1))] = Fraction(float(rng.normal()) * 2.0**-45)
    return rounded(true, noise), point


def false_points(function: Any, drop_errors: bool = False) -> tuple[int, int]:
    """Count points that were proved, and those proved where a true row is not positive."""
    proved = false = 0
    for seed in range(1500):
        rows, point = point_case(seed)
        m, d = len(rows.C), len(point)
        E = np.zeros(m) if drop_errors else rows.E
        margin = function(rows.C, E, rows.S, d, m, point)
        if margin > 0:
            proved += 1
            least = min(value(row, exact(point)) for row in rows.true)
            false += least < Fraction(margin)
    return proved, false


def test_margin_is_a_lower_bound_on_the_true_rows() -> None:
    proved, false = false_points(proofs.margin)
    assert false == 0
    assert proved > 0


def test_margin_without_a_part_of_its_bound_is_caught() -> None:
    assert false_points(plain_kernel(proofs.margin, EPS=0.0))[1] > 0
    assert false_points(proofs.margin, drop_errors=True)[1] > 0


def test_margin_in_spite_of_underflow() -> None:
    least = 2.0**-1074
    C, point = np.array([[least, -least, -least, 0.0]]), np.array([0.51, 0.49, 0.49])
    E, S = np.zeros(1), np.array([3 * least])
    assert value(exact(C[0]), exact(point)) < 0
    assert proofs.margin(C, E, S, 3, 1, point) < 0
    assert plain_kernel(proofs.margin, TINY=0.0)(C, E, S, 3, 1, point) > 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_points_need_finite_numbers_and_the_unit_box(bad: float) -> None:
    C, E, S = np.array([[0.0, 0.5]]), np.zeros(1), np.array([0.5])
    good = np.array([1.0])
    assert proofs.point_is_inside(C, E, S, 1, 1, good)
    assert not proofs.point_is_inside(C, E, S, 1, 1, np.array([np.nextafter(1.0, 2.0)]))
    assert not proofs.point_is_inside(C, E, S, 1, 1, np.array([bad]))
    assert not proofs.point_is_inside(C, np.array([abs(bad)]), S, 1, 1, good)
    assert not proofs.point_is_inside(C, E, np.array([abs(bad)]), 1, 1, good)
    assert not proofs.point_is_inside(np.array([[bad, 0.5]]), E, S, 1, 1, np.zeros(1))


def test_recentre_moves_to_the_middle_of_the_chords() -> None:
    C = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.5]])
    point = np.array([0.9, 0.01])
    proofs.recentre(C, 2, 4, point, np.zeros(4))
    assert np.allclose(point, [0.0, 0.25])


# --- rung 1 -----------------------------------------------------------------------------------


class Cell(NamedTuple):
    """Basis rows 0..d-1 and the row d that is asked about, with a dictionary."""

    rows: Rows
    T: Any
    nb: Any


def touching_cell(seed: int) -> Cell:
    """Rows that are all 0 at a point of the box: never empty, and the best bound is 0.

    The last row is minus the sum of the basis rows by the dictionary's own multipliers.
    """
    rng = np.random.default_rng(seed)
    d = 1 + seed % 3
    point = exact(rng.uniform(-1, 1, d))
    basis = random_rows(rng, d, d + 1)
    for row in basis:
        row[-1] = Fraction(0)
        row[-1] = -value(row, point)
    y = rng.uniform(0, 2.0, d)
    goal = [
        -sum((Fraction(float(a)) * row[k] for a, row in zip(y, basis, strict=True)), Fraction(0))
        for k in range(d + 1)
    ]
    true = [*basis, goal]
    noise = None
    if seed % 2:
        noise = [exact(rng.normal(0, 2.0**-40, d + 1)) for _ in true]
    T = np.zeros((2 * d + 1, d + 1), order="F")
    T[2 * d, :d] = -y
    return Cell(rounded(true, noise), T, np.arange(d))


def false_residual_proofs(function: Any, drop_errors: bool = False) -> int:
    count = 0
    for seed in range(2000):
        (C, E, S, true), T, nb = touching_cell(seed)
        d = len(nb)
        for sign in (1.0, -1.0):
            signed, known = T.copy(order="F"), C.copy()
            signed[2 * d] *= sign
            known[d] *= sign
            errors = np.zeros(d + 1) if drop_errors else E
            count += bool(function(signed, known, errors, S, nb, d, d, d, sign, np.zeros(d + 1)))
    return count


def test_residual_never_proves_a_cell_with_a_point_empty() -> None:
    assert false_residual_proofs(proofs.empty_by_residual) == 0


def test_residual_without_a_part_of_its_bound_is_caught() -> None:
    assert false_residual_proofs(plain_kernel(proofs.empty_by_residual, EPS=0.0)) > 0
    assert false_residual_proofs(proofs.empty_by_residual, drop_errors=True) > 0


def test_residual_in_spite_of_underflow() -> None:
    # Exactly, half of row 0, half of row 1 and row 2 sum to 0: nothing is proved. In floats
    # halves of the least number are 0.
    least = 2.0**-1074
    C = np.array([[0.0, 0.0, least], [0.0, 0.0, least], [0.0, 0.0, -least]])
    T, nb, E, S = np.zeros((5, 3), order="F"), np.array([0, 1]), np.zeros(3), np.full(3, least)
    T[4, :2] = -0.5
    arguments = (T, C, E, S, nb, 2, 2, 2, 1.0, np.zeros(3))
    assert not proofs.empty_by_residual(*arguments)
    assert plain_kernel(proofs.empty_by_residual, TINY=0.0)(*arguments)


def test_residual_proves_what_is_plainly_empty() -> None:
    C, E, S = np.array([[0.5, 0.0], [-0.5, -0.25]]), np.zeros(2), np.array([0.5, 0.75])
    T, nb = np.array([[2.0, 0.0], [1.0, 0.0], [-1.0, -0.25]], order="F"), np.array([0])
    assert proofs.empty_by_residual(T, C, E, S, nb, 1, 1, 1, 1.0, np.zeros(2))
    for number in (-1, 1, 5):
        assert not proofs.empty_by_residual(
            T, C, E, S, np.array([number]), 1, 1, 1, 1.0, np.zeros(2)
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_residual_needs_finite_numbers(bad: float) -> None:
    # Rows u >= 0 and u > 0: never empty.
    nb = np.array([0])
    for where in ("T", "C0", "C1", "E", "S"):
        C, E, S = np.array([[0.5, 0.0], [0.5, 0.0]]), np.zeros(2), np.array([0.5, 0.5])
        T = np.array([[2.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], order="F")
        if where == "T":
            T[2, 0] = bad
        elif where == "E":
            E[0] = abs(bad)
        elif where == "S":
            S[0] = abs(bad)
        else:
            C[int(where[1]), 1] = bad
            S[int(where[1])] = abs(bad)
        with np.errstate(invalid="ignore"):
            assert not proofs.empty_by_residual(T, C, E, S, nb, 1, 1, 1, 1.0, np.zeros(2))


# --- rung 2 -----------------------------------------------------------------------------------


def cone_cell(seed: int) -> Cell:
    """Basis rows without constants, and a goal that is minus their sum but for one multiplier.

    That multiplier is positive by a hair for even seeds and negative for odd ones; with a
    negative one the cell has a point.
    """
    rng = np.random.default_rng(seed)
    d = 1 + (seed // 4) % 4
    basis = [[*row, Fraction(0)] for row in random_rows(rng, d, d)]
    if d > 1 and seed % 3 == 0:  # nearly parallel rows
        basis[1] = [v + Fraction(float(rng.normal()) * 2.0**-20) for v in basis[0][:-1]]
        basis[1].append(Fraction(0))
    y = exact(rng.uniform(0.1, 2.0, d))
    hair = Fraction(2) ** -int(rng.integers(20, 60))
    y[int(rng.integers(d))] = hair * (-1 if seed % 2 else 1)
    goal = [
        -sum((a * row[k] for a, row in zip(y, basis, strict=True)), Fraction(0))
        for k in range(d + 1)
    ]
    true = [*basis, goal]
    noise = None
    if seed % 4 >= 2:
        size = 2.0 ** -int(rng.integers(25, 50))
        noise = [[*exact(rng.normal(0, size, d)), Fraction(0)] for _ in true]
    rows = rounded(true, noise)
    T, nb = np.zeros((2 * d + 1, d + 1), order="F"), np.arange(d)
    col = np.append(np.arange(d), -1)
    refactor(T, rows.C, nb, col, d, d + 1, np.zeros((d, 2 * d)))
    # The worst dictionary is one that claims the wanted sign.
    T[2 * d, :d] = -np.abs(T[2 * d, :d])
    return Cell(rows, T, nb)


def true_multipliers(rows: Rows, d: int) -> list[Fraction] | None:
    """Solve for y with goal + sum y_j row_j = 0, exactly; None when the rows are dependent."""

    def rational(v: Fraction) -> fmpq:
        return fmpq(v.numerator, v.denominator)

    matrix = fmpq_mat(d, d, [rational(rows.true[j][k]) for k in range(d) for j in range(d)])
    goal = fmpq_mat(d, 1, [rational(-v) for v in rows.true[d][:d]])
    try:
        solved = matrix.solve(goal)
    except ZeroDivisionError:
        return None
    return [Fraction(int(solved[j, 0].p), int(solved[j, 0].q)) for j in range(d)]


def multiplier_proofs(function: Any, drop_errors: bool = False) -> tuple[int, int]:
    """Count right and false proofs."""
    right = false = 0
    for seed in range(800):
        rows, T, nb = cone_cell(seed)
        d = len(nb)
        flags = np.full(d + 1, VALUE_ZERO)
        E = np.zeros(d + 1) if drop_errors else rows.E
        residual = np.zeros(d + 1)
        proofs.empty_by_residual(T, rows.C, E, rows.S, nb, d, d, d, 1.0, residual)
        if function(T, rows.C, E, rows.S, flags, nb, d, d, d, 1.0, residual):
            y = true_multipliers(rows, d)
            ok = y is not None and min(y) > 0
            right, false = right + ok, false + (not ok)
    return right, false


def test_proved_multipliers_are_positive() -> None:
    right, false = multiplier_proofs(proofs.empty_by_multipliers)
    assert false == 0
    assert right > 50


def test_multipliers_without_a_part_of_their_bound_are_caught() -> None:
    assert multiplier_proofs(proofs.empty_by_multipliers, drop_errors=True)[1] > 0


def test_multipliers_in_spite_of_rounding() -> None:
    # The goal is hair * row 0 - row 1 - row 2: positive where row 0 is large. In floats the
    # residual's last entry is (2 hair + 1) - 1 = 0.
    hair = 2.0**-60
    C = np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 1, -1, 0], [-1, -1, hair, 0]]) / 4
    E, S, Z, nb = np.zeros(4), np.abs(C).sum(axis=1), np.full(4, VALUE_ZERO), np.arange(3)
    T = np.zeros((7, 4), order="F")
    T[:3, :3] = np.linalg.inv(C[:3, :3])
    T[6, :3] = -hair, -1, -1
    residual = np.zeros(4)
    proofs.empty_by_residual(T, C, E, S, nb, 3, 3, 3, 1.0, residual)
    assert residual[2] == 0.0
    arguments = (T, C, E, S, Z, nb, 3, 3, 3, 1.0, residual)
    assert not proofs.empty_by_multipliers(*arguments)
    assert plain_kernel(proofs.empty_by_multipliers, EPS=0.0)(*arguments)


def cone(d: int) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """The orthant with a goal that is positive inside, and a dictionary that denies it."""
    C = np.vstack([np.eye(d), np.ones(d)]) / 2
    C = np.hstack([C, np.zeros((d + 1, 1))])
    T = np.vstack([2 * np.eye(d), np.eye(d), -np.ones((1, d))])
    T = np.asfortranarray(np.hstack([T, np.zeros((2 * d + 1, 1))]))
    return T, C, np.zeros(d + 1), np.abs(C).sum(axis=1), np.full(d + 1, 2), np.arange(d), d


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_multipliers_need_finite_numbers(bad: float, d: int) -> None:
    for where in range(6):
        for k in range(d):
            T, C, E, S, Z, nb, _ = cone(d)
            if where == 0:
                T[:d, k] = bad
            elif where == 1:
                T[k, :] = bad
            elif where == 2:
                E[k] = abs(bad)
            elif where == 3:
                S[k] = abs(bad)
            elif where == 4:
                E[:] = abs(bad)
                T[:d] = bad
            else:
                C[k] = bad
            with np.errstate(invalid="ignore"):
                residual = np.zeros(d + 1)
                assert not proofs.empty_by_residual(T, C, E, S, nb, d, d, d, 1.0, residual)
                assert not proofs.empty_by_multipliers(T, C, E, S, Z, nb, d, d, d, 1.0, residual)


def test_multipliers_need_rows_without_constants_and_a_whole_basis() -> None:
    T, C, E, S, Z, nb, d = cone(2)
    C[2] *= -1

    def proved(flags: Any, basis: Any) -> bool:
        residual = np.zeros(d + 1)
        proofs.empty_by_residual(T, C, E, S, nb, d, d, d, 1.0, residual)
        return bool(proofs.empty_by_multipliers(T, C, E, S, flags, basis, d, d, d, 1.0, residual))

    assert proved(Z, nb)
    for i in range(d + 1):
        flags = Z.copy()
        flags[i] = 0
        assert not proved(flags, nb)
    assert not proved(Z, np.array([-1, 1]))
    assert not proved(Z, np.array([0, 2]))


def affine_cell(seed: int) -> Cell:
    """Basis rows with constants and a goal that is minus a positive combination plus a constant.

    The constant is negative by a hair for even seeds and positive for odd ones.
    """
    rng = np.random.default_rng(seed)
    d = 1 + (seed // 4) % 4
    basis = [[*row, *exact(rng.normal(0, 1, 1))] for row in random_rows(rng, d, d)]
    y = exact(rng.uniform(0.01, 2.0, d))
    goal = [
        -sum((a * row[k] for a, row in zip(y, basis, strict=True)), Fraction(0))
        for k in range(d + 1)
    ]
    goal[d] += Fraction(2) ** -int(rng.integers(8, 60)) * (1 if seed % 2 else -1)
    true = [*basis, goal]
    noise = None
    if seed % 4 >= 2:
        size = 2.0 ** -int(rng.integers(25, 50))
        noise = [exact(rng.normal(0, size, d + 1)) for _ in true]
    rows = rounded(true, noise)
    T, nb = np.zeros((2 * d + 1, d + 1), order="F"), np.arange(d)
    col = np.append(np.arange(d), -1)
    refactor(T, rows.C, nb, col, d, d + 1, np.zeros((d, 2 * d)))
    return Cell(rows, T, nb)


@pytest.mark.parametrize("drop_errors", [False, True])
def test_multipliers_with_constants(drop_errors: bool) -> None:
    """Proved: y > 0 and the constant <= 0. Without the rows' errors false proofs appear."""
    right = false = 0
    for seed in range(800):
        rows, T, nb = affine_cell(seed)
        d = len(nb)
        E = np.zeros(d + 1) if drop_errors else rows.E
        residual, flags = np.zeros(d + 1), np.zeros(d + 1, dtype=np.int64)
        proofs.empty_by_residual(T, rows.C, E, rows.S, nb, d, d, d, 1.0, residual)
        if proofs.empty_by_multipliers(T, rows.C, E, rows.S, flags, nb, d, d, d, 1.0, residual):
            y = true_multipliers(rows, d)
            ok = y is not None and min(y) > 0
            if y is not None:
                pairs = zip(y, rows.true, strict=False)
                ok = ok and rows.true[d][d] + sum(v * row[d] for v, row in pairs) <= 0
            right, false = right + ok, false + (not ok)
    assert right > 50
    assert (false > 0) == drop_errors


# --- Bases ------------------------------------------------------------------------------------


def claimed_bases(function: Any) -> list[tuple[bool, bool]]:
    """Of bases with small entries, often dependent: is independence claimed, and is it true?

    The inverses are made from rows with small changes, so that there always are some.
    """
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        d = int(rng.integers(1, 5))
        B = rng.integers(-2, 3, (d, d)).astype(float)
        if d > 1 and rng.integers(2):
            B[0] = rng.integers(-1, 2, d - 1) @ B[1:]
        change = 10.0 ** rng.integers(-14, -1)
        try:
            inverse = np.linalg.inv(B + change * rng.normal(size=(d, d)))
        except np.linalg.LinAlgError:
            continue
        T = np.asfortranarray(np.concatenate([inverse, np.zeros((d, 1))], axis=1))
        size = np.abs(B).sum(axis=1)
        claimed = function(T, np.c_[B, np.zeros(d)], np.zeros(d), size, np.arange(d), d)
        found.append((bool(claimed), fmpz_mat(d, d, B.astype(int).ravel().tolist()).det() != 0))
    return found


def test_bases_that_are_claimed_to_be_independent_are() -> None:
    """And nearly all that are, are claimed to be."""
    pairs = claimed_bases(entry(proofs.is_independent))
    claims, truths = np.array(pairs).T
    assert not (claims & ~truths).any()
    assert (claims & truths).sum() > 0.9 * truths.sum() > 500
    assert (~truths).sum() > 500


def test_independence_without_a_limit_is_caught() -> None:
    """Any residual counts as small."""
    careless = plain_kernel(proofs.is_independent, _residual_of_inverse=lambda *_: 0.0)
    assert any(claimed and not true for claimed, true in claimed_bases(careless))


def test_errors_of_rows_count_against_independence() -> None:
    T, C = np.asfortranarray([[1.0, 0.0]]), np.array([[1.0, 0.0]])
    is_independent, S = entry(proofs.is_independent), np.ones(1)
    assert is_independent(T, C, np.array([0.25]), S, np.array([0]), 1)
    assert not is_independent(T, C, np.array([0.5]), S, np.array([0]), 1)
    assert not is_independent(T, C, np.array([np.inf]), S, np.array([0]), 1)


def test_rounding_counts_against_independence() -> None:
    """Where the inverse is so large that 1 is lost, the residual of dependent rows is 0."""
    large = 2.0**60
    T = np.asfortranarray([[large, large, 0], [-large, -large, 0]])
    C, E, nb = np.array([[1.0, 1, 0], [3, 3, 0]]), np.zeros(2), np.arange(2)
    is_independent = entry(proofs.is_independent)
    assert not is_independent(T, C, E, np.abs(C).sum(axis=1), nb, 2)
    assert is_independent(T, C, E, np.zeros(2), nb, 2)
