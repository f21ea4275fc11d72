"""Which words does the command line take, and what is wrong whatever the network is?"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any, NoReturn

from plregions.cli.chosen_domain import check_interval
from plregions.cli.numbers import number, shield_numbers, whole_number
from plregions.cli.streams import DONE, WRONG_USE, deliver, one_line
from plregions.cli.wording import NOUNS, flag, listed
from plregions.errors import InvalidInputError

__all__ = ["check_options", "parse", "suffix_of"]

QUESTIONS = {
    "count": "Count the regions of a network in a box or everywhere.",
    "graph": "Write the region graph: the regions, joined where they share a facet.",
    "export": "Write the regions to a file: a table, polygons, the region graph or an archive.",
    "plot": "Draw the regions of a network with two inputs that vary.",
    "info": "Describe a network: sizes, numbers, equal rows; in a box, neurons that never change.",
    "bounds": "Print the bounds of the literature for the number of regions of some widths.",
    "compare": "Decide whether two networks are one function on a box, and how far they differ.",
    "separate": "Bound the first layer of every network of depth 3 that is this function on a box.",
    "construct": "Write a network of the literature: construct corner_hinge 3 -o c3.json.",
}
EVERYWHERE = ("compare", "count", "export", "graph")
SUFFIXES = {
    "graph": (".graphml", ".gexf", ".json", ".npz"),
    "export": (
        *(".csv", ".geojson", ".gexf", ".graphml"),
        *(".json", ".npz", ".parquet", ".wkb"),
    ),
    "plot": (".png", ".svg", ".pdf", ".html"),
    "construct": (".json", ".npz"),
    "separate": (".json",),
}
VERIFY = "Check a proof that --proof wrote, without a solver."
PROVABLE = ("count", "graph")
STRATEGIES = ("auto", "tree", "planar", "spatial", "brute_force")
COLORS = ("pattern", "linear", "class", "output", "volume", "layer")
UNITS = ("raw", "physical")

_NOTES = """\
numbers:
  0.05, -1e-3, -.5 and -1/3 are taken as exactly these rationals: 0.05 is 1/20, not the float64
  beside it. Inputs are numbered from 0.

exit codes:
  0  done
  1  verify: the proof is wrong or damaged
  2  wrong use, or a file that cannot be read or written (one line on stderr)
  3  incomplete: a limit was reached, or Ctrl-C. What was found is printed and, by graph, export
     and plot, written

examples:
  plregions count net.onnx --box -1 1
  plregions count net.onnx --box -1 1 --kind linear
  plregions count net.onnx --whole-space
  plregions graph net.onnx --box -2 2 -o regions.graphml
  plregions export net.onnx --box -2 2 -o regions.parquet
  plregions plot net.onnx --inputs 0 1 --box -0.05 0.05 -o regions.svg
  plregions plot net.onnx --box -1 1 -o regions.html
  plregions info net.onnx --box -1 1
  plregions bounds 2-32-32-1
  plregions construct corner_hinge 3 -o c3.json
  plregions compare f.json g.json --box 0 1
  plregions count net.onnx --box -1 1 --proof proof.npz
  plregions verify proof.npz net.onnx --json
  plregions separate c3.json --box 0 1 -o certificate.json
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")


class _Version(argparse.Action):
    """Print the version, looked up only when it is asked for."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        from plregions import __version__

        raise SystemExit(deliver(f"plregions {__version__}\n", DONE))


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the options that the words mean; SystemExit after help, version or an error."""
    return _parser().parse_args(shield_numbers(words))


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
    for name, question in QUESTIONS.items():
        command = commands.add_parser(name, help=question, description=question, **layout)
        if name == "construct":
            _add_construction(command)
        elif name == "bounds":
            _add_widths(command)
        else:
            _add_network(command)
            if name == "compare":
                command.add_argument("other", metavar="NET2", help="the network to compare it with")
            _add_domain(command, name)
            _add_limits(command, name)
        if name in PROVABLE:
            _add_strategy(command)
        if name == "count":
            command.add_argument(
                "--kind",
                choices=tuple(NOUNS),
                default="activation",
                help="what to count: activation regions (default), linear regions (joined where"
                " the affine map stays the same), or distinct affine maps",
            )
        if name == "export":
            command.add_argument(
                "--kind",
                choices=("activation", "linear"),
                default="activation",
                help="what a row or polygon is: an activation region (default), or a linear region"
                " (.csv, .parquet, .geojson, .wkb)",
            )
        if name == "compare":
            _add_comparison(command)
        if name == "plot":
            command.add_argument(
                "--color",
                choices=COLORS,
                default="pattern",
                help="what the colours show: the activation pattern (default), the linear region,"
                " the class (which output is largest), the network's output, the area, or the layer"
                " that cut a region last",
            )
            command.add_argument(
                "--layers",
                action="store_true",
                help="one panel a layer: how the layers cut the plane one after the other",
            )
        if name in SUFFIXES:
            command.add_argument(
                "-o",
                "--output",
                metavar="OUT",
                required=name in ("export", "graph", "plot"),
                help={
                    "graph": "the file to write: .graphml (Gephi, yEd, networkx), .gexf (Gephi),"
                    " .json (node-link) or .npz (RegionComplex.load)",
                    "export": "the file to write: a table (.csv, .parquet), polygons of two inputs"
                    " that vary (.geojson, .wkb), the region graph (.graphml, .gexf, .json) or"
                    " everything (.npz, RegionComplex.load)",
                    "plot": "the picture to write: .png, .svg or .pdf; or .html, a page to explore",
                    "construct": "the network to write: .json (any) or .npz (float64 weights)",
                    "separate": "write the certificate to this file too: .json",
                }[name],
            )
        _add_json(command)
    command = commands.add_parser("verify", help=VERIFY, description=VERIFY, **layout)
    command.add_argument(
        "proof", metavar="FILE", help="the proof: from --proof, or a complex saved with its proof"
    )
    _add_network(command)
    _add_workers(command, "processes that check", "answer")
    _add_json(command)
    return parser


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json", action="store_true", help="answer with one JSON object on stdout"
    )


