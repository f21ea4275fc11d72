"""Exact activation regions of ReLU networks, and the graph of their neighbours.

The public names stand here and load on first use, so that ``import plregions`` stays quick:
numba, scipy and the other libraries are imported only by the work that needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plregions import constructions as constructions
    from plregions import plot as plot
    from plregions.analysis.arrangements import Arrangement as Arrangement
    from plregions.analysis.arrangements import bounded_regions as bounded_regions
    from plregions.analysis.arrangements import (
        characteristic_polynomial as characteristic_polynomial,
    )
    from plregions.analysis.arrangements import first_layer_arrangement as first_layer_arrangement
    from plregions.analysis.arrangements import flats_in_domain as flats_in_domain
    from plregions.analysis.arrangements import regions_in_domain as regions_in_domain
    from plregions.analysis.arrangements import regions_in_space as regions_in_space
    from plregions.analysis.audit import AuditCheck as AuditCheck
    from plregions.analysis.audit import AuditReport as AuditReport
    from plregions.analysis.audit import audit as audit
    from plregions.analysis.boolean_function import BooleanAgreement as BooleanAgreement
    from plregions.analysis.boolean_function import boolean_agreement as boolean_agreement
    from plregions.analysis.boundary import Boundary as Boundary
    from plregions.analysis.boundary import decision_boundary as decision_boundary
    from plregions.analysis.boundary import level_set as level_set
    from plregions.analysis.bounds import BoundsTable as BoundsTable
    from plregions.analysis.bounds import bounds_table as bounds_table
    from plregions.analysis.class_volumes import ClassPartition as ClassPartition
    from plregions.analysis.class_volumes import argmax_partition as argmax_partition
    from plregions.analysis.collapse import collapsed as collapsed
    from plregions.analysis.constant_signs import NeuronSigns as NeuronSigns
    from plregions.analysis.constant_signs import neuron_signs as neuron_signs
    from plregions.analysis.copier_errors import HierarchyError as HierarchyError
    from plregions.analysis.copier_errors import hierarchy_error as hierarchy_error
    from plregions.analysis.copier_errors import (
        l2_hierarchy_lower_bound as l2_hierarchy_lower_bound,
    )
    from plregions.analysis.copier_errors import l2_hierarchy_width as l2_hierarchy_width
    from plregions.analysis.copier_errors import missed_copies as missed_copies
    from plregions.analysis.counts import DepthProfile as DepthProfile
    from plregions.analysis.counts import depth_profile as depth_profile
    from plregions.analysis.depth_comparisons import comparisons as comparisons
    from plregions.analysis.depth_two import DepthTwo as DepthTwo
    from plregions.analysis.depth_two import is_depth_two as is_depth_two
    from plregions.analysis.depth_two_error import DepthTwoError as DepthTwoError
    from plregions.analysis.depth_two_error import affine_gap as affine_gap
    from plregions.analysis.depth_two_error import depth_two_error_bound as depth_two_error_bound
    from plregions.analysis.depth_two_error import most_met as most_met
    from plregions.analysis.distances import Distance as Distance
    from plregions.analysis.distances import distance as distance
    from plregions.analysis.equal_size import Member as Member
    from plregions.analysis.equal_size import equal_size_widths as equal_size_widths
    from plregions.analysis.equal_size import random_family as random_family
    from plregions.analysis.exceeding import Exceeding as Exceeding
    from plregions.analysis.exceeding import can_exceed as can_exceed
    from plregions.analysis.first_layer_width import (
        first_layer_width_bound as first_layer_width_bound,
    )
    from plregions.analysis.general_position import zaslavsky as zaslavsky
    from plregions.analysis.image_polytopes import OutputImages as OutputImages
    from plregions.analysis.image_polytopes import output_images as output_images
    from plregions.analysis.inspect import LayerInfo as LayerInfo
    from plregions.analysis.inspect import NetworkInfo as NetworkInfo
    from plregions.analysis.inspect import describe as describe
    from plregions.analysis.integrals import Moments as Moments
    from plregions.analysis.integrals import moments as moments
    from plregions.analysis.kinks import GradientJumps as GradientJumps
    from plregions.analysis.kinks import gradient_jumps as gradient_jumps
    from plregions.analysis.nearest_piece import NearestPoint as NearestPoint
    from plregions.analysis.nearest_piece import nearest_boundary as nearest_boundary
    from plregions.analysis.output_ranges import OutputRange as OutputRange
    from plregions.analysis.output_ranges import output_range as output_range
    from plregions.analysis.radial_errors import RadialError as RadialError
    from plregions.analysis.radial_errors import radial_error as radial_error
    from plregions.analysis.radial_functions import RadialFunction as RadialFunction
    from plregions.analysis.radial_functions import euclidean_norm as euclidean_norm
    from plregions.analysis.radial_functions import shifted_norm as shifted_norm
    from plregions.analysis.radial_means import Ball as Ball
    from plregions.analysis.radial_means import MeanSquare as MeanSquare
    from plregions.analysis.radial_means import radial_mse as radial_mse
    from plregions.analysis.radial_tables import RadialTable as RadialTable
    from plregions.analysis.radial_tables import radial_table as radial_table
    from plregions.analysis.ridge_means import RidgeProfile as RidgeProfile
    from plregions.analysis.ridge_means import ridge_profile as ridge_profile
    from plregions.analysis.same_function import Agreement as Agreement
    from plregions.analysis.same_function import agreement as agreement
    from plregions.analysis.summary import DepthSummary as DepthSummary
    from plregions.analysis.summary import summarise as summarise
    from plregions.analysis.topology import Betti as Betti
    from plregions.analysis.topology import betti_numbers as betti_numbers
    from plregions.analysis.topology import betti_of_faces as betti_of_faces
    from plregions.analysis.unbalanced_ridges import HardFlats as HardFlats
    from plregions.analysis.unbalanced_ridges import UnbalancedRidge as UnbalancedRidge
    from plregions.analysis.unbalanced_ridges import hard_flats as hard_flats
    from plregions.analysis.upper_bounds import network_bound as network_bound
    from plregions.analysis.upper_bounds import serra_bound as serra_bound
    from plregions.analysis.width_certificate import WidthCertificate as WidthCertificate
    from plregions.domain import Box as Box
    from plregions.domain import Polytope as Polytope
    from plregions.domain import Slice as Slice
    from plregions.domain import WholeSpace as WholeSpace
    from plregions.domain import hypercube as hypercube
    from plregions.domain import slice_through as slice_through
    from plregions.enumeration import Progress as Progress
    from plregions.enumeration import RegionCount as RegionCount
    from plregions.enumeration import count_regions as count_regions
    from plregions.enumeration import enumerate_regions as enumerate_regions
    from plregions.enumeration import iter_regions as iter_regions
    from plregions.errors import AmbiguousPointError as AmbiguousPointError
    from plregions.errors import BudgetExhaustedError as BudgetExhaustedError
    from plregions.errors import FlushToZeroError as FlushToZeroError
    from plregions.errors import FormatError as FormatError
    from plregions.errors import InvalidDomainError as InvalidDomainError
    from plregions.errors import InvalidInputError as InvalidInputError
    from plregions.errors import InvalidNetworkError as InvalidNetworkError
    from plregions.errors import MissingExtraError as MissingExtraError
    from plregions.errors import PLRegionsError as PLRegionsError
    from plregions.errors import UnsupportedLayerError as UnsupportedLayerError
    from plregions.feasibility import CellCheck as CellCheck
    from plregions.feasibility import check_pattern as check_pattern
    from plregions.network import ActivationPattern as ActivationPattern
    from plregions.network import Equivalence as Equivalence
    from plregions.network import Layer as Layer
    from plregions.network import Network as Network
    from plregions.network import add as add
    from plregions.network import compose as compose
    from plregions.network import equivalence as equivalence
    from plregions.network import is_equivalent as is_equivalent
    from plregions.network import mlp as mlp
    from plregions.network import one_by_one as one_by_one
    from plregions.network import pad_depth as pad_depth
    from plregions.network import side_by_side as side_by_side
    from plregions.network import subtract as subtract
    from plregions.proof import Proof as Proof
    from plregions.proof import Verification as Verification
    from plregions.proof import load_proof as load_proof
    from plregions.proof import verify as verify
    from plregions.readers import from_sklearn as from_sklearn
    from plregions.readers import from_state_dict as from_state_dict
    from plregions.readers import from_torch as from_torch
    from plregions.readers import load as load
    from plregions.readers import load_nnet as load_nnet
    from plregions.readers import nnet_box as nnet_box
    from plregions.readers.trained_family import trained_family as trained_family
    from plregions.regions import LinearRegions as LinearRegions
    from plregions.regions import Outcome as Outcome
    from plregions.regions import Region as Region
    from plregions.regions import RegionComplex as RegionComplex
    from plregions.regions.faces import FaceLattice as FaceLattice
    from plregions.regions.faces import faces as faces
    from plregions.regions.geometry import measure as measure
    from plregions.regions.linear_measures import measure_linear as measure_linear
    from plregions.regions.linear_polygons import linear_polygons as linear_polygons
    from plregions.regions.simplices import simplices as simplices
    from plregions.regions.vertices import Vertices as Vertices
    from plregions.writers import export as export
    from plregions.writers import read_json as read_json
    from plregions.writers import write_graphml as write_graphml
    from plregions.writers import write_json as write_json

    __version__: str

_NAMES_OF_MODULE = {
    "plregions.analysis.arrangements": (
        "Arrangement",
        "bounded_regions",
        "characteristic_polynomial",
        "first_layer_arrangement",
        "flats_in_domain",
        "regions_in_domain",
        "regions_in_space",
    ),
    "plregions.analysis.audit": (
        "AuditCheck",
        "AuditReport",
        "audit",
    ),
    "plregions.analysis.boolean_function": (
        "BooleanAgreement",
        "boolean_agreement",
    ),
    "plregions.analysis.boundary": (
        "Boundary",
        "decision_boundary",
        "level_set",
    ),
    "plregions.analysis.bounds": (
        "BoundsTable",
        "bounds_table",
    ),
    "plregions.analysis.class_volumes": (
        "ClassPartition",
        "argmax_partition",
    ),
    "plregions.analysis.collapse": ("collapsed",),
    "plregions.analysis.constant_signs": (
        "NeuronSigns",
        "neuron_signs",
    ),
    "plregions.analysis.copier_errors": (
        "HierarchyError",
        "hierarchy_error",
        "l2_hierarchy_lower_bound",
        "l2_hierarchy_width",
        "missed_copies",
    ),
    "plregions.analysis.counts": (
        "DepthProfile",
        "depth_profile",
    ),
    "plregions.analysis.depth_comparisons": ("comparisons",),
    "plregions.analysis.depth_two": (
        "DepthTwo",
        "is_depth_two",
    ),
    "plregions.analysis.depth_two_error": (
        "DepthTwoError",
        "affine_gap",
        "depth_two_error_bound",
        "most_met",
    ),
    "plregions.analysis.distances": (
        "Distance",
        "distance",
    ),
    "plregions.analysis.equal_size": (
        "Member",
        "equal_size_widths",
        "random_family",
    ),
    "plregions.analysis.exceeding": (
        "Exceeding",
        "can_exceed",
    ),
    "plregions.analysis.first_layer_width": ("first_layer_width_bound",),
    "plregions.analysis.general_position": ("zaslavsky",),
    "plregions.analysis.image_polytopes": (
        "OutputImages",
        "output_images",
    ),
    "plregions.analysis.inspect": (
        "LayerInfo",
        "NetworkInfo",
        "describe",
    ),
    "plregions.analysis.integrals": (
        "Moments",
        "moments",
    ),
    "plregions.analysis.kinks": (
        "GradientJumps",
        "gradient_jumps",
    ),
    "plregions.analysis.nearest_piece": (
        "NearestPoint",
        "nearest_boundary",
    ),
    "plregions.analysis.output_ranges": (
        "OutputRange",
        "output_range",
    ),
    "plregions.analysis.radial_errors": (
        "RadialError",
        "radial_error",
    ),
    "plregions.analysis.radial_functions": (
        "RadialFunction",
        "euclidean_norm",
        "shifted_norm",
    ),
    "plregions.analysis.radial_means": (
        "Ball",
        "MeanSquare",
        "radial_mse",
    ),
    "plregions.analysis.radial_tables": (
        "RadialTable",
        "radial_table",
    ),
    "plregions.analysis.ridge_means": (
        "RidgeProfile",
        "ridge_profile",
    ),
    "plregions.analysis.same_function": (
        "Agreement",
        "agreement",
    ),
    "plregions.analysis.summary": (
        "DepthSummary",
        "summarise",
    ),
    "plregions.analysis.topology": (
        "Betti",
        "betti_numbers",
        "betti_of_faces",
    ),
    "plregions.analysis.unbalanced_ridges": (
        "HardFlats",
        "UnbalancedRidge",
        "hard_flats",
    ),
    "plregions.analysis.upper_bounds": (
        "network_bound",
        "serra_bound",
    ),
    "plregions.analysis.width_certificate": ("WidthCertificate",),
    "plregions.domain": (
        "Box",
        "Polytope",
        "Slice",
        "WholeSpace",
        "hypercube",
        "slice_through",
    ),
    "plregions.enumeration": (
        "Progress",
        "RegionCount",
        "count_regions",
        "enumerate_regions",
        "iter_regions",
    ),
    "plregions.errors": (
        "AmbiguousPointError",
        "BudgetExhaustedError",
        "FlushToZeroError",
        "FormatError",
        "InvalidDomainError",
        "InvalidInputError",
        "InvalidNetworkError",
        "MissingExtraError",
        "PLRegionsError",
        "UnsupportedLayerError",
    ),
    "plregions.feasibility": (
        "CellCheck",
        "check_pattern",
    ),
    "plregions.network": (
        "ActivationPattern",
        "Equivalence",
        "Layer",
        "Network",
        "add",
        "compose",
        "equivalence",
        "is_equivalent",
        "mlp",
        "one_by_one",
        "pad_depth",
        "side_by_side",
        "subtract",
    ),
    "plregions.proof": (
        "Proof",
        "Verification",
        "load_proof",
        "verify",
    ),
    "plregions.readers": (
        "from_sklearn",
        "from_state_dict",
        "from_torch",
        "load",
        "load_nnet",
        "nnet_box",
    ),
    "plregions.readers.trained_family": ("trained_family",),
    "plregions.regions": (
        "LinearRegions",
        "Outcome",
        "Region",
        "RegionComplex",
    ),
    "plregions.regions.faces": (
        "FaceLattice",
        "faces",
    ),
    "plregions.regions.geometry": ("measure",),
    "plregions.regions.linear_measures": ("measure_linear",),
    "plregions.regions.linear_polygons": ("linear_polygons",),
    "plregions.regions.simplices": ("simplices",),
    "plregions.regions.vertices": ("Vertices",),
    "plregions.writers": (
        "export",
        "read_json",
        "write_graphml",
        "write_json",
    ),
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names}

_MODULES = ("constructions", "plot")

__all__ = sorted([*_MODULE_OF_NAME, *_MODULES])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("plregions")
    elif name in _MODULES:
        value = import_module(f"plregions.{name}")
    elif name in _MODULE_OF_NAME:
        value = getattr(import_module(_MODULE_OF_NAME[name]), name)
    else:
        raise AttributeError(f"module 'plregions' has no attribute {name!r}")
    globals()[name] = value  # the next look-up finds it without coming here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
