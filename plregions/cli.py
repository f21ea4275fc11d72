"""The command line, one sub-command a question: how many regions, and what is their graph?

The rest of the package is imported inside the functions, so that ``--help`` and wrong options are
answered at once.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from plregions.errors import FormatError, InvalidInputError, PLRegionsError

if TYPE_CHECKING:
    from plregions.domain import Box, Slice
    from plregions.enumeration import Progress
    from plregions.network import Network
    from plregions.regions import Outcome

__all__ = ["main"]

DONE, WRONG_USE, INCOMPLETE = 0, 2, 3
SUFFIXES = (".graphml", ".json", ".npz")

_NOTES = """\
numbers:
  0.05, -1e-3, -.5 and -1/3 are taken as exactly these rationals: 0.05 is 1/20, not the float64
  beside it. Inputs are numbered from 0.

exit codes:
  0  done
  2  wrong use, or a file that cannot be read or written (one line on stderr)
  3  incomplete: a limit was reached, or Ctrl-C. What was found is printed and, by graph, written

examples:
  plregions count net.onnx --box -1 1
  plregions count net.onnx --inputs 0 1 --box -0.05 0.05
  plregions graph net.onnx --box -2 2 -o regions.graphml
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name; by default those of the process.

    Returns
    -------
    int
        The exit code: 0 done, 2 wrong use or unreadable input, 3 incomplete.

    Examples
    --------
    >>> main(["--version"])
    plregions ...
    0
    """
    try:
        options = _parser().parse_args(
            _shield_numbers(sys.argv[1:] if arguments is None else arguments)
        )
        code, answer = _answer(options)
    except SystemExit as stop:  # argparse has printed help, version or error
        return _deliver("", int(stop.code or DONE))
    except KeyboardInterrupt:
        return _fail("interrupted before there was a result; nothing was written", INCOMPLETE)
    except PLRegionsError as error:
        return _fail(str(error), WRONG_USE)
    except OSError as error:
        reason = error.strerror or str(error)
        return _fail(f"{error.filename}: {reason}" if error.filename else reason, WRONG_USE)
    return _deliver(answer + "\n", code)


def _deliver(text: str, code: int) -> int:
    """Write `text` to stdout; return `code`, or WRONG_USE when stdout cannot take it."""
    if sys.stdout is None:  # closed by the caller
        return code
    try:
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer goes nowhere, else Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a reader that has seen enough is no fault
            return _fail(f"standard output: {error.strerror}", WRONG_USE)
    return code


def _fail(message: str, code: int) -> int:
    """Write one line to stderr and return `code`."""
    if sys.stderr is not None:
        sys.stderr.write(f"plregions: {_one_line(message)}\n")
    return code


def _one_line(text: str) -> str:
    return " ".join(text.split())


# The options.


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"{self.prog}: {_one_line(message)} (see {self.prog} --help)\n")


class _Version(argparse.Action):
    """Print the version, looked up only when it is asked for."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        from plregions import __version__

        raise SystemExit(_deliver(f"plregions {__version__}\n", DONE))


def _parser() -> argparse.ArgumentParser:
    layout: dict[str, Any] = {
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
        "epilog": _NOTES,
    }
    parser = _Parser(
        prog="plregions", description="Exact activation regions of ReLU networks.", **layout
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="command")
    questions = {
        "count": "Count the activation regions of a network in a box.",
        "graph": "Write the region graph: the regions, joined where they share a facet.",
    }
    for name, question in questions.items():
        command = commands.add_parser(name, help=question, description=question, **layout)
        _add_options(command)
        if name == "graph":
            command.add_argument(
                "-o",
                "--output",
                metavar="OUT",
                required=True,
                help="the file to write: .graphml (Gephi, yEd, networkx), .json (node-link) or"
                " .npz (RegionComplex.load)",
            )
    return parser


def _add_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("network", metavar="NET", help="the network: a file that plregions.load reads")
    box = command.add_mutually_exclusive_group()
    box.add_argument(
        "--box",
        nargs=2,
        type=_number,
        metavar=("LO", "HI"),
        help="each varying input runs from LO to HI",
    )
    box.add_argument(
        "--box-file",
        metavar="F",
        help="a text file with one line 'LO HI' for each varying input, in the order of --inputs;"
        " blank lines and # comments are skipped",
    )
    add(
        "--inputs",
        nargs="+",
        type=_whole_number,
        metavar="I",
        help="the inputs that vary (default: all); the others stay at 0 or --at",
    )
    add(
        "--at",
        nargs="+",
        type=_number,
        metavar="V",
        help="with --inputs: one value for each input of the network, in the network's order;"
        " those of varying inputs are not used",
    )
    add("--max-regions", type=_whole_number, metavar="N", help="stop at N regions")
    add(
        "--time-limit",
        type=_number,
        metavar="SECONDS",
        help="stop looking for regions after this time; graph then finds their facets",
    )
    add("--json", action="store_true", help="answer with one JSON object on stdout")


