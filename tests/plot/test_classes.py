"""Are regions cut where the largest output changes?"""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

import plregions as plr
from plregions.plot import classes as module
from plregions.plot.classes import class_pieces
from plregions.regions.polygons import Polygons, polygons, region_polygons


def pieces_of(complex: plr.RegionComplex) -> tuple[Polygons, module.ClassPieces]:
    cells = region_polygons(complex)
    return cells, class_pieces(cells, complex.network(cells.vertices))


def wrong_share(complex: plr.RegionComplex) -> float:
    """The share of random points whose piece has another class than the network says."""
    _, pieces = pieces_of(complex)
    points = np.random.default_rng(1).uniform(-1, 1, (4000, 2))
    tree = shapely.STRtree([shapely.Polygon(p) for p in pieces.polygons])
    where, piece = tree.query(shapely.points(points), predicate="within")
    assert len(where) == len(points)
    return float((pieces.classes[piece] != complex.network(points).argmax(axis=1)[where]).mean())


def mixed(seed: int) -> plr.RegionComplex:
    """A classifier of which every class has a share of the square."""
    net = plr.mlp([2, 10, 8, 3], seed=seed)
    return plr.enumerate_regions(net, plr.hypercube(2, -1, 1))


@pytest.mark.parametrize("seed", [5, 16])
def test_classes_are_those_of_the_network(seed: int) -> None:
    complex = mixed(seed)
    cells, pieces = pieces_of(complex)
    assert wrong_share(complex) == 0.0
    areas = [shapely.Polygon(p).area for p in pieces.polygons]
    assert np.allclose(np.bincount(pieces.owners, areas), cells.areas, atol=1e-12)
    assert (np.diff(pieces.owners) >= 0).all()


def test_classes_of_centroids_alone_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(points: NDArray[np.float64], values: NDArray[np.float64]) -> object:
        return [(int(values.mean(axis=0).argmax()), points)]

    monkeypatch.setattr(module, "_cut", whole)
    assert wrong_share(mixed(16)) > 0.005


def test_a_class_that_is_largest_at_no_corner() -> None:
    # Outputs x, -x and 1/2: the last one is largest in the middle of the one region.
    net = plr.Network([([[1, 0], [-1, 0], [0, 0]], [0, 0, "1/2"])])
    _, pieces = pieces_of(plr.enumerate_regions(net, plr.hypercube(2, -1, 1)))
    assert pieces.classes.tolist() == [0, 1, 2]
    assert [shapely.Polygon(p).area for p in pieces.polygons] == [1.0, 1.0, 2.0]


def test_equal_outputs_belong_to_the_lower_one() -> None:
    net = plr.Network([([[1, 0], [1, 0], [-1, 0]], [0, 0, 0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    _, pieces = pieces_of(complex)
    assert sorted(set(pieces.classes.tolist())) == [0, 2]


def test_a_tie_along_a_side_cuts_nothing() -> None:
    # relu(x) and relu(-x) tie exactly where the regions meet.
    net = plr.Network([([[1, 0], [-1, 0]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    _, pieces = pieces_of(complex)
    assert pieces.owners.tolist() == [0, 1]
    for piece, cell in zip(pieces.polygons, polygons(complex), strict=True):
        assert np.array_equal(piece, cell)
    (left,) = [k for k, cell in enumerate(polygons(complex)) if cell[:, 0].min() < 0]
    assert pieces.classes.tolist() == ([1, 0] if left == 0 else [0, 1])


def test_regions_without_area_keep_a_piece() -> None:
    weight = [[1.0, 2.0], [1.0, 2.0]]
    net = plr.Network([(weight, [0.0, 1e-30]), ([[1, 1], [1, 0]], [0, 0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    _, pieces = pieces_of(complex)
    assert set(pieces.owners.tolist()) == {0, 1, 2}
