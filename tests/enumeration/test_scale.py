"""Numbers of every size: a network, and the same one written with ordinary numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.plain_regions import plain_regions

import plregions as plr
from plregions.domain import Domain
from plregions.network import restrict

SQUARE = plr.hypercube(2, -1, 1)
TWO = Fraction(2)


def patterns(net: plr.Network, domain: Domain) -> list[str]:
    regions = plr.enumerate_regions(net, domain)
    assert regions.is_complete
    inner_net, inner = restrict(net, domain)
    for region in regions:
        assert inner.contains(region.exact_point)
        assert inner_net.pattern_at(region.exact_point) == region.pattern
    return regions.pattern_strings()


def plain_patterns(net: plr.Network, domain: Domain) -> list[str]:
    return sorted(plain_regions(*restrict(net, domain)))


def arrays(net: plr.Network) -> list[tuple[Any, Any]]:
    return [(layer.weight, layer.bias) for layer in net.layers]


def fractions(array: Any) -> Any:
    return np.vectorize(Fraction, otypes=[object])(array)


@pytest.mark.parametrize("exponents", [(-540, 540), (540, -540), (-540, 0), (0, -1000), (990, 0)])
@pytest.mark.parametrize("seed", range(3))
def test_layers_scaled_by_powers_of_two(exponents: tuple[int, int], seed: int) -> None:
    """Biases scale with all layers up to their own, so that no sign changes."""
    net = plr.mlp([2, 6, 5, 1], seed=seed)
    (w0, b0), (w1, b1), (w2, b2) = arrays(net)
    s, t = (2.0**e for e in exponents)
    scaled = plr.Network(
        [
            (w0 * s, b0 * s),
            (w1 * t, fractions(b1) * (Fraction(s) * Fraction(t))),
            (w2, b2),
        ]
    )
    assert patterns(scaled, SQUARE) == patterns(net, SQUARE)


@pytest.mark.parametrize(
    ("s", "t"), [(2.0**-538, 2.0**-537), (2.0**-700, 2.0**-700), (1e300, 1e300)]
)
def test_products_of_layers_that_no_float_holds(s: float, t: float) -> None:
    """No bias, so that scaling both layers changes no sign; the product leaves float64's range."""
    net = plr.mlp([2, 6, 6, 1], seed=5)
    (w0, _), (w1, _), (w2, _) = arrays(net)
    # A factor that is not a power of two rounds the weights: compare with the rounded ones.
    rounded0, rounded1 = w0 * s, w1 * t
    twin = plr.Network([(fractions(rounded0) / Fraction(s), None),
                        (fractions(rounded1) / Fraction(t), None), (w2, [0])])  # fmt: skip
    scaled = plr.Network([(rounded0, None), (rounded1, None), (w2, [0])])
    assert patterns(scaled, SQUARE) == patterns(twin, SQUARE)
    assert len(patterns(twin, SQUARE)) > 15


