"""Wrong parameters end in one sentence; every construction says what is known of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import plregions as plr
from plregions import constructions as made
from plregions.constructions.parameters import rational, rationals, rows_of, whole
from plregions.errors import InvalidInputError

HUGE = 10**18
WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (made.corner_hinge, (1,), "corner_hinge needs a whole number d from 2 to 1000; got 1."),
    (made.corner_hinge, (2.0,), "got 2.0"),
    (made.corner_hinge, (True,), "got True"),
    (made.corner_hinge, ("3",), "got '3'"),
    (made.corner_hinge, (None,), "got None"),
    (made.corner_hinge, (HUGE,), "got 10000"),
    (made.corner_hinge_shallow, (1,), "from 2"),
    (made.corner_hinge_shallow, (11,), "d from 2 to 10; got 11"),
    (made.corner_interp, (2, [1, 2, 3]), "corner_interp needs 4 numbers values; got 3."),
    (made.corner_interp, (2, "1234"), "needs numbers values; got '1234'"),
    (made.corner_interp, (2, 5), "needs numbers values; got 5"),
    (made.corner_interp, (1, [1, "x"]), "such as 3 or '1/3'; got 'x'"),
    (made.corner_interp, (1, [1, float("nan")]), "got nan"),
    (made.corner_interp, (1, [1, 1j]), "got 1j"),
    (made.corner_hats_shallow, (16,), "d from 1 to 15"),
    (made.safran_g, (2,), "d from 3 to 4; got 2"),
    (made.safran_g, (5,), "d from 3 to 4; got 5"),
    (made.safran_g, (4, [1, 2]), "safran_g needs 4 numbers pushes; got 2."),
    (made.safran_hard_points, (7,), "d from 3 to 4; got 7"),
    (made.copier, (4,), "d from 2 to 3; got 4"),
    (made.copier, (2, 0), "copier needs r above 0; got 0."),
    (made.copier, (2, "1/3"), "copier needs r of at most 1/4 for d = 2; got 1/3."),
    (made.copier, (3, "1/8"), "copier needs r of at most 1/9 for d = 3; got 1/8."),
    (made.copier_centres, (1,), "d from 2 to 3; got 1"),
    (made.l2_hierarchy, (2, -1), "j from 0 to 100; got -1"),
    (made.tent_power, (0,), "m from 1"),
    (made.tent3_power, (0,), "m from 1"),
    (made.sum_tent, (0, 1), "d from 1"),
    (made.sum_tent, (1000, 1000), "at most 1,000,000 weights"),
    (made.mean_tent, (1, -1), "m from 1"),
    (made.montufar_fold, (1, 1, 1), "p from 2"),
    (made.montufar_fold, (1, 2, 0), "n_folds from 1"),
    (made.montufar_fold, (2, 2, 1, [(1, 2)]), "montufar_fold needs 3 numbers final; got 2."),
    (made.montufar_fold, (2, 2, 1, []), "needs one or more rows final; got none"),
    (made.montufar_fold, (2, 2, 1, "ab"), "needs rows of numbers final; got 'ab'"),
    (made.montufar_fold, (2, 2, 1, None, (1,)), "needs final where read_out is given"),
    (made.montufar_fold, (1, 2, 1, [(1, 0)], (1, 2)), "one for each row of final; got 2"),
    (made.yarotsky_square, (0,), "m from 1"),
    (made.zonotope_norm, (31, 3), "d from 1 to 30"),
    (made.zonotope_saw, (2, 3, 1, -1), "scale above 0; got -1"),
    (made.max_tree, (1,), "n from 2"),
    (made.sort_network, (500,), "at most 1,000,000 weights"),
    (made.hanin_max, ([(1, 2)],), "two or more rows of d + 1 numbers; got 1 of 2"),
    (made.hanin_max, ([(1,), (2,)],), "got 2 of 1"),
    (made.hanin_max, ([(1, 2), (1, 2, 3)],), "hanin_max needs 2 numbers planes; got 3."),
    (made.hanin_max, ([1, 2],), "needs numbers planes; got 1"),
    (made.narrow, (3,), "narrow needs a Network with one hidden layer"),
    (made.narrow, (made.bent(),), "got Network(2-3-1-1, 4 neurons)"),
    (made.narrow, (plr.Network([([[1]], [0], (-1, 1)), ([[1]], [0])]),), "got Network"),
    (made.narrow, (plr.Network([([[1]], [0]), ([[1], [2]], [0, 0])]),), "got Network"),
    (made.parity_shallow, (0,), "d from 1"),
    (made.parity_tent, (0,), "d from 1"),
    (made.parity_xor_tree, (0,), "k from 1 to 9"),
    (made.parity_xor_tree, (10,), "k from 1 to 9"),
    (made.boolean_product, ([],), "boolean_product needs one or more numbers a; got 0."),
    (made.boolean_product, ([1, 0],), "boolean_product needs in a above 0; got 0."),
    (made.boolean_product, (3,), "needs numbers a; got 3"),
    (made.l1_norm, (0,), "d from 1"),
    (made.linf_norm, (0,), "d from 1"),
    (made.l1_trapezoid, (0,), "d from 1"),
    (made.vertex_dist_l1, (0,), "d from 1"),
    (made.vertex_dist_linf, (0,), "d from 1"),
    (made.corner_hats, (0,), "d from 1"),
    (made.layered_hinge, (1,), "d from 2"),
    (made.radial_sq, (1, 0), "k from 1"),
    (made.radial_annulus, (1, 1, 3, 3), "radial_annulus needs low < high; got 3 and 3."),
    (made.radial_annulus, (1, 1, "a", 3), "a number low such as"),
    (made.inner_product_pl, (0, 1), "n from 1"),
    (made.radial_deep, (0, abs), "d from 1"),
    (made.radial_deep, (2, abs, 0), "squares from 1"),
    (made.radial_deep, (2, abs, [1, 1]), "radial_deep needs squares that grow; got 1, 1."),
    (made.radial_deep, (2, abs, [0, 1]), "in squares above 0; got 0."),
    (made.radial_deep, (2, abs, 2, [1, 2]), "two or more radii, the first 0; got 1."),
    (made.radial_deep, (2, abs, 2, [0]), "two or more radii, the first 0; got 0."),
    (made.radial_deep, (2, [1, 2], 2, [0, 1, 2]), "needs 3 numbers rho; got 2."),
    (made.radial_deep, (2, lambda r: None), "in rho such as 3 or '1/3'; got None."),
    (made.radial_deep, (2, abs, 2, 2, 0), "reach above 0; got 0."),
    (made.radial_deep, (1000, abs, 1000), "at most 1,000,000 weights"),
    (made.ridge_sum, ([], 0, 1), "one or more rows directions; got none."),
    (made.ridge_sum, ([[1, 0]], [0, 1], 1), "needs 1 numbers knots; got 2."),
    (made.ridge_sum, ([[1, 0]], -1, 1), "ridge_sum needs knots of at least 0; got -1."),
    (made.ridge_sum, ([[1, 0]], 0, "x"), "in weights such as 3 or '1/3'; got 'x'."),
    (made.ridge_sum, ([[1] * 1000] * 600, 0, 1), "at most 1,000,000 weights"),
    (made.norm_ridges, (1, 3), "d from 2"),
    (made.norm_ridges, (2, 0), "k from 1"),
    (made.norm_ridges, (3, 10**6), "at most 1,000,000 weights"),
    (made.plane_directions, (0,), "k from 1"),
    (made.sphere_directions, (0, 1), "d from 1"),
    (made.sphere_directions, (3, 1, -1), "seed from 0"),
    (made.fold2d, (-1,), "m from 0"),
    (made.generic_arrangement, (0, 1), "n from 1"),
    (made.central_arrangement, (3, 31), "d from 1 to 30"),
    (made.boolean_arrangement, (0,), "n from 1"),
    (made.cube_arrangement, (0,), "n from 1"),
    (made.braid_arrangement, (1,), "n from 2"),
    (made.braid_arrangement, (1000,), "at most 1,000,000 weights"),
    (made.type_b_arrangement, (0,), "n from 1"),
    (made.type_d_arrangement, (1,), "n from 2"),
    (made.type_d_arrangement, (1000,), "at most 1,000,000 weights"),
    (made.shi_arrangement, (1,), "n from 2"),
    (made.catalan_arrangement, (1,), "n from 2"),
    (made.semiorder_arrangement, (1,), "n from 2"),
    (made.linial_arrangement, (1,), "n from 2"),
    (made.resonance_arrangement, (16,), "n from 1 to 15"),
    (made.threshold_arrangement, (16,), "n from 1 to 15"),
    (made.graphic_arrangement, ([],), "graphic_arrangement needs edges such as"),
    (made.graphic_arrangement, ([(1, 1)],), "each with two ends; got [(1, 1)]"),
    (made.graphic_arrangement, ([(0, HUGE)],), "from 0 to 999"),
    (made.graphic_arrangement, ([(0, -1)],), "from 0 to 999"),
    (made.graphic_arrangement, ([0, 1],), "needs edges such as"),
    (made.graphic_arrangement, ([(0, 1, 2)],), "needs edges such as"),
    (made.graphic_arrangement, ([(0, 1.5)],), "needs edges such as"),
    (made.graphic_arrangement, (7,), "needs edges such as"),
]


@pytest.mark.parametrize(("construction", "parameters", "message"), WRONG)
def test_wrong_parameters(
    construction: Callable[..., Any], parameters: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(message)) as caught:
        construction(*parameters)
    text = str(caught.value)
    assert text.startswith(f"{construction.__name__} needs ")
    assert "got" in text
    assert len(text) < 200


def test_every_construction_with_parameters_refuses_some() -> None:
    refusing = {construction.__name__ for construction, _, _ in WRONG}
    taking = {name for name in made.__all__ if inspect.signature(getattr(made, name)).parameters}
    assert refusing == taking


def test_exact_numbers_of_every_kind() -> None:
    assert rational("f", "r", "1/3") == Fraction(1, 3)
    assert rational("f", "r", 0.5) == Fraction(1, 2)
    assert rationals("f", "a", (1, "0.1")) == [1, Fraction(1, 10)]
    assert rows_of("f", "rows", iter([(1, 2), ["3", 4]])) == [[1, 2], [3, 4]]
    assert made.copier(2, 0.125) == made.copier(2, "1/8") == made.copier(2)


def test_whole_numbers_of_numpy() -> None:
    np = pytest.importorskip("numpy")
    assert whole("f", "n", np.int64(3)) == 3
    assert made.max_tree(np.int8(3)) == made.max_tree(3)


SECTIONS = {"Returns", "Exactness", "References", "Examples"}


def missing_sections(function: Callable[..., Any]) -> set[str]:
    text = inspect.getdoc(function) or ""
    wanted = set(SECTIONS)
    if inspect.signature(function).parameters:
        wanted |= {"Parameters", "Raises"}
    if inspect.signature(function).return_annotation == "Network":
        wanted.add("Regions")
    return wanted - set(re.findall(r"^([A-Z]\w+)\n-{3,}$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", made.__all__)
def test_docstring(name: str) -> None:
    function = getattr(made, name)
    assert missing_sections(function) == set()
    text = inspect.getdoc(function) or ""
    parameters = re.findall(r"^((?:\w+, )*\w+) : ", text.split("Returns\n")[0], flags=re.MULTILINE)
    named = [name for group in parameters for name in group.split(", ")]
    assert named == list(inspect.signature(function).parameters)


def test_docstring_check_catches_a_planted_fault() -> None:
    def planted(d: int) -> None:
        """Return nothing."""

    assert missing_sections(planted) == SECTIONS | {"Parameters", "Raises"}
