"""The extremes of each pre-activation over a domain: over the corners of all cells, in Fractions.

On a cell every pre-activation is affine, so its extremes there lie at corners.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oracles.plain_network import plain_layers, pre_activations
from oracles.plain_regions import plain_regions

from plregions.network import restrict


def neuron_extremes(net: Any, domain: Any) -> list[tuple[Fraction, Fraction]]:
    """(least, largest) value of each neuron's pre-activation, in the order of the bits."""
    layers = plain_layers(net)
    corners = {p for cell in plain_regions(*restrict(net, domain)).values() for p in cell.corners}
    values = [pre_activations(layers, domain.embed_exact(p))[0] for p in corners]
    result = []
    for layer, unit in net.neurons.tolist():
        column = [z[layer][unit] for z in values]
        result.append((min(column), max(column)))
    return result
