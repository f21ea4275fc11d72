"""Does plot.boundary draw the pieces that it is given, where and as it should?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.analysis.boundary import decision_boundary, level_set
from plregions.errors import InvalidInputError
from plregions.plot import boundary, cells3d, regions

SEGMENTS = np.array([[[0, 0], [1, 1]], [[1, 1], [1, 2]], [[0, 0], [-1, 1]]], dtype=float)
PAIRS = [[1, 0], [2, 1], [0, 1]]
SQUARE = plr.Box([-1, 0], [1, 2])
TRIANGLES = [np.eye(3), np.eye(3) / 2, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]]


def axes(projection: str | None = None) -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot(projection=projection)


def lines_of(ax: Any) -> dict[str, Any]:
    """The segments by the names of their collections."""
    return {c.get_label(): np.array(c.get_segments()) for c in ax.collections}


def test_segments_are_drawn_by_pairs_of_classes() -> None:
    found = lines_of(boundary(SEGMENTS, SQUARE, axes(), classes=PAIRS))
    assert list(found) == ["_rim", "0 | 1", "1 | 2"]
    assert np.array_equal(found["_rim"], SEGMENTS)
    assert np.array_equal(found["0 | 1"], SEGMENTS[[0, 2]])
    assert np.array_equal(found["1 | 2"], SEGMENTS[[1]])


def test_without_classes_there_is_one_collection_and_no_legend() -> None:
    ax = boundary(SEGMENTS.tolist(), SQUARE, axes())
    assert np.array_equal(lines_of(ax)["boundary"], SEGMENTS)
    assert ax.get_legend() is None


def test_pairs_have_colours_of_their_own_and_names() -> None:
    ax = boundary(SEGMENTS, SQUARE, axes(), classes=PAIRS)
    _, one, other = ax.collections
    assert not np.allclose(one.get_color(), other.get_color())
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["0 | 1", "1 | 2"]
    assert boundary(SEGMENTS, SQUARE, axes(), classes=PAIRS, legend=False).get_legend() is None


def test_the_domain_gives_limits_and_names() -> None:
    ax = boundary(SEGMENTS, SQUARE, axes())
    assert (ax.get_xlim(), ax.get_ylim(), ax.get_aspect()) == ((-1, 1), (0, 2), 1.0)
    assert ax.get_xlabel() == "x[0]"
    ax = boundary(TRIANGLES, plr.hypercube(3), axes("3d"))
    assert (ax.get_xlim(), ax.get_zlim(), ax.get_zlabel()) == ((0, 1), (0, 1), "x[2]")


def test_without_a_domain_all_pieces_are_seen() -> None:
    ax = boundary(SEGMENTS, ax=axes())
    assert ax.get_xlim()[0] < -1
    assert ax.get_ylim()[1] > 2
    ax = boundary([np.array(TRIANGLES[0]) * 5], ax=axes("3d"))
    assert ax.get_xlim()[1] > 5


def test_names_of_points_that_are_there_are_not_repeated(complex: plr.RegionComplex) -> None:
    ax = regions(complex, axes(), data=[[0, 0], [0.5, 0.5]], labels=[0, 1])
    boundary([[[0, 0], [1, 1]]], ax=ax, classes=[[0, 1]])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["0 | 1"]
    (kept,) = (artist for artist in ax.artists if hasattr(artist, "get_texts"))
    assert [t.get_text() for t in kept.get_texts()] == ["0", "1"]


def test_a_picture_that_is_there_keeps_its_limits_and_legend(complex: plr.RegionComplex) -> None:
    ax = regions(complex, axes(), "class", [[0, 0]], labels=["a"])
    assert boundary(SEGMENTS * 9, ax=ax, classes=PAIRS) is ax
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (-1, 1))
    texts = [[t.get_text() for t in legend.get_texts()] for legend in ax.artists]
    assert texts == [["output 0", "output 1"], ["a"]]
    tops = [c.get_zorder() for c in ax.collections]
    assert min(tops[-3:]) > max(c.get_zorder() for c in ax.collections[:2])


def test_polygons_in_space_are_drawn() -> None:
    ax = boundary(TRIANGLES, plr.hypercube(3), axes("3d"), classes=PAIRS)
    one, other = ax.collections
    assert (one.get_label(), other.get_label()) == ("0 | 1", "1 | 2")
    assert np.allclose(np.asarray(one._faces[0])[:3], TRIANGLES[0])
    assert np.allclose(np.asarray(one._faces[1])[:4], TRIANGLES[2])
    ax.figure.canvas.draw()
    solids = plr.enumerate_regions(plr.mlp([3, 4, 1]), plr.hypercube(3))
    ax = cells3d(solids, axes("3d"), alpha=0.1)
    assert len(boundary(TRIANGLES, ax=ax).collections) == 2


def ties_missed(net: plr.Network, ax: Any) -> int:
    """The drawn segments at whose middle the outputs of their name are not largest together."""
    missed = 0
    for label, segments in lines_of(ax).items():
        if label == "_rim":
            continue
        pair = [int(k) for k in label.split(" | ")]
        values = net(segments.mean(axis=1))
        missed += int((values[:, pair] < values.max(axis=1)[:, None] - 1e-9).any(axis=1).sum())
    return missed


def test_the_boundary_of_a_network_is_drawn() -> None:
    net, box = plr.mlp([2, 10, 8, 3], seed=16), plr.hypercube(2, -1, 1)
    found = decision_boundary(net, box)
    ax = boundary(found, ax=axes())
    assert np.array_equal(lines_of(ax)["_rim"], found.segments)
    assert ties_missed(net, ax) == 0
    assert ties_missed(plr.mlp([2, 10, 8, 3], seed=17), ax) > 10
    pairs = {tuple(sorted(pair)) for pair in found.classes.tolist()}
    assert sorted(pairs) == [
        tuple(map(int, t.get_text().split(" | "))) for t in ax.get_legend().get_texts()
    ]
    assert ax.get_xlim() == (-1, 1)
    complex = plr.enumerate_regions(net, box)
    for other in (boundary(net, box, axes()), boundary(complex, ax=axes())):
        assert np.array_equal(lines_of(other)["_rim"], found.segments)


def test_a_level_is_named() -> None:
    size = plr.constructions.l1_norm(2)
    ax = boundary(level_set(size, plr.Box([-1, -1], [1, 1]), "1/2"), ax=axes())
    assert list(lines_of(ax)) == ["_rim", "output 0 = 1/2"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["output 0 = 1/2"]
    assert np.abs(lines_of(ax)["output 0 = 1/2"]).sum(axis=2) == pytest.approx(0.5)


def test_the_boundary_in_space_is_drawn() -> None:
    net = plr.mlp([3, 4, 2], seed=3)
    found = decision_boundary(net, plr.hypercube(3, -1, 1))
    ax = boundary(found, ax=axes("3d"))
    (facets,) = ax.collections
    assert len(facets._faces) == len(found) > 1
    values = net(np.concatenate(found.polygons))
    assert np.allclose(values[:, 0], values[:, 1])
    ax.figure.canvas.draw()


def test_other_dimensions_and_too_much_are_refused() -> None:
    flat = decision_boundary(plr.mlp([1, 4, 2], seed=1), plr.hypercube(1, -9, 9))
    with pytest.raises(InvalidInputError, match="plot.boundary needs a domain of dimension 2 or 3"):
        boundary(flat)
    with pytest.raises(InvalidInputError, match="plot.boundary needs a domain of dimension 2 or 3"):
        boundary(plr.mlp([5, 4, 2]), plr.hypercube(5))
    plane = decision_boundary(plr.mlp([2, 4, 2]), SQUARE)
    with pytest.raises(InvalidInputError, match="which has its own; got a domain"):
        boundary(plane, SQUARE)
    with pytest.raises(InvalidInputError, match="which has its own; got classes"):
        boundary(plane, classes=PAIRS)


def test_no_pieces_are_a_picture_too() -> None:
    ax = boundary(np.zeros((0, 2, 2)), SQUARE, axes(), classes=np.zeros((0, 2), dtype=int))
    assert ax.get_xlim() == (-1, 1)
    assert lines_of(ax)["_rim"].size == 0
    assert boundary([], plr.hypercube(3), axes("3d")).get_zlim() == (0, 1)


def test_a_new_figure_fits_the_dimension() -> None:
    import matplotlib.pyplot as plt

    assert boundary(SEGMENTS).name == "rectilinear"
    assert boundary(TRIANGLES).name == "3d"
    assert plt.get_fignums() == [1, 2]


@pytest.mark.parametrize(
    ("pieces", "options", "message"),
    [
        ([[0, 1]], {}, r"got pieces of shape \(2,\)"),
        ([np.zeros((3, 2))], {}, r"segments of shape \(2, 2\) or polygons .*got .*\(3, 2\)"),
        ([SEGMENTS[0], np.eye(3)], {}, r"\(2, 2\), \(3, 3\)"),
        ([[["a", "b"], ["c", "d"]]], {}, "pieces of numbers"),
        (SEGMENTS * np.nan, {}, "finite points"),
        (SEGMENTS, {"classes": [[0, 1]]}, r"each of the 3 pieces, .* of shape \(1, 2\)"),
        (SEGMENTS, {"classes": np.zeros((3, 2))}, "whole numbers"),
        (SEGMENTS, {"domain": plr.hypercube(3)}, "one dimension; got pieces in dimension 2"),
        (TRIANGLES, {"ax": axes()}, "plot.boundary needs Axes in space"),
    ],
)
def test_wrong_pieces_are_refused(pieces: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        boundary(pieces, **options)
