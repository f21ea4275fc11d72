"""``--proof``, ``--strategy`` and ``plregions verify``, on real files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import plregions as plr
from plregions.cli import main

BOX = ("--box", "-1", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plr.mlp([3, 5, 4, 1]).save("net.json")
    plr.mlp([3, 5, 4, 1], seed=1).save("other.json")
    plr.mlp([2, 5, 1]).save("flat.json")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def verified(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code, out, err = run(capsys, "verify", *words, "--json")
    assert err == ""
    return code, json.loads(out)


def test_count_and_verify(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("count", "net.json", *BOX, "--proof", "p.npz")
    code, out, _ = run(capsys, *words)
    n = int(plr.count_regions(plr.load("net.json"), plr.hypercube(3, -1, 1)))
    assert code == 0
    assert out.startswith(f"{n} activation regions in Box([-1, 1]^3), complete (")
    assert out.endswith(", proof written to p.npz\n")
    assert json.loads(run(capsys, *words, "--json")[1])["proof"] == "p.npz"
    code, facts = verified(capsys, "p.npz", "net.json")
    assert code == 0
    assert facts == {
        "ok": True,
        "complete": True,
        "regions": n,
        "reason": f"{n} activation regions, and no others",
        "proof": "p.npz",
        "network": "net.json",
    }
    code, out, _ = run(capsys, "verify", "p.npz", "net.json", "--workers", "2")
    assert (code, out) == (0, f"p.npz: proved: {n} activation regions, and no others\n")


@pytest.mark.parametrize("kind", ["linear", "maps"])
def test_other_kinds(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    words = ("count", "net.json", *BOX, "--kind", kind, "--json")
    plain = json.loads(run(capsys, *words)[1])
    proved = json.loads(run(capsys, *words, "--proof", "p.npz")[1])
    assert plain["regions"] == proved["regions"]
    assert verified(capsys, "p.npz", "net.json")[0] == 0


def test_graph_and_partial_runs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("graph", "net.json", *BOX, "-o", "g.npz", "--proof", "p.npz", "--max-regions", "4")
    code, out, _ = run(capsys, *words)
    assert code == 3
    assert out.endswith(", partial graph written to g.npz, proof to p.npz\n")
    for name in ("p.npz", "g.npz"):
        code, facts = verified(capsys, name, "net.json")
        assert (code, facts["ok"], facts["complete"], facts["regions"]) == (0, True, False, 4)


def test_whatever_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "count", "net.json", *BOX, "--proof", "p.npz")
    whole = Path("p.npz").read_bytes()
    Path("half.npz").write_bytes(whole[: len(whole) // 2])
    Path("empty.npz").write_bytes(b"")
    Path("broken.json").write_text("{")
    for proof, net in (
        ("p.npz", "other.json"),
        ("half.npz", "net.json"),
        ("empty.npz", "net.json"),
        ("net.json", "net.json"),
        ("p.npz", "broken.json"),
    ):
        code, facts = verified(capsys, proof, net)
        assert (code, facts["ok"], facts["complete"], facts["regions"]) == (1, False, False, 0)
        assert facts["reason"]
        code, out, _ = run(capsys, "verify", proof, net)
        assert code == 1
        assert out.startswith(f"{proof}: not proved: ")
        assert out.count("\n") == 1
    code, out, err = run(capsys, "verify", "none.npz", "net.json")
    assert (code, out) == (2, "")
    assert "none.npz" in err


def test_strategies(capsys: pytest.CaptureFixture[str]) -> None:
    answers = set()
    for strategy in ("auto", "tree", "planar", "brute_force"):
        words = ("count", "flat.json", *BOX, "--strategy", strategy, "--json")
        code, out, _ = run(capsys, *words)
        assert code == 0
        answers.add(json.loads(out)["regions"])
    assert len(answers) == 1
    code, _, err = run(capsys, "count", "net.json", *BOX, "--strategy", "planar")
    assert code == 2
    assert err
    code, _, err = run(
        capsys, "count", "flat.json", *BOX, "--strategy", "planar", "--proof", "p.npz"
    )
    assert code == 2
    assert 'proof=True needs strategy="tree"' in err
    assert not os.path.exists("p.npz")
    code, _, err = run(capsys, "count", "flat.json", *BOX, "--strategy", "best")
    assert code == 2
    assert "--strategy" in err


def test_where_the_proof_may_go(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("count", "net.json", *BOX, "--proof", "p.json"),
        ("count", "net.json", *BOX, "--proof", "none/p.npz"),
        ("graph", "net.json", *BOX, "-o", "p.npz", "--proof", "p.npz"),
    ):
        code, out, err = run(capsys, *words)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
    assert not os.path.exists("p.npz")
