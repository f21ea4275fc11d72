"""``plregions separate``: the answer in words and as JSON, the certificate's file, how it ends."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli.endings import Run, facts_of

from plregions.analysis.width_certificate import WidthCertificate
from plregions.constructions import corner_hats, corner_hinge, max_tree, parity_shallow
from plregions.domain import hypercube
from plregions.network import Network, mlp


@pytest.fixture
def separate(run: Run) -> Run:
    """Ask about a network; `run` has changed to a folder of its own."""

    def separate(net: Network, *words: str) -> tuple[int, str, str]:
        net.save("net.json")
        return run("separate", "net.json", *words)

    return separate


def test_the_corner_hinge(separate: Run) -> None:
    net = corner_hinge(3)
    facts = facts_of(separate(net, "--box", "0", "1", "--json"))
    point = facts.pop("hard_point")
    assert len(point) == 3 and all(0 < Fraction(v) < 1 for v in point)
    assert facts == {
        "hard_flats": 8,
        "unbalanced_ridges": 8,
        "tau": 4,
        "lower_bound": 4,
        "upper_bound": 4,
        "proof": "dual",
        "certificate_verified": True,
        "is_depth_two": False,
        "kink_hyperplanes": 20,
        "least_neurons": None,
        "most_neurons": None,
        "output": None,
        "complete": True,
        "stopped_by": None,
        "network": "net.json",
        "fingerprint": net.fingerprint,
        "domain": "Box([0, 1]^3)",
    }
    code, out, err = separate(net, "--box", "0", "1")
    assert (code, err) == (0, "")
    assert out.startswith(
        "8 hard flats in Box([0, 1]^3): no network of depth 2; one of depth 3 needs at least 4"
        " first-layer hyperplanes, certificate (dual) verified ("
    )


def test_a_branch_proof(separate: Run) -> None:
    facts = facts_of(separate(max_tree(6), "--box", "-1", "1", "--json"))
    assert (facts["hard_flats"], facts["tau"], facts["proof"]) == (20, 6, "branch")
    assert facts["certificate_verified"] is True


def test_functions_of_one_hidden_layer(separate: Run) -> None:
    facts = facts_of(separate(corner_hats(2), "--box", "0", "1", "--json"))
    assert (facts["hard_flats"], facts["tau"], facts["is_depth_two"]) == (0, 0, True)
    assert (facts["kink_hyperplanes"], facts["least_neurons"], facts["most_neurons"]) == (4, 4, 4)
    assert facts["hard_point"] is None
    assert separate(corner_hats(2), "--box", "0", "1")[1].startswith(
        "one hidden layer holds it in Box([0, 1]^2): 4 kink hyperplanes, smallest width 4 ("
    )
    # 24 parallel kinks, and a slope of 1 on their left side.
    out = separate(parity_shallow(25), "--inputs", "0", "--box", "-1/2", "1/2")[1]
    assert out.startswith("one hidden layer holds it in Box([-0.5, 0.5]) of input 0")
    assert "1 kink hyperplane, smallest width 1 (" in out


def test_the_certificate_is_written(separate: Run) -> None:
    words = "--box", "0", "1", "-o", "certificate.json"
    facts = facts_of(separate(corner_hinge(2), *words, "--json"))
    assert facts["output"] == "certificate.json"
    certificate = WidthCertificate.from_dict(json.loads(Path("certificate.json").read_text()))
    assert certificate.verify(corner_hinge(2), hypercube(2))
    assert (certificate.tau, len(certificate.flats)) == (2, 4)
    out = separate(corner_hinge(2), *words)[1]
    assert out.endswith(", certificate written to certificate.json\n")


def test_a_certificate_that_fails_is_named(separate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WidthCertificate, "verify", lambda self, f, domain: False)
    facts = facts_of(separate(corner_hinge(2), "--box", "0", "1", "--json"))
    assert facts["certificate_verified"] is False
    assert "NOT verified" in separate(corner_hinge(2), "--box", "0", "1")[1]


@pytest.mark.parametrize(
    ("option", "value", "limit"),
    [("--max-regions", "2", "max_regions"), ("--time-limit", "1e-6", "time_limit")],
)
def test_limits(separate: Run, option: str, value: str, limit: str) -> None:
    words = "--box", "-1", "1", option, value, "-o", "certificate.json"
    code, out, err = separate(mlp([3, 60, 40, 1]), *words, "--json")
    facts = json.loads(out)
    assert (code, err, facts["complete"], facts["stopped_by"]) == (3, "", False, limit)
    assert (facts["hard_flats"], facts["tau"], facts["is_depth_two"]) == (None, None, None)
    assert not Path("certificate.json").exists()
    code, out, err = separate(mlp([3, 60, 40, 1]), *words)
    assert code == 3
    assert f"no answer from a part; incomplete: stopped at {option}" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "separate needs a domain; got none. Give --box LO HI or --box-file F."),
        (("--whole-space",), "unrecognized arguments: --whole-space"),
        (("--box", "0", "1", "-o", "certificate.txt"), "ends in .json"),
        (("--box", "0", "1", "-o", "net.json"), "a file other than NET"),
    ],
)
def test_wrong_use(separate: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = separate(corner_hats(2), *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
