"""Explicit networks of the literature, with what is known of their regions."""

from __future__ import annotations

from plregions.constructions.arrangements import (
    boolean_arrangement,
    central_arrangement,
    cube_arrangement,
    generic_arrangement,
    graphic_arrangement,
    resonance_arrangement,
    threshold_arrangement,
)
from plregions.constructions.corners import (
    corner_hats,
    corner_hats_shallow,
    corner_interp,
    vertex_dist_l1,
    vertex_dist_linf,
)
from plregions.constructions.hinges import (
    corner_hinge,
    corner_hinge_shallow,
    layered_hinge,
)
from plregions.constructions.maxima import (
    hanin_max,
    max5_two_hidden,
    max_tree,
    median3,
    sort_network,
)
from plregions.constructions.narrow import (
    narrow,
)
from plregions.constructions.norms import (
    l1_norm,
    l1_trapezoid,
    linf_norm,
)
from plregions.constructions.parity import (
    boolean_product,
    parity_shallow,
    parity_tent,
    parity_xor_tree,
    xor2,
)
from plregions.constructions.planes import (
    bent,
    fold2d,
    hat2d,
)
from plregions.constructions.radial import (
    inner_product_pl,
    radial_annulus,
    radial_sq,
)
from plregions.constructions.radial_profiles import (
    radial_deep,
)
from plregions.constructions.reflections import (
    braid_arrangement,
    catalan_arrangement,
    linial_arrangement,
    semiorder_arrangement,
    shi_arrangement,
    type_b_arrangement,
    type_d_arrangement,
)
from plregions.constructions.ridges import (
    norm_ridges,
    plane_directions,
    ridge_sum,
    sphere_directions,
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
from plregions.constructions.zonotopes import (
    zonotope_norm,
    zonotope_saw,
)

__all__ = [
    "bent",
    "boolean_arrangement",
    "boolean_product",
    "braid_arrangement",
    "catalan_arrangement",
    "central_arrangement",
    "copier",
    "copier_centres",
    "corner_hats",
    "corner_hats_shallow",
    "corner_hinge",
    "corner_hinge_shallow",
    "corner_interp",
    "cube_arrangement",
    "fold2d",
    "generic_arrangement",
    "graphic_arrangement",
    "hanin_max",
    "hat2d",
    "inner_product_pl",
    "l1_norm",
    "l1_trapezoid",
    "l2_hierarchy",
    "layered_hinge",
    "linf_norm",
    "linial_arrangement",
    "max5_two_hidden",
    "max_tree",
    "mean_tent",
    "median3",
    "montufar_fold",
    "narrow",
    "norm_ridges",
    "parity_shallow",
    "parity_tent",
    "parity_xor_tree",
    "plane_directions",
    "radial_annulus",
    "radial_deep",
    "radial_sq",
    "resonance_arrangement",
    "ridge_sum",
    "safran_g",
    "safran_hard_points",
    "semiorder_arrangement",
    "shi_arrangement",
    "sort_network",
    "sphere_directions",
    "sum_tent",
    "tent3_power",
    "tent_power",
    "threshold_arrangement",
    "type_b_arrangement",
    "type_d_arrangement",
    "vertex_dist_l1",
    "vertex_dist_linf",
    "xor2",
    "yarotsky_square",
    "zonotope_norm",
    "zonotope_saw",
]
