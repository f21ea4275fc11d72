"""Questions about networks and finished complexes."""

from __future__ import annotations

from plregions.analysis.boolean_function import BooleanAgreement, boolean_agreement
from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.inspect import LayerInfo, NetworkInfo, describe
from plregions.analysis.same_function import Agreement, agreement

__all__ = [
    "Agreement",
    "BooleanAgreement",
    "LayerInfo",
    "NetworkInfo",
    "NeuronSigns",
    "agreement",
    "boolean_agreement",
    "describe",
    "neuron_signs",
]
