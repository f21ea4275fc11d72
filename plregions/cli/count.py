"""``plregions count``: how many regions are there?"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from plregions.cli.progress import meter_on_terminal
from plregions.cli.question import Question, limits_of, question_of
from plregions.cli.wording import NOUNS, plural, status_of

if TYPE_CHECKING:
    from plregions.enumeration import RegionCount

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout."""
    question = question_of(options)
    from plregions.enumeration import count_regions

    with meter_on_terminal() as meter:
        limits = {"progress": meter, **limits_of(options)}
        if options.proof is None:
            count = count_regions(question.network, question.domain, kind=options.kind, **limits)
        else:
            count = _proved_count(question, options, limits)
    status = status_of(count.outcome)
    counted = plural(NOUNS[count.kind], int(count))
    if not status.complete and count.kind != "activation":
        # Two of them may turn out to be one, so this is not even a lower bound for linear regions.
        counted = f"{counted} among the activation regions found"
    facts: dict[str, Any] = {"regions": int(count), "kind": count.kind}
    facts["seconds"] = round(count.seconds, 6)
    sentence = f"{counted} in {question.domain_text}, {status.words} ({count.seconds:.2f} s)"
    if options.proof is not None:
        facts["proof"] = options.proof
        sentence += f", proof written to {options.proof}"
    return question.answer(status, facts, sentence)


def _proved_count(
    question: Question, options: argparse.Namespace, limits: dict[str, Any]
) -> RegionCount:
    """Count regions that are kept, and write their proof."""
    from plregions.enumeration import RegionCount, enumerate_regions

    start = time.perf_counter()
    regions = enumerate_regions(question.network, question.domain, proof=True, **limits)
    if options.kind == "activation":
        n = len(regions)
    else:
        n = regions.linear.n_regions if options.kind == "linear" else regions.n_maps
    seconds = time.perf_counter() - start
    if regions.proof is not None:
        regions.proof.save(options.proof)
    return RegionCount(n, options.kind, regions.outcome, regions.statistics, seconds)