@pytest.mark.parametrize("seed", range(3))
def test_subnormal_weights(seed: int) -> None:
    """Weights of a few units of 2^-1074; the twin has small integers."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(-9, 10, (6, 2)).astype(float), rng.integers(-5, 6, 6).astype(float)
    out = (rng.normal(0, 1, (1, 6)), [0])
    tiny = plr.Network([(whole[0] * 2.0**-1074, whole[1] * 2.0**-1074), out])
    assert patterns(tiny, SQUARE) == patterns(plr.Network([whole, out]), SQUARE)
    assert patterns(tiny, SQUARE) == plain_patterns(plr.Network([whole, out]), SQUARE)


def test_weights_near_the_largest_float() -> None:
    net = plr.mlp([2, 6, 4, 1], seed=1)
    (w0, b0), (w1, b1), last = arrays(net)
    huge = plr.Network([(w0 * 2.0**1022, b0 * 2.0**1022), (w1, fractions(b1) * TWO**1022), last])
    assert patterns(huge, SQUARE) == patterns(net, SQUARE)


def test_bias_beside_weights_of_another_size() -> None:
    rows = [[1e-300, 1], [1, 1e-300], [1e300, 1e-300], [1, 1]]
    net = plr.Network([(rows, [0, 1e-300, 1e-300, -1e-300]), ([[1, 2, 3, 4]], [0])])
    assert patterns(net, SQUARE) == plain_patterns(net, SQUARE)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_box_far_from_the_origin(dim: int) -> None:
    """[1e8, 1e8 + 1]^d, against the same network moved to [0, 1]^d in rationals."""
    near = plr.mlp([dim, 7, 4, 1], seed=dim)
    (w0, b0), second, last = arrays(near)
    shift = fractions(w0).sum(axis=1) * 10**8
    far = plr.Network([(w0, fractions(b0) - shift), second, last])
    expected = patterns(near, plr.hypercube(dim))
    assert len(expected) > 3
    assert patterns(far, plr.hypercube(dim, 10**8, 10**8 + 1)) == expected


def test_float_biases_far_from_the_origin() -> None:
    weight = np.array([[1.0, 1.0], [1.0, -1.0], [3.0, 1.0]])
    net = plr.Network([(weight, [-2e8 - 1, 1e-9, -4e8 - 1.5]), ([[1, 1, 1]], [0])])
    domain = plr.hypercube(2, 1e8, 1e8 + 1)
    assert patterns(net, domain) == plain_patterns(net, domain)


@pytest.mark.parametrize("reach", [1e-300, 1e300, Fraction(1, 10**400), 5e-324, 10**300])
def test_boxes_of_every_size(reach: Any) -> None:
    net = plr.Network(
        [([[1, 2], [3, -1], [1, 0]], [0, 0, Fraction(reach) / 3]), ([[1, 1, 1]], [0])]
    )
    twin = plr.Network([([[1, 2], [3, -1], [1, 0]], [0, 0, Fraction(1, 3)]), ([[1, 1, 1]], [0])])
    assert patterns(net, plr.hypercube(2, -reach, reach)) == plain_patterns(twin, SQUARE)


def test_a_box_that_is_long_and_thin() -> None:
    net = plr.Network([([[1e-9, 1e9], [1, -1e18], [1, 0]], [0, 0, 1]), ([[1, 1, 1]], [0])])
    twin = plr.Network([([[1, 1], [1, -1], [1, 0]], [0, 0, 1e-9]), ([[1, 1, 1]], [0])])
    # x = 1e9 u and y = 1e-9 v, with both factors as the floats that they are.
    exact = plr.Box([-(10**9), -Fraction(1, 10**9)], [10**9, Fraction(1, 10**9)])
    assert len(patterns(net, exact)) == len(plain_patterns(net, exact))
    assert len(patterns(twin, SQUARE)) == len(plain_patterns(twin, SQUARE))


@pytest.mark.parametrize("seed", range(3))
def test_a_slice_whose_origin_is_not_dyadic(seed: int) -> None:
    net = plr.mlp([3, 5, 4, 1], seed=seed)
    origin = [Fraction(1, 3), Fraction(-1, 7), Fraction(1, 10)]
    vectors = [[Fraction(2, 3), 1, 0], [0, Fraction(1, 9), 1]]
    domain = plr.Slice(origin, vectors, SQUARE)
    (w0, b0), second, last = arrays(net)
    by_hand = plr.Network(
        [(fractions(w0) @ np.array(vectors, dtype=object).T,
          fractions(b0) + fractions(w0) @ np.array(origin, dtype=object)), second, last]
    )  # fmt: skip
    assert patterns(net, domain) == patterns(by_hand, SQUARE)
    assert patterns(net, domain) == plain_patterns(by_hand, SQUARE)


def test_rational_rows_are_the_float_rows_over_three() -> None:
    net = plr.mlp([2, 6, 5, 1], seed=2)
    (w0, b0), (w1, b1), last = arrays(net)
    thirds = plr.Network([(fractions(w0) / 3, fractions(b0) / 3), (fractions(w1) * 3, b1), last])
    assert patterns(thirds, SQUARE) == patterns(net, SQUARE)


ULP = 2.0**-52


@pytest.mark.parametrize(
    ("weight", "bias", "expected"),
    [
        ([[1, 1], [1, 1 + ULP]], [0, 0], 4),  # two lines that cross at 0
        ([[1, 1], [1, 1]], [0, 5e-324], 3),  # two lines 1e-324 apart
        ([[0.1, 0.3], [0.1 * 3, 0.3 * 3]], [0, 0], 4),  # 3 * 0.1 rounds: not proportional
        ([[Fraction(1, 10), Fraction(3, 10)], [Fraction(3, 10), Fraction(9, 10)]], [0, 0], 2),
        ([[1, 0], [1, 0]], [-1, -1 + ULP / 2], 2),  # one line along the side, one beside it
    ],
)
def test_rows_that_differ_by_one_ulp(weight: Any, bias: Any, expected: int) -> None:
    net = plr.Network([(weight, bias), ([[1, 1]], [0])])
    assert patterns(net, SQUARE) == plain_patterns(net, SQUARE)
    assert len(patterns(net, SQUARE)) == expected


@pytest.mark.parametrize("width", ["1e-17", "1e-40", "1e-400"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_slivers_that_hold_no_float(width: str, dim: int) -> None:
    """Between x = 1/3 and x = 1/3 + width: the region's point is rational."""
    row = [1] + [0] * (dim - 1)
    third = Fraction(1, 3)
    net = plr.Network([([row, row], [-third, -third - Fraction(width)]), ([[1, 1]], [0])])
    domain = plr.hypercube(dim, -1, 1)
    regions = plr.enumerate_regions(net, domain)
    assert patterns(net, domain) == ["00", "10", "11"]
    x = regions[1].exact_point[0]
    assert third < x < third + Fraction(width)
    assert float(x) == 1 / 3 == regions[1].interior_point[0]
    assert [[r.index for r in region.neighbours] for region in regions] == [[1], [0, 2], [1]]
    assert [region.n_facets for region in regions] == [2 * dim] * 3


