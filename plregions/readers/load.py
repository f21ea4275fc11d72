"""Which reader does a file need?"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

from plregions.errors import FormatError, InvalidInputError
from plregions.network.archive import load_json, load_npz
from plregions.network.network import Network
from plregions.readers.affinitree import NUMBERED_KEY, load_affinitree
from plregions.readers.nnet import load_nnet
from plregions.readers.onnx import load_onnx

__all__ = ["load"]

Reader = Callable[[Path], Network]

_SUFFIXES = (".onnx", ".npz", ".json", ".nnet")
# An ONNX file is a protobuf message without a mark of its own; its first field is the IR version.
_FIRST_BYTE_OF_ONNX = b"\x08"
_FIRST_BYTE_OF_PICKLE = b"\x80"
_SUFFIXES_OF_TORCH = (".ckpt", ".pt", ".pth")
_SUFFIXES_OF_PICKLE = (".joblib", ".pickle", ".pkl")


def load(path: str | os.PathLike[str], *, units: str | None = None) -> Network:
    """Read a network from a file: ONNX, .nnet, affinitree's .npz, plregions' own .npz and .json.

    Parameters
    ----------
    path : str or PathLike
        A .onnx, .nnet, .npz or .json file. With any other suffix the content decides.
    units : {"raw", "physical"}, optional
        For .nnet files, which need it, and only for them: "raw" for the weights as they stand in
        the file, "physical" for the network with its normalisation folded in. See `load_nnet`.

    Returns
    -------
    Network
        Its weights are exactly the numbers in the file.

    Raises
    ------
    FormatError
        The file is empty, truncated or damaged, or no reader here knows its format. Files of
        torch.save and other pickles are never opened: the message says what to do.
    InvalidInputError
        `units` is missing for a .nnet file, or given for another one.
    UnsupportedLayerError
        The network has a layer that is not piecewise linear, or that the reader does not know.
    MissingExtraError
        The file is ONNX and the onnx library is not installed.
    FileNotFoundError
        There is no such file.

    Algorithm
    ---------
    The suffix picks the reader; for an unknown suffix the first bytes do.

    Exactness
    ---------
    Every reader keeps the numbers as they stand in the file. See `load_onnx` and `load_nnet` for
    what they fold.

    Examples
    --------
    >>> import tempfile, plregions as plr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plr.mlp([2, 3, 1]).save(folder + "/small.npz")
    ...     load(folder + "/small.npz")
    Network(2-3-1, 3 neurons)
    """
    path = Path(path)
    with path.open("rb") as stream:
        head = stream.read(64)
    if not head:
        raise FormatError(
            f"load needs a network; got {path}, which is empty. Export the network again.",
            path=str(path),
        )
    suffix = path.suffix.lower()
    kind = suffix if suffix in _SUFFIXES else _kind_of_content(path, head)
    if kind == ".nnet":
        return _load_nnet(path, units)
    if units is not None:
        raise InvalidInputError(
            f"load needs no units for {path}, which is no .nnet file; got units={units!r}. "
            "Leave units out."
        )
    if kind == ".onnx":
        return load_onnx(path)
    if kind == ".json":
        return load_json(path)
    if kind == ".npz":
        return load_affinitree(path) if _has_numbered_keys(path) else load_npz(path)
    if kind == "pickle" or suffix in (*_SUFFIXES_OF_TORCH, *_SUFFIXES_OF_PICKLE):
        raise FormatError(
            f"load needs a file that holds no program; got {path}, a pickle, which may run "
            f"anything when it is opened. {_advice_for_pickle(suffix)}",
            path=str(path),
        )
    has = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    raise FormatError(
        f"load needs a file of {', '.join(_SUFFIXES)}; got {path}, which has {has} "
        "and the content of none of them. Convert it to ONNX.",
        path=str(path),
    )


def _load_nnet(path: Path, units: str | None) -> Network:
    if units is None:
        raise InvalidInputError(
            f"load needs units for {path}: a .nnet file holds weights and a normalisation, and "
            "both ways to read it are in use; got none. Do "
            f"plr.load({str(path)!r}, units='raw') for the weights as they stand in the file, "
            "whose inputs are (x - mean) / range, or "
            f"plr.load({str(path)!r}, units='physical') for inputs x and outputs in physical units."
        )
    return load_nnet(path, units)


def _advice_for_pickle(suffix: str) -> str:
    if suffix in _SUFFIXES_OF_PICKLE:
        return (
            "Open it yourself if you trust where it came from, and give what it holds to "
            "plr.from_sklearn or plr.from_torch."
        )
    return (
        "Do `state = torch.load(path, weights_only=True)`, which runs nothing, then "
        "`plr.from_state_dict(state, ['0', 'relu', '2'])` with the order of its layers, or "
        "`module.load_state_dict(state)` and `plr.from_torch(module)`. If torch.load refuses, the "
        "file holds a whole module: save its module.state_dict() instead."
    )


def _kind_of_content(path: Path, head: bytes) -> str | None:
    """The suffix that fits the content; "pickle" for what must not be opened."""
    if head.startswith(b"PK"):
        # A file of torch.save is a zip as well; one of numpy arrays has nothing but arrays.
        names = _names_in_zip(path)
        if names and all(name.endswith(".npy") for name in names):
            return ".npz"
        return "pickle" if any(name.endswith(".pkl") for name in names) else None
    if head.startswith(_FIRST_BYTE_OF_PICKLE):
        return "pickle"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{"):
        return ".json"
    if text.startswith(b"//"):
        return ".nnet"
    return ".onnx" if head.startswith(_FIRST_BYTE_OF_ONNX) else None


def _has_numbered_keys(path: Path) -> bool:
    return any(NUMBERED_KEY.match(name) for name in _names_in_zip(path))


def _names_in_zip(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return []
