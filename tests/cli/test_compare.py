"""``plregions compare``: the answer in words and as JSON, and how it ends."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from cli.endings import Run, facts_of

from plregions.constructions import (
    corner_hinge,
    corner_hinge_shallow,
    parity_shallow,
    parity_xor_tree,
)
from plregions.network import Network, mlp


@pytest.fixture
def compare(run: Run) -> Run:
    """Compare two networks; `run` has changed to a folder of its own."""

    def compare(f: Network, g: Network, *words: str) -> tuple[int, str, str]:
        f.save("f.json")
        g.save("g.json")
        return run("compare", "f.json", "g.json", *words)

    return compare


def test_one_function_at_two_depths(compare: Run) -> None:
    f, g = corner_hinge(2, is_for_cube=True), corner_hinge_shallow(2)
    assert facts_of(compare(f, g, "--box", "0", "1", "--json")) == {
        "agree": True,
        "gap": "0",
        "gap_at": None,
        "ray": None,
        "witness": None,
        "values": None,
        "l1": "0",
        "l2_squared": "0",
        "agreeing_share": "1",
        "checked": 16,
        "different": 0,
        "ties": 0,
        "regions": [16, 11],
        "kind": "activation",
        "on": "domain",
        "of": "outputs",
        "complete": True,
        "stopped_by": None,
        "networks": ["f.json", "g.json"],
        "fingerprints": [f.fingerprint, g.fingerprint],
        "domain": "Box([0, 1]^2)",
    }
    code, out, err = compare(f, g, "--box", "0", "1")
    assert (code, err) == (0, "")
    assert out.startswith(
        "f.json and g.json agree on Box([0, 1]^2), 0 of 16 cells different, 16 and 11 activation"
        " regions; complete ("
    )


def test_parity_differs_between_the_corners(compare: Run) -> None:
    tree, steps = parity_xor_tree(2), parity_shallow(4)
    facts = facts_of(compare(tree, steps, "--box", "0", "1", "--json"))
    assert facts["agree"] is False
    assert (facts["gap"], facts["l1"], facts["l2_squared"]) == ("1", "3/10", "13/90")
    assert (facts["regions"], facts["agreeing_share"]) == ([8, 4], "0")
    point = [Fraction(v) for v in facts["witness"]]
    assert [[str(v) for v in net.exact(point)] for net in (tree, steps)] == facts["values"]
    assert facts["values"][0] != facts["values"][1]
    rounded = facts_of(compare(tree, steps, "--box", "0", "1", "--json", "--rounded"))
    assert rounded["l2_squared"] == pytest.approx(13 / 90)
    out = compare(tree, steps, "--box", "0", "1")[1]
    assert "differ on Box([0, 1]^4), 32 of 32 cells different, largest gap 1, as at (" in out
    assert "squared L2 distance 13/90, 8 and 4 activation regions; complete" in out


def test_on_the_vertices(compare: Run) -> None:
    tree, steps = parity_xor_tree(1), parity_shallow(2)
    facts = facts_of(compare(tree, steps, "--box", "0", "1", "--on", "vertices", "--json"))
    assert (facts["agree"], facts["checked"], facts["on"]) == (True, 4, "vertices")
    assert (facts["l2_squared"], facts["regions"]) == (None, None)
    assert compare(tree, steps, "--box", "0", "1", "--on", "vertices")[1].startswith(
        "f.json and g.json agree on the vertices of Box([0, 1]^2), 0 of 4 vertices different; compl"
    )


def test_labels_and_unbounded_domains(compare: Run) -> None:
    f = Network([([[1], [-1]], [0, 0])])
    g = Network([([[3], [0]], [0, 0])])
    facts = facts_of(compare(f, g, "--whole-space", "--of", "argmax", "--json"))
    assert (facts["agree"], facts["gap"], facts["ties"]) == (True, None, 0)
    facts = facts_of(compare(f, g, "--whole-space", "--json"))
    assert (facts["agree"], facts["gap"], facts["l2_squared"]) == (False, "inf", None)
    assert facts["ray"] in (["1"], ["-1"])
    assert (
        "labels of f.json and g.json agree on R^1"
        in compare(f, g, "--whole-space", "--of", "argmax")[1]
    )


def test_inputs_that_vary(compare: Run) -> None:
    tree, steps = parity_xor_tree(2), parity_shallow(4)
    words = ["--inputs", "0", "1", "--at", "0", "0", "0", "0", "--box", "0", "1"]
    facts = facts_of(compare(tree, steps, *words, "--json"))
    assert (facts["l2_squared"], facts["gap"]) == ("1/6", "1")
    assert facts["gap_at"] == ["1/2", "1/2", "0", "0"]


@pytest.mark.parametrize(
    ("limit", "option"), [("max_regions", "--max-regions"), ("time_limit", "--time-limit")]
)
def test_limits(compare: Run, limit: str, option: str) -> None:
    net = mlp([6, 24, 24, 1])  # many slices of work, so that the time limit is seen
    value = "2" if limit == "max_regions" else "1e-6"
    code, out, err = compare(net, net, "--box", "-1", "1", option, value, "--json")
    facts = json.loads(out)
    assert (code, err, facts["complete"], facts["stopped_by"]) == (3, "", False, limit)
    assert facts["agree"] is None
    code, out, err = compare(net, net, "--box", "-1", "1", option, value)
    assert "are not seen to differ" in out
    assert f"incomplete: stopped at {option}" in out


def test_a_limit_met_by_the_distance_alone(compare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # The difference is affine: one cell; its absolute value has two.
    f, g = Network([([[1]], [0])]), Network([([[0]], [0])])
    code, out, _ = compare(f, g, "--box", "-1", "1", "--max-regions", "1", "--json")
    facts = json.loads(out)
    assert (code, facts["stopped_by"], facts["agree"]) == (3, "max_regions", False)
    assert (facts["gap"], facts["l2_squared"], facts["regions"]) == ("1", None, [1, 1])

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plregions.analysis.distances.distance", interrupt)
    code, out, _ = compare(f, g, "--box", "-1", "1")
    assert code == 3
    assert "1 and 1 activation region; incomplete: interrupted" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--box", "0", "1"), "agreement needs networks with equal numbers of inputs and outputs"),
        ((), "compare needs a domain; got none. Give --box LO HI, --box-file F or --whole-space."),
        (("--box", "0", "1", "--on", "edges"), "invalid choice: 'edges'"),
    ],
)
def test_wrong_use(compare: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = compare(mlp([2, 1]), mlp([3, 1]), *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_units_belong_to_nnet_files(run: Run) -> None:
    code, _, err = run("compare", "net.onnx", "other.nnet", "--box", "0", "1")
    assert code == 2
    assert "needs the units of a .nnet file" in err
