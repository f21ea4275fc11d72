"""Arrangements as networks: regions and bounded regions against closed forms, rows against rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, factorial
from typing import Any

import numpy as np
import pytest
from oracles import arrangements as oracle

import plregions as plr
from plregions import constructions as made

C4 = [(0, 1), (1, 2), (2, 3), (3, 0)]
K4 = [(i, j) for j in range(4) for i in range(j)]


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


def linial(n: int) -> int:
    return sum(comb(n, k) * (k + 1) ** (n - 1) for k in range(n + 1)) // 2**n


def falling(t: int, n: int) -> int:
    """t (t - 1) ... (t - n + 1): the chromatic polynomial of the complete graph."""
    return int(np.prod([t - i for i in range(n)]))


# Name, network, regions, regions that are bounded up to common lines.
CASES: list[tuple[str, plr.Network, int, int]] = [
    *(
        (f"generic {n} {d}", made.generic_arrangement(n, d), r, b)
        for n, d, r, b in (
            (3, 2, 7, 1),
            (4, 2, 11, 3),
            (5, 3, 26, 4),
            (6, 3, 42, 10),
            (7, 4, 99, 15),
        )
    ),
    *(
        (f"central {n} {d}", made.central_arrangement(n, d), r, 0)
        for n, d, r in ((3, 2, 6), (5, 3, 22), (7, 4, 84))
    ),
    *((f"boolean {n}", made.boolean_arrangement(n), 2**n, 0) for n in (1, 2, 3, 5)),
    *((f"cube {n}", made.cube_arrangement(n), 3**n, 1) for n in (1, 2, 3, 4)),
    *((f"braid {n}", made.braid_arrangement(n), factorial(n), 0) for n in (2, 3, 4, 5)),
    *((f"type B {n}", made.type_b_arrangement(n), 2**n * factorial(n), 0) for n in (1, 2, 3)),
    *((f"type D {n}", made.type_d_arrangement(n), 2 ** (n - 1) * factorial(n), 0) for n in (2, 3)),
    ("a circle of four", made.graphic_arrangement(C4), 14, 0),
    ("all pairs of four", made.graphic_arrangement(K4), abs(falling(-1, 4)), 0),
    ("a path", made.graphic_arrangement([(0, 1), (1, 2)]), 4, 0),
    *(
        (f"Shi {n}", made.shi_arrangement(n), (n + 1) ** (n - 1), (n - 1) ** (n - 1))
        for n in (2, 3, 4)
    ),
    *(
        (
            f"Catalan {n}",
            made.catalan_arrangement(n),
            factorial(n) * catalan(n),
            factorial(n) * catalan(n - 1),
        )
        for n in (2, 3, 4)
    ),
    *(
        (f"semiorder {n}", made.semiorder_arrangement(n), r, b)
        for n, r, b in ((2, 3, 1), (3, 19, 7), (4, 183, 61))
    ),
    *(
        (f"Linial {n}", made.linial_arrangement(n), linial(n), b)
        for n, b in ((2, 0), (3, 1), (4, 4), (5, 26))
    ),
    *(
        (f"resonance {n}", made.resonance_arrangement(n), r, 0)
        for n, r in ((1, 2), (2, 6), (3, 32), (4, 370))
    ),
    *(
        (f"threshold {n}", made.threshold_arrangement(n), r, 0)
        for n, r in ((1, 4), (2, 14), (3, 104))
    ),
]


def regions_of(net: plr.Network) -> plr.RegionComplex:
    return plr.enumerate_regions(net, plr.WholeSpace(net.input_dim))


@pytest.mark.parametrize(
    ("net", "n", "n_bounded"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_regions(net: plr.Network, n: int, n_bounded: int) -> None:
    """Every kind of count is the number of regions."""
    regions = regions_of(net)
    assert regions.is_complete
    assert len(regions) == regions.linear.n_regions == regions.n_maps == n
    rows = hyperplanes(net)
    assert len(rows) == len(set(rows)) == net.n_neurons
    assert regions.n_relatively_bounded == n_bounded


def hyperplanes(net: plr.Network) -> list[tuple[int, ...]]:
    """The rows (a, c) of the first layer, leading entry positive."""
    layer = net.layers[0]
    rows = []
    for a, c in zip(layer.weight.tolist(), layer.bias.tolist(), strict=True):
        row = tuple(int(v) for v in (*a, c))
        rows.append(row if next(v for v in row if v) > 0 else tuple(-v for v in row))
    return rows


ROWS: list[tuple[Callable[[int], plr.Network], Callable[[int], Any]]] = [
    (made.boolean_arrangement, oracle.boolean),
    (made.braid_arrangement, oracle.braid),
    (made.type_b_arrangement, oracle.type_b),
    (made.type_d_arrangement, oracle.type_d),
    (made.shi_arrangement, lambda n: oracle.deformed_braid(n, (0, 1))),
    (made.catalan_arrangement, lambda n: oracle.deformed_braid(n, (-1, 0, 1))),
    (made.semiorder_arrangement, lambda n: oracle.deformed_braid(n, (-1, 1))),
    (made.linial_arrangement, lambda n: oracle.deformed_braid(n, (1,))),
    (made.resonance_arrangement, oracle.resonance),
    (made.threshold_arrangement, oracle.threshold),
    (lambda n: made.generic_arrangement(n + 2, n), lambda n: oracle.moment(n + 2, n)),
    (made.cube_arrangement, lambda n: [(*r[:-1], r[-1] + 1) for r in oracle.grid(2, n)]),
]


@pytest.mark.parametrize(("construction", "rows"), ROWS)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_hyperplanes(
    construction: Callable[[int], plr.Network], rows: Callable[[int], Sequence[Any]], n: int
) -> None:
    expected = {max(row, tuple(-v for v in row)) for row in rows(n)}
    assert {max(row, tuple(-v for v in row)) for row in hyperplanes(construction(n))} == expected


# The larger closed forms of the literature, by deletion and restriction on the networks' rows.
LARGER = [
    (made.shi_arrangement, 5, 6**4, 4**4),
    (made.catalan_arrangement, 5, factorial(5) * catalan(5), factorial(5) * catalan(4)),
    (made.semiorder_arrangement, 5, 2371, 751),
    (made.linial_arrangement, 6, linial(6), 212),
    (made.resonance_arrangement, 5, 11292, None),
    (made.threshold_arrangement, 4, 1882, None),
    (made.type_d_arrangement, 4, 192, None),
    (made.type_b_arrangement, 4, 384, None),
]


@pytest.mark.parametrize(("construction", "n", "r", "b"), LARGER)
def test_larger_arrangements(
    construction: Callable[[int], plr.Network], n: int, r: int, b: int | None
) -> None:
    rows = hyperplanes(construction(n))
    assert oracle.n_regions(rows) == r
    if b is not None:
        assert oracle.n_relatively_bounded(rows) == b


def test_counts_catch_planted_faults() -> None:
    first, last = made.shi_arrangement(3).layers
    moved = plr.Network([(first.weight, [*first.bias[:-1], -2]), last])
    assert (len(regions_of(moved)), regions_of(moved).n_relatively_bounded) != (16, 4)
    assert oracle.n_regions(hyperplanes(moved)) != 16
    # Two neurons on one hyperplane, whose kinks cancel.
    doubled = plr.Network([([[1, 0], [-1, 0], [0, 1]], [0, 0, 0]), ([[1, -1, 1]], [0])])
    assert (len(regions_of(doubled)), regions_of(doubled).linear.n_regions) == (4, 2)
    assert len(set(hyperplanes(doubled))) < doubled.n_neurons


def test_output_weights_are_powers_of_a_base_above_every_entry() -> None:
    for net, base in ((made.braid_arrangement(4), 2), (made.generic_arrangement(5, 3), 32)):
        assert [Fraction(v) for v in net.layers[1].weight[0]] == [
            base**k for k in range(net.n_neurons)
        ]


def test_graphs() -> None:
    assert made.graphic_arrangement([(1, 0), (0, 1)]) == made.graphic_arrangement([[0, 1]])
    far = made.graphic_arrangement([(2, 5)])
    assert (far.input_dim, far.n_neurons) == (6, 1)
