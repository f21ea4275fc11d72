"""``plregions construct``: which network of the literature is meant? The answer is a file."""

from __future__ import annotations

import argparse
import difflib
import inspect
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from plregions.cli.numbers import number
from plregions.cli.streams import DONE, one_line
from plregions.cli.wording import listed
from plregions.errors import InvalidInputError

if TYPE_CHECKING:
    from plregions.network import Network

__all__ = ["answer"]

_KEYWORD = re.compile(r"([a-z_]+)=(.*)\Z", re.DOTALL)
_EDGE = re.compile(r"(\d{1,9})-(\d{1,9})\Z", re.ASCII)
_BOOLEANS = {"true": True, "false": False}


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Write the network; return the exit code and the text for stdout."""
    if options.list:
        return DONE, _catalogue(options.json)
    name, *words = (word.strip() for word in options.words)
    net = _made(name, words)
    net.save(options.output)
    if not options.json:
        asked = listed([name, *words])
        return DONE, one_line(f"{asked}: {net!r}, depth {net.depth}, written to {options.output}")
    facts = {
        "construction": name,
        "parameters": words,
        "input_dim": net.input_dim,
        "widths": list(net.widths),
        "output_dim": net.output_dim,
        "depth": net.depth,
        "neurons": net.n_neurons,
        "fingerprint": net.fingerprint,
        "output": options.output,
    }
    return DONE, json.dumps(facts, allow_nan=False)


def _known() -> dict[str, Callable[..., Network]]:
    """Return the functions that make a network out of numbers alone."""
    from plregions import constructions

    functions = {name: getattr(constructions, name) for name in constructions.__all__}
    return {
        name: function
        for name, function in functions.items()
        if inspect.signature(function).return_annotation == "Network"
        and all(p.annotation != "Network" for p in inspect.signature(function).parameters.values())
    }


def _made(name: str, words: list[str]) -> Network:
    known = _known()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=3)
        advice = f"Did you mean {listed(close, ' or ')}?" if close else "See construct --list."
        raise InvalidInputError(f"construct needs a known NAME; got {name!r:.60}. {advice}")
    positional, named = [], {}
    for word in words:
        keyword = _KEYWORD.match(word)
        if keyword and keyword[1] in named:
            raise InvalidInputError(
                f"construct {name} needs each parameter once; got {keyword[1]} twice."
            )
        if keyword:
            named[keyword[1]] = _value(keyword[2])
        else:
            positional.append(_value(word))
    try:
        bound = inspect.signature(known[name]).bind(*positional, **named)
    except TypeError as error:
        parameters = listed(_parameters(known[name])) or "no parameters"
        raise InvalidInputError(
            f"construct {name} needs {parameters}; got {listed(words) or 'none'} ({error})."
        ) from error
    return known[name](*bound.args, **bound.kwargs)


def _parameters(function: Callable[..., Network]) -> list[str]:
    """Return the parameters as they are typed: [m] may be left out, [is_x=true] needs its name."""
    words = []
    for parameter in inspect.signature(function).parameters.values():
        text = parameter.name
        if parameter.kind is parameter.KEYWORD_ONLY:
            text += "=true"
        words.append(text if parameter.default is parameter.empty else f"[{text}]")
    return words


def _value(text: str) -> Any:
    """Read 3, 1/3, true, a list 1,2,4, edges 0-1,1-2 or rows 1,0,-1/2;0,1,3."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if ";" in text:
        return [_list(part) for part in text.split(";") if part.strip()]
    return _list(text) if "," in text or _EDGE.match(text) else _number(text)


def _list(text: str) -> list[Any]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    edges = [edge for edge in map(_EDGE.match, parts) if edge]
    if edges and len(edges) == len(parts):
        return [(int(edge[1]), int(edge[2])) for edge in edges]
    return [_number(part) for part in parts]


def _number(text: str) -> Any:
    try:
        value = number(text)
    except argparse.ArgumentTypeError as error:
        raise InvalidInputError(
            "construct needs parameters that are numbers such as 3 or -1/3, or lists of them; got "
            f"{text!r:.60}."
        ) from error
    return value.numerator if value.denominator == 1 else value


def _catalogue(as_json: bool) -> str:
    entries = [
        {
            "name": name,
            "parameters": _parameters(function),
            "says": (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " "),
        }
        for name, function in _known().items()
    ]
    if as_json:
        return json.dumps({"constructions": entries}, allow_nan=False)
    heads = [listed([entry["name"], *entry["parameters"]]) for entry in entries]
    return "\n".join(f"{h}\n    {e['says']}" for h, e in zip(heads, entries, strict=True))
