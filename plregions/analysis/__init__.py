"""Questions about networks and finished complexes."""

from __future__ import annotations

from plregions.analysis.boolean_function import BooleanAgreement, boolean_agreement
from plregions.analysis.collapse import collapsed
from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.copier_errors import (
    HierarchyError,
    hierarchy_error,
    l2_hierarchy_lower_bound,
    l2_hierarchy_width,
    missed_copies,
)
from plregions.analysis.depth_two import DepthTwo, depth_two_of, is_depth_two
from plregions.analysis.depth_two_error import (
    DepthTwoError,
    affine_gap,
    depth_two_error_bound,
    most_met,
)
from plregions.analysis.distances import Distance, distance
from plregions.analysis.first_layer_width import first_layer_width_bound, width_certificate_of
from plregions.analysis.inspect import LayerInfo, NetworkInfo, describe
from plregions.analysis.integrals import Moments, moments
from plregions.analysis.kinks import GradientJumps, gradient_jumps
from plregions.analysis.radial_errors import RadialError, radial_error
from plregions.analysis.radial_functions import RadialFunction, euclidean_norm, shifted_norm
from plregions.analysis.radial_means import Ball, MeanSquare, radial_mse
from plregions.analysis.radial_tables import RadialRow, RadialTable, radial_table
from plregions.analysis.ridge_means import RidgeProfile, ridge_profile
from plregions.analysis.same_function import Agreement, agreement
from plregions.analysis.topology import Betti, betti_numbers, betti_of_faces
from plregions.analysis.unbalanced_ridges import (
    HardFlats,
    UnbalancedRidge,
    hard_flats,
    hard_flats_of,
)
from plregions.analysis.width_certificate import DualWeights, Split, WidthCertificate

__all__ = [
    "Agreement",
    "Ball",
    "Betti",
    "BooleanAgreement",
    "DepthTwo",
    "DepthTwoError",
    "Distance",
    "DualWeights",
    "GradientJumps",
    "HardFlats",
    "HierarchyError",
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
    "Split",
    "UnbalancedRidge",
    "WidthCertificate",
    "affine_gap",
    "agreement",
    "betti_numbers",
    "betti_of_faces",
    "boolean_agreement",
    "collapsed",
    "depth_two_error_bound",
    "depth_two_of",
    "describe",
    "distance",
    "euclidean_norm",
    "first_layer_width_bound",
    "gradient_jumps",
    "hard_flats",
    "hard_flats_of",
    "hierarchy_error",
    "is_depth_two",
    "l2_hierarchy_lower_bound",
    "l2_hierarchy_width",
    "missed_copies",
    "moments",
    "most_met",
    "neuron_signs",
    "radial_error",
    "radial_mse",
    "radial_table",
    "ridge_profile",
    "shifted_norm",
    "width_certificate_of",
]
