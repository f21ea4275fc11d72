"""Measures of linear regions: closed forms, polygons, and cells one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import shapely

import plregions as plr
from plregions.regions import linear_measures as module
from plregions.regions.geometry import measure
from plregions.regions.linear_measures import LINEAR_QUANTITIES, measure_linear
from plregions.regions.linear_polygons import linear_polygons

DIAMOND = plr.Network([
    ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4), ([[-1] * 4], ["1/2"]), ([[1]], [0]),
])  # fmt: skip
SQUARE = plr.hypercube(2, -1, 1)


def check_plane(regions: plr.RegionComplex) -> None:
    """The oracle: areas, centres and boxes of the polygons."""
    shapes = linear_polygons(regions)
    found = measure_linear(regions, ["volume", "centroid", "bounding_box"])
    centres = np.array([shape.centroid.coords[0] for shape in shapes])
    box = shapely.bounds(shapes)
    assert found["volume"] == pytest.approx(shapely.area(shapes), rel=1e-9)
    for k in range(2):
        assert found[f"centroid_{k}"] == pytest.approx(centres[:, k], abs=1e-6)
        assert found[f"lower_{k}"] == pytest.approx(box[:, k], abs=1e-12)
        assert found[f"upper_{k}"] == pytest.approx(box[:, k + 2], abs=1e-12)


def test_the_diamond_exactly() -> None:
    regions = plr.enumerate_regions(DIAMOND, SQUARE)
    names = ["n_cells", "is_bounded", "volume", "centroid", "bounding_box"]
    found = measure_linear(regions, names, exact=True)
    assert list(found) == [
        *["n_cells", "is_bounded", "volume", "centroid_0", "centroid_1"],
        *["lower_0", "lower_1", "upper_0", "upper_1"],
    ]
    assert found["n_cells"].tolist() == [4, 1, 1, 1, 1]
    assert found["is_bounded"].all()
    assert found["volume"].tolist() == [Fraction(7, 2)] + [Fraction(1, 8)] * 4
    assert (found["centroid_0"][0], found["centroid_1"][0]) == (0, 0)
    assert sorted(map(abs, found["centroid_1"][1:])) == [Fraction(1, 6)] * 4
    assert [found[name][0] for name in ("lower_0", "upper_1")] == [-1, 1]
    assert measure_linear(regions, "lipschitz")["lipschitz"] == pytest.approx([0] + [2**0.5] * 4)


@pytest.mark.parametrize("seed", range(4))
def test_polygons_have_the_same_measures(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers: list[Any] = []
    for n_in, n_out in zip((2, 6, 5, 1), (6, 5, 1), strict=False):
        layers.append((rng.integers(-2, 3, (n_out, n_in)), rng.integers(-1, 2, n_out)))
    check_plane(plr.enumerate_regions(plr.Network(layers), plr.hypercube(2, -3, 3)))


def test_groups_in_another_order_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(*arguments: Any, **options: Any) -> Any:
        return {name: column[::-1] for name, column in measure(*arguments, **options).items()}

    monkeypatch.setattr(module, "measure", turned)
    with pytest.raises(AssertionError):
        check_plane(plr.enumerate_regions(DIAMOND, SQUARE))


def test_three_dimensions_and_norms() -> None:
    regions = plr.enumerate_regions(plr.mlp([3, 6, 4, 2]), plr.hypercube(3, -1, 1))
    found = measure_linear(regions, LINEAR_QUANTITIES)
    assert found["volume"].sum() == pytest.approx(8)
    assert found["n_cells"].sum() == len(regions)
    for index in range(regions.linear.n_regions):
        weight, _ = regions[int(regions.linear.members(index)[0])].affine_map()
        for name, order in (
            ("lipschitz", 2),
            ("operator_norm_1", 1),
            ("operator_norm_inf", np.inf),
        ):
            assert found[name][index] == pytest.approx(np.linalg.norm(weight, order))


def test_unbounded_regions() -> None:
    regions = plr.enumerate_regions(DIAMOND, plr.WholeSpace(2))
    found = measure_linear(regions, ["is_bounded", "volume", "centroid"])
    assert found["is_bounded"].tolist() == [False, True, True, True, True]
    assert found["volume"].tolist() == [np.inf, *[0.125] * 4]
    assert np.isnan(found["centroid_0"]).tolist() == [True, False, False, False, False]


def test_estimates_carry_their_errors() -> None:
    net = plr.Network([(np.eye(2, 9), [0, 0]), ([[1, 0]], [0])])
    regions = plr.enumerate_regions(net, plr.hypercube(9, -1, 1))
    cells, found = measure(regions, "volume"), measure_linear(regions, "volume")
    assert list(found) == ["volume", "volume_error"]
    assert (len(regions), regions.linear.n_regions) == (4, 2)
    assert abs(found["volume"] - 256).max() < 6 * found["volume_error"].max() + 1e-6
    members = regions.linear.members(0)
    assert found["volume_error"][0] == np.hypot(*cells["volume_error"][members])


def test_wrong_quantities() -> None:
    regions = plr.enumerate_regions(DIAMOND, SQUARE)
    with pytest.raises(plr.InvalidInputError, match="measure_linear needs quantities .* 'width'"):
        measure_linear(regions, "width")
    with pytest.raises(plr.InvalidInputError, match="Leave out exact=True"):
        measure_linear(regions, "lipschitz", exact=True)
