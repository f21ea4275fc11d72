from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lp_vertices import value, vertices

from plregions.domain import (
    Box,
    Domain,
    Polytope,
    Slice,
    WholeSpace,
    hypercube,
    slice_through,
)
from plregions.errors import InvalidDomainError, InvalidInputError

F = Fraction
SQUARE = [[1, 0], [-1, 0], [0, 1], [0, -1]]

numbers: st.SearchStrategy[Any] = st.one_of(
    st.integers(-5, 5),
    st.fractions(-5, 5, max_denominator=9),
    st.floats(-5, 5),
    st.integers(-9, 9).map(lambda n: f"{n}/7"),
)


def exact(number: Any) -> Fraction:
    return F(number)


@st.composite
def boxes(draw: st.DrawFn, max_dim: int = 3) -> Box:
    d = draw(st.integers(1, max_dim))
    pairs = draw(
        st.lists(
            st.tuples(numbers, numbers).filter(lambda p: exact(p[0]) != exact(p[1])),
            min_size=d,
            max_size=d,
        )
    )
    ordered = [sorted(pair, key=exact) for pair in pairs]
    return Box([low for low, _ in ordered], [high for _, high in ordered])


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    box = draw(boxes())
    kind = draw(st.sampled_from(["box", "polytope", "slice"]))
    if kind == "box":
        return box
    cut = draw(st.lists(st.integers(-3, 3), min_size=box.dim, max_size=box.dim))
    if kind == "polytope":
        through = value((*map(F, cut), F(0)), box.interior_point())
        A = [*box.A.tolist(), cut]
        return Polytope(A, [*box.b.tolist(), through + draw(st.sampled_from([1, F(1, 10**30)]))])
    directions = [[int(i == j) for j in range(box.dim)] + [cut[i]] for i in range(box.dim)]
    return Slice([*cut, "1/3"], directions, box)


@given(domains(), st.data())
def test_rows_say_the_same_as_everything_else(domain: Domain, data: st.DataObject) -> None:
    rows = domain.exact_rows()
    inside = domain.interior_point()
    assert len(inside) == domain.dim
    assert all(value(row, inside) > 0 for row in rows)
    assert [[-v for v in row[:-1]] for row in rows] == domain.A.tolist()
    assert [row[-1] for row in rows] == domain.b.tolist()
    assert all(isinstance(v, Fraction) for row in rows for v in row)
    corners = vertices(rows, domain.dim)
    lower, upper = domain.bounding_box()
    assert lower == [min(column) for column in zip(*corners, strict=True)]
    assert upper == [max(column) for column in zip(*corners, strict=True)]
    point = data.draw(st.lists(numbers, min_size=domain.dim, max_size=domain.dim))
    holds = all(value(row, [exact(v) for v in point]) >= 0 for row in rows)
    assert domain.contains(point) == holds
    assert all(domain.contains(corner) for corner in corners)
    beyond = [2 * a - b for a, b in zip(max(corners), inside, strict=True)]
    assert not domain.contains(beyond)


@given(domains(), domains())
def test_equality_is_by_value(a: Domain, b: Domain) -> None:
    twin = pickle.loads(pickle.dumps(a))
    assert twin == a and hash(twin) == hash(a) and twin.fingerprint == a.fingerprint
    assert (a == b) == (a.fingerprint == b.fingerprint)
    if type(a) is not type(b) or a.exact_rows() != b.exact_rows():
        assert a != b


def test_forms_of_one_number_are_equal() -> None:
    forms: list[Any] = [0.5, F(1, 2), "1/2", np.float32(0.5), np.float64(0.5)]
    assert len({Box([0], [v]) for v in forms}) == 1
    assert Box([0], [0.1]) != Box([0], ["1/10"])
    assert Box([0], [1]) != Polytope([[-1], [1]], [0, 1])
    assert Box([0], [1]) != "box"
    assert Box([0, 1], [2, 3]).fingerprint != Box([0, 1, 2], [3, 4, 5]).fingerprint


