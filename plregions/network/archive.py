"""How a network is read from its own two formats; `plregions.network.saving` describes them."""

from __future__ import annotations

import io
import json
import os
import re
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from plregions.errors import FormatError, InvalidNetworkError
from plregions.network.network import Network
from plregions.network.saving import FORMAT, VERSION, default_slopes

__all__ = ["load_json", "load_npz", "network_from_json"]

_ARRAY_KEY = re.compile(r"([WbS])(0|[1-9][0-9]{0,5})\Z")


def load_json(path: str | os.PathLike[str]) -> Network:
    """Read a network from the JSON format of plregions.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    Network
        Exactly the network in the file.

    Raises
    ------
    FormatError
        The file is damaged, of another format or of a later version, does not fit its own
        fingerprint, or does not describe a network.
    OSError
        The file cannot be opened.

    Algorithm
    ---------
    The standard JSON reader, then the checks of `Network`.

    Exactness
    ---------
    Exact: strings are the numbers written there, JSON numbers the nearest float64 (integers
    without point or exponent: that integer).
    """
    return network_from_json(_bytes(path), path)


def network_from_json(data: bytes | str, path: str | os.PathLike[str] = "text") -> Network:
    """Read a network from the JSON text that `plregions.network.saving` writes.

    Parameters
    ----------
    data : bytes or str
        The text.
    path : str or path-like
        What errors call it.

    Returns
    -------
    Network

    Raises
    ------
    FormatError
        As `load_json`.
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # bad UTF-8 is a ValueError too
        raise _fault("load_json", path, "a complete JSON file", _one_line(error)) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise _fault("load_json", path, f'"format": "{FORMAT}"', _short(found))
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        advice = " Update plregions." if isinstance(version, int) and version > VERSION else ""
        raise _fault("load_json", path, f"version {VERSION}", f"version {_short(version)}", advice)
    layers = content.get("layers")
    if not isinstance(layers, list) or not layers:
        raise _fault("load_json", path, 'a list "layers" that is not empty', _short(layers))
    entries = []
    for k, layer in enumerate(layers):
        missing = {"weight", "bias"} - set(layer if isinstance(layer, dict) else ())
        if missing:
            raise _fault("load_json", path, f'"{min(missing)}" in layer {k}', "none")
        slopes = layer.get("slopes", default_slopes(k, len(layers)))
        if not isinstance(layer["bias"], list) or not isinstance(slopes, str | list):
            raise _fault("load_json", path, f"lists of numbers in layer {k}", "something else")
        entries.append((layer["weight"], layer["bias"], slopes))
    return _network("load_json", path, entries, content.get("fingerprint"))


def load_npz(path: str | os.PathLike[str]) -> Network:
    """Read a network from an .npz file with arrays W0, b0, W1, b1, ...

    Parameters
    ----------
    path : str or path-like
        The file. Arrays S0, S1, ... of shape (n_out, 2) hold (negative, positive) slopes;
        without them the layer is ReLU, the last layer the identity. A text ``fingerprint`` must
        fit when it is there. Arrays with names of another form are not read.

    Returns
    -------
    Network
        Exactly the network in the file.

    Raises
    ------
    FormatError
        The file is damaged, an array is missing, the arrays do not form a network or do not fit
        the fingerprint.
    OSError
        The file cannot be opened.

    Algorithm
    ---------
    `numpy.load` without pickle, then the checks of `Network`.

    Exactness
    ---------
    Exact.
    """
    arrays, fingerprint = _arrays(path)
    if not arrays:
        raise _fault("load_npz", path, "arrays W0, b0, W1, b1, ...", "none of them")
    n_layers = 1 + max(index for _, index in arrays)
    entries = []
    for k in range(n_layers):
        for letter in "Wb":
            if (letter, k) not in arrays:
                names = ", ".join(f"{a}{i}" for a, i in sorted(arrays, key=lambda key: key[::-1]))
                got = names if len(names) <= 60 else names[:57] + "..."
                raise _fault("load_npz", path, f"an array {letter}{k}", f"only {got}")
        slopes = arrays.get(("S", k))
        entries.append(
            (
                arrays["W", k],
                arrays["b", k],
                default_slopes(k, n_layers) if slopes is None else slopes,
            )
        )
    return _network("load_npz", path, entries, fingerprint)


def _arrays(
    path: str | os.PathLike[str],
) -> tuple[dict[tuple[str, int], NDArray[Any]], str | None]:
    """Return the arrays by letter and layer, and the fingerprint if there is one."""
    data = _bytes(path)
    arrays: dict[tuple[str, int], NDArray[Any]] = {}
    fingerprint = None
    try:
        # numpy would take anything else for a pickle, and advise to open it.
        if not data.startswith(b"PK"):
            raise ValueError("no zip archive")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            for name in archive.files:
                match = _ARRAY_KEY.match(name)
                if match:
                    arrays[match[1], int(match[2])] = archive[name]
                elif name == "fingerprint":
                    fingerprint = str(archive[name])
    # numpy and zipfile raise a dozen different types on damaged bytes; the file was read above,
    # so whatever comes here is about its content.
    except Exception as error:
        raise _fault(
            "load_npz", path, "a complete .npz file of numbers", _one_line(error)
        ) from error
    return arrays, fingerprint


def _bytes(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _network(
    verb: str, path: str | os.PathLike[str], entries: list[Any], fingerprint: object
) -> Network:
    try:
        net = Network(entries)
    except InvalidNetworkError as error:
        raise _fault(verb, path, "arrays that form a network", f"this: {error}") from error
    if fingerprint is not None and fingerprint != net.fingerprint:
        raise _fault(
            verb,
            path,
            "numbers that fit the fingerprint in the file",
            "others",
            " The file was changed after it was written; remove the fingerprint if that was meant.",
        )
    return net


def _fault(
    verb: str,
    path: str | os.PathLike[str],
    needed: str,
    got: str,
    advice: str = "",
) -> FormatError:
    name = os.fspath(path)
    text = got if got.endswith(".") else got + "."
    return FormatError(f"{verb} needs {needed} in {name}; got {text}{advice}", path=name)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or "nothing"
    return f"{type(error).__name__} ({text if len(text) <= 120 else text[:117] + '...'})"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:37] + "..."


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"the number {text}")
