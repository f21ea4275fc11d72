"""``plregions compare``: are two networks one function, and if not, how far are they apart?"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from plregions.cli.chosen_domain import chosen_domain
from plregions.cli.question import limits_of, load_network
from plregions.cli.streams import DONE, INCOMPLETE, one_line
from plregions.cli.wording import NOUNS, flag, plural
from plregions.errors import BudgetExhaustedError

if TYPE_CHECKING:
    from plregions.analysis.distances import Distance
    from plregions.analysis.same_function import Agreement
    from plregions.enumeration import RegionCount

__all__ = ["answer"]


@dataclass(frozen=True)
class _Findings:
    """What was found; None for what was not asked or not reached in time."""

    agreement: Agreement
    distance: Distance | None
    counts: tuple[RegionCount, RegionCount] | None
    stopped_by: str | None


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the text for stdout."""
    start = time.perf_counter()
    f, g = load_network(options), load_network(options, options.other)
    domain, domain_text = chosen_domain(options, f.input_dim)
    found = _found(options, f, g, domain)
    seconds = time.perf_counter() - start
    code = DONE if found.stopped_by is None else INCOMPLETE
    if not options.json:
        return code, one_line(_in_words(options, found, domain_text, seconds))
    facts = _facts(found) | {
        "on": options.on,
        "of": options.of,
        "complete": found.stopped_by is None,
        "stopped_by": found.stopped_by,
        "networks": [options.network, options.other],
        "fingerprints": [f.fingerprint, g.fingerprint],
        "domain": domain_text,
        "seconds": round(seconds, 6),
    }
    return code, json.dumps(facts, allow_nan=False)


def _found(options: argparse.Namespace, f: Any, g: Any, domain: Any) -> _Findings:
    from plregions.analysis.distances import distance
    from plregions.analysis.same_function import agreement
    from plregions.enumeration import count_regions

    limits = limits_of(options)
    compared = agreement(f, g, domain, on=options.on, of=options.of, **limits)
    stopped_by = compared.stopped_by
    if options.on == "vertices":
        return _Findings(compared, None, None, stopped_by)
    measured = None
    if options.of == "outputs" and domain.is_bounded and not compared and stopped_by is None:
        try:
            measured = distance(f, g, domain, exact=not options.rounded, **limits)
        except BudgetExhaustedError as error:
            stopped_by = next(name for name in ("max_regions", "time_limit") if name in str(error))
        except KeyboardInterrupt:
            stopped_by = "interrupt"
    counts = count_regions(f, domain, **limits), count_regions(g, domain, **limits)
    for count in counts:
        if not count.is_complete:
            stopped_by = stopped_by or count.outcome.which or "interrupt"
    return _Findings(compared, measured, counts, stopped_by)


def _facts(found: _Findings) -> dict[str, Any]:
    compared, measured = found.agreement, found.distance
    zero = "0" if compared.holds and compared.of == "outputs" and compared.on == "domain" else None
    return {
        "agree": compared.holds,
        "gap": _number(compared.gap),
        "gap_at": _numbers(compared.gap_at),
        "ray": _numbers(compared.ray),
        "witness": _numbers(compared.witness),
        "values": None if compared.values is None else [*map(_numbers, compared.values)],
        "l1": zero if measured is None else _number(measured.l1),
        "l2_squared": zero if measured is None else _number(measured.l2_squared),
        "agreeing_share": _share(found),
        "checked": compared.n_checked,
        "different": compared.n_different,
        "ties": compared.n_ties,
        "regions": None if found.counts is None else [int(count) for count in found.counts],
        "kind": "activation",
    }


def _share(found: _Findings) -> str | float | None:
    if found.distance is not None:
        return _number(found.distance.agreeing_share)
    return "1" if found.agreement.holds and found.agreement.on == "domain" else None


def _number(value: Fraction | float | None) -> str | float | None:
    """Return a rational as a string such as "13/90", a float as it is, infinity as a word."""
    from plregions.exact.notation import number_to_str

    if value is None:
        return None
    if isinstance(value, float):
        return "inf" if math.isinf(value) else value
    return number_to_str(value)


def _numbers(point: Iterable[Fraction] | None) -> list[Any] | None:
    return None if point is None else [_number(v) for v in point]


def _in_words(
    options: argparse.Namespace, found: _Findings, domain_text: str, seconds: float
) -> str:
    from plregions.exact.words import short_text

    compared, measured = found.agreement, found.distance
    verb = {True: "agree", False: "differ", None: "are not seen to differ"}[compared.holds]
    noun = "vertex" if compared.on == "vertices" else "cell"
    nouns = {"vertex": "vertices", "cell": "cells"}
    checked = f"{compared.n_checked} {noun if compared.n_checked == 1 else nouns[noun]}"
    what = "labels of " if compared.of == "argmax" else ""
    where = "the vertices of " if compared.on == "vertices" else ""
    parts = [f"{what}{options.network} and {options.other} {verb} on {where}{domain_text}"]
    parts.append(f"{compared.n_different} of {checked} different")
    if compared.gap:
        least = "" if compared.stopped_by is None else "at least "
        parts.append(f"largest gap {least}{short_text(compared.gap)}")
    point = compared.witness if compared.ray is not None else compared.gap_at or compared.witness
    if point is not None:
        parts.append(f"as at ({', '.join(map(short_text, point))})")
    if measured is not None:
        parts.append(f"squared L2 distance {short_text(measured.l2_squared)}")
    if compared.n_ties:
        parts.append(f"ties in {compared.n_ties}")
    if found.counts is not None:
        first, second = (int(count) for count in found.counts)
        parts.append(f"{first} and {plural(NOUNS['activation'], second)}")
    state = "complete"
    if found.stopped_by is not None:
        reason = (
            "interrupted"
            if found.stopped_by == "interrupt"
            else f"stopped at {flag(found.stopped_by)}"
        )
        state = f"incomplete: {reason}"
    return f"{', '.join(parts)}; {state} ({seconds:.2f} s)"
