"""Networks whose f-vectors are known, from their formulas."""

from __future__ import annotations

import numpy as np

from plregions.network import Network


def corner_hinge(d: int) -> Network:
    """C_d = relu(1 - 2 S - relu(V - e) / d) of corner distances y_i, in integers, times 8 d."""
    eye = np.eye(d, dtype=int)
    first = np.concatenate([eye, 2 * eye, eye])
    bias = [0] * d + [-1] * d + [-1] * d
    sums = np.array([1] * d), np.array([8 * i for i in range(d)])
    second = np.array([np.concatenate([v, -v, v]) for v in sums])
    return Network(
        [
            (first, bias),
            (second, [0, -(2 * d - 1)]),
            ([[-16 * d, -1]], [8 * d]),
            ([[1]], [0]),
        ]
    )


def max_tree3() -> Network:
    """max(max(a, b), c) with max(a, b) = relu(a - b) + b."""
    first = [[1, -1, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    second = [[1, 1, -1, -1, 1], [0, 0, 0, 1, -1], [0, 0, 0, -1, 1]]
    return Network([(first, [0] * 5), (second, [0] * 3), ([[1, 1, -1]], [0])])


def sort3() -> Network:
    """Odd-even transposition of three numbers: relu(a - b), and a and b carried on as pairs."""

    def comparator(i: int, j: int) -> list[list[int]]:
        """The rows of relu(x_i - x_j), then of all three numbers carried."""
        eye = np.eye(3, dtype=int)
        rows = [eye[i] - eye[j]]
        for k in range(3):
            rows += [eye[k], -eye[k]]
        return [row.tolist() for row in rows]

    def sorted_pair(i: int, j: int) -> np.ndarray:
        """Numbers from such units: the smaller of the pair first."""
        rows = np.zeros((3, 7), dtype=int)
        for k in range(3):
            rows[k, 1 + 2 * k], rows[k, 2 + 2 * k] = 1, -1
        rows[i, 0], rows[j, 0] = -1, 1
        return rows

    pairs = [(0, 1), (1, 2), (0, 1)]
    layers, read = [], np.eye(3, dtype=int)
    for pair in pairs:
        layers.append((np.array(comparator(*pair)) @ read, [0] * 7))
        read = sorted_pair(*pair)
    return Network([*layers, (read, [0] * 3)])
