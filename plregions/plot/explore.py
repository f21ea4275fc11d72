"""A page to explore regions in a browser: point at them, and cut them layer by layer."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plregions.errors import InvalidInputError, MissingExtraError
from plregions.network.saving import write_whole
from plregions.plot.canvas import (
    LARGEST_RATIO,
    axis_names,
    check_matplotlib,
    noun,
)
from plregions.plot.classes import class_pieces
from plregions.plot.colours import pattern_colours
from plregions.plot.cuts import cutting_layers, facet_layers, groups_after
from plregions.plot.data_points import classes_of_points, point_groups, points_of
from plregions.plot.outputs import outputs_at
from plregions.plot.shades import (
    COLOURS,
    Shades,
    check_colour,
    class_shades,
    layer_name,
    region_shades,
)
from plregions.regions.polygons import Polygons, region_polygons
from plregions.regions.steepness import affine_maps

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["Page", "check_plotly", "explore"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

VERB = "plot.explore"
# A page has one filled path for each colour: red, green and blue are rounded to this many steps.
STEPS = 9
# Values have so many colours.
BANDS = 48
# Of each affine map the page tells this many outputs.
MOST_OUTPUTS = 10
HEIGHT = 640
# So many values of a continuous scale are named.
N_VALUES = 5


@dataclass(frozen=True)
class Page:
    """A self-contained page: it fetches nothing.

    Attributes
    ----------
    html : str
        The whole page.
    """

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file that ends in .html; the file is whole or not there.

        Raises
        ------
        InvalidInputError
            Another suffix.
        OSError
            The file cannot be written.
        """
        if not os.fspath(path).lower().endswith(".html"):
            raise InvalidInputError(
                f"Page.save needs a path that ends in .html; got {os.fspath(path)!r}."
            )
        content = self.html.encode("utf-8")
        write_whole(path, lambda file: file.write(content))

    def __repr__(self) -> str:
        return f"Page({len(self.html):,} characters)"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: {HEIGHT}px; '
            'border: 1px solid #ddd"></iframe>'
        )


def explore(
    complex: RegionComplex,
    color: str = "pattern",
    data: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
) -> Page:
    """Return an interactive page with the activation regions of a two-dimensional domain.

    Point at a region: the page tells its pattern, area, neighbours and affine map. A slider cuts
    layer by layer: it shows the regions of the network that ends after each layer. A list chooses
    what the colours of the regions tell. In a notebook the page shows itself.

    Parameters
    ----------
    complex : RegionComplex
        Over a domain of dimension 2: a box, a polytope or a slice.
    color : {"pattern", "linear", "class", "output", "volume", "layer"}
        What the colours tell at first, as in `regions`; the page offers all of them, and of
        several outputs each of the first ten.
    data : array_like, shape (n, 2), optional
        Points to draw on top, in the domain's coordinates.
    labels : array_like, shape (n,), optional
        The class of each of these points, told by its colour.

    Returns
    -------
    Page
        ``explore(complex).save("page.html")`` writes it. It carries plotly.js, about 5 MB.

    Raises
    ------
    InvalidInputError
        A domain of another dimension, an unknown `color`, data of another shape.
    MissingExtraError
        matplotlib or plotly is not installed.

    Algorithm
    ---------
    Plotly draws axes and data points, and lets one move and zoom. The regions are drawn beneath on
    a canvas, one path for each colour (rounded, so that there are about a hundred): as traces of
    plotly they take twenty times longer. The region under the pointer is found by its half-planes,
    through a grid.

    Exactness
    ---------
    Patterns, neighbours and which maps are equal are proved; coordinates, areas, outputs and the
    numbers of affine maps are float64, shown with 6 digits.

    Examples
    --------
    >>> import plregions as plr
    >>> from plregions import plot
    >>> complex = plr.enumerate_regions(plr.mlp([2, 8, 1]), plr.hypercube(2, -1, 1))
    >>> page = plot.explore(complex)
    >>> page.html.startswith("<!DOCTYPE html>"), "src=" in page.html[:4000]
    (True, False)
    """
    check_colour(VERB, complex, color, None, COLOURS)
    points = None if data is None else points_of(VERB, data)
    classes = classes_of_points(VERB, points, labels)
    check_matplotlib(VERB)
    check_plotly(VERB)
    cells = region_polygons(complex, verb=VERB)
    content = _content(complex, cells)
    if color in ("class", "output"):
        color = "class" if complex.network.output_dim > 1 else "output"
    content |= {
        "colour": "area" if color == "volume" else color,
        "points": _points(points, classes),
    }
    return Page(_filled(f"{noun(complex)} of {complex.network!r} in {complex.domain!r}", content))


