"""Networks as exact objects: layers, patterns, evaluation, propagation, archives."""

from __future__ import annotations

from plregions.network.archive import load_json, load_npz
from plregions.network.composition import compose
from plregions.network.deepen import one_by_one
from plregions.network.layer import Layer
from plregions.network.network import Network
from plregions.network.pad import pad_depth
from plregions.network.pattern import ActivationPattern, as_bits
from plregions.network.propagate import pre_activation_rows
from plregions.network.random import mlp
from plregions.network.reordered import Equivalence, equivalence, is_equivalent
from plregions.network.restrict import restrict
from plregions.network.two_networks import add, side_by_side, subtract

__all__ = [
    "ActivationPattern",
    "Equivalence",
    "Layer",
    "Network",
    "add",
    "as_bits",
    "compose",
    "equivalence",
    "is_equivalent",
    "load_json",
    "load_npz",
    "mlp",
    "one_by_one",
    "pad_depth",
    "pre_activation_rows",
    "restrict",
    "side_by_side",
    "subtract",
]
