"""Small networks and domains by seed: every second one degenerate, all dimensions from 1 to 4.

A case depends on its seed alone, so a failure names all that is needed to see it again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from plregions.domain import Box, Polytope, Slice
from plregions.network import Network

Layers = list[tuple[Any, Any, Any]]

# Dimension, then the widths of the layers that have kinks: at most 9 neurons.
SHAPES = {
    1: [[5], [3, 3], [3, 3, 3], [2, 4, 2]],
    2: [[6], [3, 3], [4, 3], [3, 3, 3], [2, 1, 4]],
    3: [[6], [4, 3], [3, 3], [2, 2, 2]],
    4: [[5], [4, 3], [3, 2, 2]],
}
SLOPES = [(0, 1), (0.25, 1), (-1, 1), (1, 1), (Fraction(1, 3), 2), (1, 0), (0, -1), (0, 0)]


class Case(NamedTuple):
    """A question for the engine, and its name for messages."""

    name: str
    net: Network
    domain: Box | Polytope | Slice


def case(seed: int) -> Case:
    """The case of a seed: odd seeds are degenerate."""
    rng = np.random.default_rng(seed)
    dim = int(rng.integers(1, 5))
    shapes = SHAPES[dim]
    widths = shapes[int(rng.integers(len(shapes)))]
    ambient = dim
    domain: Box | Polytope | Slice
    kind = ["box", "box", "polytope", "slice"][int(rng.integers(4))]
    domain = box(rng, dim) if kind != "polytope" else polytope(rng, dim)
    if kind == "slice":
        ambient = dim + int(rng.integers(1, 3))
        inner = domain if rng.integers(2) else polytope(rng, dim)
        assert not isinstance(inner, Slice)
        domain = Slice(thirds(rng, ambient), directions(rng, dim, ambient), inner)
    layers = degenerate(rng, ambient, widths) if seed % 2 else generic(rng, ambient, widths)
    style = "degenerate" if seed % 2 else "generic"
    return Case(f"seed {seed}: {style}, {kind} of dimension {dim}", Network(layers), domain)


def generic(rng: np.random.Generator, n_in: int, widths: list[int]) -> Layers:
    """Normal weights; ReLU, or now and then a leaky one or one in the last layer."""
    layers: Layers = []
    for width in widths:
        weight = rng.normal(0, 1, (width, n_in))
        layers.append((weight, rng.uniform(-1, 1, width), (0.1, 1) if rng.random() < 0.2 else None))
        n_in = width
    if rng.random() < 0.3:  # the last of the widths ends the network
        layers[-1] = (*layers[-1][:2], "relu")
    else:
        layers.append((rng.normal(0, 1, (1, n_in)), [0.5], "identity"))
    return layers


def degenerate(rng: np.random.Generator, n_in: int, widths: list[int]) -> Layers:
    """Small integers, no bias, and rows copied, negated, multiplied, zero or dead."""
    layers: Layers = []
    for width in widths:
        weight = rng.integers(-2, 3, (width, n_in)).astype(object)
        bias = rng.integers(-1, 2, width).astype(object) * int(rng.integers(2))
        for i in range(1, width):
            j = int(rng.integers(i))
            factor = [None, None, None, 1, -1, 2, -3, Fraction(1, 3), 0][int(rng.integers(9))]
            if factor is not None:
                weight[i], bias[i] = factor * weight[j], factor * bias[j]
        if rng.random() < 0.1:  # dead or always on, whatever comes in
            weight[...], bias[...] = -abs(weight), int(rng.choice([-9, 0, 9]))
        if rng.random() < 0.2:
            weight, bias = weight * Fraction(1, 7), bias * Fraction(1, 7)
        slopes: Any = "relu"
        if rng.random() < 0.4:
            slopes = [SLOPES[int(k)] for k in rng.integers(len(SLOPES), size=width)]
        layers.append((weight.tolist(), bias.tolist(), slopes))
        n_in = width
    if rng.random() < 0.5:
        layers.append(([[1] * n_in], [0], "identity"))
    return layers


def box(rng: np.random.Generator, dim: int) -> Box:
    """A square around 0, a shifted one, or one with bounds that are not dyadic."""
    choice = int(rng.integers(4))
    if choice < 2:
        return Box([-1 - choice] * dim, [1] * dim)
    if choice == 2:
        lower = rng.uniform(-3, 1, dim)
        return Box(lower, lower + rng.uniform(0.5, 3, dim))
    return Box(thirds(rng, dim), [Fraction(7, 3)] * dim)


def polytope(rng: np.random.Generator, dim: int) -> Polytope:
    """A simplex with a corner at 0, or a box whose corners were cut off."""
    if rng.integers(2):
        rows = [[-int(i == k) for i in range(dim)] for k in range(dim)] + [[1] * dim]
        return Polytope(rows, [0] * dim + [int(rng.integers(1, 3))])
    rows = [[s * int(i == k) for i in range(dim)] for k in range(dim) for s in (-1, 1)]
    cuts = rng.integers(-2, 3, (2, dim)).tolist()
    return Polytope([*rows, *cuts], [1] * (2 * dim) + [1, Fraction(1, 3)])


def thirds(rng: np.random.Generator, length: int) -> list[Fraction]:
    """Numbers between -1 and 1 that are not dyadic."""
    return [Fraction(int(k), 3) for k in rng.integers(-3, 4, length)]


def directions(rng: np.random.Generator, dim: int, ambient: int) -> list[list[Any]]:
    """Independent vectors: the identity with small or rational entries to its right."""
    extra = ambient - dim
    unit = [[int(i == k) for i in range(dim)] for k in range(dim)]
    return [row + thirds(rng, extra) for row in unit]
