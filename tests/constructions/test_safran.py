"""Safran's functions: hard points in general position, the copier's identity, its cubes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest
from oracles import plain_functions as plain

import plregions as plr
from plregions import constructions as made
from plregions.exact.lp import maximise

Point = tuple[Fraction, ...]


def determinant(rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """By the first row, as the definition reads."""
    if len(rows) == 1:
        return rows[0][0]
    minors = ([row[:k] + row[k + 1 :] for row in rows[1:]] for k in range(len(rows)))
    terms = zip(rows[0], minors, strict=True)
    return sum(
        ((-1) ** k * a * determinant(m) for k, (a, m) in enumerate(terms) if a), start=Fraction(0)
    )


def smallest_determinant(points: Sequence[Point]) -> Fraction:
    """Over all choices of d + 1 points: 0 iff some of them lie on one hyperplane."""
    d = len(points[0])
    return min(
        abs(determinant([[*point, Fraction(1)] for point in chosen]))
        for chosen in combinations(points, d + 1)
    )


def test_hard_points_are_in_general_position() -> None:
    assert smallest_determinant(made.safran_hard_points(3)) == Fraction(1, 48)
    assert smallest_determinant(made.safran_hard_points(4)) == Fraction(1, 4860)


@pytest.mark.parametrize("pushes", [(1, 1, 1, 1), (1, 2, 3, 4)])
def test_pushes_that_fail(pushes: tuple[int, ...]) -> None:
    assert smallest_determinant(made.safran_hard_points(4, pushes)) == 0


@pytest.mark.parametrize("d", [3, 4])
def test_germ_at_the_hard_points(d: int) -> None:
    """Around q_s the function is relu(-2 <s / 2, v> - |z|), for s in {-1, 1}^(d-1)."""
    net, rng = made.safran_g(d), random.Random(d)
    signs = list(product((-1, 1), repeat=d - 1))
    for s, q in zip(signs, made.safran_hard_points(d), strict=True):
        for _ in range(10):
            u = [Fraction(rng.randint(-9, 9), 9 * 4 * d * (d - 1)) for _ in range(d)]
            value = -sum(a * v for a, v in zip(s, u, strict=False)) - abs(u[-1])
            assert net.exact([a + b for a, b in zip(q, u, strict=True)]) == (max(0, value),)


def test_germ_catches_a_planted_fault() -> None:
    """Without the push the point lies outside the hat's edge, and inside only by the push."""
    q = made.safran_hard_points(4, (1, 2, 3, 4))[0]
    u = [Fraction(1, 100) * t for t in q[:-1]]
    x = [*(a - b for a, b in zip(q, u, strict=False)), q[-1]]
    assert made.safran_g(4, (1, 2, 3, 4)).exact(x) == (sum(map(abs, u)),)
    assert made.safran_g(4).exact(x) != (sum(map(abs, u)),)


def test_centres_of_the_copier() -> None:
    assert set(made.copier_centres(2)) == set(product((Fraction(-1, 2), Fraction(1, 2)), repeat=2))
    assert smallest_determinant(made.copier_centres(2)) == 1
    assert smallest_determinant(made.copier_centres(3)) == Fraction(987319, 95551488)
    assert 0.0103 < 987319 / 95551488 < 0.0104


@pytest.mark.parametrize(
    ("order", "least"),
    [
        ((0, 1, 2), 0),
        ((1, 2, 0), 0),
        ((2, 0, 1), 0),
        ((2, 1, 0), 0),
        ((0, 2, 1), Fraction(575, 95551488)),
        ((1, 0, 2), Fraction(575, 95551488)),
    ],
)
def test_centres_pushed_by_a_permutation_of_characters(
    order: tuple[int, ...], least: Fraction
) -> None:
    """One character for each coordinate: some four centres are coplanar, or nearly so."""
    points = []
    for s in product((-1, 1), repeat=3):
        z = [s[i] * s[j] for i, j in ((0, 1), (0, 2), (1, 2))]
        points.append(tuple(Fraction(s[k], 2) + Fraction(z[order[k]], 1152) for k in range(3)))
    assert smallest_determinant(points) == least


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("r", ["default", "limit"])
def test_identity_of_the_copier(d: int, r: str) -> None:
    side = {"default": (Fraction(1, 8), Fraction(1, 1000)), "limit": (Fraction(1, 4), "1/9")}[r]
    width = Fraction(side[d - 2])
    net = made.copier(d) if r == "default" else made.copier(d, width)
    rng = random.Random(d)
    for q in made.copier_centres(d):
        for k in range(40):
            bottom = rng.choice((1, 2, 7, 10**6))
            u = [Fraction(rng.randint(-bottom, bottom), bottom) for _ in range(d)]
            if k == 0:
                u = [Fraction(1)] * d
            assert list(net.exact([a + width * b for a, b in zip(q, u, strict=True)])) == u


