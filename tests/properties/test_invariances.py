"""What must not change the regions of a network: names, scales, dead weight, cuts and shifts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.facet_lists import facet_lists
from oracles.plain_network import OnWallError, pattern, plain_layers
from oracles.small_networks import networks

import plregions as plr

Arrays = list[tuple[Any, Any, Any]]

# The same examples in every run: a failure here is a wrong answer, and must not come and go.
steady = settings(max_examples=60, derandomize=True, deadline=None)

number = st.fractions(-2, 2, max_denominator=4)
factor = st.sampled_from([Fraction(2), Fraction(1, 3), Fraction(1, 10**30), Fraction(2) ** 600])


def exact_arrays(net: plr.Network) -> Arrays:
    """The layers as arrays of Fractions that may be changed."""
    return [
        tuple(np.vectorize(Fraction, otypes=[object])(a) for a in (layer.weight, layer.bias,
                                                                  layer.slopes))  # type: ignore[misc]
        for layer in net.layers
    ]  # fmt: skip


def network(layers: Arrays) -> plr.Network:
    return plr.Network([(w.tolist(), b.tolist(), s.tolist()) for w, b, s in layers])


def regions(net: plr.Network, domain: Any) -> plr.RegionComplex:
    found = plr.enumerate_regions(net, domain)
    assert found.is_complete
    return found


@st.composite
def boxes(draw: st.DrawFn, dim: int) -> plr.Box:
    lower = [draw(number) for _ in range(dim)]
    return plr.Box(lower, [low + draw(st.fractions("1/4", 3, max_denominator=4)) for low in lower])


@st.composite
def questions(draw: st.DrawFn) -> tuple[plr.Network, plr.Box]:
    net = draw(networks())
    return net, draw(boxes(net.input_dim))


def hidden(data: st.DataObject, net: plr.Network) -> int:
    """A layer that has a layer behind it."""
    assume(net.depth > 1)
    return data.draw(st.integers(0, net.depth - 2))


def bits_without(names: Sequence[str], dropped: set[int]) -> list[str]:
    return ["".join(c for k, c in enumerate(name) if k not in dropped) for name in names]


@steady
@given(questions(), st.data())
def test_the_order_of_neurons(question: Any, data: st.DataObject) -> None:
    """Bits move with their neurons; regions, facets and neighbours stay."""
    net, box = question
    k = hidden(data, net)
    layers = exact_arrays(net)
    width = len(layers[k][1])
    order = data.draw(st.permutations(range(width)))
    moved = list(layers)
    moved[k] = tuple(array[order] for array in layers[k])  # type: ignore[assignment]
    w, b, s = layers[k + 1]
    moved[k + 1] = (w[:, order], b, s)
    other = network(moved)
    place = {(int(a), int(u)): i for i, (a, u) in enumerate(net.neurons)}
    bits = [place[(int(a), int(order[u]) if a == k else int(u))] for a, u in other.neurons]
    before, after = regions(net, box), regions(other, box)
    renamed = {name: "".join(name[i] for i in bits) for name in before.pattern_strings()}
    assert sorted(renamed.values()) == after.pattern_strings()
    assert before.n_edges == after.n_edges
    lists = facet_lists(after)
    for name, facets in facet_lists(before).items():
        beyond = sorted(renamed.get(other_name, "") for _, other_name, _ in facets)
        assert beyond == sorted(other_name for _, other_name, _ in lists[renamed[name]])


@steady
@given(questions(), st.data(), factor)
def test_positive_rescaling(question: Any, data: st.DataObject, scale: Fraction) -> None:
    """One neuron's row times a factor, its outgoing weights divided by it."""
    net, box = question
    k = hidden(data, net)
    layers = exact_arrays(net)
    unit = data.draw(st.integers(0, len(layers[k][1]) - 1))
    layers[k][0][unit] *= scale
    layers[k][1][unit] *= scale
    layers[k + 1][0][:, unit] /= scale
    before, after = regions(net, box), regions(network(layers), box)
    assert before.pattern_strings() == after.pattern_strings()
    assert facet_lists(before) == facet_lists(after)


@steady
@given(questions(), st.data())
def test_dead_and_constant_neurons(question: Any, data: st.DataObject) -> None:
    """A neuron that is 0, negative or positive everywhere adds a bit and no region."""
    net, box = question
    k = hidden(data, net)
    layers = exact_arrays(net)
    constant = data.draw(st.sampled_from([Fraction(-1), Fraction(0), Fraction(1, 10**40)]))
    w, b, s = layers[k]
    layers[k] = (
        np.vstack([w, np.full((1, w.shape[1]), Fraction(0))]),
        np.append(b, constant),
        np.vstack([s, [[Fraction(0), Fraction(1)]]]),
    )
    outgoing = np.zeros((len(layers[k + 1][1]), 1), dtype=object)
    layers[k + 1] = (np.hstack([layers[k + 1][0], outgoing]), *layers[k + 1][1:])
    after = regions(network(layers), box)
    new_bit = net.bit_slices[k].stop
    assert {name[new_bit] for name in after.pattern_strings()} == {"1" if constant > 0 else "0"}
    assert bits_without(after.pattern_strings(), {new_bit}) == regions(net, box).pattern_strings()
    assert after.n_edges == regions(net, box).n_edges


