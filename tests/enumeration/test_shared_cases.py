"""Counts that independent exact codes found, for the networks that stand beside the project."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from oracles.known_counts import Known, known_counts, wrong_counts

import plregions as plr
from plregions.domain import Domain

MOST_REGIONS = 25_000
SQUARE = plr.hypercube(2, -1, 1)


def test_counts_csv(shared: Path) -> None:
    """Every row over [-1, 1]^d that other exact codes settled, in one test: 20 ms a row."""
    boxes = [known for known in known_counts(shared) if isinstance(known.domain, plr.Box)]
    cases = [known for known in boxes if known.is_exact and known.count <= MOST_REGIONS]
    assert len(cases) >= 74
    assert not wrong_counts(cases)


def test_a_wrong_count_is_seen() -> None:
    right = Known("two lines", plr.Network([([[1, 0], [0, 1]], [0, 0], "relu")]), SQUARE, 4, True)
    assert wrong_counts([right]) == {}
    assert list(wrong_counts([right._replace(count=5)]).values()) == [(4, 5)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("geo_3-16-16-1", 2424), ("geo_3-32-32-1", 18874), ("geo_4-16-16-1", 20349)],
)
def test_counts_of_float_codes(shared: Path, name: str, expected: int) -> None:
    """Rows on which two independent float codes agree."""
    net = plr.load(shared / "cases" / f"{name}.npz")
    assert int(plr.count_regions(net, plr.hypercube(net.input_dim, -1, 1))) == expected


def axes(dim: int, inputs: list[int], low: str, high: str) -> plr.Slice:
    """The inputs vary in [low, high]; the others are 0."""
    units = [[int(i == k) for i in range(dim)] for k in inputs]
    return plr.Slice([0] * dim, units, plr.hypercube(len(inputs), low, high))


# Domain, activation regions, linear regions, affine maps, edges.
REAL = {
    "marabou/fc_2-2-3.onnx": (plr.hypercube(2, -1, 1), 2, 2, 2, 1),
    "marabou/fc1.onnx": (plr.hypercube(2, -1, 1), 71, 71, 71, 125),
    "vnncomp2022/tllBench_n=2_N=M=8*.onnx": (plr.hypercube(2, -2, 2), 433, 5, 5, 796),
    "marabou/twin_ladder-5_inp-2*.nnet": (axes(5, [0, 1], "-10", "10"), 16, 1, 1, 25),
    "vnncomp2022/cartpole.onnx": (axes(4, [2, 3], "-0.1", "0.1"), 26, None, 26, None),
    "marabou/ACASXU_experimental_v2a_1_1.onnx": (
        axes(5, [0, 1], "-0.05", "0.05"),
        147,
        None,
        147,
        None,
    ),
    "vnncomp2022/test_small.onnx": (plr.hypercube(1, -10, 10), 2, None, 2, 1),
}


def published(folder: Path, pattern: str) -> plr.Network:
    """A network that others trained, in its own units."""
    (path,) = folder.glob(pattern)
    if path.suffix == ".nnet":
        return plr.load_nnet(path, units="raw")
    pytest.importorskip("onnx", reason="the onnx extra is not installed")
    return plr.load(path)


@pytest.mark.parametrize("name", REAL)
def test_networks_that_others_trained(shared: Path, name: str) -> None:
    domain, *expected = REAL[name]
    assert isinstance(domain, Domain)
    regions = plr.enumerate_regions(published(shared / "real_nets", name), domain)
    assert regions.is_complete
    found = len(regions), regions.linear.n_regions, regions.n_maps, regions.n_edges
    known = [i for i, number in enumerate(expected) if number is not None]
    assert [found[i] for i in known] == [expected[i] for i in known]


@pytest.mark.parametrize("domain", [axes(5, [0, 1], "-10", "10"), plr.hypercube(5, -10, 10)])
def test_twin_ladder_is_constant(shared: Path, domain: Domain) -> None:
    """Its halves cancel: it is 1 exactly, and so no counterexample may come of rounding."""
    net = published(shared / "real_nets", "marabou/twin_ladder-5_inp-2*.nnet")
    one, tiny = plr.Network([([[0] * 5], [1])]), Fraction(1, 10**12)
    assert plr.agreement(net, one, domain).holds
    more = plr.agreement(net, plr.Network([([[0] * 5], [1 + tiny])]), domain)
    assert (more.holds, more.gap) == (False, tiny)
