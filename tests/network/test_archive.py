"""Networks survive their files exactly; damaged files are named and refused."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.small_networks import networks

from plregions.errors import FormatError, InvalidInputError
from plregions.network import Network, load_json, load_npz, mlp

Load = Callable[[Path], Network]
RATIONAL = Network([([["1/3", 2]], [0.5]), ([[1]], ["-13/90"], (-1, "1/7"))])
FLOATS = Network(
    [
        ([[0.1, 5e-324], [1e308, -3]], [0, 2**60], [(0, 1), (0.25, 1)]),
        ([[1, 1]], [0.3], (-1, 1)),
        ([[2]], [1]),
    ]
)


def is_float64_network(net: Network) -> bool:
    return all(
        array.dtype == np.float64
        for layer in net.layers
        for array in (layer.weight, layer.bias, layer.slopes)
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(net=networks())
def test_round_trips(net: Network, tmp_path: Path) -> None:
    net.save(tmp_path / "net.json")
    assert load_json(tmp_path / "net.json") == net
    if is_float64_network(net):
        net.save(tmp_path / "net.npz")
        assert load_npz(tmp_path / "net.npz") == net


@pytest.mark.parametrize("net", [RATIONAL, FLOATS, mlp([3, 8, 8, 2])])
def test_json_holds_the_numbers_as_documented(net: Network, tmp_path: Path) -> None:
    # Read by the documentation alone: a JSON number is a float64, a string an exact number.
    path = tmp_path / "net.json"
    net.save(path)
    content = json.loads(path.read_text("ascii"))
    assert content["format"] == "plregions-network"
    assert content["version"] == 1
    assert content["fingerprint"] == net.fingerprint
    named = {"relu": [0, 1], "identity": [1, 1]}
    assert len(content["layers"]) == net.depth
    for entry, layer in zip(content["layers"], net.layers, strict=True):
        assert [[Fraction(v) for v in row] for row in entry["weight"]] == layer.weight.tolist()
        assert [Fraction(v) for v in entry["bias"]] == layer.bias.tolist()
        slopes = entry["slopes"]
        pairs = named[slopes] if isinstance(slopes, str) else slopes
        pairs = pairs if isinstance(pairs[0], list) else [pairs] * layer.n_out
        assert [[Fraction(v) for v in pair] for pair in pairs] == layer.slopes.tolist()


def test_json_slopes_are_short(tmp_path: Path) -> None:
    FLOATS.save(tmp_path / "net.json")
    layers = json.loads((tmp_path / "net.json").read_text())["layers"]
    assert [entry["slopes"] for entry in layers] == [[[0, 1], [0.25, 1]], [-1, 1], "identity"]


def test_npz_is_plain_numpy(tmp_path: Path) -> None:
    FLOATS.save(tmp_path / "net.npz")
    with np.load(tmp_path / "net.npz", allow_pickle=False) as arrays:
        names = [name for name in arrays.files if name != "fingerprint"]
        assert sorted(names) == ["S0", "S1", "W0", "W1", "W2", "b0", "b1", "b2"]
        assert {arrays[name].dtype for name in names} == {np.dtype(np.float64)}
        assert arrays["fingerprint"].item() == FLOATS.fingerprint
    mlp([2, 3, 1]).save(tmp_path / "plain.npz")
    with np.load(tmp_path / "plain.npz") as arrays:
        assert sorted(arrays.files) == ["W0", "W1", "b0", "b1", "fingerprint"]


def test_hand_written_json(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    layers = [{"weight": [["1/3", 0.1], [1, 2]], "bias": ["0.1", 9007199254740993]}]
    layers.append({"weight": [[1, -1]], "bias": [0]})
    path.write_text(json.dumps({"format": "plregions-network", "version": 1, "layers": layers}))
    net = load_json(path)
    assert net == Network(
        [
            ([[Fraction(1, 3), 0.1], [1, 2]], [Fraction(1, 10), 2**53 + 1]),
            ([[1, -1]], [0]),
        ]
    )


def test_npz_from_elsewhere(tmp_path: Path, shared: Path) -> None:
    for path in sorted((shared / "cases").glob("*_2-10*.npz")) + [
        shared / "cases" / "intweights_2-8-8-1.npz"
    ]:
        with np.load(path) as arrays:
            layers = [(arrays[f"W{k}"], arrays[f"b{k}"]) for k in range(len(arrays.files) // 2)]
        assert load_npz(path) == Network(layers)


def test_npz_of_other_types_and_extra_arrays(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    np.savez_compressed(
        path, W0=np.array([[0.1]], dtype=np.float32), b0=np.array([2]), mean=np.zeros(3)
    )
    assert load_npz(path) == Network([(np.float32([[0.1]]), [2])])


def npz_bytes(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(value) for name, value in arrays.items()})
    return file.getvalue()


def json_bytes(**changes: Any) -> bytes:
    content = {
        "format": "plregions-network",
        "version": 1,
        "layers": [{"weight": [[1, 2]], "bias": [3]}, {"weight": [[1]], "bias": [0]}],
    }
    content |= changes
    return json.dumps({k: v for k, v in content.items() if v is not None}).encode()


W, B = [[1.0, 2.0]], [3.0]
BAD_NPZ = {
    "empty": (b"", "complete .npz"),
    "text": (b"W0 = 1", "no zip archive"),
    "npy": (b"\x93NUMPY\x01\x00v\x00", "no zip archive"),
    "no b0": (npz_bytes(W0=W), "an array b0"),
    "no b1": (npz_bytes(W0=W, b0=B, W1=[[1]]), "an array b1"),
    "no W1": (npz_bytes(W0=W, b0=B, W2=[[1]], b2=[1]), "an array W1"),
    "slopes alone": (npz_bytes(W0=W, b0=B, S1=[[0, 1]]), "an array W1"),
    "other names": (npz_bytes(weight=W), "none of them"),
    "NaN": (npz_bytes(W0=[[np.nan, 1]], b0=B), r"got NaN in layer 0, weight\[0, 0\]"),
    "complex": (npz_bytes(W0=[[1j, 1]], b0=B), "complex"),
    "objects": (npz_bytes(W0=np.array([[Fraction(1, 3)]], dtype=object), b0=[1]), "pickle"),
    "fingerprint": (npz_bytes(W0=W, b0=B, fingerprint="0" * 64), "fit the fingerprint"),
    "chain": (npz_bytes(W0=W, b0=B, W1=[[1, 1]], b1=[0]), "chain"),
}
BAD_JSON = {
    "empty": (b"", "complete JSON"),
    "binary": (b"\xff\xfe\x00", "complete JSON"),
    "deep": (b"[" * 100_000, "complete JSON"),
    "list": (b"[1]", '"format": "plregions-network"'),
    "other format": (json_bytes(format="graph"), "got 'graph'"),
    "no format": (json_bytes(format=None), "got None"),
    "later version": (json_bytes(version=2), "got version 2. Update plregions"),
    "version text": (json_bytes(version="1"), "got version '1'"),
    "version bool": (json_bytes(version=True), "got version True"),
    "no layers": (json_bytes(layers=None), 'list "layers"'),
    "empty layers": (json_bytes(layers=[]), 'list "layers"'),
    "layer type": (json_bytes(layers=[1]), '"bias" in layer 0'),
    "no bias": (json_bytes(layers=[{"weight": [[1]]}]), '"bias" in layer 0'),
    "null bias": (json_bytes(layers=[{"weight": [[1]], "bias": None}]), "lists of numbers"),
    "null slopes": (
        json_bytes(layers=[{"weight": [[1]], "bias": [1], "slopes": None}]),
        "lists of numbers",
    ),
    "slopes": (json_bytes(layers=[{"weight": [[1]], "bias": [1], "slopes": "gelu"}]), "'gelu'"),
    "object": (json_bytes(layers=[{"weight": {"a": 1}, "bias": [1]}]), "two axes"),
    "null": (json_bytes(layers=[{"weight": [[None]], "bias": [1]}]), r"None in layer 0"),
    "text": (json_bytes(layers=[{"weight": [["1/0"]], "bias": [1]}]), r"'1/0' in layer 0"),
    "NaN": (json_bytes(layers=[{"weight": [[float("nan")]], "bias": [1]}]), "number NaN"),
    "huge": (json_bytes().replace(b"[[1, 2]]", b"[[1, 1e999]]"), r"inf in layer 0"),
    "fingerprint": (json_bytes(fingerprint="0" * 64), "fit the fingerprint"),
}


@pytest.mark.parametrize(
    ("load", "suffix", "damage", "text"),
    [(load_npz, "npz", *pair) for pair in BAD_NPZ.values()]
    + [(load_json, "json", *pair) for pair in BAD_JSON.values()],
    ids=[f"npz {name}" for name in BAD_NPZ] + [f"json {name}" for name in BAD_JSON],
)
def test_bad_files_are_refused(
    load: Load, suffix: str, damage: bytes, text: str, tmp_path: Path
) -> None:
    path = tmp_path / f"net.{suffix}"
    path.write_bytes(damage)
    with pytest.raises(FormatError, match=text) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("load", "suffix"), [(load_npz, "npz"), (load_json, "json")])
def test_every_truncation_is_seen(load: Load, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"net.{suffix}"
    FLOATS.save(path)
    data = path.read_bytes()
    # The last byte of the JSON file is the end of its last line.
    for size in range(0, len(data) - 1, 7):
        path.write_bytes(data[:size])
        with pytest.raises(FormatError):
            load(path)


@pytest.mark.parametrize(("load", "suffix"), [(load_npz, "npz"), (load_json, "json")])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_bytes_never_give_another_network(
    load: Load, suffix: str, tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / f"net.{suffix}"
    FLOATS.save(path)
    damaged = bytearray(path.read_bytes())
    index = data.draw(st.integers(0, len(damaged) - 1))
    damaged[index] ^= data.draw(st.integers(1, 255))
    path.write_bytes(damaged)
    # Some bytes carry nothing (dates in the zip, spaces): then the network is the same. Damage to
    # the word "fingerprint" itself only switches the check off.
    try:
        assert load(path) == FLOATS
    except FormatError as error:
        assert str(path) in str(error)


def test_missing_file_is_a_plain_os_error(tmp_path: Path) -> None:
    for load in (load_json, load_npz):
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "none")


@pytest.mark.parametrize("name", ["net.onnx", "net", "net.json.gz"])
def test_save_refuses_other_suffixes(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"ends in \.json or \.npz"):
        RATIONAL.save(tmp_path / name)


@pytest.mark.parametrize("layer", [([["1/3"]], [0]), ([[1]], ["1/3"]), ([[1]], [0], ("1/3", 1))])
def test_npz_refuses_rationals_and_says_what_to_do(layer: Any, tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    path.write_bytes(b"old")
    net = Network([([[1]], [0]), layer])
    with pytest.raises(InvalidInputError, match=r"rationals in layer 1\. Save to a \.json file"):
        net.save(path)
    assert path.read_bytes() == b"old"
    net.save(path.with_suffix(".JSON"))
    assert load_json(path.with_suffix(".JSON")) == net


def test_save_replaces_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    FLOATS.save(path)
    path.chmod(0o640)
    RATIONAL.save(path)
    assert load_json(path) == RATIONAL
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["net.json"]


def test_save_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "net.json", tmp_path / "net.json"
    target.write_text("old")
    link.symlink_to(target)
    RATIONAL.save(link)
    assert link.is_symlink()
    assert load_json(target) == RATIONAL


@pytest.mark.parametrize("error", [OSError(28, "disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_leaves_the_old_file(
    error: BaseException, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise error

    path = tmp_path / "net.npz"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        FLOATS.save(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["net.npz"]


@pytest.mark.parametrize("name", ["missing/net.json", "folder.json", "file/net.json"])
def test_unwritable_targets_are_plain_os_errors(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file").write_text("")
    path = tmp_path / name
    with pytest.raises(OSError) as caught:
        RATIONAL.save(path)
    assert caught.value.filename == str(path)
    assert caught.value.errno is not None
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.json"]
