"""What does the colour of a region tell? Colours or values, and the legend that explains them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError
from plregions.plot.colours import hashed_colour, map_colours, pattern_colours
from plregions.plot.cuts import cutting_layers, last_cuts
from plregions.plot.outputs import outputs_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plregions.regions.complex import RegionComplex

__all__ = [
    "COLOURS",
    "Shades",
    "class_colour",
    "class_shades",
    "check_colour",
    "layer_name",
    "region_shades",
]

FloatArray = NDArray[np.float64]
Colour = tuple[float, float, float]

COLOURS = ("pattern", "linear", "class", "output", "volume", "layer")
# With the colour of sizes: the share of the whole that need not be told apart.
UNSEEN_SHARE = 0.002


@dataclass(frozen=True, eq=False)
class Shades:
    """The colours of a collection, and how they are explained.

    Attributes
    ----------
    look : dict
        Options of a matplotlib collection: ``facecolors``, or ``array`` with ``cmap`` and ``norm``.
    names : dict of str to (red, green, blue)
        Legend entries; empty for a colour bar or nothing.
    title : str
        Of the legend or of the colour bar.
    extend : str
        Which ends of the colour bar stand for more.
    """

    look: dict[str, Any]
    names: dict[str, Colour] = field(default_factory=dict)
    title: str = ""
    extend: str = "neither"

    def explain(self, ax: Axes, collection: Any) -> None:
        """Add the legend, or the colour bar beside the axes."""
        from matplotlib.patches import Patch

        if self.names:
            handles = [Patch(color=colour, label=name) for name, colour in self.names.items()]
            legend = ax.legend(
                handles=handles, loc="upper right", title=self.title, fontsize="small"
            )
            ax.add_artist(legend)
        elif "array" in self.look and "norm" in self.look and ax.figure is not None:
            ax.figure.colorbar(collection, ax=ax, label=self.title, extend=self.extend, shrink=0.8)


def check_colour(
    verb: str, complex: RegionComplex, color: str, output: int | None, allowed: tuple[str, ...]
) -> None:
    """Raise InvalidInputError for a colour that there is not, or an output that there is not."""
    if color not in allowed:
        raise InvalidInputError(
            f"{verb} needs color to be one of {', '.join(map(repr, allowed))}; got {color!r}."
        )
    if output is None:
        return
    n = complex.network.output_dim
    if color != "output":
        raise InvalidInputError(
            f"{verb} needs color='output' to show output {output!r}; got color={color!r}."
        )
    if isinstance(output, bool) or not isinstance(output, int) or not 0 <= output < n:
        raise InvalidInputError(f"{verb} needs output from 0 to {n - 1}; got {output!r}.")


def region_shades(
    verb: str,
    complex: RegionComplex,
    color: str,
    *,
    sizes: FloatArray,
    centroids: FloatArray,
    output: int | None = None,
    size_name: str = "area",
) -> Shades:
    """Return the colours of all regions.

    Parameters
    ----------
    verb : str
        Who asks, for messages.
    complex : RegionComplex
    color : str
        One of `COLOURS`; "class" is the largest output at the centroid.
    sizes : ndarray of float64, shape (n,)
        Areas or volumes.
    centroids : ndarray of float64, shape (n, dim)
        In the domain's coordinates.
    output : int, optional
        With "output": which; by default the first one.
    size_name : str
        What sizes are called.

    Returns
    -------
    Shades
    """
    if color == "pattern":
        return Shades({"facecolors": pattern_colours(complex.patterns)})
    if color == "linear":
        maps, network = complex.linear.map_labels, complex.prepared.network
        return Shades({"facecolors": map_colours(network, complex.patterns, maps)})
    if color == "layer":
        return _by_layer(complex)
    if color == "volume":
        return _by_size(sizes, size_name)
    values = outputs_at(verb, complex, centroids)
    if color == "class":
        return class_shades(values.argmax(axis=1), values.shape[1])
    return _by_value(values[:, output or 0], f"output {output or 0} at the centroid")


def class_shades(classes: NDArray[Any], n: int) -> Shades:
    """Return the colours of classes 0 to n - 1, and the names of those that there are."""
    palette = np.array([class_colour(k) for k in range(n)])
    names = {f"output {k}": _triple(palette[k]) for k in np.unique(classes).tolist()}
    return Shades({"facecolors": palette[classes]}, names, "largest")


def class_colour(k: int) -> FloatArray:
    """Return the colour of class k: pale ones that black points and white edges stand out from."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    if k >= 10:
        return hashed_colour(f"class {k}")
    full = np.array(to_rgb(colormaps["tab10"](k)))
    pale: FloatArray = 0.55 * full + 0.45
    return pale


def layer_name(layer: int) -> str:
    """Return what a layer is called in pictures: hidden layers count from 1."""
    return "no layer" if layer < 0 else f"layer {layer + 1}"


def _triple(colour: FloatArray) -> Colour:
    red, green, blue = colour.tolist()
    return red, green, blue


def _by_layer(complex: RegionComplex) -> Shades:
    from matplotlib import colormaps

    known = [-1, *cutting_layers(complex)]
    # From light to dark, neither of them lost on white or under black points.
    places = np.linspace(0.08, 0.62, len(known))
    palette = np.array([colormaps["YlGnBu"](place)[:3] for place in places])
    numbers = np.searchsorted(known, last_cuts(complex))
    names = {layer_name(known[k]): _triple(palette[k]) for k in np.unique(numbers).tolist()}
    return Shades({"facecolors": palette[numbers]}, names, "cut last by")


def _by_size(sizes: FloatArray, name: str) -> Shades:
    from matplotlib.colors import LogNorm

    look: dict[str, Any] = {"array": sizes, "cmap": "viridis"}
    known = np.sort(sizes[np.isfinite(sizes)])
    if not (known > 0).any():
        return Shades(look)
    # The many small regions that fill little of the picture share the lowest colour.
    filled = np.cumsum(known) / known.sum()
    least = known[np.searchsorted(filled, UNSEEN_SHARE)]
    look["norm"] = LogNorm(vmin=least, vmax=known[-1], clip=True)
    return Shades(look, title=name, extend="min" if known[0] < least else "neither")


def _by_value(values: FloatArray, title: str) -> Shades:
    from matplotlib.colors import CenteredNorm, Normalize

    if not len(values):
        return Shades({"array": values})
    if (values < 0).any() and (values > 0).any():
        norm: Any = CenteredNorm(halfrange=float(np.abs(values).max()))
        return Shades({"array": values, "cmap": "RdBu_r", "norm": norm}, title=title)
    norm = Normalize(float(values.min()), float(values.max()))
    return Shades({"array": values, "cmap": "viridis", "norm": norm}, title=title)
