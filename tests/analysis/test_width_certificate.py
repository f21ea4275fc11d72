"""Certificates: what is right verifies, and everything planted is found."""

from __future__ import annotations

import copy
import json
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from plregions.analysis.first_layer_width import first_layer_width_bound
from plregions.analysis.width_certificate import DualWeights, Split, WidthCertificate
from plregions.constructions import corner_hats, corner_hinge, max_tree
from plregions.domain import hypercube
from plregions.errors import FormatError, InvalidInputError
from plregions.exact.linear import nullspace


@pytest.fixture(scope="module")
def hinge() -> WidthCertificate:
    return first_layer_width_bound(corner_hinge(3), hypercube(3))


@pytest.fixture(scope="module")
def maximum() -> WidthCertificate:
    return first_layer_width_bound(max_tree(6), hypercube(6, -1, 1))


def test_right_ones_verify(hinge: WidthCertificate, maximum: WidthCertificate) -> None:
    for certificate, kind in [(hinge, "dual"), (maximum, "branch")]:
        assert certificate.verify()
        assert certificate.kind == kind
        words = json.loads(json.dumps(certificate.to_dict()))
        again = WidthCertificate.from_dict(words)
        assert again == certificate
        assert again.verify()
    assert hinge.to_dict()["flats"][0][0][0] == "1"
    assert '"1/2"' in json.dumps(hinge.to_dict())


