"""How a network is written to its own two formats, so that a file is whole or not there.

JSON, for every network::

    {"format": "plregions-network", "version": 1, "fingerprint": "...",
     "layers": [{"weight": [[...], ...], "bias": [...], "slopes": "relu"}, ...]}

A JSON number is the float64 nearest to it (Python writes the shortest digits that give the same
float64 back), so 0.1 means what it means in Python; a string such as ``"13/90"`` or ``"0.1"`` is
exactly the number written there. ``slopes`` is ``"relu"``, ``"identity"``, one pair
[negative, positive] for all units, or a list of pairs. ``fingerprint`` may be left out; when it
is there it must fit.

NPZ, for networks of float64 numbers: arrays W0, b0, W1, b1, ...; and S0, S1, ... of shape
(n_out, 2) for layers that are not ReLU (not the identity, for the last layer). The text
``fingerprint`` may be left out here too; it is what notices a lost S1.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.exact.arrays import number_to_str
from plregions.network.layer import Layer

__all__ = ["FORMAT", "VERSION", "default_slopes", "network_to_json", "save_network", "write_whole"]

FORMAT = "plregions-network"
VERSION = 1


class Savable(Protocol):
    """What saving needs of a network."""

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers."""
        ...

    @property
    def fingerprint(self) -> str:
        """The fingerprint."""
        ...


def save_network(net: Savable, path: str | os.PathLike[str]) -> None:
    """Write a network to a .json or .npz file; see the module for the formats.

    Parameters
    ----------
    net : Network
        Any network for .json, one whose numbers are all float64 for .npz.
    path : str or path-like
        The suffix picks the format.

    Raises
    ------
    InvalidInputError
        Another suffix, or rational numbers and .npz.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    `write_whole`.

    Exactness
    ---------
    Exact: reading the file gives an equal network.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        text = network_to_json(net)
        write_whole(path, lambda file: file.write(text.encode("ascii")))
    elif suffix == ".npz":
        arrays = _npz_arrays(net)
        write_whole(path, lambda file: np.savez(file, allow_pickle=False, **arrays))
    else:
        raise InvalidInputError(
            f"Network.save needs a path that ends in .json or .npz; got {os.fspath(path)!r}. "
            "Add one of these suffixes."
        )


def write_whole(path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file so that it is complete or, on any failure, as it was before.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace; a symbolic link is followed.
    write : callable
        Gets the open binary file.

    Raises
    ------
    OSError
        The file cannot be written; the error names `path`.

    Algorithm
    ---------
    Written under a temporary name in the same folder, flushed to the disk, then renamed, which
    is atomic.
    """
    target = Path(os.path.realpath(path))
    refusal = _refusal(target)
    if refusal is not None:
        words = os.strerror(refusal) if refusal != errno.EINVAL else "Not a regular file"
        raise OSError(refusal, words, os.fspath(path))
    temporary = target.with_name(f".plregions-{secrets.token_hex(8)}.tmp")
    try:
        try:
            # open() and not tempfile, whose files only their owner may read.
            with open(temporary, "xb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno is None:
            raise
        # The user knows the target, not the temporary name.
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


def _refusal(target: Path) -> int | None:
    """Return the error number that forbids replacing `target`, if any."""
    if target.is_dir():
        return errno.EISDIR
    if target.exists() and not target.is_file():
        return errno.EINVAL  # a device or a pipe must not be replaced by a file
    if target.exists() and not os.access(target, os.W_OK):
        return errno.EACCES
    return None


def default_slopes(index: int, n_layers: int) -> str:
    """Return the slopes of a layer for which a file gives none: ReLU, the last one identity.

    Parameters
    ----------
    index, n_layers : int
        Which layer of how many.

    Returns
    -------
    str
        "relu" or "identity".
    """
    return "identity" if index == n_layers - 1 else "relu"


def network_to_json(net: Savable) -> str:
    """Return the JSON text of a network; `plregions.network.archive.network_from_json` reads it.

    Parameters
    ----------
    net : Network

    Returns
    -------
    str
    """
    # One line for each row of a weight keeps the file readable and easy to compare.
    lines = [
        "{",
        f'"format": "{FORMAT}",',
        f'"version": {VERSION},',
        f'"fingerprint": "{net.fingerprint}",',
        '"layers": [',
    ]
    for k, layer in enumerate(net.layers):
        rows = ",\n   ".join(_dumps(row) for row in _numbers(layer.weight))
        end = "," if k < len(net.layers) - 1 else ""
        lines += [
            f' {{"weight": [\n   {rows}],',
            f'  "bias": {_dumps(_numbers(layer.bias))},',
            f'  "slopes": {_dumps(_slopes(layer))}}}{end}',
        ]
    return "\n".join([*lines, "]", "}", ""])


def _dumps(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _numbers(array: NDArray[Any]) -> Any:
    if array.dtype == np.float64:
        return array.tolist()
    if array.ndim == 1:
        return [number_to_str(v) for v in array]
    return [_numbers(row) for row in array]


def _slopes(layer: Layer) -> str | Sequence[Any]:
    if layer.slopes_name is not None:
        return layer.slopes_name
    pairs: list[Any] = _numbers(layer.slopes)
    return pairs[0] if all(pair == pairs[0] for pair in pairs) else pairs


def _npz_arrays(net: Savable) -> dict[str, NDArray[Any]]:
    # The fingerprint comes first: damage to the table of contents tends to swallow what follows.
    arrays: dict[str, NDArray[Any]] = {"fingerprint": np.array(net.fingerprint)}
    for k, layer in enumerate(net.layers):
        parts = {"W": layer.weight, "b": layer.bias}
        if layer.slopes_name != default_slopes(k, len(net.layers)):
            parts["S"] = layer.slopes
        for letter, array in parts.items():
            if array.dtype != np.float64:
                raise InvalidInputError(
                    f"Network.save needs float64 numbers for an .npz file; got rationals in layer "
                    f"{k}. Save to a .json file, which is exact."
                )
            arrays[f"{letter}{k}"] = array
    return arrays
