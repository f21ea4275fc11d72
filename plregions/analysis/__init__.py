"""Questions about networks and finished complexes."""

from __future__ import annotations

from plregions.analysis.boolean_function import BooleanAgreement, boolean_agreement
from plregions.analysis.boundary import Boundary, decision_boundary, level_set
from plregions.analysis.class_volumes import ClassPartition, argmax_partition
from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.distances import Distance, distance
from plregions.analysis.exceeding import Exceeding, can_exceed
from plregions.analysis.image_polytopes import OutputImages, output_images
from plregions.analysis.inspect import LayerInfo, NetworkInfo, describe
from plregions.analysis.integrals import Moments, moments
from plregions.analysis.nearest_piece import NearestPoint, nearest_boundary
from plregions.analysis.output_ranges import OutputRange, output_range
from plregions.analysis.same_function import Agreement, agreement

__all__ = [
    "Agreement",
    "BooleanAgreement",
    "Boundary",
    "ClassPartition",
    "Distance",
    "Exceeding",
    "LayerInfo",
    "Moments",
    "NearestPoint",
    "NetworkInfo",
    "NeuronSigns",
    "OutputImages",
    "OutputRange",
    "agreement",
    "argmax_partition",
    "boolean_agreement",
    "can_exceed",
    "decision_boundary",
    "describe",
    "distance",
    "level_set",
    "moments",
    "nearest_boundary",
    "neuron_signs",
    "output_images",
    "output_range",
]