def _add_strategy(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--strategy",
        choices=STRATEGIES,
        default="auto",
        help="how to search: neuron by neuron (tree), by polygons (planar), by polyhedra (spatial),"
        " or all patterns (brute_force); all give the same regions (default: auto)",
    )
    command.add_argument(
        "--proof",
        metavar="FILE",
        help="write a proof of the regions to this .npz file, for plregions verify",
    )


def _add_workers(command: argparse.ArgumentParser, who: str, what: str) -> None:
    command.add_argument(
        "--workers",
        type=whole_number,
        default=1,
        metavar="N",
        help=f"{who} at the same time (default: 1); the {what} is the same",
    )


def _add_network(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "network", metavar="NET", help="the network: a file that plregions.load reads"
    )
    command.add_argument(
        "--units",
        choices=UNITS,
        help="for a .nnet file: the weights as they stand there (raw), or with the file's"
        " normalisation of inputs and outputs folded in (physical)",
    )


def _add_widths(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "widths",
        metavar="WIDTHS",
        help="inputs, units of each hidden layer, outputs: 2-32-32-1",
    )


def _add_comparison(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--on",
        choices=("domain", "vertices"),
        default="domain",
        help="where: everywhere in the domain (default), or at the vertices of the box",
    )
    command.add_argument(
        "--of",
        choices=("outputs", "argmax"),
        default="outputs",
        help="what: the outputs (default), or which of them are largest",
    )
    command.add_argument(
        "--rounded",
        action="store_true",
        help="give distances as float64 numbers, not as rationals of possibly many digits",
    )


def _add_construction(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "words",
        nargs="*",
        metavar="NAME PARAM",
        help="the construction and its parameters, before the options: 3, 1/3, a list 1,2,4, edges"
        " 0-1,1-2, rows '1,0,-1/2;0,1,3', or by name: is_for_cube=true",
    )
    command.add_argument(
        "--list", action="store_true", help="show the constructions and their parameters"
    )


def _add_domain(command: argparse.ArgumentParser, name: str) -> None:
    add = command.add_argument
    box = command.add_mutually_exclusive_group()
    box.add_argument(
        "--box",
        nargs=2,
        type=number,
        metavar=("LO", "HI"),
        help="each varying input runs from LO to HI",
    )
    box.add_argument(
        "--box-file",
        metavar="F",
        help="a text file with one line 'LO HI' for each varying input, in the order of --inputs;"
        " blank lines and # comments are skipped",
    )
    if name in EVERYWHERE:
        box.add_argument(
            "--whole-space",
            action="store_true",
            help="each varying input is any number: no box, and no radius in its place",
        )
    else:
        command.set_defaults(whole_space=False)
    add(
        "--inputs",
        nargs="+",
        type=whole_number,
        metavar="I",
        help="the inputs that vary (default: all); the others stay at 0 or --at",
    )
    add(
        "--at",
        nargs="+",
        type=number,
        metavar="V",
        help="with --inputs: one value for each input of the network, in the network's order;"
        " those of varying inputs are not used",
    )


