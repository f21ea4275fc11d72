"""Is a flat hard? Shown by four evaluations of the network beside it, without its regions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from flint import fmpz_mat

from plregions.analysis.kinks import Hyperplane
from plregions.analysis.unbalanced_ridges import Flat
from plregions.exact.integers import primitive_row
from plregions.exact.linear import nullspace
from plregions.network import Network
from plregions.network.propagate import activate

__all__ = ["is_hard_beside", "slopes_along"]

IntRow = list[int]


def is_hard_beside(
    net: Network,
    flat: Flat,
    point: Sequence[Fraction],
    row: Hyperplane,
) -> bool:
    """Tell whether the jumps across a hyperplane differ on the two sides of a flat in it.

    Parameters
    ----------
    net : Network
    flat : Flat
        In reduced echelon form.
    point : sequence of Fraction, length d
        On the flat.
    row : Hyperplane
        That holds the flat.

    Returns
    -------
    bool
        True proves that near the point the network's function has no germ of depth 2 on an open
        part of the flat; so each network of depth 3 equal to it there has the flat in one of its
        first-layer hyperplanes. False proves nothing.

    Algorithm
    ---------
    Let w_1, w_2, ... span the flat's directions, let v lie in the hyperplane across the flat, n
    across the hyperplane. At x + e_1 w_1 + e_2 w_2 + ... +- e v +- h n, where each number is
    infinitely small beside the one before, signs are those of the first term that is not 0. There
    the derivatives along n and -n add up to the jump times n.n. The points x + e_1 w_1 + ... that
    are meant are an open part of the flat; had f a germ of depth 2 at one that is on no other
    kink hyperplane, its jump across the hyperplane would be one number on both sides.

    Exactness
    ---------
    Exact. It shares nothing with the enumeration.

    Examples
    --------
    >>> bent = Network([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0]), ([[1]], [0])])
    >>> origin = (1, 0, 0), (0, 1, 0)
    >>> is_hard_beside(bent, origin, (0, 0), (1, 0, 0))
    True
    >>> is_hard_beside(bent, ((1, 0, -1), (0, 1, 0)), (1, 0), (1, 0, -1))
    False
    """
    first, second = (primitive_row(part[:-1]) for part in flat)
    across = primitive_row(row[:-1])
    # In the span of both normals, and at right angles to the hyperplane's.
    a, b = sum(map(mul, across, second)), sum(map(mul, across, first))
    beside = [a * p - b * q for p, q in zip(first, second, strict=True)]
    along = [primitive_row(vector) for vector in nullspace([first, second])]
    jumps = []
    for side in (1, -1):
        turned = [side * v for v in beside]
        ahead = slopes_along(net, point, [*along, turned, across])
        behind = slopes_along(net, point, [*along, turned, [-v for v in across]])
        jumps.append([p[-1] + q[-1] for p, q in zip(ahead, behind, strict=True)])
    return jumps[0] != jumps[1]


def slopes_along(
    net: Network, point: Sequence[Fraction], directions: Sequence[Sequence[int]]
) -> list[list[Fraction]]:
    """Return the derivatives of a network in the cell that a flag of directions leads into.

    Parameters
    ----------
    net : Network
    point : sequence of Fraction, length d
    directions : sequence of k sequences of int, length d
        The point is moved along each by an amount that is infinitely small beside that before.

    Returns
    -------
    list of list of Fraction, outputs times k
        The derivative of each output along each direction, beside the moved point.

    Algorithm
    ---------
    One forward pass with k + 1 columns. A unit has the sign of its first entry that is not 0.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> roof = Network([([[1], [-1]], [0, 0]), ([[1, 1]], [0])])
    >>> slopes_along(roof, [Fraction(0)], [[1]]), slopes_along(roof, [Fraction(0)], [[-2]])
    ([[Fraction(1, 1)]], [[Fraction(2, 1)]])
    """
    columns = [primitive_row([*point, 1]), *([*vector, 0] for vector in directions)]
    state: Any = fmpz_mat([list(line) for line in zip(*columns, strict=True)])
    for layer in net.layers:
        state = layer.integer_form.matrix * state
        signs = [next((v for v in line if v), 0) > 0 for line in state.tolist()[:-1]]
        state = activate(layer, state, np.array(signs, dtype=np.bool_))
    rows: list[IntRow] = [[int(v) for v in line] for line in state.tolist()]
    # The columns of directions keep the scale of the first one, of which the last entry tells.
    scale = Fraction(columns[0][-1], rows[-1][0])
    return [[v * scale for v in row[1:]] for row in rows[:-1]]
