"""Every layer counts: Safran's functions of depth 4, and the copier of the L2 hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from plregions.constructions.circuit import Circuit, Form, Number, weighted_sum
from plregions.constructions.parameters import rational, rationals, whole
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = [
    "copier",
    "copier_centres",
    "l2_hierarchy",
    "safran_g",
    "safran_hard_points",
]

Point = tuple[Fraction, ...]

# The sets A_j of coordinates whose characters move the points, counted from 0.
_PAIRS_OF_THREE = ((0, 1), (0, 2), (1, 2))
_SETS = {3: ((0, 1),), 4: (*_PAIRS_OF_THREE, (0, 1, 2))}
_PUSHES = {3: (1,), 4: (1, 2, 4, 8)}
_UNITS = {3: 192, 4: 384 * 15}
_COPIER_MATRIX = ((2, 3, 3), (-3, -3, 2), (3, -1, -1))
_COPIER_UNIT = 1152
_COPIER_SIDES = {2: Fraction(1, 8), 3: Fraction(1, 1000)}


def _plateau(circuit: Circuit, value: Form, n: int) -> Form:
    """Return g(value): (-1)^k within 1/4 of k = 0..n, linear between; 2 n neurons."""
    steps = []
    for k in range(n):
        up, down = value - k - Fraction(1, 4), value - k - Fraction(3, 4)
        steps.append(4 * (-1) ** (k + 1) * (circuit.relu(up) - circuit.relu(down)))
    return weighted_sum([1] * (n + 1), [1, *steps])


def safran_g(d: int, pushes: Sequence[Number] | None = None) -> Network:
    """Return Safran's g_d = relu(1 - ||U(x)||_1) at depth 4, in its small instances d = 3, 4.

    U(x) = x - Delta(x) undoes a small push: Delta moves the last coordinate alone, by
    sum_j a_j z_j(x) / c, where z_j is a plateau function that equals the product of the signs s_i,
    i in A_j, near each of the 2^(d-1) points (s, 0) / (d - 1). So g_d is a hat with hard points
    q_s = (s, 0) / (d - 1) + Delta; see `safran_hard_points`.

    Parameters
    ----------
    d : int
        3 or 4. The paper's random sets for d >= 5 are not made explicit.
    pushes : sequence of int or Fraction, optional
        The numbers a_j, one for each set A_j: by default (1,) for the set 12, c = 192; and
        (1, 2, 4, 8) for 12, 13, 23, 123, c = 5760.

    Returns
    -------
    Network
        Hidden widths (10, 6, 1) for d = 3, (26, 8, 1) for d = 4.

    Raises
    ------
    InvalidInputError
        Another d, or pushes of another length.

    Regions
    -------
    On [-1, 1]^d: 102 activation and 33 linear regions for d = 3, 3153 and 877 for d = 4
    (computed). Proved: a network of depth 3 equal to g_d on (-1, 1)^d has at least 2^(d-1) / d
    first-layer hyperplanes, when no d + 1 hard points lie on one hyperplane. They do for the
    pushes (1, 1, 1, 1) and (1, 2, 3, 4).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 4.1.

    Examples
    --------
    >>> safran_g(3)
    Network(3-10-6-1-1, 17 neurons)
    >>> [str(v) for v in safran_hard_points(3)[0]], safran_g(3).exact(safran_hard_points(3)[0])
    (['-1/2', '-1/2', '1/192'], (Fraction(0, 1),))
    """
    d, numbers = _pushes("safran_g", d, pushes)
    circuit = Circuit("safran_g", d)
    x = circuit.inputs
    undone = [circuit.carry(form) for form in x]
    for number, members in zip(numbers, _SETS[d], strict=True):
        # The hard point's signs s_i / 2 are (d - 1) / 2 x_i.
        parts = [Fraction(1, 2) - Fraction(d - 1, 2) * x[i] for i in members]
        total = weighted_sum([1] * len(parts), parts)
        undone[-1] -= number / _UNITS[d] * _plateau(circuit, total, len(members))
    sizes = [circuit.absolute(form) for form in undone]
    return circuit.network([circuit.relu(1 - weighted_sum([1] * d, sizes))])


def safran_hard_points(d: int, pushes: Sequence[Number] | None = None) -> tuple[Point, ...]:
    """Return the 2^(d-1) points at which `safran_g` has no germ of depth 2.

    Parameters
    ----------
    d : int
        3 or 4.
    pushes : sequence of int or Fraction, optional
        As for `safran_g`.

    Returns
    -------
    tuple of tuples of d Fractions
        (s, 0) / (d - 1) plus the push, for s in {-1, 1}^(d-1) in lexicographic order.

    Raises
    ------
    InvalidInputError
        As `safran_g`.

    Exactness
    ---------
    Exact.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 4.1.

    Examples
    --------
    >>> [str(point[-1]) for point in safran_hard_points(3)]
    ['1/192', '-1/192', '-1/192', '1/192']
    """
    d, numbers = _pushes("safran_hard_points", d, pushes)
    points = []
    for signs in product((-1, 1), repeat=d - 1):
        characters = [prod(signs[i] for i in members) for members in _SETS[d]]
        push = sum((a * z for a, z in zip(numbers, characters, strict=True)), start=Fraction(0))
        points.append((*(Fraction(s, d - 1) for s in signs), push / _UNITS[d]))
    return tuple(points)


def _pushes(verb: str, d: int, pushes: Any) -> tuple[int, list[Fraction]]:
    d = whole(verb, "d", d, least=3, most=4)
    given = _PUSHES[d] if pushes is None else pushes
    return d, rationals(verb, "pushes", given, len(_SETS[d]))


def _copied(circuit: Circuit, x: Sequence[Form], side: Fraction) -> list[Form]:
    """Return S(x) one level up: (x - Delta(x) - tau(x)) / r, coordinate by coordinate."""
    quarter = Fraction(1, 4)
    results = []
    for form in x:
        step = circuit.relu(form + quarter) - circuit.relu(form - quarter)
        results.append(circuit.carry(form) - 2 * step + Fraction(1, 2))
    if len(x) == 3:
        features = [
            _plateau(circuit, 1 - x[i] - x[j], 2) * Fraction(1, _COPIER_UNIT)
            for i, j in _PAIRS_OF_THREE
        ]
        for k, row in enumerate(_COPIER_MATRIX):
            results[k] -= weighted_sum(row, features)
    return [form * (1 / side) for form in results]


def copier(d: int, r: Number | None = None) -> Network:
    """Return the copier S: R^d -> R^d, which shows [-1, 1]^d in each of 2^d small cubes.

    S(q_s + r u) = u for the 2^d centres q_s (see `copier_centres`) and u in [-1, 1]^d.

    Parameters
    ----------
    d : int
        2 or 3.
    r : int, Fraction or str, optional
        Half the side of the small cubes, positive: by default 1/8 for d = 2, 1/1000 for d = 3. The
        identity is proved up to r = 1/4 for d = 2 and 1/9 for d = 3.

    Returns
    -------
    Network
        d outputs; hidden width 8 for d = 2, 24 for d = 3.

    Raises
    ------
    InvalidInputError
        Another d, or r not between 0 and the limit.

    Regions
    -------
    Proved: the identity. For d = 2 some line meets 3 of the 4 squares if r >= 1/4, none below;
    for d = 3 no plane meets 4 of the 8 cubes at r = 1/1000, and some does at r = 1/500 (linear
    programs).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 3.1.

    Examples
    --------
    >>> copier(2)
    Network(2-8-2, 8 neurons)
    >>> copier(2).exact([Fraction(1, 2) + Fraction(1, 24), "-1/2"])
    (Fraction(1, 3), Fraction(0, 1))
    """
    d, side = _side("copier", d, r)
    circuit = Circuit("copier", d)
    return circuit.network(_copied(circuit, circuit.inputs, side))


def copier_centres(d: int) -> tuple[Point, ...]:
    """Return the centres q_s of the small cubes of `copier`.

    Parameters
    ----------
    d : int
        2 or 3.

    Returns
    -------
    tuple of tuples of d Fractions
        s plus the push B z(s) / 1152 (none for d = 2), for the corners s of [-1/2, 1/2]^d in
        lexicographic order; z holds the characters of the pairs 12, 13, 23. For d = 3 no four
        centres lie in one plane: the least |determinant| is 987319/95551488.

    Raises
    ------
    InvalidInputError
        Another d.

    Exactness
    ---------
    Exact.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 3.1.

    Examples
    --------
    >>> [str(v) for v in copier_centres(3)[-1]]
    ['73/144', '143/288', '577/1152']
    """
    d, _ = _side("copier_centres", d, None)
    centres = []
    for signs in product((-1, 1), repeat=d):
        centre = [Fraction(s, 2) for s in signs]
        if d == 3:
            characters = [signs[i] * signs[j] for i, j in _PAIRS_OF_THREE]
            for k, row in enumerate(_COPIER_MATRIX):
                push = sum(b * z for b, z in zip(row, characters, strict=True))
                centre[k] += Fraction(push, _COPIER_UNIT)
        centres.append(tuple(centre))
    return tuple(centres)


def l2_hierarchy(d: int, j: int, r: Number | None = None) -> Network:
    """Return h_j at depth j + 2: the hat relu(1 - |x_1|) seen through j copiers.

    h_0(x) = relu(x_1 + 1) - 2 relu(x_1) + relu(x_1 - 1), h_j = h_{j-1} o S.

    Parameters
    ----------
    d : int
        2 or 3.
    j : int
        Copiers, from 0 on.
    r : int, Fraction or str, optional
        As for `copier`.

    Returns
    -------
    Network
        Hidden widths 8 (24 for d = 3), j times, then 3.

    Raises
    ------
    InvalidInputError
        As `copier`, or j is no whole number.

    Regions
    -------
    On [-1, 1]^2: 48 activation and 10 linear regions for j = 1, 432 and 28 for j = 2 (computed).
    Proved, where no hyperplane meets more than d of the cubes of side 2 r: under the uniform
    distribution on the copies, a network of depth j + 1 and width w has squared error at least
    (1 - w d / 2^d)^j / 12, as long as w d <= 2^d.

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    I. Safran, "Every Layer Counts", arXiv 2608.23877, Theorem 3.1, before the dilation.

    Examples
    --------
    >>> l2_hierarchy(2, 2)
    Network(2-8-8-3-1, 19 neurons)
    >>> l2_hierarchy(2, 1).exact([Fraction(1, 2) + Fraction(1, 24), 0])
    (Fraction(2, 3),)
    """
    d, side = _side("l2_hierarchy", d, r)
    circuit = Circuit("l2_hierarchy", d)
    x = circuit.inputs
    for _ in range(whole("l2_hierarchy", "j", j, least=0, most=100)):
        x = _copied(circuit, x, side)
    hat = [circuit.relu(x[0] + 1), circuit.relu(x[0]), circuit.relu(x[0] - 1)]
    return circuit.network([weighted_sum([1, -2, 1], hat)])


def _side(verb: str, d: int, r: Any) -> tuple[int, Fraction]:
    d = whole(verb, "d", d, least=2, most=3)
    side = _COPIER_SIDES[d] if r is None else rational(verb, "r", r, above=0)
    # Where the steps and plateaus are flat around every centre, pushes of up to 1/144 included.
    limit = Fraction(1, 4 if d == 2 else 9)
    if side > limit:
        raise InvalidInputError(f"{verb} needs r of at most {limit} for d = {d}; got {side}.")
    return d, side
