"""`load`: which reader a file gets, and what damaged, missing and foreign files say."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from readers.small_onnx import node, saved, small_model

from plregions.errors import FormatError, MissingExtraError, PLRegionsError
from plregions.network.random import mlp
from plregions.readers import load

W = np.array([[1.0, 2.0], [3.0, 4.0]])
MODEL = small_model([node("MatMul", "x", "W", to="h"), node("Relu", "h")], [1, 2], W=W)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_own_archives(suffix: str, tmp_path: Path) -> None:
    net = mlp([2, 3, 1], seed=1)
    net.save(tmp_path / f"net{suffix}")
    assert load(tmp_path / f"net{suffix}") == net
    assert load(str(tmp_path / f"net{suffix}")) == net


@pytest.mark.parametrize("name", ["net", "net.model", "net.v2", "NET.ONNX", "net.onnx.bak"])
def test_content_decides_for_other_suffixes(name: str, tmp_path: Path) -> None:
    net = mlp([2, 3, 1], seed=1)
    for suffix in (".npz", ".json"):
        net.save(tmp_path / f"net{suffix}")
        if "ONNX" not in name:
            (tmp_path / f"net{suffix}").replace(tmp_path / name)
            assert load(tmp_path / name) == net
    saved(MODEL, tmp_path).replace(tmp_path / name)
    assert load(tmp_path / name).exact([1, 1]) == (4, 6)


def test_unknown_format_names_suffix_and_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(FormatError, match=r"\.onnx, \.npz, \.json.*'\.h5'") as caught:
        load(path)
    assert caught.value.path == str(path) and "\n" not in str(caught.value)


class Trap:
    """A pickle of it would raise an error when it is opened."""

    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('the pickle was opened')",))


@pytest.mark.parametrize("name", ["net.pt", "net.pth", "net.ckpt", "net", "net.bin"])
def test_files_of_torch_say_what_to_do(name: str, tmp_path: Path) -> None:
    """B78: never opened, neither the zip of today nor the bare pickle of old."""
    path = tmp_path / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/data.pkl", pickle.dumps(Trap()))
        archive.writestr("net/data/0", b"")
    advice = r"torch\.load\(path, weights_only=True\).*plr\.from_state_dict.*plr\.from_torch"
    for content in (path.read_bytes(), pickle.dumps(Trap())):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=advice) as caught:
            load(path)
        assert caught.value.path == str(path) and str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"PK\x03\x04 cut short", b"text"])
def test_damaged_files_of_torch(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="weights_only"):
        load(path)


@pytest.mark.parametrize("name", ["net.pkl", "net.joblib"])
def test_other_pickles_are_not_opened(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(FormatError, match=r"if you trust.*plr\.from_sklearn"):
        load(path)


@pytest.mark.parametrize("name", ["net.onnx", "net.npz", "net.json", "net.h5", "net"])
def test_missing_empty_and_folder(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(FileNotFoundError, match=name):
        load(path)
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="empty"):
        load(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match=name):
        load(path)


def test_truncated_onnx(tmp_path: Path) -> None:
    whole = MODEL.SerializeToString()
    path = tmp_path / "net.onnx"
    for n_bytes in range(1, len(whole)):
        path.write_bytes(whole[:n_bytes])
        with pytest.raises(FormatError) as caught:
            load(path)
        assert "\n" not in str(caught.value) and caught.value.path == str(path)


def test_damaged_onnx_never_escapes(tmp_path: Path) -> None:
    """Whatever the bytes: a network, or an error of ours in one line."""
    whole = MODEL.SerializeToString()
    path = tmp_path / "net.onnx"
    rng = np.random.default_rng(0)
    n_errors = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            damaged[rng.integers(len(damaged))] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            load(path)
        except PLRegionsError as error:
            assert "\n" not in str(error)
            n_errors += 1
    assert n_errors > 100


@pytest.mark.parametrize("content", [b"hello\n", b'{"format": 1}', b"\x00" * 64, b"PK\x03\x04"])
def test_onnx_suffix_with_other_content(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        load(path)


def test_external_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B63: weights in a file beside the model, loaded from another working directory."""
    folder = tmp_path / "model"
    folder.mkdir()
    onnx.save(
        MODEL,
        folder / "net.onnx",
        save_as_external_data=True,
        location="net.data",
        size_threshold=0,
    )
    assert (folder / "net.data").stat().st_size >= 16
    monkeypatch.chdir(tmp_path)
    assert load("model/net.onnx").exact([1, 1]) == (4, 6)
    (folder / "net.data").unlink()
    with pytest.raises(FormatError, match="external data"):
        load("model/net.onnx")


def test_onnx_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(MODEL, tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"pip install plregions\[onnx\]") as caught:
        load(path)
    assert caught.value.extra == "onnx"


def test_import_of_readers_does_not_import_onnx() -> None:
    code = "import sys, plregions.readers; sys.exit('onnx' in sys.modules)"
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
