"""Which neurons are never positive, or never negative, on a domain?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.analysis.intervals import Interval, post_activation, pre_activation
from plregions.domain import Box, Domain, Polytope, Slice, WholeSpace
from plregions.enumeration import iter_regions
from plregions.enumeration.budget import Budget
from plregions.errors import BudgetExhaustedError, InvalidInputError
from plregions.exact.arrays import fractions_of, integers_of
from plregions.exact.lp import maximise
from plregions.network import Layer, Network, restrict
from plregions.network.network import check_networks
from plregions.network.propagate import activate

__all__ = ["NeuronSigns", "neuron_signs"]

# Points at which all signs are evaluated before anything is enumerated.
N_POINTS = 16
# A time limit must be positive, also when it has just passed.
LEAST_SECONDS = 1e-6
# What can prove a sign, from the cheapest to the dearest.
PROOFS = ("", "bounds", "points", "linear program", "regions")
Neuron = tuple[int, int]
Point = Sequence[Fraction]


@dataclass(frozen=True)
class NeuronSigns:
    """The signs that each neuron's pre-activation takes on a domain.

    Attributes
    ----------
    domain : Box, Polytope or Slice
    neurons : tuple of (int, int), length N
        (layer, unit) of each neuron, in the order of the bits.
    states : tuple of str, length N
        For each neuron: "dead" (<= 0 on the whole domain), "always on"
        (>= 0 on the whole domain and not 0 everywhere), "both signs", or "unknown".
    proofs : tuple of str, length N
        What proves it: "bounds" (interval arithmetic), "linear program", "points" (a point for
        each sign), "regions" (every cell of the layers before), or "".
    stopped_by : str or None
        What left neurons unknown: "time_limit" or "interrupt".

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1], [1], [1]], [0, 1, -1]), ([[1, 1, 1]], [0])])
    >>> neuron_signs(net, plr.Box([-1], [1])).states
    ('both signs', 'always on', 'dead')
    """

    domain: Domain
    neurons: tuple[Neuron, ...]
    states: tuple[str, ...]
    proofs: tuple[str, ...]
    stopped_by: str | None

    @property
    def dead(self) -> tuple[Neuron, ...]:
        """The neurons that are <= 0 on the whole domain."""
        return self._in_state("dead")

    @property
    def always_on(self) -> tuple[Neuron, ...]:
        """The neurons that are >= 0 on the whole domain, and not 0 everywhere."""
        return self._in_state("always on")

    @property
    def both_signs(self) -> tuple[Neuron, ...]:
        """The neurons that are negative somewhere in the domain and positive elsewhere."""
        return self._in_state("both signs")

    @property
    def unknown(self) -> tuple[Neuron, ...]:
        """The neurons for which it was not settled."""
        return self._in_state("unknown")

    @property
    def is_settled(self) -> bool:
        """Whether no neuron is left unknown."""
        return not self.unknown

    def _in_state(self, state: str) -> tuple[Neuron, ...]:
        return tuple(n for n, s in zip(self.neurons, self.states, strict=True) if s == state)


def neuron_signs(net: Network, domain: Domain, *, time_limit: float | None = None) -> NeuronSigns:
    """Decide for each neuron whether it is dead, always on, or takes both signs on a domain.

    Parameters
    ----------
    net : Network
    domain : Box, Polytope or Slice
        Of the network's input dimension.
    time_limit : float, optional
        Begin no further search after so many seconds; what is not settled then stays unknown.
        Ctrl-C has the same effect.

    Returns
    -------
    NeuronSigns

    Raises
    ------
    InvalidDomainError, InvalidInputError
        Wrong dimensions or options.

    Algorithm
    ---------
    Layer by layer. Interval arithmetic bounds the pre-activations; on a box these bounds are the
    extremes for layer 0. A few points show signs. For layer 0 of a polytope two linear programs
    settle the rest. For a later layer the cells of the layers before it are enumerated, along
    with the zero sets of the neurons in question, until each has shown both signs or all cells
    have been seen: at worst as many as the network has regions.

    Exactness
    ---------
    Exact: every state but "unknown" is proved, in integers, by linear programs in rationals, or
    by a complete enumeration.

    Examples
    --------
    A neuron that no interval bound settles: |x| + |1 - x| - 1 is never negative.

    >>> import plregions as plr
    >>> first = ([[1], [-1], [-1], [1]], [0, 0, 1, -1])
    >>> net = plr.Network([first, ([[1, 1, 1, 1]], [-1]), ([[1]], [0])])
    >>> signs = neuron_signs(net, plr.Box([-2], [2]))
    >>> signs.always_on, signs.proofs[-1]
    (((1, 0),), 'regions')
    """
    check_networks("neuron_signs", net)
    if not isinstance(domain, Box | Polytope | WholeSpace | Slice):
        raise InvalidInputError(
            f"neuron_signs needs a Box, Polytope or Slice; got {type(domain).__name__}. "
            "Use Box(lower, upper)."
        )
    budget = Budget(None, time_limit, None)
    local, base = restrict(net, domain)
    if isinstance(base, WholeSpace) or not base.is_bounded:
        raise InvalidInputError(
            f"neuron_signs needs a bounded domain; got {domain!r}. Use Box(lower, upper)."
        )
    search = _Search(local, base, budget, time_limit)
    stopped_by = None
    try:
        search.run()
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    states, proofs = search.states()
    if stopped_by is None and "unknown" in states:
        stopped_by = "time_limit"
    neurons = tuple((int(k), int(u)) for k, u in net.neurons)
    return NeuronSigns(domain, neurons, states, proofs, stopped_by)


class _Search:
    """What is known so far about the signs of each neuron.

    Column 0 of `known` says whether a neuron takes negative values, column 1 positive ones:
    1 yes, 0 no, -1 not known yet. `proofs` tells of each answer what proved it.
    """

    def __init__(
        self, net: Network, base: Box | Polytope, budget: Budget, time_limit: float | None
    ) -> None:
        self._net = net
        self._base = base
        self._budget = budget
        self._time_limit = time_limit
        self._known = np.full((net.n_neurons, 2), -1, dtype=np.int8)
        self._proofs = [["", ""] for _ in range(net.n_neurons)]
        self._ranges: list[Interval] = []

    def states(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the state of each neuron and what proves it."""
        states, proofs = [], []
        for (negative, positive), proof in zip(self._known.tolist(), self._proofs, strict=True):
            if positive == 0:
                states.append("dead")
                proofs.append(proof[1])
            elif negative == 0 and positive == 1:
                states.append("always on")
                proofs.append(proof[0])
            elif negative == positive == 1:
                states.append("both signs")
                proofs.append(max(proof, key=PROOFS.index))
            else:
                states.append("unknown")
                proofs.append("")
        return tuple(states), tuple(proofs)

    def run(self) -> None:
        """Settle what can be settled in time, layer by layer."""
        self._look_at_bounds(0)
        self._look_at_points()
        for k, part in enumerate(self._net.bit_slices):
            if k:
                self._look_at_bounds(k)
            bits = [b for b in range(part.start, part.stop) if self._is_open(b)]
            if not bits or self._is_late():
                continue
            if k == 0:
                self._ask_linear_programs(bits)
            else:
                self._look_at_cells(k, bits)

    def _is_open(self, bit: int) -> bool:
        negative, positive = self._known[bit]
        return bool(positive == -1 or (negative == -1 and positive == 1))

    def _is_late(self) -> bool:
        return self._budget.exhausted(0) is not None

    def _time_left(self) -> float | None:
        if self._time_limit is None:
            return None
        return max(self._time_limit - self._budget.seconds, LEAST_SECONDS)

    def _learn(self, bit: int, side: int, answer: int, proof: str) -> None:
        if self._known[bit, side] == -1:
            self._known[bit, side] = answer
            self._proofs[bit][side] = proof

    def _look_at_bounds(self, k: int) -> None:
        """Bound the pre-activations of layer k from those of layer k - 1."""
        if k == 0:
            inputs = list(zip(*self._base.bounding_box(), strict=True))
        else:
            before = self._net.layers[k - 1]
            inputs = post_activation(before, self._tightened(k - 1, self._ranges))
        self._ranges = pre_activation(self._net.layers[k], inputs)
        are_extremes = k == 0 and isinstance(self._base, Box)
        for bit, unit in self._bits_of(k):
            low, high = self._ranges[unit]
            for side, beyond in enumerate((low < 0, high > 0)):
                if not beyond:
                    self._learn(bit, side, 0, "bounds")
                elif are_extremes:
                    self._learn(bit, side, 1, "bounds")

    def _bits_of(self, k: int) -> list[tuple[int, int]]:
        part = self._net.bit_slices[k]
        units = np.flatnonzero(self._net.layers[k].has_bit).tolist()
        return list(zip(range(part.start, part.stop), units, strict=True))

    def _tightened(self, k: int, ranges: Sequence[Interval]) -> list[Interval]:
        """Cut the ranges at 0 where a sign has been excluded by other means."""
        result = list(ranges)
        for bit, unit in self._bits_of(k):
            low, high = result[unit]
            negative, positive = self._known[bit]
            low = low if negative else max(low, Fraction(0))
            high = high if positive else min(high, Fraction(0))
            result[unit] = low, high
        return result

    def _look_at_points(self) -> None:
        """Evaluate all signs at some points, exactly."""
        rng = random.Random(0)  # the same points in every run
        for i in range(N_POINTS):
            is_open = any(self._is_open(b) for b in range(len(self._known)))
            if not is_open or self._is_late():
                return
            point = _point_in(self._base, rng, at_corner=i % 2 == 1)
            values = _pre_activations(self._net, point)
            for k in range(len(self._net.layers)):
                for bit, unit in self._bits_of(k):
                    if values[k][unit]:
                        self._learn(bit, int(values[k][unit] > 0), 1, "points")

    def _ask_linear_programs(self, bits: Sequence[int]) -> None:
        """Settle neurons of layer 0: is there a point of the polytope with this sign?"""
        rows = self._base.exact_rows()
        layer = self._net.layers[0]
        units = dict(self._bits_of(0))
        for bit in bits:
            unit = units[bit]
            row = [*fractions_of(layer.weight[unit]), fractions_of(layer.bias[unit : unit + 1])[0]]
            for side, sign in enumerate((-1, 1)):
                if self._known[bit, side] == -1:
                    if self._is_late():
                        return
                    found = maximise([sign * v for v in row], rows, stop_above=0)
                    self._learn(bit, side, int(found.status == "above"), "linear program")

    def _look_at_cells(self, k: int, bits: Sequence[int]) -> None:
        """Settle neurons of layer k by the cells of the layers before it."""
        stream = iter_regions(self._cut_network(k, bits), self._base, time_limit=self._time_left())
        before = None
        try:
            for region in stream:
                if region.complex is before:  # the chunk has been looked at as a whole
                    continue
                before = region.complex
                seen = before.patterns[:, -2 * len(bits) :].any(axis=0).reshape(2, -1)
                for i, bit in enumerate(bits):
                    for side in (0, 1):
                        if seen[side, i]:
                            self._learn(bit, side, 1, "regions")
                if not any(map(self._is_open, bits)):
                    return
        except BudgetExhaustedError:
            return
        for bit in bits:
            for side in (0, 1):
                self._learn(bit, side, 0, "regions")

    def _cut_network(self, k: int, bits: Sequence[int]) -> Network:
        """Return the layers before k, then -z and z of the neurons in question.

        A bit of this network is 1 in some region iff its neuron takes values above 0. Neurons of
        earlier layers that never change become units without a kink.
        """
        earlier = []
        for j, layer in enumerate(self._net.layers[:k]):
            slopes: NDArray[np.object_] = layer.slopes.astype(object)
            for bit, unit in self._bits_of(j):
                negative, positive = self._known[bit]
                if positive == 0:
                    slopes[unit, 1] = slopes[unit, 0]
                elif negative == 0:
                    slopes[unit, 0] = slopes[unit, 1]
            earlier.append(Layer(layer.weight, layer.bias, slopes))
        units = dict(self._bits_of(k))
        chosen = [units[b] for b in bits]
        layer = self._net.layers[k]
        weight, bias = layer.weight[chosen], layer.bias[chosen]
        both = Layer(np.concatenate([-weight, weight]), np.concatenate([-bias, bias]), "relu")
        return Network([*earlier, both])


