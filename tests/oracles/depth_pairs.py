"""One function at two depths, and pairs that only agree on the corners, from their formulas."""

from __future__ import annotations

from itertools import product
from typing import Any

from plregions.network import Network


def corner_hinge(d: int) -> Network:
    """relu(1 - 2 S - relu(V - (2 d - 1) / 8) / d) on the cube, hidden widths (2 d, 2, 1)."""
    first, second = [], [[], []]
    bias = []
    for i in range(d):
        unit = [int(k == i) for k in range(d)]
        first += [unit, [2 * v for v in unit]]
        bias += [0, -1]
        second[0] += [1, -1]
        second[1] += [8 * i, -8 * i]
    return Network(
        [
            (first, bias),
            (second, [0, -(2 * d - 1)]),
            ([[-16 * d, -1]], [8 * d]),
            ([[f"1/{8 * d}"]], [0]),
        ]
    )


def corner_hinge_shallow(d: int) -> Network:
    """The same function on the cube with two hidden layers of widths (2^(d-1) + d, 2^d)."""
    first: list[Any] = [[int(k == i) for k in range(d)] for i in range(d)]
    bias = [0] * d
    corners = list(product((0, 1), repeat=d - 1))
    for t in corners:
        first.append([0, *[8 * (i + 1) * (1 - 2 * t[i]) for i in range(d - 1)]])
        bias.append(sum(8 * (i + 1) * t[i] for i in range(d - 1)) - (2 * d - 1))
    second, second_bias = [], []
    for v in product((0, 1), repeat=d):
        signs = [-16 * d * (1 - 2 * v[i]) for i in range(d)]
        second.append([*signs, *[-int(t == v[1:]) for t in corners]])
        second_bias.append(8 * d - 16 * d * sum(v))
    return Network(
        [(first, bias), (second, second_bias), ([[f"1/{8 * d}"] * 2**d], [0])],
    )


def parity_shallow(d: int) -> Network:
    """relu(s) + 2 sum (-1)^k relu(s - k) with s the sum of the inputs."""
    steps = [1] + [2 * (-1) ** k for k in range(1, d)]
    return Network([([[1] * d] * d, [-k for k in range(d)]), ([steps], [0])])


def parity_tent(d: int) -> Network:
    """The tent map m times, m the ceiling of log2 d, of s / 2^m."""
    m = max((d - 1).bit_length(), 1)
    weight = f"1/{2**m}"
    layers: list[Any] = [([[weight] * d] * 2, [0, "-1/2"])]
    layers += [([[2, -4], [2, -4]], [0, "-1/2"])] * (m - 1)
    return Network([*layers, ([[2, -4]], [0])])


def parity_xor_tree(k: int) -> Network:
    """A binary tree of |a - b| on 2^k inputs."""
    n = 2**k
    layers: list[Any] = []
    weight: list[list[int]] = []
    for i in range(0, n, 2):
        row = [int(j == i) - int(j == i + 1) for j in range(n)]
        weight += [row, [-v for v in row]]
    layers.append((weight, [0] * n))
    while n > 2:
        # |a - b| where a and b are sums of two units each.
        half = n // 2
        weight = []
        for i in range(0, half, 2):
            row = [0] * n
            row[2 * i] = row[2 * i + 1] = 1
            row[2 * i + 2] = row[2 * i + 3] = -1
            weight += [row, [-v for v in row]]
        layers.append((weight, [0] * half))
        n = half
    return Network([*layers, ([[1, 1]], [0])])


def yarotsky_square(m: int) -> Network:
    """x minus the sum of the k-th tent powers over 4^k, k = 1..m, on [0, 1]."""
    layers: list[Any] = []
    # State (tent, accumulator); the tent of x is 2 relu(x) - 4 relu(x - 1/2).
    layers.append(([[1], [1], [1]], [0, "-1/2", 0]))
    for k in range(1, m):
        tent, square = [2, -4, 0], [f"{-2}/{4**k}", f"{4}/{4**k}", 1]
        layers.append(([tent, tent, square], [0, "-1/2", 0]))
    return Network([*layers, ([[f"{-2}/{4**m}", f"{4}/{4**m}", 1]], [0])])


def tent_power(m: int) -> Network:
    """The tent map on [0, 1], m times."""
    layers: list[Any] = [([[1], [1]], [0, "-1/2"])]
    layers += [([[2, -4], [2, -4]], [0, "-1/2"])] * (m - 1)
    return Network([*layers, ([[2, -4]], [0])])