def test_identity_catches_a_planted_fault() -> None:
    """A centre without its push is not the copier's."""
    centre = [Fraction(1, 2)] * 3
    assert made.copier(3).exact(centre) != (0, 0, 0)


@pytest.mark.parametrize(("d", "r"), [(2, Fraction(1, 8)), (3, Fraction(1, 1000))])
def test_hierarchy_shows_the_hat_on_every_copy(d: int, r: Fraction) -> None:
    rng = random.Random(d)
    one, two = made.l2_hierarchy(d, 1), made.l2_hierarchy(d, 2)
    for q in made.copier_centres(d):
        for inner in made.copier_centres(d):
            u = [Fraction(rng.randint(-60, 60), 60) for _ in range(d)]
            x = [a + r * b for a, b in zip(inner, u, strict=True)]
            y = [a + r * b for a, b in zip(q, x, strict=True)]
            assert one.exact(x) == two.exact(y) == (1 - abs(u[0]),)


def are_met(centres: Sequence[Point], r: Fraction) -> bool:
    """Whether one hyperplane meets all d + 1 closed cubes of half side r.

    It does iff the hulls of the cubes of I and of those of J meet, for some split of the cubes: a
    common point is a combination of points of both parts with weights of sum 1, so that the
    combinations of the centres differ by at most 2 r in each coordinate.
    """
    n, d = len(centres), len(centres[0])
    for size in range(1, n // 2 + 1):
        for part in combinations(range(n), size):
            sign = [1 if i in part else -1 for i in range(n)]
            rows: list[list[Fraction | int]] = [
                [*(int(i == k) for i in range(n)), 0] for k in range(n)
            ]
            for wanted in (1, -1):
                chosen = [int(s == wanted) for s in sign]
                rows += [[*chosen, -1], [*(-c for c in chosen), 1]]
            for k in range(d):
                gap = [s * q[k] for s, q in zip(sign, centres, strict=True)]
                rows += [[*gap, 2 * r], [*(-g for g in gap), 2 * r]]
            if maximise([0] * (n + 1), rows).status != "infeasible":
                return True
    return False


def n_met(d: int, r: Fraction) -> int:
    """How many choices of d + 1 cubes lie on one hyperplane."""
    return sum(are_met(chosen, r) for chosen in combinations(made.copier_centres(d), d + 1))


def test_no_hyperplane_meets_more_than_d_cubes() -> None:
    assert n_met(2, Fraction(1, 8)) == n_met(2, Fraction(24, 100)) == 0
    assert n_met(3, Fraction(1, 1000)) == 0


def test_larger_cubes_are_met() -> None:
    """The planted fault of the test above."""
    assert n_met(2, Fraction(1, 4)) == n_met(2, Fraction(26, 100)) == 4
    assert n_met(3, Fraction(1, 500)) == 3


def test_hadamard_bound_on_the_side() -> None:
    """d (2 r sqrt d) (2 sqrt d)^(d-1) < min |det| keeps d + 1 cubes off every hyperplane."""

    def bound_squared(d: int, r: Fraction) -> Fraction:
        return (2 * r * d) ** 2 * d * (4 * d) ** (d - 1)

    least = Fraction(987319, 95551488)
    assert (
        bound_squared(3, Fraction(828, 10**7)) < least**2 < bound_squared(3, Fraction(829, 10**7))
    )


def test_plateau_of_the_oracle_is_a_character() -> None:
    """At a corner the plateau function of a set is the product of its signs."""
    for n in (1, 2, 3):
        for signs in product((-1, 1), repeat=n):
            t = sum((Fraction(1 - s, 2) for s in signs), start=Fraction(0))
            sign = -1 if signs.count(-1) % 2 else 1
            for shift in (-1, 0, 1):
                assert plain.plateau(t + Fraction(shift, 4), n) == sign


def test_hierarchy_at_level_0_is_the_hat() -> None:
    net = made.l2_hierarchy(3, 0)
    assert net.widths == (3,)
    assert isinstance(net, plr.Network)
    assert [net.exact([t, 5, 5])[0] for t in (-2, "1/3", 0)] == [0, Fraction(2, 3), 1]
