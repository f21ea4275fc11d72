"""Domains as JSON: they come back equal, and the proof checker reads the same ones for itself."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from oracles.plain_proof import domain_of

import plregions as plr
from plregions.domain import Domain
from plregions.domain.as_json import domain_from_dict, domain_to_dict
from plregions.proof.integer_rows import domain_from_json

HUGE = Fraction(10**5000, 3)
DOMAINS = [
    plr.Box(["1/3", -0.1], [1, HUGE]),
    plr.Polytope([["1/3", -1], [0, 2]], [0.1, 3]),
    plr.Polytope(np.zeros((0, 3)), []),
    plr.WholeSpace(4),
    plr.Slice([0, "1/7", 1], [[1, 0, 2], [0, 0.1, 0]], plr.Box([0, -1], [1, 1])),
    plr.Slice([0, 1], [[1, "1/3"]], plr.Polytope([[1]], [1])),
    plr.Slice([0, 1], [[1, 1]], plr.WholeSpace(1)),
]


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_round_trip(domain: Domain) -> None:
    text = json.dumps(domain_to_dict(domain))
    found = domain_from_dict(json.loads(text))
    assert found == domain
    assert type(found) is type(domain)


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_the_checker_reads_the_same_domain(domain: Domain) -> None:
    data = domain_to_dict(domain)
    found = domain_from_json(data, domain.ambient_dim)
    assert found.fingerprint == domain.fingerprint
    assert found.dim == domain.dim
    rows = [[Fraction(v) for v in row] for row in found.rows]
    for row, expected in zip(rows, domain.exact_rows(), strict=True):
        factor = max(map(abs, row)) / max(map(abs, expected))
        assert row == [v * factor for v in expected]
    for k, start in enumerate(domain_of(data)[0] if domain != DOMAINS[0] else []):
        x = [Fraction(i + 1, 2) for i in range(domain.dim)]
        at = sum((a * v for a, v in zip(start, x, strict=False)), start[-1])
        assert at == domain.embed_exact(x)[k]


def test_damage_is_an_error() -> None:
    for data in ({"type": "ball"}, {"type": "slice", "domain": {"type": "ball"}}, {}):
        with pytest.raises((KeyError, ValueError)):
            domain_from_dict(data)
    with pytest.raises(TypeError):
        domain_to_dict("box")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dimension"):
        domain_from_json({"type": "whole_space", "dim": 10**9}, 3)
    with pytest.raises(ValueError, match="inputs"):
        domain_from_json(domain_to_dict(plr.Box([0], [1])), 3)
