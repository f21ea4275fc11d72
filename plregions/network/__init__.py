"""Networks as exact objects: layers, patterns, evaluation, propagation, archives."""

from __future__ import annotations

from plregions.network.archive import load_json, load_npz
from plregions.network.layer import Layer
from plregions.network.network import Network
from plregions.network.pattern import ActivationPattern, as_bits
from plregions.network.propagate import pre_activation_rows
from plregions.network.random import mlp
from plregions.network.restrict import restrict

__all__ = [
    "ActivationPattern",
    "Layer",
    "Network",
    "as_bits",
    "load_json",
    "load_npz",
    "mlp",
    "pre_activation_rows",
    "restrict",
]
