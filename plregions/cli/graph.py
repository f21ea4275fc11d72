"""``plregions graph``: which regions share a facet? The answer is a file."""

from __future__ import annotations

import argparse
import time

from plregions.cli.options import suffix_of
from plregions.cli.progress import meter_on_terminal
from plregions.cli.question import limits_of, question_of
from plregions.cli.wording import NOUNS, plural, status_of

__all__ = ["answer"]


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Write the graph; return the exit code and the text for stdout."""
    question = question_of(options)
    from plregions.enumeration import enumerate_regions
    from plregions.writers import write_gexf, write_graphml, write_json

    start = time.perf_counter()
    with meter_on_terminal() as meter:
        regions = enumerate_regions(
            question.network,
            question.domain,
            progress=meter,
            proof=options.proof is not None,
            **limits_of(options),
        )
        if meter is not None:
            meter.show(f"{len(regions):,} regions, now their facets")
        n_edges = regions.n_edges
        seconds = time.perf_counter() - start
        if options.proof is not None and regions.proof is not None:
            regions.proof.save(options.proof)
        suffix = suffix_of(options.output)
        if suffix == ".npz":
            regions.save(options.output)
        else:
            write = {".gexf": write_gexf, ".graphml": write_graphml, ".json": write_json}[suffix]
            write(regions, options.output)
    status = status_of(regions.outcome)
    counted = plural(NOUNS["activation"], len(regions))
    sentence = (
        f"graph of {counted} and {plural('edge', n_edges)} in {question.domain_text},"
        f" {status.words} ({seconds:.2f} s),"
        f" {'' if status.complete else 'partial graph '}written to {options.output}"
        f"{'' if options.proof is None else f', proof to {options.proof}'}"
    )
    facts = {
        "regions": len(regions),
        "kind": "activation",
        "edges": n_edges,
        "seconds": round(seconds, 6),
        "output": options.output,
    }
    if options.proof is not None:
        facts["proof"] = options.proof
    return question.answer(status, facts, sentence)
