"""The functions of the literature in plain Python, from their definitions and not from a network.

Numbers are Fractions; each function takes a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import floor, prod

Point = Sequence[Fraction]


def to_corner(t: Fraction) -> Fraction:
    """The distance to {0, 1} on [0, 1], 0 elsewhere."""
    return min(t, 1 - t) if 0 < t < 1 else Fraction(0)


def interpolant(points: Sequence[tuple[Fraction, Fraction]], t: Fraction) -> Fraction:
    """The polygonal line through the points, constant outside."""
    if t <= points[0][0]:
        return points[0][1]
    for (a, fa), (b, fb) in pairwise(points):
        if t <= b:
            return fa + (fb - fa) * (t - a) / (b - a)
    return points[-1][1]


def radial(
    x: Point, steps: Sequence[Fraction], radii: Sequence[Fraction], values: Sequence[Fraction]
) -> Fraction:
    """The values at the radii, interpolated in the sum of the interpolated squares."""
    squares = [(t, t * t) for t in steps]
    total = sum(interpolant(squares, abs(t)) for t in x)
    return interpolant([(r * r, v) for r, v in zip(radii, values, strict=True)], total)


def tent(t: Fraction, m: int) -> Fraction:
    """2 t up to 1/2, then 2 - 2 t, nothing below 0; m times."""
    for _ in range(m):
        t = Fraction(0) if t < 0 else min(2 * t, 2 - 2 * t)
    return t


def triangle_wave(t: Fraction, period: Fraction | int) -> Fraction:
    """Up from 0 to 1 in half a period, and down again."""
    rest = t % period
    return 2 * min(rest, period - rest) / period


def corner_hinge(x: Point) -> Fraction:
    d = len(x)
    y = [to_corner(t) for t in x]
    v = sum(i * t for i, t in enumerate(y))
    return max(Fraction(0), 1 - 2 * sum(y) - max(Fraction(0), v - Fraction(2 * d - 1, 8)) / d)


def layered_hinge(x: Point) -> Fraction:
    d = len(x)
    steep = 4 * sum(i * abs(t) for i, t in enumerate(x, 1)) - (d * d + d + 1)
    t = 4 * d * sum(map(abs, x)) - 2 * d * d - max(Fraction(0), steep)
    return min(Fraction(1), max(Fraction(0), t / (d * d - d + 1)))


def plateau(t: Fraction, n: int) -> Fraction:
    """(-1)^k within a quarter of k = 0..n, and straight lines between."""
    knots = [(k + Fraction(side, 4), Fraction((-1) ** k)) for k in range(n + 1) for side in (-1, 1)]
    return interpolant(knots, t)


def safran_g(x: Point, sets: Sequence[Sequence[int]], pushes: Sequence[Fraction]) -> Fraction:
    """relu(1 - ||x - Delta(x)||_1); the sets hold coordinates counted from 1."""
    d = len(x)
    features = [
        plateau(sum(((1 - (d - 1) * x[i - 1]) / 2 for i in s), start=Fraction(0)), len(s))
        for s in sets
    ]
    last = x[-1] - sum(a * z for a, z in zip(pushes, features, strict=True))
    return max(Fraction(0), 1 - sum(map(abs, x[:-1])) - abs(last))


def copier(x: Point, r: Fraction) -> list[Fraction]:
    """(x - Delta(x) - tau(x)) / r, where tau rounds to -1/2 and 1/2."""
    knots = [(Fraction(-1, 4), Fraction(-1, 2)), (Fraction(1, 4), Fraction(1, 2))]
    image = [t - interpolant(knots, t) for t in x]
    if len(x) == 3:
        z = [plateau(1 - x[i] - x[j], 2) for i, j in ((0, 1), (0, 2), (1, 2))]
        for k, row in enumerate(((2, 3, 3), (-3, -3, 2), (3, -1, -1))):
            image[k] -= sum(b * f for b, f in zip(row, z, strict=True)) / 1152
    return [t / r for t in image]


def l2_hierarchy(x: Point, j: int, r: Fraction) -> Fraction:
    for _ in range(j):
        x = copier(x, r)
    return max(Fraction(0), 1 - abs(x[0]))


def zigzag(t: Fraction, p: int, n_folds: int) -> Fraction:
    """p pieces between 0 and 1, starting with 0 at 0, n_folds times; on [0, 1]."""
    for _ in range(n_folds):
        t = triangle_wave(t, Fraction(2, p))
    return t


def square(t: Fraction, k: int) -> Fraction:
    """The interpolant of t^2 at -k..k, then on with the last slope; constant below."""
    if t <= -k:
        return Fraction(k * k)
    j = min(floor(t), k - 1)
    return j * j + (2 * j + 1) * (t - j)


def hat(t: Fraction, low: Fraction | int, high: Fraction | int) -> Fraction:
    """0 outside [low, high], 1 in the middle."""
    return max(Fraction(0), 1 - abs(t - Fraction(low + high, 2)) * 2 / (high - low))


def inner_product(x: Point, k: int) -> Fraction:
    n = len(x) // 2
    pairs = list(zip(x[:n], x[n:], strict=True))
    return sum((square(a + b, k) - square(a - b, k) for a, b in pairs), start=Fraction(0)) / 4


def zonotope_norm(x: Point, n: int) -> Fraction:
    return sum(
        (abs(sum(t**k * v for k, v in enumerate(x))) for t in range(1, n + 1)), start=Fraction(0)
    )


def xor_tree(x: Point) -> Fraction:
    if len(x) == 1:
        return x[0]
    half = len(x) // 2
    return abs(xor_tree(x[:half]) - xor_tree(x[half:]))


def fold(x: Point, m: int) -> Fraction:
    p, q = abs(x[0]) + abs(x[1]), abs(abs(x[0]) - abs(x[1]))
    for _ in range(m):
        q = abs(p - 2 * q)
    return q


def caps(x: Point, values: Sequence[Fraction | int]) -> Fraction:
    """Each corner's value, falling to 0 at L1 distance 1/2."""
    corners = product((0, 1), repeat=len(x))
    gaps = [sum(abs(t - v) for t, v in zip(x, corner, strict=True)) for corner in corners]
    return sum(
        (c * max(Fraction(0), 1 - 2 * gap) for c, gap in zip(values, gaps, strict=True)),
        start=Fraction(0),
    )


def corner_distance(x: Point, is_largest: bool) -> Fraction:
    """The L-infinity or L1 distance to the nearest of all corners."""
    gaps = [
        [abs(t - v) for t, v in zip(x, corner, strict=True)]
        for corner in product((0, 1), repeat=len(x))
    ]
    return min(map(max if is_largest else sum, gaps))


def courant(x: Point) -> Fraction:
    """The least of the six planes through the apex of the hat, cut at 0."""
    a, b = x
    return max(Fraction(0), 1 - max(abs(a), abs(b), abs(a - b)))


def boolean_product(x: Point, a: Sequence[Fraction | int]) -> Fraction:
    return prod((1 + w * t for w, t in zip(a, x, strict=True)), start=Fraction(1))
