"""``plregions count``: how many regions are there?"""

from __future__ import annotations

import argparse

from plregions.cli.progress import meter_on_terminal
from plregions.cli.question import limits_of, question_of
from plregions.cli.wording import NOUNS, plural, status_of

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout."""
    question = question_of(options)
    from plregions.enumeration import count_regions

    with meter_on_terminal() as meter:
        count = count_regions(
            question.network,
            question.domain,
            kind=options.kind,
            progress=meter,
            **limits_of(options),
        )
    status = status_of(count.outcome)
    counted = plural(NOUNS[count.kind], int(count))
    if not status.complete and count.kind != "activation":
        # Two of them may turn out to be one, so this is not even a lower bound for linear regions.
        counted = f"{counted} among the activation regions found"
    facts = {"regions": int(count), "kind": count.kind, "seconds": round(count.seconds, 6)}
    sentence = f"{counted} in {question.domain_text}, {status.words} ({count.seconds:.2f} s)"
    return question.answer(status, facts, sentence)
