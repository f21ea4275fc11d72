"""`comparisons`: columns of a depth profile against closed forms, budgets, interrupts."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import plregions as plr
from plregions.analysis import depth_comparisons
from plregions.analysis.counts import DepthProfile
from plregions.analysis.depth_comparisons import comparisons
from plregions.constructions import (
    corner_hinge,
    corner_hinge_shallow,
    parity_shallow,
    parity_tent,
    parity_xor_tree,
    yarotsky_square,
)
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.regions.outcome import INTERRUPTED

NAMES = ("agrees", "agrees_at_vertices", "l2_squared")


def parities(d: int, k: int) -> DepthProfile:
    nets = [parity_shallow(d), parity_tent(d), parity_xor_tree(k)]
    return plr.depth_profile(nets, plr.hypercube(d), measures=comparisons(NAMES))


def faults(profile: DepthProfile, l2_squared: Fraction) -> list[str]:
    """Columns that differ from what is known of three networks of parity."""
    wanted = {
        "agrees": (True, True, False),
        "agrees_at_vertices": (True, True, True),
        "l2_squared": (0, 0, l2_squared),
    }
    return [name for name, values in wanted.items() if profile.column(name) != values]


def test_parity_three_ways() -> None:
    """1/6 is the integral over the square of (|a - b| - hat(a + b))^2, 13/90 that of 4 bits."""
    assert faults(parities(2, 1), Fraction(1, 6)) == []
    assert faults(parities(4, 2), Fraction(13, 90)) == []


def test_the_known_values_see_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing with the network itself instead of the first one."""
    right = depth_comparisons.agreement
    monkeypatch.setattr(
        depth_comparisons, "agreement", lambda net, _, *rest, **more: right(net, net, *rest, **more)
    )
    assert faults(parities(2, 1), Fraction(1, 6)) == ["agrees"]


def test_squares() -> None:
    """|f_m - f_(m+1)|^2 has the integrals 1/768, 1/12288 on [0, 1]; from the first they add up."""
    nets = [yarotsky_square(m) for m in (1, 2, 3)]
    profile = plr.depth_profile(nets, plr.Box([0], [1]), measures=comparisons(["l2_squared"]))
    assert profile.columns[-1] == "l2_squared" and "agrees" not in profile.columns
    zero, near, far = profile.column("l2_squared")
    assert (zero, near) == (0, Fraction(1, 768))
    # D = T(T(x)) / 16 + T(T(T(x))) / 64, with the integrals of squares 1/3 and of the product 1/4.
    assert far == Fraction(1, 3 * 16**2) + Fraction(1, 3 * 64**2) + 2 * Fraction(1, 4 * 16 * 64)


def test_hinges_on_the_space() -> None:
    """Equal on the cube; beyond it the deep one is zero and the shallow one is not."""
    nets = [corner_hinge(2), corner_hinge_shallow(2)]
    on_cube = plr.depth_profile(nets, plr.hypercube(2), measures=comparisons())
    assert on_cube.column("agrees") == (True, True)
    assert on_cube.column("l2_squared") == (0, 0)
    beyond = plr.depth_profile(nets, plr.WholeSpace(2), measures=comparisons())
    assert beyond.column("agrees") == (True, False)
    assert beyond.column("l2_squared") == (None, None)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_first_layers(d: int) -> None:
    """tau = 2^(d-1) for both corner hinges; no hard flat in a function of depth 2."""
    nets = [corner_hinge(d), corner_hinge_shallow(d), parity_shallow(d)]
    profile = plr.depth_profile(nets, plr.hypercube(d), measures=comparisons(["first_layer"]))
    assert profile.column("first_layer") == (2 ** (d - 1), 2 ** (d - 1), 0)


def test_closed_form_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound for half of the cube, where half of the hard flats are."""
    right = depth_comparisons.first_layer_width_bound
    half = plr.Box([0, 0, 0], ["1/2", 1, 1])
    monkeypatch.setattr(
        depth_comparisons, "first_layer_width_bound", lambda net, _, **more: right(net, half)
    )
    measures = comparisons(["first_layer"])
    profile = plr.depth_profile([corner_hinge(3)], plr.hypercube(3), measures=measures)
    assert profile.column("first_layer") != (2**2,)


def test_first_layers_on_the_space() -> None:
    measures = comparisons(["first_layer"])
    profile = plr.depth_profile([corner_hinge(2)], plr.WholeSpace(2), measures=measures)
    assert profile.column("first_layer") == (None,)


def test_rounded() -> None:
    nets = [plr.mlp("2-4-1", seed) for seed in range(2)]
    square = plr.hypercube(2, -1, 1)
    profiles = [
        plr.depth_profile(nets, square, measures=comparisons(["l2_squared"], exact=exact))
        for exact in (True, False)
    ]
    exact, rounded = (profile.rows[1].value("l2_squared") for profile in profiles)
    assert isinstance(exact, Fraction) and isinstance(rounded, float)
    assert rounded == pytest.approx(float(exact), rel=1e-12) and rounded > 0


def test_budgets() -> None:
    """A difference is found in the first cells; its integral and equality need all of them."""
    nets = [corner_hinge(3), corner_hinge_shallow(3), plr.mlp("3-9-1")]
    measures = comparisons(["agrees", "l2_squared", "first_layer"], max_regions=2)
    profile = plr.depth_profile(nets, plr.hypercube(3), measures=measures)
    assert profile.column("agrees") == (None, None, False)
    assert profile.column("l2_squared") == (None, None, None)
    assert profile.column("first_layer") == (None, None, None)


def test_interrupted_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the enumeration of a certificate, as `first_layer_width_bound` reports it."""

    partial: Any = SimpleNamespace(outcome=INTERRUPTED)

    def interrupted(net: plr.Network, domain: Any, **_: Any) -> None:
        raise BudgetExhaustedError("all regions", partial=partial)

    monkeypatch.setattr(depth_comparisons, "first_layer_width_bound", interrupted)
    profile = plr.depth_profile(
        [corner_hinge(2)], plr.hypercube(2), measures=comparisons(["first_layer"])
    )
    assert (profile.rows, profile.n_left_out) == ((), 1)


def test_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agreement that was interrupted ends the profile; it makes no row without an answer."""
    right = depth_comparisons.agreement
    calls: list[Any] = []

    def stops(net: plr.Network, *rest: Any, **more: Any) -> plr.Agreement:
        calls.append(net)
        found = right(net, *rest, **more)
        if len(calls) == 3:  # "agrees" of the second row
            object.__setattr__(found, "stopped_by", "interrupt")
        return found

    monkeypatch.setattr(depth_comparisons, "agreement", stops)
    profile = parities(2, 1)
    assert (len(profile.rows), profile.n_left_out) == (1, 2)


def test_bad_input() -> None:
    with pytest.raises(InvalidInputError, match="comparisons needs names of agrees, .*'gap'"):
        comparisons(["gap"])
    nets = [plr.mlp("2-4-1"), plr.mlp("2-4-3")]
    with pytest.raises(InvalidInputError, match="equal numbers of inputs and outputs"):
        plr.depth_profile(nets, plr.hypercube(2), measures=comparisons("agrees"))
    with pytest.raises(InvalidInputError, match="Box"):
        plr.depth_profile(nets[:1], plr.WholeSpace(2), measures=comparisons(["agrees_at_vertices"]))
