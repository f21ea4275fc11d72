"""Triangulations fill each region without overlap, and volumes sum to the domain's, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np
import pytest
from oracles.lp_vertices import value
from oracles.random_cases import case

import plregions as plr
from plregions.exact.linear import determinant
from plregions.regions import simplices as module
from plregions.regions.simplices import exact_volume, pull, simplices

SEEDS = [s for s in range(60) if isinstance(case(s).domain, plr.Box)]


def size(simplex: Any) -> Fraction:
    first, *others = simplex
    edges = [[a - b for a, b in zip(point, first, strict=True)] for point in others]
    return abs(determinant(edges)) / factorial(len(first))


@pytest.mark.parametrize("seed", SEEDS)
def test_volumes_sum_to_the_box(seed: int) -> None:
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    lower, upper = domain.bounding_box()
    whole = Fraction(1)
    for low, high in zip(lower, upper, strict=True):
        whole *= high - low
    volumes = [exact_volume(regions, r) for r in range(len(regions))]
    assert volumes == [region.volume() for region in regions]
    assert min(volumes) > 0 and sum(volumes) == whole
    for region, volume in list(zip(regions, volumes, strict=True))[:10]:
        parts = simplices(region)
        assert sum(map(size, parts)) == volume and min(map(size, parts)) > 0
        rows = [row for row, _ in region.rows()]
        assert all(value(row, p) >= 0 for row in rows for part in parts for p in part)


def walls(parts: list[tuple[Any, ...]]) -> dict[frozenset[Any], int]:
    count: dict[frozenset[Any], int] = {}
    for part in parts:
        for k in range(len(part)):
            wall = frozenset(part[:k] + part[k + 1 :])
            count[wall] = count.get(wall, 0) + 1
    return count


@pytest.mark.parametrize("seed", [s for s in SEEDS if case(s).domain.dim == 3][:6])
def test_simplices_of_neighbours_are_face_to_face(seed: int) -> None:
    """Each wall of a simplex belongs to two simplices, or to one and the domain's boundary."""
    _, net, domain = case(seed)
    regions = plr.enumerate_regions(net, domain)
    parts = [part for region in regions for part in simplices(region)]
    rows = domain.exact_rows()
    for wall, count in walls(parts).items():
        on_boundary = any(all(value(row, p) == 0 for p in wall) for row in rows)
        assert count == (1 if on_boundary else 2)


def test_known_triangulations() -> None:
    for d in range(1, 6):
        regions = plr.enumerate_regions(plr.Network([(np.eye(1, d), [5])]), plr.hypercube(d))
        # A pulled cube: d! simplices of one volume, since each path of faces gives one.
        assert [size(s) for s in simplices(regions[0])] == [Fraction(1, factorial(d))] * factorial(
            d
        )
        assert exact_volume(regions, 0) == 1


def test_unbounded_regions_are_refused() -> None:
    regions = plr.enumerate_regions(plr.mlp("2-3-1", seed=3), plr.WholeSpace(2))
    sizes = []
    for region in regions:
        if region.is_bounded:
            sizes.append(region.volume())
        else:
            with pytest.raises(plr.InvalidInputError, match="needs a bounded region"):
                region.volume()
            with pytest.raises(plr.InvalidInputError, match="simplices needs a bounded region"):
                simplices(region)
    assert len(sizes) == regions.n_bounded == 1 and sizes[0] > 0


def test_oracle_sees_a_lost_simplex(monkeypatch: pytest.MonkeyPatch) -> None:
    regions = plr.enumerate_regions(plr.mlp("2-4-1", seed=1), plr.hypercube(2, -1, 1))
    assert sum(region.volume() for region in regions) == 4
    monkeypatch.setattr(module, "pull", lambda tight, dim: list(pull(tight, dim))[:-1])
    assert sum(region.volume() for region in regions) < 4
