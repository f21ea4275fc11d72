"""Local coordinates and scaled floats, against the true numbers in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plregions import enumerate_regions
from plregions.domain import Box, Polytope
from plregions.feasibility import network_columns as columns_module
from plregions.feasibility import prepare as prepare_module
from plregions.feasibility import scaled_units
from plregions.feasibility.prepare import Frame, Prepared, prepare
from plregions.kernels.rows import LINEAR_ZERO, NO_ERROR, VALUE_ZERO, layer_rows
from plregions.network import Network

Row = list[Fraction]

LEAST = Fraction(2) ** -1074
SLOPES = [
    (0, 1), (0.01, 1), (-1, 1), (Fraction(1, 3), Fraction(1, 7)), (1, 1), (0, 0), (1, 0),
    (1e300, 1e-300), (5e-324, 1), (5e-324, 1e-323), (2.0**1000, 2.0**1000),
    (Fraction(1, 10**400), 1), (1, 10**400), (Fraction(1, 10**400), Fraction(1, 10**399)),
]  # fmt: skip


def wild(rng: np.random.Generator) -> Any:
    kind = int(rng.integers(6))
    if kind == 0:
        return 0.0
    if kind == 1:
        return Fraction(int(rng.integers(-9, 10)), int(rng.integers(1, 9)))
    if kind == 2:
        return float(np.ldexp(float(rng.normal()), int(rng.integers(-1073, 1000))))
    if kind == 3:
        return Fraction(int(rng.integers(1, 9)), 10 ** int(rng.integers(0, 700)))
    if kind == 4:
        return float(rng.choice([5e-324, -5e-324, 1e-310, 2.0**-1022, 1e308, 1.0]))
    return float(rng.normal())


def network(seed: int, depth: int = 3) -> Network:
    rng = np.random.default_rng(seed)
    sizes = [int(v) for v in rng.integers(1, 4, depth + 1)]
    layers = []
    for n_in, n_out in zip(sizes, sizes[1:], strict=False):
        weight = [[wild(rng) for _ in range(n_in)] for _ in range(n_out)]
        bias = [wild(rng) for _ in range(n_out)]
        layers.append((weight, bias, [SLOPES[int(rng.integers(len(SLOPES)))] for _ in bias]))
    return Network(layers)


def box(seed: int, d: int) -> Box:
    rng = np.random.default_rng(seed)
    bounds: list[tuple[Any, Any]] = [
        (-1, 1), (0, 5e-324), (1e-320, 1e-310), (-1e308, 1e308), (Fraction(1, 3), Fraction(1, 2)),
        (1.0, float(np.nextafter(1.0, 2.0))), (-(10**400), 1), (2, 10**400),
    ]  # fmt: skip
    chosen = [bounds[int(rng.integers(len(bounds)))] for _ in range(d)]
    return Box([low for low, _ in chosen], [high for _, high in chosen])


def power_near(ratio: Fraction) -> Fraction:
    """Return the power of two nearest to a positive number."""
    low: Fraction = Fraction(2) ** (
        ratio.numerator.bit_length() - ratio.denominator.bit_length() - 1
    )
    near = [low, low * 2, low * 4]
    return min(near, key=lambda power: abs(1 - ratio / power))


def scale_of(floats: Row, true: Row) -> Fraction:
    """Return the power of two by which a row was scaled, read off its largest entry."""
    k = max(range(len(true)), key=lambda i: abs(true[i]))
    return power_near(floats[k] / true[k]) if true[k] else Fraction(1)


def exact(values: Any) -> Row:
    return [Fraction(float(v)) for v in values]


def slope_scale(floats: list[float], true: list[Any]) -> Fraction:
    """Return the power of two by which a unit's slopes were scaled; both are near the true ones."""
    pairs = [(Fraction(f), Fraction(t)) for f, t in zip(floats, true, strict=True)]
    if not any(t for _, t in pairs):
        assert not any(f for f, _ in pairs)
        return Fraction(1)
    scale = scale_of([f for f, _ in pairs], [t for _, t in pairs])
    for f, t in pairs:
        assert (f > 0, f < 0) == (t > 0, t < 0), "a slope lost its sign"
        assert abs(f - t * scale) <= abs(t * scale) / 2**53 + LEAST
    return scale


