"""Proofs of many networks: both checkers accept them, and what they say is so."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.plain_proof import judge
from oracles.random_cases import case
from oracles.unbounded_cases import unbounded_case

import plregions as plr
from plregions.errors import InvalidInputError
from plregions.proof import Proof, load_proof, verify

SMALL = plr.Network([([[1, 2], [2, -1], [1, 1]], [0, 0.5, -0.25]), ([[1, -1, 1]], [0.125], "relu")])
SQUARE = plr.hypercube(2, -1, 1)
TINY = Fraction(1, 10**30)
NAMED = {
    "nothing bends": (plr.Network([([[1, 2]], [0])]), SQUARE),
    "duplicates and opposites": (
        plr.Network(
            [([[1, 2], [1, 2], [-2, -4], [3, 1]], [0.5, 0.5, -1, 0]), ([[1, 1, 1, 1]], [0])]
        ),
        SQUARE,
    ),
    "zero bias": (plr.Network([([[1, 2], [3, -1], [1, -1]], None), ([[1, -2, 1]], None)]), SQUARE),
    "zero rows": (plr.Network([([[0, 0], [1, 1], [0, 0]], [1, 0, 0], "relu")]), SQUARE),
    "a dead layer": (
        plr.Network([([[1, 1]], [-9]), ([[1], [2]], [0, 1], "relu")]),
        SQUARE,
    ),
    "a sliver": (
        plr.Network([([[1], [1]], [Fraction(-1, 3), Fraction(-1, 3) - TINY], "relu")]),
        plr.Box([0], [1]),
    ),
    "far away": (SMALL, plr.Box([10**6, 0], [10**6 + 1, 1])),
    "a slice": (SMALL, plr.Slice([0, "1/3"], [[1, 2]], plr.hypercube(1, -1, 1))),
    "everywhere": (SMALL, plr.WholeSpace(2)),
    "everywhere, with lines": (
        plr.Network([([[1, 1], [2, 2]], [0, 1], "relu")]),
        plr.WholeSpace(2),
    ),
    "a half-plane": (SMALL, plr.Polytope([[1, 1]], ["1/7"])),
    "cones": (plr.Network([([[1, 2], [2, -1]], None, "relu")]), plr.Polytope([[-1, 0]], [0])),
}


def proof_of(net: plr.Network, domain: Any, **options: Any) -> Proof:
    proof: Proof | None = plr.enumerate_regions(net, domain, proof=True, **options).proof
    assert proof is not None
    return proof


def assert_proved(proof: Proof, net: plr.Network, complete: bool, n: int, path: Path) -> None:
    proof.save(path)
    found = verify(load_proof(path), net)
    assert (found.ok, found.complete, found.regions) == (True, complete, n), found
    assert judge(path, net) == (True, complete, n)


@pytest.mark.parametrize("name", NAMED)
def test_named_cases(name: str, tmp_path: Path) -> None:
    net, domain = NAMED[name]
    expected = plr.enumerate_regions(net, domain, strategy="brute_force")
    proof = proof_of(net, domain)
    assert proof.n_regions == len(expected)
    assert_proved(proof, net, True, len(expected), tmp_path / "proof.npz")


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_cases(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 10):
        _, net, domain = case(seed)
        n = len(plr.enumerate_regions(net, domain))
        assert_proved(proof_of(net, domain), net, True, n, tmp_path / "proof.npz")


def test_unbounded_cases(tmp_path: Path) -> None:
    for seed in range(40):
        net, domain = unbounded_case(seed)
        n = len(plr.enumerate_regions(net, domain))
        assert_proved(proof_of(net, domain), net, True, n, tmp_path / "proof.npz")


def test_partial_runs(tmp_path: Path) -> None:
    for seed in (2, 5, 14, 21):
        _, net, domain = case(seed)
        n = len(plr.enumerate_regions(net, domain))
        for limit in range(1, n + 2, 3):
            found = plr.enumerate_regions(net, domain, proof=True, max_regions=limit)
            assert found.proof is not None
            assert (found.proof.n_open == 0) == found.is_complete == (limit >= n)
            assert_proved(found.proof, net, limit >= n, min(n, limit), tmp_path / "proof.npz")


def test_in_stretches_and_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    net = plr.mlp([3, 8, 8, 1])
    regions = plr.enumerate_regions(net, plr.hypercube(3, -1, 1), proof=True)
    whole = verify(regions, net)
    assert (whole.ok, whole.regions) == (True, len(regions))
    with ThreadPoolExecutor(2) as pool:
        assert verify(regions, net, executor=pool) == whole
    monkeypatch.setattr("plregions.proof.checker.SMALLEST_STRETCH", 30)
    assert verify(regions, net, workers=2) == whole
    proof = regions.proof
    assert proof is not None
    rows = proof.step_rows.copy()
    rows[-1, 0] = proof.step_bit[-1]
    wrong = replace(proof, step_rows=rows)
    assert not verify(wrong, net, workers=2).ok
    for size in (1, 2, 7, 100):
        monkeypatch.setattr("plregions.proof.checker.LARGEST_STRETCH", size)
        assert verify(regions, net) == whole
        assert not verify(wrong, net).ok


def test_another_network_or_complex() -> None:
    regions = plr.enumerate_regions(SMALL, SQUARE, proof=True)
    others = {
        "the proof is about another network": (regions, plr.mlp([2, 3, 1])),
        "the proof is about another complex": (replace(regions, domain=plr.hypercube(2)), SMALL),
    }
    for reason, (complex_, net) in others.items():
        found = verify(complex_, net)
        assert (found.ok, found.complete, found.regions, found.reason) == (False, False, 0, reason)
    fewer = replace(regions, packed_patterns=regions.packed_patterns[1:])
    assert not verify(fewer, SMALL).ok


def test_wrong_arguments() -> None:
    regions = plr.enumerate_regions(SMALL, SQUARE)
    proof = proof_of(SMALL, SQUARE)
    for arguments in ((regions, SMALL), (SMALL, SMALL), (proof, "net"), (None, SMALL)):
        with pytest.raises(InvalidInputError, match=r"verify needs .*; got .*\. "):
            verify(*arguments)
    with pytest.raises(InvalidInputError, match="workers"):
        verify(proof, SMALL, workers=0)


def test_imports_of_the_checker(root: Path) -> None:
    """No solver, no kernel, no engine: only errors and the reader of numbers."""
    allowed = {"plregions.errors", "plregions.exact.notation"}
    checker = {f"plregions.proof.{name}" for name in ("checker", "replay", "integer_rows")}
    for module in checker:
        tree = ast.parse((root / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8"))
        for_types = {
            node
            for test in ast.walk(tree)
            if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
            for node in ast.walk(test)
        }
        nodes = [node for node in ast.walk(tree) if node not in for_types]
        names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        names |= {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
        ours = {name for name in names if name.startswith("plregions")}
        assert ours <= allowed | checker, ours
        assert not {"scipy", "numba"} & {name.split(".")[0] for name in names}


BARE = """
import sys
import plregions.exact.lp, plregions.exact.linear
from plregions.network.archive import load_json
from plregions.proof import load_proof, verify
def refuse(*_, **__):
    raise AssertionError("the checker called a solver")
