"""Linear regions and distinct affine maps: closed forms, and exact maps as an oracle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.regions import linear

Counts = tuple[int, int, int]


def counts(net: plr.Network, domain: Any) -> Counts:
    regions = plr.enumerate_regions(net, domain)
    assert regions.is_complete
    found = regions.linear
    by_kind = [
        int(plr.count_regions(net, domain, kind=kind))  # type: ignore[arg-type]
        for kind in ("activation", "linear", "maps")
    ]
    assert by_kind == [len(regions), found.n_regions, found.n_maps]
    assert sorted(np.concatenate([found.members(i) for i in range(found.n_regions)])) == list(
        range(len(regions))
    )
    return len(regions), found.n_regions, found.n_maps


def median_of_three() -> plr.Network:
    """The middle output of odd-even transposition sort: each comparator keeps a + b and max."""
    # Units a comparator of x and y needs: relu(x - y), and x, y carried by relu(v) - relu(-v).
    layers: list[Any] = []
    read: list[list[Fraction]] = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
    for low, high in ((0, 1), (1, 2), (0, 1)):
        wires = [np.array(row, dtype=object) for row in read]
        passed = ({0, 1, 2} - {low, high}).pop()
        units = [wires[low] - wires[high]]
        for wire in (low, high, passed):
            units += [wires[wire], -wires[wire]]
        layers.append((np.array(units), [0] * 7))
        # Outputs from the units d, +-a, +-b, +-c: minimum a - d, maximum b + d.
        e = np.eye(7, dtype=object)
        read = [[]] * 3
        read[low] = list(e[1] - e[2] - e[0])
        read[high] = list(e[3] - e[4] + e[0])
        read[passed] = list(e[5] - e[6])
    layers.append(([read[1]], [0]))
    return plr.Network(layers)


def tent(m: int) -> plr.Network:
    layers: list[Any] = [([[1], [1]], [0, "-1/2"])]
    layers += [([[2, -4], [2, -4]], [0, "-1/2"])] * (m - 1)
    return plr.Network([*layers, ([[2, -4]], [0])])


HAT = plr.Network([([[1], [1], [1]], ["-1/4", "-1/2", "-3/4"]), ([[1, -2, 1]], [0])])
DIAMOND = plr.Network([
    ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4), ([[-1] * 4], ["1/2"]), ([[1]], [0]),
])  # fmt: skip
BENT = plr.Network([
    ([[1, 0], [-1, 0], [0, 1]], [0, 0, 0]), ([[1, -1, -1]], [0]), ([[1]], [0]),
])  # fmt: skip


@pytest.mark.parametrize(
    ("net", "domain", "expected"),
    [
        (HAT, plr.Box([0], [1]), (4, 4, 3)),
        (plr.Network([([[1], [-1]], [0, 0]), ([[1, -1]], [0])]), plr.Box([-1], [1]), (2, 1, 1)),
        (tent(2), plr.Box([-3], [3]), (6, 6, 5)),
        (tent(5), plr.Box([0], [1]), (32, 32, 32)),
        (DIAMOND, plr.hypercube(2, -1, 1), (8, 5, 5)),
        (BENT, plr.hypercube(2, -1, 1), (5, 3, 3)),
    ],
)
def test_closed_forms(net: plr.Network, domain: Any, expected: Counts) -> None:
    assert counts(net, domain) == expected


def test_median_of_three() -> None:
    assert counts(median_of_three(), plr.hypercube(3, -1, 1)) == (24, 6, 3)


def test_non_convex_regions_are_found() -> None:
    diamond = plr.enumerate_regions(DIAMOND, plr.hypercube(2, -1, 1))
    verdicts = {
        len(diamond.linear.members(i)): diamond.is_convex(i)
        for i in range(diamond.linear.n_regions)
    }
    # The zero piece surrounds the diamond; the diamond's four pieces are triangles.
    assert verdicts == {4: False, 1: True}
    bent = plr.enumerate_regions(BENT, plr.hypercube(2, -1, 1))
    shapes = [bent.is_convex(i) for i in range(bent.linear.n_regions)]
    assert sorted(shapes) == [False, True, True]


def test_convexity_needs_a_program_where_points_do_not_show_it() -> None:
    # An L of three unit squares: the points stand on the right sides of both inner walls.
    def square(x: int, y: int) -> list[linear.Row]:
        rows = [(1, 0, -x), (-1, 0, x + 1), (0, 1, -y), (0, -1, y + 1)]
        return [tuple(Fraction(v) for v in row) for row in rows]

    cells = [[*square(0, 0)], [*square(1, 0)], [*square(0, 1)]]
    walls = [tuple(map(Fraction, row)) for row in [(-1, 0, 1), (0, -1, 1)]]
    near = [(Fraction(1, 9), Fraction(1, 9))] * 3
    assert not linear.union_is_convex(cells, walls, near)
    assert linear.union_is_convex(cells[:1], walls, near[:1])


@pytest.mark.parametrize("seed", range(20))
def test_labels_are_those_of_exact_maps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    widths = [2, *rng.integers(2, 5, size=2), 2]
    layers: list[Any] = []
    for n_in, n_out in zip(widths, widths[1:], strict=False):
        weight = rng.integers(-2, 3, size=(n_out, n_in))
        bias = [Fraction(int(v), 3) for v in rng.integers(-3, 4, size=n_out)]
        layers.append((weight, bias, [(Fraction(1, 3), 1)] * n_out if seed % 3 == 0 else "relu"))
    net = plr.Network(layers)
    regions = plr.enumerate_regions(net, plr.hypercube(2, -2, 2))
    maps: dict[Any, int] = {}
    labels = []
    for region in regions:
        weight, bias = region.affine_map(exact=True)
        labels.append(maps.setdefault((*weight.ravel(), *bias), len(maps)))
    assert regions.linear.map_labels.tolist() == labels
    graph = regions.to_networkx(same_map=True)
    for a, b, same in graph.edges(data="same_map"):
        assert same == (labels[a] == labels[b])
        assert (regions.linear.labels[a] == regions.linear.labels[b]) >= same


def test_residues_only_separate(monkeypatch: pytest.MonkeyPatch) -> None:
    # With one prime of 3 many different maps have equal residues; the exact maps part them.
    monkeypatch.setattr(linear, "primes_for", lambda network: iter([3]))
    assert counts(tent(5), plr.Box([0], [1])) == (32, 32, 32)
    regions = plr.enumerate_regions(tent(5), plr.Box([0], [1]))
    # Planted fault: residues taken for maps.
    monkeypatch.setattr(np, "flatnonzero", lambda a: np.zeros(0, dtype=np.int64))
    assert linear.map_labels(regions.network, regions.patterns).max() < 31


def test_maps_that_differ_by_one_ulp_differ() -> None:
    slope = float(np.nextafter(1.0, 2.0))
    net = plr.Network([([[1.0], [-1.0]], [0.0, 0.0]), ([[1.0, -slope]], [0.0])])
    assert counts(net, plr.Box([-1], [1])) == (2, 2, 2)


def test_kinds_are_checked() -> None:
    with pytest.raises(plr.PLRegionsError, match='kind needs one of "activation"'):
        plr.count_regions(HAT, plr.Box([0], [1]), kind="affine")  # type: ignore[arg-type]
    part = plr.enumerate_regions(HAT, plr.Box([0], [1]), max_regions=2)
    with pytest.raises(plr.PLRegionsError, match="complete complex"):
        part.is_convex(0)
