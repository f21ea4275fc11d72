"""Lower bounds: published values, below the upper ones, and networks that reach them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plregions as plr
from plregions.analysis import lower_bounds
from plregions.analysis.lower_bounds import (
    arora_2016_lower_bound,
    best_lower_bound,
    montufar_2014_lower_bound,
    serra_deep_zonotope_lower_bound,
    serra_lower_bound,
    serra_one_input_maximum,
)
from plregions.analysis.upper_bounds import serra_bound
from plregions.errors import InvalidInputError

# Input dimension, hidden widths, then Montufar 2014 and Serra's Theorem 6.
PUBLISHED = [
    (2, (4, 4), 44, None),
    (2, (6, 6), 198, 352),
    (2, (6, 6, 6), 1782, 5632),
    (3, (9, 9, 9), 94770, 532480),
    (1, (3, 3, 3), 36, 64),
    (4, (2, 4), None, None),
    (2, (1, 5), None, None),
    (2, (2, 2, 2), 4, None),
    (3, (4, 2, 4), None, None),
]


def value(
    bound: Callable[[int, Sequence[int]], int], n_0: int, hidden: Sequence[int]
) -> int | None:
    try:
        return bound(n_0, hidden)
    except InvalidInputError:
        return None


@pytest.mark.parametrize(("n_0", "hidden", "montufar", "serra"), PUBLISHED)
def test_published_values(
    n_0: int, hidden: tuple[int, ...], montufar: int | None, serra: int | None
) -> None:
    assert value(montufar_2014_lower_bound, n_0, hidden) == montufar
    assert value(serra_lower_bound, n_0, hidden) == serra


def test_zonotopes() -> None:
    assert arora_2016_lower_bound(2, [10, 3, 3]) == 90
    assert serra_deep_zonotope_lower_bound(2, [10, 3, 3]) == 160
    assert arora_2016_lower_bound(2, [10]) == serra_deep_zonotope_lower_bound(2, [10]) == 10


def exceeding(sizes: Sequence[tuple[int, Sequence[int]]]) -> list[tuple[int, Sequence[int]]]:
    """Sizes whose lower bound is above Serra's upper one."""
    return [s for s in sizes if best_lower_bound(*s) > serra_bound(*s)]


@given(st.lists(st.tuples(st.integers(1, 3), st.lists(st.integers(1, 9), max_size=4)), max_size=9))
def test_below_the_upper_bound(sizes: list[tuple[int, list[int]]]) -> None:
    assert exceeding(sizes) == []


def test_upper_bound_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower_bounds, "serra_lower_bound", lambda n_0, h: (max(h) + 2) ** len(h))
    assert exceeding([(1, (3, 3))]) != []


def zigzag(n_layers: int) -> plr.Network:
    """Layers of 3 neurons of one input, 4 pieces each, that map their parts of [0, 1] onto it."""
    rows = ([[1], [1], [-1]], ["-1/4", "-1/2", "3/4"])
    # Slopes 8, -4, 4, -4 with breaks at 1/4, 1/2, 3/4 and the value 1 at 1/4.
    read = [[-12, 8, -8]]
    offset = 5
    inner = (
        [[s * v for v in read[0]] for s in (1, 1, -1)],
        [f"{4 * offset - 1}/4", f"{2 * offset - 1}/2", f"{3 - 4 * offset}/4"],
    )
    return plr.Network([rows, *[inner] * (n_layers - 1), (read, [offset])])


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_one_input_maximum_is_reached(n_layers: int) -> None:
    net = zigzag(n_layers)
    reached = int(plr.count_regions(net, plr.WholeSpace(1), kind="linear"))
    assert reached == serra_one_input_maximum(net.widths) == serra_bound(1, net.widths)
    assert serra_lower_bound(1, net.widths) == reached


def test_folds_are_reached() -> None:
    """Two foldings of the square and three lines that cross inside it: 4 * 4 * 7 regions."""
    first = ([[2, 0], [2, 0], [0, 2], [0, 2]], [0, -1, 0, -1])
    fold = [[1, -2, 0, 0], [0, 0, 1, -2]]
    second = ([[2 * v for v in fold[k]] for k in (0, 0, 1, 1)], [0, -1, 0, -1])
    lines = [(1, 1, "-9/10"), (-1, 1, "-1/20"), (3, 1, "-17/10")]
    rows = [[a * p + b * q for p, q in zip(*fold, strict=True)] for a, b, _ in lines]
    net = plr.Network([first, second, (rows, [c for *_, c in lines]), ([[1, 3, -5]], [0])])
    count = int(plr.count_regions(net, plr.hypercube(2)))
    assert count == montufar_2014_lower_bound(2, [4, 4, 3]) == 112


def test_best() -> None:
    assert best_lower_bound(2, []) == 1
    assert best_lower_bound(3, [2]) == 4  # one layer: Zaslavsky
    assert best_lower_bound(2, [10, 3, 3]) == 175  # folds, more than the 160 of a zonotope
    assert best_lower_bound(3, [10, 2]) == serra_deep_zonotope_lower_bound(3, [10, 2]) == 66


@pytest.mark.parametrize(
    ("bound", "hidden"),
    [
        (montufar_2014_lower_bound, [1, 4]),
        (montufar_2014_lower_bound, []),
        (serra_lower_bound, [6, 5]),
        (arora_2016_lower_bound, [5, 2]),
        (arora_2016_lower_bound, [4, 2, 3]),
        (serra_deep_zonotope_lower_bound, [4, 1]),
        (serra_deep_zonotope_lower_bound, []),
    ],
)
def test_widths_that_a_bound_is_not_about(bound: Callable[..., int], hidden: list[int]) -> None:
    with pytest.raises(InvalidInputError, match="needs .*; got"):
        bound(2, hidden)


def test_wrong_numbers() -> None:
    for hidden in ([2, 3], [3.0], "33", []):
        with pytest.raises(InvalidInputError):
            serra_one_input_maximum(hidden)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        best_lower_bound(0, [2])