def test_box() -> None:
    box = Box([-1, 0.25], ["1/3", 2**70])
    assert (box.dim, box.ambient_dim) == (2, 2)
    assert box.lower.dtype == np.float64 and box.upper.tolist() == [F(1, 3), 2**70]
    labels = [box.row_label(i) for i in range(4)]
    assert labels == ["x[0] >= -1.0", "x[0] <= 1/3", "x[1] >= 0.25", f"x[1] <= {float(2**70)!r}"]
    assert box.exact_rows()[1] == (F(-1), F(0), F(1, 3))
    assert repr(box) == f"Box([-1, 0.25], ['1/3', {2**70}])"
    assert eval(repr(box)) == box
    assert not np.signbit(box.A).any() or (box.A[np.signbit(box.A)] < 0).all()
    assert repr(hypercube(784, -1)) == "Box([-1] * 784, [1] * 784)"
    assert not box.contains(["1/3", 2**70 + F(1, 10**50)])
    np.testing.assert_array_equal(box.embed([[1, 2]]), [[1.0, 2.0]])
    assert box.embed_exact([0.5, "1/3"]) == (F(1, 2), F(1, 3))


def test_thinnest_box() -> None:
    box = Box([1.0], [np.nextafter(1.0, 2)])
    assert box.contains(box.interior_point())
    assert not box.contains([np.nextafter(1.0, 0)])


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0, 2], [1, 1], "Box needs lower < upper in every coordinate; got lower[1] = 2 > "
         "upper[1] = 1. Swap them."),
        ([0, 2, "1/3"], [1, 2, 1], "got lower[1] = upper[1] = 2. Take a slice instead: "
         "Slice([0, 2, 0], [[1, 0, 0], [0, 0, 1]], Box([0, '1/3'], [1, 1]))."),
        ([0, 2], [0, 2], "got lower[0] = upper[0] = 0. No coordinate varies"),
        ([0] * 9, [1] * 8 + [0], "got lower[8] = upper[8] = 0. Take a slice instead, with varying"),
        ([0, np.nan], [1, 1], "got NaN in lower[1]"),
        ([0], [np.inf], "got inf in upper[0]"),
        ([0], [1, 2], "got 1 and 2 numbers"),
        ([], [], "got 0 and 0 numbers"),
        (0, 1, "one axis"),
        ([1j], [1], "real numbers"),
        (["x"], [1], "got 'x'"),
    ],
)  # fmt: skip
def test_boxes_that_are_refused(lower: Any, upper: Any, message: str) -> None:
    with pytest.raises(InvalidDomainError) as caught:
        Box(lower, upper)
    assert message in str(caught.value)


def test_the_advised_slices_work() -> None:
    with pytest.raises(InvalidDomainError) as caught:
        Box([0, 2, "1/3"], [1, 2, 1])
    advice = str(caught.value).split("instead: ")[1].rstrip(".")
    advised = eval(advice)
    assert advised.embed_exact([1, "1/3"]) == (1, 2, F(1, 3))
    lower, upper = np.zeros(9), np.ones(9)
    lower[3] = upper[3] = 7
    with pytest.raises(InvalidDomainError) as caught:
        Box(lower, upper)
    advice = str(caught.value).split("lower < upper: ")[1].rstrip(".")
    names = {"np": np, "Slice": Slice, "Box": Box, "d": 9, "varying": lower < upper}
    advised = eval(advice, names | {"lower": lower, "upper": upper})
    np.testing.assert_array_equal(advised.embed(np.ones((1, 8)))[0], [1, 1, 1, 7, 1, 1, 1, 1, 1])


def test_polytope() -> None:
    A = [[-1, 0], [0, "-1/3"], [1, 1], [5, 5], [0, 0]]
    triangle = Polytope(A, [0, 0, 1, 100, 3])
    assert len(triangle.exact_rows()) == 4  # the last row holds everywhere; the redundant one stays
    assert triangle.A.shape == (4, 2) and triangle.A.dtype == object
    assert not triangle.A.flags.writeable and not triangle.b.flags.writeable
    assert triangle.bounding_box() == ([0, 0], [1, 1])
    assert triangle.row_label(1) == "-1/3 x[1] <= 0.0"
    assert repr(triangle) == "Polytope(dim=2, 4 rows)"
    assert triangle.contains([0.5, 0.5])
    assert not triangle.contains([0.5, 0.5 + 2.0**-53])


