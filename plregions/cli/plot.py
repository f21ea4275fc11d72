"""``plregions plot``: what do the regions look like? The answer is a picture."""

from __future__ import annotations

import argparse
import time
from typing import IO, TYPE_CHECKING, Any

from plregions.cli.options import suffix_of
from plregions.cli.progress import meter_on_terminal
from plregions.cli.question import limits_of, question_of
from plregions.cli.wording import NOUNS, plural, status_of
from plregions.errors import InvalidInputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from plregions.regions import RegionComplex

__all__ = ["answer", "check_plot"]

# So that the same regions give the same file.
_WITHOUT_DATE: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def answer(options: argparse.Namespace) -> tuple[int, str]:
    """Draw the regions into a file; return the exit code and the text for stdout."""
    question = question_of(options)
    if question.domain.dim != 2:
        raise InvalidInputError(
            f"plot needs 2 inputs that vary; got {question.domain.dim}, and the network has"
            f" {question.network.input_dim}. Name the two with --inputs I J."
        )
    from plregions import plot
    from plregions.enumeration import enumerate_regions
    from plregions.network.saving import write_whole

    start = time.perf_counter()
    with meter_on_terminal() as meter:
        regions = enumerate_regions(
            question.network, question.domain, progress=meter, **limits_of(options)
        )
        if meter is not None:
            meter.show(f"{len(regions):,} regions, now the picture")
        if suffix_of(options.output) == ".html":
            plot.explore(regions, color=options.color).save(options.output)
        else:
            figure = _figure(regions, options)
            write_whole(options.output, lambda file: _save(figure, file, suffix_of(options.output)))
        seconds = time.perf_counter() - start
    status = status_of(regions.outcome)
    sentence = (
        f"picture of {plural(NOUNS['activation'], len(regions))} in {question.domain_text},"
        f" {status.words} ({seconds:.2f} s),"
        f" {'' if status.complete else 'partial picture '}written to {options.output}"
    )
    facts = {
        "regions": len(regions),
        "kind": "activation",
        "color": options.color,
        "layers": options.layers,
        "seconds": round(seconds, 6),
        "output": options.output,
    }
    return question.answer(status, facts, sentence)


def check_plot(options: argparse.Namespace) -> None:
    """Refuse to begin what cannot be drawn."""
    from plregions.plot.canvas import check_matplotlib
    from plregions.plot.explore import check_plotly

    check_matplotlib("plot")
    if suffix_of(options.output) == ".html":
        check_plotly("plot")


def _figure(regions: RegionComplex, options: argparse.Namespace) -> Figure:
    """Draw without pyplot, which would look for a display."""
    from matplotlib.figure import Figure

    from plregions import plot
    from plregions.plot.cuts import cutting_layers
    from plregions.plot.layers import grid_of

    if not options.layers:
        figure = Figure(figsize=(6.4, 6.4), layout="constrained")
        plot.regions(regions, ax=figure.add_subplot(), color=options.color)
        return figure
    n = max(len(cutting_layers(regions)), 1)
    rows, columns, size = grid_of(n)
    figure = Figure(figsize=size, layout="compressed")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels[n:]:
        panel.remove()
    plot.layers(regions, ax=list(panels[:n]))
    return figure


def _save(figure: Figure, file: IO[bytes], suffix: str) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "plregions"}):
        figure.savefig(
            file, format=suffix.removeprefix("."), dpi=150, metadata=_WITHOUT_DATE[suffix]
        )
