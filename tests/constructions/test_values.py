"""Every construction against the function of the literature, written in plain Python."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import pi, tan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import plain_functions as plain

import plregions as plr
from plregions import constructions as made

Function = Callable[[Sequence[Fraction]], Any]
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)
PLANES = [(k, 0, Fraction(-k * k, 12)) for k in range(6)]
FINAL = [(1, 1, Fraction(-9, 10)), (-1, 1, Fraction(-1, 20)), (3, 1, Fraction(-17, 10))]
SETS = {3: ((1, 2),), 4: ((1, 2), (1, 3), (2, 3), (1, 2, 3))}
PUSHES = {3: [Fraction(1, 192)], 4: [Fraction(2**k, 5760) for k in range(4)]}


def folded_with_final_layer(x: Sequence[Fraction]) -> Fraction:
    y = [plain.zigzag(t, 2, 2) for t in x]
    units = [max(Fraction(0), a * y[0] + b * y[1] + c) for a, b, c in FINAL]
    return units[0] + 3 * units[1] - 5 * units[2]


# Name, network, function, and the cube [low, high]^d on which they are equal.
CASES: list[tuple[str, plr.Network, Function, int, int]] = [
    *((f"hinge {d}", made.corner_hinge(d), plain.corner_hinge, -1, 2) for d in (2, 3, 5)),
    *(
        (f"cube's hinge {d}", made.corner_hinge(d, is_for_cube=True), plain.corner_hinge, 0, 1)
        for d in (2, 3, 5)
    ),
    *(
        (f"shallow hinge {d}", made.corner_hinge_shallow(d), plain.corner_hinge, 0, 1)
        for d in (2, 3, 4, 5)
    ),
    *((f"layered {d}", made.layered_hinge(d), plain.layered_hinge, -2, 2) for d in (2, 3, 5)),
    *(
        (f"g {d}", made.safran_g(d), lambda x, d=d: plain.safran_g(x, SETS[d], PUSHES[d]), -2, 2)
        for d in (3, 4)
    ),
    *(
        (f"copier {d}", made.copier(d), lambda x, r=r: plain.copier(x, r), -2, 2)
        for d, r in ((2, Fraction(1, 8)), (3, Fraction(1, 1000)))
    ),
    *(
        (
            f"h {d} {j}",
            made.l2_hierarchy(d, j, r),
            lambda x, j=j, r=r: plain.l2_hierarchy(x, j, r),
            -1,
            1,
        )
        for d, j, r in ((2, 0, THIRD / 3), (2, 2, THIRD / 3), (3, 1, THIRD / 3), (3, 2, THIRD / 9))
    ),
    *((f"tent {m}", made.tent_power(m), lambda x, m=m: plain.tent(x[0], m), -1, 2) for m in (1, 3)),
    *(
        (
            f"hat power {m}",
            made.tent3_power(m),
            lambda x, m=m: plain.tent(x[0], m) if 0 <= x[0] <= 1 else 0,
            -1,
            2,
        )
        for m in (1, 3)
    ),
    ("sum tent", made.sum_tent(3, 2), lambda x: sum(plain.tent(t, 2) for t in x), -1, 2),
    ("mean tent", made.mean_tent(3, 3), lambda x: plain.tent(sum(x) / 3, 3), -1, 2),
    ("fold 3", made.montufar_fold(2, 3, 2), lambda x: sum(plain.zigzag(t, 3, 2) for t in x), 0, 1),
    ("fold 4", made.montufar_fold(1, 4, 1), lambda x: plain.zigzag(x[0], 4, 1), 0, 1),
    ("final", made.montufar_fold(2, 2, 2, FINAL, (1, 3, -5)), folded_with_final_layer, 0, 1),
    (
        "yarotsky",
        made.yarotsky_square(3),
        lambda x: plain.interpolant([(Fraction(j, 8), Fraction(j * j, 64)) for j in range(9)], *x),
        0,
        1,
    ),
    ("zonotope", made.zonotope_norm(3, 4), lambda x: plain.zonotope_norm(x, 4), -3, 3),
    (
        "saw",
        made.zonotope_saw(2, 3, 2, THIRD),
        lambda x: plain.tent(plain.zonotope_norm(x, 3) / 3, 2),
        -1,
        1,
    ),
    *((f"max {n}", made.max_tree(n), max, -3, 3) for n in (2, 3, 4, 5, 7)),
    ("max of five", made.max5_two_hidden(), max, -3, 3),
    *((f"sort {n}", made.sort_network(n), sorted, -3, 3) for n in (2, 3, 4, 5)),
    ("median", made.median3(), lambda x: sorted(x)[1], -3, 3),
    (
        "hanin",
        made.hanin_max(PLANES),
        lambda x: max(a * x[0] + b * x[1] + c for a, b, c in PLANES),
        0,
        1,
    ),
    *((f"l1 {d}", made.l1_norm(d), lambda x: sum(map(abs, x)), -3, 3) for d in (1, 3)),
    *((f"linf {d}", made.linf_norm(d), lambda x: max(map(abs, x)), -3, 3) for d in (1, 3, 5)),
    ("trapezoid", made.l1_trapezoid(2), lambda x: min(1, max(0, 2 - sum(map(abs, x)))), -3, 3),
    *(
        (f"{name} {d}", parity(d), lambda x: plain.triangle_wave(sum(x), 2), 0, 1)
        for name, parity in (("parity", made.parity_shallow), ("tents", made.parity_tent))
        for d in (1, 2, 4, 5)
    ),
    ("xor of two", made.xor2(), lambda x: plain.triangle_wave(sum(x), 2), 0, 1),
    *((f"xor tree {k}", made.parity_xor_tree(k), plain.xor_tree, -2, 2) for k in (1, 2, 3)),
    (
        "corners",
        made.corner_interp(3, [1, -2, 0, THIRD, 5, 6, 7, 8]),
        lambda x: plain.caps(x, [1, -2, 0, THIRD, 5, 6, 7, 8]),
        0,
        1,
    ),
    *(
        (f"hats {d}", hats(d), lambda x: plain.caps(x, [1] * 2 ** len(x)), 0, 1)
        for hats in (made.corner_hats, made.corner_hats_shallow)
        for d in (1, 2, 3)
    ),
    *(
        (f"{name} {d}", made_of(d), lambda x, k=k: plain.corner_distance(x, k), 0, 1)
        for name, made_of, k in (
            ("l1 to corners", made.vertex_dist_l1, False),
            ("linf to corners", made.vertex_dist_linf, True),
        )
        for d in (1, 2, 3)
    ),
    ("squares", made.radial_sq(3, 2), lambda x: sum(plain.square(t, 2) for t in x), -3, 3),
    (
        "annulus",
        made.radial_annulus(2, 2, 1, 3),
        lambda x: plain.hat(sum(plain.square(t, 2) for t in x), 1, 3),
        -2,
        2,
    ),
    *(
        (
            f"deep radial {d}",
            made.radial_deep(d, [2, THIRD, 5, -1], ["1/2", 1, 3], [0, 1, "3/2", 6]),
            lambda x: plain.radial(x, [0, HALF, 1, 3], [0, 1, 3 * HALF, 6], [2, THIRD, 5, -1]),
            -3,
            3,
        )
        for d in (1, 2, 3)
    ),
    (
        "ridges",
        made.ridge_sum([[1, 2], ["1/3", -1], [0, 1]], [0, 1, "1/2"], [2, -1, 3], "1/5"),
        lambda x: (
            2 * abs(x[0] + 2 * x[1])
            - max(0, abs(THIRD * x[0] - x[1]) - 1)
            + 3 * max(0, abs(x[1]) - HALF)
            + Fraction(1, 5)
        ),
        -3,
        3,
    ),
    (
        "one direction",
        made.norm_ridges(2, 1),
        lambda x: Fraction(2 * tan(pi / 4)) * abs(x[0]),
        -1,
        1,
    ),
    *(
        (f"product {n}", made.inner_product_pl(n, 3), lambda x: plain.inner_product(x, 3), -3, 3)
        for n in (1, 2)
    ),
    *((f"plane fold {m}", made.fold2d(m), lambda x, m=m: plain.fold(x, m), -3, 3) for m in (0, 3)),
    ("Courant", made.hat2d(), plain.courant, -2, 2),
    ("bent", made.bent(), lambda x: max(0, x[0] - max(0, x[1])), -2, 2),
]


def random_points(net: plr.Network, low: int, high: int) -> list[list[Fraction]]:
    """Points all over the cube, and as many within 1/d of integer points, where hats stand.

    Small denominators, so that points often lie on a kink, and a larger one.
    """
    rng = random.Random(net.fingerprint)
    d = net.input_dim
    points = []
    for k in range(160):
        bottom = rng.choice((1, 2, 3, 4, 8, 12, 997))
        if k % 2:
            x = [Fraction(rng.randint(low * bottom, high * bottom), bottom) for _ in range(d)]
        else:
            x = [
                rng.randint(low, high) + Fraction(rng.randint(-bottom, bottom), bottom * d)
                for _ in range(d)
            ]
        points.append([min(max(t, Fraction(low)), Fraction(high)) for t in x])
    return points


def first_difference(net: plr.Network, function: Function, low: int, high: int) -> Any:
    """A point where network and function differ: the corners of the cube are tried first."""
    corners = product((low, high, *((0, 1) if (low, high) != (0, 1) else ())), repeat=net.input_dim)
    points = [[Fraction(v) for v in x] for _, x in zip(range(300), corners, strict=False)]
    for x in [*points, *random_points(net, low, high)]:
        value = function(x)
        if list(net.exact(x)) != (value if isinstance(value, list) else [value]):
            return x
    return None


@pytest.mark.parametrize(
    ("net", "function", "low", "high"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_equals_the_function(net: plr.Network, function: Function, low: int, high: int) -> None:
    assert first_difference(net, function, low, high) is None


@pytest.mark.parametrize("net", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_survives_its_file(net: plr.Network, tmp_path: Path) -> None:
    net.save(tmp_path / "net.json")
    again = plr.load(tmp_path / "net.json")
    assert (again, again.fingerprint) == (net, net.fingerprint)


def test_comparison_catches_planted_faults() -> None:
    """Each weight of one network, doubled."""
    net, exact = made.corner_hinge(2), plain.corner_hinge
    for k, layer in enumerate(net.layers):
        for index in np.ndindex(layer.weight.shape):
            if layer.weight[index] == 0:
                continue
            weight = layer.weight.copy()
            weight[index] *= 2
            changed = plr.Layer(weight, layer.bias, layer.slopes)
            faulty = plr.Network([*net.layers[:k], changed, *net.layers[k + 1 :]])
            assert first_difference(faulty, exact, -1, 2) is not None, (k, index)


def test_every_construction_is_compared() -> None:
    """Here; but the arrangements, which are their hyperplanes, and points in test_safran.py."""
    names = {name for name in made.__all__ if not name.endswith("_arrangement")}
    used = set(re.findall(r"made\.(\w+)\b", Path(__file__).read_text(encoding="utf-8")))
    assert names - used == {"copier_centres", "safran_hard_points"}


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_boolean_product_on_all_corners(n: int) -> None:
    for a in ([1] * n, list(range(1, n + 1)), [Fraction(k + 1, 3) for k in range(n)]):
        net = made.boolean_product(a)
        assert len(net.widths) == n
        for x in product((0, 1), repeat=n):
            assert net.exact(x) == (plain.boolean_product([Fraction(t) for t in x], a),)


def test_max_of_five_on_many_integer_points() -> None:
    """Integers and halves are exact in float64."""
    points = np.random.default_rng(5).integers(-50, 51, (3000, 5)).astype(float)
    assert (made.max5_two_hidden()(points)[:, 0] == points.max(axis=1)).all()
    assert (made.max_tree(5)(points)[:, 0] == points.max(axis=1)).all()


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7])
def test_parity_three_ways(d: int) -> None:
    """Equal on the corners; the tree of |a - b| is another function between them."""
    nets = [made.parity_shallow(d), made.parity_tent(d)]
    if d in (2, 4):
        nets.append(made.parity_xor_tree(d // 2))
        middle = [HALF] * d
        values = {net.exact(middle) for net in nets}
        assert len(values) == (2 if d == 2 else 1)  # at d = 4 the middle is even for all
    for x in product((0, 1), repeat=d):
        assert {net.exact(x) for net in nets} == {(sum(x) % 2,)}


def test_xor_tree_differs_by_one_from_parity_on_four_bits() -> None:
    """The largest gap that there can be, since both lie between 0 and 1."""
    x = [HALF, HALF, 0, 0]
    assert made.parity_shallow(4).exact(x) == (1,)
    assert made.parity_xor_tree(2).exact(x) == (0,)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_yarotsky_square(m: int) -> None:
    f, g = made.yarotsky_square(m), made.yarotsky_square(m + 1)
    grid = [Fraction(j, 2 ** (m + 2)) for j in range(2 ** (m + 2) + 1)]
    for x in grid[::4]:
        assert f.exact([x]) == (x * x,)
    gaps = [abs(f.exact([x])[0] - g.exact([x])[0]) for x in grid]
    # All kinks of the difference lie on the grid, so its largest value does.
    assert max(gaps) == Fraction(1, 4 ** (m + 1))


@pytest.mark.parametrize("k", range(1, 13))
def test_directions_of_the_plane(k: int) -> None:
    rows = made.plane_directions(k)
    angles = np.pi * np.arange(k) / k
    assert np.abs(rows - np.stack([np.cos(angles), np.sin(angles)], axis=1)).max() < 4e-16
    for mirrored in (rows * [-1, 1], rows * [1, -1], rows[:, ::-1] if k % 2 == 0 else rows):
        lines = {max(tuple(row), tuple(-row)) for row in mirrored + 0.0}
        assert lines == {max(tuple(row), tuple(-row)) for row in rows + 0.0}


def test_directions_of_the_sphere() -> None:
    rows = made.sphere_directions(4, 5000, 3)
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-15
    assert np.abs(rows.mean(axis=0)).max() < 0.03
    assert np.abs(rows.T @ rows / 5000 - np.eye(4) / 4).max() < 0.02
    assert not (rows[:5] == made.sphere_directions(4, 5, 4)).any()
    assert (rows[:5] == made.sphere_directions(4, 5, 3)).all()


@pytest.mark.parametrize("d", [2, 3, 5])
def test_ridges_have_the_right_mean(d: int) -> None:
    """Over random points of the sphere; 400 directions."""
    net = made.norm_ridges(d, 400, 1)
    assert abs(net(made.sphere_directions(d, 4000, 7)).mean() - 1) < 0.03


def test_radial_sq_and_inner_product_at_integers() -> None:
    for x in product(range(-2, 3), repeat=2):
        assert made.radial_sq(2, 2).exact(x) == (x[0] ** 2 + x[1] ** 2,)
        if abs(x[0]) + abs(x[1]) <= 3:
            assert made.inner_product_pl(1, 3).exact(x) == (x[0] * x[1],)


@pytest.mark.parametrize("seed", range(5))
def test_narrow_equals_the_shallow_network(seed: int) -> None:
    rng = random.Random(seed)
    d, n = rng.randint(1, 3), rng.randint(1, 5)
    rows = [[Fraction(rng.randint(-6, 6), 3) for _ in range(d + 2)] for _ in range(n)]
    hidden = [row[:d] for row in rows], [row[d] for row in rows]
    shallow = plr.Network([hidden, ([[row[-1] for row in rows]], [THIRD])])
    deep = made.narrow(shallow)
    assert len(deep.widths) == n
    assert max(deep.widths) <= d + 3
    assert first_difference(deep, lambda x: shallow.exact(x)[0], 0, 2) is None