for module in (plregions.exact.lp, plregions.exact.linear):
    for name in module.__all__:
        setattr(module, name, refuse)
net = load_json(sys.argv[1])
result = verify(load_proof(sys.argv[2]), net)
assert result.ok and result.complete, result
unwanted = ("plregions.kernels", "plregions.feasibility", "plregions.enumeration", "numba", "scipy")
loaded = [name for name in sys.modules if name.startswith(unwanted)]
assert not loaded, loaded
"""


def test_a_process_without_engine(tmp_path: Path, root: Path) -> None:
    SMALL.save(tmp_path / "net.json")
    proof_of(SMALL, SQUARE).save(tmp_path / "proof.npz")
    words = [sys.executable, "-c", BARE, str(tmp_path / "net.json"), str(tmp_path / "proof.npz")]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_columns_of_other_types_and_shapes() -> None:
    """A proof made by hand: refused with a reason, whatever its columns are."""
    proof = proof_of(SMALL, SQUARE, max_regions=3)
    for name, column in proof.columns.items():
        if name == "header":
            others: list[Any] = ["", "[]", "{}", "[" * 5000, "null", '{"network": 1}']
        else:
            others = [column[:-1], column[None], np.array(3), np.ones(column.shape, np.bool_)]
            if column.dtype.kind == "u":
                for dtype in (column.dtype, np.uint64):
                    others.append(np.full(column.shape, np.iinfo(dtype).max, dtype=dtype))
        for other in others:
            if np.size(column) or np.shape(other) != np.shape(column):
                found = verify(replace(proof, **{name: other}), SMALL)
                assert not found.ok, (name, other)
                assert found.reason


def test_headers_that_ask_for_too_much() -> None:
    """No number in a header makes the checker work for long."""
    proof = proof_of(SMALL, plr.WholeSpace(2))
    facts = json.loads(proof.header)
    for name in facts:
        others = {"inputs": [["1"] * 3] * 2, "walls": []}, {"inputs": [], "walls": [[[]]]}
        for value in (None, [], {}, "1e9999999", -1, [None, None], *others):
            changed = json.dumps(facts | {name: value})
            if name != "package" and (name, value) != ("outcome", "1e9999999"):
                assert not verify(replace(proof, header=changed), SMALL).ok, (name, value)
    deep = proof.header.replace('"walls"', '"more": ' + "[" * 900 + "]" * 900 + ', "walls"')
    assert not verify(replace(proof, header=deep), SMALL).ok


def test_open_branches_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open branches on both sides of each other, also where nothing of the kind should be."""
    proof = proof_of(SMALL, SQUARE, max_regions=2)
    wide = replace(
        proof,
        open_depth=np.array([2, 3, 3], dtype=np.uint8),
        open_patterns=np.array([[0b01000000], [0b10000000], [0b10100000]], dtype=np.uint8),
    )
    expected = verify(wide, SMALL)
    for size in (1, 2, 3):
        monkeypatch.setattr("plregions.proof.checker.LARGEST_STRETCH", size)
        assert verify(wide, SMALL).ok == expected.ok
        assert verify(proof, SMALL).ok
