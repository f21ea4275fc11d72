"""``plregions verify``: is a proof right?"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from plregions.cli.question import load_network
from plregions.cli.streams import DONE, WRONG_PROOF, one_line
from plregions.errors import FormatError, InvalidNetworkError

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout."""
    from plregions.proof import Verification, load_proof, verify

    try:
        network = load_network(options)
        found = verify(load_proof(options.proof), network, workers=options.workers)
    except (FormatError, InvalidNetworkError) as error:
        found = Verification(False, False, 0, one_line(str(error)))
    code = DONE if found.ok else WRONG_PROOF
    if options.json:
        facts = asdict(found) | {"proof": options.proof, "network": options.network}
        return code, json.dumps(facts, allow_nan=False)
    words = "proved" if found.ok else "not proved"
    return code, one_line(f"{options.proof}: {words}: {found.reason}")
