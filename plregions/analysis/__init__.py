"""Questions about networks and finished complexes."""

from __future__ import annotations

from plregions.analysis.boolean_function import BooleanAgreement, boolean_agreement
from plregions.analysis.collapse import collapsed
from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.distances import Distance, distance
from plregions.analysis.inspect import LayerInfo, NetworkInfo, describe
from plregions.analysis.integrals import Moments, moments
from plregions.analysis.radial_errors import RadialError, radial_error
from plregions.analysis.radial_functions import RadialFunction, euclidean_norm, shifted_norm
from plregions.analysis.radial_means import Ball, MeanSquare, radial_mse
from plregions.analysis.radial_tables import RadialRow, RadialTable, radial_table
from plregions.analysis.ridge_means import RidgeProfile, ridge_profile
from plregions.analysis.same_function import Agreement, agreement

__all__ = [
    "Agreement",
    "Ball",
    "BooleanAgreement",
    "Distance",
    "LayerInfo",
    "MeanSquare",
    "Moments",
    "NetworkInfo",
    "NeuronSigns",
    "RadialError",
    "RadialFunction",
    "RadialRow",
    "RadialTable",
    "RidgeProfile",
    "agreement",
    "boolean_agreement",
    "collapsed",
    "describe",
    "distance",
    "moments",
    "neuron_signs",
    "euclidean_norm",
    "radial_error",
    "radial_mse",
    "radial_table",
    "ridge_profile",
    "shifted_norm",
]
