"""What are the rank, the determinant, the solution, the inverse of a rational matrix?

The work is done by FLINT on integers: each row is scaled to a primitive integer row first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from flint import fmpq, fmpz_mat

from plregions.errors import InvalidInputError
from plregions.exact.integers import Rational, primitive_row, split_content

__all__ = ["determinant", "inverse", "nullspace", "rank", "solve"]

Matrix = Sequence[Sequence[Rational]]


def rank(matrix: Matrix) -> int:
    """Return the rank of a rational matrix.

    Parameters
    ----------
    matrix : nested sequence of int or Fraction, shape (m, n)

    Returns
    -------
    int
        0 for a matrix without rows or columns.

    Raises
    ------
    InvalidInputError
        Rows of different lengths or entries that are not exact numbers.

    Algorithm
    ---------
    Fraction-free elimination of the primitive rows.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> rank([[1, 2], [Fraction(1, 2), 1]])
    1
    """
    rows = _integer_rows(matrix)
    return int(_fmpz(rows).rank()) if rows and rows[0] else 0


def determinant(matrix: Matrix) -> Fraction:
    """Return the determinant of a square rational matrix.

    Parameters
    ----------
    matrix : nested sequence of int or Fraction, shape (n, n)

    Returns
    -------
    Fraction
        1 for the matrix without rows.

    Raises
    ------
    InvalidInputError
        The matrix is not square or has entries that are not exact numbers.

    Algorithm
    ---------
    The determinant of the primitive integer rows times the factors of the rows.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> determinant([[1, 2], [3, Fraction(1, 2)]])
    Fraction(-11, 2)
    """
    _check_square("determinant", matrix)
    if not matrix:
        return Fraction(1)
    split = [split_content(row) for row in matrix]
    integers = int(_fmpz([row for _, row in split]).det())
    return Fraction(integers * prod(content for content, _ in split))


def solve(matrix: Matrix, right: Sequence[Rational]) -> list[Fraction] | None:
    """Solve a square rational system ``matrix @ x == right``.

    Parameters
    ----------
    matrix : nested sequence of int or Fraction, shape (n, n)
    right : sequence of int or Fraction, length n

    Returns
    -------
    list of Fraction, length n, or None
        The solution; None when the matrix is singular, whether or not there are solutions.

    Raises
    ------
    InvalidInputError
        The matrix is not square, `right` has another length, or entries are not exact numbers.

    Algorithm
    ---------
    Dixon lifting or fraction-free elimination, as FLINT chooses.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> solve([[2, 0], [1, 3]], [1, Fraction(1, 2)])
    [Fraction(1, 2), Fraction(0, 1)]
    >>> solve([[1, 1], [1, 1]], [0, 0]) is None
    True
    """
    n = _check_square("solve", matrix)
    if len(right) != n:
        raise InvalidInputError(
            f"solve needs one right-hand side for each row; got {len(right)} for {n} rows."
        )
    if n == 0:
        return []
    rows = [primitive_row([*row, c]) for row, c in zip(matrix, right, strict=True)]
    left = _fmpz([row[:-1] for row in rows])
    try:
        solution = left.solve(_fmpz([row[-1:] for row in rows]))
    except ZeroDivisionError:
        return None
    return [_fraction(entry) for entry in solution.entries()]


def inverse(matrix: Matrix) -> list[list[Fraction]] | None:
    """Return the inverse of a square rational matrix.

    Parameters
    ----------
    matrix : nested sequence of int or Fraction, shape (n, n)

    Returns
    -------
    list of list of Fraction, shape (n, n), or None
        None when the matrix is singular.

    Raises
    ------
    InvalidInputError
        The matrix is not square or has entries that are not exact numbers.

    Algorithm
    ---------
    The inverse of the primitive integer rows, its columns divided by the factors of the rows.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> inverse([[2, 0], [1, 1]])
    [[Fraction(1, 2), Fraction(0, 1)], [Fraction(-1, 2), Fraction(1, 1)]]
    """
    if _check_square("inverse", matrix) == 0:
        return []
    split = [split_content(row) for row in matrix]
    try:
        inverted = _fmpz([row for _, row in split]).inv()
    except ZeroDivisionError:
        return None
    contents = [content for content, _ in split]
    return [
        [_fraction(entry) / content for entry, content in zip(row, contents, strict=True)]
        for row in inverted.tolist()
    ]


def nullspace(matrix: Matrix, n_columns: int | None = None) -> list[list[Fraction]]:
    """Return a basis of the vectors x with ``matrix @ x == 0``.

    Parameters
    ----------
    matrix : nested sequence of int or Fraction, shape (m, n)
    n_columns : int, optional
        The number of columns, needed only where there are no rows.

    Returns
    -------
    list of list of Fraction
        n - rank vectors of length n, each with coprime integer entries.

    Raises
    ------
    InvalidInputError
        Rows of different lengths, entries that are not exact numbers, neither rows nor
        `n_columns`.

    Algorithm
    ---------
    Fraction-free reduced echelon form of the primitive rows.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> nullspace([[1, 1, 0], [0, 0, 2]])
    [[Fraction(1, 1), Fraction(-1, 1), Fraction(0, 1)]]
    """
    rows = _integer_rows(matrix)
    if not rows:
        if n_columns is None:
            raise InvalidInputError("nullspace needs rows or n_columns; got neither.")
        rows = [[0] * n_columns]
    n = len(rows[0])
    if n == 0:
        return []
    basis, nullity = _fmpz(rows).nullspace()
    vectors = []
    for k in range(int(nullity)):
        vector = primitive_row([int(basis[i, k]) for i in range(n)])
        sign = next(1 if v > 0 else -1 for v in vector if v)
        vectors.append([Fraction(sign * v) for v in vector])
    return vectors


def _integer_rows(matrix: Matrix) -> list[list[int]]:
    rows = [primitive_row(row) for row in matrix]
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InvalidInputError(
                f"A matrix needs rows of one length; got {len(rows[0])} numbers in row 0 and "
                f"{len(row)} in row {i}."
            )
    return rows


def _check_square(verb: str, matrix: Matrix) -> int:
    n = len(matrix)
    for i, row in enumerate(matrix):
        if len(row) != n:
            raise InvalidInputError(
                f"{verb} needs a square matrix; got {n} rows and {len(row)} numbers in row {i}."
            )
    return n


def _fmpz(rows: list[list[int]]) -> fmpz_mat:
    return fmpz_mat(rows)


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))
