"""The region graph of a complex in a form that does not depend on numbering or on order."""

from __future__ import annotations

from typing import Any

Facet = tuple[int, str, tuple[int, ...]]


def facet_lists(regions: Any) -> dict[str, list[Facet]]:
    """For each pattern its facets, sorted: the wall's label or 0, the pattern beyond, the flips."""
    names = regions.pattern_strings()
    graph = regions.graph
    found: dict[str, list[Facet]] = {}
    for r, name in enumerate(names):
        facets = []
        for f in range(int(graph.offsets[r]), int(graph.offsets[r + 1])):
            beyond = int(graph.neighbours[f])
            label = min(int(graph.labels[f]), 0)
            facets.append((label, names[beyond] if beyond >= 0 else "", graph.flips(f)))
        found[name] = sorted(facets)
    return found
