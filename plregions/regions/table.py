"""How do regions look as a table: in pandas, and in a notebook?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from plregions.errors import MissingExtraError
from plregions.network.html import html_table
from plregions.regions.outcome import Outcome

if TYPE_CHECKING:
    import pandas as pd

    from plregions.regions.complex import RegionComplex
    from plregions.regions.region import Region

__all__ = [
    "HasCount",
    "complex_html",
    "count_html",
    "region_columns",
    "region_frame",
    "region_html",
]

# What is shown of a long table, a long pattern, a long vector.
ROWS, BITS, COORDINATES = 10, 40, 6


def region_frame(regions: RegionComplex) -> pd.DataFrame:
    """Return the regions as a pandas table; see `RegionComplex.to_frame`."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError.of("to_frame", "the pandas library", "tables") from error
    index = pd.RangeIndex(regions.n_regions, name="region")
    frame = pd.DataFrame(region_columns(regions), index=index)
    frame.attrs = {
        "kind": "activation",
        "complete": regions.is_complete,
        "network": regions.network.fingerprint,
        "domain": repr(regions.domain),
    }
    return frame


def region_columns(regions: RegionComplex) -> dict[str, Any]:
    """Return what a row says about each region, as columns; see `RegionComplex.to_frame`."""
    points = regions.interior_points
    return {
        "pattern": regions.pattern_strings(),
        "n_facets": np.asarray(regions.graph.n_facets, dtype=np.int64),
        "n_neighbours": np.bincount(regions.graph.edges.ravel(), minlength=regions.n_regions),
        **{f"x{k}": points[:, k] for k in range(points.shape[1])},
        "linear": regions.linear.labels,
        "map": regions.linear.map_labels,
    }


def complex_html(regions: RegionComplex) -> str:
    """Return the first regions as an HTML table, under a line that says what was proved.

    Facets are shown when the graph has been made; showing never starts a computation.
    """
    n = regions.n_regions
    shown = regions[:ROWS]
    has_graph = "graph" in vars(regions)
    columns = ["region", "pattern", "interior point", *(["facets"] if has_graph else [])]
    rows = [
        [
            region.index,
            _short_pattern(str(region.pattern)),
            _vector(region.interior_point.tolist()),
            *([region.n_facets] if has_graph else []),
        ]
        for region in shown
    ]
    note = f"{n - ROWS} more regions" if n > ROWS else ""
    noun = "activation region" if n == 1 else "activation regions"
    caption = f"{n} {noun} of {regions.network!r} in {regions.domain!r}, {_state(regions.outcome)}"
    return html_table(caption, columns, rows, note)


def region_html(region: Region) -> str:
    """Return a region as an HTML table: pattern, point, rows and, if it is short, its map."""
    weight, bias = region.affine_map()
    labels = region.labels
    rows = [
        ["pattern", _short_pattern(str(region.pattern))],
        ["interior point", _vector(region.interior_point.tolist())],
        ["constraint rows", f"{len(labels)}: {_listed(labels)}"],
    ]
    if weight.shape[1] <= COORDINATES:
        for k, (factors, constant) in enumerate(zip(weight[:ROWS], bias, strict=False)):
            rows.append([f"output {k}", _affine(factors.tolist(), float(constant))])
    caption = (
        f"Activation region {region.index} of {region.complex.network!r} in "
        f"{region.complex.domain!r}: its signs are proved at an exact point inside"
    )
    return html_table(caption, [], rows, "Numbers are rounded.")


class HasCount(Protocol):
    """A count of regions: a `RegionCount`."""

    @property
    def n_regions(self) -> int:
        """The number."""
        ...

    @property
    def kind(self) -> str:
        """What was counted."""
        ...

    @property
    def outcome(self) -> Outcome:
        """Whether these are all."""
        ...

    @property
    def seconds(self) -> float:
        """Wall-clock time."""
        ...


def count_html(count: HasCount) -> str:
    """Return a count as an HTML table that says what was proved."""
    rows: list[tuple[str, object]] = [
        ("number", count.n_regions),
        ("kind", count.kind),
        ("outcome", count.outcome),
        ("seconds", f"{count.seconds:.3g}"),
    ]
    return html_table(str(count), [], rows, count.outcome.help)


def _state(outcome: Outcome) -> str:
    state = "complete" if outcome.is_complete else f"incomplete ({outcome})"
    return f"{state}. {outcome.help}"


def _short_pattern(text: str) -> str:
    return text if len(text) <= BITS else f"{text[: BITS - 3]}..."


def _vector(values: Sequence[float]) -> str:
    texts = [f"{v:.4g}" for v in values[:COORDINATES]]
    return f"({', '.join(texts)}{', ...' if len(values) > COORDINATES else ''})"


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts[:ROWS]) + (", ..." if len(texts) > ROWS else "")


def _affine(factors: Sequence[float], constant: float) -> str:
    text = ""
    for k, factor in enumerate([*factors, constant]):
        if factor:
            sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
            name = f" x[{k}]" if k < len(factors) else ""
            text += f"{sign}{abs(factor):.4g}{name}"
    return text or "0"