def test_unbounded_polytope() -> None:
    strip = Polytope(SQUARE[:3], [1, 1, 1])
    assert not strip.is_bounded and Polytope(SQUARE, [1, 1, 1, 1]).is_bounded
    assert repr(strip) == "Polytope(dim=2, 3 rows, unbounded)"
    assert strip.contains([0, -(10**400)]) and not strip.contains([0, "1.001"])
    inside = strip.interior_point()
    assert all(value(row, inside) > 0 for row in strip.exact_rows())
    with pytest.raises(InvalidDomainError, match="needs a bounded domain; got Polytope") as caught:
        strip.bounding_box()
    assert "is_bounded" in str(caught.value)
    # A half-space that is far away, and one that only rationals tell from its neighbour.
    assert Polytope([[1]], [-(10**400)]).contains([-(10**401)])
    assert Polytope([[3]], [1]).contains(["1/3"]) and not Polytope([[3]], [1]).contains(["0.334"])
    # Without rows it is everything.
    assert Polytope(np.zeros((0, 2)), []) != Polytope(np.zeros((0, 1)), [])
    assert Polytope(np.zeros((0, 2)), []).contains([1, 2])


def test_whole_space() -> None:
    space = WholeSpace(3)
    assert (space.dim, space.ambient_dim, space.is_bounded) == (3, 3, False)
    assert space.exact_rows() == [] and space.A.shape == (0, 3) and space.b.shape == (0,)
    assert space.contains([10**400, 0, "1/3"]) and space.interior_point() == (0, 0, 0)
    assert space == WholeSpace(np.int64(3)) != WholeSpace(2)
    assert pickle.loads(pickle.dumps(space)) == space
    assert space.embed([[1, 2, 3]]).tolist() == [[1, 2, 3]]
    with pytest.raises(InvalidDomainError, match="bounded"):
        space.bounding_box()
    with pytest.raises(IndexError):
        space.row_label(0)
    for wrong in (0, -1, 2.0, True, "2", None):
        with pytest.raises(InvalidDomainError, match="WholeSpace needs the number of coordinates"):
            WholeSpace(wrong)
    plane = Slice([0, 0, 1], [[1, 0, 1], [0, 1, 0]], WholeSpace(2))
    assert (plane.dim, plane.ambient_dim, plane.is_bounded) == (2, 3, False)
    assert plane.embed_exact([10**30, 2]) == (10**30, 2, 10**30 + 1)
    assert repr(plane) == "Slice(WholeSpace(2) in 3 coordinates)"
    assert plane != Slice([0, 0, 1], [[1, 0, 1], [0, 1, 0]], Polytope(np.zeros((0, 2)), []))


def test_thin_polytope_is_a_domain() -> None:
    thin = Polytope([[1, 0], [-1, 0], [0, 1], [0, -1]], ["1/3", F(-1, 3) + F(1, 10**300), 1, 0])
    assert thin.bounding_box()[1][0] - thin.bounding_box()[0][0] == F(1, 10**300)


@pytest.mark.parametrize(
    ("A", "b", "message"),
    [
        ([[1, 0], [-1, 0]], [1, -2], "an empty set: no point meets rows 0 (x[0] <= 1.0) and 1 "
         "(-x[0] <= -2.0)."),
        ([[0, 0], *SQUARE], [-1, 1, 1, 1, 1], "no point meets row 0 (0 <= -1.0)."),
        (SQUARE, [F(1, 3), "-1/3", 1, 0], "a flat set: rows 0 (x[0] <= 1/3) and 1 (-x[0] <= -1/3) "
         "force equality."),
        ([[-1, 0], [0, -1], [1, 1]], [0, 0, 0], "force equality"),
        ([[1, 0]], [1, 2], "got shapes (1, 2) and (2,)"),
        ([[], []], [1, 2], "d >= 1"),
        ([[1], [1, 2]], [1, 2], "different lengths"),
        ([[np.nan], [1]], [1, 2], "got NaN in A[0, 0]"),
    ],
)  # fmt: skip
def test_polytopes_that_are_refused(A: Any, b: Any, message: str) -> None:
    with pytest.raises(InvalidDomainError) as caught:
        Polytope(A, b)
    assert message in str(caught.value)


