"""Are the rings around unions of regions those of the unions?"""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.plot import outlines as module
from plregions.plot.cuts import groups_after
from plregions.plot.outlines import outlines
from plregions.regions.polygons import region_polygons, shapely_polygons

DIAMOND = plr.Network(
    [
        ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 0, 0]),
        ([[-1, -1, -1, -1]], ["1/2"]),
        ([[1]], [0]),
    ]
)


def signed_area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def worst(complex: plr.RegionComplex, groups: np.ndarray) -> float:
    """The largest area by which rings and shapely's unions of a group differ."""
    shapes = shapely_polygons(complex)
    found = outlines(region_polygons(complex), complex.graph.neighbours, groups)
    gaps = []
    for k, rings in enumerate(found):
        union = shapely.union_all(shapes[groups == k])
        # Rings of both turns: the area inside is the sum of signed areas.
        gap = abs(sum(map(signed_area, rings)) - union.area)
        length = sum(shapely.LinearRing(ring).length for ring in rings)
        gaps.append(max(gap, abs(length - union.length)))
    return max(gaps)


@pytest.mark.parametrize("layer", [-1, 0, 1])
def test_outlines_are_those_of_unions(complex: plr.RegionComplex, layer: int) -> None:
    assert worst(complex, groups_after(complex, layer)) < 1e-9
    assert worst(complex, complex.linear.labels) < 1e-9


def test_a_hole_is_a_ring_of_the_other_turn() -> None:
    complex = plr.enumerate_regions(DIAMOND, plr.hypercube(2, -1, 1))
    assert complex.linear.n_regions == 5
    found = outlines(region_polygons(complex), complex.graph.neighbours, complex.linear.labels)
    areas = sorted(sorted(map(signed_area, rings)) for rings in found)
    assert areas == [[-0.5, 4.0], [0.125], [0.125], [0.125], [0.125]]
    assert worst(complex, complex.linear.labels) < 1e-12


def test_sides_inside_a_union_are_seen(
    complex: plr.RegionComplex, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = groups_after(complex, 0)
    monkeypatch.setattr(
        module, "walls_between", lambda cells, *_: np.ones(len(cells.corners), dtype=np.bool_)
    )
    assert worst(complex, groups) > 0.1


def test_regions_apart_have_a_ring_each() -> None:
    # |x| - 1/2 twice: the outer parts have one pattern-free group, and do not touch.
    net = plr.Network([([[1, 0], [1, 0]], ["1/2", "-1/2"]), ([[1, 1]], [0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    cells = region_polygons(complex)
    middle = int(np.argmin(np.abs(cells.centroids[:, 0])))
    groups = np.array([int(r == middle) for r in range(3)])
    rings = outlines(cells, complex.graph.neighbours, groups)
    assert [sorted(map(signed_area, r)) for r in rings] == [[1.0, 1.0], [2.0]]
