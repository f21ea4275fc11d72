"""Arrangements: the published polynomials and numbers, and counts of networks in domains."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.arrangements import (
    boolean,
    braid,
    deformed_braid,
    moment,
    resonance,
    threshold,
    type_b,
    type_d,
)

import plregions as plr
from plregions.analysis import arrangements
from plregions.analysis.arrangements import (
    Arrangement,
    bounded_regions,
    characteristic_polynomial,
    first_layer_arrangement,
    flats_in_domain,
    regions_in_domain,
    regions_in_space,
)
from plregions.analysis.general_position import bounded_zaslavsky, central_zaslavsky, zaslavsky
from plregions.errors import InvalidInputError

Rows = Sequence[Sequence[int]]


def from_roots(*roots: int) -> tuple[int, ...]:
    """The coefficients of prod (t - root), that of t^0 first."""
    coefficients = [1]
    for root in roots:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return tuple(coefficients)


def cube_facets(n: int) -> list[tuple[int, ...]]:
    return [(*row[:-1], -c) for row in boolean(n) for c in (0, 1)]


def linial(n: int) -> int:
    return sum(comb(n, k) * (k + 1) ** (n - 1) for k in range(n + 1)) >> n


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


POLYNOMIALS: list[tuple[str, Rows, tuple[int, ...]]] = [
    *((f"boolean {n}", boolean(n), from_roots(*[1] * n)) for n in (1, 2, 4, 6)),
    *((f"cube {n}", cube_facets(n), from_roots(*[2] * n)) for n in (1, 2, 4)),
    *((f"braid {n}", braid(n), from_roots(*range(n))) for n in (2, 3, 4, 5, 6)),
    *((f"B {n}", type_b(n), from_roots(*range(1, 2 * n, 2))) for n in (2, 3, 4)),
    *((f"D {n}", type_d(n), from_roots(n - 1, *range(1, 2 * n - 2, 2))) for n in (2, 3, 4)),
    *((f"Shi {n}", deformed_braid(n, (0, 1)), from_roots(0, *[n] * (n - 1))) for n in (2, 3, 4, 5)),
    ("resonance 4", resonance(4), (104, -170, 80, -15, 1)),
    ("resonance 5", resonance(5), (-3485, 5270, -2130, 375, -31, 1)),
    ("threshold 4", threshold(4), (-465, 820, -460, 120, -16, 1)),
]

# Regions, and relatively bounded ones where they are known.
NUMBERS: list[tuple[str, Rows, int, int | None]] = [
    *((f"boolean {n}", boolean(n), 2**n, 0) for n in (1, 3, 5)),
    *((f"cube {n}", cube_facets(n), 3**n, 1) for n in (1, 2, 3, 4)),
    *((f"braid {n}", braid(n), factorial(n), 0) for n in (2, 3, 4, 5, 6)),
    *((f"B {n}", type_b(n), 2**n * factorial(n), 0) for n in (2, 3, 4)),
    *((f"D {n}", type_d(n), 2 ** (n - 1) * factorial(n), 0) for n in (2, 3, 4)),
    *(
        (f"Shi {n}", deformed_braid(n, (0, 1)), (n + 1) ** (n - 1), (n - 1) ** (n - 1))
        for n in range(2, 7)
    ),
    *(
        (
            f"Catalan {n}",
            deformed_braid(n, (-1, 0, 1)),
            factorial(n) * catalan(n),
            factorial(n) * catalan(n - 1),
        )
        for n in range(2, 6)
    ),
    *(
        (f"semiorder {n}", deformed_braid(n, (-1, 1)), r, b)
        for n, r, b in ((2, 3, 1), (3, 19, 7), (4, 183, 61), (5, 2371, 751))
    ),
    *(
        (f"Linial {n}", deformed_braid(n, (1,)), linial(n), b)
        for n, b in ((2, 0), (3, 1), (4, 4), (5, 26), (6, 212))
    ),
    *((f"resonance {n + 1}", resonance(n + 1), r, 0) for n, r in enumerate((2, 6, 32, 370, 11292))),
    *((f"threshold {n + 1}", threshold(n + 1), r, 0) for n, r in enumerate((4, 14, 104, 1882))),
    ("threshold 5", threshold(5), 94572, 0),
    ("graph C4", [braid(4)[k] for k in (0, 2, 3, 5)], 14, 0),
    *(
        (f"moment {n} {d}", moment(n, d), zaslavsky(n, d), bounded_zaslavsky(n, d))
        for n, d in ((3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (40, 2))
    ),
    *(
        (f"central {n} {d}", [(*r[:-1], 0) for r in moment(n, d)], central_zaslavsky(n, d), 0)
        for n, d in ((3, 2), (5, 3), (7, 4))
    ),
]


@pytest.mark.parametrize(("name", "rows", "polynomial"), POLYNOMIALS)
def test_polynomials(name: str, rows: Rows, polynomial: tuple[int, ...]) -> None:
    assert characteristic_polynomial(rows) == polynomial


@pytest.mark.parametrize(("name", "rows", "regions", "bounded"), NUMBERS)
def test_numbers(name: str, rows: Rows, regions: int, bounded: int | None) -> None:
    assert regions_in_space(rows) == regions
    assert bounded is None or bounded_regions(rows) == bounded


def test_published_lists() -> None:
    assert [linial(n) for n in range(2, 8)] == [2, 7, 36, 246, 2104, 21652]
    assert [factorial(n) * catalan(n) for n in range(2, 7)] == [4, 30, 336, 5040, 95040]


@pytest.mark.slow
def test_64_hyperplanes_in_seven_dimensions() -> None:
    assert regions_in_space(threshold(6)) == 15028134
    assert regions_in_space(resonance(6)) == 1066044


def net_of(rows: Rows) -> plr.Network:
    return plr.Network([([row[:-1] for row in rows], [row[-1] for row in rows], "relu")])


ROWS = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.lists(st.integers(-2, 2), min_size=d + 1, max_size=d + 1), min_size=1, max_size=6
    )
)


@given(ROWS)
def test_counts_of_networks(rows: list[list[int]]) -> None:
    """Degenerate arrangements of all sorts, in space and in a box, by the enumerator."""
    d = len(rows[0]) - 1
    net, space, box = net_of(rows), plr.WholeSpace(d), plr.hypercube(d, -1, 1)
    made = Arrangement(rows)
    assert made == first_layer_arrangement(net)
    count = int(plr.count_regions(net, space))
    assert regions_in_space(rows) == count == regions_in_domain(rows, space)
    assert regions_in_domain(rows, box) == int(plr.count_regions(net, box))
    if made.rank == d:
        assert bounded_regions(rows) == plr.enumerate_regions(net, space).n_bounded


def test_counts_see_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_merging(planes: Rows, i: int) -> tuple[tuple[int, ...], ...]:
        """Restrictions in which hyperplanes that meet in one place stay apart."""
        plane = planes[i]
        k = next(j for j, a in enumerate(plane) if a)
        return tuple(tuple(arrangements._cut(row, tuple(plane), k)) for row in planes[:i])

    rows = braid(3)
    assert regions_in_space(rows) == int(plr.count_regions(net_of(rows), plr.WholeSpace(3)))
    monkeypatch.setattr(arrangements, "_restrictions", without_merging)
    assert regions_in_space(rows) != int(plr.count_regions(net_of(rows), plr.WholeSpace(3)))


def test_flats_of_a_simple_arrangement() -> None:
    """Flats are counted one by one; their number is that of the regions."""
    n, d = 6, 3
    assert flats_in_domain(moment(n, d), plr.WholeSpace(d)) == tuple(comb(n, k) for k in range(4))
    lines = [(1, 0, 0), (0, 1, 0), (1, 1, -1), (1, -1, 5)]
    # The last meets the others beyond the square or outside of it.
    assert flats_in_domain(lines, plr.hypercube(2, -1, 1)) == (1, 3, 1)
    assert flats_in_domain(lines, plr.hypercube(2, -2, 2)) == (1, 3, 3)
    assert flats_in_domain(lines, plr.hypercube(2, -9, 9)) == (1, 4, 6)


def test_touching_is_not_meeting() -> None:
    square = plr.hypercube(2)
    assert flats_in_domain([(1, 0, 0), (1, 1, -2)], square) == (1, 0, 0)
    assert flats_in_domain([(1, -1, 0), (1, 1, -1)], square) == (1, 2, 1)
    assert regions_in_domain([(1, 1, -2 + Fraction(1, 10**30))], square) == 2


def test_mean_number_of_regions_of_a_layer_in_a_box() -> None:
    """Summed flats of random layers are the counts, network by network, hence on average."""
    rng = np.random.default_rng(5)
    box = plr.hypercube(2, -1, 1)
    for _ in range(40):
        rows = rng.normal(size=(6, 3))
        net = plr.Network([(rows[:, :2], rows[:, 2], "relu")])
        flats = flats_in_domain(first_layer_arrangement(net), box)
        assert sum(flats) == int(plr.count_regions(net, box))


def test_rows_of_every_kind() -> None:
    made = Arrangement([[1, 0, -1], ["-2", 0, 2], [0.5, 0, -0.5], [0, 0, 1], [0, 0, 0], [1, 0, 4]])
    assert made.planes == ((1, 0, -1), (1, 0, 4))
    assert (len(made), made.dim, made.rank) == (2, 2, 1)
    assert characteristic_polynomial(made) == (0, -2, 1)
    assert bounded_regions(made) == 1  # the strip, but for its line
    assert regions_in_space(Arrangement([], dim=3)) == bounded_regions(Arrangement([], 3)) == 1
    assert regions_in_domain(Arrangement([], dim=2), plr.hypercube(2)) == 1
    assert Arrangement(np.array([[1.0, 2.0]])) == Arrangement([[Fraction(1, 2), 1]])


def test_first_layer() -> None:
    layer = ([[1, 1], [-2, -2], [0, 0], [1, 0]], [0, 0, 1, 0], [(0, 1), (-1, 1), (0, 1), (1, 1)])
    net = plr.Network([layer, ([[1, 1, 1, 1]], [0])])
    assert first_layer_arrangement(net).planes == ((1, 1, 0),)


@pytest.mark.parametrize(
    "rows", [[], [[1]], [[1, 2], [1, 2, 3]], [[float("nan"), 1]], [["x", 1]], [1, 2]]
)
def test_wrong_rows(rows: list[object]) -> None:
    with pytest.raises(InvalidInputError, match="Arrangement needs"):
        Arrangement(rows)


def test_wrong_domain() -> None:
    for domain in (plr.hypercube(3), "box"):
        with pytest.raises(InvalidInputError, match="dimension 2"):
            flats_in_domain([(1, 0, 0)], domain)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="numbers"):
        Arrangement([[1, 0]], dim=2)
