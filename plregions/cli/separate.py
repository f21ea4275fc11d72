"""``plregions separate``: how few neurons of a shallower network could hold this function?"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from plregions.cli.question import limits_of, question_of
from plregions.cli.wording import NOUNS, Status, plural, status_of
from plregions.errors import BudgetExhaustedError

if TYPE_CHECKING:
    from plregions.analysis.depth_two import DepthTwo
    from plregions.analysis.unbalanced_ridges import HardFlats
    from plregions.analysis.width_certificate import WidthCertificate

__all__ = ["answer"]

_MEMBERS = (
    "hard_flats",
    "unbalanced_ridges",
    "tau",
    "lower_bound",
    "upper_bound",
    "proof",
    "certificate_verified",
    "is_depth_two",
    "kink_hyperplanes",
    "least_neurons",
    "most_neurons",
    "hard_point",
)


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout; write the certificate where that is asked."""
    question = question_of(options)
    from plregions.analysis.depth_two import depth_two_of
    from plregions.analysis.first_layer_width import width_certificate_of
    from plregions.analysis.kinks import gradient_jumps
    from plregions.analysis.unbalanced_ridges import hard_flats_of

    start, limits = time.perf_counter(), limits_of(options)
    try:
        jumps = gradient_jumps(question.network, question.domain, **limits)
    except BudgetExhaustedError as error:
        status = status_of(error.partial.outcome)
        facts = dict.fromkeys(_MEMBERS) | _times(start, None)
        found = plural(NOUNS["activation"], len(error.partial))
        sentence = f"{found} found in {question.domain_text}, no answer from a part; {status.words}"
        return question.answer(status, facts, sentence)
    flats = hard_flats_of(jumps)
    certificate = width_certificate_of(flats, time_limit=limits["time_limit"])
    shallow = depth_two_of(jumps, flats)
    is_verified = certificate.verify(question.network, question.domain)
    facts = _facts(flats, certificate, shallow, is_verified) | _times(start, options.output)
    sentence = _in_words(flats, certificate, shallow, is_verified, question.domain_text)
    sentence += f" ({facts['seconds']:.2f} s)"
    if options.output is not None:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(certificate.to_dict(), file, allow_nan=False)
        sentence += f", certificate written to {options.output}"
    return question.answer(Status(True, None, "complete"), facts, sentence)


def _times(start: float, output: str | None) -> dict[str, Any]:
    return {"seconds": round(time.perf_counter() - start, 6), "output": output}


def _facts(
    flats: HardFlats, certificate: WidthCertificate, shallow: DepthTwo, is_verified: bool
) -> dict[str, Any]:
    from plregions.exact.notation import number_to_str

    ridge = shallow.obstruction
    values = (
        len(flats),
        flats.n_ridges,
        certificate.tau,
        certificate.lower_bound,
        certificate.upper_bound,
        certificate.kind,
        is_verified,
        shallow.holds,
        len(shallow.hyperplanes),
        shallow.least_neurons,
        shallow.most_neurons,
        None if ridge is None else [number_to_str(v) for v in ridge.point],
    )
    return dict(zip(_MEMBERS, values, strict=True))


def _in_words(
    flats: HardFlats,
    certificate: WidthCertificate,
    shallow: DepthTwo,
    is_verified: bool,
    domain_text: str,
) -> str:
    kinks = plural("kink hyperplane", len(shallow.hyperplanes))
    if shallow.holds:
        width = f"{shallow.least_neurons}"
        if shallow.smallest_width is None:
            width += f" to {shallow.most_neurons}"
        return f"one hidden layer holds it in {domain_text}: {kinks}, smallest width {width}"
    bound = f"at least {certificate.lower_bound}"
    if certificate.tau is None:
        bound += f" (and of these bounds none beyond {certificate.upper_bound})"
    verdict = "verified" if is_verified else "NOT verified"
    return (
        f"{plural('hard flat', len(flats))} in {domain_text}: no network of depth 2; one of depth"
        f" 3 needs {bound} first-layer hyperplanes, certificate ({certificate.kind}) {verdict}"
    )
