"""From a saved network to its count and its graph, with the real engine and real files."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import plregions as plr
from plregions import cli
from plregions.writers import read_json

Capture = pytest.CaptureFixture[str]


def answer_of(capsys: Capture, *words: object) -> dict[str, object]:
    assert cli.main([*map(str, words), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    answer = json.loads(captured.out)
    assert answer["complete"] is True
    assert answer["kind"] == "activation"
    assert answer["seconds"] >= 0
    return answer


@pytest.fixture
def star(tmp_path: Path) -> Path:
    """Three lines through one point and a doubled one: six regions in a ring."""
    path = tmp_path / "star.npz"
    first = (np.array([[1.0, 0], [0, 1], [1, 1], [1, 0]]), np.zeros(4))
    plr.Network([first, (np.ones((1, 4)), np.zeros(1))]).save(path)
    return path


@pytest.mark.parametrize(
    ("network", "options", "n_regions"),
    [
        ("marabou/fc1.onnx", "--box -1 1", 71),
        ("vnncomp2022/test_small.onnx", "--whole-space", 2),
        (
            "marabou/ACASXU_experimental_v2a_1_1.onnx",
            "--inputs 0 1 --box -0.05 0.05",
            147,
        ),
        ("vnncomp2022/cartpole.onnx", "--inputs 2 3 --box -0.1 0.1", 26),
        ("vnncomp2022/tllBench_n=2_N=M=8*.onnx", "--box -2 2", 433),
        ("vnncomp2022/test_small.onnx", "--box -10 10", 2),
    ],
)
def test_counts_of_networks_that_others_trained(
    shared: Path, capsys: Capture, network: str, options: str, n_regions: int
) -> None:
    pytest.importorskip("onnx")
    (path,) = (shared / "real_nets").glob(network)
    assert answer_of(capsys, "count", path, *options.split())["regions"] == n_regions


def test_the_nearest_float_box_has_the_same_count(shared: Path, capsys: Capture) -> None:
    """0.05 is read as 1/20; the float64 beside it gives the same regions here."""
    pytest.importorskip("onnx")
    path = shared / "real_nets" / "marabou" / "ACASXU_experimental_v2a_1_1.onnx"
    numerator, denominator = (0.05).as_integer_ratio()
    box = [f"{sign}{numerator}/{denominator}" for sign in ("-", "")]
    answer = answer_of(capsys, "count", path, "--inputs", 0, 1, "--box", *box)
    assert answer["regions"] == 147


def test_a_graph_of_a_network_that_others_trained(
    shared: Path, capsys: Capture, tmp_path: Path
) -> None:
    pytest.importorskip("onnx")
    (path,) = (shared / "real_nets").glob("vnncomp2022/tllBench_n=2_N=M=8*.onnx")
    target = tmp_path / "tll.graphml"
    answer = answer_of(capsys, "graph", path, "--box", -2, 2, "-o", target)
    assert (answer["regions"], answer["edges"]) == (433, 796)
    graph = nx.read_graphml(target, node_type=int)
    assert (len(graph), graph.number_of_edges()) == (433, 796)


def test_three_files_hold_one_graph(star: Path, capsys: Capture, tmp_path: Path) -> None:
    for suffix in ("graphml", "json", "npz"):
        target = tmp_path / f"star_graph.{suffix}"
        answer = answer_of(capsys, "graph", star, "--box", -1, 1, "-o", target)
        assert (answer["regions"], answer["edges"]) == (6, 6)
    complex = plr.RegionComplex.load(tmp_path / "star_graph.npz")
    assert complex.is_complete
    expected = complex.to_networkx(same_map=True)
    assert nx.is_isomorphic(expected, nx.cycle_graph(6))
    for found in (
        nx.read_graphml(tmp_path / "star_graph.graphml", node_type=int),
        read_json(tmp_path / "star_graph.json"),
    ):
        assert dict(found.nodes(data=True)) == dict(expected.nodes(data=True))
        assert nx.utils.edges_equal(found.edges(data=True), expected.edges(data=True))
        assert {name: found.graph[name] for name in expected.graph} == expected.graph
        assert found.graph["complete"] is True
    # the doubled neuron flips together with the first
    assert {data["neurons"] for _, _, data in expected.edges(data=True)} == {"0 3", "1", "2"}


def test_box_files_and_slices(star: Path, capsys: Capture, tmp_path: Path) -> None:
    box = tmp_path / "box.txt"
    box.write_text("1/3 1  # x\n-1e-3 1\n")
    assert answer_of(capsys, "count", star, "--box-file", box)["regions"] == 2
    words = ["--inputs", 1, "--box", -1, 1]
    assert answer_of(capsys, "count", star, *words)["regions"] == 2
    assert answer_of(capsys, "count", star, *words, "--at", "-.5", 0)["regions"] == 3


def test_budget_of_regions(star: Path, capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "part.json"
    limits = ["--box", "-1", "1", "--max-regions", "3"]
    assert cli.main(["count", str(star), *limits]) == 3
    line = capsys.readouterr().out
    assert line.startswith("3 activation regions in Box([-1, 1]^2), incomplete: stopped at --max-")
    assert cli.main(["graph", str(star), *limits, "-o", str(target)]) == 3
    assert f"partial graph written to {target}" in capsys.readouterr().out
    graph = read_json(target)
    assert (len(graph), graph.graph["complete"]) == (3, False)


def onnx_bytes(*, weight: float = 1.0, activation: str = "Relu") -> bytes:
    onnx = pytest.importorskip("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    first = np.array([[weight, 0], [0, 1]], np.float32)
    tensors = [numpy_helper.from_array(first, "W0"), numpy_helper.from_array(first * 0 + 1, "W1")]
    nodes = [
        helper.make_node("MatMul", ["x", "W0"], ["h"]),
        helper.make_node(activation, ["h"], ["a"], name="hidden"),
        helper.make_node("MatMul", ["a", "W1"], ["y"]),
    ]
    ends = [
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 2])] for name in ("x", "y")
    ]
    graph = helper.make_graph(nodes, "network", *ends, tensors)
    opset = helper.make_opsetid("", 17)
    content: bytes = helper.make_model(graph, opset_imports=[opset]).SerializeToString()
    return content


def test_a_sound_onnx_file(capsys: Capture, tmp_path: Path) -> None:
    """The twin of the damaged files below."""
    path = tmp_path / "net.onnx"
    path.write_bytes(onnx_bytes())
    assert answer_of(capsys, "count", path, "--box", -1, 1)["regions"] == 4


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("missing", "No such file"),
        ("directory", "directory"),
        ("empty file", "empty"),
        ("truncated", "bad.onnx"),
        ("cut to 100 bytes", "bad.onnx"),
        ("no network", "bad.onnx"),
        ("Sigmoid", "Sigmoid"),
        ("NaN weight", "nan"),
        ("unknown suffix", "suffix"),
        ("too few lines", "each of the 2 varying inputs; got 1"),
    ],
)
def test_bad_input_is_one_line(capsys: Capture, tmp_path: Path, fault: str, message: str) -> None:
    path, sound = tmp_path / "bad.onnx", onnx_bytes()
    words = ["--box", "-1", "1"]
    if fault == "directory":
        path.mkdir()
    elif fault == "unknown suffix":
        path = tmp_path / "bad.dat"
        path.write_bytes(b"what is this")
    elif fault == "too few lines":
        path.write_bytes(sound)
        (tmp_path / "box.txt").write_text("-1 1\n")
        words = ["--box-file", str(tmp_path / "box.txt")]
    elif fault != "missing":
        path.write_bytes(
            {
                "empty file": b"",
                "truncated": sound[:-7],
                "cut to 100 bytes": sound[:100],
                "no network": b"\x08\x07 and nothing more",
                "Sigmoid": onnx_bytes(activation="Sigmoid"),
                "NaN weight": onnx_bytes(weight=float("nan")),
            }[fault]
        )
    assert cli.main(["count", str(path), *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message.lower() in captured.err.lower()


def test_stdout_of_the_process_is_the_object_alone(star: Path) -> None:
    command = [sys.executable, "-m", "plregions", "count", str(star), "--box", "-1", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["regions"] == 6
    assert done.stdout.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("command", ["count", "graph"])
def test_interrupt(tmp_path: Path, command: str) -> None:
    """Progress on a terminal, then Ctrl-C: a partial answer, soon, and exit code 3."""
    import pty

    path, target = tmp_path / "big.npz", tmp_path / "big.json"
    plr.mlp([8, 64, 64, 64, 1]).save(path)
    words = [command, str(path), "--box", "-1", "1", "--json"]
    if command == "graph":
        words += ["-o", str(target)]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "plregions", *words], stdout=subprocess.PIPE, stderr=theirs
    )
    try:
        os.close(theirs)
        seen = b""
        # On a busy machine the first report may come before the first region.
        while not re.search(rb"[1-9][0-9,. ]* regions so far", seen):
            seen += os.read(ours, 4096)  # ends with OSError if the process ends
        process.send_signal(signal.SIGINT)
        # Uninterrupted it would go on for hours: the timeout ends a run that did not hear.
        out, _ = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    answer = json.loads(out)
    assert process.returncode == 3
    assert (answer["complete"], answer["stopped_by"]) == (False, "interrupt")
    assert answer["regions"] > 0
    if command == "graph":
        graph = read_json(target)
        assert len(graph) == answer["regions"]
        assert graph.graph["complete"] is False
