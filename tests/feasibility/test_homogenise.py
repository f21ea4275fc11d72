"""The homogenised network and its coordinates, against the definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_cases import case

import plregions as plr
from plregions.exact.integers import primitive_row
from plregions.feasibility.facets import _near_apex
from plregions.feasibility.homogenise import (
    HomogeneousFrame,
    box_rows,
    has_cones,
    homogenised,
    horizon,
    scale_for,
)
from plregions.feasibility.prepare import prepare

F = Fraction
rationals = st.fractions(-100, 100, max_denominator=50)


@pytest.mark.parametrize("seed", range(40))
def test_homogenised_network_is_t_times_the_network(seed: int) -> None:
    net = case(seed).net
    cones = homogenised(net)
    assert has_cones(cones, plr.WholeSpace(net.input_dim + 1))
    assert (cones.input_dim, cones.n_neurons) == (net.input_dim + 1, net.n_neurons)
    assert [tuple(v) for v in cones.neurons] == [tuple(v) for v in net.neurons]
    rng = np.random.default_rng(seed)
    for t in (F(1), F(3, 7), F(10**30)):
        x = [F(int(v), 13) for v in rng.integers(-50, 50, net.input_dim)]
        assert cones.exact([*(v * t for v in x), t]) == tuple(v * t for v in net.exact(x))


@given(st.lists(rationals, min_size=1, max_size=4), st.integers(-90, 90), st.data())
def test_frame(x: list[Fraction], scale: int, data: st.DataObject) -> None:
    d = len(x)
    frame = HomogeneousFrame(d, scale)
    u = frame.to_local(x)
    assert frame.to_global(u) == tuple(x)
    assert u[d] > 0 and max(map(abs, u)) <= F(1, 2)
    row = data.draw(st.lists(rationals, min_size=d + 1, max_size=d + 1))
    local = frame.local_row(row)
    # The local row has the sign of the row, and goes back to it.
    here = sum(a * v for a, v in zip(row, [*x, 1], strict=True))
    assert sum(a * v for a, v in zip(local, [*u, 1], strict=True)) == here * u[d]
    back = frame.global_row(primitive_row(local))
    assert primitive_row(back) == primitive_row(row)
    matrix = frame.matrix()
    y = [sum(int(matrix[i, k]) * v for k, v in enumerate([*u, 1])) for i in range(d + 2)]
    assert [v / y[d] for v in y[:d]] == x
    assert y[d + 1] > 0
    assert np.allclose(frame.points(np.array([u], dtype=float))[0], [float(v) for v in x])


def test_points_beyond_floats_are_refused() -> None:
    frame = HomogeneousFrame(1, 900)
    assert frame.points(np.array([[0.0, 1e-300]])).tolist() == [[0.0]]
    with pytest.raises(plr.InvalidInputError, match="Use exact_point"):
        frame.points(np.array([[1.0, 1e-100]]))


def test_walls() -> None:
    """The domain's own rows come first, then the horizon and the box, and none without need."""
    net = plr.mlp("2-3-1")
    quadrant = plr.Polytope([[-1, 0], [0, -1]], [0, 1])
    p = prepare(net, quadrant)
    assert (p.dim, p.n_walls, p.is_homogeneous) == (3, 2, True)
    own = [primitive_row(p.frame.global_row(row)) for row in p.wall_rows[:2]]
    assert own == [primitive_row(row) for row in quadrant.exact_rows()]
    assert p.wall_rows[2] == tuple(horizon(2))
    assert p.wall_rows[3:] == tuple(map(tuple, box_rows(3)))
    without_bias = plr.Network([(layer.weight, None, layer.slopes) for layer in net.layers])
    p = prepare(without_bias, plr.WholeSpace(2))
    assert (p.dim, p.n_walls, p.is_homogeneous) == (2, 0, False)
    assert prepare(without_bias, quadrant).is_homogeneous
    assert prepare(net, plr.hypercube(2)).engine is net


def test_scale_is_that_of_the_breakpoints() -> None:
    def scale(weight: float, bias: float) -> int:
        return scale_for(plr.Network([([[weight]], [bias])]), plr.WholeSpace(1))

    assert (scale(1, 0), scale(0, 1), scale(1, 1)) == (0, 0, 0)
    assert scale(1, 2.0**40) == 40 and scale(2.0**30, 1) == -30
    assert scale(5e-324, 1e308) == 900
    far = plr.Polytope([[-1]], [-(2**50)])
    assert scale_for(plr.Network([([[1.0]], [0.0])]), far) == 50


def test_points_near_the_apex_stay_on_their_rays() -> None:
    """Moved by powers of two, or not at all where a float would lose digits."""
    points = np.array([[0.75, -0.5, 0.25], [1e-300, 1e-310, 5e-324], [0.9, 5e-324, 0.1], [0, 0, 0]])
    moved = _near_apex(points)
    for old, new in zip(points, moved, strict=True):
        first = next((k for k, v in enumerate(old) if v), None)
        factor = F(1) if first is None else F(float(new[first])) / F(float(old[first]))
        assert [F(float(v)) * factor for v in old] == [F(float(v)) for v in new]
    assert np.abs(moved[0]).max() < 2**-8 <= 2 * np.abs(moved[0]).max()
    assert np.array_equal(moved[2], points[2])