def test_a_deep_network_inside_a_sliver() -> None:
    """A second layer cuts the sliver, across and along."""
    eps = Fraction(1, 10**20)
    first = ([[1, 0], [1, 0], [0, 1]], [Fraction(-1, 3), Fraction(-1, 3) - eps, 1])
    second = ([[1, -1, eps / 3], [2, 0, -eps], [0, 0, 1]], [-eps / 2, 0, -1])
    net = plr.Network([first, second, ([[1, 1, 1]], [0])])
    assert patterns(net, SQUARE) == plain_patterns(net, SQUARE)
    assert len(plr.enumerate_regions(net, SQUARE).exact_points) > 0


@pytest.mark.parametrize(
    "slope", [Fraction(1, 10**400), 10**400, 2.0**-1074, 1e-310, -1e308, Fraction(1, 2**1075)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_slopes_that_float64_holds_badly_or_not_at_all(slope: Any, sign: int) -> None:
    """A slope that rounds to 0 is not 0: the second layer still sees what it lets through."""
    net = plr.Network(
        [
            ([[1, 0], [0, 1]], [0, 0], (slope, 1)),
            ([[-1, 0], [sign, 1], [sign, -1]], [0, 0, 0], "relu"),
        ]
    )
    assert patterns(net, SQUARE) == plain_patterns(net, SQUARE)


def test_large_slopes_times_subnormal_ones() -> None:
    """The products are ordinary numbers; each factor alone loses bits."""
    large, small = 2.0**990, 3 * 2.0**-1074
    for seed in range(4):
        rng = np.random.default_rng(seed)
        layers = [
            (rng.normal(0, 1, (3, 2)), rng.normal(0, 0.3, 3), (large, 3 * large)),
            (rng.normal(0, 1, (3, 3)), None, (small, 5 * small)),
            (rng.normal(0, 1, (2, 3)), None, "relu"),
        ]
        net = plr.Network(layers)
        assert patterns(net, SQUARE) == plain_patterns(net, SQUARE)
