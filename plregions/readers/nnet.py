"""Networks from .nnet files, in the file's own units or in physical ones."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Box
from plregions.errors import FormatError, InvalidInputError
from plregions.exact.arrays import exact_array
from plregions.network.network import Network
from plregions.readers.affine_chain import AffineChain

__all__ = ["UNITS", "load_nnet", "nnet_box"]

#: The two ways to read the inputs and outputs of a .nnet file.
UNITS = ("raw", "physical")

Floats = NDArray[np.float64]

_SIZE = re.compile("0*[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class _Contents:
    """The numbers of a file, and the lines on which some of them stand."""

    lower: Floats
    upper: Floats
    means: Floats
    ranges: Floats
    layers: list[tuple[Floats, Floats]]
    line_of_ranges: int


def load_nnet(path: str | os.PathLike[str], units: str) -> Network:
    """Read a ReLU network from a .nnet file, in units that you choose.

    A .nnet file holds weights and, beside them, a normalisation: means and ranges of the inputs,
    and one of each for the outputs. The weights act on ``(x - mean) / range``, and what they give
    is ``(y - mean) / range``, where x and y are the physical quantities.

    Parameters
    ----------
    path : str or PathLike
        Comment lines, sizes, an unused line, minima, maxima, means, ranges, then for each layer
        its rows of weights and its biases, one a line. The format of Kyle Julian, with a comma
        at the end of a line or without. The means and ranges may leave out those of the outputs.
    units : {"raw", "physical"}
        "raw": the weights as they stand in the file; inputs are ``(x - mean) / range``, and the
        normalisation is left out. This is the network of the .onnx files that are published beside
        .nnet files. "physical": inputs are x and outputs y; the normalisation is folded into the
        first and the last layer. There is no default: both are in use, and results in the wrong
        units look like results.

    Returns
    -------
    Network

    Raises
    ------
    InvalidInputError
        `units` is something else.
    FormatError
        The file is truncated or not of this format; the message names the line.
    OSError
        The file cannot be read.

    See Also
    --------
    nnet_box : The box of inputs that the file states, in the same units.

    Algorithm
    ---------
    One pass over the lines.

    Exactness
    ---------
    Each number is the float64 nearest to its decimal text, as other readers of the format have
    it. From there on all is exact: in physical units some weights are Fractions. Programs that
    follow the format also move inputs outside the minima and maxima to the nearest value inside;
    this network does not, so it is theirs on `nnet_box` only.

    Examples
    --------
    >>> import tempfile
    >>> lines = ["// y = 5 relu((x - 1) / 4) + 2", "2,1,1,1,", "1,1,1,"]
    >>> lines += ["0,", "-3.0,", "5.0,", "1.0,2.0,", "4.0,5.0,", "1.0,", "0.0,", "1.0,", "0.0,"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.nnet")
    ...     _ = path.write_text(chr(10).join(lines))
    ...     raw, physical = load_nnet(path, units="raw"), load_nnet(path, units="physical")
    >>> raw([0.5]), physical([3.0])
    (array([0.5]), array([4.5]))
    """
    _refuse_other_units("load_nnet", path, units)
    contents = _read("load_nnet", Path(path))
    n_inputs = contents.layers[0][0].shape[1]
    chain = AffineChain(n_inputs)
    if units == "physical":
        _refuse_zero("load_nnet", path, contents)
        chain.add(-contents.means[:n_inputs])
        chain.divide_by(contents.ranges[:n_inputs])
    for k, (weight, bias) in enumerate(contents.layers):
        chain.apply_matrix(weight)
        chain.add(bias)
        if k < len(contents.layers) - 1:
            chain.activate(0, 1)
    if units == "physical" and contents.means.size > n_inputs:
        chain.multiply_by(contents.ranges[n_inputs:])
        chain.add(contents.means[n_inputs:])
    return Network(chain.layers())


def nnet_box(path: str | os.PathLike[str], units: str) -> Box:
    """Return the box between the minima and maxima of the inputs that a .nnet file states.

    Parameters
    ----------
    path : str or PathLike
    units : {"raw", "physical"}
        As in `load_nnet`: the box is in the units of that network's inputs.

    Returns
    -------
    Box

    Raises
    ------
    InvalidInputError
        `units` is something else.
    InvalidDomainError
        A minimum is not below its maximum.
    FormatError
        The file is truncated or not of this format; the message names the line.
    OSError
        The file cannot be read.

    Algorithm
    ---------
    One pass over the lines.

    Exactness
    ---------
    As in `load_nnet`; in raw units the bounds are Fractions.

    Examples
    --------
    >>> import tempfile
    >>> lines = ["1,1,1,1,", "1,1,", "0,", "-3,", "5,", "1,2,", "4,5,", "1,", "0,"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.nnet")
    ...     _ = path.write_text(chr(10).join(lines))
    ...     nnet_box(path, units="physical"), nnet_box(path, units="raw")
    (Box([-3], [5]), Box([-1], [1]))
    """
    _refuse_other_units("nnet_box", path, units)
    contents = _read("nnet_box", Path(path))
    bounds: list[Any] = [contents.lower, contents.upper]
    if units == "raw":
        _refuse_zero("nnet_box", path, contents)
        bounds = [
            exact_array(
                [
                    (Fraction(bound) - Fraction(mean)) / Fraction(scale)
                    # The means and ranges may go on with those of the outputs.
                    for bound, mean, scale in zip(
                        values.tolist(),
                        contents.means.tolist(),
                        contents.ranges.tolist(),
                        strict=False,
                    )
                ],
                1,
            )
            for values in bounds
        ]
    return Box(*bounds)


def _refuse_other_units(verb: str, path: str | os.PathLike[str], units: Any) -> None:
    if isinstance(units, str) and units in UNITS:
        return
    got = repr(units)
    if isinstance(units, str) and units.lower().startswith(("normali", "unnormali")):
        got += ", which people read both ways"
    raise InvalidInputError(
        f"{verb} needs units='raw' or units='physical' for {os.fspath(path)}; got {got}. Do "
        "units='raw' for the weights as they stand in the file, whose inputs are "
        "(x - mean) / range, or units='physical' for inputs x and outputs in physical units."
    )


def _refuse_zero(verb: str, path: str | os.PathLike[str], contents: _Contents) -> None:
    if not contents.ranges.all():
        raise FormatError(
            f"{verb} needs ranges other than 0 in line {contents.line_of_ranges} of "
            f"{os.fspath(path)}; got a 0, which nothing can be divided by. Do units='raw', which "
            "leaves the ranges out.",
            path=os.fspath(path),
        )


class _Lines:
    """The lines of a file, one after another, with their numbers."""

    def __init__(self, verb: str, path: Path) -> None:
        self._verb = verb
        self._path = str(path)
        # Comments may be in any encoding; a number with a broken byte is refused below.
        self._lines = path.read_text(encoding="utf-8-sig", errors="replace").split("\n")
        self.number = 0

    def take(self, needed: str) -> str:
        """The next line, whatever it holds."""
        self.number += 1
        if self.number > len(self._lines):
            self.refuse(needed, "the end of the file", "Copy the file again.")
        return self._lines[self.number - 1].strip()

    def take_filled(self, needed: str) -> str:
        """The next line that is neither blank nor a comment."""
        while True:
            text = self.take(needed)
            if text and not text.startswith("//"):
                return text

    def floats(self, counts: tuple[int, ...], needed: str) -> Floats:
        """The numbers of the next line, as many as one of the counts says."""
        words = self._words(self.take_filled(needed))
        if len(words) not in counts:
            self.refuse(needed, f"{len(words)} of them")
        numbers = [self._float(word, needed) for word in words]
        return np.array(numbers, dtype=np.float64)

    def integers(self, needed: str) -> list[int]:
        """The positive integers of the next line."""
        words = self._words(self.take_filled(needed))
        if not all(_SIZE.fullmatch(word) for word in words):
            self.refuse(needed, _short(",".join(words)))
        return [int(word) for word in words]

    def refuse_rest(self) -> None:
        """Raise an error when anything but blank lines is left."""
        while self.number < len(self._lines):
            text = self.take("the end of the file")
            if text and not text.startswith("//"):
                self.refuse("the end of the file", _short(text), "Check the sizes in the header.")

    def refuse(self, needed: str, got: str, advice: str = "") -> NoReturn:
        """Raise the error for the current line."""
        raise FormatError(
            f"{self._verb} needs {needed} in line {self.number} of {self._path}; got {got}. "
            f"{advice}".rstrip(),
            path=self._path,
        )

    def _float(self, word: str, needed: str) -> float:
        try:
            number = float(word)
        except ValueError:
            self.refuse(needed, _short(word))
        if not isfinite(number) or "_" in word:
            self.refuse(needed, _short(word))
        return number

    @staticmethod
    def _words(text: str) -> list[str]:
        return [word.strip() for word in text.removesuffix(",").split(",")]


def _read(verb: str, path: Path) -> _Contents:
    lines = _Lines(verb, path)
    needed = "four sizes (layers, inputs, outputs, largest layer)"
    header = lines.integers(needed)
    if len(header) != 4:
        lines.refuse(needed, f"{len(header)} numbers")
    n_layers, n_inputs, n_outputs, _ = header
    needed = (
        f"{n_layers + 1} layer sizes from {n_inputs} inputs to {n_outputs} outputs, as the line "
        "before says,"
    )
    sizes = lines.integers(needed)
    if len(sizes) != n_layers + 1 or sizes[0] != n_inputs or sizes[-1] != n_outputs:
        lines.refuse(needed, _short(",".join(map(str, sizes))))
    lines.take("a line that is not used")
    lower = lines.floats((n_inputs,), f"{n_inputs} minima of the inputs")
    upper = lines.floats((n_inputs,), f"{n_inputs} maxima of the inputs")
    counts = (n_inputs, n_inputs + 1)
    means = lines.floats(counts, f"{n_inputs} or {n_inputs + 1} means")
    ranges = lines.floats((means.size,), f"{means.size} ranges, as many as means,")
    line_of_ranges = lines.number
    layers = [
        _layer(lines, k, n_in, n_out)
        for k, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:], strict=True))
    ]
    lines.refuse_rest()
    return _Contents(lower, upper, means, ranges, layers, line_of_ranges)


def _layer(lines: _Lines, k: int, n_in: int, n_out: int) -> tuple[Floats, Floats]:
    rows = [lines.floats((n_in,), f"{n_in} weights (layer {k}, row {row})") for row in range(n_out)]
    biases = [lines.floats((1,), f"one bias (layer {k}, unit {row})") for row in range(n_out)]
    return np.array(rows), np.concatenate(biases)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 40 else text[:37] + "...")