def check_units(p: Prepared) -> list[Fraction]:
    """Check all scaled numbers of a network; returns each unit's scale."""
    units, scales = p.units, [Fraction(1)] * len(p.units.bias)
    column: Row = []
    for index, layer in enumerate(p.network.layers):
        first = int(units.layer_first[index])
        after: Row = []
        for i in range(layer.n_out):
            u = first + i
            true = [Fraction(v) for v in (*layer.weight[i], layer.bias[i])]
            if index == 0:
                true = p.frame.local_row(true)
                floats = exact(p.first_rows[0][i])
            else:
                width = layer.n_in
                at = int(units.weight_first[index]) + i * width
                true = [*(w / c for w, c in zip(true, column, strict=False)), true[-1]]
                floats = [*exact(units.weight[at : at + width]), Fraction(float(units.bias[u]))]
            scale = scale_of(floats, true)
            moved = [abs(f - t * scale) for f, t in zip(floats, true, strict=True)]
            if index == 0:
                assert sum(moved) <= Fraction(float(p.first_rows[1][i]))
            else:
                assert max(moved[:-1], default=0) <= Fraction(float(units.weight_error[u]))
                assert moved[-1] <= Fraction(float(units.bias_error[u]))
                assert sum(abs(f) for f in floats) <= 1 + Fraction(1, 2**40)
            for f, t in zip(floats, true, strict=True):
                assert (f == 0) == (t == 0), "a number that is not 0 became 0"
            scales[u] = scale
            pair = [float(units.negative[u]), float(units.positive[u])]
            after.append(scale * slope_scale(pair, list(layer.slopes[i])))
        column = after
    return scales


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_scaled_numbers_are_within_their_errors(start: int) -> None:
    for seed in range(start, start + 50):
        net = network(seed)
        check_units(prepare(net, box(seed, net.input_dim)))


def check_rows(p: Prepared, bits: Any) -> None:
    """Check the kernel's rows under a pattern against exact rows of every unit."""
    scales = check_units(p)
    units, d = p.units, p.dim
    n = len(units.bias)
    rows, error, size = np.zeros((n, d + 1)), np.zeros(n), np.zeros(n)
    flags, slope = np.zeros(n, dtype=np.int64), np.zeros(n)
    n0 = len(p.first_rows[0])
    rows[:n0], error[:n0], size[:n0], flags[:n0] = p.first_rows
    carried: list[Row] = []
    for index, layer in enumerate(p.network.layers):
        first = int(units.layer_first[index])
        if index > 0:
            layer_rows(units, index, d, slope, rows, error, size, flags)
        values: list[Row] = []
        for i in range(layer.n_out):
            u = first + i
            weight, bias = [Fraction(v) for v in layer.weight[i]], Fraction(layer.bias[i])
            if index == 0:
                row = p.frame.local_row([*weight, bias])
            else:
                row = [Fraction(0)] * d + [bias]
                for w, below in zip(weight, carried, strict=True):
                    row = [a + w * b for a, b in zip(row, below, strict=True)]
            kernel_row = exact(rows[u])
            if math.isfinite(error[u]) and math.isfinite(size[u]):
                true = [v * scales[u] for v in row]
                moved = sum(abs(a - b) for a, b in zip(kernel_row, true, strict=True))
                assert moved <= Fraction(float(error[u]))
                assert sum(abs(v) for v in kernel_row) <= Fraction(float(size[u]))
            assert not flags[u] & LINEAR_ZERO or not any(row[:-1])
            assert not flags[u] & VALUE_ZERO or not row[-1]
            on = int(bits[units.bit[u]]) if units.bit[u] >= 0 else 1
            slope[u] = units.positive[u] if on else units.negative[u]
            values.append([Fraction(layer.slopes[i][on]) * v for v in row])
        carried = values


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_rows_of_all_layers_are_within_their_errors(start: int) -> None:
    for seed in range(start, start + 40):
        net = network(seed)
        p = prepare(net, box(seed, net.input_dim))
        check_rows(p, np.random.default_rng(seed).integers(0, 2, p.n_bits))


