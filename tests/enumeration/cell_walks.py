"""What the tests of the planar and of the spatial walk have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from oracles.random_cases import Case, box, degenerate, directions, generic, polytope, thirds

import plregions as plr
from plregions.enumeration.tree import Leaves
from plregions.errors import PLRegionsError

WIDTHS = [[6], [9], [4, 4], [3, 3, 3], [2, 1, 4], [5, 4], [2, 2, 2, 2]]


def case_in(dim: int, seed: int, rng: np.random.Generator) -> Case:
    """A case in some dimension, now and then a slice; odd seeds are degenerate."""
    widths = WIDTHS[int(rng.integers(len(WIDTHS)))]
    ambient, domain = dim, [box, polytope][int(rng.integers(2))](rng, dim)
    if rng.integers(4) == 0:
        ambient = dim + int(rng.integers(1, 3))
        domain = plr.Slice(thirds(rng, ambient), directions(rng, dim, ambient), domain)
    layers = degenerate(rng, ambient, widths) if seed % 2 else generic(rng, ambient, widths)
    return Case(f"seed {seed}", plr.Network(layers), domain)


def walked(walk: Any) -> list[Leaves]:
    """Advance in the shortest steps and take everything."""
    chunks = []
    while not walk.done:
        walk.advance(0.0)
        chunks.append(walk.take())
        assert 0.0 <= walk.share_done <= 1.0
    return chunks


def wrong_cases(strategy: Any, seeds: Iterable[int], case: Callable[[int], Case]) -> list[int]:
    """The cases on which the walk and the tree differ; errors count as noticed."""
    wrong = []
    for seed in seeds:
        _, net, domain = case(seed)
        tree = plr.enumerate_regions(net, domain, strategy="tree")
        try:
            found = plr.enumerate_regions(net, domain, strategy=strategy, max_regions=2000)
        except (PLRegionsError, IndexError):
            wrong.append(seed)
            continue
        if found.pattern_strings() != tree.pattern_strings():
            wrong.append(seed)
    return wrong


def scaled_by(power: int, layers: list[tuple[Any, Any]]) -> plr.Network:
    """The first of three layers times a power of two, the next by its inverse, the last again."""
    (w0, b0), (w1, b1), (w2, b2) = layers
    first = np.ldexp(w0, power), np.ldexp(b0, power)
    return plr.Network([first, (np.ldexp(w1, -power), b1), (np.ldexp(w2, power), b2)])