def check_plotly(verb: str) -> None:
    """Raise MissingExtraError when plotly is not there, in the name of `verb`."""
    try:
        import plotly  # noqa: F401
    except ImportError as error:
        raise MissingExtraError.of(verb, "the plotly library", "plot") from error


def _content(complex: RegionComplex, cells: Polygons) -> dict[str, Any]:
    """Return what the page's script reads."""
    layers = cutting_layers(complex)
    lower, upper = ([float(v) for v in side] for side in complex.domain.bounding_box())
    sizes = [high - low for low, high in zip(lower, upper, strict=True)]
    groups = [groups_after(complex, layer) for layer in [-1, *layers]]
    # Which step of the slider cuts along a side: 0 for the domain's walls.
    steps = np.searchsorted([-1, *layers], facet_layers(complex)[cells.facets])
    return {
        "names": axis_names(complex.domain),
        "lower": lower,
        "upper": upper,
        "is_to_scale": max(sizes) <= LARGEST_RATIO * min(sizes),
        **_shape(cells.vertices, cells.offsets, cells.corners),
        "beyond": complex.graph.neighbours[cells.facets].tolist(),
        "cuts": steps.tolist(),
        "areas": cells.areas.tolist(),
        "layers": [layer_name(layer) for layer in layers],
        "stops": [0, *[complex.network.bit_slices[layer].stop for layer in layers]],
        "patterns": complex.pattern_strings(),
        "groups": [group.tolist() for group in groups],
        "linear": complex.linear.labels.tolist(),
        "maps": complex.linear.map_labels.tolist(),
        "affine": _affine_maps(complex),
        "more_outputs": max(complex.network.output_dim - MOST_OUTPUTS, 0),
        "colourings": _colourings(complex, cells),
    }


def _shape(vertices: FloatArray, offsets: IntArray, corners: IntArray) -> dict[str, Any]:
    return {
        "x": vertices[:, 0].tolist(),
        "y": vertices[:, 1].tolist(),
        "offsets": offsets.tolist(),
        "corners": corners.tolist(),
    }


def _affine_maps(complex: RegionComplex) -> list[list[list[float]]]:
    """Return for each region and output the coefficients and the constant, with 6 digits."""
    with np.errstate(over="ignore", invalid="ignore"):
        maps = affine_maps(complex.prepared.network, complex.patterns)[:, :MOST_OUTPUTS]
    if not np.isfinite(maps).all():
        raise InvalidInputError(
            f"{VERB} needs affine maps that float64 can hold; got larger ones. Scale the layers "
            "down."
        )
    return [[[float(f"{v:.6g}") for v in row] for row in rows] for rows in maps.tolist()]


def _colourings(complex: RegionComplex, cells: Polygons) -> dict[str, Any]:
    """Return for each choice of colours a palette and the colour of each polygon."""
    stops = [0, *[complex.network.bit_slices[k].stop for k in cutting_layers(complex)]]
    colours = [pattern_colours(complex.patterns[:, :stop]) for stop in stops]
    found: dict[str, Any] = {
        "pattern": _indexed(_coarse(np.concatenate(colours)), len(stops)) | {"names": []}
    }
    choices: list[tuple[str, str, int | None]] = [("linear", "linear", None)]
    if (n := complex.network.output_dim) > 1:
        found["class"] = _class_colouring(complex, cells)
        choices += [(f"output {k}", "output", k) for k in range(min(n, MOST_OUTPUTS))]
    else:
        choices.append(("output", "output", 0))
    for name, color, output in [*choices, ("area", "volume", None), ("layer", "layer", None)]:
        shades = region_shades(
            VERB, complex, color, sizes=cells.areas, centroids=cells.centroids, output=output
        )
        found[name] = _indexed(_few_colours(shades.look), 1) | {"names": _names(shades)}
    return found


