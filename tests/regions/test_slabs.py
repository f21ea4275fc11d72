"""Widths: closed forms, all candidate directions, the other algorithm in space, and motions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.plain_width import plain_width, sampled_width
from oracles.random_cases import case

import plregions as plr
from plregions.regions import slabs
from plregions.regions.float_cells import exact_heights, float_cells
from plregions.regions.geometry import measure
from plregions.regions.slabs import cell_widths, width_bounds

FloatArray = NDArray[np.float64]


def one_region(domain: Any) -> plr.RegionComplex:
    on = plr.Network([(np.zeros((1, domain.dim)), [1]), ([[1]], [0])])
    return plr.enumerate_regions(on, domain)


def width_of(domain: Any) -> float:
    return float(measure(one_region(domain), "width")["width"][0])


def cross_polytope(d: int) -> plr.Polytope:
    return plr.Polytope([list(signs) for signs in product([-1, 1], repeat=d)], [1] * 2**d)


def regular_simplex(d: int) -> tuple[plr.Polytope, float]:
    """A simplex around the unit ball, and its width: between two halves of its corners."""
    corners = np.eye(d + 1) - 1 / (d + 1)
    basis = np.linalg.svd(corners)[0][:, :d]
    normals = corners @ basis * sqrt((d + 1) / d)
    edge = sqrt(2 * d * (d + 1))
    part = 2 / (d + 1) if d % 2 else 1 / d + 1 / (d + 2)
    return plr.Polytope(normals.tolist(), [1] * (d + 1)), edge * sqrt(part)


def points_of(regions: plr.RegionComplex, r: int) -> FloatArray:
    return regions.vertices.floats[regions.vertices.of(r)]


@pytest.mark.parametrize("d", range(4, 9))
def test_closed_forms(d: int) -> None:
    assert width_of(plr.Box([0] * d, [3] * (d - 1) + [2])) == pytest.approx(2, rel=1e-13)
    assert width_of(cross_polytope(d)) == pytest.approx(2 / sqrt(d), rel=1e-13)
    simplex, width = regular_simplex(d)
    assert width_of(simplex) == pytest.approx(width, rel=1e-12)
    # Under the hyperplane sum x = 1.
    corner = plr.Polytope([*(-np.eye(d, dtype=int)).tolist(), [1] * d], [0] * d + [1])
    assert width_of(corner) == pytest.approx(1 / sqrt(d), rel=1e-13)
    # A prism over a tetrahedron of width 1, which is that between two edges.
    prism = plr.Polytope(
        [[*row, *[0] * (d - 3)] for row in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
        + [[0] * k + [s] + [0] * (d - k - 1) for k in range(3, d) for s in (-1, 1)],
        [2, 0, 0, 0] + [0, 2] * (d - 3),
    )
    assert width_of(prism) == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize("d", range(4, 9))
def test_sheared_boxes(d: int) -> None:
    """0 <= x_k + k x_0 <= s_k: cubes in other coordinates, narrowest across a pair of facets."""
    rng = np.random.default_rng(d)
    shear = np.eye(d, dtype=int)
    shear[1:, 0] = rng.integers(-3, 4, d - 1)
    sides = rng.integers(1, 9, d)
    domain = plr.Polytope(
        np.concatenate([shear, -shear]).tolist(), [*sides.tolist(), *[0] * d]
    )  # fmt: skip
    # With opposite facets, hyperplanes around the box are those around its diagonals.
    diagonals = np.linalg.solve(shear, (sides * np.array(list(product([-1, 1], repeat=d)))).T).T
    found = width_of(domain)
    assert found <= (sides / np.linalg.norm(shear, axis=1)).min() * (1 + 1e-12)
    assert found <= sampled_width(diagonals / 2, 20000)
    # A parallelotope holds a centre of symmetry, so twice its inradius is its width.
    assert found == pytest.approx(2 * measure(one_region(domain), "inradius")["inradius"][0])


def test_regions_against_all_candidate_directions() -> None:
    """Generic and degenerate networks, in boxes, polytopes and slices of dimension 4."""
    seen = 0
    for seed in [s for s in range(120) if case(s).domain.dim == 4][:16]:
        regions = plr.enumerate_regions(*case(seed)[1:])
        found = measure(regions, "width")["width"]
        for r in range(min(len(regions), 8)):
            points = points_of(regions, r)
            if len(points) <= 10:
                assert found[r] == pytest.approx(plain_width(points), rel=1e-9)
                seen += 1
    assert seen > 20


@pytest.mark.parametrize("d", [5, 6])
def test_polytopes_against_all_candidate_directions(d: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = rng.integers(-9, 10, (d + 1, d))
        rows[-1] = -rows[:-1].sum(axis=0)
        regions = one_region(plr.Polytope(rows.tolist(), rng.integers(3, 20, d + 1).tolist()))
        points = points_of(regions, 0)
        assert measure(regions, "width")["width"][0] == pytest.approx(plain_width(points))


@pytest.mark.parametrize("seed", [s for s in range(60) if case(s).domain.dim <= 3][::2])
def test_both_algorithms_agree(seed: int) -> None:
    regions = plr.enumerate_regions(*case(seed)[1:])
    widths = measure(regions, "width")["width"]
    again = cell_widths(regions, float_cells(regions), range(len(regions)))
    assert again == pytest.approx(widths, rel=1e-9)


@pytest.mark.parametrize("net", ["4-6-6-1", "5-7-1", "6-6-1", "7-4-1", "8-3-1"])
def test_no_direction_is_narrower(net: str) -> None:
    network = plr.mlp(net, seed=1)
    regions = plr.enumerate_regions(network, plr.hypercube(network.input_dim, -1, 1))
    found = measure(regions, ["width", "inradius"])
    assert (found["width"] >= 2 * found["inradius"] * (1 - 1e-9)).all()
    cells, offsets = float_cells(regions), regions.graph.offsets
    for r in range(0, len(regions), 7):
        points = cells.points[cells.offsets[r] : cells.offsets[r + 1]]
        assert found["width"][r] <= sampled_width(points, 2000) * (1 + 1e-9)
        # And heights over facets are widths in some directions.
        heights = points @ cells.rows[offsets[r] : offsets[r + 1], :-1].T
        assert found["width"][r] <= np.ptp(heights, axis=0).min() * (1 + 1e-9)


def orthogonal(entries: list[int], d: int) -> list[list[Fraction]]:
    """The Cayley transform of a skew matrix: a rational rotation."""
    skew = fmpq_mat(d, d)
    for value, (i, j) in zip(entries, zip(*np.triu_indices(d, 1), strict=True), strict=True):
        skew[int(i), int(j)], skew[int(j), int(i)] = fmpq(value, 3), fmpq(-value, 3)
    one = fmpq_mat(d, d, [int(i == j) for i in range(d) for j in range(d)])
    turned: Any = (one + skew).inv() * (one - skew)
    return [[Fraction(int(v.p), int(v.q)) for v in row] for row in turned.tolist()]


@settings(max_examples=15, deadline=None)
@given(st.data(), st.integers(4, 6))
def test_motions_change_nothing(data: st.DataObject, d: int) -> None:
    small = st.integers(-3, 3)
    rows = np.array(data.draw(st.lists(st.lists(small, min_size=d, max_size=d), max_size=3)))
    rows = np.concatenate([np.eye(d, dtype=int), -np.eye(d, dtype=int), rows.reshape(-1, d)])
    # The rows that were drawn cut off corners of the cube.
    ends = [1] * (2 * d) + [max(int(np.abs(row).sum()) - 1, 1) for row in rows[2 * d :]]
    entries = data.draw(st.lists(small, min_size=d * (d - 1) // 2, max_size=d * (d - 1) // 2))
    turn = np.array(orthogonal(entries, d), dtype=object)
    shift = np.array(data.draw(st.lists(small, min_size=d, max_size=d)), dtype=object)
    scale = data.draw(st.sampled_from([Fraction(1, 1000), Fraction(3), Fraction(2) ** 40]))
    turned = rows.astype(object) @ turn.T
    moved = plr.Polytope(turned.tolist(), (np.array(ends) * scale + turned @ shift).tolist())
    wanted = width_of(plr.Polytope(rows.tolist(), ends)) * float(scale)
    assert width_of(moved) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("d", [2, 3, 4, 6])
def test_slivers_have_their_width(d: int) -> None:
    """Between two parallel hyperplanes far too near for floats, in oblique position."""
    gap, normal = Fraction(1, 2**100), [3, 4, 5, 2, 7, 1][:d]
    net = plr.Network([([normal, normal], [0, -gap]), ([[1, 1]], [0])])
    regions = plr.enumerate_regions(net, plr.hypercube(d, -1, 1))
    sliver = regions.find("10")
    assert sliver is not None
    length = sqrt(sum(v * v for v in normal))
    found = measure(regions, "width")["width"][sliver.index]
    assert found == pytest.approx(float(gap) / length, rel=1e-11)


def test_heights_are_exact() -> None:
    """Those of a thick region are the ones in floats, whatever the units of the coordinates."""
    box = plr.Box([0, 5, 0], ["1/1000", 6, 1000])
    regions = plr.enumerate_regions(
        plr.Network([([[1000, 1, 0], [1000, 0, "1/1000"]], [-6, -1]), ([[1, 1]], [0])]), box
    )
    cells = float_cells(regions)
    assert cells.exact
    for r in cells.exact:
        rows = cells.rows[regions.graph.offsets[r] : regions.graph.offsets[r + 1]]
        points = cells.points[cells.offsets[r] : cells.offsets[r + 1]]
        wanted = points @ rows[:, :-1].T + rows[:, -1]
        assert exact_heights(regions, cells, r) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_many_facets() -> None:
    t = [Fraction(k, 40) for k in range(-40, 41)]
    normals = [(2 * v / (1 + v * v), (1 - v * v) / (1 + v * v)) for v in t]
    rows = sorted({*normals, *((-a, -b) for a, b in normals)})
    regions = one_region(plr.Polytope([list(row) for row in rows], [1] * len(rows)))
    assert regions.graph.n_facets[0] > 62
    assert measure(regions, "width")["width"][0] == pytest.approx(2, rel=1e-13)
    assert one_region(cross_polytope(6)).graph.n_facets[0] == 64


@pytest.mark.parametrize("d", [4, 5, 9, 10])
def test_unbounded_regions_have_none(d: int) -> None:
    rows = np.concatenate([np.eye(d, dtype=int), -np.ones((1, d), dtype=int)])
    net = plr.Network([(rows, [0] * d + [1]), (np.ones((1, d + 1)), [0])])
    regions = plr.enumerate_regions(net, plr.WholeSpace(d))
    found = measure(regions, ["width", "is_bounded"])
    inside = found.pop("is_bounded")
    assert inside.sum() == 1 and all(np.isnan(column[~inside]).all() for column in found.values())
    width, error = found["width"][inside][0], found.get("width_error", np.zeros(len(inside)))
    assert width == pytest.approx(1 / sqrt(d), rel=1e-12)
    assert (error[inside][0] > 0) == (d > 8)
    strip = plr.Network([(np.eye(1, d).repeat(2, axis=0), [0, -1]), ([[1, 1]], [0])])
    found = measure(plr.enumerate_regions(strip, plr.WholeSpace(d)), "width")
    assert all(np.isnan(column).all() for column in found.values())


def test_more_corners_than_there_was_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    regions = plr.enumerate_regions(plr.mlp("6-6-1", seed=3), plr.hypercube(6, -1, 1))
    wanted = measure(regions, "width")["width"]
    monkeypatch.setattr(slabs, "CORNERS", 5)
    assert (measure(regions, "width")["width"] == wanted).all()


def check_bounds(net: str) -> None:
    """The oracle: the widths from vertices."""
    network = plr.mlp(net, seed=2)
    regions = plr.enumerate_regions(network, plr.hypercube(network.input_dim, -1, 1))
    cells, found = float_cells(regions), measure(regions, ["width", "inradius", "chebyshev_centre"])
    balls = np.stack([found[f"chebyshev_centre_{k}"] for k in range(regions.domain.dim)], axis=1)
    balls = np.column_stack([balls - cells.origin, found["inradius"]])
    diameter = 2 * sqrt(network.input_dim)
    width, error = width_bounds(regions.graph.offsets, cells.rows, balls, diameter)
    unknown = width_bounds(regions.graph.offsets, cells.rows, balls, np.inf)
    assert width == pytest.approx(unknown[0], rel=1e-9)
    assert (width >= found["width"] * (1 - 1e-9)).all()
    assert (width - error <= found["width"] * (1 + 1e-9)).all()
    # It is nearly always the width.
    assert np.mean(width <= found["width"] * (1 + 1e-9)) > 0.95
    assert (width <= found["width"] * 1.05).all()


@pytest.mark.parametrize("net", ["1-5-1", "2-8-1", "3-8-4-1", "4-8-1", "5-7-1", "6-6-1", "7-4-1"])
def test_bounds_hold_the_width(net: str) -> None:
    check_bounds(net)


@pytest.mark.parametrize("d", [9, 10, 12])
def test_bounds_in_many_dimensions(d: int) -> None:
    found = measure(one_region(plr.Box([0] * d, [3] * (d - 1) + [2])), "width")
    assert list(found) == ["width", "width_error"]
    assert found["width"][0] == pytest.approx(2) and found["width_error"][0] < 1e-12
    simplex, width = regular_simplex(d)
    found = measure(one_region(simplex), ["width", "inradius"])
    assert width * (1 - 1e-12) <= found["width"][0] < 1.001 * width
    assert found["width"][0] - found["width_error"][0] == pytest.approx(2 * found["inradius"][0])
    # The corner of a cube of sides 2 under sum x = 1, and a half of a cube.
    net = plr.Network([([[1] * d], [-1]), ([[1]], [0])])
    found = measure(plr.enumerate_regions(net, plr.hypercube(d, 0, 2)), "width")
    assert found["width"][0] == pytest.approx(1 / sqrt(d)) and found["width_error"][0] > 0


def test_no_inside_no_bounds() -> None:
    flat = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    width, error = width_bounds(np.array([0, 4]), flat, np.zeros((1, 3)), 3.0)
    assert np.isnan(width[0]) and np.isinf(error[0])


def test_oracles_see_planted_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faces that are forgotten make a simplex too wide, too narrow a slab breaks the bounds."""
    kernel, chords = slabs.slab_widths, slabs.narrow_slabs
    simplex, width = regular_simplex(5)

    def forgetful(*arguments: Any) -> int:
        arguments[5][:, :4] = False
        return int(kernel(*arguments))

    monkeypatch.setattr(slabs, "slab_widths", forgetful)
    regions = one_region(simplex)
    assert measure(regions, "width")["width"][0] > 1.01 * width
    assert plain_width(points_of(regions, 0)) == pytest.approx(width)
    monkeypatch.undo()

    def narrow(*arguments: Any) -> None:
        chords(*arguments)
        arguments[-1][:] *= 0.99

    monkeypatch.setattr(slabs, "narrow_slabs", narrow)
    with pytest.raises(AssertionError):
        check_bounds("4-8-1")


def test_hundred_dimensions() -> None:
    """There is time for some walks only, and what they find is a slab around the region."""
    d = 100
    net = plr.Network([([[1] * d], [-1]), ([[1]], [0])])
    regions = plr.enumerate_regions(net, plr.hypercube(d))
    corner = regions.find("0")
    assert corner is not None
    found = measure(regions, ["width", "inradius"])
    width, error = found["width"], found["width_error"]
    assert width - error == pytest.approx(2 * found["inradius"])
    assert 1 / sqrt(d) * (1 - 1e-12) <= width[corner.index] <= 1 + 1e-12


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_thin_wedges_have_their_width(d: int) -> None:
    """A simplex under a hyperplane that hardly rises: its least height is the width."""
    rise = Fraction(1, 2**90)
    rows = [[-1] + [0] * (d - 1), *([0] * k + [-1] + [0] * (d - k - 1) for k in range(1, d - 1))]
    rows += [[0] * (d - 1) + [-1], [rise] * (d - 1) + [1]]
    wedge = plr.Polytope(rows, [0] * d + [rise])
    assert width_of(wedge) == pytest.approx(float(rise), rel=1e-11)
