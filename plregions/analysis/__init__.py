"""Questions about networks and finished complexes."""

from __future__ import annotations

from plregions.analysis.boolean_function import BooleanAgreement, boolean_agreement
from plregions.analysis.collapse import collapsed
from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.distances import Distance, distance
from plregions.analysis.inspect import LayerInfo, NetworkInfo, describe
from plregions.analysis.integrals import Moments, moments
from plregions.analysis.same_function import Agreement, agreement

__all__ = [
    "Agreement",
    "BooleanAgreement",
    "Distance",
    "LayerInfo",
    "Moments",
    "NetworkInfo",
    "NeuronSigns",
    "agreement",
    "boolean_agreement",
    "collapsed",
    "describe",
    "distance",
    "moments",
    "neuron_signs",
]
