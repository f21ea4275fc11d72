"""Linear regions as polygons: closed forms, shapely's unions, sides seen from both sides."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.regions import linear_polygons as module
from plregions.regions.linear_polygons import linear_polygons
from plregions.regions.polygons import shapely_polygons

SQUARE = plr.hypercube(2, -1, 1)


def diamonds(*centres: Any, radius: Any = "1/2") -> plr.Network:
    """The sum of relu(radius - |x - c|_1) over the centres c: zero outside of diamonds."""
    rows, biases = [], []
    for x, y in centres:
        rows += [[1, 0], [-1, 0], [0, 1], [0, -1]]
        biases += [f"{-x}", f"{x}", f"{-y}", f"{y}"]
    n = len(centres)
    second = np.kron(np.eye(n, dtype=int), [[-1] * 4])
    return plr.Network([(rows, biases), (second, [radius] * n), ([[1] * n], [0])])


def check(regions: plr.RegionComplex) -> Any:
    """One valid polygon each, the union of its cells; sides fit together bit by bit."""
    shapes, cells = linear_polygons(regions), shapely_polygons(regions)
    assert len(shapes) == regions.linear.n_regions
    for index, shape in enumerate(shapes):
        assert isinstance(shape, shapely.Polygon)
        assert shapely.is_valid(shape), shapely.is_valid_reason(shape)
        assert shape.exterior.is_ccw
        assert not any(hole.is_ccw for hole in shape.interiors)
        union = shapely.union_all(cells[regions.linear.members(index)])
        assert shapely.symmetric_difference(union, shape).area <= 1e-9
        assert len(shape.interiors) == n_holes(union)
    sides = Counter(
        (*start, *end)
        for shape in shapes
        for ring in (shape.exterior, *shape.interiors)
        for start, end in zip(ring.coords, ring.coords[1:], strict=False)
    )
    assert set(sides.values()) <= {1}
    lower, upper = (np.array([float(v) for v in s]) for s in regions.domain.bounding_box())
    for x, y, u, v in sides:
        on_wall = (x == u and x in (lower[0], upper[0])) or (y == v and y in (lower[1], upper[1]))
        has_twin = (u, v, x, y) in sides
        assert has_twin != on_wall if regions.is_complete else not (has_twin and on_wall)
    return shapes


def n_holes(union: Any) -> int:
    parts = union.geoms if union.geom_type == "MultiPolygon" else [union]
    return sum(len(part.interiors) for part in parts)


def zero_piece(net: plr.Network, domain: Any = SQUARE) -> Any:
    return max(check(plr.enumerate_regions(net, domain)), key=lambda shape: shape.area)


def test_a_diamond_is_a_hole() -> None:
    shapes = check(plr.enumerate_regions(diamonds((0, 0)), SQUARE))
    assert [shape.area for shape in shapes] == [3.5, 0.125, 0.125, 0.125, 0.125]
    (hole,) = shapes[0].interiors
    assert shapely.Polygon(hole).area == 0.5
    assert {(0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5)} <= set(hole.coords)


def test_holes_that_touch_each_other_stay_two() -> None:
    piece = zero_piece(diamonds((0.5, 0), (-0.5, 0)), plr.hypercube(2, -2, 2))
    assert [shapely.Polygon(hole).area for hole in piece.interiors] == [0.5, 0.5]
    assert piece.area == 15


def test_a_hole_that_touches_the_shell() -> None:
    piece = zero_piece(diamonds((0.5, 0)))
    assert (piece.area, len(piece.interiors)) == (3.5, 1)
    assert {(1.0, 0.0)} == set(piece.exterior.coords) & set(piece.interiors[0].coords)


def test_three_holes_in_a_chain_from_the_wall() -> None:
    piece = zero_piece(diamonds((-0.5, 0), (-1.5, 0), (0.5, 0)), plr.hypercube(2, -2, 2))
    assert (piece.area, len(piece.interiors)) == (14.5, 3)


def test_parts_that_meet_in_corners_only_are_several_regions() -> None:
    shapes = check(plr.enumerate_regions(diamonds((0, 0), radius=1), SQUARE))
    assert [shape.area for shape in shapes] == [0.5] * 8


@pytest.mark.parametrize("seed", range(12))
def test_small_whole_weights(seed: int) -> None:
    """Small integers make lines meet in points, and maps coincide."""
    rng = np.random.default_rng(seed)
    layers: list[Any] = []
    for n_in, n_out in zip((2, 6, 5, 1), (6, 5, 1), strict=False):
        layers.append((rng.integers(-2, 3, (n_out, n_in)), rng.integers(-1, 2, n_out)))
    check(plr.enumerate_regions(plr.Network(layers), plr.hypercube(2, -3, 3)))


def test_25_lines_are_one_polygon() -> None:
    rng = np.random.default_rng(25)
    net = plr.Network([(rng.normal(size=(25, 2)), rng.normal(size=25) / 3), ([[0] * 25], [0])])
    (shape,) = check(plr.enumerate_regions(net, plr.Box([0, 0], [1, 1])))
    assert (len(shape.interiors), shape.area) == (0, pytest.approx(1, abs=1e-14))


def test_polytopes_and_slices() -> None:
    net = plr.mlp([3, 8, 8, 1])
    sides = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]]
    hexagon = plr.Polytope(sides, [1] * 6)
    plane = plr.Slice([0, 0, 0], [[1, 0, 1], [0, 1, 1]], hexagon)
    shapes = linear_polygons(plr.enumerate_regions(net, plane))
    assert shapely.area(shapes).sum() == pytest.approx(3)
    assert shapely.is_valid(shapes).all()


def test_part_of_a_complex() -> None:
    net = diamonds((0, 0))
    for most in (1, 2, 5):
        regions = plr.enumerate_regions(net, SQUARE, max_regions=most)
        assert not regions.is_complete
        check(regions)


def test_no_regions_and_one() -> None:
    regions = plr.enumerate_regions(plr.Network([([[0, 0]], [1]), ([[1]], [0])]), SQUARE)
    (shape,) = check(regions)
    assert shape.equals(shapely.box(-1, -1, 1, 1))
    nothing = plr.RegionComplex(
        regions.network, regions.domain, regions.packed_patterns[:0], regions.packed_rows[:0],
        regions.local_points[:0], {}, plr.Outcome("INTERRUPTED", None, ""),
    )  # fmt: skip
    assert len(linear_polygons(nothing)) == 0


@pytest.mark.parametrize("domain", [plr.hypercube(3), plr.WholeSpace(2)])
def test_needs_a_bounded_plane(domain: Any) -> None:
    net = plr.mlp([domain.dim, 3, 1])
    with pytest.raises(plr.InvalidInputError, match="linear_polygons needs"):
        linear_polygons(plr.enumerate_regions(net, domain))


def test_a_network_that_others_trained(shared: Any) -> None:
    pytest.importorskip("onnx")
    (path,) = (shared / "real_nets").glob("vnncomp2022/tllBench_n=2_N=M=8*.onnx")
    regions = plr.enumerate_regions(plr.load(path), plr.hypercube(2, -2, 2))
    shapes = check(regions)
    assert (len(regions), len(shapes)) == (433, 5)
    assert shapely.area(shapes).sum() == pytest.approx(16, abs=1e-13)


def test_walks_that_are_not_cut_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_simple_rings", lambda walk, corners: iter([walk]))
    zero_piece(diamonds((0, 0)))  # nothing to cut
    with pytest.raises(AssertionError):
        zero_piece(diamonds((0.5, 0)))


def test_lost_holes_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def filled(regions: plr.RegionComplex) -> Any:
        return np.array([shapely.Polygon(s.exterior) for s in module.linear_polygons(regions)])

    monkeypatch.setitem(globals(), "linear_polygons", filled)
    with pytest.raises(AssertionError):
        zero_piece(diamonds((0, 0)))