def test_rows_of_a_hundred_layers_are_within_their_errors() -> None:
    rng = np.random.default_rng(5)
    layers: list[Any] = []
    for k in range(100):
        scale = 2.0 ** int(rng.integers(-900, 900))
        slopes = [(0.01, 1.0), (1e-200, 3e-200)] if k % 7 == 0 else "relu"
        layers.append((rng.normal(size=(2, 2)) * scale, rng.normal(size=2) * scale, slopes))
    p = prepare(Network(layers), Box([-1, -1], [1, 1]))
    for bits in (np.ones(p.n_bits), np.arange(p.n_bits) % 5 > 0):
        check_rows(p, bits)


def check_walls(p: Prepared) -> None:
    C, E, S, _ = p.walls
    for i, row in enumerate(p.domain.exact_rows()):
        true, floats = p.frame.local_row(row), exact(C[i])
        scale = scale_of(floats, true)
        moved = sum(abs(f - t * scale) for f, t in zip(floats, true, strict=True))
        assert moved <= Fraction(float(E[i]))
        assert sum(abs(v) for v in floats) <= Fraction(float(S[i]))


def test_walls_are_within_their_errors() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 4))
        domain: Any = box(seed, d)
        if seed % 3 == 0:
            A = np.vstack([np.eye(d), -np.eye(d), rng.normal(size=(2, d))])
            domain = Polytope(A, [1.0] * (2 * d) + [2.0**-70, Fraction(1, 3)])
        p = prepare(Network([([[1.0] * d], [0.0])]), domain)
        check_walls(p)


def test_the_domain_lies_in_the_unit_box() -> None:
    for seed in range(100):
        domain = box(seed, 3)
        low, high = domain.bounding_box()
        frame = Frame.around(low, high)
        for corner in (low, high):
            local = frame.to_local(corner)
            assert all(abs(v) <= 1 for v in local)
            assert list(frame.to_global(local)) == list(corner)
        # Not needlessly small, or slivers would be made.
        assert all(b - a >= Fraction(1, 8) for a, b in zip(frame.to_local(low), local, strict=True))


def test_rows_keep_their_values_in_local_coordinates() -> None:
    frame = Frame.around([Fraction(1, 3), Fraction(-5)], [Fraction(1), Fraction(10**30)])
    row, x = [Fraction(2, 7), Fraction(-3), Fraction(1, 9)], [Fraction(1, 2), Fraction(77)]
    u = frame.to_local(x)
    local = frame.local_row(row)
    at = row[0] * x[0] + row[1] * x[1] + row[2]
    assert local[0] * u[0] + local[1] * u[1] + local[2] == at
    scaled = [int(v * math.lcm(*(w.denominator for w in local))) for v in local]
    back = frame.global_row(scaled)
    assert [v * row[0] for v in back] == [v * back[0] for v in row]


# A branch that looks dead in floats: the slope is 0 there, and is not 0.
TINY_SLOPE = Network([([[1.0]], [0.0], [(Fraction(1, 10**400), 1)]), ([[-1.0]], [0.0], "relu")])
# The slope times the weight 0.7 rounds to the slope itself: above 0.8, and not below.
SUBNORMAL_SLOPE = Network([
    ([[1.0]], [0.0], [(2.0**1000, 2.0**1000)]),
    ([[1.0]], [0.0], [(5e-324, 5e-324)]),
    ([[0.7]], [-0.8 * 2.0**-74], "relu"),
])  # fmt: skip
# The same by moderate slopes: a weight of 2**-174 times 2**-900 is subnormal, beside a dead unit.
SUBNORMAL_PRODUCT = Network([
    ([[1.0], [0.0]], [0.0, -1.0], [(2.0**900, 2.0**900), (0, 1)]),
    ([[1.0, 0.0], [0.0, 0.0]], [0.0, -1.0], [(2.0**-900, 2.0**-900), (0, 1)]),
    ([[0.7 * 2.0**-174, 1.0]], [-0.8 * 2.0**-174], "relu"),
])  # fmt: skip
HUGE_SLOPE = Network([([[1.0]], [0.0], [(10**400, 1)]), ([[1.0]], [0.0], "relu")])
# 255 numbers that are each lost beside the bias, and not together.
LOST_TERMS = Network([
    ([[0.0]] * 255, [1.0] * 255, "identity"),
    ([[2.0**-55] * 255], [0.5], "identity"),
    ([[1.0]], [-(0.5 + 100 * 2.0**-55)], "relu"),
])  # fmt: skip