def _point_in(base: Box | Polytope, rng: random.Random, at_corner: bool) -> list[Fraction]:
    """Return a point of the domain: drawn from its bounding box, pulled inside if need be."""
    lower, upper = base.bounding_box()
    shares = [
        Fraction(rng.randrange(2)) if at_corner else Fraction(rng.randrange(257), 256)
        for _ in lower
    ]
    drawn = [a + t * (b - a) for a, b, t in zip(lower, upper, shares, strict=True)]
    if isinstance(base, Box):
        return drawn
    inside = base.interior_point()
    step = Fraction(1)
    for row in base.exact_rows():
        here, there = (
            sum((a * v for a, v in zip(row, point, strict=False)), row[-1])
            for point in (inside, drawn)
        )
        if there < 0:
            step = min(step, here / (here - there))
    return [a + step * (b - a) for a, b in zip(inside, drawn, strict=True)]


def _pre_activations(net: Network, point: Point) -> list[list[int]]:
    """Return the pre-activations of all layers at a point, each layer times a positive number."""
    numerators, denominator = integers_of(np.array(point, dtype=object))
    state = fmpz_mat(len(point) + 1, 1, [*numerators, denominator])
    result = []
    for layer in net.layers:
        state = layer.integer_form.matrix * state
        values = [int(v) for v in state.entries()[:-1]]
        result.append(values)
        state = activate(layer, state, np.array([v > 0 for v in values], dtype=np.bool_))
    return result
