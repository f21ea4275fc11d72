"""Which reader does a file need?"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

from plregions.errors import FormatError
from plregions.network.archive import load_json, load_npz
from plregions.network.network import Network
from plregions.readers.onnx import load_onnx

__all__ = ["load"]

Reader = Callable[[Path], Network]

_READER_OF_SUFFIX: dict[str, Reader] = {
    ".onnx": load_onnx,
    ".npz": load_npz,
    ".json": load_json,
}
# An ONNX file is a protobuf message without a mark of its own; its first field is the IR version.
_FIRST_BYTE_OF_ONNX = b"\x08"


def load(path: str | os.PathLike[str]) -> Network:
    """Read a network from a file: ONNX, or plregions' own .npz and .json.

    Parameters
    ----------
    path : str or PathLike
        A .onnx, .npz or .json file. With any other suffix the content decides.

    Returns
    -------
    Network
        Its weights are exactly the numbers in the file.

    Raises
    ------
    FormatError
        The file is empty, truncated or damaged, or no reader here knows its format.
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
    Every reader keeps the numbers as they stand in the file. See `load_onnx` for what it folds.

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
    reader = _READER_OF_SUFFIX.get(path.suffix.lower()) or _reader_for_content(path, head)
    if reader is None:
        suffix = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise FormatError(
            f"load needs a file of {', '.join(_READER_OF_SUFFIX)}; got {path}, which has {suffix} "
            "and the content of none of them. Convert it to ONNX.",
            path=str(path),
        )
    return reader(path)


def _reader_for_content(path: Path, head: bytes) -> Reader | None:
    if head.startswith(b"PK"):
        # A .pt file of torch is a zip as well; only one of numpy arrays is ours.
        return load_npz if _is_zip_of_arrays(path) else None
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return load_json
    if head.startswith(_FIRST_BYTE_OF_ONNX):
        return load_onnx
    return None


def _is_zip_of_arrays(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)