def test_verification_needs_no_solver(
    hinge: WidthCertificate, maximum: WidthCertificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    monkeypatch.setattr("plregions.analysis.kinks.enumerate_regions", None)
    monkeypatch.setattr("plregions.analysis.common_hyperplanes.common_hyperplanes", None)
    assert hinge.verify() and maximum.verify()


def fault(certificate: WidthCertificate, **changes: Any) -> str:
    planted = replace(certificate, **changes)
    found = list(planted.faults())
    assert found and not planted.verify()
    return found[0]


def test_a_bound_beyond_the_evidence(hinge: WidthCertificate, maximum: WidthCertificate) -> None:
    assert fault(hinge, lower_bound=5) == "the evidence proves 4, not 5"
    assert fault(maximum, lower_bound=7) == "the evidence proves 6, not 7"
    assert replace(hinge, lower_bound=3).verify()


def test_weights_that_are_too_large(hinge: WidthCertificate) -> None:
    assert isinstance(hinge.evidence, DualWeights)
    more = [(i, Fraction(5, 8)) for i, _ in hinge.evidence.weights]
    assert "holds a weight of 5/4" in fault(hinge, evidence=DualWeights(tuple(more)), lower_bound=5)
    one = ((0, Fraction(3, 2)),)
    assert "the weight 3/2 of flat 0" in fault(hinge, evidence=DualWeights(one), lower_bound=2)
    below = (*hinge.evidence.weights[1:], (0, Fraction(-1)))
    assert "the weight -1 of flat 0" in fault(hinge, evidence=DualWeights(below), lower_bound=1)
    twice = ((0, Fraction(1)), (0, Fraction(1)))
    assert "two weights" in fault(hinge, evidence=DualWeights(twice), lower_bound=1)
    strange = ((8, Fraction(1)),)
    assert "flat 8" in fault(hinge, evidence=DualWeights(strange), lower_bound=1)


def test_a_cover_that_misses_a_flat(hinge: WidthCertificate) -> None:
    assert "the cover misses flat" in fault(hinge, cover=hinge.cover[1:])
    moved = (*hinge.cover[0][:-1], hinge.cover[0][-1] + Fraction(1, 10**30))
    assert "the cover misses flat" in fault(hinge, cover=(moved, *hinge.cover[1:]))
    nothing = (Fraction(0),) * 4
    assert "is no hyperplane" in fault(hinge, cover=(nothing,))
    assert "is no hyperplane" in fault(hinge, cover=(hinge.cover[0][1:],))


def test_flats_that_are_none(hinge: WidthCertificate) -> None:
    first, second = hinge.flats[0]
    rest = hinge.flats[1:]
    assert "not in dimension 4" in fault(hinge, dim=4)
    for planted in [(second, first), (first, first), (first, (0, 0, 0, 1)), ((0,) * 4, second)]:
        assert "reduced echelon form" in fault(hinge, flats=(planted, *rest))
    doubled = tuple(2 * v for v in first)
    assert "reduced echelon form" in fault(hinge, flats=((doubled, second), *rest))
    assert "listed twice" in fault(hinge, flats=(*hinge.flats, hinge.flats[0]))


def hard_fault(certificate: WidthCertificate, **changes: Any) -> str:
    """What is found with the function at hand, and not without it."""
    planted = replace(certificate, **changes)
    assert planted.verify()
    found = list(planted.faults(corner_hinge(3), hypercube(3)))
    assert found and not planted.verify(corner_hinge(3), hypercube(3))
    return found[0]


def test_flats_that_are_not_hard(hinge: WidthCertificate) -> None:
    assert hinge.verify(corner_hinge(3), hypercube(3))
    (point, row), *others = hinge.witnesses
    smooth = tuple(a + 7 * b for a, b in zip(*hinge.flats[0], strict=True))
    for planted, words in [
        ((point[:2], row), "is no point of it"),
        (((*point[:2], point[2] + 1), row), "is no point of it"),
        ((_moved(hinge), row), "is not inside the domain"),
        ((point, smooth), "flat 0 is not hard at its witness"),
        ((point, hinge.cover[0] if hinge.cover[0] != row else hinge.cover[1]), "not hold it"),
        ((point, row[1:]), "not hold it"),
        ((point, (Fraction(0),) * 4), "not hold it"),
    ]:
        assert words in hard_fault(hinge, witnesses=(planted, *others))
    assert "7 witnesses for 8 flats" in hard_fault(hinge, witnesses=tuple(others))
    assert "flat 0 is not hard" in list(hinge.faults(corner_hats(3), hypercube(3)))[0]
    assert "has dimension 2, not 3" in list(hinge.faults(corner_hinge(2), hypercube(2)))[0]
    with pytest.raises(InvalidInputError, match="the function and its domain"):
        hinge.verify(corner_hinge(3))


def _moved(certificate: WidthCertificate) -> tuple[Fraction, ...]:
    """The witness of the first flat, moved along the flat by much."""
    first, second = certificate.flats[0]
    (direction,) = nullspace([first[:-1], second[:-1]])
    point = certificate.witnesses[0][0]
    return tuple(v + a for v, a in zip(point, direction, strict=True))


def leaves(node: Any) -> list[Any]:
    return [node] if isinstance(node, DualWeights) else leaves(node.used) + leaves(node.unused)


def test_trees_that_cheat(maximum: WidthCertificate) -> None:
    tree = maximum.evidence
    assert isinstance(tree, Split)
    assert len(leaves(tree)) > 1
    assert "not 6" in fault(maximum, evidence=leaves(tree)[0])
    # What holds without a hyperplane is used where it may be used.
    swapped = Split(tree.hyperplane, tree.unused, tree.used)
    assert fault(maximum, evidence=swapped)
    moved = (*tree.hyperplane[:-1], Fraction(1))
    assert "holds no two flats" in fault(maximum, evidence=replace(tree, hyperplane=moved))
    nothing = (Fraction(0),) * 7
    assert "is no hyperplane" in fault(maximum, evidence=replace(tree, hyperplane=nothing))
    short = tree.hyperplane[1:]
    assert "is no hyperplane" in fault(maximum, evidence=replace(tree, hyperplane=short))


def test_tampered_files(hinge: WidthCertificate) -> None:
    words = hinge.to_dict()
    for change in (
        lambda w: w.update(format="other"),
        lambda w: w.update(version=2),
        lambda w: w.pop("flats"),
        lambda w: w["witnesses"][0].pop(),
        lambda w: w.update(evidence=[]),
        lambda w: w.update(evidence={}),
        lambda w: w["evidence"].update(weights=[[0, "1/0"]]),
        lambda w: w["flats"][0].pop(),
        lambda w: w["cover"].append(["one"]),
        lambda w: w.update(lower_bound="many"),
    ):
        planted = copy.deepcopy(words)
        change(planted)
        with pytest.raises(FormatError, match="needs what to_dict wrote"):
            WidthCertificate.from_dict(planted)
    with pytest.raises(FormatError):
        WidthCertificate.from_dict([])  # type: ignore[arg-type]
    deep: dict[str, Any] = {"weights": []}
    for _ in range(5000):
        deep = {"hyperplane": ["1", "0", "0", "0"], "used": {"weights": []}, "unused": deep}
    with pytest.raises(FormatError):
        WidthCertificate.from_dict(words | {"evidence": deep})
    planted = copy.deepcopy(words)
    for row, number in zip(planted["flats"][0], ("1/3", "1/7"), strict=True):
        row[-1] = number
    assert not WidthCertificate.from_dict(planted).verify()