def _shield_numbers(words: Sequence[str]) -> list[str]:
    """Put a space before negative numbers, or argparse takes -1e-3 and -1/3 for options."""
    end = list(words).index("--") if "--" in words else len(words)
    number = re.compile(r"-(\.?\d|(inf|infinity|nan)$)", re.IGNORECASE)
    return [f" {word}" if i < end and number.match(word) else word for i, word in enumerate(words)]


def _number(text: str) -> Fraction:
    """Read a decimal or a fraction exactly; refuse what a float64 cannot come near."""
    text = text.strip()
    exponent = re.search(r"e([+-]?[\d_]+)$", text, re.IGNORECASE)
    try:
        if len(text) > 1000 or (exponent and abs(int(exponent[1])) > 1000):
            raise OverflowError  # before Fraction builds a number with 10^9 digits
        number = Fraction(text)
        float(number)
    except OverflowError:
        raise argparse.ArgumentTypeError(f"{text:.40} is out of the range of float64") from None
    except (ValueError, ZeroDivisionError):
        message = f"needs numbers such as 0.5, -1e-3 or 1/3; got {text!r:.60}"
        raise argparse.ArgumentTypeError(message) from None
    return number


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        message = f"needs whole numbers, NET before the options; got {text.strip()!r:.60}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _check_options(options: argparse.Namespace) -> None:
    """Refuse what is wrong whatever the network is, before any work."""
    command, inputs, box = options.command, options.inputs, options.box
    if box is None and options.box_file is None:
        raise InvalidInputError(
            f"{command} needs a domain; got none. Give --box LO HI or --box-file F."
        )
    if box is not None:
        _check_interval(box[0], box[1], "--box")
    for option in ("max_regions", "time_limit"):
        if getattr(options, option) is not None and getattr(options, option) <= 0:
            raise InvalidInputError(f"{_flag(option)} needs a number above 0; got 0 or less.")
    if inputs is None and options.at is not None:
        raise InvalidInputError("--at needs --inputs, which says the inputs that vary; got none.")
    if inputs is not None and len(set(inputs)) < len(inputs):
        raise InvalidInputError(f"--inputs needs each input once; got {_list(inputs)}.")
    if command == "graph":
        from plregions.writers.writable import check_writable

        output = options.output
        if _suffix(output) not in SUFFIXES:
            raise InvalidInputError(
                f"--output needs a file name that ends in {_list(SUFFIXES, ', ')}; got {output!r}."
            )
        if os.path.exists(options.network) and os.path.exists(output):
            if os.path.samefile(options.network, output):
                raise InvalidInputError(f"--output needs a file other than NET; got {output!r}.")
        check_writable(output)


def _check_interval(low: Fraction, high: Fraction, where: str) -> None:
    if not low < high:
        advice = "Swap them." if low > high else "To hold an input fixed, leave it out of --inputs."
        raise InvalidInputError(
            f"{where} needs LO < HI; got {_decimal(low)} {_decimal(high)}. {advice}"
        )


# The domain.


def _read_box_file(path: str) -> list[tuple[Fraction, Fraction]]:
    pairs = []
    with open(path, encoding="utf-8-sig") as file:
        try:
            lines = file.read().splitlines()
        except UnicodeDecodeError:
            message = f"--box-file needs a text file; got other bytes in {path}."
            raise FormatError(message, path=path) from None
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"--box-file {path}, line {number},"
        try:
            low, high = (_number(word) for word in words)
        except (ValueError, argparse.ArgumentTypeError):
            message = f"{where} needs two numbers LO HI; got {_one_line(line)!r:.60}."
            raise FormatError(message, path=path) from None
        _check_interval(low, high, where)
        pairs.append((low, high))
    return pairs


def _domain(options: argparse.Namespace, input_dim: int) -> tuple[Box | Slice, str]:
    """Return the domain that the options describe, and its text."""
    from plregions.domain import Box, Slice

    inputs = list(range(input_dim)) if options.inputs is None else options.inputs
    beyond = [i for i in inputs if i >= input_dim]
    if beyond:
        raise InvalidInputError(
            f"--inputs needs numbers below {input_dim}, for the network has {input_dim} inputs,"
            f" counted from 0; got {_list(beyond)}."
        )
    if options.box is not None:
        pairs = [tuple(options.box)] * len(inputs)
    else:
        pairs = _read_box_file(options.box_file)
        if len(pairs) != len(inputs):
            raise InvalidInputError(
                f"--box-file needs one LO HI line for each of the {len(inputs)} varying inputs;"
                f" got {len(pairs)} in {options.box_file}."
            )
    origin = [Fraction(0)] * input_dim if options.at is None else list(options.at)
    if len(origin) != input_dim:
        raise InvalidInputError(
            f"--at needs one value for each of the {input_dim} inputs of the network;"
            f" got {len(origin)}."
        )
    if len(inputs) == input_dim:
        pairs = [pair for _, pair in sorted(zip(inputs, pairs, strict=True))]
        return Box([low for low, _ in pairs], [high for _, high in pairs]), _box_text(pairs)
    for i in inputs:
        origin[i] = Fraction(0)  # so that the box's coordinates are the inputs themselves
    directions = [[int(i == k) for k in range(input_dim)] for i in inputs]
    rest = [value for i, value in enumerate(origin) if i not in inputs]
    values = "0" if not any(rest) else _list(map(_decimal, rest)) if len(rest) < 6 else "--at"
    noun = "input" if len(inputs) == 1 else "inputs"
    text = f"{_box_text(pairs)} of {noun} {_list(inputs)} (the others at {values})"
    box = Box([low for low, _ in pairs], [high for _, high in pairs])
    return Slice(origin, directions, box), text


