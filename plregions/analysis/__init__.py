"""Questions about networks and finished complexes."""

from __future__ import annotations

from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.inspect import LayerInfo, NetworkInfo, describe

__all__ = ["LayerInfo", "NetworkInfo", "NeuronSigns", "describe", "neuron_signs"]
