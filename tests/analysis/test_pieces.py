"""Pieces of one variable: sums, compositions, networks."""

from __future__ import annotations

import pytest

import plregions as plr
from plregions.analysis import pieces
from plregions.analysis.pieces import pieces_bound, pieces_of_composition, pieces_of_sum
from plregions.errors import InvalidInputError

LINE = plr.WholeSpace(1)


def count(net: plr.Network) -> int:
    return int(plr.count_regions(net, LINE, kind="linear"))


def test_sum_and_composition_are_reached() -> None:
    hat = plr.Network([([[1], [1]], [0, -1]), ([[1, -2]], [0])])  # 3 pieces, values up to 1
    other = plr.Network([([[1], [1], [1]], [2, 3, 4]), ([[1, -3, 5]], [0])])  # 4 pieces
    both = plr.Network([([[1]] * 5, [0, -1, 2, 3, 4]), ([[1, -2, 1, -3, 5]], [0])])
    assert count(both) == pieces_of_sum(count(hat), count(other)) == 6
    bend = plr.Network([([[1], [-1]], None), ([[1, 1]], ["-1/2"])])  # |x| - 1/2
    twice = plr.Network(
        [([[1], [-1]], None), ([[1, 1], [-1, -1]], ["-1/2", "1/2"]), ([[1, 1]], [0])]
    )
    assert count(twice) == pieces_of_composition(count(bend), count(bend)) == 4


@pytest.mark.parametrize("hidden", [(3,), (2, 3), (3, 3), (2, 2, 2)])
def test_networks_have_no_more(hidden: tuple[int, ...]) -> None:
    nets = [plr.mlp([1, *hidden, 1], seed) for seed in range(30)]
    most = max(map(count, nets))
    assert most <= pieces_bound(hidden)
    assert most >= pieces_bound([n - 1 for n in hidden])


def test_networks_see_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "prod", sum)
    tent = ([[2, -4], [2, -4]], [0, "-1/2"])
    net = plr.Network([([[1], [1]], [0, "-1/2"]), tent, tent, ([[2, -4]], [0])])
    assert count(net) > pieces_bound(net.widths)


def test_wrong_numbers() -> None:
    for call in (pieces_of_sum, pieces_of_composition):
        for p, q in ((0, 1), (1, 0), (1.0, 1)):
            with pytest.raises(InvalidInputError):
                call(p, q)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        pieces_bound([0])
