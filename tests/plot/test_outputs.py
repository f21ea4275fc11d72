"""Are outputs that float64 cannot hold refused in words?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.errors import InvalidInputError
from plregions.plot import explore, regions, surface
from plregions.plot.outputs import outputs_at


def test_outputs_are_those_of_the_network_at_inputs() -> None:
    plane = plr.Slice([1, 2, 3], [[1, 0, 0], [0, 1, 1]], plr.hypercube(2))
    complex = plr.enumerate_regions(plr.mlp([3, 4, 2]), plane)
    found = outputs_at("x", complex, np.array([[0.25, 0.5]]))
    assert np.allclose(found, complex.network([[1.25, 2.5, 3.5]]))
    one = plr.enumerate_regions(plr.mlp([2, 1]), plr.hypercube(2))
    assert outputs_at("x", one, np.zeros((3, 2))).shape == (3, 1)


@pytest.mark.parametrize("draw", [regions, surface, explore])
def test_what_float64_cannot_hold_is_refused(draw: Any) -> None:
    net = plr.Network([([[1e200, 0]], [0]), ([[1e200]], [0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1, 1))
    with pytest.raises(InvalidInputError, match="needs .* that float64 can hold"):
        draw(complex, color="output")


def test_maps_that_float64_cannot_hold_are_refused() -> None:
    # On a tiny square the outputs are small, the slope is 1e400.
    net = plr.Network([([[1e200, 0]], [0]), ([[1e200]], [0])])
    complex = plr.enumerate_regions(net, plr.hypercube(2, -1e-300, 1e-300))
    with pytest.raises(InvalidInputError, match="needs affine maps that float64 can hold"):
        explore(complex)
