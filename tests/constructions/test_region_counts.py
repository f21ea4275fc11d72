"""How many regions has each construction? Closed forms, and counts known from other programs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from oracles.arrangements import zaslavsky

import plregions as plr
from plregions import constructions as made

Domain = plr.Box | plr.WholeSpace
Case = tuple[str, plr.Network, Domain, int, int, int | None]


def cube(d: int, low: int = 0, high: int = 1) -> Domain:
    return plr.hypercube(d, low, high)


def everywhere(d: int) -> Domain:
    return plr.WholeSpace(d)


def central(n: int, d: int) -> int:
    """Regions of n hyperplanes through 0, otherwise in general position."""
    return 2 * sum(comb(n - 1, i) for i in range(d))


def wide_caps(d: int) -> plr.Network:
    """Caps relu(<2v - 1, x> - |v| + 1): 1 at their own corner, 0 at all others, but overlapping."""
    corners = list(product((0, 1), repeat=d))
    rows = [[2 * v - 1 for v in corner] for corner in corners]
    return plr.Network([(rows, [1 - sum(v) for v in corners]), ([range(1, 2**d + 1)], [0])])


SHALLOW = plr.Network(
    [
        ([[1, 1], [1, -1], [2, 1], [-1, 3]], [-1, Fraction(1, 4), Fraction(-1, 2), -1]),
        ([[1, -2, 3, -1]], [1]),
    ]
)
FINAL = [(1, 1, Fraction(-9, 10)), (-1, 1, Fraction(-1, 20)), (3, 1, Fraction(-17, 10))]
FOLDED = made.montufar_fold(2, 2, 2, FINAL, (1, 3, -5))
FOLDED_WITH_ONES = made.montufar_fold(2, 2, 2, FINAL)
PLANES = [(k, 0, Fraction(-k * k, 12)) for k in range(6)]

DEEP = ((1, 4), (2, 28), (3, 68), (4, 124))
# Name, network, domain, activation regions, linear regions, distinct affine maps (where known).
CASES: list[Case] = [
    *((f"tent {m}", made.tent_power(m), cube(1), 2**m, 2**m, 2**m) for m in (1, 2, 3, 6)),
    ("tent 1 on R", made.tent_power(1), everywhere(1), 3, 3, 3),
    *(
        (f"tent {m} on R", made.tent_power(m), everywhere(1), 2**m + 2, 2**m + 2, 2**m + 1)
        for m in (2, 3, 5)
    ),
    ("hat power 1", made.tent3_power(1), everywhere(1), 4, 4, 3),
    *(
        (f"hat power {m}", made.tent3_power(m), everywhere(1), 2**m + 2, 2**m + 2, None)
        for m in (2, 3, 5)
    ),
    *(
        (f"sum tent {d} {m}", made.sum_tent(d, m), cube(d), 2 ** (m * d), 2 ** (m * d), maps)
        for d, m, maps in ((2, 1, 4), (2, 2, 12), (2, 3, 28), (3, 1, 8), (3, 2, 32))
    ),
    *(
        (f"mean tent {d} {m}", made.mean_tent(d, m), cube(d), 2**m, 2**m, 2**m)
        for d, m in ((2, 1), (2, 3), (3, 2), (4, 3))
    ),
    *(
        (f"fold {d} {p} {n}", made.montufar_fold(d, p, n), cube(d), cells, cells, None)
        for d, p, n, cells in ((1, 2, 3, 8), (2, 2, 2, 16), (2, 3, 2, 81), (3, 2, 1, 8))
    ),
    ("fold, last layer", FOLDED, cube(2), 16 * zaslavsky(3, 2), 105, 93),
    ("fold, last layer, ones", FOLDED_WITH_ONES, cube(2), 16 * zaslavsky(3, 2), 101, None),
    *(
        (f"zonotope {d} {n}", made.zonotope_norm(d, n), everywhere(d), central(n, d), linear, None)
        for d, n, linear in ((2, 3, 6), (2, 5, 10), (3, 4, 14), (3, 5, 22), (4, 4, 16))
    ),
    ("saw 2 3 1", made.zonotope_saw(2, 3, 1), everywhere(2), 12, 12, None),
    ("saw 2 3 2", made.zonotope_saw(2, 3, 2), everywhere(2), 30, 25, None),
    ("saw 2 3 3", made.zonotope_saw(2, 3, 3), everywhere(2), 54, 49, None),
    ("saw 3 4 2", made.zonotope_saw(3, 4, 2), everywhere(3), 70, 57, None),
    *(
        (f"max {n}", made.max_tree(n), everywhere(n), act, n, n)
        for n, act in ((2, 4), (3, 13), (4, 33), (5, 101))
    ),
    *((f"l1 {d}", made.l1_norm(d), everywhere(d), 2**d, 2**d, 2**d) for d in (1, 2, 3, 5)),
    *(
        (f"linf {d}", made.linf_norm(d), everywhere(d), 2 ** (2 * d - 1), 2 * d, 2 * d)
        for d in (1, 2, 3, 4)
    ),
    *(
        (f"sort {n}", made.sort_network(n), everywhere(n), factorial(n + 1), factorial(n), None)
        for n in (2, 3, 4)
    ),
    ("median", made.median3(), everywhere(3), 24, 6, 3),
    ("hanin", made.hanin_max(PLANES), cube(2), 6, 6, 6),
    *((f"parity {d}", made.parity_shallow(d), cube(d), d, d, d) for d in (1, 2, 3, 4, 6)),
    *((f"tents {d}", made.parity_tent(d), cube(d), d, d, d) for d in (1, 2, 3, 4, 6)),
    *(
        (f"xor tree {k}", made.parity_xor_tree(k), cube(2**k), cells, cells, None)
        for k, cells in ((1, 2), (2, 8), (3, 128))
    ),
    ("xor of two", made.xor2(), cube(2), 2, 2, 2),
    *(
        (f"corners {d}", made.corner_interp(d, range(1, 2**d + 1)), cube(d), n, n, n)
        for d, n in ((2, 5), (3, 9), (4, 17))
    ),
    *((f"wide caps {d}", wide_caps(d), cube(d), n, n, None) for d, n in ((2, 4), (3, 21))),
    *((f"l1 to corners {d}", made.vertex_dist_l1(d), cube(d), 2**d, 2**d, 2**d) for d in (2, 3, 4)),
    *(
        (
            f"linf to corners {d}",
            made.vertex_dist_linf(d),
            cube(d),
            2 ** (2 * d - 1),
            d * 2**d,
            2 * d,
        )
        for d in (1, 2, 3)
    ),
    *((f"hats {d}", made.corner_hats(d), cube(d), 2 ** (d + 1), 2**d + 1, None) for d in (2, 3, 4)),
    *(
        (f"shallow hats {d}", made.corner_hats_shallow(d), cube(d), 2**d + 1, 2**d + 1, None)
        for d in (2, 3, 4)
    ),
    *(
        (f"trapezoid {d}", made.l1_trapezoid(d), everywhere(d), 3 * 2**d, 2**d + 2, None)
        for d in (2, 3, 4)
    ),
    ("trapezoid 1", made.l1_trapezoid(1), everywhere(1), 6, 5, 4),
    *(
        (f"squares {d} {k}", made.radial_sq(d, k), cube(d, -k, k), n, n, n)
        for d, k, n in ((1, 2, 4), (2, 2, 16), (2, 3, 36), (3, 2, 64))
    ),
    ("annulus 2", made.radial_annulus(2, 2, 1, 3), cube(2, -2, 2), 40, 26, None),
    ("annulus 3", made.radial_annulus(2, 3, 1, 3), cube(2, -3, 3), 60, 26, None),
    *((f"deep {n}", made.radial_deep(2, abs, n, n), cube(2, -1), c, c, None) for n, c in DEEP),
    *(
        (f"ridges {d} {k}", made.norm_ridges(d, k), everywhere(d), n, n, n)
        for d, k, n in ((2, 1, 2), (2, 4, 8), (2, 7, 14), (3, 5, central(5, 3)), (4, 5, 30))
    ),
    *(
        (f"product {n} {k}", made.inner_product_pl(n, k), everywhere(2 * n), cells, cells, None)
        for n, k, cells in ((1, 1, 9), (1, 2, 25), (2, 1, 81))
    ),
    *(
        (f"plane fold {m}", made.fold2d(m), everywhere(2), 2 ** (m + 3), 2 ** (m + 3), 2 ** (m + 2))
        for m in (0, 1, 2, 3)
    ),
    *((f"yarotsky {m}", made.yarotsky_square(m), cube(1), 2**m, 2**m, 2**m) for m in (1, 2, 3, 5)),
    ("shallow", SHALLOW, cube(2), 10, 10, None),
    ("narrow", made.narrow(SHALLOW), cube(2), 10, 10, None),
    ("Courant", made.hat2d(), everywhere(2), 12, 7, 7),
    ("bent", made.bent(), everywhere(2), 5, 3, 3),
    ("g 3", made.safran_g(3), cube(3, -1, 1), 102, 33, None),
    ("h 1", made.l2_hierarchy(2, 1), cube(2, -1, 1), 48, 10, None),
    ("h 2", made.l2_hierarchy(2, 2), cube(2, -1, 1), 432, 28, None),
    *(
        (f"hinge {d}", made.corner_hinge(d), cube(d), 2 ** (d + 2), 2 ** (d + 1) + 1, None)
        for d in (2, 3, 4, 5)
    ),
    *(
        (
            f"cube's hinge {d}",
            made.corner_hinge(d, is_for_cube=True),
            cube(d),
            2 ** (d + 2),
            2 ** (d + 1) + 1,
            None,
        )
        for d in (2, 3, 4)
    ),
    ("hinge 2 on R", made.corner_hinge(2), everywhere(2), 36, 25, None),
    ("hinge 3 on R", made.corner_hinge(3), everywhere(3), 160, 97, None),
    *(
        (f"shallow hinge {d}", made.corner_hinge_shallow(d), cube(d), act, linear, None)
        for d, act, linear in ((2, 11, 9), (3, 31, 17), (4, 61, 33))
    ),
    *(
        (f"layered {d}", made.layered_hinge(d), cube(d, -1, 1), 2 ** (d + 2), linear, None)
        for d, linear in ((2, 9), (3, 17), (4, 25), (5, 49))
    ),
]


def counts(net: plr.Network, domain: Domain, wants_maps: bool) -> tuple[int, int, int | None]:
    act = plr.count_regions(net, domain)
    linear = plr.count_regions(net, domain, kind="linear")
    maps = plr.count_regions(net, domain, kind="maps") if wants_maps else None
    assert act.is_complete
    return int(act), int(linear), None if maps is None else int(maps)


@pytest.mark.parametrize(
    ("net", "domain", "act", "linear", "maps"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_counts(net: plr.Network, domain: Domain, act: int, linear: int, maps: int | None) -> None:
    assert counts(net, domain, maps is not None) == (act, linear, maps)


@pytest.mark.slow
def test_counts_of_safran_g_4() -> None:
    regions = plr.enumerate_regions(made.safran_g(4), cube(4, -1, 1))
    assert (len(regions), regions.linear.n_regions) == (3153, 877)


@pytest.mark.slow
def test_maximum_of_five_is_a_coordinate_in_every_region() -> None:
    """That of the largest, so that there are 5 maps, on R^5."""
    net = made.max5_two_hidden()
    regions = plr.enumerate_regions(net, everywhere(5))
    assert len(regions) == 3870
    largest = np.argmax(regions.interior_points, axis=1)
    maps = np.array([net.affine_map(pattern)[0][0] for pattern in regions.patterns])
    assert (maps == np.eye(5)[largest]).all()
    assert set(largest) == set(range(5))


def test_counts_catch_a_planted_fault() -> None:
    """One knee moved by 1/100: two cells of the fold appear or vanish."""
    moved = [(*FINAL[0][:2], Fraction(-91, 100)), (-1, 1, 0), FINAL[2]]
    planted = made.montufar_fold(2, 2, 2, moved, (1, 3, -5))
    assert counts(planted, cube(2), True) != (112, 105, 93)


WIDTHS = [
    (made.max_tree(3), (5, 3)),
    (made.max_tree(4), (6, 3)),
    (made.max_tree(5), (8, 5, 3)),
    (made.max5_two_hidden(), (37, 27)),
    (made.safran_g(3), (10, 6, 1)),
    (made.safran_g(4), (26, 8, 1)),
    (made.l2_hierarchy(2, 1), (8, 3)),
    (made.l2_hierarchy(2, 2), (8, 8, 3)),
    (made.corner_hinge(5), (15, 2, 1)),
    (made.corner_hinge(5, is_for_cube=True), (10, 2, 1)),
    (made.corner_hinge_shallow(5), (21, 32)),
    (made.layered_hinge(5), (10, 2, 2)),
    (made.corner_hats(4), (8, 1)),
    (made.corner_hats_shallow(4), (16,)),
    (made.tent_power(4), (2,) * 4),
    (made.tent3_power(4), (3,) * 4),
    (made.sum_tent(3, 2), (6, 6)),
    (made.montufar_fold(2, 3, 2), (6, 6)),
    (made.parity_shallow(5), (5,)),
    (made.parity_tent(5), (2, 2, 2)),
    (made.parity_xor_tree(3), (8, 4, 2)),
    (made.yarotsky_square(3), (3, 3, 3)),
    (made.hanin_max(PLANES), (3,) * 5),
    (made.hat2d(), (6, 1)),
    (made.l1_trapezoid(3), (6, 2)),
    (made.radial_sq(3, 2), (12,)),
    (made.radial_deep(3, abs, 4, 5), (24, 5)),
    (made.norm_ridges(2, 5), (10,)),
    (made.norm_ridges(4, 5), (10,)),
    (made.zonotope_norm(2, 3), (6,)),
    (made.fold2d(2), (4, 3, 3, 3)),
]


@pytest.mark.parametrize(("net", "widths"), WIDTHS)
def test_widths(net: plr.Network, widths: tuple[int, ...]) -> None:
    assert net.widths == widths


def test_first_layer_of_the_maximum_of_five() -> None:
    """Opposite neurons lie on one hyperplane; all go through 0."""
    first = made.max5_two_hidden().layers[0]
    assert not first.bias.any()
    lines = {max(tuple(row), tuple(-row)) for row in first.weight}
    assert len(lines) == 22


# The largest squared gradient, by dimension from 2 on.
STEEPEST = {
    "hinge": (made.corner_hinge, cube, ("41/4", "149/9", "183/8", "146/5")),
    "layered": (
        made.layered_hinge,
        lambda d: cube(d, -1, 1),
        ("128/9", "432/49", "1024/169", "2000/441"),
    ),
}


@pytest.mark.parametrize("name", STEEPEST)
def test_lipschitz_constants(name: str) -> None:
    construction, domain, squares = STEEPEST[name]
    for d, square in enumerate(squares, 2):
        net = construction(d)
        found = {
            sum(g * g for g in net.affine_map(region.pattern, exact=True)[0][0])
            for region in plr.enumerate_regions(net, domain(d))
        }
        assert max(found) == Fraction(square)