def _box_text(pairs: Sequence[tuple[Fraction, Fraction]]) -> str:
    intervals = [f"[{_decimal(low)}, {_decimal(high)}]" for low, high in pairs]
    if len(set(intervals)) == 1 < len(intervals):
        return f"Box({intervals[0]}^{len(intervals)})"
    if len(intervals) > 4:
        intervals[2:-1] = ["..."]
    return f"Box({' x '.join(intervals)})"


def _decimal(number: Fraction) -> str:
    """Return the number as a short decimal where that is exact, else as a fraction."""
    short = repr(float(number))
    if Fraction(short) != number:
        return str(number)
    return short.removesuffix(".0")


def _list(items: Any, separator: str = " ") -> str:
    return separator.join(map(str, items))


def _flag(option: str | None) -> str:
    return f"--{option.replace('_', '-')}" if option else "a limit"


def _plural(noun: str, n: int) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


# The answers.


def _answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout."""
    _check_options(options)
    from plregions.readers import load

    network = load(options.network)
    domain, domain_text = _domain(options, network.input_dim)
    meter = _Meter(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
    try:
        outcome, result = _ask(options, network, domain, meter)
    finally:
        if meter is not None:
            meter.clear()
    complete = outcome.name == "COMPLETE"
    stopped_by = "interrupt" if outcome.name == "INTERRUPTED" else outcome.which
    code = DONE if complete else INCOMPLETE
    if options.json:
        result |= {
            "complete": complete,
            "stopped_by": stopped_by,
            "network": options.network,
            "fingerprint": network.fingerprint,
            "domain": domain_text,
        }
        return code, json.dumps(result, allow_nan=False)
    if complete:
        status = "complete"
    elif stopped_by == "interrupt":
        status = "incomplete: interrupted"
    else:
        status = f"incomplete: stopped at {_flag(stopped_by)}"
    line = _plural(f"{result['kind']} region", result["regions"])
    if options.command == "graph":
        line = f"graph of {line} and {_plural('edge', result['edges'])}"
    line = f"{line} in {domain_text}, {status} ({result['seconds']:.2f} s)"
    if options.command == "graph":
        line = f"{line}, {'' if complete else 'partial graph '}written to {options.output}"
    return code, _one_line(line)


def _ask(
    options: argparse.Namespace, network: Network, domain: Box | Slice, meter: _Meter | None
) -> tuple[Outcome, dict[str, Any]]:
    """Ask the engine; return how the run ended and what it found."""
    from plregions.enumeration import count_regions, enumerate_regions
    from plregions.writers import write_graphml, write_json

    limits = {"max_regions": options.max_regions, "time_limit": options.time_limit}
    if options.time_limit is not None:
        limits["time_limit"] = float(options.time_limit)
    if options.command == "count":
        count = count_regions(network, domain, progress=meter, **limits)
        seconds = round(count.seconds, 6)
        return count.outcome, {"regions": int(count), "kind": count.kind, "seconds": seconds}
    start = time.perf_counter()
    regions = enumerate_regions(network, domain, progress=meter, **limits)
    if meter is not None:
        meter.show(f"{len(regions):,} regions, now their facets")
    result = {"regions": len(regions), "kind": "activation", "edges": regions.n_edges}
    result["seconds"] = round(time.perf_counter() - start, 6)
    result["output"] = options.output
    if _suffix(options.output) == ".npz":
        regions.save(options.output)
    elif _suffix(options.output) == ".graphml":
        write_graphml(regions, options.output)
    else:
        write_json(regions, options.output)
    return regions.outcome, result


class _Meter:
    """Progress on one line of a terminal: nothing in the first half second, then five a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = time.monotonic() + 0.5
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.2
        rate = progress.n_regions / progress.seconds if progress.seconds > 0 else 0
        bound = progress.upper_bound
        most = f"{bound:,}" if bound < 10**12 else f"about 10^{bound.bit_length() * 0.30103:.0f}"
        self.show(
            f"{progress.n_regions:,} regions so far, {rate:,.0f}/s,"
            f" {progress.share_done:.0%} of the tree, at most {most}"
        )

    def show(self, text: str) -> None:
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns or 80
        except OSError:
            columns = 80
        text = text[: columns - 1]
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def clear(self) -> None:
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
