"""The columns of a proof as named arrays in a .npz archive, with a digest."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from plregions.errors import FormatError, InvalidInputError
from plregions.network.saving import write_whole

__all__ = ["columns_in_complex", "columns_of", "read_columns", "write_proof"]

FORMAT = "plregions-proof"
VERSION = 1
COMPLEX_FORMAT = "plregions-region-complex"

COLUMNS = (
    "header",
    "patterns",
    "points",
    "exact_index",
    "exact_points",
    "step_count",
    "step_depth",
    "step_bit",
    "step_rows",
    "open_depth",
    "open_patterns",
)
# Under these names the archive of a complex holds the same columns; the others as "proof_...".
IN_COMPLEX = {
    "patterns": "packed_patterns",
    "points": "local_points",
    "exact_index": "exact_index",
    "exact_points": "exact_points",
}


def write_proof(columns: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a proof's columns; the file is whole or not there.

    Raises
    ------
    InvalidInputError
        Another suffix than .npz.
    OSError
        The file cannot be written.
    """
    if not os.fspath(path).lower().endswith(".npz"):
        raise InvalidInputError(
            f"Proof.save needs a path that ends in .npz; got {os.fspath(path)!r}. Add the suffix."
        )
    arrays = {"format": FORMAT, "version": VERSION, **columns, "digest": _digest(columns)}
    write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **arrays))


def columns_in_complex(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the archive of a complex holds of its proof."""
    own = {f"proof_{name}": columns[name] for name in COLUMNS if name not in IN_COMPLEX}
    return {**own, "proof_digest": _digest(columns)}


def columns_of(arrays: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the proof's columns in the arrays of a complex, None where there are none.

    Raises
    ------
    KeyError, ValueError
        Arrays are missing or do not fit the digest.
    """
    if "proof_header" not in arrays:
        return None
    return _checked(
        {name: arrays[IN_COMPLEX.get(name, f"proof_{name}")] for name in COLUMNS},
        arrays["proof_digest"],
    )


def read_columns(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the columns of a proof from its own archive or from that of a complex.

    Raises
    ------
    FormatError
        The file is damaged, something else, or a complex without a proof.
    OSError
        The file cannot be opened.
    """
    name = os.fspath(path)
    data = Path(path).read_bytes()
    try:
        # numpy would take anything else for a pickle, and advise to open it.
        if not data.startswith(b"PK\x03\x04"):
            raise ValueError("no zip archive")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        kind = str(arrays["format"]), int(arrays["version"])
        columns = _READERS[kind](arrays) if kind in _READERS else None
    # numpy and zipfile raise a dozen different types on damaged bytes; the file was read above,
    # so whatever comes here is about its content.
    except Exception as error:
        words = " ".join(str(error).split())
        raise FormatError(
            f"load_proof needs a complete archive of a proof; got {name}, which is damaged or "
            f"something else ({type(error).__name__}: {words}). Write the proof again.",
            path=name,
        ) from error
    if columns is None:
        known = kind in _READERS
        got = "a complex without a proof" if known else f"{kind[0]} version {kind[1]}"
        raise FormatError(
            f"load_proof needs format {FORMAT} version {VERSION}, or a complex saved with its "
            f"proof; got {got} in {name}. Enumerate with proof=True.",
            path=name,
        )
    return columns


def _own_columns(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return _checked({name: arrays[name] for name in COLUMNS}, arrays["digest"])


_READERS: dict[tuple[str, int], Callable[[Mapping[str, Any]], dict[str, Any] | None]] = {
    (FORMAT, VERSION): _own_columns,
    (COMPLEX_FORMAT, 1): columns_of,
}


def _checked(columns: dict[str, Any], digest: Any) -> dict[str, Any]:
    columns["header"] = str(columns["header"])
    if _digest(columns) != str(digest):
        raise ValueError("the arrays do not fit their digest")
    return columns


def _digest(columns: Mapping[str, Any]) -> str:
    """Return the SHA-256 of names, types, shapes and little-endian bytes."""
    digest = hashlib.sha256(f"{FORMAT} {VERSION}\n".encode("ascii"))
    for name in COLUMNS:
        value = columns[name]
        if isinstance(value, str):
            digest.update(f"{name}\n{value}\n".encode())
        else:
            array = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"))
            digest.update(f"{name} {array.dtype.str} {value.shape}\n".encode("ascii"))
            digest.update(array.tobytes())
    return digest.hexdigest()
