"""What is the mean of a column at each depth, and how sure is it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.columns import json_value
from plregions.analysis.counts import DepthProfile
from plregions.analysis.table_forms import Shown, Table
from plregions.analysis.widths import whole
from plregions.errors import InvalidInputError

__all__ = ["DepthSummary", "SummaryRow", "summarise"]

Method = Literal["t", "bootstrap"]
METHODS = ("t", "bootstrap")
HEADS = ("family", "depth", "column", "n", "mean", "std", "low", "high")


@dataclass(frozen=True)
class SummaryRow:
    """One column at one depth of one family.

    Attributes
    ----------
    family : str
    depth : int
    column : str
    n : int
        Networks that have a value.
    mean : float
    std : float or None
        Of a sample (n - 1); None for one network.
    low, high : float or None
        Confidence interval of the mean; None for one network.
    quantiles : tuple of float
        In the order of `DepthSummary.levels`; between two values, linear.
    """

    family: str
    depth: int
    column: str
    n: int
    mean: float
    std: float | None
    low: float | None
    high: float | None
    quantiles: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class DepthSummary(Table):
    """The rows of `summarise`; ``str()`` is a table.

    Attributes
    ----------
    rows : tuple of SummaryRow
        By family, column and depth.
    levels : tuple of float
        Of the quantiles.
    confidence : float
    method : str
        "t" or "bootstrap".

    Examples
    --------
    >>> from plregions import Box, depth_profile, random_family, summarise
    >>> family = random_family(1, 1, [2, 3], neurons=4, seeds=range(3))
    >>> summary = summarise(depth_profile(family, Box([0], [1])), columns=["activation"])
    >>> [(row.depth, row.n) for row in summary.rows]
    [(2, 3), (3, 3)]
    """

    rows: tuple[SummaryRow, ...]
    levels: tuple[float, ...]
    confidence: float
    method: str

    def __repr__(self) -> str:
        n = len(self.rows)
        rows = f"{n} {'row' if n == 1 else 'rows'}"
        return f"DepthSummary({rows}, {self.confidence:.0%} intervals by {self.method!r})"

    def _title(self) -> str:
        return ""

    def _caption(self) -> str:
        return f"Means with {self.confidence:.0%} confidence intervals ({self.method})"

    def _shown(self) -> Shown:
        heads = [*HEADS, *(f"q{level:g}" for level in self.levels)]
        rows = [[*(getattr(row, name) for name in HEADS), *row.quantiles] for row in self.rows]
        return heads, rows

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and texts."""
        return {
            "confidence": self.confidence,
            "method": self.method,
            "levels": list(self.levels),
            "rows": [json_value(vars(row)) for row in self.rows],
        }


def summarise(
    profile: DepthProfile,
    columns: Sequence[str] = ("activation", "linear", "maps"),
    *,
    confidence: float = 0.95,
    levels: Sequence[float] = (0.25, 0.5, 0.75),
    method: Method = "t",
    n_resamples: int = 2000,
    seed: int = 0,
) -> DepthSummary:
    """Return mean, spread, quantiles and a confidence interval of columns at each depth.

    Parameters
    ----------
    profile : DepthProfile
        Networks of one family and depth, at best with different seeds, make one row. Networks
        without a value (linear regions of an incomplete count) are left out; `n` tells how many
        are left.
    columns : sequence of str
        Columns of numbers or bools.
    confidence : float
        Between 0 and 1.
    levels : sequence of float
        Of the quantiles, from 0 to 1.
    method : {"t", "bootstrap"}
        How the interval of the mean is made. "t": mean -+ t std / sqrt(n), with Student's t for
        n - 1 degrees of freedom; right for means of values that are normal, and in the limit.
        "bootstrap": the quantiles of the means of `n_resamples` samples drawn with replacement.
    n_resamples, seed : int
        For the bootstrap, which draws from ``numpy.random.default_rng(seed)`` for each row.

    Returns
    -------
    DepthSummary

    Raises
    ------
    InvalidInputError
        Columns that do not exist or hold no numbers, another method, numbers out of range.

    Exactness
    ---------
    Counts are exact; means, quantiles and intervals are float64 statistics. They depend on the
    arguments only.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions.analysis.counts import depth_profile
    >>> nets = [plr.mlp("2-6-1", seed) for seed in range(5)]
    >>> profile = depth_profile(nets, plr.hypercube(2, -1, 1))
    >>> row = summarise(profile, ["activation"]).rows[0]
    >>> row.n, row.low < row.mean < row.high
    (5, True)
    """
    if not isinstance(profile, DepthProfile):
        raise InvalidInputError(
            f"summarise needs a DepthProfile; got {type(profile).__name__}. Use depth_profile."
        )
    _check(confidence, levels, method)
    if isinstance(columns, str):
        columns = [columns]
    if not isinstance(columns, Iterable) or not all(isinstance(name, str) for name in columns):
        raise InvalidInputError(f"summarise needs names of columns; got {columns!r:.60}.")
    n_resamples = whole("summarise", "n_resamples", n_resamples, 1)
    seed = whole("summarise", "seed", seed)
    rows = []
    for family in dict.fromkeys(row.family for row in profile.rows):
        for column in columns:
            for depth in profile.depths:
                members = [r for r in profile.rows if (r.family, r.depth) == (family, depth)]
                values = _numbers(column, [row.value(column) for row in members])
                if len(values) == 0:
                    continue
                std = float(values.std(ddof=1)) if len(values) > 1 else None
                if std is None:
                    low = high = None
                elif method == "t":
                    low, high = _student(values, std, confidence)
                else:
                    low, high = _bootstrap(values, confidence, n_resamples, seed)
                quantiles = tuple(np.quantile(values, list(levels)).tolist())
                mean = float(values.mean())
                row = SummaryRow(
                    family, depth, column, len(values), mean, std, low, high, quantiles
                )
                rows.append(row)
    return DepthSummary(tuple(rows), tuple(levels), confidence, method)


def _check(confidence: float, levels: Sequence[float], method: str) -> None:
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise InvalidInputError(
            f"summarise needs a confidence between 0 and 1 such as 0.95; got {confidence!r}."
        )
    fractions = levels if isinstance(levels, Iterable) else [None]
    if not all(isinstance(level, int | float) and 0 <= level <= 1 for level in fractions):
        raise InvalidInputError(f"summarise needs levels from 0 to 1; got {levels!r}.")
    if not isinstance(method, str) or method not in METHODS:
        raise InvalidInputError(f"summarise needs a method of {METHODS}; got {method!r}.")


def _numbers(column: str, values: Sequence[Any]) -> NDArray[np.float64]:
    try:
        return np.array([float(v) for v in values if v is not None], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(
            f"summarise needs columns of numbers in the range of float64; {column!r} has others."
        ) from None


def _student(values: NDArray[np.float64], std: float, confidence: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    n = len(values)
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * std / sqrt(n)
    mean = float(values.mean())
    return mean - half, mean + half


def _bootstrap(
    values: NDArray[np.float64], confidence: float, n_resamples: int, seed: int
) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    means = [float(rng.choice(values, len(values)).mean()) for _ in range(n_resamples)]
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return low, high
