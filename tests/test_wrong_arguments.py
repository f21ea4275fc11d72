"""Every public verb says in one sentence what it needs when it is given something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.analysis.topology import betti_numbers
from plregions.errors import FormatError, InvalidDomainError, InvalidInputError

NET = plr.mlp([2, 3, 1])
LINE = plr.mlp([1, 3, 1])
SQUARE = plr.hypercube(2, -1, 1)
NORM = plr.euclidean_norm()

OF_NETWORKS: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: plr.add(x, NET),
    "add second": lambda x: plr.add(NET, x),
    "agreement": lambda x: plr.agreement(x, NET),
    "agreement second": lambda x: plr.agreement(NET, x),
    "boolean_agreement": lambda x: plr.boolean_agreement(x, "parity"),
    "collapsed": lambda x: plr.collapsed(x),
    "compose": lambda x: plr.compose(x, NET),
    "compose second": lambda x: plr.compose(LINE, x),
    "distance": lambda x: plr.distance(x, NET, SQUARE),
    "distance second": lambda x: plr.distance(NET, x, SQUARE),
    "equivalence": lambda x: plr.equivalence(x, NET),
    "equivalence second": lambda x: plr.equivalence(NET, x),
    "first_layer_arrangement": lambda x: plr.first_layer_arrangement(x),
    "moments": lambda x: plr.moments(x, SQUARE),
    "network_bound": lambda x: plr.network_bound(x),
    "neuron_signs": lambda x: plr.neuron_signs(x, SQUARE),
    "one_by_one": lambda x: plr.one_by_one(x),
    "pad_depth": lambda x: plr.pad_depth(x, 1),
    "radial_error": lambda x: plr.radial_error(x, NORM, SQUARE),
    "radial_mse": lambda x: plr.radial_mse(x, NORM, SQUARE),
    "side_by_side": lambda x: plr.side_by_side(x, NET),
    "subtract": lambda x: plr.subtract(NET, x),
    "verify": lambda x: plr.verify(plr.enumerate_regions(NET, SQUARE, proof=True), x),
    "betti_numbers": lambda x: betti_numbers(x, SQUARE),
}
NO_NETWORKS: list[Any] = [None, 3, "net.onnx", Path("net.onnx"), [[1, 2]], np.eye(2), SQUARE]


@pytest.mark.parametrize("name", OF_NETWORKS)
def test_no_network(name: str) -> None:
    for wrong in NO_NETWORKS:
        with pytest.raises(InvalidInputError) as caught:
            OF_NETWORKS[name](wrong)
        words = str(caught.value)
        assert words.startswith(f"{name.split()[0]} needs a Network"), words
        assert f"got {type(wrong).__name__}." in words


@pytest.mark.parametrize("verb", [plr.faces, lambda x: plr.measure(x, "volume"), plr.audit])
def test_no_complex(verb: Callable[[Any], Any]) -> None:
    others: list[Any] = [None, NET, SQUARE, [], "regions.npz"]
    for wrong in others:
        with pytest.raises(InvalidInputError, match=r"needs a RegionComplex; got \w+\. Use enum"):
            verb(wrong)


def test_no_region() -> None:
    for wrong in (None, NET, 0):
        with pytest.raises(InvalidInputError, match=r"simplices needs a Region; got \w+\."):
            plr.simplices(wrong)  # type: ignore[arg-type]


def test_one_name_stands_for_a_list_of_one() -> None:
    regions = plr.enumerate_regions(NET, SQUARE)
    assert [check.name for check in plr.audit(regions, "volumes").checks] == ["volumes"]
    assert list(plr.measure(regions, "volume")) == ["volume"]
    profile = plr.depth_profile([NET], SQUARE)
    assert plr.summarise(profile, "linear") == plr.summarise(profile, ["linear"])


OF_OPTIONS: list[Callable[[Any], Any]] = [
    lambda x: plr.audit(plr.enumerate_regions(NET, SQUARE), x),
    lambda x: plr.measure(plr.enumerate_regions(NET, SQUARE), x),
    lambda x: plr.measure(plr.enumerate_regions(NET, SQUARE), x, exact=True),
    lambda x: plr.summarise(plr.depth_profile([NET], SQUARE), x),
    lambda x: plr.summarise(plr.depth_profile([NET], SQUARE), levels=x),
    lambda x: plr.summarise(plr.depth_profile([NET], SQUARE), method=x),
    lambda x: plr.summarise(x),
    lambda x: plr.depth_profile([NET], SQUARE, measures=x),
    lambda x: plr.check_pattern(NET, "000", SQUARE, solver=x),
    lambda x: plr.pad_depth(NET, 1, after=x),
    lambda x: plr.pad_depth(NET, 1, units=x),
    lambda x: plr.pad_depth(NET, x),
    lambda x: plr.moments(NET, SQUARE, power=x),
    lambda x: plr.radial_error(NET, NORM, SQUARE, tolerance=x),
    lambda x: plr.ridge_profile(2, NORM, x),
    lambda x: plr.ridge_profile(2, NORM, 0.1, reach=x),
    lambda x: plr.ridge_profile(2, NORM, 0.1, n_knots=x),
    lambda x: plr.constructions.corner_hinge(x),
]


@pytest.mark.parametrize("verb", OF_OPTIONS)
def test_wrong_options(verb: Callable[[Any], Any]) -> None:
    for wrong in ("nope", 1j, [[1]], [None], object(), np.zeros(0).sum, {"nope": 1}):
        with pytest.raises(InvalidInputError, match="need"):
            verb(wrong)


def test_sizes_that_nothing_holds() -> None:
    """They are refused at once, not after the memory is full."""
    huge = 10**30
    for call in (
        lambda: plr.pad_depth(NET, huge),
        lambda: plr.moments(NET, SQUARE, power=huge),
        lambda: plr.ridge_profile(2, NORM, 0.1, n_knots=huge),
    ):
        with pytest.raises(InvalidInputError, match="; got 10{29,}"):
            call()
    for d in (huge, 0, -1, 1.5, None, "2", True):
        with pytest.raises(InvalidDomainError, match="hypercube needs a whole number of dim"):
            plr.hypercube(d)  # type: ignore[arg-type]


def test_more_dimensions_than_hyperplanes() -> None:
    assert plr.zaslavsky(5, 10**30) == 2**5


def test_more_processes_than_regions() -> None:
    regions = plr.enumerate_regions(NET, SQUARE, proof=True)
    assert plr.verify(regions, NET, workers=10**30) == plr.verify(regions, NET)


@pytest.mark.parametrize("read", [plr.load_proof, plr.RegionComplex.load])
def test_no_archive(read: Callable[[Any], Any], tmp_path: Path) -> None:
    """Whatever stands in a file, nobody is told to open it as a pickle."""
    path = tmp_path / "regions.npz"
    for content in (b"", b"x", b"PK", b"\x80\x04]\x94.", b"\x93NUMPY"):
        path.write_bytes(content)
        with pytest.raises(FormatError) as caught:
            read(path)
        assert "needs a complete archive" in str(caught.value)
        assert "pickle" not in str(caught.value)
