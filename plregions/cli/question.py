"""What is asked: which network, in which domain, within which limits?"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plregions.cli.chosen_domain import chosen_domain
from plregions.cli.options import suffix_of
from plregions.cli.streams import DONE, INCOMPLETE, one_line
from plregions.cli.wording import Status

if TYPE_CHECKING:
    from plregions.domain import Box, Slice, WholeSpace
    from plregions.network import Network

__all__ = ["Question", "limits_of", "load_network", "question_of"]


@dataclass(frozen=True)
class Question:
    """A network and a domain, as the options name them."""

    network: Network
    domain: Box | WholeSpace | Slice
    domain_text: str
    path: str
    as_json: bool

    def answer(self, status: Status, facts: dict[str, Any], sentence: str) -> tuple[int, str]:
        """Return the exit code and the text for stdout: one JSON object or one line."""
        code = DONE if status.complete else INCOMPLETE
        if not self.as_json:
            return code, one_line(sentence)
        facts = facts | {
            "complete": status.complete,
            "stopped_by": status.stopped_by,
            "network": self.path,
            "fingerprint": self.network.fingerprint,
            "domain": self.domain_text,
        }
        return code, json.dumps(facts, allow_nan=False)


def question_of(options: argparse.Namespace) -> Question:
    """Read the network and make the domain."""
    network = load_network(options)
    domain, text = chosen_domain(options, network.input_dim)
    return Question(network, domain, text, options.network, options.json)


def load_network(options: argparse.Namespace, path: str | None = None) -> Network:
    """Read NET, or another file; a .nnet file in the units that --units names."""
    from plregions.readers import load

    path = options.network if path is None else path
    if suffix_of(path) != ".nnet":
        return load(path)
    from plregions.readers.nnet import load_nnet

    return load_nnet(path, units=options.units)


def limits_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return --workers, --max-regions and --time-limit, and --strategy where it was asked for."""
    seconds = options.time_limit
    chosen = {"strategy": options.strategy} if hasattr(options, "strategy") else {}
    return chosen | {
        "workers": options.workers,
        "max_regions": options.max_regions,
        "time_limit": None if seconds is None else float(seconds),
    }