@steady
@given(questions(), st.data(), st.sampled_from([Fraction(1), Fraction(3), Fraction(1, 7)]))
def test_duplicated_neurons(question: Any, data: st.DataObject, scale: Fraction) -> None:
    """A positive multiple of a neuron flips with it."""
    net, box = question
    k = hidden(data, net)
    layers = exact_arrays(net)
    w, b, s = layers[k]
    unit = data.draw(st.integers(0, len(b) - 1))
    layers[k] = (
        np.vstack([w, scale * w[unit : unit + 1]]),
        np.append(b, scale * b[unit]),
        np.vstack([s, s[unit : unit + 1]]),
    )
    w, b, s = layers[k + 1]
    half = w[:, unit : unit + 1] / 2
    w = np.hstack([w, half / scale])
    w[:, unit : unit + 1] = half
    layers[k + 1] = (w, b, s)
    before, after = regions(net, box), regions(network(layers), box)
    has_bit = bool(net.layers[k].has_bit[unit])
    dropped = {net.bit_slices[k].stop} if has_bit else set()
    assert bits_without(after.pattern_strings(), dropped) == before.pattern_strings()
    assert before.n_edges == after.n_edges


@steady
@given(questions(), st.data())
def test_cutting_the_domain(question: Any, data: st.DataObject) -> None:
    """Regions of the halves are those of the whole; those in both halves were cut."""
    net, box = question
    lower, upper = box.bounding_box()
    k = data.draw(st.integers(0, box.dim - 1))
    share = data.draw(st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1, 10**20)]))
    at = lower[k] + share * (upper[k] - lower[k])
    left = plr.Box(lower, [*upper[:k], at, *upper[k + 1 :]])
    right = plr.Box([*lower[:k], at, *lower[k + 1 :]], upper)
    whole = set(regions(net, box).pattern_strings())
    a, b = (set(regions(net, half).pattern_strings()) for half in (left, right))
    assert a | b == whole
    assert len(a) + len(b) - len(a & b) == len(whole)
    for name in a & b:  # cut: the region reaches both sides of the hyperplane
        assert plr.check_pattern(net, name, left) and plr.check_pattern(net, name, right)


@steady
@given(questions(), st.data())
def test_translation(question: Any, data: st.DataObject) -> None:
    """Domain and first bias moved together, exactly; also far away."""
    net, box = question
    shift = [data.draw(st.sampled_from([Fraction(1, 3), Fraction(10**9), Fraction(1, 10**20)]))
             for _ in range(box.dim)]  # fmt: skip
    layers = exact_arrays(net)
    layers[0] = (layers[0][0], layers[0][1] - layers[0][0] @ np.array(shift), layers[0][2])
    lower, upper = box.bounding_box()
    moved = plr.Box(*([v + s for v, s in zip(end, shift, strict=True)] for end in (lower, upper)))
    before, after = regions(net, box), regions(network(layers), moved)
    assert before.pattern_strings() == after.pattern_strings()
    assert facet_lists(before) == facet_lists(after)


@steady
@given(questions(), factor)
def test_units_of_the_input(question: Any, scale: Fraction) -> None:
    """The first coordinate in other units."""
    net, box = question
    layers = exact_arrays(net)
    layers[0][0][:, 0] /= scale
    lower, upper = box.bounding_box()
    scaled = plr.Box([lower[0] * scale, *lower[1:]], [upper[0] * scale, *upper[1:]])
    before, after = regions(net, box), regions(network(layers), scaled)
    assert before.pattern_strings() == after.pattern_strings()
    assert facet_lists(before) == facet_lists(after)


@steady
@given(questions())
def test_a_slice_of_the_whole_domain(question: Any) -> None:
    """A slice along all axes, in sheared coordinates, is the same domain as its polytope."""
    net, box = question
    d = box.dim
    shear = [[Fraction(int(i == k)) + Fraction(int(i < k), 3) for k in range(d)] for i in range(d)]
    lower, upper = box.bounding_box()
    # x = s @ shear lies in the box: rows of the box, written in s.
    rows = [[sign * shear[i][k] for i in range(d)] for k in range(d) for sign in (-1, 1)]
    ends = [v for k in range(d) for v in (-lower[k], upper[k])]
    domain = plr.Slice([0] * d, shear, plr.Polytope(rows, ends))
    assert regions(net, box).pattern_strings() == regions(net, domain).pattern_strings()


@steady
@given(questions(), st.data())
def test_every_point_lies_in_a_region(question: Any, data: st.DataObject) -> None:
    """Points drawn from the domain, located in plain Fractions."""
    net, box = question
    found = regions(net, box)
    layers = plain_layers(net)
    lower, upper = box.bounding_box()
    for _ in range(5):
        shares = [data.draw(st.fractions("1/97", "96/97", max_denominator=97)) for _ in lower]
        triples = zip(lower, upper, shares, strict=True)
        x = [low + share * (high - low) for low, high, share in triples]
        try:
            bits = pattern(layers, x)
        except OnWallError:
            continue
        assert str(found.region_at(x).pattern) == bits


@steady
@given(questions())
def test_strategies(question: Any) -> None:
    net, box = question
    tree = plr.enumerate_regions(net, box, strategy="tree")
    brute = plr.enumerate_regions(net, box, strategy="brute_force")
    assert tree == brute
    assert facet_lists(tree) == facet_lists(brute)
    assert tree.n_regions == int(plr.count_regions(net, box))
