"""``plregions info``: what is in a network, and which neurons never change on a box?"""

from __future__ import annotations

import argparse
import json
from typing import Any

from plregions.cli.chosen_domain import chosen_domain
from plregions.cli.question import load_network
from plregions.cli.streams import DONE, INCOMPLETE, one_line

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout."""
    network = load_network(options)
    domain, text = None, None
    if options.box is not None or options.box_file is not None:
        domain, text = chosen_domain(options, network.input_dim)
    from plregions.analysis.inspect import describe

    limit: dict[str, Any] = {}
    if options.time_limit is not None:
        limit["time_limit"] = float(options.time_limit)
    found = describe(network, domain, **limit)
    complete = found.signs is None or found.signs.is_settled
    code = DONE if complete else INCOMPLETE
    if not options.json:
        first, *others = found.in_words(text).splitlines()
        return code, "\n".join([one_line(f"{options.network}: {first}"), *others])
    facts = found.to_dict()
    facts |= {"complete": complete, "network": options.network, "domain": text}
    return code, json.dumps(facts, allow_nan=False)
