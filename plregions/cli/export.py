"""``plregions export``: what is known of each region? The answer is a file."""

from __future__ import annotations

import argparse
import time

from plregions.cli.options import suffix_of
from plregions.cli.progress import meter_on_terminal
from plregions.cli.question import limits_of, question_of
from plregions.cli.wording import NOUNS, plural, status_of

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Write the regions; return the exit code and the text for stdout."""
    question = question_of(options)
    from plregions.enumeration import enumerate_regions
    from plregions.writers import export
    from plregions.writers.formats import check_export

    domain, kind = question.domain, options.kind
    format = suffix_of(options.output).removeprefix(".")
    check_export(format, kind, domain.dim, domain.is_bounded)
    start = time.perf_counter()
    with meter_on_terminal() as meter:
        regions = enumerate_regions(question.network, domain, progress=meter, **limits_of(options))
        if meter is not None:
            meter.show(f"{len(regions):,} regions, now the file")
        export(regions, options.output, format, kind=kind)
        seconds = time.perf_counter() - start
    n_regions = regions.linear.n_regions if kind == "linear" else len(regions)
    status = status_of(regions.outcome)
    counted = plural(NOUNS[kind], n_regions)
    if not status.complete and kind == "linear":
        # Two of them may turn out to be one.
        counted = f"{counted} among the activation regions found"
    sentence = (
        f"{counted} in {question.domain_text}, {status.words} ({seconds:.2f} s),"
        f" written to {options.output}"
    )
    facts = {
        "regions": n_regions,
        "kind": kind,
        "seconds": round(seconds, 6),
        "output": options.output,
    }
    return question.answer(status, facts, sentence)
