"""Both checkers on changed proofs: they agree on every one, and what is accepted is still true."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import plain_proof
from oracles.plain_proof import judge
from oracles.proof_mutations import mutated
from oracles.random_cases import case
from oracles.unbounded_cases import unbounded_case

import plregions as plr
from plregions.proof import Proof, load_proof, replay, verify
from plregions.proof.integer_rows import CheckedDomain, domain_from_json

N_MUTATIONS = 500

# What may be changed and leave a proof: points move a little, numbers that nothing depends on.
HARMLESS = {
    "flip a bit of a point",  # within the region
    "take another point",  # within the region, or where a rational point replaces it
    "change an exact point",  # within the region
    "change a row",  # for another one that proves the same
    "swap two steps",  # that prove each other's claim
    "drop a step",  # on a neuron that is constant in its cell
    "move a step",  # on such a neuron
    "change the domain",  # for another one where the same regions are
    "change the header",  # how a run ended, where points lie within their regions
}


def proofs() -> list[tuple[plr.Network, Proof]]:
    """Generic, degenerate, sliced, unbounded and partial ones, of 2 to 40 regions."""
    found = []
    for seed in range(12):
        _, net, domain = case(seed)
        limit = 5 if seed % 4 == 2 else None
        found.append((net, domain, limit))
    for seed in range(6):
        net, unbounded = unbounded_case(seed)
        found.append((net, unbounded, None))
    third = Fraction(1, 3)
    sliver = plr.Network([([[1], [1], [1]], [-third, -third - Fraction(1, 10**30), -1], "relu")])
    found.append((sliver, plr.Box([0], [2]), None))
    return [
        (net, plr.enumerate_regions(net, domain, proof=True, max_regions=limit).proof)
        for net, domain, limit in found
    ]


def verdicts(proof: Proof, net: plr.Network, path: Path) -> list[tuple[bool, bool, int]]:
    """What the checker says of a file, all at once and in small stretches, and what the other."""
    proof.save(path)
    found = []
    for size in (4096, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("plregions.proof.checker.LARGEST_STRETCH", size)
            result = verify(load_proof(path), net)
        assert result.reason
        found.append((result.ok, result.complete, result.regions))
    return [*found, judge(path, net)]


def test_500_mutations(tmp_path: Path) -> None:
    bases = proofs()
    rng = np.random.default_rng(7)
    rejected: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for k in range(N_MUTATIONS):
        net, proof = bases[k % len(bases)]
        name, changed = mutated(proof, rng)
        found = verdicts(changed, net, tmp_path / "proof.npz")
        assert len(set(found)) == 1, (k, name, found)
        (accepted if found[0][0] else rejected)[name] += 1
    assert set(accepted) <= HARMLESS, accepted
    assert sum(rejected.values()) + sum(accepted.values()) == N_MUTATIONS
    assert sum(rejected.values()) >= 430, (rejected, accepted)


def test_another_network(tmp_path: Path) -> None:
    for net, proof in proofs()[:4]:
        other = plr.Network([*net.layers, ([[2] * net.output_dim], [0])])
        found = verdicts(proof, other, tmp_path / "proof.npz")
        assert found == [(False, False, 0)] * 3


def test_headers_without_one_of_their_facts(tmp_path: Path) -> None:
    for net, proof in proofs()[:3]:
        facts = json.loads(proof.header)
        for name in facts:
            rest = {key: value for key, value in facts.items() if key != name}
            found = verdicts(replace(proof, header=json.dumps(rest)), net, tmp_path / "proof.npz")
            assert [ok for ok, _, _ in found] == [name == "package"] * 3, name


def test_rows_in_disorder(tmp_path: Path) -> None:
    """Refused, but for a single row, or where the neuron is constant and nothing is proved."""
    accepted = []
    for seed in (22, 23, 39):
        net, domain = unbounded_case(seed)
        proof = plr.enumerate_regions(net, domain, proof=True).proof
        for k in range(proof.n_steps):
            rows = proof.step_rows.copy()
            rows[k] = rows[k][::-1]
            found = verdicts(replace(proof, step_rows=rows), net, tmp_path / "proof.npz")
            assert len(set(found)) == 1, (seed, k, found)
            accepted.append(found[0][0])
    assert 0 < sum(accepted) < len(accepted)


def nothing(*_: Any) -> None:
    return None


def always(*_: Any) -> bool:
    return True


def without_the_last_wall(data: Any, n_inputs: int) -> CheckedDomain:
    domain = domain_from_json(data, n_inputs)
    return replace(domain, rows=domain.rows[:-1])


@pytest.mark.parametrize(
    ("place", "name", "fault"),
    [
        (replay, "_excluded", always),
        (replay._Path, "_check_point", nothing),
        (replay._Path, "_check_ends", nothing),
        (replay, "domain_from_json", without_the_last_wall),
        (plain_proof, "exclude", always),
        (plain_proof, "all", always),  # what it asks of the rows at a point
    ],
)
def test_a_fault_in_a_checker_shows(
    place: Any, name: str, fault: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each check is needed: without it the two checkers disagree."""
    bases = proofs()
    rng = np.random.default_rng(3)
    monkeypatch.setattr(place, name, fault, raising=name != "all")
    for k in range(300):
        net, proof = bases[k % len(bases)]
        if len(set(verdicts(mutated(proof, rng)[1], net, tmp_path / "proof.npz"))) > 1:
            return
    raise AssertionError("the fault was not seen")
