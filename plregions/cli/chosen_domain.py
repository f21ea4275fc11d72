"""Which domain do --box, --box-file, --whole-space, --inputs and --at describe?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from plregions.cli.numbers import decimal, number
from plregions.cli.streams import one_line
from plregions.cli.wording import listed
from plregions.errors import FormatError, InvalidInputError

if TYPE_CHECKING:
    from plregions.domain import Box, Slice, WholeSpace

__all__ = ["check_interval", "chosen_domain"]

Pair = tuple[Fraction, Fraction]


def chosen_domain(
    options: argparse.Namespace, input_dim: int
) -> tuple[Box | WholeSpace | Slice, str]:
    """Return the domain that the options describe, and its text."""
    from plregions.domain import Box, Slice, WholeSpace

    inputs = list(range(input_dim)) if options.inputs is None else options.inputs
    beyond = [i for i in inputs if i >= input_dim]
    if beyond:
        raise InvalidInputError(
            f"--inputs needs numbers below {input_dim}, for the network has {input_dim} inputs,"
            f" counted from 0; got {listed(beyond)}."
        )
    origin = [Fraction(0)] * input_dim if options.at is None else list(options.at)
    if len(origin) != input_dim:
        raise InvalidInputError(
            f"--at needs one value for each of the {input_dim} inputs of the network;"
            f" got {len(origin)}."
        )
    inner: Box | WholeSpace
    if options.whole_space:
        inner, text = WholeSpace(len(inputs)), f"R^{len(inputs)}"
    else:
        pairs = _pairs(options, len(inputs))
        if len(inputs) == input_dim:
            pairs = [pair for _, pair in sorted(zip(inputs, pairs, strict=True))]
        inner = Box([low for low, _ in pairs], [high for _, high in pairs])
        text = _box_text(pairs)
    if len(inputs) == input_dim:
        return inner, text
    for i in inputs:
        origin[i] = Fraction(0)  # so that the box's coordinates are the inputs themselves
    directions = [[int(i == k) for k in range(input_dim)] for i in inputs]
    rest = [value for i, value in enumerate(origin) if i not in inputs]
    values = "0" if not any(rest) else listed(map(decimal, rest)) if len(rest) < 6 else "--at"
    noun = "input" if len(inputs) == 1 else "inputs"
    text = f"{text} of {noun} {listed(inputs)} (the others at {values})"
    return Slice(origin, directions, inner), text


def check_interval(low: Fraction, high: Fraction, where: str) -> None:
    """Refuse an interval without interior."""
    if not low < high:
        advice = "Swap them." if low > high else "To hold an input fixed, leave it out of --inputs."
        raise InvalidInputError(
            f"{where} needs LO < HI; got {decimal(low)} {decimal(high)}. {advice}"
        )


def _pairs(options: argparse.Namespace, n_inputs: int) -> list[Pair]:
    if options.box is not None:
        return [tuple(options.box)] * n_inputs
    pairs = _read_box_file(options.box_file)
    if len(pairs) != n_inputs:
        raise InvalidInputError(
            f"--box-file needs one LO HI line for each of the {n_inputs} varying inputs;"
            f" got {len(pairs)} in {options.box_file}."
        )
    return pairs


def _read_box_file(path: str) -> list[Pair]:
    pairs = []
    with open(path, encoding="utf-8-sig") as file:
        try:
            lines = file.read().splitlines()
        except UnicodeDecodeError:
            message = f"--box-file needs a text file; got other bytes in {path}."
            raise FormatError(message, path=path) from None
    for k, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"--box-file {path}, line {k},"
        try:
            low, high = (number(word) for word in words)
        except (ValueError, argparse.ArgumentTypeError):
            message = f"{where} needs two numbers LO HI; got {one_line(line)!r:.60}."
            raise FormatError(message, path=path) from None
        check_interval(low, high, where)
        pairs.append((low, high))
    return pairs


def _box_text(pairs: Sequence[Pair]) -> str:
    intervals = [f"[{decimal(low)}, {decimal(high)}]" for low, high in pairs]
    if len(set(intervals)) == 1 < len(intervals):
        return f"Box({intervals[0]}^{len(intervals)})"
    if len(intervals) > 4:
        intervals[2:-1] = ["..."]
    return f"Box({' x '.join(intervals)})"