def _class_colouring(complex: RegionComplex, cells: Polygons) -> dict[str, Any]:
    values = outputs_at(VERB, complex, cells.vertices)
    pieces = class_pieces(cells, values)
    shades = class_shades(pieces.classes, values.shape[1])
    vertices = np.concatenate(pieces.polygons)
    offsets = np.cumsum([0, *[len(polygon) for polygon in pieces.polygons]])
    shape = _shape(vertices, offsets, np.arange(len(vertices)))
    return _indexed(_few_colours(shades.look), 1) | {"shape": shape, "names": _names(shades)}


def _names(shades: Shades) -> list[list[str]]:
    """Return what colours stand for: names, or some values from least to greatest."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import to_hex

    if shades.names:
        return [[name, to_hex(colour)] for name, colour in shades.names.items()]
    norm = shades.look.get("norm")
    if norm is None:
        return []
    values = norm.inverse(np.linspace(0.0, 1.0, N_VALUES))
    colours = ScalarMappable(norm=norm, cmap=shades.look["cmap"]).to_rgba(values)
    # Of one value, one name.
    named = {f"{value:.3g}": to_hex(tuple(c)) for value, c in zip(values, colours, strict=True)}
    return [[name, colour] for name, colour in named.items()]


def _few_colours(look: dict[str, Any]) -> FloatArray:
    """Return the colours, shape (n, 3), of a matplotlib collection of this look, rounded."""
    from matplotlib import colormaps

    if "facecolors" in look:
        return _coarse(np.asarray(look["facecolors"], dtype=np.float64))
    shares = np.asarray(look["norm"](look["array"])) if "norm" in look else 0.0 * look["array"]
    bands = np.rint(shares * (BANDS - 1)) / (BANDS - 1)
    return np.asarray(colormaps[look["cmap"]](bands), dtype=np.float64)[:, :3]


def _coarse(colours: FloatArray) -> FloatArray:
    """Round many colours; leave as they are those that have names."""
    if len(np.unique(colours, axis=0)) <= BANDS:
        return colours
    return np.rint(colours * (STEPS - 1)) / (STEPS - 1)


def _indexed(colours: FloatArray, n_steps: int) -> dict[str, Any]:
    """Return a palette, and for each of `n_steps` equal parts the places in it."""
    palette, places = np.unique(np.rint(colours * 255.0), axis=0, return_inverse=True)
    return {
        "palette": [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in palette.astype(np.int64).tolist()],
        "steps": places.reshape(n_steps, -1).tolist(),
    }


def _points(points: FloatArray | None, classes: NDArray[Any] | None) -> list[list[Any]]:
    from matplotlib.colors import to_hex

    if points is None:
        return []
    return [
        [name, to_hex(colour), *chosen.T.tolist()]
        for name, colour, chosen in point_groups(points, classes)
    ]


def _filled(title: str, content: dict[str, Any]) -> str:
    """Return the page of `content`."""
    from plotly.offline import get_plotlyjs

    folder = files("plregions.plot")
    # No "</script>" may end the data early.
    text = json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "TITLE": escape(title),
        "STYLE": (folder / "page.css").read_text("utf-8").rstrip(),
        "PLOTLY": get_plotlyjs(),
        "DATA": text,
        "SCRIPT": (folder / "page.js").read_text("utf-8").rstrip(),
    }
    pieces = (folder / "page.html").read_text("utf-8").split("%")
    return "".join(parts.get(piece, piece) for piece in pieces)
