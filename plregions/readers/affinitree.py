"""Networks from the .npz files of affinitree: numbered layers with names."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import FormatError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers.dense_steps import Activation, Dense, exact_numbers, network_of

__all__ = ["NUMBERED_KEY", "load_affinitree"]

#: A key such as "000.linear.weights"; the number gives the place.
NUMBERED_KEY = re.compile(r"([0-9]{1,6})\.(.+)\Z", re.DOTALL)
_SUPPORTED = ("linear", "relu")


def load_affinitree(path: str | os.PathLike[str]) -> Network:
    """Read a network from an .npz file with keys such as ``000.linear.weights`` and ``001.relu``.

    Parameters
    ----------
    path : str or PathLike
        For each linear layer "<number>.linear.weights" (n_out, n_in) and "<number>.linear.bias"
        (n_out,), for each ReLU "<number>.relu", whose content is not used. The numbers give the
        order. "<number>.layers", how many layers there are, may be there.

    Returns
    -------
    Network
        Its weights are exactly the numbers in the file.

    Raises
    ------
    FormatError
        The file is damaged, an array is missing or too many, or two layers have one number.
    UnsupportedLayerError
        A layer of another name.
    InvalidNetworkError
        Shapes that do not chain, NaN, infinities.
    OSError
        The file cannot be read.

    Algorithm
    ---------
    `numpy.load` without pickle.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> import tempfile
    >>> arrays = {
    ...     "000.linear.weights": np.eye(2),
    ...     "000.linear.bias": np.zeros(2),
    ...     "001.relu": np.zeros(1),
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/net.npz", **arrays)
    ...     load_affinitree(folder + "/net.npz")
    Network(2-2, 2 neurons)
    """
    name = os.fspath(path)
    layers: dict[int, dict[str, NDArray[Any]]] = {}
    n_layers = None
    for key, values in _arrays(Path(path)).items():
        match = NUMBERED_KEY.match(key)
        if match is None:
            raise _fault(name, "keys of the form <number>.<layer>", repr(key))
        if match[2] == "layers":
            n_layers = values
        else:
            layers.setdefault(int(match[1]), {})[match[2]] = values
    steps = [_step(name, number, layers[number]) for number in sorted(layers)]
    if n_layers is not None and n_layers.ravel().tolist() != [len(steps)]:
        stated = ", ".join(map(str, n_layers.ravel()[:4].tolist()))
        raise _fault(name, f"as many layers as its key 'layers' says, {stated}", f"{len(steps)}")
    return network_of(steps, verb="load_affinitree")


def _step(path: str, number: int, arrays: dict[str, NDArray[Any]]) -> Dense | Activation:
    for key in arrays:
        layer = key.split(".")[0]
        if layer not in _SUPPORTED:
            raise UnsupportedLayerError(
                f"load_affinitree needs layers that it knows; got {key!r} with the number {number} "
                f"in {path}. Supported: {', '.join(_SUPPORTED)}.",
                layer=layer,
                supported=_SUPPORTED,
            )
    if set(arrays) == {"relu"}:
        return Activation(0, 1)
    needed = ["linear.bias", "linear.weights"]
    if sorted(arrays) != needed:
        raise _fault(
            path, f"{' and '.join(needed)} with the number {number}", ", ".join(sorted(arrays))
        )
    label = f"layer {number:03} of {path}"
    weight, bias = (
        exact_numbers(
            arrays[key], ndim, verb="load_affinitree", name=f"{number:03}.{key} of {path}"
        )
        for key, ndim in (("linear.weights", 2), ("linear.bias", 1))
    )
    return Dense(label, weight, bias)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    data = path.read_bytes()
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    # numpy and zipfile raise a dozen different types on damaged bytes; the file was read above,
    # so whatever comes here is about its content.
    except Exception as error:
        text = " ".join(str(error).split())[:120]
        raise _fault(
            str(path), "a complete .npz file of numbers", f"{type(error).__name__} ({text})"
        ) from error


def _fault(path: str, needed: str, got: str) -> FormatError:
    return FormatError(
        f"load_affinitree needs {needed} in {path}; got {got}. Write the file again.", path=path
    )
