"""Domains as JSON: they come back equal; and what proofs and their checker make of them."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import plregions as plr
from plregions.domain import Domain
from plregions.domain.as_json import domain_from_dict, domain_to_dict
from plregions.domain.base import description_of
from plregions.exact.notation import number_from_str, number_to_str
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


# The inputs and walls (a, c), from a reading of what each type means.
DESCRIBED: list[tuple[Domain, str, list[str], list[str]]] = [
    (
        plr.Box(["1/3", -0.5], [1, HUGE]),
        "Box",
        ["1 0 0", "0 1 0"],
        ["1 0 -1/3", "-1 0 1", "0 1 1/2", f"0 -1 {number_to_str(HUGE)}"],
    ),
    (
        plr.Polytope([["1/3", -1], [0, 2]], [0.25, 3]),
        "Polytope",
        ["1 0 0", "0 1 0"],
        ["-1/3 1 1/4", "0 -2 3"],
    ),
    (plr.Polytope(np.zeros((0, 2)), []), "Polytope", ["1 0 0", "0 1 0"], []),
    (plr.WholeSpace(2), "WholeSpace", ["1 0 0", "0 1 0"], []),
    (
        plr.Slice([0, "1/7", 1], [[1, 0, 2], [0, 0.5, 3]], plr.Box([0, -1], [1, 2])),
        "Slice of Box",
        ["1 0 0", "0 1/2 1/7", "2 3 1"],
        ["1 0 0", "-1 0 1", "0 1 1", "0 -1 2"],
    ),
    (
        plr.Slice([0, 1], [[1, "1/3"]], plr.Polytope([[2]], [1])),
        "Slice of Polytope",
        ["1 0", "1/3 1"],
        ["-2 1"],
    ),
    (plr.Slice([0, 1], [[1, 1]], plr.WholeSpace(1)), "Slice of WholeSpace", ["1 0", "1 1"], []),
]


@pytest.mark.parametrize(("domain", "kind", "inputs", "walls"), DESCRIBED)
def test_descriptions(domain: Domain, kind: str, inputs: list[str], walls: list[str]) -> None:
    """What a proof says of a domain, and what the checker reads there."""
    data = description_of(domain)
    rows = {"inputs": inputs, "walls": walls}
    assert data == {"type": kind} | {k: [row.split() for row in v] for k, v in rows.items()}
    found = domain_from_json(json.loads(json.dumps(data)), len(inputs))
    assert found.fingerprint == domain.fingerprint
    assert found.dim == domain.dim
    for row, wall in zip(found.rows, walls, strict=True):
        assert_same_ray(row, wall)
    lines = np.array(found.embedding.entries(), dtype=np.object_).reshape(len(inputs) + 1, -1)
    for line, text in zip(lines, inputs, strict=False):
        assert [Fraction(int(v), int(lines[-1, -1])) for v in line] == numbers(text)
    assert not lines[-1, :-1].any()


def numbers(text: str) -> list[Fraction]:
    return [number_from_str(v) for v in text.split()]


def assert_same_ray(row: list[int], text: str) -> None:
    expected = numbers(text)
    factor = Fraction(max(map(abs, row))) / max(map(abs, expected))
    assert factor > 0
    assert [Fraction(v) for v in row] == [v * factor for v in expected]


def test_damage_is_an_error() -> None:
    for data in ({"type": "ball"}, {"type": "slice", "domain": {"type": "ball"}}, {}):
        with pytest.raises((KeyError, ValueError)):
            domain_from_dict(data)
    with pytest.raises(TypeError):
        domain_to_dict("box")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("inputs", "walls", "error", "reason"),
    [
        (["1 0"], [], ValueError, "rows do not fit"),  # of two inputs
        (["1 0", "1"], [], ValueError, "rows do not fit"),
        (["1 0", "1 0"], ["1 0 1"], ValueError, "rows do not fit"),
        (["1 0", "1 0"], ["0 1"], ValueError, "constant"),
        (["1", "1"], [], ValueError, "dimension"),
        (["1 0 0 0", "0 1 0 0"], [], ValueError, "dimension"),
        (["1 0", "1 x"], [], ValueError, "number"),
        ([], [], LookupError, "list index"),
    ],
)
def test_descriptions_that_fit_nothing(
    inputs: list[str], walls: list[str], error: type[Exception], reason: str
) -> None:
    data = {"inputs": [row.split() for row in inputs], "walls": [row.split() for row in walls]}
    with pytest.raises(error, match=reason):
        domain_from_json(data, 2)
