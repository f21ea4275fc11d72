"""Evaluation beside a flat: against affine maps of regions, and against the balance of ridges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from plregions.analysis.common_hyperplanes import holds_flat
from plregions.analysis.flag_derivatives import is_hard_beside, slopes_along
from plregions.analysis.kinks import gradient_jumps
from plregions.analysis.unbalanced_ridges import flat_through, hard_flats
from plregions.constructions import max_tree, median3
from plregions.domain import hypercube
from plregions.enumeration import enumerate_regions
from plregions.network import Layer, Network
from plregions.regions.faces import faces

MODULE = "plregions.analysis.flag_derivatives"


def random_net(seed: int, widths: list[int]) -> Network:
    """Small integers, so that much vanishes at once; slopes of all kinds."""
    rng = np.random.default_rng(seed)
    layers = []
    for n_in, n_out in zip(widths[:-1], widths[1:-1], strict=False):
        slopes = rng.choice([0, 1, 2, -1], size=(n_out, 2))
        weight = rng.integers(-2, 3, (n_out, n_in))
        layers.append(Layer(weight, rng.integers(-1, 2, n_out) / 4, slopes / 4))
    return Network([*layers, (rng.integers(-2, 3, (widths[-1], widths[-2])), [0] * widths[-1])])


def wrong_slopes(net: Network, seed: int) -> int:
    """How often slopes from a corner are not those of the region that small steps lead into."""
    rng = np.random.default_rng(seed)
    d = net.input_dim
    wrong = 0
    for _ in range(20):
        x = [Fraction(int(v), 4) for v in rng.integers(-4, 5, d)]
        flag = rng.integers(-2, 3, (d, d)).tolist()
        if round(np.linalg.det(np.array(flag, dtype=np.float64))) == 0:
            continue
        near = list(x)
        for k, vector in enumerate(flag):
            step = Fraction(1, 10 ** (9 * (k + 1)))
            near = [v + step * a for v, a in zip(near, vector, strict=True)]
        weight, _ = net.affine_map(net.pattern_at(near), exact=True)
        expected = [
            [sum((w * a for w, a in zip(row, vector, strict=True)), Fraction(0)) for vector in flag]
            for row in weight.tolist()
        ]
        wrong += slopes_along(net, x, flag) != expected
    return wrong


@pytest.mark.parametrize("widths", [[2, 3, 3, 1], [3, 4, 3, 2], [1, 4, 1]])
def test_slopes_are_those_of_the_region_beside(widths: list[int]) -> None:
    assert sum(wrong_slopes(random_net(seed, widths), seed) for seed in range(8)) == 0


def test_a_planted_sign_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def activate(layer: Layer, state: object, chosen: np.ndarray) -> object:
        return real(layer, state, ~chosen)

    from plregions.analysis import flag_derivatives

    real = flag_derivatives.activate
    monkeypatch.setattr(f"{MODULE}.activate", activate)
    assert sum(wrong_slopes(random_net(seed, [2, 3, 3, 1]), seed) for seed in range(4)) > 0


def judged_wrongly(net: Network, d: int) -> list[int]:
    """Inner ridges at which evaluation and the balance of facets differ, for some hyperplane."""
    box = hypercube(d, -2, 2)
    flats = set(hard_flats(net, box).flats)
    rows = gradient_jumps(net, box).hyperplanes
    lattice = faces(enumerate_regions(net, box))
    wrong = []
    for i in np.flatnonzero(lattice.ridges.is_inner).tolist():
        corners = [lattice.vertices.homogeneous[v] for v in lattice.corners_of(d - 2, i)]
        flat, x = flat_through(corners), lattice.point_in(d - 2, i)
        around = [row for row in rows if holds_flat(row, flat)]
        is_hard = any(is_hard_beside(net, flat, x, row) for row in around)
        if is_hard and flat not in flats:
            wrong.append(i)
    for ridge in hard_flats(net, box).ridges:
        if not is_hard_beside(net, ridge.flat, ridge.point, ridge.hyperplane):
            wrong.append(-1)
    return wrong


@pytest.mark.parametrize(("d", "widths"), [(2, [2, 3, 3, 1]), (3, [3, 3, 2, 1]), (3, [3, 3, 2, 2])])
def test_evaluation_and_balance_agree(d: int, widths: list[int]) -> None:
    assert not any(judged_wrongly(random_net(seed, widths), d) for seed in range(6))


def test_planted_flats_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plregions.analysis.unbalanced_ridges._is_balanced", lambda around: True)
    assert any(judged_wrongly(random_net(seed, [2, 3, 3, 1]), 2) for seed in range(6))


def test_hyperplanes_through_the_axis_of_the_median() -> None:
    axis = ((1, 0, -1, 0), (0, 1, -1, 0))
    for net in (median3(), max_tree(3)):
        assert is_hard_beside(net, axis, [Fraction(1, 3)] * 3, (1, -1, 0, 0))  # type: ignore[arg-type]
        assert not is_hard_beside(net, axis, [Fraction(1, 3)] * 3, (1, 1, -2, 0))  # type: ignore[arg-type]
