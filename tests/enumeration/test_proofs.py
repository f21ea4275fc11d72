"""Runs that keep a proof: the same regions, the same proof for any number of workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_cases import case

import plregions as plr
from plregions.enumeration.tree import TreeWalk
from plregions.errors import InvalidInputError
from plregions.proof import Proof, verify

NET = plr.mlp([3, 8, 8, 1])
CUBE = plr.hypercube(3, -1, 1)


def proof_of(regions: plr.RegionComplex) -> Proof:
    assert regions.proof is not None
    return regions.proof


def test_the_regions_are_the_same() -> None:
    for seed in range(20):
        _, net, domain = case(seed)
        with_proof = plr.enumerate_regions(net, domain, proof=True)
        assert with_proof == plr.enumerate_regions(net, domain, strategy="tree")
        assert plr.enumerate_regions(net, domain).proof is None


def test_any_number_of_workers_gives_the_same_proof() -> None:
    for seed in range(12):
        _, net, domain = case(seed)
        alone = plr.enumerate_regions(net, domain, proof=True)
        assert proof_of(plr.enumerate_regions(net, domain, proof=True, workers=3)) == alone.proof
    alone = plr.enumerate_regions(NET, CUBE, proof=True)
    assert plr.enumerate_regions(NET, CUBE, proof=True, workers=2).proof == alone.proof


def test_only_the_tree_has_a_log() -> None:
    square = plr.hypercube(2, -1, 1)
    net = plr.mlp([2, 4, 1])
    assert plr.enumerate_regions(net, square, proof=True).statistics["tests"] > 0
    for strategy in ("planar", "brute_force"):
        with pytest.raises(InvalidInputError, match=r"proof=True needs strategy=\"tree\""):
            plr.enumerate_regions(net, square, proof=True, strategy=strategy)


@pytest.mark.parametrize("workers", [1, 2])
def test_open_branches_are_those_with_regions_in_them(workers: int) -> None:
    whole = plr.enumerate_regions(NET, CUBE)
    for limit in (1, 2, 17, len(whole) - 1):
        part = plr.enumerate_regions(NET, CUBE, proof=True, max_regions=limit, workers=workers)
        proof = proof_of(part)
        behind = whole.patterns[limit:]
        inside = np.zeros(len(behind), dtype=int)
        prefixes = np.unpackbits(proof.open_patterns, axis=1)
        for depth, prefix in zip(proof.open_depth.tolist(), prefixes, strict=True):
            members = (behind[:, :depth] == prefix[:depth]).all(axis=1)
            assert members.any()
            inside += members
        assert (inside == 1).all()
        assert verify(part, NET).ok


def test_interrupted_at_once() -> None:
    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    net = plr.mlp([6, 24, 24, 1])
    regions = plr.enumerate_regions(net, plr.hypercube(6, -1, 1), proof=True, progress=stop)
    assert regions.outcome.name == "INTERRUPTED"
    found = verify(regions, net)
    assert (found.ok, found.complete, found.regions) == (True, False, len(regions))


def test_nothing_found_in_time() -> None:
    net = plr.mlp([6, 24, 24, 1])
    regions = plr.enumerate_regions(net, plr.hypercube(6, -1, 1), proof=True, time_limit=1e-9)
    assert not regions.is_complete
    assert verify(regions, net).regions == len(regions)


def test_a_chain_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps keep their place when regions are taken few at a time."""
    whole = plr.enumerate_regions(NET, CUBE, proof=True)
    init = TreeWalk.__init__

    def small(self: Any, prepared: Any, **options: Any) -> None:
        init(self, prepared, **{"chunk_size": 3, **options})

    monkeypatch.setattr(TreeWalk, "__init__", small)
    for workers in (1, 2):
        found = plr.enumerate_regions(NET, CUBE, proof=True, workers=workers)
        assert found.proof == whole.proof


def test_cones_whose_domain_has_a_far_point_inside() -> None:
    """The domain's own point lies outside the box to which cones are cut."""
    net = plr.Network([([[1, 2], [2, -1]], None, "relu")])
    for far in (1, 10**6):
        domain = plr.Polytope([[-1, far], [0, -1]], [0, 0])
        regions = plr.enumerate_regions(net, domain, strategy="tree", proof=True)
        assert len(regions) == len(plr.enumerate_regions(net, domain, strategy="brute_force"))
        assert verify(regions, net).ok


# Neurons that miss the square, with slopes that the simplex walk takes for rounding errors: the
# corner where it stops is not where they are largest, though far below 0.
NEARLY_FLAT = [[s, t * 2.0**-60] for s in (1, -1) for t in (1, -1)]
SKEWED = plr.Network([(NEARLY_FLAT, [-3.0] * 4, "relu")])

# Neurons that are nearly repeated make a basis so bad that it takes up rows that depend on others.
TWO = [[-0.25, 0.75, -0.25], [-0.5, -0.25, -0.25]]
DEEPER = [[2, -0.75, 2, -1.5, 1.75], [-1, 1.75, 1.5, 1, -1]]
NEARLY_PARALLEL = plr.Network(
    [
        ([*TWO, *TWO, [-1.5, -1, -0.5]], [-0.5, 1, -0.499999999, 1.000000001, -2]),
        ([*DEEPER, *DEEPER], [-2.5, -0.5, -2.5, -0.5], "relu"),
    ]
)

UNCHECKED = """
import plregions as plr
from plregions.kernels import probe
from plregions.proof import verify
from enumeration.test_proofs import NEARLY_PARALLEL, SKEWED
fault = {fault!r}
real = probe.empty_by_residual
if fault == "residual":
    probe.empty_by_multipliers = lambda T, C, E, S, Z, *rest: real(T, C, E, S, *rest[:-1])
if fault == "dependent rows":
    probe.is_independent = lambda *_: True
regions = plr.enumerate_regions(SKEWED, plr.hypercube(2, -1, 1), proof=True)
assert len(regions) == 1
assert verify(regions, SKEWED).ok != (fault == "residual")
regions = plr.enumerate_regions(NEARLY_PARALLEL, plr.WholeSpace(3), proof=True)
assert len(regions) == 44
assert verify(regions, NEARLY_PARALLEL).ok != (fault == "dependent rows")
"""


@pytest.mark.parametrize("fault", ["none", "residual", "dependent rows"])
def test_the_basis_itself_has_to_prove(fault: str, root: Path) -> None:
    """A bound over the box proves a branch to be empty, but not that the logged rows do.

    Nor do rows that depend on each other, for their multipliers are not determined.
    """
    for net, domain in ((SKEWED, plr.hypercube(2, -1, 1)), (NEARLY_PARALLEL, plr.WholeSpace(3))):
        assert verify(plr.enumerate_regions(net, domain, proof=True), net).ok
    paths = [str(root / "tests"), str(root), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(paths)}
    words = [sys.executable, "-c", UNCHECKED.format(fault=fault)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_lost_row_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact rung's steps are needed in full."""
    real = TreeWalk._log
    monkeypatch.setattr(TreeWalk, "_log", lambda self, bit, labels: real(self, bit, labels[1:]))
    wrong = 0
    for seed in range(1, 30, 2):
        _, net, domain = case(seed)
        wrong += not verify(plr.enumerate_regions(net, domain, proof=True), net).ok
    assert wrong > 3
