"""Explicit networks of the literature, with what is known of their regions."""

from __future__ import annotations

from plregions.constructions.hinges import corner_hinge, corner_hinge_shallow, layered_hinge
from plregions.constructions.maxima import (
    hanin_max,
    max5_two_hidden,
    max_tree,
    median3,
    sort_network,
)
from plregions.constructions.parity import (
    boolean_product,
    parity_shallow,
    parity_tent,
    parity_xor_tree,
    xor2,
)
from plregions.constructions.safran import (
    copier,
    copier_centres,
    l2_hierarchy,
    safran_g,
    safran_hard_points,
)
from plregions.constructions.tents import (
    mean_tent,
    montufar_fold,
    sum_tent,
    tent3_power,
    tent_power,
    yarotsky_square,
)

__all__ = [
    "boolean_product",
    "copier",
    "copier_centres",
    "corner_hinge",
    "corner_hinge_shallow",
    "hanin_max",
    "l2_hierarchy",
    "layered_hinge",
    "max5_two_hidden",
    "max_tree",
    "mean_tent",
    "median3",
    "montufar_fold",
    "parity_shallow",
    "parity_tent",
    "parity_xor_tree",
    "safran_g",
    "safran_hard_points",
    "sort_network",
    "sum_tent",
    "tent3_power",
    "tent_power",
    "xor2",
    "yarotsky_square",
]
