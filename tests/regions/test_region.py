"""One region: constraints, points and maps that fit the network."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from oracles.plain_network import affine_map, plain_layers
from oracles.plain_regions import plain_regions
from oracles.random_cases import case

import plregions as plr
from plregions.network import restrict

SEEDS = [s for s in range(60) if case(s).domain.dim < 4]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_points_and_maps(seed: int) -> None:
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    inner_net, inner = restrict(net, domain)
    layers = plain_layers(inner_net)
    for region in regions:
        x = region.exact_point
        assert regions.region_at(x) == region
        rows = region.rows()
        assert len(rows) == len(region.labels) == len(region.A) == len(region.b)
        for (row, _), a, c in zip(rows, region.A, region.b, strict=True):
            assert sum((v * w for v, w in zip(row, x, strict=False)), row[-1]) > 0
            assert np.array_equal(a, [float(-v) for v in row[:-1]]) and c == float(row[-1])
        weight, bias = region.affine_map(exact=True)
        assert (weight.tolist(), bias.tolist()) == affine_map(layers, x)
        value = inner_net.exact(x)
        assert tuple(weight @ np.array(x, dtype=object) + bias) == value
        rounded_weight, rounded_bias = region.affine_map()
        assert np.allclose(rounded_weight, weight.astype(float))
        assert np.allclose(rounded_bias, bias.astype(float))
        assert np.allclose(region.interior_point, np.array(x, dtype=float), rtol=1e-15, atol=0)
    assert inner.contains(regions[0].exact_point)


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_rows_describe_the_region_and_nothing_else(seed: int) -> None:
    """The vertices of the oracle's cell satisfy the rows, and each of its rows is implied."""
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    cells = plain_regions(*restrict(net, domain))
    for region in regions:
        cell = cells[str(region.pattern)]
        ours = {scaled(row) for row, _ in region.rows()}
        assert ours <= {scaled(row) for row in cell.rows}
        for row in ours:
            assert all(dot(row, corner) >= 0 for corner in cell.corners)
        # Every facet of the cell lies on one of the rows given.
        d = domain.dim
        for row in cell.rows:
            on = [corner for corner in cell.corners if dot(row, corner) == 0]
            if any(row[:-1]) and affine_rank(on) == d - 1:
                assert scaled(row) in ours


def dot(row: tuple[Fraction, ...], point: tuple[Fraction, ...]) -> Fraction:
    return sum((a * v for a, v in zip(row, point, strict=False)), row[-1])


def scaled(row: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    lead = next((abs(v) for v in row if v), Fraction(1))
    return tuple(v / lead for v in row)


def affine_rank(points: list[tuple[Fraction, ...]]) -> int:
    """Dimension of the points' span, -1 without points."""
    if not points:
        return -1
    matrix = [[a - b for a, b in zip(p, points[0], strict=True)] for p in points[1:]]
    rank = 0
    for k in range(len(points[0])):
        lead = next((i for i in range(rank, len(matrix)) if matrix[i][k]), None)
        if lead is None:
            continue
        matrix[rank], matrix[lead] = matrix[lead], matrix[rank]
        for i in range(rank + 1, len(matrix)):
            factor = matrix[i][k] / matrix[rank][k]
            matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[rank], strict=True)]
        rank += 1
    return rank


def test_labels_and_repr() -> None:
    net = plr.Network([([[1, 1], [1, -1]], [0, 0]), ([[1, 1]], [0])])
    region = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), strategy="tree")[1]
    assert repr(region) == "Region(1, pattern='01')"
    walls = ("x[0] >= -1.0", "x[0] <= 1.0", "x[1] >= -1.0", "x[1] <= 1.0")
    assert region.labels == (*walls, "neuron 0", "neuron 1")
    assert [str(other.pattern) for other in region.neighbours] == ["00", "11"]


def test_regions_of_a_slice_speak_of_its_coordinates() -> None:
    net = plr.Network([([[1, 1, 1]], [0]), ([[1]], [0])])
    domain = plr.Slice([0, 0, "1/3"], [[1, 1, 0]], plr.hypercube(1, -1, 1))
    regions = plr.enumerate_regions(net, domain, strategy="tree")
    assert [region.A.shape for region in regions] == [(3, 1), (3, 1)]
    weight, bias = regions[1].affine_map(exact=True)
    assert (weight.tolist(), bias.tolist()) == ([[2]], [Fraction(1, 3)])
    assert regions[1].interior_point.shape == (1,)


def test_a_long_pattern_is_shortened() -> None:
    net = plr.Network([([[1.0]] * 60, np.arange(60.0)), ([[1.0] * 60], [0.0])])
    region = plr.enumerate_regions(net, plr.hypercube(1, -1, 1))[0]
    assert repr(region).endswith("...')") and len(repr(region)) < 70
