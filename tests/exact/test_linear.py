from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lp_vertices import solve_square

from plregions.errors import InvalidInputError
from plregions.exact import linear
from plregions.exact.linear import determinant, inverse, nullspace, rank, solve

F = Fraction
numbers = st.integers(-3, 3) | st.fractions(-2, 2, max_denominator=4)


def matrices(square: bool = False) -> st.SearchStrategy[list[list[Any]]]:
    def of_shape(shape: tuple[int, int]) -> st.SearchStrategy[list[list[Any]]]:
        m, n = shape
        row = st.lists(numbers, min_size=n, max_size=n)
        return st.lists(row, min_size=m, max_size=m)

    size = st.integers(1, 4)
    shapes = size.map(lambda n: (n, n)) if square else st.tuples(size, size)
    return shapes.flatmap(of_shape)


def times(A: list[list[Any]], x: list[Any]) -> list[Any]:
    return [sum(a * v for a, v in zip(row, x, strict=True)) for row in A]


def leibniz(A: list[list[Any]]) -> Any:
    n = len(A)
    total = 0
    for p in permutations(range(n)):
        inversions = sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        total += (-1) ** inversions * prod(A[i][p[i]] for i in range(n))
    return total


@given(matrices(square=True))
def test_determinant_is_leibniz_formula(A: list[list[Any]]) -> None:
    assert determinant(A) == leibniz(A)


@given(matrices(square=True), st.data())
def test_solve(A: list[list[Any]], data: st.DataObject) -> None:
    right = data.draw(st.lists(numbers, min_size=len(A), max_size=len(A)))
    x = solve(A, right)
    expected = solve_square(A, right)
    assert (x is None) == (determinant(A) == 0) == (expected is None)
    if x is not None and expected is not None:
        assert tuple(x) == expected
        assert times(A, x) == right


@given(matrices(square=True))
def test_inverse(A: list[list[Any]]) -> None:
    B = inverse(A)
    assert (B is None) == (rank(A) < len(A))
    if B is not None:
        columns = [times(A, list(column)) for column in zip(*B, strict=True)]
        assert columns == [[int(i == j) for i in range(len(A))] for j in range(len(A))]


@given(matrices())
def test_rank_and_nullspace(A: list[list[Any]]) -> None:
    n = len(A[0])
    basis = nullspace(A)
    assert len(basis) == n - rank(A)
    assert all(not any(times(A, x)) for x in basis)
    assert not basis or rank(basis) == len(basis)
    assert rank(A) == np.linalg.matrix_rank(np.array(A, dtype=float))


def test_numpy_agrees_on_a_large_determinant() -> None:
    A = np.random.default_rng(0).integers(-9, 10, (8, 8))
    assert float(determinant(A.tolist())) == pytest.approx(np.linalg.det(A), rel=1e-9)


def test_hilbert_matrix_where_floats_fail() -> None:
    n = 15
    H = [[F(1, i + j + 1) for j in range(n)] for i in range(n)]
    assert rank(H) == n > np.linalg.matrix_rank(np.array(H, dtype=float))
    inverted = inverse(H)
    assert inverted is not None
    assert inverted[0][0] == n**2  # closed form
    assert all(v.denominator == 1 for row in inverted for v in row)


def test_empty_matrices() -> None:
    assert rank([]) == rank([[], []]) == 0
    assert determinant([]) == 1
    assert solve([], []) == inverse([]) == []
    assert nullspace([], 2) == [[1, 0], [0, 1]]
    assert nullspace([[]]) == []


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="determinant needs a square"):
        determinant([[1, 2]])
    with pytest.raises(InvalidInputError, match="one length"):
        rank([[1, 2], [1]])
    with pytest.raises(InvalidInputError, match="one right-hand side"):
        solve([[1]], [1, 2])
    with pytest.raises(InvalidInputError, match="rows or n_columns"):
        nullspace([])
    with pytest.raises(InvalidInputError, match="int or Fraction"):
        rank([[0.5]])  # type: ignore[list-item]


def test_oracle_catches_lost_row_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: row scaling that forgets its factor."""
    A = [[F(1, 2), F(0)], [F(1), F(3)]]
    assert determinant(A) == leibniz(A)
    split = linear.split_content
    monkeypatch.setattr(linear, "split_content", lambda row: (1, split(row)[1]))
    assert determinant(A) != leibniz(A)
