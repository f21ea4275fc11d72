"""The width of the hull of few points, from all directions that can be the narrowest."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def plain_width(points: FloatArray) -> float:
    """Return the least distance of two parallel hyperplanes around points.

    Both together touch so many points that d - 1 differences of two are independent and along
    them: if not, the hyperplanes could be turned and come nearer. So the normals to any d - 1
    differences are enough, of which the edges of the hull are only some.
    """
    d = points.shape[1]
    if d == 1:
        return float(np.ptp(points))
    # In coordinates in which the points are round; a normal is carried back by the transpose.
    points = points - points.mean(axis=0)
    back = np.linalg.inv(np.linalg.cholesky(points.T @ points))
    round_points = points @ back.T
    pairs = np.array(list(combinations(range(len(points)), 2)))
    differences = round_points[pairs[:, 0]] - round_points[pairs[:, 1]]
    least = np.inf
    chosen = combinations(range(len(differences)), d - 1)
    while part := [c for c, _ in zip(chosen, range(2**15), strict=False)]:
        _, sizes, turned = np.linalg.svd(differences[np.array(part)])
        normals = turned[sizes[:, -1] > 1e-9 * sizes[:, 0], -1] @ back
        if len(normals):
            spread = np.ptp(normals @ points.T, axis=1) / np.linalg.norm(normals, axis=1)
            least = min(least, float(spread.min()))
    return least


def sampled_width(points: FloatArray, n: int, seed: int = 0) -> float:
    """Return the least spread of points among n directions: never less than the width."""
    directions = np.random.default_rng(seed).normal(size=(n, points.shape[1]))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return float(np.ptp(directions @ points.T, axis=1).min())
