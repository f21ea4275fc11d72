"""Networks that broke other tools, written out, with counts that are known exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from oracles.rational_polygons import polygons

import plregions as plr
from plregions.domain import Domain

UNIT = plr.hypercube(2)
SQUARE = plr.hypercube(2, -1, 1)
LINE = plr.hypercube(1, -1, 1)
STAR = [[1, 0], [0, 1], [1, 1]]


def shallow(weight: Any, bias: Any = None) -> list[Any]:
    """One hidden layer and an output that sums it."""
    return [(weight, bias), ([[1] * len(weight)], [0])]


def tent(m: int) -> list[Any]:
    """T(x) = 2 relu(x) - 4 relu(x - 1/2), m times."""
    first = ([[1], [1]], [0, -0.5])
    return [first, *[([[2, -4], [2, -4]], [0, -0.5])] * (m - 1), ([[2, -4]], [0])]


def tents(d: int, m: int) -> list[Any]:
    """The sum over d coordinates of tent(m), side by side."""
    layers = []
    for weight, bias in tent(m)[:-1]:
        rows, columns = len(weight), len(weight[0])
        block = [
            [weight[i][j] if a == b else 0 for b in range(d) for j in range(columns)]
            for a in range(d)
            for i in range(rows)
        ]
        layers.append((block, bias * d))
    return [*layers, ([[2, -4] * d], [0])]


def fold(d: int, p: int, n_layers: int, last: Any) -> list[Any]:
    """Zigzags with p pieces in each of d coordinates, n_layers times, then the layer ``last``."""
    signs = [p if k == 0 else 2 * p * (-1) ** k for k in range(p)]  # of relu(p x - k) / p
    zigzag = [[Fraction(s, p) if a == b else 0 for b in range(d) for s in signs] for a in range(d)]
    first = [[p if i == a else 0 for i in range(d)] for a in range(d) for _ in range(p)]
    bias = [-k for _ in range(d) for k in range(p)]
    layers: list[Any] = [(first, bias)]
    for _ in range(n_layers - 1):
        layers.append(([[p * v for v in zigzag[a]] for a in range(d) for _ in range(p)], bias))
    weight, constant, output = last
    rows = [[sum(w * z[j] for w, z in zip(row, zigzag, strict=True)) for j in range(d * p)]
            for row in weight]  # fmt: skip
    return [*layers, (rows, constant), (output, [0])]


TENTHS = [Fraction(-9, 10), Fraction(-1, 20), Fraction(-17, 10)]
FOLD_WITH_LINES = ([[1, 1], [-1, 1], [3, 1]], TENTHS, [[1, 3, -5]])

# layers, domain, regions, edges (None: not pinned)
CASES: dict[str, tuple[list[Any], Domain, int, int | None]] = {
    "B01 relu(x) - relu(-x)": ([([[1], [-1]], None), ([[1, -1]], None)], LINE, 2, 1),
    "B02 five kinks inside": (
        shallow([[1]] * 5, [0.5, 0.25, 0, -0.25, -0.5]), LINE, 6, 5,
    ),
    "B02 a kink outside and one on the end": (shallow([[1]] * 3, [0, -1, -2]), LINE, 2, 1),
    **{f"B02 tent {m}": (tent(m), plr.hypercube(1), 2**m, 2**m - 1) for m in range(1, 6)},
    "tent 4 beyond the unit interval": (tent(4), plr.Box([-1], [2]), 2**4 + 2, 2**4 + 1),
    "B10 three lines through one point": (shallow(STAR), SQUARE, 6, 6),
    "B10 three lines in general position": (shallow(STAR, [0, 0, -0.5]), SQUARE, 7, 9),
    "B11 duplicates": (shallow([[1, 0], [1, 0]]), SQUARE, 2, 1),
    "B11 opposite rows": (shallow([[1, 0], [-1, 0]]), SQUARE, 2, 1),
    "B11 proportional rows": (shallow([[1, 0], [Fraction(1, 3), 0], [-7, 0]]), SQUARE, 2, 1),
    "B11 a sliver of 1e-9": (shallow([[1, 0], [1, 0]], [0, 1e-9]), SQUARE, 3, 2),
    "B13 zero rows": (shallow([[0, 0], [0, 0], [0, 0], [1, 0]], [-1, 0, 1, 0]), SQUARE, 2, 1),
    "B14 a line along a side": (shallow([[1, 0]], [-1]), UNIT, 1, 0),
    "B14 a line through a corner": (shallow([[1, 1]], [-2]), UNIT, 1, 0),
    "B15 a dead layer": (
        [([[1, 0], [0, 1]], [-9, -9]), ([[1, 1], [1, -1]], [1, 0]), ([[1, 1]], [0])], SQUARE, 1, 0,
    ),
    "B19 a constant that cancels": (
        [([[1], [-1], [1]], None), ([[1, -1, -1], [1, -1, 0]], None), ([[1, 1]], None)],
        LINE, 2, 1,
    ),
    "B36 a corner cut off by 1e-6": (shallow([[-1, -1]], [-1e-6]), UNIT, 1, 0),
    "B57 a diamond": (
        [([[1, 0], [-1, 0], [0, 1], [0, -1]], None), ([[-1, -1, -1, -1]], [0.5]), ([[1]], None)],
        SQUARE, 8, None,
    ),
    "B74 a network that ends in ReLU": ([([[1], [-1]], [0, 0.5], "relu")], LINE, 3, 2),
    "B83 relu(x) twice, halved": ([([[1], [1]], None), ([[0.5, 0.5]], None)], LINE, 2, 1),
    "no neuron": ([([[1, 2]], [3])], SQUARE, 1, 0),
    "absolute values": ([([[1, 0], [0, 1]], None, (-1, 1)), ([[1, 1]], None)], SQUARE, 4, 4),
    "equal slopes have no bit": ([([[1, 0], [0, 1]], None, [(1, 1), (0, 1)])], SQUARE, 2, 1),
    "sum of tents, d=2 m=2": (tents(2, 2), UNIT, 16, 24),
    "sum of tents, d=3 m=1": (tents(3, 1), plr.hypercube(3), 8, 12),
    "fold with lines": (fold(2, 2, 2, FOLD_WITH_LINES), UNIT, 112, None),
    "fold, d=2 p=3 L=2": (fold(2, 3, 2, ([[1, 1]], [1], [[1]])), UNIT, 81, 144),
    "l1 norm, d=3": (
        shallow([[s * int(i == k) for i in range(3)] for k in range(3) for s in (1, -1)]),
        plr.hypercube(3, -1, 1), 8, 12,
    ),
    "zonotope, d=2 n=5": (
        shallow([[s, s * t] for t in range(1, 6) for s in (1, -1)]), SQUARE, 10, 10,
    ),
    "parity of 4": (shallow([[1] * 4] * 4, [0, -1, -2, -3]), plr.hypercube(4), 4, 3),
    "xor tree, n=4": (
        [
            ([[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]], None),
            ([[1, 1, -1, -1], [-1, -1, 1, 1]], None),
            ([[1, 1]], None),
        ],
        plr.hypercube(4), 8, None,
    ),
    "bent relu(u - relu(v))": (
        [([[1, 0], [-1, 0], [0, 1]], None), ([[1, -1, -1]], None), ([[1]], None)],
        SQUARE, 5, None,
    ),
    "Courant hat": (
        [
            ([[1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]], None),
            ([[-0.5] * 6], [1]),
            ([[1]], None),
        ],
        plr.hypercube(2, -3, 3), 12, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_regions_and_edges(name: str) -> None:
    layers, domain, n_regions, n_edges = CASES[name]
    net = plr.Network(layers)
    regions = plr.enumerate_regions(net, domain)
    assert (len(regions), regions.is_complete) == (n_regions, True)
    assert int(plr.count_regions(net, domain)) == n_regions
    if n_edges is not None:
        assert regions.n_edges == n_edges


def test_cells_that_touch_in_a_point_are_not_neighbours() -> None:
    """B10: around the common point of three lines each cell has two neighbours."""
    regions = plr.enumerate_regions(plr.Network(shallow(STAR)), SQUARE)
    assert [len(region.neighbours) for region in regions] == [2] * 6


def test_moving_domain_and_bias_together() -> None:
    """B11b, B30: from [-1, 1]^2 to [-3, -1]^2."""
    net = plr.mlp([2, 5, 1], seed=3)
    weight, bias = net.layers[0].weight, net.layers[0].bias
    exact = [
        Fraction(b) + 2 * (Fraction(w[0]) + Fraction(w[1]))
        for w, b in zip(weight.tolist(), bias.tolist(), strict=True)
    ]
    moved = plr.Network([(weight, exact), (net.layers[1].weight, net.layers[1].bias)])
    here = plr.enumerate_regions(net, SQUARE)
    there = plr.enumerate_regions(moved, plr.hypercube(2, -3, -1))
    assert here.pattern_strings() == there.pattern_strings()


def test_b16_a_gap_of_one_ulp_is_empty() -> None:
    """x >= 1 + 2^-52 and x <= 1 at once: linprog says feasible."""
    net = plr.Network(shallow([[1], [-1]], [-1 - 2.0**-52, 1]))
    regions = plr.enumerate_regions(net, plr.Box([0], [2]))
    assert regions.pattern_strings() == ["00", "01", "10"]
    check = plr.check_pattern(net, "11", plr.Box([0], [2]))
    assert not check and set(check.multipliers or ()) == {"neuron 0", "neuron 1"}
    with pytest.raises(plr.InvalidDomainError, match="contradict|empty"):
        plr.Polytope([[-1], [1]], [-1 - 2.0**-52, 1])


@pytest.mark.parametrize(("lower", "upper"), [([0, 0], [1, 0]), ([0, 0], [0, 0])])
def test_b18_fixed_inputs_are_refused_with_advice(lower: Any, upper: Any) -> None:
    with pytest.raises(plr.InvalidDomainError, match="slice|evaluate the network"):
        plr.Box(lower, upper)


def test_b18_the_slice_that_is_advised() -> None:
    net = plr.Network(shallow(STAR, [0, 0, -0.5]))
    regions = plr.enumerate_regions(net, plr.Slice([0, "1/3"], [[1, 0]], LINE))
    assert regions.pattern_strings() == ["010", "110", "111"]


def test_polygons_agree_on_the_plane_cases() -> None:
    """The counts above, once more from an independent code where it applies."""
    for layers, domain, n_regions, _ in CASES.values():
        if not isinstance(domain, plr.Box) or domain.dim != 2 or len(layers) < 2:
            continue
        if any(len(layer) > 2 for layer in layers):
            continue
        plain = [(w, [0] * len(w) if b is None else b) for w, b in layers]
        box = domain.lower.tolist(), domain.upper.tolist()
        assert len(polygons(_as_floats(plain), *box)) == n_regions


def _as_floats(layers: list[Any]) -> list[Any]:
    """The oracle takes what numpy lists; Fractions stay Fractions."""
    return [
        ([[Fraction(v) for v in row] for row in w], [Fraction(v) for v in b]) for w, b in layers
    ]