@pytest.mark.parametrize("strategy", ["tree", "brute_force"])
@pytest.mark.parametrize(
    ("net", "patterns"),
    [
        (TINY_SLOPE, ["01", "10"]),
        (SUBNORMAL_SLOPE, ["0"]),
        (SUBNORMAL_PRODUCT, ["000"]),
        (HUGE_SLOPE, ["00", "11"]),
        (LOST_TERMS, ["1"]),
    ],
)
def test_regions_where_floats_see_another_network(
    net: Network, patterns: list[str], strategy: str
) -> None:
    regions = enumerate_regions(net, Box([-1], [1]), strategy=strategy)
    assert [str(region.pattern) for region in regions] == patterns


def columns_of(p: Prepared) -> list[Any]:
    return [*p.units, *p.first_rows, *p.walls]


@pytest.mark.parametrize("bounds", [(-1, 1), (0.5, 0.75), (-3, 2.0**-60), ("-1/3", 1)])
def test_the_short_way_for_usual_floats_gives_the_same(
    bounds: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floats of usual size are scaled at once; every number is that of the long way."""
    seen = []
    short_way, short_walls = scaled_units.scale_layers, prepare_module.walls_of_box

    def watched(*arguments: Any) -> Any:
        seen.append(short_way(*arguments))
        return seen[-1]

    for seed in range(20):
        rng = np.random.default_rng(seed)
        layers = []
        for n_in, n_out in ((3, 5), (5, 4), (4, 2)):
            weight = rng.normal(0, 1, (n_out, n_in)) * 2.0 ** rng.integers(-20, 20, (n_out, 1))
            weight[rng.random(weight.shape) < 0.2] = 0.0
            layers.append((weight, rng.normal(0, 1, n_out) * (rng.random(n_out) < 0.7), "relu"))
        if seed % 3 == 2:  # beyond the sizes that may go the short way
            layers[1][0][1, 2] = 2.0 ** float(rng.choice([-210, 210, -1060]))
        domain = Box([bounds[0]] * 3, [bounds[1]] * 3)
        monkeypatch.setattr(scaled_units, "scale_layers", watched)
        monkeypatch.setattr(prepare_module, "walls_of_box", short_walls)
        short = prepare(Network(layers), domain)
        monkeypatch.setattr(scaled_units, "scale_layers", lambda start, *_: start)
        monkeypatch.setattr(prepare_module, "walls_of_box", lambda _: None)
        long = prepare(Network(layers), domain)
        for a, b in zip(columns_of(short), columns_of(long), strict=True):
            assert a.dtype == b.dtype and np.array_equal(a, b)
        assert short.frame == long.frame and short.n_walk == long.n_walk
    assert min(seen) < 3 and max(seen) == 3


def test_columns_are_made_once_for_all_domains_of_usual_size() -> None:
    net = Network([([[1.0, 2.0]], [0.5]), ([[1.0]], [0.0])])
    first = prepare(net, Box([-1, -1], [1, 1]))
    for bounds in (([-3, -1], [3, 2]), ([0.3, 7.0], [0.4, 9.0]), (["1/3", 0], [1, 1])):
        assert prepare(net, Box(*bounds)).columns is first.columns
    for far in (2.0**200, 10**400):  # too far for floats: made for these coordinates alone
        p = prepare(net, Box([-far, 0], [far, 1]))
        assert p.columns is not first.columns
        check_units(p)
    thirds = Network([([["1/3", 2.0]], [0.5]), ([[1.0]], [0.0])])
    assert prepare(thirds, Box([2, 2], [3, 3])).columns is not prepare(thirds, Box([2, 2], [3, 3]))
    assert prepare(Network(net.layers), Box([-1, -1], [1, 1])).columns is not first.columns


def window(rng: np.random.Generator, d: int) -> tuple[list[float], list[float]]:
    """Return bounds, as floats, of a box that mostly has no 0 in it."""
    lower, upper = [], []
    for _ in range(d):
        far = float(rng.normal() * 2.0 ** int(rng.integers(-30, 30)))
        reach = max(abs(far) * 2.0 ** int(rng.integers(-51, 1)), 2.0**-60)
        if rng.random() < 0.3:  # few digits, so that nothing is lost
            far, reach = float(rng.integers(-8, 9)) / 4, 2.0 ** int(rng.integers(-6, 1))
        bounds = sorted([far - reach, far + reach * float(rng.random() < 0.8)])
        lower.append(bounds[0])
        upper.append(float(max(bounds[1], np.nextafter(bounds[0], np.inf))))
    return lower, upper


def window_case(seed: int) -> tuple[Network, Box]:
    """Return a network of floats and a window; its kinks go near or through the middle."""
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(1, 5)), 6
    domain = Box(*window(rng, d))
    middle = prepare(Network([([[1.0] * d], [0.0])]), domain).frame.middle
    weight = rng.normal(size=(n, d)) * 2.0 ** rng.integers(-9, 9, (n, 1))
    if seed % 3 == 0:
        weight = rng.integers(-3, 4, (n, d)).astype(np.float64)
    bias = rng.normal(size=n)
    for i in range(0, n, 2):
        bias[i] = -float(sum(Fraction(w) * c for w, c in zip(weight[i], middle, strict=True)))
    return Network([(weight, bias), (rng.normal(size=(3, n)), rng.normal(size=3))]), domain


def test_windows_are_within_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Biases at the middle of a window, exactly 0 or nearly so, and its sides."""
    taken = []
    localise = columns_module.localise_rows

    def watched(*arguments: Any) -> bool:
        taken.append(bool(localise(*arguments)))
        return taken[-1]

    monkeypatch.setattr(columns_module, "localise_rows", watched)
    n_lossy, n_caught = 0, 0
    for seed in range(300):
        net, domain = window_case(seed)
        p = prepare(net, domain)
        check_units(p)
        check_walls(p)
        for corner in domain.bounding_box():
            assert all(abs(v) <= 1 for v in p.frame.to_local(corner))
        errors = p.first_rows[1]
        if taken and taken[-1] and (errors > NO_ERROR).any():
            n_lossy += 1
            errors *= 0.5  # the planted fault: bounds of half the size
            try:
                check_units(p)
            except AssertionError:
                n_caught += 1
    assert sum(taken) > 200
    assert n_caught > 0.9 * n_lossy > 40  # the bounds are not generous


def test_a_sum_that_is_0_and_may_not_look_so_is_found() -> None:
    """What two products lose adds up to 0, which floats cannot be sure of."""
    c, r = 0.7, 2.0**-50
    domain = Box([c - r, -c - r], [c + r, -c + r])
    net = Network([([[1 / 3, 1 / 3], [1 / 3, 0.3]], [0.0, 0.0])])
    p = prepare(net, domain)
    assert p.frame.middle[0] == -p.frame.middle[1]
    check_units(p)
    assert [bool(flag & VALUE_ZERO) for flag in p.first_rows[3]] == [True, False]


def test_a_sum_that_looks_like_0_and_is_not_is_found() -> None:
    """The products lose 2**-60, 2**-120 and -2**-60, and the second is lost beside these."""
    far, near = 1.0 + 2.0**-30, 2.0**-30 + 2.0**-60
    middle, reach = [far, near, -far], [2.0**-50, 2.0**-80, 2.0**-50]
    domain = Box(
        [m - r for m, r in zip(middle, reach, strict=True)],
        [m + r for m, r in zip(middle, reach, strict=True)],
    )
    net = Network([([[far, near, far]], [-(2.0**-60) - 2.0**-89])])
    p = prepare(net, domain)
    assert [float(v) for v in p.frame.middle] == middle
    check_units(p)
    assert not p.first_rows[3][0] & VALUE_ZERO


def test_frames_of_floats_are_those_of_fractions() -> None:
    rng = np.random.default_rng(0)
    n_equal = 0
    for _ in range(500):
        lower, upper = window(rng, 3)
        fast = Frame.around_floats(lower, upper)
        assert fast is not None
        box = [*map(Fraction, lower)], [*map(Fraction, upper)]
        for corner in box:
            assert all(abs(v) <= 1 for v in fast.to_local(corner))
        n_equal += fast == Frame.around(*box)
    assert n_equal > 450
    assert Frame.around_floats([1e300], [2e300]) is None
    # The middle is 5/4 and the reach 1 + 2**-55, which rounds to 1.
    low = 0.25 - 2.0**-55
    frame = Frame.around_floats([low], [2.25])
    assert frame is not None and frame.exponent == (1,)
    assert abs(frame.to_local([Fraction(low)])[0]) <= 1