def _add_limits(command: argparse.ArgumentParser, name: str) -> None:
    add = command.add_argument
    if name != "info":
        add("--max-regions", type=whole_number, metavar="N", help="stop at N activation regions")
        _add_workers(command, "threads that search", "result")
    after = {
        "graph": "stop looking for regions after this time; graph then finds their facets",
        "export": "stop looking for regions after this time; export then measures them",
        "plot": "stop looking for regions after this time; plot then draws them",
        "compare": "stop each search after this time",
        "separate": "stop looking for regions after this time, without an answer; then for a cover,"
        " then for a proof, with bounds",
        "info": "stop looking for neurons that never change after this time (default: 10)",
    }
    add(
        "--time-limit",
        type=number,
        metavar="SECONDS",
        help=after.get(name, "stop after this time"),
    )


def check_options(options: argparse.Namespace) -> None:
    """Refuse what is wrong whatever the network is, before any work."""
    command = options.command
    if command == "bounds":  # widths say all, and the formulas check them
        return
    if command == "construct":
        _check_construction(options)
        return
    _check_units(options)
    if command != "verify":
        _check_domain(options)
    for option in ("max_regions", "time_limit", "workers"):
        value = getattr(options, option, None)
        if value is not None and value <= 0:
            raise InvalidInputError(f"{flag(option)} needs a number above 0; got 0 or less.")
    if command == "plot":
        _check_picture(options)
    if command in SUFFIXES and options.output is not None:
        _check_output("--output", options.output, SUFFIXES[command], {"NET": options.network})
    if getattr(options, "proof", None) is not None and command != "verify":
        others = {"NET": options.network}
        if command in SUFFIXES:
            others["--output"] = options.output
        _check_output("--proof", options.proof, (".npz",), others)


def _check_picture(options: argparse.Namespace) -> None:
    if not options.layers:
        return
    if options.color != "pattern":
        raise InvalidInputError(
            f"--layers needs --color pattern, the pattern so far; got {options.color!r}."
        )
    if suffix_of(options.output) == ".html":
        raise InvalidInputError(
            f"--layers needs a picture; got {options.output!r}, a page, which has a slider for"
            " the layers. Leave out --layers."
        )


def _check_construction(options: argparse.Namespace) -> None:
    if options.list:
        if options.words or options.output is not None:
            raise InvalidInputError("--list needs nothing else; got NAME or --output too.")
        return
    if not options.words:
        raise InvalidInputError("construct needs NAME; got none. construct --list shows them.")
    if options.output is None:
        raise InvalidInputError("construct needs --output, the file to write; got none.")
    _check_output("--output", options.output, SUFFIXES["construct"], {})


def _check_units(options: argparse.Namespace) -> None:
    paths = [options.network, getattr(options, "other", "")]
    is_nnet = any(suffix_of(path) == ".nnet" for path in paths)
    if is_nnet and options.units is None:
        raise InvalidInputError(
            f"{options.command} needs the units of a .nnet file; got none. Give --units raw for"
            " the weights as they stand in the file, or --units physical."
        )
    if options.units is not None and not is_nnet:
        raise InvalidInputError(f"--units needs a .nnet file; got {options.network!r}.")


def _check_domain(options: argparse.Namespace) -> None:
    if options.box is None and options.box_file is None and not options.whole_space:
        needing = [name for name in ("inputs", "at", "time_limit") if getattr(options, name)]
        if options.command != "info":
            needing.insert(0, "")
        if needing:
            asks = flag(needing[0]) if needing[0] else options.command
            everywhere = options.command in EVERYWHERE
            ways = (
                "--box LO HI, --box-file F or --whole-space"
                if everywhere
                else ("--box LO HI or --box-file F")
            )
            raise InvalidInputError(f"{asks} needs a domain; got none. Give {ways}.")
    if options.box is not None:
        check_interval(options.box[0], options.box[1], "--box")
    inputs = options.inputs
    if inputs is None and options.at is not None:
        raise InvalidInputError("--at needs --inputs, which says the inputs that vary; got none.")
    if inputs is not None and len(set(inputs)) < len(inputs):
        raise InvalidInputError(f"--inputs needs each input once; got {listed(inputs)}.")


def _check_output(
    name: str, output: str, suffixes: tuple[str, ...], others: dict[str, str]
) -> None:
    from plregions.writers.writable import check_writable

    if suffix_of(output) not in suffixes:
        raise InvalidInputError(
            f"{name} needs a file name that ends in {listed(suffixes, ', ')}; got {output!r}."
        )
    for other, path in others.items():
        same = os.path.abspath(path) == os.path.abspath(output)
        if same or (
            os.path.exists(path) and os.path.exists(output) and os.path.samefile(path, output)
        ):
            raise InvalidInputError(f"{name} needs a file other than {other}; got {output!r}.")
    check_writable(output)


def suffix_of(path: str) -> str:
    """Return the suffix with its dot, in small letters."""
    return os.path.splitext(path)[1].lower()