def test_slice() -> None:
    plane = Slice(["1/3", 0, 1], [[1, 0, 0], [0, 0.1, 2]], Polytope(SQUARE, [1, 1, 1, 1]))
    assert (plane.dim, plane.ambient_dim) == (2, 3)
    assert plane.embed_exact([1, 2]) == (F(4, 3), 2 * F(0.1), 5)
    np.testing.assert_allclose(plane.embed([[1, 2], [0, 0]]), [[4 / 3, 0.2, 5], [1 / 3, 0, 1]])
    assert plane.row_label(0) == "s[0] <= 1.0"
    assert plane.exact_rows() == plane.domain.exact_rows()
    assert plane.contains([1, -1]) and not plane.contains([1, F(11, 10)])
    assert repr(plane) == "Slice(Polytope(dim=2, 4 rows) in 3 coordinates)"
    assert plane != Slice(["1/3", 0, 1], [[1, 0, 0], [0, "1/10", 2]], plane.domain)


def test_slices_that_are_refused() -> None:
    square = hypercube(2)
    wrong: list[tuple[Any, Any, Any, str]] = [
        ([0, 0], [[1, 2], [2, 4]], square, "2 * directions[0] + -1 * directions[1] = 0"),
        ([0, 0], [[0, 0]], hypercube(1), "1 * directions[0] = 0"),
        ([0, 0], [[1, 2]], square, "dimension 2"),
        ([0, 0, 0], [[1, 2], [0, 1]], square, "shapes (3,) and (2, 2)"),
        ([0, 0], [[1, 0], [0, 1]], slice_through([[0], [1]]), "got Slice"),
        ([0, 0], [1, 0], square, "two axes"),
        ([0], [[1], [1]], square, "independent"),
    ]
    for origin, directions, domain, message in wrong:
        with pytest.raises(InvalidDomainError) as caught:
            Slice(origin, directions, domain)
        assert message in str(caught.value)
    # Floats next to dependence are independent.
    Slice([0, 0], [[1, 1], [1, np.nextafter(1, 2)]], square)


def test_slice_through() -> None:
    segment = slice_through([[0.1, 0], [0.3, 1]], margin="1/2")
    assert segment.domain == Box(["-1/2"], ["3/2"])
    assert segment.embed_exact([1]) == (F(0.3), 1)  # not F(0.1) + F(0.3 - 0.1)
    assert segment.embed_exact([0]) == (F(0.1), 0)
    with pytest.raises(InvalidDomainError, match="at least 2 points"):
        slice_through([[1, 2]])
    with pytest.raises(InvalidDomainError, match="independent"):
        slice_through([[0, 0], [1, 1], [2, 2]])
    with pytest.raises(InvalidDomainError, match="margin > -1/2"):
        slice_through([[0], [1]], margin=-0.5)
    with pytest.raises(InvalidDomainError, match="margin"):
        slice_through([[0], [1]], margin="wide")


def test_points_that_are_refused() -> None:
    square = hypercube(2)
    with pytest.raises(InvalidInputError, match="needs 2 coordinates; got 1"):
        square.contains([1])
    with pytest.raises(InvalidInputError, match="finite"):
        square.contains([np.nan, 1])
    with pytest.raises(InvalidInputError, match="finite"):
        square.embed_exact(["a", 1])
    with pytest.raises(InvalidInputError, match=r"shape \(n, 2\)"):
        square.embed([1.0, 2.0])


@pytest.mark.parametrize(
    "domain", [hypercube(2), Polytope(SQUARE, [1, 1, 1, 1]), slice_through([[0, 1], [1, 0]])]
)
def test_domains_are_read_only(domain: Domain) -> None:
    for name in ("lower", "A", "_rows", "domain", "dim", "new"):
        with pytest.raises(AttributeError):
            setattr(domain, name, 1)
    twin = pickle.loads(pickle.dumps(domain))
    for array in (domain.A, domain.b, twin.A, twin.b):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    domain.exact_rows().clear()
    domain.bounding_box()[0].clear()
    assert len(domain.exact_rows()) >= 2 and len(domain.bounding_box()[0]) == domain.dim


def test_oracle_catches_an_inexact_box() -> None:
    """Planted fault: a box that keeps 1/3 as a float64."""
    rows = Box([0], ["1/3"]).exact_rows()
    faulty = Box([0], [1 / 3])
    assert {p[0] for p in vertices(rows, 1)} == {0, F(1, 3)}
    assert faulty.bounding_box()[1] != [max(p[0] for p in vertices(rows, 1))]
