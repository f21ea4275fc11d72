"""The largest absolute output, found by climbing, against the vertices of all cells."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from plregions.analysis.cell_stream import Cells, Limits
from plregions.analysis.distances import distance
from plregions.analysis.largest_output import Climb
from plregions.analysis.same_function import agreement
from plregions.domain import Box, WholeSpace, hypercube
from plregions.errors import InvalidInputError
from plregions.network import Network, mlp, subtract


def climbed(net: Network, domain: Box | WholeSpace, seconds: float | None = None) -> Climb:
    """Climb from the first cell of the network alone."""
    limits = Limits(1, None, seconds)
    climb = Climb(net, domain, limits)
    chunk = next(iter(Cells(net, domain, Limits(1, None, None))))
    climb.look_at(chunk, np.arange(1))
    climb.finish()
    return climb


@pytest.mark.parametrize(
    ("sizes", "seed"), [([1, 20, 2], 0), ([2, 12, 12, 1], 1), ([2, 8, 8, 3], 2), ([3, 8, 6, 1], 3)]
)
def test_against_the_vertices_of_all_cells(sizes: list[int], seed: int) -> None:
    f, g = mlp(sizes, seed=seed), mlp([sizes[0], 5, sizes[-1]], seed=seed + 10)
    box = hypercube(sizes[0], -1, 1)
    found = distance(f, g, box, exact=False)
    answer = agreement(f, g, box)
    assert answer.gap == found.linf
    assert answer.verify(f, g)
    climb = climbed(subtract(f, g), box)
    assert climb.highest is not None and climb.highest.height == found.linf


def test_the_vertices_see_a_climb_that_ends_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    f, g = mlp([2, 12, 12, 1], seed=1), mlp([2, 5, 1], seed=11)
    box = hypercube(2, -1, 1)
    right = distance(f, g, box, exact=False).linf
    assert climbed(subtract(f, g), box).highest.height == right  # type: ignore[union-attr]
    monkeypatch.setattr(Climb, "finish", lambda self: None)
    assert climbed(subtract(f, g), box).highest.height < right  # type: ignore[union-attr]


def test_numbers_beyond_float64() -> None:
    huge = Fraction(10) ** 400
    net = Network([([[huge, 0], [0, 1]], [0, 0]), ([[1, -1]], [0])])
    climb = climbed(net, Box([-huge, -1], [1, huge]))
    assert climb.highest is not None and climb.highest.height == huge
    answer = agreement(net, Network([([[0, 0]], [0])]), Box([-huge, -1], [1, huge]))
    assert answer.gap == huge


def test_a_ray_ends_the_climb() -> None:
    climb = climbed(Network([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0])]), WholeSpace(2))
    assert climb.is_unbounded and climb.highest is not None
    assert climb.highest.height == math.inf and climb.highest.ray is not None
    chunk = next(iter(Cells(mlp([2, 3, 1]), WholeSpace(2), Limits(1, None, None))))
    assert climb.look_at(chunk, np.arange(len(chunk))) == 0


def test_time_and_limits() -> None:
    net = mlp([2, 12, 12, 1])
    climb = climbed(net, hypercube(2), 1e-9)
    assert (climb.stopped_by, climb.highest) == ("time_limit", None)
    for limits in ((None, -1.0), (0, None)):
        with pytest.raises(InvalidInputError):
            Limits(1, *limits)


def test_a_region_budget_does_not_stop_the_climb() -> None:
    f, g = mlp([2, 8, 1]), mlp([2, 8, 1], seed=1)
    n = agreement(f, g).n_checked
    answer = agreement(f, g, max_regions=n)
    assert (answer.stopped_by, answer.holds) == (None, False)
    assert answer.gap == distance(f, g, hypercube(2)).linf
