"""Small networks and points for properties: small integers make walls and coincidences common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from plregions.network import Layer, Network

small = st.integers(-2, 2)
rational = st.fractions(-2, 2, max_denominator=3)
narrow = st.floats(-2, 2, width=32)
slope = st.sampled_from([0, 1, -1, 0.25, Fraction(1, 3)])


@st.composite
def networks(draw: st.DrawFn, numbers: st.SearchStrategy[Any] | None = None) -> Network:
    """Networks of up to three layers with plain, general and missing kinks."""
    entry = draw(st.sampled_from([small, rational, narrow])) if numbers is None else numbers
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    layers = []
    for n_in, n_out in zip(sizes, sizes[1:], strict=False):
        row = st.lists(entry, min_size=n_in, max_size=n_in)
        weight = draw(st.lists(row, min_size=n_out, max_size=n_out))
        bias = draw(st.lists(entry | st.just(0), min_size=n_out, max_size=n_out))
        pairs = st.lists(st.tuples(slope, slope), min_size=n_out, max_size=n_out)
        slopes = draw(st.sampled_from(["relu", "identity", None]) | pairs)
        layers.append((weight, bias, slopes))
    return Network(layers)


def without_bias(net: Network) -> Network:
    """The network with all biases 0: whatever its layers make meets in 0."""
    return Network([(layer.weight, 0 * layer.bias) for layer in net.layers])


def points(dimension: int) -> st.SearchStrategy[list[Any]]:
    """Points with small coordinates: on walls often enough."""
    return st.lists(small | rational | narrow, min_size=dimension, max_size=dimension)


def reshaped(net: Network, n_in: int, n_out: int) -> Network:
    """The network with other numbers of inputs and outputs: columns repeated or cut, sums."""
    weight = [[row[j % len(row)] for j in range(n_in)] for row in net.layers[0].weight]
    first = Layer(weight, net.layers[0].bias, net.layers[0].slopes)
    last = Layer([[1] * net.output_dim] * n_out, None, "identity")
    return Network([first, *net.layers[1:], last])
