"""Dead and always-on neurons against the extremes of each neuron over the corners of all cells."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from oracles.neuron_extremes import neuron_extremes
from oracles.random_cases import case

import plregions as plr
from plregions.analysis import constant_signs as module
from plregions.analysis.constant_signs import NeuronSigns, neuron_signs

N_CASES = 60
right_bounds, right_programs = module.pre_activation, module.maximise
right_points, right_cells = module._pre_activations, module._Search._cut_network


def expected_states(net: plr.Network, domain: Any) -> tuple[str, ...]:
    return tuple(
        "dead" if high <= 0 else "always on" if low >= 0 else "both signs"
        for low, high in neuron_extremes(net, domain)
    )


def is_right(seed: int) -> bool:
    _, net, domain = case(seed)
    return neuron_signs(net, domain).states == expected_states(net, domain)


@pytest.mark.parametrize("seed", range(N_CASES))
def test_states_are_those_of_the_extremes(seed: int) -> None:
    _, net, domain = case(seed)
    found = neuron_signs(net, domain)
    assert found.states == expected_states(net, domain)
    assert found.is_settled and found.stopped_by is None
    assert found.neurons == tuple(map(tuple, net.neurons.tolist()))
    assert set(found.proofs) <= {"bounds", "points", "linear program", "regions"}


def test_all_proofs_and_states_occur() -> None:
    """The cases above are not all settled by the easy means."""
    seen = set()
    for seed in range(N_CASES):
        found = neuron_signs(case(seed).net, case(seed).domain)
        seen |= set(zip(found.states, found.proofs, strict=True))
    states = {"dead", "always on", "both signs"}
    assert {s for s, _ in seen} == states
    assert {p for _, p in seen} == {"bounds", "points", "linear program", "regions"}
    assert {("dead", "regions"), ("always on", "regions")} <= seen


def wrong_bounds(layer: Any, inputs: Any) -> Any:
    middles = [((low + high) / 2,) * 2 for low, high in inputs]
    return right_bounds(layer, middles)


def wrong_points(net: Any, point: Any) -> Any:
    return [[-v for v in row] for row in right_points(net, point)]


def wrong_cells(self: Any, k: int, bits: Any) -> Any:
    return right_cells(self, k, bits[::-1])


def wrong_programs(objective: Any, rows: Any, **options: Any) -> Any:
    return right_programs([-v for v in objective], rows, **options)


@pytest.mark.parametrize(
    ("owner", "name", "fault", "seed"),
    [
        (module, "pre_activation", wrong_bounds, 0),
        (module, "_pre_activations", wrong_points, 8),
        (module._Search, "_cut_network", wrong_cells, 50),
        (module, "maximise", wrong_programs, 16),
    ],
)
def test_oracle_sees_a_planted_fault(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, fault: Any, seed: int
) -> None:
    assert is_right(seed)
    monkeypatch.setattr(owner, name, fault)
    assert not is_right(seed)


def crowd(width: int = 24) -> plr.Network:
    """|x| + |1 - x| - 1 >= 0 in the plane, behind so many other neurons that cells are many."""
    wide = plr.mlp([2, width, width, 1], seed=3).layers[0]
    weight = [[1, 0], [-1, 0], [-1, 0], [1, 0], *wide.weight.tolist()]
    bias = [0, 0, 1, -1, *wide.bias.tolist()]
    sums = [[1, 1, 1, 1, *[0] * width], [-1, -1, -1, -1, *[0] * width]]
    return plr.Network([(weight, bias), (sums, [-1, 1]), ([[1, 1]], [0])])


def test_a_search_through_many_cells() -> None:
    found = neuron_signs(crowd(), plr.hypercube(2, -3, 3))
    assert found.states[-2:] == ("always on", "dead")
    assert found.proofs[-2:] == ("regions", "regions")


def test_time_limit_leaves_neurons_unknown() -> None:
    found = neuron_signs(crowd(), plr.hypercube(2, -3, 3), time_limit=1e-6)
    assert found.states[-2:] == ("unknown", "unknown")
    assert found.proofs[-2:] == ("", "")
    assert found.unknown[-2:] == ((1, 0), (1, 1))
    assert (found.is_settled, found.stopped_by) == (False, "time_limit")
    whole = neuron_signs(crowd(), plr.hypercube(2, -3, 3))
    pairs = zip(found.states, whole.states, strict=True)
    assert all(part in ("unknown", full) for part, full in pairs)


def test_interrupt_leaves_neurons_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "iter_regions", interrupted)
    found = neuron_signs(crowd(), plr.hypercube(2, -3, 3))
    assert found.stopped_by == "interrupt"
    assert found.unknown == ((1, 0), (1, 1))


def test_a_part_of_the_cells_proves_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends early must not read "not seen yet" as "nowhere"."""

    def ended(*words: Any, **options: Any) -> Any:
        stream = right_stream(*words)
        yield next(stream)
        raise plr.BudgetExhaustedError("ended")

    right_stream = plr.iter_regions
    monkeypatch.setattr(module, "iter_regions", ended)
    monkeypatch.setattr(module, "N_POINTS", 0)
    found = neuron_signs(crowd(), plr.hypercube(2, -3, 3))
    assert set(found.states[-2:]) == {"unknown"}


def test_zero_neurons_are_dead() -> None:
    net = plr.Network([([[0], [1], [-1]], [0, -1, -1]), ([[1, 1, 1]], [0], "relu")])
    found = neuron_signs(net, plr.Box([-1], [1]))
    assert found.states == ("dead",) * 4  # all are 0 where they are largest


def test_walls_of_the_domain_are_exact() -> None:
    third = Fraction(1, 3)
    net = plr.Network([([[1], [1], [-1]], [-third, -third + Fraction(1, 10**30), third])])
    net = plr.Network([(net.layers[0].weight, net.layers[0].bias, "relu")])
    found = neuron_signs(net, plr.Box([0], [third]))
    assert found.states == ("dead", "both signs", "always on")


def test_wrong_arguments() -> None:
    net = plr.mlp([2, 3, 1])
    with pytest.raises(plr.InvalidInputError, match="Box, Polytope or Slice; got list"):
        neuron_signs(net, [(-1, 1)])  # type: ignore[arg-type]
    with pytest.raises(plr.InvalidDomainError, match="dimension 2"):
        neuron_signs(net, plr.hypercube(3))
    with pytest.raises(plr.InvalidInputError, match="time_limit"):
        neuron_signs(net, plr.hypercube(2), time_limit=0)


def test_equality_by_value() -> None:
    net, box = plr.mlp([2, 3, 1]), plr.hypercube(2)
    assert neuron_signs(net, box) == neuron_signs(net, box)
    assert isinstance(neuron_signs(net, box), NeuronSigns)
