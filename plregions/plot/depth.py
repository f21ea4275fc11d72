"""The picture of counts against depth: every network, the mean, and how sure the mean is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from plregions.analysis.counts import DepthProfile, DepthRow
from plregions.analysis.summary import Method, summarise
from plregions.errors import InvalidInputError
from plregions.plot.canvas import check_matplotlib, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["depth_profile"]

WORDS = {
    "activation": "activation regions",
    "linear": "linear regions",
    "maps": "distinct affine maps",
}


def depth_profile(
    profile: DepthProfile,
    ax: Axes | None = None,
    *,
    column: str = "activation",
    bounds: bool = True,
    confidence: float = 0.95,
    method: Method = "t",
) -> Axes:
    """Draw a column of a profile against depth and return the Axes.

    A small mark for each network, a line through the means of each family and depth, a bar for the
    confidence interval of each mean. Nothing is shown and nothing is saved, as with `regions`.

    Parameters
    ----------
    profile : DepthProfile
        Of `plregions.analysis.depth_profile`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; pyplot is then left alone. Without it a new pyplot figure is made, which
        stays open until ``plt.close(ax.figure)``.
    column : str
        "activation" (default), "linear", "maps" or another column of numbers.
    bounds : bool
        Also mark the largest upper and lower bound of each depth, for the three counts.
        The lower one is about the best network of these widths, not about those drawn.
    confidence, method
        Of the intervals, as in `plregions.analysis.summarise`.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        The column does not exist, holds no numbers or has no values.
    MissingExtraError
        matplotlib is not installed.

    Algorithm
    ---------
    The count axis is logarithmic where bounds are drawn or the largest value is 20 times the least.

    Exactness
    ---------
    Counts are exact; means and intervals are float64 statistics.

    Examples
    --------
    >>> import plregions as plr
    >>> from matplotlib.figure import Figure
    >>> from plregions.analysis.counts import depth_profile as counted
    >>> from plregions.analysis.equal_size import random_family
    >>> members = random_family(2, 1, [2, 3], neurons=6, seeds=3)
    >>> profile = counted(members, plr.hypercube(2, -1, 1))
    >>> depth_profile(profile, ax=Figure().subplots()).get_xlabel()
    'depth (affine maps)'
    """
    check_matplotlib("plot.depth_profile")
    if not isinstance(profile, DepthProfile):
        raise InvalidInputError(f"plot.depth_profile needs a DepthProfile; got {profile!r:.60}.")
    summary = summarise(profile, [column], confidence=confidence, method=method)
    if not summary.rows:
        raise InvalidInputError(
            f"plot.depth_profile needs a column with values; got {column!r}, which has none."
        )
    from matplotlib.ticker import MaxNLocator

    ax = new_axes() if ax is None else ax
    families = list(dict.fromkeys(row.family for row in summary.rows))
    for k, family in enumerate(families):
        colour = f"C{k}"
        shift = 0.06 * (k - (len(families) - 1) / 2)  # so that bars of families stand side by side
        members = [r for r in profile.rows if r.family == family and r.value(column) is not None]
        ax.scatter(
            [r.depth + shift for r in members],
            [float(r.value(column)) for r in members],
            s=12,
            color=colour,
            alpha=0.35,
            linewidths=0,
            zorder=2,
        )
        rows = [r for r in summary.rows if r.family == family]
        depths, means = np.array([r.depth + shift for r in rows]), np.array([r.mean for r in rows])
        below = [r.mean - (r.mean if r.low is None else r.low) for r in rows]
        above = [(r.mean if r.high is None else r.high) - r.mean for r in rows]
        # A bootstrap interval may lie beside the mean by rounding.
        errors = np.maximum([below, above], 0.0)
        label = f"{family or 'networks'}: mean, {confidence:.0%} interval"
        ax.errorbar(
            depths, means, yerr=errors, color=colour, marker="o", capsize=3, label=label, zorder=3
        )
    values = [float(v) for v in profile.column(column) if v is not None]
    with_bounds = bounds and column in WORDS
    if with_bounds:
        values += _draw_bounds(ax, profile.rows)
    if min(values) > 0 and (with_bounds or max(values) > 20 * min(values)):
        ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("depth (affine maps)")
    ax.set_ylabel(WORDS.get(column, column))
    n = len(profile.rows)
    state = "" if profile.is_complete else " (incomplete)"
    ax.set_title(f"{n} {'network' if n == 1 else 'networks'}{state}", fontsize="medium")
    ax.legend(fontsize="small")
    return ax


def _draw_bounds(ax: Axes, rows: Sequence[DepthRow]) -> list[float]:
    """Draw the largest bounds at each depth; return the values drawn."""
    drawn = []
    for name, mark, words in (
        ("upper", "v", "no such network has more"),
        ("lower", "^", "some such network has so many"),
    ):
        largest: dict[int, int] = {}
        for row in rows:
            largest[row.depth] = max(largest.get(row.depth, 0), row.value(name))
        points = [(d, float(v)) for d, v in largest.items() if v.bit_length() < 1000]
        if points:
            depths, values = zip(*points, strict=True)
            ax.scatter(
                depths,
                values,
                marker=mark,
                s=28,
                facecolors="none",
                edgecolors="0.3",
                label=words,
            )
            drawn += list(values)
    return drawn
